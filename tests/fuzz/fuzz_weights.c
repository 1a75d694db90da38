/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of popularity: rows with weights, or a report of Contributor Insights. What is accepted has words that are
 * each there once, and shares that sum to one.
 */
#include "fuzz.h"

#include <base/utf8.h>
#include <ddbsim/scenario.h>
#include <sys/mman.h>
#include <unistd.h>
#include <workloads/replay/weights.h>

static void check_rows(const struct weights *weights) {
    int64_t *shares = malloc(weights->count * sizeof *shares), sum = 0;
    FUZZ_PROMISE(shares != NULL && weights->count > 0 && weights->count <= WEIGHTS_ROWS_MAX);
    weights_share(weights->weights, weights->count, shares);
    for (uint32_t i = 0; i < weights->count; i++) {
        FUZZ_PROMISE(weights->weights[i] > 0 && shares[i] > 0 && *weights->words[i]);
        FUZZ_PROMISE(utf8_is_valid(weights->words[i], strlen(weights->words[i])));
        sum += shares[i];
    }
    FUZZ_PROMISE(sum == DDBSIM_SHARE_ONE);
    free(shares);
}

static void check_report(const struct insights *report) {
    int64_t sum = report->tail_share;
    FUZZ_PROMISE(report->top_count > 0 && report->top_count <= INSIGHTS_TOP_MAX);
    FUZZ_PROMISE(report->unique >= report->top_count && report->tail_share >= 0);
    FUZZ_PROMISE(report->tail_theta >= 0 &&
                 report->tail_theta <= DDBSIM_THETA_MAX * DDBSIM_SHARE_ONE);
    FUZZ_PROMISE((report->unique == report->top_count) == (report->tail_share == 0));
    for (uint32_t i = 0; i < report->top_count; i++) {
        FUZZ_PROMISE(report->top[i].share > 0);
        FUZZ_PROMISE(i == 0 || report->top[i].share <= report->top[i - 1].share);
        sum += report->top[i].share;
    }
    FUZZ_PROMISE(sum == DDBSIM_SHARE_ONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ddbsim_error error = {0};
    struct weights weights;
    char path[64];
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    struct arena *arena = arena_create(0);
    FUZZ_PROMISE(arena != NULL && descriptor >= 0);
    FUZZ_PROMISE(write(descriptor, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    enum ddbsim_status status = weights_read(path, arena, &weights, &error);
    if (status)
        fuzz_refused(status, &error);
    else if (weights.is_report)
        check_report(&weights.report);
    else
        check_rows(&weights);
    arena_destroy(arena);
    close(descriptor);
    return 0;
}
