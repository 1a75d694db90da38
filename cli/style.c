/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the program talks: standard streams that fail loudly, colour only where somebody sees it,
 * errors with their hint, "did you mean", times as a clock shows them.
 *
 * Standard output is checked once, when the program ends: whatever verb wrote, a full disk or a
 * reader that went away becomes exit code 3. A reader that went away (`| head`) is told nothing: it
 * knows.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <loader/suggest.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { COLUMNS_DEFAULT = 80, COLUMNS_LEAST = 40, DAY_S = 86400 };

static bool reader_left(void) {
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

static void close_output(void) {
    errno = 0;
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    int why = errno; /* 0 where an earlier write failed */
    bool left = failed && (why == EPIPE || reader_left());
    if (fclose(stdout) != 0 && !failed) {
        failed = true;
        why = errno;
    }
    if (!failed) return;
    if (!left) {
        fprintf(stderr, "ddbsim: cannot write to standard output: %s\n",
                why ? strerror(why) : "write error");
    }
    _exit(DDBSIM_ENVIRONMENT);
}

/* A closed standard stream would give its number to the next file that is opened, and talk would
 * end in a result. The device that takes its place fails on use, as a closed stream does. */
static void open_standard_streams(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
        int flags = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (open("/dev/null", flags) != stream) _exit(DDBSIM_ENVIRONMENT);
    }
}

void style_start(void) {
    open_standard_streams();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file at its limit is a failed write like a full disk */
    atexit(close_output);
}

bool style_colour(void) {
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (no_color && no_color[0]) return false;
    if (!term || strcmp(term, "dumb") == 0) return false;
    return isatty(STDOUT_FILENO) == 1;
}

int style_columns(void) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < COLUMNS_LEAST) {
        return COLUMNS_DEFAULT;
    }
    return size.ws_col;
}

int style_fail(const struct ddbsim_error *error) {
    struct ddbsim_error plain = *error;
    char line[sizeof plain + 64];
    plain.hint[0] = '\0';
    ddbsim_error_format(&plain, line, sizeof line);
    fprintf(stderr, "ddbsim: %s\n", line);
    if (error->hint[0]) fprintf(stderr, "hint: %s\n", error->hint);
    return (int)error->status;
}

void style_say(bool quiet, const char *format, ...) {
    if (quiet) return;
    fflush(stdout); /* what is talked about comes first */
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

const char *style_nearest(const char *name, const char *(*name_of)(int)) {
    struct suggest suggest;
    suggest_start(&suggest, name);
    for (int i = 0; name_of(i); i++)
        suggest_offer(&suggest, name_of(i));
    return suggest_best(&suggest);
}

void style_clock(const struct ddbsim_scenario *scenario, double t_s, char *buffer, size_t size) {
    time_t local = (time_t)(scenario->start_unix_s + scenario->utc_offset_s) + (time_t)t_s;
    bool one_day = scenario->duration_ns <= DAY_S * DDBSIM_S;
    struct tm parts;
    buffer[0] = '\0';
    if (!gmtime_r(&local, &parts)) return;
    if (strftime(buffer, size, one_day ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &parts) == 0) {
        buffer[0] = '\0';
    }
}
