/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several descriptions of one table. What only one of them says stands; where both say something else, the better
 * one counts (a state over a template, a template over a model) and a note names both. Two of the same worth that
 * differ are an error, and so are keys that differ: they are not of one table.
 *
 * Invariant: a table's fields come from the best file that said them; `file` is the best file of all.
 */
#include "tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool tables_is_name(const char *text) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    size_t length = strlen(text);
    return length > 0 && length <= TABLES_NAME_MAX && strspn(text, letters) == length;
}

void tables_clear(struct import_resource *resource, const char *name) {
    *resource = (struct import_resource){
        .name = name,
        .capacity = {IMPORT_UNKNOWN, IMPORT_UNKNOWN},
        .maximum = {IMPORT_UNKNOWN, IMPORT_UNKNOWN},
        .warm = {IMPORT_UNKNOWN, IMPORT_UNKNOWN},
        .served = {IMPORT_UNKNOWN, IMPORT_UNKNOWN},
        .items = IMPORT_UNKNOWN,
        .bytes = IMPORT_UNKNOWN,
    };
}

void tables_add_replica(struct import *import, struct import_table *table, const char *region) {
    if (!table->replicas) table->replicas = yaml_new(import->arena, YAML_SEQUENCE, NULL);
    struct yaml_node *node = yaml_new(import->arena, YAML_SCALAR, NULL);
    import->short_of_memory = import->short_of_memory || !table->replicas || !node;
    if (!table->replicas || !node) return;
    for (const struct yaml_node *other = table->replicas->first; other; other = other->next)
        if (!strcmp(other->text, region)) return;
    node->text = region;
    yaml_append(table->replicas, node);
}

struct merge {
    struct import *import;
    struct import_table *old;
    const struct import_table *fresh;
    const char *of; /* "table X" or "index Y of table X" */
    struct ddbsim_error *error;
};

static bool is_better(const struct merge *m) { return m->fresh->rank > m->old->rank; }

/* They differ: does the fresh value count? Two of the same worth fail. */
static bool differ(struct merge *m, const char *what, const char *old, const char *fresh,
                   bool always_wrong) {
    if (always_wrong || m->fresh->rank == m->old->rank) {
        error_set(m->error, DDBSIM_INPUT, "%.80s: %s is %.60s in %.80s and %.60s in %.80s", m->of,
                  what, old, m->old->file, fresh, m->fresh->file);
        error_hint(m->error, "leave one of the two files out");
        return false;
    }
    bool better = is_better(m);
    import_note(m->import, IMPORT_ASSUMED, NULL, "%s: %s is %s in %s and %s in %s; %s counts",
                m->of, what, old, m->old->file, fresh, m->fresh->file,
                better ? m->fresh->file : m->old->file);
    return better;
}

static void merge_text(struct merge *m, const char *what, const char **old, const char *fresh,
                       bool always_wrong) {
    bool same = !fresh || (*old && !strcmp(*old, fresh));
    if (!same && (!*old || differ(m, what, *old, fresh, always_wrong))) *old = fresh;
}

static void merge_number(struct merge *m, const char *what, int64_t *old, int64_t fresh) {
    char was[24], is[24];
    if (fresh == IMPORT_UNKNOWN || *old == fresh) return;
    snprintf(was, sizeof was, "%" PRId64, *old);
    snprintf(is, sizeof is, "%" PRId64, fresh);
    if (*old == IMPORT_UNKNOWN || differ(m, what, was, is, false)) *old = fresh;
}

