/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where there are no files and no archives there are no recordings: what a run asks of them, refused. */
#include <base/check.h>
#include <base/error.h>
#include <workloads/replay/replay.h>

enum ddbsim_status replay_create(const struct ddbsim_scenario *scenario, uint32_t workload,
                                 struct population *population, uint64_t seed, uint32_t replication,
                                 struct names *names, struct ddbsim_source *out,
                                 struct ddbsim_error *error) {
    (void)scenario, (void)workload, (void)population, (void)seed, (void)replication;
    (void)names, (void)out;
    return error_set(error, DDBSIM_INPUT, "recordings cannot be replayed here");
}

/* None of these is reached, since none was created. */
bool replay_is_keyed(const struct ddbsim_source *source) {
    CHECK(source == NULL);
    return false;
}
const struct tape *replay_tape(const struct ddbsim_source *source) {
    CHECK(source == NULL);
    return NULL;
}
const struct ddbsim_error *tape_error(const struct tape *tape) {
    CHECK(tape == NULL);
    return NULL;
}
const struct tape_counts *tape_counts(const struct tape *tape) {
    CHECK(tape == NULL);
    return NULL;
}
const struct recording_facts *tape_facts(const struct tape *tape) {
    CHECK(tape == NULL);
    return NULL;
}
