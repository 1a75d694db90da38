/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The writer of result databases. Rows gather in one buffer a table and go to SQLite by the fifty,
 * in transactions of a hundred thousand, so that SQLite is met when a buffer is full and at no
 * other time. Invariants: the file under its final name is always whole; while it grows it is
 * FILE.part, locked by flock so that a second writer keeps off; the first commit holds the run as
 * `running`; after the first failure nothing more is written and that failure is what every later
 * call reports. Durability: SQLite's own syncs are off, for a .part is refused anyway; one fsync
 * before the rename and one of the directory after it make the named file as durable as it gets.
 */
#include <record/writer.h>

#include <base/check.h>
#include <base/error.h>
#include <base/vector.h>
#include <errno.h>
#include <fcntl.h>
#include <record/digest.h>
#include <record/file.h>
#include <record/schema_sql.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROWS_A_STATEMENT 50
#define ROWS_A_BUFFER 1000
#define TEXT_A_BUFFER ((size_t)1 << 20)
#define ROWS_A_TRANSACTION 100000

/* Rows of one table on their way to SQLite. Texts stand in `text`, a cell holds where. */
struct row_buffer {
    struct ddbsim_value *cells;
    size_t cell_capacity;
    size_t row_count;
    char *text;
    size_t text_length, text_capacity;
    sqlite3_stmt *many, *one;
};

struct log_writer {
    char *path, *part; /* NULL for a database in memory */
    bool force;
    int lock; /* the .part, opened for its lock and its fsync; -1: none */
    sqlite3 *database;
    struct row_buffer buffers[DDBSIM_LOG_TABLE_KINDS];
    size_t uncommitted_rows;
    bool in_transaction, finished;
    int64_t run_count;
    bool in_run;
    struct log_run run;
    char *run_texts[8]; /* what struct log_run points to, owned */
    struct digest *digest;
    struct ddbsim_error error; /* the first failure */
};

static const char *shown_path(const struct log_writer *writer) {
    return writer->path ? writer->path : "";
}

/* ---- failures ---- */

static bool failed(const struct log_writer *writer) { return writer->error.status != DDBSIM_OK; }

static void fail(struct log_writer *writer, const char *doing, const char *why) {
    if (failed(writer)) return;
    error_set(&writer->error, DDBSIM_ENVIRONMENT, "%s: %s", doing, why);
    error_place(&writer->error, shown_path(writer), 0, 0);
}

static void fail_memory(struct log_writer *writer) {
    if (!failed(writer)) error_memory(&writer->error);
}

static void fail_sqlite(struct log_writer *writer) {
    fail(writer, "cannot write the result database", sqlite3_errmsg(writer->database));
}

static enum ddbsim_status report(const struct log_writer *writer, struct ddbsim_error *error) {
    if (error && failed(writer) && error->status == DDBSIM_OK) *error = writer->error;
    return writer->error.status;
}

/* ---- SQLite ---- */

