/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two runs in two threads of one process, from one scenario with two seeds, give the digests that each
 * gives alone: there are no globals. A thread sanitizer sees what the digests may miss.
 */
#include <ddbsim/ddbsim.h>
#include <pthread.h>
#include <record/digest.h>
#include <record/writer.h>
#include <string.h>
#include <study/study.h>
#include <support/cmocka.h>
#include <support/small_scenario.h>

#define THREADS 2
#define RUNS 4 /* one after the other in each thread, so that the threads surely meet */

struct work {
    const struct ddbsim_scenario *scenario;
    uint64_t seed;
    enum ddbsim_status status;
    char digests[RUNS][33];
};

static struct ddbsim_scenario *load(void) {
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_error error = {0};
    enum ddbsim_status status = ddbsim_scenario_parse(small_scenario, sizeof small_scenario - 1,
                                                      "small.yaml", NULL, &scenario, &error);
    return status == DDBSIM_OK ? scenario : NULL;
}

/* A run with a database in memory: workloads, model, clients, writer, digest and judge. */
static enum ddbsim_status run(const struct ddbsim_scenario *scenario, uint64_t seed,
                              char digest[33]) {
    struct log_writer *writer;
    struct study_run_result result;
    struct ddbsim_error error = {0};
    const struct study_run_options options = {.seed = seed};
    enum ddbsim_status status = log_writer_create(NULL, false, &writer, &error);
    if (status != DDBSIM_OK) return status;
    status = study_run(scenario, &options, writer, &result, &error);
    if (status == DDBSIM_OK) status = log_writer_finish(writer, &error);
    memcpy(digest, result.digest, sizeof result.digest);
    log_writer_abandon(writer);
    return status;
}

static void *run_all(void *self) {
    struct work *work = self;
    for (int i = 0; i < RUNS && work->status == DDBSIM_OK; i++) {
        struct ddbsim_scenario *own = i % 2 ? load() : NULL; /* the loader has no globals either */
        work->status = run(own ? own : work->scenario, work->seed, work->digests[i]);
        ddbsim_scenario_destroy(own);
    }
    return NULL;
}

static void two_threads(void **state) {
    pthread_t threads[THREADS];
    struct work work[THREADS];
    char alone[THREADS][33];
    struct ddbsim_scenario *scenario = load();
    (void)state;
    assert_non_null(scenario);
    for (int i = 0; i < THREADS; i++) {
        work[i] = (struct work){.scenario = scenario, .seed = 11 + (uint64_t)i};
        assert_int_equal(run(scenario, work[i].seed, alone[i]), DDBSIM_OK);
    }
    assert_string_not_equal(alone[0], alone[1]);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_all, &work[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(work[i].status, DDBSIM_OK);
        for (int r = 0; r < RUNS; r++)
            assert_string_equal(work[i].digests[r], alone[i]);
    }
    ddbsim_scenario_destroy(scenario);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
