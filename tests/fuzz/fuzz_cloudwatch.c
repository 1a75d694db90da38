/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Metrics of CloudWatch in any of their shapes. The first byte chooses the shape, whether bad rows are skipped, and the
 * size of the pieces; the rest is the file.
 */
#include "fuzz.h"

#include <math.h>
#include <workloads/replay/cloudwatch.h>

static void check_series(const struct cloudwatch_series *series,
                         const struct cloudwatch_facts *facts) {
    FUZZ_PROMISE(ddbsim_metric_name(series->metric) != NULL && series->period_s > 0);
    FUZZ_PROMISE(series->count > 0 && series->dimension != NULL);
    FUZZ_PROMISE(facts->from_s < facts->to_s);
    for (size_t i = 0; i < series->count; i++) {
        const struct cloudwatch_row *row = &series->rows[i];
        FUZZ_PROMISE(i == 0 || series->rows[i - 1].t_s < row->t_s);
        FUZZ_PROMISE(row->t_s % 60 == 0);
        for (int s = 0; s < CLOUDWATCH_STATISTIC_KINDS; s++)
            FUZZ_PROMISE(isnan(row->values[s]) || (row->values[s] >= 0 && row->values[s] <= 1e15));
    }
}

static void check(struct cloudwatch *cloudwatch) {
    const struct cloudwatch_series *series;
    for (size_t i = 0; (series = cloudwatch_series(cloudwatch, i)) != NULL; i++)
        check_series(series, cloudwatch_facts(cloudwatch));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const maps[] = {"m1=orders by-state WriteThrottleEvents Sum"};
    struct cloudwatch *cloudwatch = NULL;
    struct ddbsim_error error = {0};
    if (size < 1) return 0;
    int shape = data[0] % CLOUDWATCH_SHAPE_KINDS;
    const struct cloudwatch_options options = {.skip_bad_rows = (data[0] & 64) != 0,
                                               .table = data[0] & 128 ? "orders" : NULL,
                                               .maps = maps,
                                               .map_count = 1};
    char *text = fuzz_text(data + 1, size - 1);
    FUZZ_PROMISE(cloudwatch_create(&options, &cloudwatch, &error) == DDBSIM_OK);
    int found = cloudwatch_recognise(text, size - 1);
    FUZZ_PROMISE(found >= -1 && found < CLOUDWATCH_SHAPE_KINDS);
    enum ddbsim_status status = cloudwatch_begin(cloudwatch, shape, "fuzz", &error);
    size_t half = (size - 1) / 2;
    if (status == DDBSIM_OK) status = cloudwatch_push(cloudwatch, text, half, &error);
    if (status == DDBSIM_OK)
        status = cloudwatch_push(cloudwatch, text + half, size - 1 - half, &error);
    if (status == DDBSIM_OK) status = cloudwatch_end(cloudwatch, &error);
    if (status == DDBSIM_OK) status = cloudwatch_finish(cloudwatch, &error);
    fuzz_refused(status, &error);
    if (status == DDBSIM_OK) check(cloudwatch);
    cloudwatch_destroy(cloudwatch);
    free(text);
    return 0;
}
