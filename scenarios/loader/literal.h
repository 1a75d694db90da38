/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Literals: texts that mean a number with a unit. The key decides which kind is read; nothing is
 * guessed. Every reader takes the whole text or fails: junk after a number, a missing unit, signs,
 * NaN, more precision than the kind has and absurd magnitudes are errors with a hint.
 */
#ifndef LOADER_LITERAL_H
#define LOADER_LITERAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LITERAL_DURATION_MAX_NS (INT64_C(36525) * 86400 * 1000000000) /* a hundred years */
#define LITERAL_SIZE_MAX_BYTES (INT64_C(1) << 50)
#define LITERAL_RATE_MAX_PER_S 1e9

/* Why a text is no such literal. */
struct literal_problem {
    char message[200];
    char hint[160];
};

/* The clock that moments are read by. */
struct literal_clock {
    int64_t start_unix_s;
    int32_t utc_offset_s;
};

bool literal_duration(const char *text, int64_t *ns, struct literal_problem *problem);
bool literal_size(const char *text, int64_t *bytes, struct literal_problem *problem);
bool literal_rate(const char *text, double *per_s, struct literal_problem *problem);
/* Billionths: 61% is 610 000 000. May exceed 100 %. */
bool literal_share(const char *text, int64_t *share, struct literal_problem *problem);
bool literal_count(const char *text, uint64_t *count, struct literal_problem *problem);
bool literal_decimal(const char *text, double *value, struct literal_problem *problem);
/* The same in billionths, exactly. */
bool literal_factor(const char *text, int64_t *factor, struct literal_problem *problem);
/* Nanoseconds since start. */
bool literal_moment(const char *text, const struct literal_clock *clock, int64_t *ns,
                    struct literal_problem *problem);
/* ISO 8601 with offset. */
bool literal_instant(const char *text, struct literal_clock *out, struct literal_problem *problem);
/* A date and a time without offset, as seconds since 1970-01-01 where clocks show it. */
bool literal_local_time(const char *text, int64_t *local_s);
/* An offset from UTC: +02:00, or Z. */
bool literal_offset(const char *text, int32_t *offset_s);
/* Splits LOW..HIGH; a text without dots is both ends. */
bool literal_range(const char *text, char *low, char *high, size_t size,
                   struct literal_problem *problem);

/* The canonical text of a value: what the readers above read back as the same value. */
void literal_put_duration(int64_t ns, char *out, size_t size);
void literal_put_size(int64_t bytes, char *out, size_t size);
void literal_put_share(int64_t share, char *out, size_t size);
void literal_put_factor(int64_t factor, char *out, size_t size);
/* A decimal, or a decimal with a unit, without needless zeros: "04.50/s" stays wrong, "4.50/s" is
 * "4.5/s". */
void literal_put_decimal(const char *text, char *out, size_t size);

#endif
