/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests that a program brings by call (ddbsim/inject.h).
 *
 * The injected workload stands behind all others, in the scenario and in what each change makes of it, so
 * no number of the others shifts; its streams have its name, so no draw of theirs does. It lists every
 * operation on every table, because the log counts by them. A key's position is that of its texts: the
 * hash of the partition key as the generators take it, and the first eight bytes of the sort key.
 *
 * Invariants: a text is kept once and numbered in the order of first use; a request that is refused as
 * impossible leaves no trace but, at most, the texts of its keys.
 */
#include <study/injected.h>

#include <base/arena.h>
#include <base/check.h>
#include <base/error.h>
#include <base/hash.h>
#include <base/vector.h>
#include <loader/grammar.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES_MAX 2048 /* AWS's limit for a partition key */

struct injected {
    struct arena *arena;
    struct ddbsim_scenario scenario;
    uint64_t number; /* of the next request */
    const char **texts;
    size_t text_count, text_capacity;
    uint32_t *slots; /* open addressing by hash: number of a text + 1; 0: free */
    size_t slot_count;
};

/* ---- the workload ---- */

static bool list_operations(struct injected *in, struct ddbsim_workload *workload) {
    uint32_t count = in->scenario.table_count * DDBSIM_SINGLE_KINDS;
    struct ddbsim_operation *operations = arena_alloc(in->arena, count, sizeof *operations);
    if (!operations) return false;
    for (uint32_t i = 0; i < count; i++) {
        int kind = (int)(i % DDBSIM_SINGLE_KINDS);
        operations[i] = (struct ddbsim_operation){
            .name = ddbsim_operation_name(kind),
            .kind = (enum ddbsim_operation_kind)kind,
            .table = i / DDBSIM_SINGLE_KINDS,
            .index = DDBSIM_NONE,
            .times = 1,
        };
    }
    workload->operations = operations;
    workload->operation_count = count;
    return true;
}

static bool append_workload(struct injected *in, struct ddbsim_scenario *scenario,
                            const struct ddbsim_workload *workload) {
    uint32_t count = scenario->workload_count;
    struct ddbsim_workload *all = arena_alloc(in->arena, count + 1, sizeof *all);
    if (!all) return false;
    if (count > 0) memcpy(all, scenario->workloads, count * sizeof *all);
    all[count] = *workload;
    scenario->workloads = all;
    scenario->workload_count++;
    return true;
}

/* Changes know the scenario as it stands after them: the workload goes on there. */
static bool extend_changes(struct injected *in, const struct ddbsim_workload *workload) {
    uint32_t count = in->scenario.change_count;
    if (count == 0) return true;
    struct ddbsim_change *changes = arena_alloc(in->arena, count, sizeof *changes);
    struct ddbsim_scenario *after = arena_alloc(in->arena, count, sizeof *after);
    if (!changes || !after) return false;
    for (uint32_t i = 0; i < count; i++) {
        changes[i] = in->scenario.changes[i];
        after[i] = *changes[i].after;
        if (!append_workload(in, &after[i], workload)) return false;
        changes[i].after = &after[i];
    }
    in->scenario.changes = changes;
    return true;
}

static enum ddbsim_status check_name(const struct ddbsim_scenario *scenario, const char *name,
                                     struct ddbsim_error *error) {
    struct literal_problem problem = {0};
    struct literal_clock clock = {0};
    struct grammar_value value;
    const struct grammar_key *key = grammar_find(SECTION_WORKLOAD, "name");
    CHECK(key != NULL);
    if (!grammar_read(key, name, &clock, &value, &problem))
        return error_set(error, DDBSIM_INPUT, "inject_as: %s", problem.message);
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (!strcmp(scenario->workloads[i].name, name))
            return error_set(error, DDBSIM_INPUT, "inject_as: the scenario has a workload \"%s\"",
                             name);
    return DDBSIM_OK;
}

