/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kill -9 at random moments of a run that writes a file: afterwards there is no file, or a .part that
 * every reader refuses, or the whole database; and what was left is no obstacle to the next run. The
 * moments cover the run from its first instruction to beyond its end; their seed is printed.
 */
#include "phases.h"

#include <base/rng.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <support/ask.h>
#include <sys/wait.h>
#include <time.h>

#define SEED UINT64_C(1820)
#define KILLS 30
#define SCENARIO SOURCE_ROOT "/scenarios/friday-1820.yaml"

static char folder[] = "/tmp/ddbsim-kill-XXXXXX";

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Starts the program in the folder, its words going nowhere. */
static pid_t start(const char *verb, const char *argument) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0) return child;
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0 ||
        chdir(folder) != 0)
        _exit(127);
    if (strcmp(verb, "run") == 0)
        execl(DDBSIM, "ddbsim", "run", argument, "-o", "run.db", "--quiet", (char *)NULL);
    else
        execl(DDBSIM, "ddbsim", verb, argument, (char *)NULL);
    _exit(127);
}

static int exit_code(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) != child)
        assert_int_equal(errno, EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void path_of(const char *name, char path[128]) {
    snprintf(path, 128, "%s/%s", folder, name);
}

static void is_whole(const char *path) {
    struct sqlite3 *database = NULL;
    struct ddbsim_error error = {0};
    assert_int_equal(ddbsim_log_open(path, &database, &error), DDBSIM_OK);
    assert_string_equal(
        ask(database, "SELECT integrity_check, status FROM pragma_integrity_check, run"),
        "ok|complete");
    ddbsim_log_close(database);
}

static void is_refused(const char *name) {
    static const char *const verbs[] = {"explain", "plot", "run"};
    struct sqlite3 *database = NULL;
    struct ddbsim_error error = {0};
    char path[128];
    path_of(name, path);
    assert_int_equal(ddbsim_log_open(path, &database, &error), DDBSIM_INPUT);
    assert_null(database);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        assert_int_equal(exit_code(start(verbs[i], name)), DDBSIM_INPUT);
}

/* What a run left behind, and how many of each. */
static struct { int nothing, part, whole; } left;

static void look(void) {
    char path[128], part[128];
    path_of("run.db", path);
    path_of("run.db.part", part);
    bool whole = phases_exists(path), unfinished = phases_exists(part);
    if (whole) is_whole(path);
    if (unfinished) is_refused("run.db.part");
    left.whole += whole;
    left.part += unfinished;
    left.nothing += !whole && !unfinished;
    unlink(path); /* the .part stays for the next run to find */
}

static void killed(void **state) {
    struct rng rng;
    (void)state;
    assert_non_null(mkdtemp(folder));
    print_message("kill -9: seed %ju, %d times\n", (uintmax_t)SEED, KILLS);
    rng_seed(&rng, rng_stream_key(SEED, 0, "kill"));
    int64_t begin_ns = now_ns();
    assert_int_equal(exit_code(start("run", SCENARIO)), DDBSIM_OK);
    int64_t whole_ns = now_ns() - begin_ns;
    look();
    for (int i = 0; i < KILLS; i++) {
        int64_t delay_ns = (int64_t)draw_below(rng_next(&rng), (uint64_t)(whole_ns + whole_ns / 8));
        struct timespec delay = {delay_ns / NS_PER_S, delay_ns % NS_PER_S};
        pid_t child = start("run", SCENARIO);
        nanosleep(&delay, NULL);
        kill(child, SIGKILL);
        int code = exit_code(child);
        assert_true(code == -SIGKILL || code == DDBSIM_OK);
        look();
    }
    print_message("left: nothing %d, a .part %d, the whole database %d times\n", left.nothing,
                  left.part, left.whole);
    assert_true(left.part > 0 && left.whole > 0);
    assert_int_equal(exit_code(start("run", SCENARIO)), DDBSIM_OK);
    look();
    assert_int_equal(rmdir(folder),
                     0); /* the last run cleared away what the killed ones had left */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(killed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
