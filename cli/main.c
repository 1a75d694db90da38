/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program: one table of verbs, and what is not a verb. Each verb parses its own options and
 * returns the exit code.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

struct verb {
    const char *name, *what;
    cmd_fn *function; /* NULL: the name is reserved, the verb does not exist yet */
};

static const struct verb verbs[] = {
    {"run", "simulate a scenario into a result database", cmd_run},
    {"explain", "say whether it throttles, why, and what would fix it", cmd_explain},
    {"plot", "draw one chart", cmd_plot},
    {"check", "validate a scenario and test what it expects", cmd_check},
    {"import", "make a scenario of table descriptions, metrics, recordings", cmd_import},
    {"list", "name what there is: scenarios, presets, charts, metrics ...", cmd_list},
    {"schema", "print the scenario's grammar as JSON Schema", cmd_schema},
    {"report", "write one HTML file about a run", NULL},
    {"compare", "base and variants side by side", NULL},
    {"sweep", "vary values", NULL},
    {"solve", "find the value that meets a goal", NULL},
    {"plan", "write the units of a study", NULL},
    {"work", "run one unit of a study", NULL},
    {"merge", "join the units of a study", NULL},
    {"export", "write a run in other formats", cmd_export},
    {"new", "start a scenario", NULL},
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static const char *verb_name(int number) {
    return number >= 0 && number < VERBS ? verbs[number].name : NULL;
}

static void print_verbs(FILE *out) {
    for (int i = 0; i < VERBS; i++) {
        if (verbs[i].function) fprintf(out, "  %-9s %s\n", verbs[i].name, verbs[i].what);
    }
}

static void print_concise(FILE *out) {
    fputs("Usage: ddbsim VERB ...\n\n", out);
    print_verbs(out);
    fputs("\nTry `ddbsim --help', `ddbsim VERB --help' or `ddbsim list scenarios'.\n", out);
}

static void print_help(FILE *out) {
    fputs("ddbsim simulates DynamoDB's partitions and throttling: does it throttle, why, and what\n"
          "would fix it?\n\n"
          "Usage: ddbsim VERB [OPTION...] [ARGUMENT]\n\n"
          "Examples:\n"
          "  ddbsim list scenarios         what ships with the program\n"
          "  ddbsim run NAME               simulate one of them into NAME.db\n"
          "  ddbsim explain NAME.db        what happened, and why\n"
          "  ddbsim plot NAME.db           the heat map of its partitions\n"
          "  ddbsim explain mine.yaml --set tables.orders.write_capacity=300\n\n"
          "Verbs:\n",
          out);
    print_verbs(out);
    fputs("\nA SCENARIO is a YAML file, `-' for standard input, or a name that `ddbsim list\n"
          "scenarios' prints. Where a run is wanted, a scenario is run first.\n\n"
          "  --help, -h     this text; `ddbsim VERB --help' for one verb\n"
          "  --version, -V  versions and licence\n\n"
          "Exit codes: 0 fine; 2 bad input or usage; 3 the machine refused (disk, memory);\n"
          "99 a threshold or an expectation does not hold; 130 interrupted.\n",
          out);
}

static void print_version(FILE *out, struct argp_state *state) {
    (void)state;
    fprintf(out,
            "ddbsim %s\nmodel version %d, database version %d\n"
            "Licence GPL-3.0-or-later: free software, without warranty.\n",
            ddbsim_version(), DDBSIM_MODEL_VERSION, DDBSIM_LOG_VERSION);
}

static int unknown_verb(const char *word) {
    const char *near = style_nearest(word, verb_name);
    fprintf(stderr, "ddbsim: unknown %s '%s'\n", word[0] == '-' ? "option" : "verb", word);
    if (near) {
        fprintf(stderr, "hint: did you mean `ddbsim %s'?\n", near);
    } else {
        fputs("hint: `ddbsim --help' lists the verbs\n", stderr);
    }
    return DDBSIM_INPUT;
}

static int call(const struct verb *verb, int argc, char **argv) {
    char name[64];
    if (!verb->function) {
        fprintf(stderr, "ddbsim: `ddbsim %s' (%s) is not supported yet\n", verb->name, verb->what);
        return DDBSIM_INPUT;
    }
    snprintf(name, sizeof name, "ddbsim %s", verb->name);
    argv[0] = name;
    return verb->function(argc, argv);
}

static bool is_one_of(const char *word, const char *a, const char *b) {
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* `ddbsim help VERB` is `ddbsim VERB --help`. */
static int help(int argc, char **argv) {
    char option[] = "--help";
    char *words[] = {argv[0], option, NULL};
    if (argc < 2) {
        print_help(stdout);
        return DDBSIM_OK;
    }
    for (int i = 0; i < VERBS; i++) {
        if (strcmp(argv[1], verbs[i].name) == 0) return call(&verbs[i], 2, words);
    }
    return unknown_verb(argv[1]);
}

int main(int argc, char **argv) {
    style_start();
    argp_err_exit_status = DDBSIM_INPUT;
    argp_program_version_hook = print_version;
    if (argc < 2) {
        print_concise(stderr);
        return DDBSIM_INPUT;
    }
    if (is_one_of(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0) {
        return help(argc - 1, argv + 1);
    }
    if (is_one_of(argv[1], "--version", "-V")) {
        print_version(stdout, NULL);
        return DDBSIM_OK;
    }
    for (int i = 0; i < VERBS; i++) {
        if (strcmp(argv[1], verbs[i].name) == 0) return call(&verbs[i], argc - 1, argv + 1);
    }
    return unknown_verb(argv[1]);
}