static enum ddbsim_status injected_init(struct injected *in, const char *name,
                                        struct ddbsim_error *error) {
    enum ddbsim_status status = check_name(&in->scenario, name, error);
    if (status != DDBSIM_OK) return status;
    in->arena = arena_create(0);
    if (!in->arena) return error_memory(error);
    struct ddbsim_workload workload = {
        .name = arena_copy(in->arena, name, strlen(name)),
        .end_ns = in->scenario.duration_ns,
        .scale = 1,
        .client = {.processes = 1, .max_attempts = 1},
    };
    bool ok = workload.name && list_operations(in, &workload) && extend_changes(in, &workload) &&
              append_workload(in, &in->scenario, &workload);
    return ok ? DDBSIM_OK : error_memory(error);
}

struct injected *injected_create(const struct ddbsim_scenario *scenario, const char *name,
                                 struct ddbsim_error *error) {
    struct injected *in = calloc(1, sizeof *in);
    if (!in) {
        error_memory(error);
        return NULL;
    }
    in->scenario = *scenario;
    if (injected_init(in, name, error) == DDBSIM_OK) return in;
    injected_destroy(in);
    return NULL;
}

void injected_destroy(struct injected *in) {
    if (!in) return;
    arena_destroy(in->arena);
    free(in->texts);
    free(in->slots);
    free(in);
}

const struct ddbsim_scenario *injected_scenario(const struct injected *in) { return &in->scenario; }

/* ---- a source without arrivals ---- */

static int64_t never_peek(void *self) {
    (void)self;
    return INT64_MAX;
}
static void never_take(void *self, struct ddbsim_arrival *out) {
    (void)self;
    (void)out;
    CHECK(false);
}
static bool never_request(void *self, const struct ddbsim_arrival *arrival, uint32_t step,
                          int64_t now_ns, struct ddbsim_request *out) {
    (void)self;
    (void)arrival;
    (void)step;
    (void)now_ns;
    (void)out;
    return false;
}
static void never_change(void *self, const struct ddbsim_scenario *after, int64_t now_ns) {
    (void)self;
    (void)after;
    (void)now_ns;
}
static void never_destroy(void *self) { (void)self; }

struct ddbsim_source injected_source(void) {
    return (struct ddbsim_source){.peek = never_peek,
                                  .take = never_take,
                                  .request = never_request,
                                  .change = never_change,
                                  .destroy = never_destroy};
}

/* ---- keys ---- */

struct ddbsim_key injected_key(const char *partition_key, const char *sort_key) {
    uint64_t sort = 0;
    size_t length = sort_key ? strlen(sort_key) : 0;
    for (size_t i = 0; i < 8; i++)
        sort = sort << 8 | (i < length ? (unsigned char)sort_key[i] : 0);
    return (struct ddbsim_key){.hash = hash64(partition_key, strlen(partition_key)),
                               .sort = sort,
                               .entity = INJECTED_ENTITY};
}

static bool grow_slots(struct injected *in) {
    if (2 * (in->text_count + 1) <= in->slot_count) return true;
    size_t slot_count = in->slot_count ? 2 * in->slot_count : 256;
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < in->text_count; i++) {
        size_t slot = hash64(in->texts[i], strlen(in->texts[i])) & (slot_count - 1);
        while (slots[slot])
            slot = (slot + 1) & (slot_count - 1);
        slots[slot] = (uint32_t)i + 1;
    }
    free(in->slots);
    in->slots = slots;
    in->slot_count = slot_count;
    return true;
}

/* False when memory is short. */
static bool keep_text(struct injected *in, const char *text, uint64_t hash, uint64_t *number) {
    if (!grow_slots(in)) return false;
    size_t slot = hash & (in->slot_count - 1);
    for (; in->slots[slot]; slot = (slot + 1) & (in->slot_count - 1)) {
        *number = in->slots[slot] - 1;
        if (!strcmp(in->texts[*number], text)) return true;
    }
    void *texts = in->texts;
    if (in->text_count == UINT32_MAX - 1 ||
        !vector_reserve(&texts, &in->text_capacity, in->text_count + 1, sizeof *in->texts))
        return false;
    in->texts = texts;
    char *copy = arena_copy(in->arena, text, strlen(text));
    if (!copy) return false;
    *number = in->text_count;
    in->texts[in->text_count++] = copy;
    in->slots[slot] = (uint32_t)in->text_count;
    return true;
}

