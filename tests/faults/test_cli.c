/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Out of memory at the n-th allocation of the whole program, for a sample of n: it says so and ends with
 * 3, or it could do without and prints what it always prints. The program's own main runs in a child.
 */
#include "phases.h"
#include "short_memory.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define WORDS_MOST 10

int ddbsim_main(int argc, char **argv); /* cli/main.c */

struct verb {
    const char *words[WORDS_MOST];
    int code;         /* of the faultless program */
    const char *made; /* a file that it makes, .db or .svg; NULL: none */
};

static struct phases phases;

/* What a build for coverage does at its end is not the program's. */
static void memory_returns(void) { (void)short_memory_stop(); }

/* Runs in the child: never returns. */
static void become(const struct verb *verb, uint64_t n) {
    static char texts[WORDS_MOST + 1][32] = {"ddbsim"}, *words[WORDS_MOST + 2] = {texts[0]};
    int count = 1;
    for (; verb->words[count - 1]; count++) {
        snprintf(texts[count], sizeof texts[count], "%s", verb->words[count - 1]);
        words[count] = texts[count];
    }
    int out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) _exit(127);
    signal(SIGSEGV, SIG_DFL); /* cmocka's handlers are the parent's */
    signal(SIGABRT, SIG_DFL);
    if (atexit(memory_returns) != 0) _exit(127);
    short_memory_start(n, false);
    exit(ddbsim_main(count, words));
}

static int run(const struct verb *verb, uint64_t n) {
    int status;
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) become(verb, n);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status)) fail_msg("%s, n %ju: killed", verb->words[0], n);
    return WEXITSTATUS(status);
}

/* What stands under its name is whole, also where printing about it failed later. */
static void check_made(const char *path, bool must_exist) {
    struct sqlite3 *database = NULL;
    struct ddbsim_error error = {0};
    if (must_exist) assert_true(phases_exists(path));
    if (!phases_exists(path)) return;
    if (strstr(path, ".db")) {
        assert_int_equal(ddbsim_log_open(path, &database, &error), DDBSIM_OK);
        ddbsim_log_close(database);
    } else {
        const char *end = strstr(path, ".svg") ? "</svg>\n" : "]}\n";
        char *text = phases_read(path);
        assert_string_equal(text + strlen(text) - strlen(end), end);
        free(text);
    }
    unlink(path);
}

static void check(const struct verb *verb, uint64_t n, uint64_t faultless) {
    int code = run(verb, n);
    char *err = phases_read("err");
    if (code == verb->code && phases_hash_file("out") != faultless)
        fail_msg("%s, n %ju: prints something else: %s", verb->words[0], n, err);
    if (code != verb->code && (code != DDBSIM_ENVIRONMENT || !strstr(err, "out of memory")))
        fail_msg("%s, n %ju: exit code %d: %s", verb->words[0], n, code, err);
    if (verb->made) check_made(verb->made, code == verb->code);
    free(err);
}

static void sweep(const struct verb *verb) {
    int code = run(verb, 0);
    if (code != verb->code)
        fail_msg("%s: exit code %d: %s", verb->words[0], code, phases_read("err"));
    uint64_t faultless = phases_hash_file("out");
    if (verb->made) assert_int_equal(unlink(verb->made), 0);
    /* Each n where little is done between two allocations, fewer the further the program gets. */
    for (uint64_t n = 1; n < 40000; n += 1 + (FAULTS_STEP > 1 ? n / 2 : n < 40 ? 0 : n / 5))
        check(verb, n, faultless);
}

static void write_file(const char *path, const char *text, const char *more) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fputs(more, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char template_start[] =
    "Parameters:\n  Units: {Type: Number, Default: 7}\n"
    "Resources:\n"
    "  T:\n    Type: AWS::DynamoDB::Table\n    Properties:\n      TableName: !Sub \"t-${Units}\"\n"
    "      KeySchema: [{AttributeName: id, KeyType: HASH}]\n"
    "      ProvisionedThroughput: {ReadCapacityUnits: !Ref Units, WriteCapacityUnits: 5}\n";
static const char template_rest[] =
    "  A:\n    Type: AWS::CloudWatch::Alarm\n    Properties:\n      Namespace: AWS/DynamoDB\n"
    "      MetricName: WriteThrottleEvents\n      Threshold: 1\n      EvaluationPeriods: 1\n"
    "      ComparisonOperator: GreaterThanThreshold\n"
    "      Dimensions: [{Name: TableName, Value: !Ref T}]\n";
static const char described[] =
    "{\"Table\": {\"TableName\": \"t\", \"KeySchema\": [{\"AttributeName\": \"id\","
    " \"KeyType\": \"HASH\"}], \"ProvisionedThroughput\": {\"ReadCapacityUnits\": 3,"
    " \"WriteCapacityUnits\": 4}, \"ItemCount\": 10, \"TableSizeBytes\": 1000}}\n";
static const char from_document[] =
    "version: 1\nduration: 5s\ntables: [{name: t, import: t.json, write_capacity: 9}]\n"
    "workloads: [{name: w, rate: 1/s, mix: [{operation: UpdateItem}]}]\n";

static void verbs(void **state) {
    static const struct verb list[] = {
        {{"run", "small.yaml", "--quiet", "-o", "x.db"}, DDBSIM_UNMET, "x.db"},
        {{"run", "small.yaml", "--quiet", "--format", "json", "--set", "seed=4", "-o", "x.db"},
         DDBSIM_UNMET,
         "x.db"},
        {{"explain", "finished.db"}, DDBSIM_OK, NULL},
        {{"explain", "small.yaml", "--quiet", "--format", "json"}, DDBSIM_OK, NULL},
        {{"plot", "finished.db", "--quiet", "-o", "x.svg"}, DDBSIM_OK, "x.svg"},
        {{"check", "small.yaml", "--quiet", "--format", "json"}, DDBSIM_OK, NULL},
        {{"list", "presets", "--format", "json"}, DDBSIM_OK, NULL},
        {{"export", "finished.db", "--quiet", "-o", "x.json"}, DDBSIM_OK, "x.json"},
        {{"export", "finished.db", "--format", "metric-stream"}, DDBSIM_OK, NULL},
        {{"list", "scenarios"}, DDBSIM_OK, NULL},
        {{"schema"}, DDBSIM_OK, NULL},
        {{"import", "t.json", "--verbose"}, DDBSIM_OK, NULL},
        {{"import", "t.yaml", "--quiet"}, DDBSIM_OK, NULL},
        {{"import", "--commands", "carts", "--from", "2026-01-01T00:00:00Z", "--to",
          "2026-01-01T03:00:00Z"},
         DDBSIM_OK,
         NULL},
        {{"check", "from.yaml", "--no-run"}, DDBSIM_OK, NULL},
    };
    (void)state;
    phases_setup(&phases, small_scenario, sizeof small_scenario - 1);
    assert_int_equal(chdir(phases.folder), 0);
    write_file("small.yaml", small_scenario, "expect: [{cause: index_capacity}]\n");
    write_file("t.json", described, "");
    write_file("t.yaml", template_start, template_rest);
    write_file("from.yaml", from_document, "");
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        sweep(&list[i]);
    unlink("small.yaml");
    unlink("t.json");
    unlink("t.yaml");
    unlink("from.yaml");
    unlink("out");
    unlink("err");
    phases_teardown(&phases);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(verbs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
