/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a database holds, as text to compare. */
#ifndef SUPPORT_ASK_H
#define SUPPORT_ASK_H

#include <support/cmocka.h>

#include <sqlite3.h>
#include <stdio.h>

/* A query's rows: columns parted by |, rows by newlines, NULL as -. Valid until the next question. */
static inline const char *ask(sqlite3 *database, const char *sql) {
    static char text[4096];
    sqlite3_stmt *statement;
    size_t length = 0;
    text[0] = '\0';
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(database));
    for (int row = 0; sqlite3_step(statement) == SQLITE_ROW; row++) {
        if (row > 0) length += (size_t)snprintf(text + length, sizeof text - length, "\n");
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const unsigned char *cell = sqlite3_column_text(statement, i);
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? "|" : "",
                                       cell ? (const char *)cell : "-");
            assert_true(length < sizeof text);
        }
    }
    sqlite3_finalize(statement);
    return text;
}

#endif