const char *injected_key_text(const struct injected *in, uint64_t ordinal) {
    CHECK(ordinal < in->text_count);
    return in->texts[ordinal];
}

static enum ddbsim_status describe_key(struct injected *in, const char *partition_key,
                                       const char *sort_key, struct ddbsim_key *out,
                                       struct ddbsim_error *error) {
    if (!partition_key || !*partition_key)
        return error_set(error, DDBSIM_INPUT, "a partition key is missing");
    if (strlen(partition_key) > KEY_BYTES_MAX)
        return error_set(error, DDBSIM_INPUT, "a partition key has more than %d bytes",
                         KEY_BYTES_MAX);
    *out = injected_key(partition_key, sort_key);
    return keep_text(in, partition_key, out->hash, &out->ordinal) ? DDBSIM_OK : error_memory(error);
}

/* ---- a request ---- */

static enum ddbsim_status check_bytes(int64_t bytes, bool wanted, const char *what,
                                      struct ddbsim_error *error) {
    const struct grammar_key *key = grammar_find(SECTION_ENTITY, "size");
    struct literal_problem problem = {0};
    CHECK(key != NULL);
    if (bytes == 0 && !wanted) return DDBSIM_OK;
    if (grammar_in_range(key, bytes, &problem)) return DDBSIM_OK;
    return error_set(error, DDBSIM_INPUT, "%s: %s", what, problem.message);
}

static enum ddbsim_status check_item(const struct ddbsim_injection *from,
                                     struct ddbsim_error *error) {
    bool is_write = ddbsim_operation_is_write((int)from->kind);
    bool leaves = is_write && from->kind != DDBSIM_DELETE_ITEM;
    enum ddbsim_status status = check_bytes(from->old_bytes, false, "old_bytes", error);
    if (status == DDBSIM_OK && leaves)
        status = check_bytes(from->new_bytes, true, "new_bytes", error);
    if (status != DDBSIM_OK) return status;
    if (from->kind == DDBSIM_DELETE_ITEM && from->new_bytes != 0)
        return error_set(error, DDBSIM_INPUT, "new_bytes: a DeleteItem leaves no item");
    if (!is_write && from->entry_count > 0)
        return error_set(error, DDBSIM_INPUT, "entries: a read does nothing to indexes");
    if (from->entry_count > 0 && !from->entries)
        return error_set(error, DDBSIM_INPUT, "entries: the list is missing");
    return DDBSIM_OK;
}

/* Sides that the effect has must weigh something, the others nothing. */
static enum ddbsim_status check_entry(const struct ddbsim_injected_entry *entry,
                                      struct ddbsim_error *error) {
    bool has_old = entry->effect != DDBSIM_EFFECT_ADD;
    bool has_new = entry->effect != DDBSIM_EFFECT_REMOVE;
    if ((int)entry->effect < 0 || entry->effect > DDBSIM_EFFECT_REWRITE)
        return error_set(error, DDBSIM_INPUT, "entries: there is no such effect");
    if ((!has_old && entry->old_bytes != 0) || (!has_new && entry->new_bytes != 0))
        return error_set(error, DDBSIM_INPUT,
                         "entries: the side that does not exist weighs something");
    enum ddbsim_status status = check_bytes(entry->old_bytes, has_old, "entries: old_bytes", error);
    return status ? status : check_bytes(entry->new_bytes, has_new, "entries: new_bytes", error);
}