static void merge_resource(struct merge *m, struct import_resource *old,
                           const struct import_resource *fresh) {
    bool keyed = old->partition_key && fresh->partition_key;
    merge_text(m, "the partition key", &old->partition_key, fresh->partition_key, true);
    if (keyed && !old->sort_key != !fresh->sort_key)
        (void)differ(m, "the sort key", old->sort_key ? old->sort_key : "none",
                     fresh->sort_key ? fresh->sort_key : "none", true);
    merge_text(m, "the sort key", &old->sort_key, fresh->sort_key, true);
    merge_number(m, "the read capacity", &old->capacity.read, fresh->capacity.read);
    merge_number(m, "the write capacity", &old->capacity.write, fresh->capacity.write);
    merge_number(m, "the maximum of reads", &old->maximum.read, fresh->maximum.read);
    merge_number(m, "the maximum of writes", &old->maximum.write, fresh->maximum.write);
    merge_number(m, "the warm throughput of reads", &old->warm.read, fresh->warm.read);
    merge_number(m, "the warm throughput of writes", &old->warm.write, fresh->warm.write);
    merge_number(m, "the item count", &old->items, fresh->items);
    merge_number(m, "the size", &old->bytes, fresh->bytes);
    if (fresh->read.file) old->read = fresh->read;
    if (fresh->write.file) old->write = fresh->write;
    if (fresh->popularity) old->popularity = fresh->popularity;
}

static void merge_index(struct merge *m, const struct import_index *fresh) {
    struct import_index *old = import_index(m->import, m->old, fresh->resource.name);
    if (!old) return;
    struct merge own = *m;
    own.of =
        import_text(m->import, "index %s of table %s", fresh->resource.name, m->old->resource.name);
    if (!own.of) return;
    bool fresh_there = old->resource.partition_key == NULL;
    if (fresh_there) old->is_local = fresh->is_local;
    merge_text(&own, "the type", &(const char *){old->is_local ? "LOCAL" : "GLOBAL"},
               fresh->is_local ? "LOCAL" : "GLOBAL", true);
    merge_resource(&own, &old->resource, &fresh->resource);
    merge_text(&own, "the projection", &old->projection, fresh->projection, false);
    if (fresh->attributes) old->attributes = fresh->attributes;
    merge_number(&own, "the entry size", &old->entry_bytes, fresh->entry_bytes);
    merge_number(&own, "the share of items", &old->present, fresh->present);
}

static void merge_table(struct merge *m) {
    struct import_table *old = m->old;
    const struct import_table *fresh = m->fresh;
    merge_text(m, "the Region", &old->region, fresh->region, true);
    merge_text(m, "the billing mode", &old->billing, fresh->billing, false);
    merge_resource(m, &old->resource, &fresh->resource);
    merge_text(m, "the stream", &old->stream, fresh->stream, false);
    merge_text(m, "the TTL attribute", &old->ttl, fresh->ttl, false);
    merge_number(m, "the item size", &old->item_bytes, fresh->item_bytes);
    if (fresh->decreases_today > old->decreases_today)
        old->decreases_today = fresh->decreases_today;
    for (const struct yaml_node *region = fresh->replicas ? fresh->replicas->first : NULL; region;
         region = region->next)
        tables_add_replica(m->import, old, region->text);
    for (const struct import_index *index = fresh->indexes; index; index = index->next)
        merge_index(m, index);
    if (!is_better(m)) return;
    old->rank = fresh->rank;
    old->file = fresh->file;
}

enum ddbsim_status tables_check_count(const struct import *import, struct ddbsim_error *error) {
    if (import->table_count <= IMPORT_TABLES_MAX) return DDBSIM_OK;
    error_set(error, DDBSIM_INPUT, "the files name more than %u tables", IMPORT_TABLES_MAX);
    error_hint(error, "import the tables of one service at a time");
    return DDBSIM_INPUT;
}

enum ddbsim_status tables_add(struct import *import, const struct import_table *fresh,
                              struct ddbsim_error *error) {
    struct ddbsim_error own = {0};
    if (!error) error = &own;
    struct import_table *old = import_table(import, fresh->resource.name, fresh->file);
    if (!old) return error_memory(error);
    struct merge m = {.import = import, .old = old, .fresh = fresh, .error = error};
    m.of = import_text(import, "table %s", old->resource.name);
    if (!m.of) return error_memory(error);
    import_note(import, IMPORT_TOOK, fresh->file, "table %s", fresh->resource.name);
    merge_table(&m);
    return error->status != DDBSIM_OK ? error->status : tables_check_count(import, error);
}
