/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opening a result database for reading. What can be told from the file alone is told before SQLite
 * sees it: its first bytes say whose it is and how long it must be (record/file.h).
 * Invariants: nothing is written, not even a journal played back; a database that is handed out
 * holds no unfinished run, has tables where tables belong, and can keep no reader busy for ever.
 */
#include <ddbsim/log.h>

#include <base/check.h>
#include <base/error.h>
#include <errno.h>
#include <fcntl.h>
#include <record/file.h>
#include <record/guard.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum ddbsim_status refuse(struct ddbsim_error *error, const char *why, const char *hint) {
    enum ddbsim_status status = error_set(error, DDBSIM_INPUT, "%s", why);
    if (hint) error_hint(error, "%s", hint);
    return status;
}

static enum ddbsim_status unreadable(struct ddbsim_error *error) {
    return error_set(error, DDBSIM_ENVIRONMENT, "cannot read it: %s", strerror(errno));
}

/* A regular file, opened; -1 otherwise. To open a pipe, and to close it again, would take its writer's
 * reader away; the flag is for a file that becomes a pipe in between. */
static int open_regular(const char *path, struct stat *about) {
    CHECK(path != NULL && about != NULL);
    if (stat(path, about) != 0 || !S_ISREG(about->st_mode)) return -1;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 && fstat(file, about) == 0 && S_ISREG(about->st_mode)) return file;
    if (file >= 0) close(file);
    return -1;
}

static enum ddbsim_status check_name(const char *path, struct ddbsim_error *error) {
    struct stat about;
    if (stat(path, &about) != 0) {
        bool absent = errno == ENOENT || errno == ENOTDIR;
        return absent ? refuse(error, "there is no such file", NULL) : unreadable(error);
    }
    if (S_ISDIR(about.st_mode)) return refuse(error, "it is a directory", NULL);
    if (!S_ISREG(about.st_mode)) return refuse(error, "it is no file", NULL);
    if (file_name_is_part(path))
        return refuse(error, "a .part is what an unfinished run left", "run it again");
    return DDBSIM_OK;
}

static enum ddbsim_status judge_header(const struct file_header *header,
                                       struct ddbsim_error *error) {
    CHECK(header->size_bytes >= 0 && header->needed_bytes >= 0);
    if (header->size_bytes == 0) return refuse(error, "it is empty", NULL);
    if (!header->is_sqlite) return refuse(error, "it is not an SQLite database", NULL);
    if (header->size_bytes < header->needed_bytes)
        return refuse(error, "it is truncated: its end is missing", NULL);
    if (header->application_id != DDBSIM_LOG_APPLICATION_ID)
        return refuse(error, "it is another program's database", NULL);
    if (header->user_version > DDBSIM_LOG_VERSION) {
        error_set(error, DDBSIM_INPUT, "it has version %u, newer than this program's %d",
                  (unsigned)header->user_version, DDBSIM_LOG_VERSION);
        error_hint(error, "update ddbsim");
        return DDBSIM_INPUT;
    }
    if (header->user_version == 0) return refuse(error, "it has no version", NULL);
    if (header->is_wal) /* SQLite would write beside it, and half of it may stand there already */
        return refuse(error, "somebody gave it a write-ahead log",
                      "take it away with: sqlite3 FILE 'PRAGMA journal_mode = DELETE'");
    return DDBSIM_OK;
}

static enum ddbsim_status check_header(const char *path, struct file_header *header,
                                       struct ddbsim_error *error) {
    struct stat about;
    int file = open_regular(path, &about);
    if (file < 0) return unreadable(error);
    bool read = file_header_read(file, header);
    enum ddbsim_status status = read ? judge_header(header, error) : unreadable(error);
    close(file);
    return status;
}

/* A journal beside the file means that a writer died in a transaction: half of it is in the file.
 */
static enum ddbsim_status check_journal(const char *path, struct ddbsim_error *error) {
    struct stat about;
    unsigned char first = 0;
    char *journal = file_name_join("", path, "-journal");
    if (!journal) return error_memory(error);
    int file = open_regular(journal, &about);
    bool hot = file >= 0 && pread(file, &first, 1, 0) == 1 && first != 0;
    if (file >= 0) close(file);
    free(journal);
    return hot ? refuse(error, "a transaction in it was left unfinished",
                        "its -journal is beside it")
               : DDBSIM_OK;
}

static enum ddbsim_status open_checked(const char *path, int64_t file_bytes, sqlite3 **out,
                                       struct ddbsim_error *error) {
    char *name = file_name_for_sqlite(path);
    if (!name) return error_memory(error);
    int code = sqlite3_open_v2(name, out, SQLITE_OPEN_READONLY, NULL);
    free(name);
    if (!*out) return error_memory(error);
    /* The file is somebody's: its schema may run nothing but SQLite's own harmless functions. */
    if (code != SQLITE_OK ||
        sqlite3_exec(*out, "PRAGMA trusted_schema = OFF", NULL, NULL, NULL) != SQLITE_OK)
        return guard_failure(*out, error);
    enum ddbsim_status status = guard_create(*out, file_bytes, error);
    return status == DDBSIM_OK ? guard_check(*out, error) : status;
}

enum ddbsim_status ddbsim_log_open(const char *path, struct sqlite3 **out,
                                   struct ddbsim_error *error) {
    CHECK(path != NULL && out != NULL);
    struct file_header header = {0};
    *out = NULL;
    enum ddbsim_status status = check_name(path, error);
    if (status == DDBSIM_OK) status = check_header(path, &header, error);
    if (status == DDBSIM_OK) status = check_journal(path, error);
    if (status == DDBSIM_OK) status = open_checked(path, header.size_bytes, out, error);
    CHECK((status == DDBSIM_OK) <= (*out != NULL));
    if (status == DDBSIM_OK) return DDBSIM_OK;
    sqlite3_close(*out);
    *out = NULL;
    error_place(error, path, 0, 0);
    return status;
}

void ddbsim_log_close(struct sqlite3 *database) {
    int code = sqlite3_close(database);
    CHECK(code == SQLITE_OK); /* a statement was left open */
}

int ddbsim_log_is_database(const char *path) {
    struct file_header header;
    struct stat about;
    int file = open_regular(path, &about);
    if (file < 0) return 0;
    bool is_sqlite = file_header_read(file, &header) && header.is_sqlite;
    close(file);
    return is_sqlite;
}
