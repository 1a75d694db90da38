/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opening a result database, and everything that reads it, on a damaged file: bytes of pages
 * overwritten, the end cut off. Rows that are wrong but whole are fuzz_database.c's.
 */
/* libFuzzer: -detect_leaks=0 -max_len=256 -len_control=0 */
#include "database.h"

#define EDITS_MOST 16
#define RUN_BYTES 16

static struct {
    unsigned char *bytes, *damaged;
    size_t size;
} base;

static void free_base(void) {
    sqlite3_free(base.bytes);
    free(base.damaged);
}

static void prepare(void) {
    base.bytes = base_bytes(&base.size);
    base.damaged = malloc(base.size);
    FUZZ_PROMISE(base.damaged != NULL);
    atexit(free_base);
    make_scratch();
}

/* Where an edit goes: into a page by its number, mostly near its head, where its structure stands. */
static size_t take_place(struct input *input) {
    size_t page = (size_t)take(input) * 1024, at = take(input);
    if (at >= 128) at = at * 8 + take(input) % 8;
    return (page + at) % base.size;
}

static size_t damage(struct input *input) {
    size_t size = base.size;
    memcpy(base.damaged, base.bytes, size);
    for (int i = 0; i < EDITS_MOST && input->left > 2; i++) {
        size_t at = take_place(input), count = take(input) % RUN_BYTES + 1;
        for (size_t k = 0; k < count; k++)
            base.damaged[(at + k) % size] = (unsigned char)take(input);
    }
    if (input->left == 2) size = (size_t)take_wide(input, 2) * 16 % (size + 1);
    return size;
}

static void write_file(size_t size) {
    FILE *file = fopen(scratch_file("fuzzed.db"), "wb");
    FUZZ_PROMISE(file && fwrite(base.damaged, 1, size, file) == size && fclose(file) == 0);
}

static void read_file(unsigned choice) {
    struct ddbsim_error error = {0};
    sqlite3 *database = NULL;
    int64_t run_id;
    unsigned readers = reader_count();
    enum ddbsim_status status = ddbsim_log_open(scratch_file("fuzzed.db"), &database, &error);
    if (status == DDBSIM_OK) status = plots_find_run(database, NULL, &run_id, &error);
    fuzz_refused(status, &error);
    if (status == DDBSIM_OK)
        read_run(database, run_id, choice % readers, choice / readers % 2 == 1);
    ddbsim_log_close(database);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {.at = data, .left = size};
    if (!base.bytes) prepare();
    unsigned choice = take(&input);
    write_file(damage(&input));
    read_file(choice);
    return 0;
}
