/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What README.md shows under "From a program": the same text, from the next line but one on. */

#include <ddbsim/ddbsim.h>
#include <stdio.h>

int main(void) {
    struct ddbsim_error error = {0};
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_run *run = NULL;
    struct ddbsim_entity item = ddbsim_entity_defaults("order", "ORDER#{uuid}", 1024);
    struct ddbsim_table table = ddbsim_table_defaults("orders", 5, 10); /* 5 RCU, 10 WCU */
    table.entities = &item;
    table.entity_count = 1;
    struct ddbsim_run_options options = {.seed = 1, .inject_as = "my-program"};
    struct ddbsim_injection put = {
        .kind = DDBSIM_PUT_ITEM, .partition_key = "ORDER#7", .new_bytes = 1024};
    struct ddbsim_result result = {.admitted = true};
    int admitted = 0,
        status = ddbsim_scenario_create("embedded", 600 * DDBSIM_S, &scenario, &error);
    if (!status) status = ddbsim_scenario_add_table(scenario, &table, &error);
    if (!status) status = ddbsim_run_create(scenario, &options, &run, &error);
    while (!status && result.admitted) { /* 100 writes a second until one is refused */
        status = ddbsim_run_inject(run, &put, &result, &error);
        admitted += result.admitted;
        if (!status) status = ddbsim_run_advance(run, ddbsim_run_now(run) + 10 * DDBSIM_MS, &error);
    }
    if (!status) printf("%d, then %s\n", admitted, ddbsim_reason_name(result.refusals[0].reason));
    if (status) fprintf(stderr, "%s: %s\n", error.path, error.message);
    ddbsim_run_destroy(run);
    ddbsim_scenario_destroy(scenario);
    return status;
}
