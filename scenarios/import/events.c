/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * AWS's event documents (workloads/replay/events.h) and reports of Contributor Insights as kinds of files. Requests
 * are replayed from their file; an UpdateTable becomes a change; an export gives sizes, numbers and how its keys are
 * filled; a report gives the popularity of a key.
 *
 * Invariant: each count that a reader makes is told in a note.
 */
#include "kinds.h"

#include "document.h"
#include "survey.h"

#include <inttypes.h>
#include <loader/literal.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/replay/events.h>
#include <workloads/replay/insights.h>

/* ---- what was counted ---- */

static enum import_note_kind note_kind(enum events_count count) {
    switch (count) {
    case EVENTS_KEYLESS:
    case EVENTS_SIZELESS:
        return IMPORT_NOTE_KINDS; /* the survey says it by table */
    case EVENTS_OTHER_SERVICES:
    case EVENTS_CONTROL:
    case EVENTS_STREAM_READS:
    case EVENTS_UNREACHED:
    case EVENTS_EXPIRIES:
    case EVENTS_OTHER_SPANS:
    case EVENTS_REPEATED:
    case EVENTS_TABLELESS:
        return IMPORT_PASSED;
    case EVENTS_GUESSED_KEYS:
    case EVENTS_DATA_FILES:
    case EVENTS_STATEMENTS:
    case EVENTS_ONE_TABLE:
        return IMPORT_ASSUMED;
    case EVENTS_BATCHES:
    case EVENTS_MEMBERS:
    case EVENTS_ITEMS:
    case EVENTS_LAST_WRITES:
    case EVENTS_COUNT_KINDS:
        break;
    }
    return IMPORT_TOOK;
}

static void note_counts(struct import *import, const char *path, const struct events *events) {
    char text[512];
    for (int i = 0; i < EVENTS_COUNT_KINDS; i++) {
        enum import_note_kind kind = note_kind((enum events_count)i);
        if (kind < IMPORT_NOTE_KINDS &&
            events_note(events, (enum events_count)i, text, sizeof text))
            import_note(import, kind, path, "%s", text);
    }
    if (events->kind != EVENTS_XRAY && events->kind != EVENTS_OTEL) return;
    import_note(import, IMPORT_MISSING, path,
                "spans are sampled: `amplify` of the workload's replay makes of them the load that "
                "there was");
    if (events->tried_requests == 0) return;
    import_note(import, IMPORT_TOOK, path,
                "%" PRIu64 " attempts of %" PRIu64
                " calls, %.3g a call: what --client has to come to",
                events->attempts, events->tried_requests,
                (double)events->attempts / (double)events->tried_requests);
}

/* ---- popularity ---- */

/* The words with their shares, and what is left for the others. */
static struct yaml_node *popularity(struct import *import, const struct insights *insights) {
    struct yaml_node *set = yaml_new(import->arena, YAML_MAPPING, NULL);
    char text[64];
    if (!set) {
        import->short_of_memory = true;
        return NULL;
    }
    struct yaml_node *list = import_map(import, set, "list");
    for (uint32_t i = 0; i < insights->top_count; i++) {
        const struct insights_key *key = &insights->top[i];
        literal_put_share(key->share, text, sizeof text);
        import_put(import, list, import_mask(import, key->text, strlen(key->text)), "%s", text);
    }
    if (insights->tail_share <= 0) return set;
    import_put(import, set, "count", "%" PRIu64, insights->unique);
    import_put(import, set, "theta", "%.9g", (double)insights->tail_theta / 1e9);
    return set;
}

/* ---- exports ---- */

/* The table that an export is of: its manifest says so; else the one that there is. */
static struct import_table *export_table(struct import *import, const char *path,
                                         const struct events *events) {
    const char *name = texts_at(&events->texts, events->export_table);
    if (name) return import_table(import, name, path);
    if (import->tables && !import->tables->next) return import->tables;
    import_note(import, IMPORT_MISSING, path,
                "which table this is of: give its description, or the export's "
                "manifest-summary.json, before this file");
    return NULL;
}

/* The attribute by which an item's key is found: of the only table that there is. */
static const char *export_columns(struct import *import) {
    const struct import_table *table = import->tables;
    if (!table || table->next || !table->resource.partition_key) return NULL;
    return import_text(import, "key=%s", table->resource.partition_key);
}

static uint64_t count_keys(const struct events *events, uint32_t *fullest) {
    uint64_t keys = 0;
    *fullest = 0;
    for (uint32_t i = 1; i < events->key_items_capacity; i++) {
        keys += events->key_items[i] > 0;
        if (events->key_items[i] > events->key_items[*fullest]) *fullest = i;
    }
    return keys;
}