static enum ddbsim_status describe_keys(struct injected *in,
                                        const struct ddbsim_injected_entry *entry,
                                        struct ddbsim_index_work *work,
                                        struct ddbsim_error *error) {
    bool old_alone = entry->effect == DDBSIM_EFFECT_REMOVE;
    bool both = entry->effect == DDBSIM_EFFECT_MOVE;
    enum ddbsim_status status = DDBSIM_OK;
    if (old_alone || both)
        status =
            describe_key(in, entry->old_partition_key, entry->old_sort_key, &work->old_key, error);
    if (!old_alone && status == DDBSIM_OK)
        status =
            describe_key(in, entry->new_partition_key, entry->new_sort_key, &work->new_key, error);
    if (old_alone) work->new_key = work->old_key;
    if (!old_alone && !both) work->old_key = work->new_key;
    return status;
}

static enum ddbsim_status describe_entry(struct injected *in,
                                         const struct ddbsim_injected_entry *entry,
                                         struct ddbsim_request *out, struct ddbsim_error *error) {
    if (entry->index >= in->scenario.tables[out->table].index_count)
        return error_set(error, DDBSIM_INPUT, "entries: the table has no index %u", entry->index);
    for (uint32_t i = 0; i < out->work_count; i++)
        if (out->work[i].index == entry->index)
            return error_set(error, DDBSIM_INPUT, "entries: index %u stands there twice",
                             entry->index);
    enum ddbsim_status status = check_entry(entry, error);
    if (status != DDBSIM_OK) return status;
    CHECK(out->work_count < DDBSIM_INDEXES_MAX);
    struct ddbsim_index_work *work = &out->work[out->work_count++];
    *work = (struct ddbsim_index_work){.index = entry->index,
                                       .effect = entry->effect,
                                       .old_bytes = entry->old_bytes,
                                       .new_bytes = entry->new_bytes};
    return describe_keys(in, entry, work, error);
}

enum ddbsim_status injected_describe(struct injected *in, const struct ddbsim_injection *from,
                                     struct ddbsim_request *out, struct ddbsim_error *error) {
    if ((int)from->kind < 0 || from->kind >= DDBSIM_OPERATION_KINDS)
        return error_set(error, DDBSIM_INPUT, "there is no such operation");
    if (from->kind >= DDBSIM_SINGLE_KINDS) {
        error_set(error, DDBSIM_INPUT, "%s cannot be injected as a whole",
                  ddbsim_operation_is_batch((int)from->kind)
                      ? "a batch"
                      : ddbsim_operation_name((int)from->kind));
        error_hint(error, "inject its members one by one, as DynamoDB judges them");
        return DDBSIM_INPUT;
    }
    if (from->table >= in->scenario.table_count)
        return error_set(error, DDBSIM_INPUT, "there is no table %u", from->table);
    enum ddbsim_status status = check_item(from, error);
    if (status != DDBSIM_OK) return status;
    bool is_write = ddbsim_operation_is_write((int)from->kind);
    out->number = in->number;
    out->workload = in->scenario.workload_count - 1;
    out->step = out->process = 0;
    out->operation = from->table * DDBSIM_SINGLE_KINDS + (uint32_t)from->kind;
    out->members = out->more = out->branches = 0;
    out->special = 0;
    out->items = from->kind == DDBSIM_QUERY;
    out->returned = (uint32_t)DDBSIM_SHARE_ONE;
    out->kind = from->kind;
    out->index = DDBSIM_NONE;
    out->table = from->table;
    out->old_bytes = from->old_bytes;
    out->new_bytes = is_write ? from->new_bytes : from->old_bytes;
    out->consistent = from->consistent_read;
    out->renews = ddbsim_operation_puts((int)from->kind);
    out->work_count = 0;
    out->index = DDBSIM_NONE;
    status = describe_key(in, from->partition_key, from->sort_key, &out->key, error);
    for (uint32_t i = 0; i < from->entry_count && status == DDBSIM_OK; i++)
        status = describe_entry(in, &from->entries[i], out, error);
    return status;
}

void injected_done(struct injected *in) { in->number++; }
