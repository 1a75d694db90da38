/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recordings of any format. The first byte chooses the format (0: it is told from the content), the second what else
 * the reader is told; the rest is the file. Rows keep what recording.h promises, and come again after a rewind.
 */
#include "fuzz.h"

#include <base/hash.h>
#include <base/utf8.h>
#include <ddbsim/names.h>
#include <sys/mman.h>
#include <unistd.h>
#include <workloads/replay/recording.h>

#define ROWS_MOST 100000

static const char *const maps[] = {NULL, "time=1,key=2,size=4,operation=6",
                                   "time=at,key=user.id,sort=x,table=t", "time=1,count=2"};

static void check_text(const char *text, uint32_t length, uint32_t most) {
    FUZZ_PROMISE(text != NULL || length == 0);
    if (!text) return;
    FUZZ_PROMISE(length <= most && strlen(text) == length && utf8_is_valid(text, length));
}

static uint64_t check_row(const struct recorded *row, int64_t last_ns) {
    FUZZ_PROMISE(row->t_ns >= last_ns && row->period_ns >= 0);
    FUZZ_PROMISE(row->count >= 0 && row->count <= (double)RECORDING_COUNT_MAX);
    FUZZ_PROMISE(row->operation >= RECORDING_UNKNOWN && row->operation < DDBSIM_OPERATION_KINDS);
    FUZZ_PROMISE(row->item_bytes >= RECORDING_UNKNOWN && row->item_bytes <= DDBSIM_ITEM_BYTES_MAX);
    check_text(row->key, row->key_bytes, RECORDING_KEY_MAX);
    check_text(row->sort, row->sort_bytes, RECORDING_SORT_MAX);
    return hash_mix((uint64_t)row->t_ns, row->line, row->key_bytes);
}

/* A hash of all rows; the status of the end. */
static enum ddbsim_status read_all(struct recording *recording, uint64_t *hash,
                                   struct ddbsim_error *error) {
    struct recorded row;
    int64_t last_ns = 0;
    bool more = true;
    *hash = 0;
    for (int i = 0; i < ROWS_MOST; i++) {
        enum ddbsim_status status = recording_next(recording, &row, &more, error);
        if (status || !more) return status;
        *hash = hash_mix(*hash, check_row(&row, last_ns), 0);
        last_ns = row.t_ns;
    }
    return DDBSIM_OK;
}

static void read_twice(struct recording *recording) {
    struct ddbsim_error error = {0}, again = {0};
    uint64_t first, second;
    enum ddbsim_status status = read_all(recording, &first, &error);
    fuzz_refused(status, &error);
    uint64_t skipped = recording_facts(recording)->skipped;
    FUZZ_PROMISE(recording_rewind(recording, &again) == DDBSIM_OK);
    FUZZ_PROMISE(read_all(recording, &second, &again) == status && first == second);
    FUZZ_PROMISE(recording_facts(recording)->skipped == skipped && error.line == again.line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ddbsim_error error = {0};
    struct recording *recording;
    char path[64];
    if (size < 2) return 0;
    size_t count = 0;
    const char *what;
    while (recording_format_name(count, &what))
        count++;
    size_t choice = data[0] % (count + 1);
    struct recording_options options = {
        .file = path,
        .format = choice ? recording_format_name(choice - 1, &what) : NULL,
        .columns = maps[data[1] % 4],
        .skip_bad_rows = data[1] / 4 % 2 == 1,
    };
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_PROMISE(descriptor >= 0);
    FUZZ_PROMISE(write(descriptor, data + 2, size - 2) == (ssize_t)(size - 2));
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    enum ddbsim_status status = recording_create(&options, &recording, &error);
    fuzz_refused(status, &error);
    if (status == DDBSIM_OK) read_twice(recording);
    recording_destroy(recording);
    close(descriptor);
    return 0;
}