static void note_items(struct import *import, const char *path, const struct events *events) {
    uint64_t items = events->counts[EVENTS_ITEMS];
    uint32_t fullest;
    uint64_t keys = events->key_items ? count_keys(events, &fullest) : 0;
    import_note(
        import, IMPORT_TOOK, path,
        "items of %.0f B in the mean, half of them up to %.0f B, one in a hundred above %.0f B",
        (double)events->item_bytes / (double)items, hist_quantile(&events->sizes, 0.5),
        hist_quantile(&events->sizes, 0.99));
    if (keys == 0) return;
    const char *key = texts_at(&events->texts, fullest);
    import_note(import, IMPORT_TOOK, path,
                "%" PRIu64 " partition keys; the fullest, %s, has %" PRIu32 " of %" PRIu64 " items",
                keys, import_mask(import, key, strlen(key)), events->key_items[fullest], items);
}

/* Where some keys have many more items than others, requests may be to them as often. */
static void guess_popularity(struct import *import, const char *path, const char *attribute,
                             const struct events *events) {
    uint32_t fullest, count = 0;
    uint64_t keys = events->key_items ? count_keys(events, &fullest) : 0, total = 0;
    if (keys < 2 || !attribute) return;
    for (uint32_t i = 1; i < events->key_items_capacity; i++)
        total += events->key_items[i];
    if (events->key_items[fullest] < 2 * (total / keys + 1)) return;
    struct insights_key *list = arena_alloc(import->arena, keys, sizeof *list);
    struct import_report *report = arena_alloc(import->arena, 1, sizeof *report);
    import->short_of_memory |= !list || !report;
    if (!list || !report) return;
    for (uint32_t i = 1; i < events->key_items_capacity; i++)
        if (events->key_items[i] > 0)
            list[count++] = (struct insights_key){
                import_text(import, "%s", texts_at(&events->texts, i)), events->key_items[i]};
    if (import->short_of_memory) return;
    struct insights insights;
    insights_of_counts(list, count, (int64_t)total, &insights);
    *report = (struct import_report){.file = path,
                                     .attribute = attribute,
                                     .popularity = popularity(import, &insights),
                                     .is_guess = true,
                                     .next = import->reports};
    import->reports = report;
}

static void take_export(struct import *import, const char *path, const struct events *events) {
    uint64_t items = events->counts[EVENTS_ITEMS], files = events->counts[EVENTS_DATA_FILES];
    struct import_table *table = export_table(import, path, events);
    if (items > 0) note_items(import, path, events);
    if (!table) return;
    if (items > 0 && table->item_bytes == IMPORT_UNKNOWN)
        table->item_bytes = (int64_t)((events->item_bytes + items / 2) / items);
    if (events->export_items >= 0 && table->resource.items <= 0)
        table->resource.items = events->export_items;
    if (files > 0) table->partitions = (int64_t)files;
    guess_popularity(import, path, table->resource.partition_key, events);
}

/* ---- changes ---- */

static enum ddbsim_status take_changes(struct import *import, const char *path,
                                       const struct events *events, struct ddbsim_error *error) {
    for (size_t i = 0; i < events->change_count; i++) {
        const struct events_change *change = &events->changes[i];
        struct import_change *own = arena_alloc(import->arena, 1, sizeof *own);
        const char *table = texts_at(&events->texts, change->table);
        const char *index = texts_at(&events->texts, change->index);
        if (!own) return error_memory(error);
        *own = (struct import_change){.file = path,
                                      .t_ns = change->t_ns,
                                      .table = import_text(import, "%s", table),
                                      .index = index ? import_text(import, "%s", index) : NULL,
                                      .capacity = {change->read, change->write},
                                      .before = {change->before_read, change->before_write},
                                      .changes_billing = change->billing >= 0};
        if (import->short_of_memory) return error_memory(error);
        *import->last_change = own;
        import->last_change = &own->next;
    }
    return DDBSIM_OK;
}

/* ---- keys ---- */

static enum ddbsim_status keep_replay(struct import *import, const char *path,
                                      const struct events *events,
                                      const struct survey_table *counted,
                                      struct ddbsim_error *error) {
    const char *partition = events_partition_name(events, counted->name);
    const char *sort = events_sort_name(events, counted->name);
    if (!partition || !counted->table) return DDBSIM_OK;
    struct import_replay *replay = arena_alloc(import->arena, 1, sizeof *replay);
    if (!replay) return error_memory(error);
    *replay = (struct import_replay){.file = path,
                                     .table = counted->table,
                                     .node = counted->replay,
                                     .partition_key = import_text(import, "%s", partition),
                                     .sort_key = sort ? import_text(import, "%s", sort) : NULL,
                                     .next = import->replays};
    import->replays = replay;
    return DDBSIM_OK;
}

