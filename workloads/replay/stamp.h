/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The times of a recording: ISO 8601 dates, or numbers of seconds, milliseconds, microseconds or nanoseconds. */
#ifndef REPLAY_STAMP_H
#define REPLAY_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <workloads/replay/decimal.h>

/* What the first time told of all. */
struct stamp_clock {
    int power; /* of ten: nanoseconds of the unit; 0 is nanoseconds, 9 seconds */
    bool has_unit;
    bool is_known; /* the two below are */
    bool is_absolute;
};

/* "s", "ms", "us", "ns"; false where it is none of them. NULL leaves the clock to find out. */
bool stamp_set_unit(struct stamp_clock *clock, const char *unit);
/* NULL, or why it is no time, as "is negative". */
const char *stamp_read(struct stamp_clock *clock, const char *text, size_t length, int64_t *t_ns);
const char *stamp_read_decimal(struct stamp_clock *clock, const struct decimal *decimal,
                               int64_t *t_ns);

#endif
