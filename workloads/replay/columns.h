/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which column or field of a recording is what: the user's word, or the names that people use. */
#ifndef REPLAY_COLUMNS_H
#define REPLAY_COLUMNS_H

#include <ddbsim/error.h>
#include <stdbool.h>
#include <stddef.h>

/* X(role, word in a column map, names in headers and documents, joined by |) */
#define COLUMNS_ROLES(X)                                                                           \
    X(TIME, "time",                                                                                \
      "time|timestamp|ts|t|eventtime|event_time|op_time|datetime|date|@timestamp|start_time|"      \
      "starttime")                                                                                 \
    X(KEY, "key",                                                                                  \
      "key|pk|partition_key|partitionkey|hash_key|hashkey|item_key|object_id|obj_id|user|user_id|" \
      "userid|customer_id|session_id|device_id")                                                   \
    X(SORT, "sort", "sort|sk|sort_key|sortkey|range_key|rangekey")                                 \
    X(SIZE, "size", "size|item_size|itemsize|item_bytes|bytes|size_bytes|value_size|object_size")  \
    X(OPERATION, "operation", "operation|op|eventname|event_name|command|cmd|verb|action|method")  \
    X(COUNT, "count", "count|op_count|requests|repeats")                                           \
    X(PERIOD, "period", "period|period_s|interval|interval_s")                                     \
    X(TABLE, "table", "table|tablename|table_name")                                                \
    X(THROTTLED, "throttled", "throttled|errorcode|error_code|error|exception")

enum columns_role {
#define X(role, word, names) COLUMNS_##role,
    COLUMNS_ROLES(X)
#undef X
        COLUMNS_ROLE_COUNT
};

#define COLUMNS_NAME_BYTES 128
#define COLUMNS_NUMBER_MAX 1024

struct columns_place {
    int number; /* from 1; 0: by name */
    char name[COLUMNS_NAME_BYTES];
    bool is_given;
};

struct columns {
    struct columns_place of[COLUMNS_ROLE_COUNT];
    bool by_number; /* all that are given */
};

const char *columns_word(int role); /* NULL past the last */
const char *columns_names(int role);
/* "time=1,key=2" or "time=at,key=user.id"; DDBSIM_INPUT with a hint. */
DDBSIM_MUST_CHECK enum ddbsim_status columns_parse(const char *text, struct columns *out,
                                                   struct ddbsim_error *error);
/* Is a text one of the names joined by |, in any case? */
bool columns_is_one_of(const char *names, const char *text, size_t length);

#endif
