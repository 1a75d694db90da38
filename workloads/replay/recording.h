/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording as a stream of rows: what happened when, to which key. One reader a format; whoever replays or
 * imports asks for one row after the other and never holds the file. A recording of events has a row for each
 * request; one of rates has a row for each period, which says how many there were.
 */
#ifndef REPLAY_RECORDING_H
#define REPLAY_RECORDING_H

#include <ddbsim/scenario.h>

#define RECORDING_LINE_MAX ((size_t)1 << 20) /* bytes of one line; a longer one is a bad row */
#define RECORDING_KEY_MAX 2048u              /* AWS's limit of a partition key */
#define RECORDING_SORT_MAX 1024u             /* and of a sort key */
#define RECORDING_COUNT_MAX (UINT64_C(1) << 40)
#define RECORDING_UNKNOWN (-1)

/* Texts are the reader's and hold until the next row is asked for. */
struct recorded {
    int64_t t_ns;      /* since 1970 in UTC, or since the recording's own zero */
    int64_t period_ns; /* the row stands for this long from t_ns; 0: a moment */
    const char *key;   /* of the partition; NULL: it says none */
    const char *sort;
    const char *table;              /* NULL: it says none */
    uint32_t key_bytes, sort_bytes; /* without the NUL that ends each */
    int operation;                  /* enum ddbsim_operation_kind; RECORDING_UNKNOWN */
    int64_t item_bytes;             /* RECORDING_UNKNOWN */
    double count;   /* requests; 1 of an event, unless it says how often it was repeated */
    bool throttled; /* it says that it was refused */
    bool has_sort_place;
    uint64_t sort_place; /* in order, where it is known without the text */
    uint64_t line;       /* from 1; of a binary format the row's number */
};

/* What holds for all rows. */
struct recording_facts {
    const char *format;    /* as `ddbsim list formats` calls it */
    bool is_absolute;      /* times are since 1970 */
    bool is_rates;         /* rows of periods */
    int64_t resolution_ns; /* of its times: 1 s where they are whole seconds */
    uint64_t rows;         /* given so far */
    uint64_t skipped;      /* bad rows passed over so far */
    char columns
        [160]; /* of csv: which column is what, and which are not used; "" of other formats */
    char first_skipped[160]; /* why, of the first one, with its line */
};

/* What a reader is told. Zeroed is: find out from the content, stop at a bad row. */
struct recording_options {
    const char *file;   /* plain, gzip or zstd, by its first bytes; "-" is standard input */
    const char *format; /* NULL or "auto": from the content */
    /* Of csv and jsonl: which column or field is what, as "time=1,key=2,size=4,operation=6"; numbers from 1, or
     * names of the header or of fields (a.b.c within objects). Known: time key sort size operation count table
     * throttled. NULL: from the header's own names. */
    const char *columns;
    const char *time_unit; /* s ms us ns; NULL: by the size of the first one */
    char delimiter;        /* 0: by the first line */
    bool skip_bad_rows;
};

/* Of a recording that a workload replays; the texts stay the replay's. */
static inline struct recording_options recording_options_of(const struct ddbsim_replay *replay) {
    return (struct recording_options){.file = replay->file,
                                      .format = replay->format,
                                      .columns = replay->columns,
                                      .time_unit = replay->time_unit,
                                      .delimiter = replay->delimiter,
                                      .skip_bad_rows = replay->skip_bad_rows};
}

struct recording;

/* DDBSIM_INPUT for what is wrong with the file or the options, with file and line; DDBSIM_ENVIRONMENT where memory
 * is short or the file cannot be read. *out is the caller's: recording_destroy. */
DDBSIM_MUST_CHECK enum ddbsim_status recording_create(const struct recording_options *options,
                                                      struct recording **out,
                                                      struct ddbsim_error *error);
/* The next row; *more is false past the last one. Times never decrease: a row that would go back is bad. */
DDBSIM_MUST_CHECK enum ddbsim_status recording_next(struct recording *recording,
                                                    struct recorded *row, bool *more,
                                                    struct ddbsim_error *error);
/* Back to the first row. DDBSIM_INPUT where the input is a pipe. */
DDBSIM_MUST_CHECK enum ddbsim_status recording_rewind(struct recording *recording,
                                                      struct ddbsim_error *error);
const struct recording_facts *recording_facts(const struct recording *recording);
void recording_destroy(struct recording *recording);

/* The number-th format that there is, and what it is; NULL past the last. */
const char *recording_format_name(size_t number, const char **what);
/* What a file's beginning looks like, unpacked; NULL: like no recording. *sure is 1 to 100. */
const char *recording_recognise(const char *head, size_t length, bool is_whole, int *sure);

#endif
