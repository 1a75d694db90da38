/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moments as they stand in recordings, as nanoseconds since 1970 in UTC. */
#ifndef REPLAY_INSTANT_H
#define REPLAY_INSTANT_H

#include <base/types.h>

/* 2026-08-07T16:20:03Z, 2026-08-07 16:20:03.120+02:00; to the end of the text. */
bool instant_iso(const char *text, int64_t *t_ns);
/* A count since 1970: the number, whose size says whether it is in s, ms, us or ns, if it lies from 2001 to 2200. */
bool instant_count(int64_t count, int64_t *t_ns);
bool instant_real(double seconds, int64_t *t_ns);

#endif