static bool same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

/* The table's description knows which attribute is which; without one, what the document looks like holds. */
static enum ddbsim_status settle_keys(struct import *import, const struct import_replay *replay,
                                      struct ddbsim_error *error) {
    struct import_resource *table = &replay->table->resource;
    if (!table->partition_key) {
        table->partition_key = replay->partition_key;
        table->sort_key = replay->sort_key;
    }
    const char *known = table->partition_key;
    if (!same(known, replay->partition_key) && !same(known, replay->sort_key)) {
        error_set(error, DDBSIM_INPUT,
                  "the keys of table %.80s have the attribute %.80s; its description says %.80s",
                  table->name, replay->partition_key, known);
        error_place(error, replay->file, 0, 0);
        error_hint(error, "one of the files is of another table of that name");
        return DDBSIM_INPUT;
    }
    import_put(import, import_map(import, replay->node, "columns"), "key", "%s", known);
    return DDBSIM_OK;
}

/* ---- a file ---- */

static enum ddbsim_status read_feed(void *context, char *bytes, size_t size, size_t *got,
                                    struct ddbsim_error *error) {
    return feed_bytes(context, bytes, size, got, error);
}

static enum ddbsim_status survey_events(struct import *import, const struct import_file *file,
                                        const struct events *events, struct ddbsim_error *error) {
    const struct survey_replay replay = {
        .format = events_kind_name(events->kind),
        .throttled_requests = events->kind == EVENTS_XRAY || events->kind == EVENTS_OTEL,
        .is_absolute = true,
        .resolution_ns = events_resolution_ns(events),
    };
    struct survey survey;
    struct recorded row;
    enum ddbsim_status status = DDBSIM_OK;
    survey_begin(&survey, import, file);
    for (size_t i = 0; i < events->event_count && !status; i++) {
        events_row(events, i, &row);
        status = survey_add(&survey, &row, error);
    }
    if (!status) status = survey_take(&survey, &replay, error);
    for (uint32_t i = 0; i < survey.table_count && !status; i++)
        status = keep_replay(import, file->path, events, &survey.tables[i], error);
    survey_free(&survey);
    return status;
}

static enum ddbsim_status take_events(struct import *import, const struct import_file *file,
                                      enum events_kind kind, struct ddbsim_error *error) {
    const struct recording_options options = {
        .file = file->path, .columns = kind == EVENTS_S3_EXPORT ? export_columns(import) : NULL};
    struct events events = {0};
    struct feed *feed;
    enum ddbsim_status status = feed_create(file->path, &feed, error);
    if (!status) status = events_read(&events, kind, &options, read_feed, feed, error);
    if (!status) status = survey_events(import, file, &events, error);
    if (!status) status = take_changes(import, file->path, &events, error);
    if (!status && kind == EVENTS_S3_EXPORT) take_export(import, file->path, &events);
    if (!status) note_counts(import, file->path, &events);
    events_free(&events);
    feed_destroy(feed);
    return status;
}

