/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A progress bar: share, simulated clock, requests a second, time left. It appears on standard
 * error only when that is a terminal and the run has lasted a second, is redrawn at most five times
 * a second, and is wiped at the end. It reads the machine's clock, and nothing of that reaches a
 * result.
 */
#include "cli.h"

#include <plots/words.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SHOW_AFTER_NS DDBSIM_S
#define REDRAW_NS (DDBSIM_S / 5)
enum { BAR_WIDTH = 24 };

static int64_t machine_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * DDBSIM_S + now.tv_nsec;
}

static void left_text(double left_s, char *buffer, size_t size) {
    int64_t seconds = left_s < 359999.0 ? (int64_t)(left_s + 0.5) : 359999;
    int hours = (int)(seconds / 3600), minutes = (int)(seconds / 60 % 60);
    int rest = (int)(seconds % 60);
    if (hours > 0) {
        snprintf(buffer, size, "%d:%02d:%02d", hours, minutes, rest);
    } else {
        snprintf(buffer, size, "%d:%02d", minutes, rest);
    }
}

static void draw(struct progress *progress, double share, uint64_t requests, double elapsed_s) {
    char bar[BAR_WIDTH + 1], clock[32], left[32], rate[WORDS_BYTES];
    int full = (int)(share * BAR_WIDTH);
    double duration_s = (double)progress->scenario->duration_ns / (double)DDBSIM_S;
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)full);
    bar[BAR_WIDTH] = '\0';
    style_clock(progress->scenario, share * duration_s, clock, sizeof clock);
    left_text(share > 0 ? elapsed_s * (1 - share) / share : 359999.0, left, sizeof left);
    fprintf(stderr, "\r%s%s[%s] %3.0f%%  %s  %s requests/s  %s left\033[K", progress->label,
            progress->label[0] ? "  " : "", bar, share * 100, clock,
            words_count(rate, (int64_t)((double)requests / elapsed_s)), left);
    fflush(stderr);
    progress->drawn = true;
}

static void tick(void *self, double done_share, uint64_t requests) {
    struct progress *progress = self;
    if (!progress->on) return;
    int64_t now = machine_ns();
    if (now - progress->began_ns < SHOW_AFTER_NS || now - progress->drawn_ns < REDRAW_NS) return;
    double share = done_share < 0 ? 0 : done_share > 1 ? 1 : done_share;
    draw(progress, share, requests, (double)(now - progress->began_ns) / (double)DDBSIM_S);
    progress->drawn_ns = now;
}

void progress_start(struct progress *progress, const struct ddbsim_scenario *scenario,
                    const char *label, bool quiet) {
    *progress = (struct progress){
        .scenario = scenario,
        .label = label ? label : "",
        .on = !quiet && isatty(STDERR_FILENO) == 1,
        .began_ns = machine_ns(),
    };
}

struct study_progress progress_ticker(struct progress *progress) {
    return (struct study_progress){.self = progress, .tick = tick};
}

void progress_end(struct progress *progress) {
    if (progress->drawn) fputs("\r\033[K", stderr);
    progress->drawn = false;
}
