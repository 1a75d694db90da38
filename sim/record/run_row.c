/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The row of table `run`, in column order. It stands apart from the writer because a run that has
 * no database needs it too: the row is part of the digest.
 */
#include <record/run_row.h>

#include <base/check.h>

void run_row_values(const struct log_run *run, const char *status, double simulated_s,
                    struct ddbsim_value values[RUN_ROW_VALUES]) {
    CHECK(simulated_s >= 0 && status != NULL);
    CHECK(run->scenario && run->title && run->variant && run->start && run->detail);
    CHECK(run->version && run->scenario_text && run->input_hash);
    CHECK(run->study_id >= 0);
    const struct ddbsim_value row[] = {
        run->study_id > 0 ? ddbsim_integer(run->study_id) : ddbsim_null(),
        ddbsim_text(run->scenario),
        ddbsim_text(run->title),
        ddbsim_text(run->variant),
        ddbsim_integer(run->replication),
        ddbsim_integer((int64_t)run->seed),
        ddbsim_text(run->start),
        ddbsim_integer(run->start_unix_s),
        ddbsim_integer(run->utc_offset_s),
        ddbsim_integer(run->warmup_s),
        ddbsim_integer(run->duration_s),
        ddbsim_real(simulated_s),
        ddbsim_text(run->detail),
        ddbsim_text(status),
        ddbsim_text(run->version),
        ddbsim_integer(run->model_version),
        ddbsim_text(run->scenario_text),
        ddbsim_text(run->input_hash),
        ddbsim_null(),
    };
    _Static_assert(sizeof row / sizeof row[0] == RUN_ROW_VALUES, "a value for each column");
    for (int i = 0; i < RUN_ROW_VALUES; i++)
        values[i] = row[i];
}
