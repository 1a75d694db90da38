/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kill -9, Ctrl-C and termination at random moments of a run that writes a file: afterwards there is no
 * file, or a .part that every reader refuses, or a whole database; and what was left is no obstacle to
 * the next run. The moments cover the run from its first instruction to beyond its end; their seed is
 * printed.
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
#define STOPS 15
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

/* A finished database, whose run has the status; NULL: any. */
static void is_whole(const char *path, const char *status) {
    struct sqlite3 *database = NULL;
    struct ddbsim_error error = {0};
    assert_int_equal(ddbsim_log_open(path, &database, &error), DDBSIM_OK);
    assert_string_equal(ask(database, "PRAGMA integrity_check"), "ok");
    if (status) assert_string_equal(ask(database, "SELECT status FROM run"), status);
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

static void look(const char *status) {
    char path[128], part[128];
    path_of("run.db", path);
    path_of("run.db.part", part);
    bool whole = phases_exists(path), unfinished = phases_exists(part);
    if (whole) is_whole(path, status);
    if (unfinished) is_refused("run.db.part");
    left.whole += whole;
    left.part += unfinished;
    left.nothing += !whole && !unfinished;
    unlink(path); /* the .part stays for the next run to find */
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

/* How long an undisturbed run takes. */
static int64_t whole_run_ns(void) {
    int64_t begin_ns = now_ns();
    assert_int_equal(exit_code(start("run", SCENARIO)), DDBSIM_OK);
    int64_t whole_ns = now_ns() - begin_ns;
    look("complete");
    return whole_ns;
}

/* Starts a run, and lets some of the time go by that it takes, or a little more. */
static pid_t start_and_wait(struct rng *rng, int64_t whole_ns) {
    int64_t delay_ns = (int64_t)draw_below(rng_next(rng), (uint64_t)(whole_ns + whole_ns / 8));
    struct timespec delay = {delay_ns / NS_PER_S, delay_ns % NS_PER_S};
    pid_t child = start("run", SCENARIO);
    nanosleep(&delay, NULL);
    return child;
}

static void killed(void **state) {
    struct rng rng;
    (void)state;
    print_message("kill -9: seed %ju, %d times\n", (uintmax_t)SEED, KILLS);
    rng_seed(&rng, rng_stream_key(SEED, 0, "kill"));
    int64_t whole_ns = whole_run_ns();
    for (int i = 0; i < KILLS; i++) {
        pid_t child = start_and_wait(&rng, whole_ns);
        kill(child, SIGKILL);
        int code = exit_code(child);
        assert_true(code == -SIGKILL || code == DDBSIM_OK);
        look("complete");
    }
    print_message("left: nothing %d, a .part %d, the whole database %d times\n", left.nothing,
                  left.part, left.whole);
    assert_true(left.part > 0 && left.whole > 0);
}

/* Ctrl-C or termination: what was computed is kept. A second signal, or one before the run has begun,
 * ends the program as it would any: like a kill. */
static void stopped(void **state) {
    struct rng rng;
    int kept = 0;
    (void)state;
    print_message("SIGINT and SIGTERM: seed %ju, %d times\n", (uintmax_t)SEED, STOPS);
    rng_seed(&rng, rng_stream_key(SEED, 0, "stop"));
    int64_t whole_ns = whole_run_ns();
    for (int i = 0; i < STOPS; i++) {
        int number = i % 2 ? SIGTERM : SIGINT;
        pid_t child = start_and_wait(&rng, whole_ns);
        kill(child, number);
        if (i % 5 == 4) kill(child, number);
        int code = exit_code(child);
        assert_true(code == 130 || code == -number || code == DDBSIM_OK);
        kept += code == 130;
        look(code == 130 ? "interrupted" : code == DDBSIM_OK ? "complete" : NULL);
    }
    assert_true(kept > 0);
}

/* The next run clears away what stopped and killed ones have left. */
static int remove_folder(void **state) {
    (void)state;
    if (exit_code(start("run", SCENARIO)) != DDBSIM_OK) return -1;
    look("complete");
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(killed), cmocka_unit_test(stopped)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
