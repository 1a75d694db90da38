/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Out of memory at the n-th allocation, for every n, of load, run, explanation and chart of a tiny
 * scenario, and for a sample of n of a long one. The allocations are those of every library. Each
 * time either the phase fails, saying so, or it could do without and its result is the faultless one.
 */
#include "phases.h"
#include "short_memory.h"

#define LARGE_SAMPLES 6

struct sweep {
    const char *name;
    phase_fn *run;
    const char *chart, *ending; /* of a plot */
    uint64_t step;              /* every n, or one of so many */
};

static void settle(struct phases *phases, const struct sweep *sweep, enum ddbsim_status status) {
    if (sweep->run == phase_run) phases_check_files(phases, status);
    if (sweep->run == phase_plot) phases_hash_chart(phases, status);
}

/* True while there was an allocation left to fail. */
static bool fails_at(struct phases *phases, const struct sweep *sweep, uint64_t n, bool on,
                     uint64_t faultless, uint64_t *survived) {
    struct ddbsim_error error = {0};
    short_memory_start(n, on);
    enum ddbsim_status status = sweep->run(phases, &error);
    (void)short_memory_stop();
    bool refused = short_memory_refused() > 0;
    settle(phases, sweep, status);
    if (status == DDBSIM_OK) {
        *survived += refused;
        if (phases->hash != faultless) fail_msg("%s, n %ju: survives, wrongly", sweep->name, n);
    } else if (status != DDBSIM_ENVIRONMENT || !strstr(error.message, "out of memory") ||
               error.status != status || !refused) {
        fail_msg("%s, n %ju: status %d: %s", sweep->name, n, (int)status, error.message);
    }
    return refused;
}

static uint64_t without_fault(struct phases *phases, const struct sweep *sweep, uint64_t *count) {
    struct ddbsim_error error = {0};
    phases->chart = sweep->chart;
    phases->ending = sweep->ending;
    for (int i = 0; i < 2; i++) { /* the first time may fill what the libraries keep */
        short_memory_start(0, false);
        enum ddbsim_status status = sweep->run(phases, &error);
        *count = short_memory_stop();
        if (status != DDBSIM_OK) fail_msg("%s: %s", sweep->name, error.message);
        settle(phases, sweep, status);
    }
    return phases->hash;
}

static void sweep(struct phases *phases, const struct sweep *sweep) {
    uint64_t count, survived = 0, tried = 0;
    uint64_t faultless = without_fault(phases, sweep, &count);
    for (int on = 0; on < 2; on++)
        for (uint64_t n = 1; fails_at(phases, sweep, n, on, faultless, &survived); tried++)
            n += on ? 7 * sweep->step : sweep->step;
    print_message("%s: %ju allocations, %ju failed in turn, %ju of them to no effect\n",
                  sweep->name, count, tried, survived);
    assert_true(tried > 0);
}

static void tiny(void **state) {
    struct phases phases;
    (void)state;
    static const struct sweep sweeps[] = {
        {"load", phase_load, NULL, NULL, 1},
        {"run", phase_run, NULL, NULL, FAULTS_STEP},
        {"summary", phase_summary, NULL, NULL, 3 * FAULTS_STEP},
        {"explain", phase_explain, NULL, NULL, 3 * FAULTS_STEP},
        {"plot heat.svg", phase_plot, "heat", "svg", 3 * FAULTS_STEP},
        {"plot heat.png", phase_plot, "heat", "png", 71 * FAULTS_STEP},
        {"plot capacity.pdf", phase_plot, "capacity", "pdf", 11 * FAULTS_STEP},
        {"plot tokens.svg", phase_plot, "tokens", "svg", 11 * FAULTS_STEP},
    };
    phases_setup(&phases, small_scenario, sizeof small_scenario - 1);
    for (size_t i = 0; i < sizeof sweeps / sizeof sweeps[0]; i++)
        sweep(&phases, &sweeps[i]);
    phases_teardown(&phases);
}

/* A gallery scenario: pools, buffers and the digest grow in the middle of the run. */
static void large(void **state) {
    struct phases phases;
    struct ddbsim_error error = {0};
    char *text = phases_read(SOURCE_ROOT "/scenarios/friday-1820.yaml");
    (void)state;
    phases_setup(&phases, text, strlen(text));
    short_memory_start(0, false);
    assert_int_equal(phase_run(&phases, &error), DDBSIM_OK);
    uint64_t count = short_memory_stop();
    phases_check_files(&phases, DDBSIM_OK);
    sweep(&phases, &(struct sweep){"large run", phase_run, NULL, NULL, count / LARGE_SAMPLES + 1});
    phases_teardown(&phases);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiny), cmocka_unit_test(large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
