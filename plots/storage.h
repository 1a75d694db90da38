/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tables with TTL held at a run's start and at its end, by kind of item (log table `storage`). */
#ifndef PLOTS_STORAGE_H
#define PLOTS_STORAGE_H

#include <plots/query.h>

struct stored {
    char *table, *entity;
    int64_t first_items, items; /* at the start, at the end */
    double first_bytes, bytes;
    int64_t expired; /* of the items at the end */
    int64_t deleted; /* by TTL */
};
struct storage {
    struct stored *items; /* by table and entity */
    size_t count, capacity;
};

/* None where no table has TTL, and in databases of versions that knew none. */
DDBSIM_MUST_CHECK enum ddbsim_status storage_read(struct sqlite3 *database, int64_t run_id,
                                                  struct storage *out, struct ddbsim_error *error);
void storage_clear(struct storage *storage);

/* "78 GB", "12 MB", "900 B": bytes in 1,024s, in a buffer that is returned. */
const char *storage_size(char out[48], double bytes);

#endif
