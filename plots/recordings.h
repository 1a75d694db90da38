/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What became of the rows of recordings that a run replayed (log table `recording`). */
#ifndef PLOTS_RECORDINGS_H
#define PLOTS_RECORDINGS_H

#include <plots/query.h>

enum recording_row { /* of which it has counts, in the order of the columns */
                     RECORDING_ROWS,
                     RECORDING_ARRIVALS,
                     RECORDING_BAD,
                     RECORDING_OUTSIDE,
                     RECORDING_OTHER_OPERATION,
                     RECORDING_OTHER_TABLE,
                     RECORDING_ATTEMPTS,
                     RECORDING_SAMPLED_OUT,
                     RECORDING_COUNTS
};

struct replayed {
    char *workload, *file, *format;
    char *columns; /* of csv: which is what; else NULL */
    int64_t counts[RECORDING_COUNTS];
    char *first_bad; /* NULL: no row was bad */
};
struct recordings {
    struct replayed *items; /* by workload */
    size_t count, capacity;
};

/* None where nothing was replayed, and in databases of versions that could not. */
DDBSIM_MUST_CHECK enum ddbsim_status recordings_read(struct sqlite3 *database, int64_t run_id,
                                                     struct recordings *out,
                                                     struct ddbsim_error *error);
void recordings_clear(struct recordings *recordings);
/* "load.csv (csv): 1,204 rows, 1,200 arrivals, 4 rows of other tables": in a buffer that is returned. */
const char *recordings_sentence(const struct replayed *replayed, char *out, size_t size);

#endif
