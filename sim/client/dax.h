/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A DAX cluster between a workload's callers and the table: it answers eventual reads that it holds, which the
 * table then never sees, and passes on all others. Rule M-88.
 */
#ifndef CLIENT_DAX_H
#define CLIENT_DAX_H

#include <base/types.h>
#include <ddbsim/workload.h>

struct dax_line;

struct dax {
    struct dax_line *lines; /* what it holds; NULL: its hits are a stated share */
    uint64_t stream;        /* of the draws that make that share */
};

/* False when memory is short. */
bool dax_init(struct dax *dax, const struct ddbsim_dax *spec, uint64_t stream);
void dax_deinit(struct dax *dax);
/* It holds nothing any more (M-104). */
void dax_flush(struct dax *dax);
/* Does it answer this read? `member`: which of its batch, else 0. */
bool dax_hits(const struct dax *dax, const struct ddbsim_dax *spec,
              const struct ddbsim_request *request, uint32_t member, int64_t now_ns);
/* The table served a read or a write: DAX holds the item from now on. */
void dax_keep(struct dax *dax, const struct ddbsim_dax *spec, const struct ddbsim_request *request,
              int64_t now_ns);

#endif