/* A row of kinds.c each. */
#define X(e, token, name, what)                                                                   \
    bool events_is_##token(const struct import_file *file) {                                      \
        return events_recognise(file->text, file->length) == (int)EVENTS_##e;                     \
    }                                                                                             \
    enum ddbsim_status events_take_##token(struct import *import, const struct import_file *file, \
                                           struct ddbsim_error *error) {                          \
        return take_events(import, file, EVENTS_##e, error);                                      \
    }
EVENTS_KINDS(X)
#undef X

/* ---- Contributor Insights ---- */

bool events_is_insights(const struct import_file *file) {
    return file->document && insights_recognise(document_root(file->document));
}

static bool is_key(const struct import_resource *resource, const char *attribute) {
    return resource->partition_key && strcmp(resource->partition_key, attribute) == 0;
}

/* The table or index whose partition key has the report's attribute: tables first; NULL: none, or several. */
static struct import_resource *find_resource(const struct import *import, const char *attribute,
                                             uint32_t *found) {
    struct import_resource *out = NULL;
    *found = 0;
    for (struct import_table *table = import->tables; table; table = table->next) {
        if (!is_key(&table->resource, attribute)) continue;
        out = &table->resource;
        ++*found;
    }
    for (struct import_table *table = import->tables; table && !out; table = table->next)
        for (struct import_index *index = table->indexes; index; index = index->next)
            if (is_key(&index->resource, attribute)) {
                out = &index->resource;
                ++*found;
            }
    return *found == 1 ? out : NULL;
}

static void note_report(struct import *import, const char *path, const struct insights *insights) {
    import_note(import, IMPORT_TOOK, path,
                "%u keys by their shares, the busiest %.3g%%; %" PRIu64 " keys in all",
                insights->top_count, (double)insights->top[0].share / 1e7, insights->unique);
    if (insights->is_flat)
        import_note(import, IMPORT_ASSUMED, path,
                    "the keys that are not listed are alike: they have more than any of them could "
                    "have by rank");
    else if (insights->tail_share > 0)
        import_note(
            import, IMPORT_ASSUMED, path,
            "the keys that are not listed follow Zipf's law with theta %.3g (0..5), from the "
            "last that is: so they come to the %.3g%% that the list leaves",
            (double)insights->tail_theta / 1e9, (double)insights->tail_share / 1e7);
}

enum ddbsim_status events_take_insights(struct import *import, const struct import_file *file,
                                        struct ddbsim_error *error) {
    struct insights insights;
    enum ddbsim_status status =
        insights_read(document_root(file->document), import->arena, &insights, error);
    if (status == DDBSIM_INPUT) error_place(error, file->path, 1, 1);
    if (status) return status;
    struct import_report *report = arena_alloc(import->arena, 1, sizeof *report);
    if (!report) return error_memory(error);
    note_report(import, file->path, &insights);
    *report = (struct import_report){.file = file->path,
                                     .attribute = insights.label,
                                     .popularity = popularity(import, &insights),
                                     .next = import->reports};
    import->reports = report;
    return import->short_of_memory ? error_memory(error) : DDBSIM_OK;
}

static void note_homeless(struct import *import, const struct import_report *report,
                          uint32_t found) {
    import_note(import, IMPORT_MISSING, report->file, "whose key \"%s\" is: %s", report->attribute,
                found == 0   ? "no table and no index has it as its partition key"
                : found == 1 ? "another report is of the same key"
                             : "several have it as their partition key");
}

/* Whose key a report is of. */
static void join_report(struct import *import, const struct import_report *report) {
    uint32_t found;
    struct import_resource *resource = find_resource(import, report->attribute, &found);
    struct import_table *first = import->tables;
    if (!resource && first && !first->next && !first->resource.partition_key) {
        resource = &first->resource;
        resource->partition_key = report->attribute;
    }
    if (!resource || (resource->popularity && !report->is_guess)) {
        note_homeless(import, report, found);
    } else if (!resource->popularity) {
        resource->popularity = report->popularity;
        if (report->is_guess)
            import_note(
                import, IMPORT_ASSUMED, report->file,
                "requests are to partition keys of %s as often as items have them: a report "
                "of Contributor Insights would say it",
                resource->name);
    }
}

static void join_reports(struct import *import) {
    for (int guess = 0; guess < 2; guess++)
        for (struct import_report *report = import->reports; report; report = report->next)
            if (report->is_guess == guess) join_report(import, report);
}

/* A description tells a capacity of its own time. What the first change found is that of the start. */
static struct import_resource *changed_resource(const struct import *import,
                                                const struct import_change *change) {
    struct import_table *table = import_find_table(import, change->table);
    struct import_index *index =
        table && change->index ? import_find_index(table, change->index) : NULL;
    if (!table || (change->index && !index)) return NULL;
    return index ? &index->resource : &table->resource;
}

static void note_before(struct import *import, const struct import_change *change) {
    struct import_resource *resource = changed_resource(import, change);
    bool covered = change->t_ns >= import->from_unix_ns && change->t_ns <= import->to_unix_ns;
    if (!resource || !covered) return;
    if (resource->first_change && resource->first_change->t_ns <= change->t_ns) return;
    resource->first_change = change;
}

static void settle_before(struct import_resource *resource) {
    const struct import_change *change = resource->first_change;
    struct import_units *own = &resource->capacity;
    if (!change) return;
    if (own->read > 0 && change->before.read > 0) own->read = change->before.read;
    if (own->write > 0 && change->before.write > 0) own->write = change->before.write;
}

static void join_changes(struct import *import) {
    for (const struct import_change *change = import->changes; change; change = change->next)
        note_before(import, change);
    for (struct import_table *table = import->tables; table; table = table->next) {
        settle_before(&table->resource);
        for (struct import_index *index = table->indexes; index; index = index->next)
            settle_before(&index->resource);
    }
}

/* When all tables are known. */
enum ddbsim_status events_join(struct import *import, struct ddbsim_error *error) {
    for (struct import_replay *replay = import->replays; replay; replay = replay->next) {
        enum ddbsim_status status = settle_keys(import, replay, error);
        if (status) return status;
    }
    join_changes(import);
    join_reports(import);
    return import->short_of_memory ? error_memory(error) : DDBSIM_OK;
}
