/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Out of memory at the n-th allocation, for every n, of reading each sample of a recording, its archive with it. Each
 * time either the reading fails, saying so, or it gives the rows that it gives without a fault.
 */
#include "short_memory.h"

#include <base/error.h>
#include <base/hash.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <support/cmocka.h>
#include <workloads/replay/recording.h>

struct sample {
    const char *file, *format, *columns;
    bool
        is_jansson; /* which drops a byte that finds no room and goes on: only a lasting want of memory is told */
};

/* All rows, twice; a hash of them. */
static enum ddbsim_status read_sample(const struct sample *sample, uint64_t *hash,
                                      struct ddbsim_error *error) {
    char path[512];
    struct recording *recording;
    struct recorded row;
    snprintf(path, sizeof path, SOURCE_ROOT "/workloads/samples/%s", sample->file);
    const struct recording_options options = {
        .file = path, .format = sample->format, .columns = sample->columns};
    enum ddbsim_status status = recording_create(&options, &recording, error);
    *hash = 0;
    for (int pass = 0; pass < 2 && !status; pass++) {
        bool more = true;
        if (pass == 1) status = recording_rewind(recording, error);
        while (!status && more) {
            status = recording_next(recording, &row, &more, error);
            if (status || !more) break;
            *hash = hash_mix(*hash, (uint64_t)row.t_ns, row.line);
            if (row.key) *hash = hash_mix(*hash, hash64(row.key, row.key_bytes), 0);
        }
    }
    recording_destroy(recording);
    return status;
}

static void sweep(const struct sample *sample) {
    struct ddbsim_error error = {0};
    uint64_t faultless, hash, tried = 0, survived = 0;
    assert_int_equal(read_sample(sample, &faultless, &error), DDBSIM_OK);
    for (int on = sample->is_jansson; on < 2; on++) {
        for (uint64_t n = 1;; n++, tried++) {
            error = (struct ddbsim_error){0};
            short_memory_start(n, on == 1);
            enum ddbsim_status status = read_sample(sample, &hash, &error);
            (void)short_memory_stop();
            if (short_memory_refused() == 0) break;
            if (status == DDBSIM_OK) {
                survived++;
                if (hash != faultless) fail_msg("%s, n %ju: survives, wrongly", sample->file, n);
            } else if (status != DDBSIM_ENVIRONMENT || !strstr(error.message, "out of memory")) {
                fail_msg("%s, n %ju: status %d: %s", sample->file, n, (int)status, error.message);
            }
        }
    }
    print_message("%s: %ju allocations failed in turn, %ju to no effect\n", sample->file, tried,
                  survived);
    assert_true(tried > 0);
}

static void samples(void **state) {
    (void)state;
    static const struct sample all[] = {
        {"loans.csv", "csv", NULL, false},
        {"loans.csv", "csv", "time=1,key=2,size=5", false},
        {"turnstiles.jsonl", "jsonl", NULL, true},
        {"turnstiles.jsonl", "jsonl", "time=time,key=pk.S", true},
        {"twitter.csv.zst", "auto", NULL, false},
        {"cachelib.csv.gz", "auto", NULL, false},
        {"objects.oracleGeneral", "oracle-general", NULL, false},
        {"k6.csv", "k6", NULL, false},
        {"jmeter.jtl", "jmeter", NULL, false},
        {"locust_stats_history.csv", "locust", NULL, false},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        sweep(&all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
