/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands in table `run`: what is known when a run begins, and the row it makes. */
#ifndef RECORD_RUN_ROW_H
#define RECORD_RUN_ROW_H

#include <base/types.h>
#include <ddbsim/log.h>

struct log_run {
    int64_t study_id;
    const char *scenario, *title, *variant, *start, *detail, *scenario_text, *input_hash, *version;
    uint32_t replication;
    uint64_t seed;
    int64_t start_unix_s, utc_offset_s, warmup_s, duration_s;
    int model_version;
};

#define RUN_ROW_VALUES 19 /* columns of `run` without run_id */

/* The row of a run that has simulated so much, without run_id and digest. */
void run_row_values(const struct log_run *run, const char *status, double simulated_s,
                    struct ddbsim_value values[RUN_ROW_VALUES]);

#endif
