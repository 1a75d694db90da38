/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the readers of CloudWatch's shapes share. A reader makes results: texts that say what the values are of, as far
 * as its file says it, and points. What is still open when all files are taken is bound in cloudwatch_finish.
 */
#ifndef REPLAY_CLOUDWATCH_PARTS_H
#define REPLAY_CLOUDWATCH_PARTS_H

#include <base/arena.h>
#include <base/buffer.h>
#include <jansson.h>
#include <workloads/replay/cloudwatch.h>

#define CLOUDWATCH_OPEN (-1) /* not said so far */
#define CLOUDWATCH_PERIOD_MAX INT64_C(86400)
#define CLOUDWATCH_VALUE_MAX 1e15
#define CLOUDWATCH_LINE_MAX ((size_t)1 << 20)

/* What a value is of. Texts are the arena's. */
struct cloudwatch_key {
    const char *table, *index, *dimension; /* NULL: not said */
    int operation, metric;                 /* CLOUDWATCH_OPEN */
    int statistic;                         /* of points that have none of their own */
    int64_t period_s;                      /* 0: not said */
    bool is_account;                       /* it is known to be of no table */
    bool is_passed;                        /* counted, and of no use */
};

/* One list of values of a file. */
struct cloudwatch_result {
    struct cloudwatch_key key;
    const char *id, *label; /* NULL: none */
    uint32_t file;
    size_t series; /* at the end */
};

struct cloudwatch_point {
    int64_t t_s;
    double value;
    uint32_t result, place; /* place: line, or number in its list from 1 */
    int8_t statistic;       /* CLOUDWATCH_OPEN: the result's */
};

struct cloudwatch_query {
    const char *id;
    uint32_t file;
    struct cloudwatch_key key;
};

struct cloudwatch_name {
    const char *table, *index; /* index NULL: the table */
};

/* A map of the options, read. */
struct cloudwatch_map {
    const char *of;
    struct cloudwatch_key key;
};

struct cloudwatch {
    const struct cloudwatch_options *options;
    struct arena *arena;
    struct cloudwatch_facts facts;
    const char **files;
    size_t file_count, file_capacity;
    struct cloudwatch_name *names;
    size_t name_count, name_capacity;
    struct cloudwatch_map *maps;
    struct cloudwatch_query *queries;
    size_t query_count, query_capacity;
    struct cloudwatch_result *results;
    size_t result_count, result_capacity;
    struct cloudwatch_point *points;
    size_t point_count, point_capacity;
    struct cloudwatch_series *series;
    size_t series_count, series_capacity;
    struct cloudwatch_row *rows;

    /* The file under way. */
    int shape;
    struct buffer text; /* of a document all, of lines the one that is not ended yet */
    uint64_t line;
    bool is_long;       /* the line under way is longer than CLOUDWATCH_LINE_MAX, and counted */
    size_t last_result; /* metric streams: where the series of the last line stands */
};

/* Texts: a copy in the arena; NULL when memory is short. */
const char *cloudwatch_keep(struct cloudwatch *cloudwatch, const char *text, size_t length);
struct cloudwatch_key cloudwatch_open_key(void);
/* NULL when memory is short. The file is the one under way. */
struct cloudwatch_result *cloudwatch_add_result(struct cloudwatch *cloudwatch);
/* A value of a result, at a place of the file under way. Bad ones are counted, or fail with that place. `path` says
 * where in a document it stands; NULL: by its line. */
struct cloudwatch_found {
    int64_t t_s;
    double value;
    int statistic;
    uint64_t place;
    const char *path;
};
enum ddbsim_status cloudwatch_add(struct cloudwatch *cloudwatch, size_t result,
                                  const struct cloudwatch_found *found, struct ddbsim_error *error);
/* Something of the file is wrong: counted where the options say so, else a failure. */
enum ddbsim_status cloudwatch_bad(struct cloudwatch *cloudwatch, uint64_t line, const char *path,
                                  struct ddbsim_error *error, const char *format, ...)
    DDBSIM_PRINTF(5, 6);
/* The file as a whole is not what it should be: a failure, whatever the options say. */
enum ddbsim_status cloudwatch_refuse(const struct cloudwatch *cloudwatch, const char *path,
                                     struct ddbsim_error *error, const char *format, ...)
    DDBSIM_PRINTF(4, 5);

/* cloudwatch_bind.c */
/* Words of a label, a header or a map: what they say is added to the key. */
enum ddbsim_status cloudwatch_read_label(struct cloudwatch *cloudwatch, const char *label,
                                         struct cloudwatch_key *key, struct ddbsim_error *error);
/* A dimension by its name; false where memory is short. */
bool cloudwatch_set_dimension(struct cloudwatch *cloudwatch, const char *name, const char *value,
                              struct cloudwatch_key *key);
/* By CloudWatch's names; what is unknown is counted and passes the key over. */
void cloudwatch_set_metric(struct cloudwatch *cloudwatch, const char *space, const char *name,
                           struct cloudwatch_key *key);
void cloudwatch_set_statistic(struct cloudwatch *cloudwatch, const char *name,
                              struct cloudwatch_key *key);
enum ddbsim_status cloudwatch_read_maps(struct cloudwatch *cloudwatch, struct ddbsim_error *error);
enum ddbsim_status cloudwatch_bind(struct cloudwatch *cloudwatch, struct ddbsim_error *error);

/* cloudwatch_time.c: moments in seconds since 1970; false where it is none. */
bool cloudwatch_time_of_text(const char *text, int64_t *t_s);
bool cloudwatch_time_of_json(const json_t *value, int64_t *t_s);

/* cloudwatch_json.c, cloudwatch_stream.c, cloudwatch_console.c */
enum ddbsim_status cloudwatch_take_document(struct cloudwatch *cloudwatch,
                                            struct ddbsim_error *error);
enum ddbsim_status cloudwatch_take_line(struct cloudwatch *cloudwatch, const char *text,
                                        size_t length, struct ddbsim_error *error);
/* What stands behind the first moment that begins a line; 0 where no line begins with one. */
char cloudwatch_delimiter(const char *text, size_t length);
enum ddbsim_status cloudwatch_take_console(struct cloudwatch *cloudwatch,
                                           struct ddbsim_error *error);

#endif
