/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comma-separated files of tests/data without quotes: a row at a time, its fields cut out in place. */
#ifndef TESTS_SUPPORT_CSV_H
#define TESTS_SUPPORT_CSV_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <support/cmocka.h>

struct csv {
    FILE *file;
    char row[1024];
};

/* Behind the header, which must be this one. */
static inline void csv_open(struct csv *csv, const char *path, const char *header) {
    csv->file = fopen(path, "r");
    if (!csv->file) fail_msg("%s is missing", path);
    assert_non_null(fgets(csv->row, sizeof csv->row, csv->file));
    csv->row[strcspn(csv->row, "\r\n")] = '\0';
    assert_string_equal(csv->row, header);
}

/* The next row's fields, exactly so many of them; false at the end. */
static inline bool csv_next(struct csv *csv, const char **fields, int count) {
    if (!fgets(csv->row, sizeof csv->row, csv->file)) return false;
    csv->row[strcspn(csv->row, "\r\n")] = '\0';
    char *rest = csv->row;
    for (int i = 0; i < count; i++) {
        assert_non_null(rest);
        fields[i] = rest;
        rest = strchr(rest, ',');
        if (rest) *rest++ = '\0';
    }
    assert_null(rest);
    return true;
}

static inline void csv_close(struct csv *csv) { fclose(csv->file); }

static inline double csv_number(const char *field) {
    char *end;
    double number = strtod(field, &end);
    assert_true(end != field && *end == '\0');
    return number;
}

#endif
