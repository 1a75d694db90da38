/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The writer of result databases. Rows wait in one buffer a table until all of them together reach
 * ROWS_HELD_BYTES or somebody must see them, and then go to SQLite in the order of their keys, by the
 * fifty: a tree that only grows at its end is built with a third of the work. Rows of a series come in that
 * order already (digest.h), so it is series that are sorted.
 *
 * Invariants: the file under its final name is always whole; while it grows it is FILE.part, locked by flock
 * so that a second writer keeps off; the first commit holds the run as `running`; after the first failure
 * nothing more is written and that failure is what every later call reports. Durability: SQLite's own syncs
 * are off, for a .part is refused anyway; one fsync before the rename and one of the directory after it make
 * the named file as durable as it gets.
 */
#include <record/writer.h>

#include <base/check.h>
#include <base/error.h>
#include <base/vector.h>
#include <errno.h>
#include <fcntl.h>
#include <record/digest.h>
#include <record/file.h>
#include <record/schema.h>
#include <record/schema_sql.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROWS_A_STATEMENT 50
#define ROWS_HELD_BYTES ((size_t)32 << 20)
#define ROWS_A_TRANSACTION 400000
#define NO_ROW UINT32_MAX

/* A value as it waits: its column says of which type it is, unless it is NULL. */
union cell {
    int64_t integer;
    double real;
    size_t text; /* where it stands among the buffer's texts */
};

struct row {
    uint32_t nulls; /* bit by column */
    uint32_t next;  /* row of its series; NO_ROW: none */
};

/* Rows of one table on their way to SQLite. */
struct row_buffer {
    union cell *cells;
    struct row *rows;
    size_t cell_capacity, row_capacity, row_count;
    char *text;
    size_t text_length, text_capacity;
    uint32_t *series; /* those that have rows here, by the digest's number */
    size_t series_count, series_capacity;
    sqlite3_stmt *many, *one;
};

/* First and last row of a series in its table's buffer. */
struct chain {
    uint32_t first, last;
    bool used;
};
_Static_assert(SCHEMA_COLUMNS_MAX <= 32, "a row's NULLs have a bit a column");

