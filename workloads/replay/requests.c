/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The requests of an earlier run, from a database that `ddbsim run --log requests` wrote (docs/log.md, table `request`):
 * the first attempt of each, since the others are its client's, and whoever replays it has a client of its own. The
 * first run in the file that has any. A batch is one row without a key.
 */
#include <workloads/replay/reader.h>

#include <base/error.h>
#include <base/types.h>
#include <ddbsim/log.h>
#include <ddbsim/names.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "SQLite format 3"
#define APPLICATION_AT 68
#define APPLICATION "dds1"

struct requests {
    sqlite3 *database;
    sqlite3_stmt *rows;
    int64_t start_ns; /* since 1970 */
};

static int recognise(const struct reader_head *head) {
    bool ours = head->length >= APPLICATION_AT + 4 &&
                memcmp(head->bytes, MAGIC, sizeof MAGIC) == 0 &&
                memcmp(head->bytes + APPLICATION_AT, APPLICATION, 4) == 0;
    return ours ? 100 : 0;
}

static enum ddbsim_status fail_database(const struct reader *reader, struct ddbsim_error *error) {
    const struct requests *state = reader->state;
    return reader_fail(reader, 0, error, "%.200s", sqlite3_errmsg(state->database));
}

/* The run, and when it began. */
static enum ddbsim_status find_run(const struct reader *reader, int64_t *run_id,
                                   struct ddbsim_error *error) {
    static const char sql[] =
        "SELECT run_id, start_unix_s FROM run WHERE run_id ="
        " (SELECT run_id FROM request LIMIT 1) AND start_unix_s BETWEEN 0 AND 9000000000";
    struct requests *state = reader->state;
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(state->database, sql, -1, &statement, NULL) != SQLITE_OK)
        return fail_database(reader, error);
    int step = sqlite3_step(statement);
    if (step == SQLITE_ROW) {
        *run_id = sqlite3_column_int64(statement, 0);
        state->start_ns = sqlite3_column_int64(statement, 1) * NS_PER_S;
    }
    sqlite3_finalize(statement);
    if (step == SQLITE_ROW) return DDBSIM_OK;
    if (step != SQLITE_DONE) return fail_database(reader, error);
    (void)reader_fail(reader, 0, error, "no run in this database has its requests in it");
    error_hint(error, "`ddbsim run SCENARIO --log requests` writes them");
    return DDBSIM_INPUT;
}

static enum ddbsim_status open_requests(struct reader *reader, struct ddbsim_error *error) {
    static const char sql[] = "SELECT t_ns, key, sort_key, table_name, operation, item_bytes,"
                              " json_extract(detail, '$.sort_place') FROM request"
                              " WHERE run_id = ?1 AND attempt = 1 ORDER BY rowid";
    struct requests *state = calloc(1, sizeof *state);
    int64_t run_id = 0;
    if (!state) return error_memory(error);
    reader->state = state;
    reader->clock = (struct stamp_clock){.has_unit = true, .is_known = true, .is_absolute = true};
    enum ddbsim_status status = ddbsim_log_open(feed_path(reader->feed), &state->database, error);
    if (!status) status = find_run(reader, &run_id, error);
    if (status) return status;
    if (sqlite3_prepare_v2(state->database, sql, -1, &state->rows, NULL) != SQLITE_OK ||
        sqlite3_bind_int64(state->rows, 1, run_id) != SQLITE_OK)
        return fail_database(reader, error);
    return DDBSIM_OK;
}

/* NULL where the column is empty or no text. */
static const char *text_of(sqlite3_stmt *rows, int column, uint32_t *bytes) {
    if (sqlite3_column_type(rows, column) != SQLITE_TEXT) return NULL;
    const char *text = (const char *)sqlite3_column_text(rows, column);
    int length = sqlite3_column_bytes(rows, column);
    if (!text || length <= 0 || strlen(text) != (size_t)length) return NULL;
    if (bytes) *bytes = (uint32_t)length;
    return text;
}

static bool take_place(sqlite3_stmt *rows, struct recorded *row) {
    const char *text = text_of(rows, 6, NULL);
    char *end = NULL;
    if (!text) return true;
    row->has_sort_place = true;
    row->sort_place = strtoull(text, &end, 16);
    return *end == '\0';
}

static enum ddbsim_status next_request(struct reader *reader, struct recorded *row,
                                       enum reader_outcome *outcome, struct ddbsim_error *error) {
    struct requests *state = reader->state;
    int step = sqlite3_step(state->rows);
    *outcome = READER_END;
    if (step == SQLITE_DONE) return DDBSIM_OK;
    if (step != SQLITE_ROW) return fail_database(reader, error);
    *outcome = READER_BAD;
    row->line = ++reader->bad_line;
    int64_t t_ns = sqlite3_column_int64(state->rows, 0);
    int operation = -1;
    const char *word = text_of(state->rows, 4, NULL);
    for (int i = 0; word && ddbsim_operation_name(i); i++)
        if (strcmp(ddbsim_operation_name(i), word) == 0) operation = i;
    if (operation < 0 || t_ns < 0 || t_ns > INT64_MAX / 4 || !take_place(state->rows, row)) {
        (void)reader_bad(reader, "this is no row of a log of requests");
        return DDBSIM_OK;
    }
    row->t_ns = state->start_ns + t_ns;
    row->operation = operation;
    row->key = text_of(state->rows, 1, &row->key_bytes);
    row->sort = text_of(state->rows, 2, &row->sort_bytes);
    row->table = text_of(state->rows, 3, NULL);
    if (row->key) row->item_bytes = sqlite3_column_int64(state->rows, 5);
    *outcome = READER_ROW;
    return DDBSIM_OK;
}

static void close_requests(struct reader *reader) {
    struct requests *state = reader->state;
    if (!state) return;
    sqlite3_finalize(state->rows);
    ddbsim_log_close(state->database);
    free(state);
    reader->state = NULL;
    reader->bad_line = 0;
}

const struct recording_format format_requests = {
    .name = "ddbsim",
    .what = "a result database with every attempt (run --log requests)",
    .recognise = recognise,
    .open = open_requests,
    .next = next_request,
    .close = close_requests,
};
