/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Query, Scan and reads under suffixes find. */
#ifndef WORKLOADS_READS_H
#define WORKLOADS_READS_H

#include <workloads/items.h>

/* A page of a Query. */
void reads_page(struct description *d, const struct ddbsim_operation *operation, uint32_t page);
/* An item that is not where it is looked for; `first` of the operation's calls. */
void reads_found(const struct description *d, const struct ddbsim_operation *operation, bool first);
/* A segment of a Scan. */
void reads_segment(const struct ddbsim_operation *operation, uint32_t segment,
                   struct ddbsim_request *out);

#endif
