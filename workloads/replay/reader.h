/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a format is to recording.c: a row of the table in formats.c. A reader gives one row after the other, or says
 * why a row is bad; what holds for rows of every format (order and range of times, lengths, sizes, counts, UTF-8) is
 * recording.c's to check, and so is what becomes of a bad row.
 */
#ifndef REPLAY_READER_H
#define REPLAY_READER_H

#include <workloads/replay/feed.h>
#include <workloads/replay/recording.h>
#include <workloads/replay/stamp.h>

enum reader_outcome { READER_ROW, READER_BAD, READER_END };

struct reader_memo { /* a word that was looked up before */
    char word[15];
    uint8_t length; /* 0: none */
    int operation;
};

struct reader_last_time { /* many rows have the time of the one before */
    char text[32];
    size_t length; /* 0: none */
    int64_t t_ns;
};

struct reader {
    struct feed *feed;
    const struct recording_options *options; /* its texts live as long as the reader */
    struct stamp_clock clock;                /* keeps what the first time told, also when rewound */
    char columns[160];                       /* csv: which is what, in words */
    void *state;                             /* the format's own, made by open, ended by close */
    /* Of a READER_BAD row. */
    uint64_t bad_line;
    char bad_message[256];
    struct reader_last_time last_time;
    struct reader_memo memo[4];
    unsigned memo_next;
};

/* The beginning of what may be a recording, unpacked. */
struct reader_head {
    const char *bytes;
    size_t length;
    bool is_whole; /* the file has no more */
};

struct recording_format {
    const char *name, *what;
    /* How sure it is that this is its own, 0 (it is not) to 100; NULL: it is told by the user alone. */
    int (*recognise)(const struct reader_head *head);
    /* Reads what stands before the first row. To rewind, recording.c closes, rewinds the feed and opens. */
    enum ddbsim_status (*open)(struct reader *reader, struct ddbsim_error *error);
    /* Rows come with nothing known and a count of 1; a format fills what it has. A failure ends the reading. */
    enum ddbsim_status (*next)(struct reader *reader, struct recorded *row,
                               enum reader_outcome *outcome, struct ddbsim_error *error);
    void (*close)(struct reader *reader); /* also after an open that failed; state may be NULL */
    bool is_rates;
    uint32_t disorder; /* rows are put in order of time across so many; 0: they come in order */
};

/* The number-th format; NULL past the last. */
const struct recording_format *recording_format(size_t number);

/* Each takes a text of the row into a value. False: it cannot be, and the row is bad (reader->bad_message). */
bool reader_time(struct reader *reader, const char *text, size_t length, int64_t *t_ns);
bool reader_size(struct reader *reader, const char *what, const char *text, size_t length,
                 int64_t *bytes);
bool reader_count(struct reader *reader, const char *text, size_t length, double *count);
/* Seconds, up to a year. */
bool reader_period(struct reader *reader, const char *text, size_t length, int64_t *period_ns);
/* An empty text is no operation; one that is none is bad. */
bool reader_operation(struct reader *reader, const char *text, size_t length, int *operation);
/* The same where other words may stand: they are no operation. */
int reader_operation_or_none(struct reader *reader, const char *text, size_t length);
/* Says why the row on this line is bad; false, so that a caller can return it. */
bool reader_bad(struct reader *reader, const char *format, ...) DDBSIM_PRINTF(2, 3);
/* A failure that ends the reading, with the file and a line (0: none). */
enum ddbsim_status reader_fail(const struct reader *reader, uint64_t line,
                               struct ddbsim_error *error, const char *format, ...)
    DDBSIM_PRINTF(4, 5);
/* A foreign text for a message: cut after so many bytes, what is not printable ASCII as '?'. */
const char *reader_quote(const char *text, size_t length, char *out, size_t size);

extern const struct recording_format format_csv, format_jsonl, format_twitter, format_cachelib,
    format_oracle_general, format_k6, format_jmeter, format_locust, format_requests;

#endif
