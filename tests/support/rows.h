/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing rows in tests: ROW(sink, TABLE, INT(1), STR("x"), NUM(2.5), NIL). */
#ifndef SUPPORT_ROWS_H
#define SUPPORT_ROWS_H

#include <ddbsim/log.h>
#include <record/run_row.h>

#define INT(value) ddbsim_integer(value)
#define NUM(value) ddbsim_real(value)
#define STR(value) ddbsim_text(value)
#define NIL ddbsim_null()

#define ROW(sink, table, ...)                                                              \
    do {                                                                                   \
        const struct ddbsim_value row_[] = {__VA_ARGS__};                                  \
        (sink)->row((sink)->self, DDBSIM_LOG_##table, row_, sizeof row_ / sizeof row_[0]); \
    } while (0)

/* A run that starts on 2026-09-25 at 18:20:00+02:00. */
static inline struct log_run rows_run(void) {
    return (struct log_run){
        .scenario = "friday",
        .title = "Friday evening",
        .variant = "base",
        .start = "2026-09-25T18:20:00+02:00",
        .detail = "full",
        .scenario_text = "name: friday\n",
        .input_hash = "00000000000000000000000000000000",
        .version = "0.1.0",
        .seed = 7,
        .start_unix_s = 1790353200,
        .utc_offset_s = 7200,
        .duration_s = 600,
        .model_version = 1,
    };
}

#endif
