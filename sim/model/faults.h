/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What AWS does to a table for a while: less capacity, slower answers, answers that are HTTP 500. Rules M-100 to
 * M-103. What happens to callers themselves stands in client/.
 */
#ifndef MODEL_FAULTS_H
#define MODEL_FAULTS_H

#include <base/hash.h>
#include <base/rng.h>
#include <model/model.h>

/* A fault of the scenario begins, or ends; the log hears of any, a table feels its own. */
void faults_begin(struct model *model, const struct ddbsim_fault *fault, int64_t now_ns);
void faults_end(struct model *model, const struct ddbsim_fault *fault, int64_t now_ns);
/* Does a fault turn this attempt into an HTTP 500? `draw` is the attempt's own. */
static inline bool faults_strike(const struct table *table, uint64_t draw) {
    return table->errors > 0 && draw_share(hash_mix(table->error_stream, draw, 0), table->errors);
}

#endif
