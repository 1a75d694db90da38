/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Handing rows to a sink, which may be absent: then nothing is recorded. */
#ifndef MODEL_ROWS_H
#define MODEL_ROWS_H

#include <ddbsim/log.h>

static inline void rows_put(const struct ddbsim_sink *sink, enum ddbsim_log_table table,
                            const struct ddbsim_value *values, size_t count) {
    if (sink) sink->row(sink->self, table, values, count);
}
/* The values in the order of the table's columns, without run_id. */
#define ROWS_PUT(sink, table, ...)                                    \
    rows_put(sink, table, (const struct ddbsim_value[]){__VA_ARGS__}, \
             sizeof((const struct ddbsim_value[]){__VA_ARGS__}) / sizeof(struct ddbsim_value))

#endif
