/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recording's rows say of tables and of who calls them: its tables, operations, sizes and keys, counted row by
 * row; and a workload for each table that replays the file.
 */
#ifndef IMPORT_SURVEY_H
#define IMPORT_SURVEY_H

#include "import.h"

#include <workloads/replay/recording.h>
#include <workloads/replay/texts.h>

#define SURVEY_TABLES_MAX 64u
#define SURVEY_KEYS_MAX (UINT32_C(1) << 20) /* told apart, of all tables */

struct survey_table {
    const char *name;                            /* NULL: the rows say none */
    double requests[DDBSIM_OPERATION_KINDS + 1]; /* by operation; the last: of none */
    double all, throttled, keyed, sized, bytes;
    uint64_t keys;  /* different ones; at most SURVEY_KEYS_MAX in all */
    double hottest; /* requests of the key with the most */
    const char *hottest_key;
    struct import_table *table; /* when it is taken */
    struct yaml_node *replay;
};

struct survey {
    struct import *import;
    const struct import_file *file;
    struct survey_table tables[SURVEY_TABLES_MAX];
    uint32_t table_count;
    struct texts keys; /* "NUMBER OF THE TABLE:KEY" */
    double *key_requests;
    size_t key_capacity;
    int64_t first_ns, last_ns;
    uint64_t rows;
    /* The day in UTC with the most rows, for what is longer than a scenario may be. */
    int64_t day, busiest_day;
    uint64_t day_rows, busiest_rows;
    bool full;    /* there were more keys */
    bool is_long; /* only its busiest day is replayed */
};

/* What becomes of it. */
struct survey_replay {
    const char *format;      /* NULL: by the content */
    bool throttled_requests; /* a refused row is a request, not one of its attempts */
    bool is_absolute;
    int64_t resolution_ns; /* of its times: the last row may be so much later */
};

void survey_begin(struct survey *survey, struct import *import, const struct import_file *file);
DDBSIM_MUST_CHECK enum ddbsim_status survey_add(struct survey *survey, const struct recorded *row,
                                                struct ddbsim_error *error);
/* Tables and workloads of what was counted. */
DDBSIM_MUST_CHECK enum ddbsim_status
survey_take(struct survey *survey, const struct survey_replay *replay, struct ddbsim_error *error);
void survey_free(struct survey *survey);

#endif