static void execute(struct log_writer *writer, const char *sql) {
    if (failed(writer)) return;
    if (!sql)
        fail_memory(writer);
    else if (sqlite3_exec(writer->database, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_sqlite(writer);
}

static void execute_owned(struct log_writer *writer, char *sql) {
    execute(writer, sql);
    free(sql);
}

static void begin(struct log_writer *writer) {
    if (writer->in_transaction || failed(writer)) return;
    CHECK(sqlite3_get_autocommit(writer->database)); /* no transaction but ours */
    execute(writer, "BEGIN IMMEDIATE");
    writer->in_transaction = !failed(writer);
}

static void commit(struct log_writer *writer) {
    if (!writer->in_transaction || failed(writer)) return;
    CHECK(!sqlite3_get_autocommit(writer->database));
    execute(writer, "COMMIT");
    writer->in_transaction = false;
    writer->uncommitted_rows = 0;
}

static sqlite3_stmt *prepare(struct log_writer *writer, enum ddbsim_log_table table, size_t rows) {
    sqlite3_stmt *statement = NULL;
    char *sql = schema_sql_insert(table, rows);
    if (!sql)
        fail_memory(writer);
    else if (sqlite3_prepare_v3(writer->database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                                NULL) != SQLITE_OK)
        fail_sqlite(writer);
    free(sql);
    return statement;
}

static int bind_cell(sqlite3_stmt *statement, int at, const struct ddbsim_value *cell,
                     const char *text) {
    CHECK(statement != NULL && at > 0);
    switch (cell->type) {
    case DDBSIM_VALUE_NULL:
        return sqlite3_bind_null(statement, at);
    case DDBSIM_VALUE_INTEGER:
        return sqlite3_bind_int64(statement, at, cell->as.integer);
    case DDBSIM_VALUE_REAL:
        return sqlite3_bind_double(statement, at, cell->as.real);
    case DDBSIM_VALUE_TEXT: /* the buffer keeps the text until the statement has run */
        return sqlite3_bind_text(statement, at, text + cell->as.integer, -1, SQLITE_STATIC);
    }
    CHECK(false);
    return SQLITE_MISUSE;
}

/* Inserts `rows` rows from `first` with a statement made for as many. */
static void insert(struct log_writer *writer, enum ddbsim_log_table table, sqlite3_stmt *statement,
                   size_t first, size_t rows) {
    const struct row_buffer *buffer = &writer->buffers[table];
    size_t width = schema_table(table)->column_count;
    const struct ddbsim_value *cells = buffer->cells + first * width;
    CHECK(first + rows <= buffer->row_count);
    for (size_t i = 0; i < rows * width; i++) {
        if (bind_cell(statement, (int)i + 1, &cells[i], buffer->text) == SQLITE_OK) continue;
        fail_sqlite(writer);
        return;
    }
    CHECK(sqlite3_bind_parameter_count(statement) == (int)(rows * width));
    if (sqlite3_step(statement) != SQLITE_DONE) fail_sqlite(writer);
    sqlite3_reset(statement);
    writer->uncommitted_rows += rows;
}

static void flush_table(struct log_writer *writer, enum ddbsim_log_table table) {
    struct row_buffer *buffer = &writer->buffers[table];
    size_t done = 0;
    CHECK(buffer->row_count <= ROWS_A_BUFFER);
    if (buffer->row_count > 0) begin(writer);
    while (done < buffer->row_count && !failed(writer)) {
        size_t rows = buffer->row_count - done >= ROWS_A_STATEMENT ? ROWS_A_STATEMENT : 1;
        sqlite3_stmt **statement = rows == 1 ? &buffer->one : &buffer->many;
        if (!*statement) *statement = prepare(writer, table, rows);
        if (*statement) insert(writer, table, *statement, done, rows);
        done += rows;
    }
    buffer->row_count = 0;
    buffer->text_length = 0;
    if (writer->uncommitted_rows >= ROWS_A_TRANSACTION) commit(writer);
}

static void flush_all(struct log_writer *writer) {
    for (int i = 0; i < DDBSIM_LOG_TABLE_KINDS; i++)
        flush_table(writer, (enum ddbsim_log_table)i);
}

/* ---- buffering rows ---- */

static bool keep_text(struct row_buffer *buffer, struct ddbsim_value *cell) {
    size_t length = strlen(cell->as.text) + 1;
    void *text = buffer->text;
    if (!vector_reserve(&text, &buffer->text_capacity, buffer->text_length + length, 1))
        return false;
    buffer->text = text;
    memcpy(buffer->text + buffer->text_length, cell->as.text, length);
    cell->as.integer = (int64_t)buffer->text_length;
    buffer->text_length += length;
    return true;
}

static bool keep_row(struct row_buffer *buffer, const struct schema_table *table,
                     const struct ddbsim_value *values) {
    void *cells = buffer->cells;
    size_t width = table->column_count, used = buffer->row_count * width;
    if (!vector_reserve(&cells, &buffer->cell_capacity, used + width, sizeof *buffer->cells))
        return false;
    buffer->cells = cells;
    for (size_t i = 0; i < width; i++) {
        struct ddbsim_value cell = schema_canonical(values[i]);
        CHECK(schema_takes(&table->columns[i], &cell));
        if (cell.type == DDBSIM_VALUE_TEXT && !keep_text(buffer, &cell)) return false;
        buffer->cells[used + i] = cell;
    }
    buffer->row_count++;
    CHECK(buffer->row_count * width <= buffer->cell_capacity);
    return true;
}

static void buffer_row(struct log_writer *writer, enum ddbsim_log_table table,
                       const struct ddbsim_value *values) {
    struct row_buffer *buffer = &writer->buffers[table];
    CHECK(buffer->row_count < ROWS_A_BUFFER);
    if (failed(writer)) return;
    if (!keep_row(buffer, schema_table(table), values)) fail_memory(writer);
    if (buffer->row_count >= ROWS_A_BUFFER || buffer->text_length >= TEXT_A_BUFFER)
        flush_table(writer, table);
}

void log_writer_row(struct log_writer *writer, enum ddbsim_log_table table,
                    const struct ddbsim_value *values, size_t count) {
    CHECK(count == schema_table(table)->column_count);
    CHECK(!schema_in_digest(
        table)); /* rows of a run go through its sink, or the digest misses them */
    buffer_row(writer, table, values);
}

static void buffer_run_row(struct log_writer *writer, enum ddbsim_log_table table,
                           const struct ddbsim_value *values, size_t count) {
    struct ddbsim_value row[SCHEMA_COLUMNS_MAX];
    int run_column = schema_run_column(table);
    CHECK(run_column >= 0 && count + 1 == schema_table(table)->column_count);
    size_t before = (size_t)run_column;
    memcpy(row, values, before * sizeof *row);
    row[before] = ddbsim_integer(writer->run_count);
    memcpy(row + before + 1, values + before, (count - before) * sizeof *row);
    buffer_row(writer, table, row);
}

static void take_row(void *self, enum ddbsim_log_table table, const struct ddbsim_value *values,
                     size_t count) {
    struct log_writer *writer = self;
    CHECK(writer->digest != NULL || failed(writer));
    CHECK(writer->in_run && table != DDBSIM_LOG_RUN);
    if (failed(writer)) return;
    if (!digest_row(writer->digest, table, values, count)) fail_memory(writer);
    buffer_run_row(writer, table, values, count);
}

/* ---- opening ---- */

static enum ddbsim_status refuse(const char *path, struct ddbsim_error *error, const char *why,
                                 const char *hint) {
    enum ddbsim_status status = error_set(error, DDBSIM_INPUT, "%s", why);
    if (hint) error_hint(error, "%s", hint);
    error_place(error, path, 0, 0);
    return status;
}

/* What must not be written to. */
static enum ddbsim_status check_target(const char *path, bool force, struct ddbsim_error *error) {
    struct stat about;
    if (path[0] == '\0') return refuse(path, error, "the output has an empty name", NULL);
    if (file_name_is_part(path))
        return refuse(path, error, "a name in .part is kept for unfinished databases", NULL);
    if (stat(path, &about) != 0) {
        bool dangling = lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
        return dangling ? refuse(path, error, "the output is a link that leads nowhere", NULL)
                        : DDBSIM_OK;
    }
    if (S_ISDIR(about.st_mode)) return refuse(path, error, "the output is a directory", NULL);
    if (!S_ISREG(about.st_mode))
        return refuse(path, error, "the output is a device or a pipe, not a file", NULL);
    if (!force) return refuse(path, error, "the output exists already", "--force replaces it");
    return DDBSIM_OK;
}

static enum ddbsim_status cannot_open(const char *path, struct ddbsim_error *error) {
    enum ddbsim_status status =
        error_set(error, DDBSIM_ENVIRONMENT, "cannot create %s.part: %s", path, strerror(errno));
    error_place(error, path, 0, 0);
    return status;
}

/* True while the locked file still has its name: another writer may have renamed it a moment ago.
 */
static bool still_named(const struct log_writer *writer, const struct stat *locked) {
    struct stat named;
    return stat(writer->part, &named) == 0 && named.st_ino == locked->st_ino &&
           named.st_dev == locked->st_dev;
}

/* A .part may be what a killed run left, and then it goes; it is never another writer's or a
 * stranger. */
static enum ddbsim_status claim_part(struct log_writer *writer, struct ddbsim_error *error) {
    struct file_header header;
    struct stat about;
    writer->lock = open(writer->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (writer->lock < 0) return cannot_open(writer->path, error);
    if (fstat(writer->lock, &about) != 0) return cannot_open(writer->path, error);
    if (!S_ISREG(about.st_mode)) return refuse(writer->part, error, "it is not a file", NULL);
    bool locked = flock(writer->lock, LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno != EWOULDBLOCK) return cannot_open(writer->path, error);
    if (!locked || !still_named(writer, &about))
        return refuse(writer->part, error, "another run is writing it", NULL);
    if (!file_header_read(writer->lock, &header)) return cannot_open(writer->path, error);
    bool ours = header.is_sqlite && header.application_id == DDBSIM_LOG_APPLICATION_ID;
    if (header.size_bytes > 0 && !ours)
        return refuse(writer->part, error, "it exists and is no result database", NULL);
    if (ftruncate(writer->lock, 0) != 0) return cannot_open(writer->path, error);
    return DDBSIM_OK;
}

static void unlink_journal(const struct log_writer *writer) {
    char *journal = file_name_join("", writer->part, "-journal");
    if (journal) unlink(journal);
    free(journal);
}

static enum ddbsim_status name_files(struct log_writer *writer, const char *path,
                                     struct ddbsim_error *error) {
    writer->path = file_name_join("", path, "");
    writer->part = file_name_join("", path, ".part");
    return writer->path && writer->part ? DDBSIM_OK : error_memory(error);
}

static void open_database(struct log_writer *writer) {
    char *name =
        writer->part ? file_name_for_sqlite(writer->part) : file_name_join("", ":memory:", "");
    if (!name) {
        fail_memory(writer);
        return;
    }
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(name, &writer->database, flags, NULL) != SQLITE_OK) fail_sqlite(writer);
    free(name);
    execute(writer, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF;"
                    "PRAGMA cache_size = -4096");
    begin(writer);
    execute_owned(writer, failed(writer) ? NULL : schema_sql_create());
}

static void close_database(struct log_writer *writer) {
    for (int i = 0; i < DDBSIM_LOG_TABLE_KINDS; i++) {
        struct row_buffer *buffer = &writer->buffers[i];
        sqlite3_finalize(buffer->many);
        sqlite3_finalize(buffer->one);
        buffer->many = buffer->one = NULL;
    }
    int code = sqlite3_close(writer->database);
    CHECK(code == SQLITE_OK); /* a statement that a reader left open */
    writer->database = NULL;
}

static void forget_run(struct log_writer *writer) {
    digest_destroy(writer->digest);
    writer->digest = NULL;
    for (size_t i = 0; i < sizeof writer->run_texts / sizeof writer->run_texts[0]; i++) {
        free(writer->run_texts[i]);
        writer->run_texts[i] = NULL;
    }
    writer->in_run = false;
}

static void destroy(struct log_writer *writer) {
    close_database(writer);
    forget_run(writer);
    for (int i = 0; i < DDBSIM_LOG_TABLE_KINDS; i++) {
        free(writer->buffers[i].cells);
        free(writer->buffers[i].text);
    }
    if (writer->lock >= 0) close(writer->lock);
    free(writer->path);
    free(writer->part);
    free(writer);
}

enum ddbsim_status log_writer_create(const char *path, bool force, struct log_writer **out,
                                     struct ddbsim_error *error) {
    CHECK(out != NULL);
    *out = NULL;
    enum ddbsim_status status = path ? check_target(path, force, error) : DDBSIM_OK;
    if (status != DDBSIM_OK) return status;
    struct log_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return error_memory(error);
    writer->lock = -1;
    writer->force = force;
    if (path) status = name_files(writer, path, error);
    if (path && status == DDBSIM_OK) status = claim_part(writer, error);
    CHECK(writer->database == NULL);
    if (status != DDBSIM_OK) { /* nothing of ours stands under that name yet */
        destroy(writer);
        return status;
    }
    if (path) unlink_journal(writer);
    open_database(writer);
    status = report(writer, error);
    if (status == DDBSIM_OK)
        *out = writer;
    else
        log_writer_abandon(writer);
    return status;
}

/* ---- runs ---- */

/* Copies the texts of a run, for its row is hashed when it ends. */
static bool keep_run(struct log_writer *writer, const struct log_run *run) {
    writer->run = *run;
    const char **texts[] = {&writer->run.scenario,      &writer->run.title,
                            &writer->run.variant,       &writer->run.start,
                            &writer->run.detail,        &writer->run.version,
                            &writer->run.scenario_text, &writer->run.input_hash};
    _Static_assert(sizeof texts / sizeof texts[0] ==
                       sizeof writer->run_texts / sizeof writer->run_texts[0],
                   "each text has an owner");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CHECK(*texts[i] != NULL);
        writer->run_texts[i] = file_name_join("", *texts[i], "");
        if (!writer->run_texts[i]) return false;
        *texts[i] = writer->run_texts[i];
    }
    return true;
}

int64_t log_writer_begin_run(struct log_writer *writer, const struct log_run *run,
                             struct ddbsim_sink *sink) {
    struct ddbsim_value values[RUN_ROW_VALUES];
    CHECK(run != NULL && sink != NULL);
    CHECK(!writer->in_run && !writer->finished);
    writer->in_run = true;
    writer->run_count++;
    writer->digest = digest_create();
    if (!keep_run(writer, run) || !writer->digest) fail_memory(writer);
    run_row_values(run, "running", 0, values);
    buffer_run_row(writer, DDBSIM_LOG_RUN, values, RUN_ROW_VALUES);
    flush_all(writer);
    commit(writer);
    *sink = (struct ddbsim_sink){.self = writer, .row = take_row};
    return writer->run_count;
}

enum ddbsim_status log_writer_status(const struct log_writer *writer, struct ddbsim_error *error) {
    return report(writer, error);
}

static bool is_end(const char *status) {
    static const char *const ends[] = {"complete", "interrupted", "failed", "observed"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (strcmp(status, ends[i]) == 0) return true;
    return false;
}

static void update_run(struct log_writer *writer, const char *status, double simulated_s,
                       const char *digest) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(writer->database,
                           "UPDATE run SET status = ?1, simulated_s = ?2, digest = ?3"
                           " WHERE run_id = ?4",
                           -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_bind_text(statement, 1, status, -1, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_bind_double(statement, 2, simulated_s) != SQLITE_OK ||
        sqlite3_bind_text(statement, 3, digest, -1, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_bind_int64(statement, 4, writer->run_count) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_DONE)
        fail_sqlite(writer);
    sqlite3_finalize(statement);
}

void log_writer_end_run(struct log_writer *writer, const char *status, double simulated_s,
                        char digest_hex[33]) {
    struct ddbsim_value values[RUN_ROW_VALUES];
    struct hash128 digest = {0, 0};
    CHECK(writer->in_run && is_end(status));
    if (!failed(writer)) {
        run_row_values(&writer->run, status, simulated_s, values);
        (void)digest_row(writer->digest, DDBSIM_LOG_RUN, values, RUN_ROW_VALUES);
        digest = digest_finish(writer->digest);
        if (digest_failed(writer->digest)) fail_memory(writer);
    }
    hash128_hex(digest, digest_hex);
    flush_all(writer);
    begin(writer);
    if (!failed(writer)) update_run(writer, status, simulated_s, digest_hex);
    commit(writer);
    forget_run(writer);
}

/* ---- ending ---- */

enum ddbsim_status log_writer_finish(struct log_writer *writer, struct ddbsim_error *error) {
    CHECK(!writer->in_run && !writer->finished);
    flush_all(writer);
    begin(writer);
    if (!failed(writer)) execute_owned(writer, schema_sql_indexes());
    commit(writer);
    writer->finished = true;
    return report(writer, error);
}

struct sqlite3 *log_writer_database(struct log_writer *writer) {
    CHECK(writer != NULL);
    flush_all(writer); /* what was written must be seen */
    return writer->database;
}

static void sync_directory(struct log_writer *writer) {
    const char *slash = strrchr(writer->path, '/');
    char *name = slash ? strndup(writer->path, (size_t)(slash - writer->path) + 1) : strdup(".");
    int directory = name ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    /* Some file systems cannot sync a directory (EINVAL); then there is nothing to be had. */
    if (directory >= 0 && fsync(directory) != 0 && errno == EIO)
        fail(writer, "cannot sync its directory", strerror(errno));
    if (directory >= 0) close(directory);
    free(name);
}

static void rename_part(struct log_writer *writer) {
    if (writer->force) {
        if (rename(writer->part, writer->path) == 0) return;
    } else {
        if (renameat2(AT_FDCWD, writer->part, AT_FDCWD, writer->path, RENAME_NOREPLACE) == 0)
            return;
        bool unsupported = errno == EINVAL || errno == ENOSYS;
        if (unsupported && access(writer->path, F_OK) != 0 &&
            rename(writer->part, writer->path) == 0)
            return;
    }
    fail(writer, "cannot name the result, which stays in the .part", strerror(errno));
}

enum ddbsim_status log_writer_close(struct log_writer *writer, struct ddbsim_error *error) {
    enum ddbsim_status status = writer->finished ? DDBSIM_OK : log_writer_finish(writer, error);
    flush_all(writer);
    commit(writer);
    if (status != DDBSIM_OK || failed(writer)) {
        status = report(writer, error);
        log_writer_abandon(writer);
        return status;
    }
    CHECK(!writer->in_run && (writer->path != NULL) == (writer->lock >= 0));
    close_database(writer);
    if (writer->path) {
        if (fsync(writer->lock) != 0) fail(writer, "cannot sync the result", strerror(errno));
        if (!failed(writer)) rename_part(writer);
        if (!failed(writer)) sync_directory(writer);
    }
    status = report(writer, error);
    destroy(writer);
    return status;
}

void log_writer_abandon(struct log_writer *writer) {
    if (!writer) return;
    close_database(writer);
    if (writer->part) {
        unlink_journal(writer);
        unlink(writer->part);
    }
    destroy(writer);
}
