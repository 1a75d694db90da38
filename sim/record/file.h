/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What writer and reader both know of an SQLite file's first bytes and of its neighbours' names. */
#ifndef RECORD_FILE_H
#define RECORD_FILE_H

#include <base/types.h>

struct file_header {
    bool is_sqlite, is_wal; /* is_wal: its journal is a write-ahead log */
    uint32_t application_id, user_version;
    int64_t size_bytes;   /* of the file */
    int64_t needed_bytes; /* pages that the header counts x their size; 0 where it does not count */
};

/* Reads an open file's header. False with errno set when it cannot be read. */
bool file_header_read(int file, struct file_header *header);
/* prefix path suffix, to be freed; NULL when memory is short. */
char *file_name_join(const char *prefix, const char *path, const char *suffix);
/* The same file by a name that SQLite does not take for something special (":memory:", "file:"). */
char *file_name_for_sqlite(const char *path);
bool file_name_is_part(const char *path);

#endif