struct log_writer {
    char *path, *part; /* NULL for a database in memory */
    bool force;
    int lock; /* the .part, opened for its lock and its fsync; -1: none */
    sqlite3 *database;
    struct row_buffer buffers[DDBSIM_LOG_TABLE_KINDS];
    struct chain *chains; /* by the digest's series */
    size_t chain_capacity;
    size_t held_bytes; /* of all buffers */
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

/* The buffer keeps a text until the statement has run. */
static int bind_cell(sqlite3_stmt *statement, int at, enum ddbsim_value_type type,
                     const union cell *cell, const char *text) {
    CHECK(statement != NULL && at > 0);
    switch (type) {
    case DDBSIM_VALUE_NULL:
        return sqlite3_bind_null(statement, at);
    case DDBSIM_VALUE_INTEGER:
        return sqlite3_bind_int64(statement, at, cell->integer);
    case DDBSIM_VALUE_REAL:
        return sqlite3_bind_double(statement, at, cell->real);
    case DDBSIM_VALUE_TEXT:
        return sqlite3_bind_text(statement, at, text + cell->text, -1, SQLITE_STATIC);
    }
    CHECK(false);
    return SQLITE_MISUSE;
}

/* Binds one row from parameter `at` on. */
static bool bind_row(const struct row_buffer *buffer, const struct schema_table *table,
                     sqlite3_stmt *statement, int at, uint32_t row) {
    const union cell *cells = &buffer->cells[row * table->column_count];
    uint32_t nulls = buffer->rows[row].nulls;
    for (size_t i = 0; i < table->column_count; i++) {
        bool is_null = nulls >> i & 1u;
        if (bind_cell(statement, at + (int)i, is_null ? DDBSIM_VALUE_NULL : table->columns[i].type,
                      &cells[i], buffer->text) != SQLITE_OK)
            return false;
    }
    return true;
}

/* Inserts rows with a statement made for as many. */
static void insert(struct log_writer *writer, enum ddbsim_log_table table, sqlite3_stmt *statement,
                   const uint32_t *rows, size_t count) {
    const struct schema_table *described = schema_table(table);
    size_t width = described->column_count;
    CHECK(sqlite3_bind_parameter_count(statement) == (int)(count * width));
    for (size_t i = 0; i < count; i++) {
        CHECK(rows[i] < writer->buffers[table].row_count);
        if (bind_row(&writer->buffers[table], described, statement, (int)(i * width) + 1, rows[i]))
            continue;
        fail_sqlite(writer);
        return;
    }
    if (sqlite3_step(statement) != SQLITE_DONE) fail_sqlite(writer);
    sqlite3_reset(statement);
    writer->uncommitted_rows += count;
}

/* ---- the order of rows ---- */

struct ordering {
    const struct log_writer *writer;
    const struct row_buffer *buffer;
    enum ddbsim_log_table table;
    const struct schema_table *described;
    int keys[SCHEMA_KEYS_MAX];
    size_t key_count;
};

static int cell_order(const struct ordering *by, int column, const union cell *a,
                      const union cell *b) {
    if (by->described->columns[column].type == DDBSIM_VALUE_TEXT)
        return strcmp(by->buffer->text + a->text, by->buffer->text + b->text);
    CHECK(by->described->columns[column].type == DDBSIM_VALUE_INTEGER);
    return (a->integer > b->integer) - (a->integer < b->integer);
}

/* Series by the keys of their first rows: all but the last column, which orders the rows of one. */
static int by_key(const void *left, const void *right, void *context) {
    const struct ordering *by = context;
    size_t width = by->described->column_count;
    const struct chain *chains = by->writer->chains;
    const union cell *a = &by->buffer->cells[chains[*(const uint32_t *)left].first * width];
    const union cell *b = &by->buffer->cells[chains[*(const uint32_t *)right].first * width];
    for (size_t i = 0; i + 1 < by->key_count; i++) {
        int order = cell_order(by, by->keys[i], &a[by->keys[i]], &b[by->keys[i]]);
        if (order != 0) return order;
    }
    return 0;
}

/* Hands rows on one by one, and sends them when there are enough for a statement. */
struct batch {
    struct log_writer *writer;
    enum ddbsim_log_table table;
    uint32_t rows[ROWS_A_STATEMENT];
    size_t count;
};

static void batch_send(struct batch *batch, const uint32_t *rows, size_t count) {
    struct row_buffer *buffer = &batch->writer->buffers[batch->table];
    sqlite3_stmt **statement = count == 1 ? &buffer->one : &buffer->many;
    if (failed(batch->writer)) return;
    if (!*statement) *statement = prepare(batch->writer, batch->table, count);
    if (*statement) insert(batch->writer, batch->table, *statement, rows, count);
}

static void batch_add(struct batch *batch, uint32_t row) {
    batch->rows[batch->count++] = row;
    if (batch->count < ROWS_A_STATEMENT) return;
    batch_send(batch, batch->rows, batch->count);
    batch->count = 0;
}

static void batch_end(struct batch *batch) {
    for (size_t i = 0; i < batch->count; i++)
        batch_send(batch, &batch->rows[i], 1);
    batch->count = 0;
}

static void insert_series(struct batch *batch) {
    struct log_writer *writer = batch->writer;
    struct row_buffer *buffer = &writer->buffers[batch->table];
    struct ordering by = {.writer = writer,
                          .buffer = buffer,
                          .table = batch->table,
                          .described = schema_table(batch->table)};
    by.key_count = schema_keys(batch->table, by.keys);
    if (buffer->series_count > 1)
        qsort_r(buffer->series, buffer->series_count, sizeof *buffer->series, by_key, &by);
    for (size_t s = 0; s < buffer->series_count; s++) {
        struct chain *chain = &writer->chains[buffer->series[s]];
        for (uint32_t row = chain->first; row != NO_ROW; row = buffer->rows[row].next)
            batch_add(batch, row);
        *chain = (struct chain){0};
    }
    buffer->series_count = 0;
}

static void flush_table(struct log_writer *writer, enum ddbsim_log_table table) {
    struct row_buffer *buffer = &writer->buffers[table];
    struct batch batch = {.writer = writer, .table = table};
    if (buffer->row_count == 0 || failed(writer)) return;
    begin(writer);
    if (buffer->series_count > 0)
        insert_series(&batch);
    else
        for (uint32_t row = 0; row < buffer->row_count; row++)
            batch_add(&batch, row);
    batch_end(&batch);
    buffer->row_count = 0;
    buffer->text_length = 0;
    if (writer->uncommitted_rows >= ROWS_A_TRANSACTION) commit(writer);
}

static void flush_all(struct log_writer *writer) {
    for (int i = 0; i < DDBSIM_LOG_TABLE_KINDS; i++)
        flush_table(writer, (enum ddbsim_log_table)i);
    writer->held_bytes = 0;
}

/* ---- buffering rows ---- */

static bool keep_text(struct row_buffer *buffer, const char *given, union cell *cell) {
    size_t length = strlen(given) + 1;
    void *text = buffer->text;
    if (!vector_reserve_raw(&text, &buffer->text_capacity, buffer->text_length + length, 1))
        return false;
    buffer->text = text;
    memcpy(buffer->text + buffer->text_length, given, length);
    cell->text = buffer->text_length;
    buffer->text_length += length;
    return true;
}

/* A text that stands in the row `like` too, as those of a series' key do, is kept once. */
static bool keep_cell(struct row_buffer *buffer, struct ddbsim_value value, union cell *cell,
                      const union cell *like) {
    switch (value.type) {
    case DDBSIM_VALUE_NULL:
    case DDBSIM_VALUE_INTEGER:
        cell->integer = value.type == DDBSIM_VALUE_NULL ? 0 : value.as.integer;
        return true;
    case DDBSIM_VALUE_REAL:
        cell->real = value.as.real;
        return true;
    case DDBSIM_VALUE_TEXT:
        if (like && strcmp(buffer->text + like->text, value.as.text) == 0) {
            cell->text = like->text;
            return true;
        }
        return keep_text(buffer, value.as.text, cell);
    }
    CHECK(false);
    return false;
}

static bool row_reserve(struct row_buffer *buffer, size_t width) {
    void *cells = buffer->cells, *rows = buffer->rows;
    size_t count = buffer->row_count + 1;
    bool room =
        vector_reserve_raw(&cells, &buffer->cell_capacity, count * width, sizeof *buffer->cells) &&
        vector_reserve_raw(&rows, &buffer->row_capacity, count, sizeof *buffer->rows);
    buffer->cells = cells;
    buffer->rows = rows;
    return room;
}

/* `like`: a row of the same series; NO_ROW where there is none. */
static bool keep_row(struct row_buffer *buffer, const struct schema_table *table,
                     const struct ddbsim_value *values, uint32_t like) {
    size_t width = table->column_count;
    if (!row_reserve(buffer, width)) return false;
    union cell *cells = &buffer->cells[buffer->row_count * width];
    const union cell *alike = like == NO_ROW ? NULL : &buffer->cells[like * width];
    struct row row = {.next = NO_ROW};
    for (size_t i = 0; i < width; i++) {
        struct ddbsim_value value = schema_canonical(values[i]);
        CHECK(schema_takes(&table->columns[i], &value));
        if (value.type == DDBSIM_VALUE_NULL) row.nulls |= 1u << i;
        bool comparable = alike && !(buffer->rows[like].nulls >> i & 1u);
        if (!keep_cell(buffer, value, &cells[i], comparable ? &alike[i] : NULL)) return false;
    }
    buffer->rows[buffer->row_count++] = row;
    return true;
}

static void buffer_row(struct log_writer *writer, enum ddbsim_log_table table,
                       const struct ddbsim_value *values, uint32_t like) {
    struct row_buffer *buffer = &writer->buffers[table];
    const struct schema_table *described = schema_table(table);
    size_t text_before = buffer->text_length;
    if (failed(writer)) return;
    CHECK(buffer->row_count < NO_ROW);
    if (!keep_row(buffer, described, values, like)) fail_memory(writer);
    writer->held_bytes += described->column_count * sizeof *buffer->cells + sizeof *buffer->rows +
                          buffer->text_length - text_before;
}

static void release_if_full(struct log_writer *writer) {
    if (writer->held_bytes >= ROWS_HELD_BYTES) flush_all(writer);
}

/* The chain of the series of the row that the digest has just taken; NULL when memory is short. */
static struct chain *chain_for(struct log_writer *writer, struct row_buffer *buffer) {
    uint32_t series = digest_last_series(writer->digest);
    void *chains = writer->chains, *numbers = buffer->series;
    bool room =
        vector_reserve(&chains, &writer->chain_capacity, series + 1, sizeof *writer->chains) &&
        vector_reserve(&numbers, &buffer->series_capacity, buffer->series_count + 1,
                       sizeof *buffer->series);
    writer->chains = chains;
    buffer->series = numbers;
    if (!room) return NULL;
    struct chain *chain = &writer->chains[series];
    if (!chain->used) {
        *chain = (struct chain){NO_ROW, NO_ROW, true};
        buffer->series[buffer->series_count++] = series;
    }
    return chain;
}

static void chain_append(struct row_buffer *buffer, struct chain *chain) {
    uint32_t row = (uint32_t)buffer->row_count - 1;
    if (chain->first == NO_ROW)
        chain->first = row;
    else
        buffer->rows[chain->last].next = row;
    chain->last = row;
}

void log_writer_row(struct log_writer *writer, enum ddbsim_log_table table,
                    const struct ddbsim_value *values, size_t count) {
    CHECK(count == schema_table(table)->column_count);
    CHECK(!schema_in_digest(
        table)); /* rows of a run go through its sink, or the digest misses them */
    buffer_row(writer, table, values, NO_ROW);
    release_if_full(writer);
}

/* A run's row with its run_id in place. */
static void row_complete(const struct log_writer *writer, enum ddbsim_log_table table,
                         const struct ddbsim_value *values, size_t count,
                         struct ddbsim_value row[SCHEMA_COLUMNS_MAX]) {
    int run_column = schema_run_column(table);
    CHECK(run_column >= 0 && count + 1 == schema_table(table)->column_count);
    size_t before = (size_t)run_column;
    memcpy(row, values, before * sizeof *row);
    row[before] = ddbsim_integer(writer->run_count);
    memcpy(row + before + 1, values + before, (count - before) * sizeof *row);
}

static void take_row(void *self, enum ddbsim_log_table table, const struct ddbsim_value *values,
                     size_t count) {
    struct log_writer *writer = self;
    struct ddbsim_value row[SCHEMA_COLUMNS_MAX];
    CHECK(writer->digest != NULL || failed(writer));
    CHECK(writer->in_run && table != DDBSIM_LOG_RUN);
    if (failed(writer)) return;
    row_complete(writer, table, values, count, row);
    if (!digest_row(writer->digest, table, values, count)) fail_memory(writer);
    struct row_buffer *buffer = &writer->buffers[table];
    struct chain *chain = NULL;
    if (!failed(writer) && digest_includes(writer->digest, table)) {
        chain = chain_for(writer, buffer);
        if (!chain) fail_memory(writer);
    }
    buffer_row(writer, table, row, chain ? chain->last : NO_ROW);
    if (chain && !failed(writer)) chain_append(buffer, chain);
    release_if_full(writer);
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
        free(writer->buffers[i].rows);
        free(writer->buffers[i].text);
        free(writer->buffers[i].series);
    }
    free(writer->chains);
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
    struct ddbsim_value row[SCHEMA_COLUMNS_MAX];
    run_row_values(run, "running", 0, values);
    row_complete(writer, DDBSIM_LOG_RUN, values, RUN_ROW_VALUES, row);
    buffer_row(writer, DDBSIM_LOG_RUN, row, NO_ROW);
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
