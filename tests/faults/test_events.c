/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Out of memory at the n-th allocation of reading AWS's event documents and a file of popularity. Each time either it
 * fails, saying so, or what came out is the faultless result.
 */
#include "short_memory.h"

#include <base/hash.h>
#include <base/arena.h>
#include <base/error.h>
#include <stdlib.h>
#include <string.h>
#include <support/cmocka.h>
#include <workloads/replay/recording.h>
#include <workloads/replay/weights.h>

#define SAMPLES SOURCE_ROOT "/workloads/samples/"

typedef enum ddbsim_status read_fn(const char *path, uint64_t *hash, struct ddbsim_error *error);

static enum ddbsim_status read_rows(struct recording *recording, uint64_t *hash,
                                    struct ddbsim_error *error) {
    struct recorded row;
    bool more = true;
    for (;;) {
        enum ddbsim_status status = recording_next(recording, &row, &more, error);
        if (status || !more) return status;
        uint64_t key = row.key ? hash64(row.key, row.key_bytes) : 0;
        *hash = hash_mix(*hash, (uint64_t)row.t_ns ^ (uint64_t)row.item_bytes, key);
    }
}

static enum ddbsim_status read_recording(const char *path, uint64_t *hash,
                                         struct ddbsim_error *error) {
    struct recording_options options = {.file = path};
    struct recording *recording;
    enum ddbsim_status status = recording_create(&options, &recording, error);
    if (!status) status = read_rows(recording, hash, error);
    recording_destroy(recording);
    return status;
}

static enum ddbsim_status read_weights(const char *path, uint64_t *hash,
                                       struct ddbsim_error *error) {
    struct arena *arena = arena_create(0);
    struct weights weights = {0};
    enum ddbsim_status status =
        arena ? weights_read(path, arena, &weights, error) : error_memory(error);
    for (uint32_t i = 0; i < weights.count; i++)
        *hash = hash_mix(*hash, hash64(weights.words[i], strlen(weights.words[i])), i);
    for (uint32_t i = 0; i < weights.report.top_count; i++)
        *hash = hash_mix(*hash, (uint64_t)weights.report.top[i].share, i);
    arena_destroy(arena);
    return status;
}

/* jansson drops a byte that finds no room and goes on, so that memory stays short from the n-th allocation on. */
static void every_allocation(read_fn *read, const char *path, uint64_t step) {
    struct ddbsim_error error = {0};
    uint64_t faultless = 0, tried = 0;
    assert_int_equal(read(path, &faultless, &error), DDBSIM_OK);
    for (uint64_t n = 1;; n += step, tried++) {
        uint64_t hash = 0;
        error = (struct ddbsim_error){0};
        short_memory_start(n, true);
        enum ddbsim_status status = read(path, &hash, &error);
        (void)short_memory_stop();
        if (short_memory_refused() == 0) break;
        if (status == DDBSIM_OK && hash == faultless) continue;
        if (status != DDBSIM_ENVIRONMENT || !strstr(error.message, "out of memory"))
            fail_msg("%s, n %ju: status %d: %s", path, n, (int)status, error.message);
    }
    assert_true(tried > 1);
}

static void recordings(void **state) {
    (void)state;
    static const char *const files[] = {SAMPLES "cloudtrail.json", SAMPLES "streams-kinesis.jsonl",
                                        SAMPLES "s3-export-incremental.jsonl", SAMPLES "xray.json",
                                        SAMPLES "otel.jsonl"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        every_allocation(read_recording, files[i], FAULTS_STEP);
}

static void popularity(void **state) {
    (void)state;
    every_allocation(read_weights, SAMPLES "insights.json", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(recordings), cmocka_unit_test(popularity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
