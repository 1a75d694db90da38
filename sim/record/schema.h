/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of the result database as data: one list from which the SQL, the inserts, the digest
 * and the reference in docs/log.md are made. Version 1 is a contract: a table or a column may be
 * added, but whoever changes the name or the meaning of one raises DDBSIM_LOG_VERSION.
 */
#ifndef RECORD_SCHEMA_H
#define RECORD_SCHEMA_H

#include <base/check.h>
#include <base/types.h>
#include <ddbsim/log.h>

#define SCHEMA_COLUMNS_MAX 20 /* the widest table; a test holds it */
#define SCHEMA_KEYS_MAX 8

struct schema_column {
    const char *name;
    enum ddbsim_value_type type;
    bool not_null;
    bool in_digest;
    int key;                /* position in the primary key from 1; 0: not in it */
    const char *by_default; /* an SQL literal; NULL: none */
    const char *one_of;     /* SQL literals that a CHECK allows; NULL: anything */
    const char *meaning;    /* with its unit */
};

struct schema_table {
    const char *name;
    const char *meaning;
    const char *unique; /* columns that are unique together beside the key; NULL: none */
    bool has_rowid;     /* the table is an SQLite rowid table */
    size_t column_count;
    const struct schema_column *columns;
};

const struct schema_table *schema_table(enum ddbsim_log_table table);
/* Where run_id stands; -1 in a table whose rows belong to no run. */
int schema_run_column(enum ddbsim_log_table table);
/* The key's columns in key order without run_id; returns how many. */
size_t schema_keys(enum ddbsim_log_table table, int columns[SCHEMA_KEYS_MAX]);
bool schema_in_digest(enum ddbsim_log_table table);

/* What follows is asked of every value of every row, hence in line. */

/* The one form of a value: not-a-number is NULL and minus zero is zero, as SQLite keeps them. */
static inline struct ddbsim_value schema_canonical(struct ddbsim_value value) {
    CHECK((unsigned)value.type <= DDBSIM_VALUE_TEXT);
    CHECK(value.type != DDBSIM_VALUE_TEXT || value.as.text != NULL);
    if (value.type != DDBSIM_VALUE_REAL) return value;
    if (value.as.real != value.as.real) return ddbsim_null();
    return ddbsim_real(value.as.real == 0 ? 0.0 : value.as.real);
}

/* True when a value may stand in a column: its type, or NULL where the column allows it. */
static inline bool schema_takes(const struct schema_column *column,
                                const struct ddbsim_value *value) {
    CHECK(column->type != DDBSIM_VALUE_NULL);
    struct ddbsim_value kept = schema_canonical(*value);
    return kept.type == column->type || (kept.type == DDBSIM_VALUE_NULL && !column->not_null);
}

#endif
