/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A broken invariant must end the program: run the offender in a child and look how it ended. */
#ifndef TESTS_SUPPORT_DIES_H
#define TESTS_SUPPORT_DIES_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <support/cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

static inline bool dies(void (*offend)(void)) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
        signal(SIGABRT, SIG_DFL); /* cmocka catches it in the parent */
        offend();
        _exit(EXIT_SUCCESS);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

#define assert_dies(offend) assert_true(dies(offend))

#endif
