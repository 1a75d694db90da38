/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Thresholds and expectations. An input that begins with '{' is an entry of `expect` as it stands;
 * any other is the text of a threshold.
 */
#include "fuzz.h"
#include "template.h"

#include <ddbsim/scenario.h>

/* The text as a YAML scalar in double quotes. */
static void put_quoted(FILE *out, const char *text) {
    fputs("thresholds:\n  - \"", out);
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            fprintf(out, "\\%c", byte);
        else if (byte < 0x20)
            fprintf(out, "\\x%02x", byte);
        else
            fputc(byte, out);
    }
    fputs("\"\n", out);
}

static char *scenario_with(const char *text, size_t *length) {
    char *whole = NULL;
    FILE *out = open_memstream(&whole, length);
    FUZZ_PROMISE(out != NULL);
    fputs(fuzz_template, out);
    if (*text == '{')
        fprintf(out, "expect:\n  - %s\n", text);
    else
        put_quoted(out, text);
    FUZZ_PROMISE(fclose(out) == 0);
    return whole;
}

static void check(const struct ddbsim_condition *condition) {
    FUZZ_PROMISE(condition->text != NULL && condition->number >= 0);
    FUZZ_PROMISE(condition->low <= condition->high);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_error error = {0};
    size_t length;
    char *text = fuzz_text(data, size), *whole = scenario_with(text, &length);
    enum ddbsim_status status =
        ddbsim_scenario_parse(whole, length, "fuzz.yaml", NULL, &scenario, &error);
    fuzz_refused(status, &error);
    for (uint32_t i = 0; scenario && i < scenario->threshold_count; i++)
        check(&scenario->thresholds[i]);
    for (uint32_t i = 0; scenario && i < scenario->expect_count; i++)
        check(&scenario->expect[i]);
    ddbsim_scenario_destroy(scenario);
    free(whole);
    free(text);
    return 0;
}
