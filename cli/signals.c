/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ctrl-C and termination as a request: the run looks at a flag between events, keeps what it
 * computed and ends. The handler uninstalls itself, so that a second signal ends the program at
 * once and leaves the unfinished file under its .part name.
 */
#include "cli.h"

static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int number) {
    (void)number;
    stop_asked = 1;
}

const volatile sig_atomic_t *signals_catch(void) {
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &stop_asked;
}
