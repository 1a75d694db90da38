/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what tables with TTL held: the first and the last row of each kind of item. */
#include <plots/storage.h>

#include <base/error.h>
#include <base/vector.h>
#include <plots/words.h>
#include <stdio.h>
#include <stdlib.h>

static const char sql[] =
    "WITH s AS (SELECT *, min(t_s) OVER each AS first_s, max(t_s) OVER each AS last_s FROM storage"
    " WHERE run_id = ?1 WINDOW each AS (PARTITION BY resource_id, entity))"
    " SELECT r.table_name, z.entity, a.items, a.bytes, z.items, z.bytes, z.expired, z.deleted"
    " FROM s z JOIN s a ON a.resource_id = z.resource_id AND a.entity = z.entity"
    " AND a.t_s = a.first_s JOIN resource r ON r.run_id = ?1 AND r.resource_id = z.resource_id"
    " WHERE z.t_s = z.last_s AND r.kind = 'table' ORDER BY r.table_name, z.entity";

static bool add(void *into, struct query *query) {
    struct storage *out = into;
    void *items = out->items;
    if (!vector_reserve(&items, &out->capacity, out->count + 1, sizeof *out->items)) return false;
    out->items = items;
    struct stored *stored = &out->items[out->count++];
    *stored = (struct stored){.table = query_copy(query, 0),
                              .entity = query_copy(query, 1),
                              .first_items = query_int(query, 2),
                              .first_bytes = query_double(query, 3),
                              .items = query_int(query, 4),
                              .bytes = query_double(query, 5),
                              .expired = query_int(query, 6),
                              .deleted = query_int(query, 7)};
    return stored->table && stored->entity;
}

enum ddbsim_status storage_read(struct sqlite3 *database, int64_t run_id, struct storage *out,
                                struct ddbsim_error *error) {
    *out = (struct storage){0};
    enum ddbsim_status status = query_each(database, error, "storage", sql, run_id, add, out);
    if (status != DDBSIM_OK) storage_clear(out);
    return status;
}

void storage_clear(struct storage *storage) {
    for (size_t i = 0; i < storage->count; i++) {
        free(storage->items[i].table);
        free(storage->items[i].entity);
    }
    free(storage->items);
    *storage = (struct storage){0};
}

const char *storage_size(char out[48], double bytes) {
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    char number[WORDS_BYTES];
    size_t i = 0;
    for (; bytes >= 1024 && i + 1 < sizeof units / sizeof units[0]; i++)
        bytes /= 1024;
    snprintf(out, 48, "%.40s %s", words_number(number, bytes), units[i]);
    return out;
}
