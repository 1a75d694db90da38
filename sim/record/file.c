/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The first 100 bytes of an SQLite file (sqlite.org/fileformat2.html, 1.3). The page count at
 * offset 28 holds only where the change counter at 24 equals the one at 92 that was current when it
 * was written.
 */
#include <record/file.h>

#include <base/check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_BYTES 100

static const char magic[16] = "SQLite format 3";

static uint32_t high_first(const unsigned char *bytes, int count) {
    uint32_t number = 0;
    CHECK(count >= 1 && count <= 4);
    for (int i = 0; i < count; i++)
        number = number << 8 | bytes[i];
    return number;
}

static void parse(const unsigned char *bytes, struct file_header *header) {
    int64_t page_bytes = high_first(bytes + 16, 2);
    if (page_bytes == 1) page_bytes = 65536;
    bool counts = high_first(bytes + 24, 4) == high_first(bytes + 92, 4);
    header->is_sqlite = true;
    header->is_wal = bytes[18] > 1 || bytes[19] > 1;
    header->needed_bytes = counts ? page_bytes * high_first(bytes + 28, 4) : 0;
    header->user_version = high_first(bytes + 60, 4);
    header->application_id = high_first(bytes + 68, 4);
}

bool file_header_read(int file, struct file_header *header) {
    unsigned char bytes[HEADER_BYTES];
    struct stat about;
    CHECK(file >= 0 && header != NULL);
    memset(header, 0, sizeof *header);
    if (fstat(file, &about) != 0) return false;
    header->size_bytes = about.st_size;
    ssize_t got;
    do
        got = pread(file, bytes, sizeof bytes, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0) return false;
    if (got >= (ssize_t)sizeof magic && memcmp(bytes, magic, sizeof magic) == 0) {
        header->is_sqlite = true;
        header->needed_bytes = HEADER_BYTES;
        if (got == HEADER_BYTES) parse(bytes, header);
    }
    return true;
}

char *file_name_join(const char *prefix, const char *path, const char *suffix) {
    CHECK(prefix != NULL && path != NULL && suffix != NULL);
    size_t prefix_length = strlen(prefix), length = strlen(path), suffix_length = strlen(suffix);
    char *name = malloc(prefix_length + length + suffix_length + 1);
    if (!name) return NULL;
    memcpy(name, prefix, prefix_length);
    memcpy(name + prefix_length, path, length);
    memcpy(name + prefix_length + length, suffix, suffix_length + 1);
    return name;
}

char *file_name_for_sqlite(const char *path) {
    CHECK(path[0] != '\0');
    return file_name_join(path[0] == '/' ? "" : "./", path, "");
}

bool file_name_is_part(const char *path) {
    CHECK(path != NULL);
    size_t length = strlen(path);
    return length >= 5 && strcmp(path + length - 5, ".part") == 0;
}
