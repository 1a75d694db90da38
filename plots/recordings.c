/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and tells what became of the rows of recordings. */
#include <plots/recordings.h>

#include <base/error.h>
#include <base/vector.h>
#include <plots/words.h>
#include <stdio.h>
#include <stdlib.h>

static const char sql[] =
    "SELECT workload, file, format, first_bad_row, columns, rows, arrivals, bad_rows, outside_rows,"
    " other_operation_rows, other_table_rows, attempt_rows, sampled_out_rows"
    " FROM recording WHERE run_id = ?1 ORDER BY workload";

/* Said of a count above 0, after the count; the first two are said always. */
static const char *const said[RECORDING_COUNTS] = {
    [RECORDING_ROWS] = "rows",
    [RECORDING_ARRIVALS] = "arrivals",
    [RECORDING_BAD] = "bad rows passed over",
    [RECORDING_OUTSIDE] = "outside the time that is replayed",
    [RECORDING_OTHER_OPERATION] = "of operations that the mix does not have",
    [RECORDING_OTHER_TABLE] = "of other tables",
    [RECORDING_ATTEMPTS] = "refused attempts of requests that were counted",
    [RECORDING_SAMPLED_OUT] = "not in the sample",
};

static bool add(void *into, struct query *query) {
    struct recordings *out = into;
    void *items = out->items;
    if (!vector_reserve(&items, &out->capacity, out->count + 1, sizeof *out->items)) return false;
    out->items = items;
    struct replayed *replayed = &out->items[out->count++];
    *replayed = (struct replayed){.workload = query_copy(query, 0),
                                  .file = query_copy(query, 1),
                                  .format = query_copy(query, 2),
                                  .first_bad = query_copy(query, 3),
                                  .columns = query_copy(query, 4)};
    for (int i = 0; i < RECORDING_COUNTS; i++)
        replayed->counts[i] = query_int(query, 5 + i);
    return replayed->workload && replayed->file && replayed->format;
}

enum ddbsim_status recordings_read(struct sqlite3 *database, int64_t run_id, struct recordings *out,
                                   struct ddbsim_error *error) {
    *out = (struct recordings){0};
    enum ddbsim_status status = query_each(database, error, "recording", sql, run_id, add, out);
    if (status != DDBSIM_OK) recordings_clear(out);
    return status;
}

void recordings_clear(struct recordings *recordings) {
    for (size_t i = 0; i < recordings->count; i++) {
        free(recordings->items[i].workload);
        free(recordings->items[i].file);
        free(recordings->items[i].format);
        free(recordings->items[i].first_bad);
        free(recordings->items[i].columns);
    }
    free(recordings->items);
    *recordings = (struct recordings){0};
}

const char *recordings_sentence(const struct replayed *replayed, char *out, size_t size) {
    char number[WORDS_BYTES];
    int used = snprintf(out, size, "%.100s: %.200s (%.40s%s%.160s)", replayed->workload,
                        replayed->file, replayed->format, replayed->columns ? ": " : "",
                        replayed->columns ? replayed->columns : "");
    for (int i = 0; i < RECORDING_COUNTS && used > 0 && (size_t)used < size; i++)
        if (i <= RECORDING_ARRIVALS || replayed->counts[i] > 0)
            used += snprintf(out + used, size - (size_t)used, ", %s %s",
                             words_count(number, replayed->counts[i]), said[i]);
    if (replayed->first_bad && used > 0 && (size_t)used < size)
        (void)snprintf(out + used, size - (size_t)used, " (the first: %.160s)",
                       replayed->first_bad);
    return out;
}
