/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `--set`: every line of the input is a PATH=VALUE, put into a fixed scenario. */
#include "fuzz.h"
#include "template.h"

#include <ddbsim/scenario.h>

#define SETS_MOST 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_error error = {0};
    const char *sets[SETS_MOST];
    size_t count = 0;
    char *text = fuzz_text(data, size), *rest = text;
    for (char *line; count < SETS_MOST && (line = strsep(&rest, "\n")) != NULL;)
        sets[count++] = line;
    struct ddbsim_load_options options = {.sets = sets, .set_count = count};
    enum ddbsim_status status = ddbsim_scenario_parse(fuzz_template, sizeof fuzz_template - 1,
                                                      "template.yaml", &options, &scenario, &error);
    fuzz_refused(status, &error);
    FUZZ_PROMISE((status == DDBSIM_OK) == (scenario != NULL));
    if (scenario) FUZZ_PROMISE(scenario->varied_count <= count && scenario->varied_count > 0);
    ddbsim_scenario_destroy(scenario);
    free(text);
    return 0;
}
