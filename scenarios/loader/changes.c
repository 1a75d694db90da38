/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes: what people do while the run goes on. Each is applied to the tree that earlier ones left
 * behind, and the whole is validated and read again: whatever a change makes wrong is found before
 * anything runs, and the simulator gets plain data for every stretch of time.
 *
 * Invariant: changes come out by time, and at equal times as written.
 */
#include <loader/load.h>

#include <base/buffer.h>
#include <jansson.h>
#include <loader/edit.h>
#include <loader/late.h>
#include <loader/validate.h>
#include <stdlib.h>
#include <string.h>

#define CHANGES_MAX 1000

struct planned {
    const struct yaml_node *node;
    int64_t at_ns;
};

/* Insertion sort: short lists, mostly in order, and equal times must stay as written. */
static void sort_by_time(struct planned *planned, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        struct planned moved = planned[i];
        uint32_t k = i;
        for (; k && planned[k - 1].at_ns > moved.at_ns; k--)
            planned[k] = planned[k - 1];
        planned[k] = moved;
    }
}

static enum ddbsim_status fail_nothing(struct reader *r, const struct yaml_node *node) {
    enum ddbsim_status status = yaml_fail(r->error, node, "the change does nothing");
    error_hint(r->error, "add set, create_index or delete_index");
    return status;
}

static enum ddbsim_status plan(struct reader *r, const struct yaml_node *list,
                               struct planned *planned) {
    for (const struct yaml_node *node = list->first; node; node = node->next, planned++) {
        planned->node = node;
        planned->at_ns = read_int(r, SECTION_CHANGE, node, "at", 0);
        if (planned->at_ns >= r->scenario->duration_ns)
            return read_fail_late(r, yaml_child(node, "at"), "the change comes");
        const struct yaml_node *set = yaml_child(node, "set");
        if (set && !set->count) return yaml_fail(r->error, set, "the change sets nothing");
        if (!set && !yaml_child(node, "create_index") && !yaml_child(node, "delete_index"))
            return fail_nothing(r, node);
    }
    return DDBSIM_OK;
}

/* Reads the scenario as it is once the tree stands. */
static enum ddbsim_status read_after(struct reader *r, const struct yaml_node *plain,
                                     uint32_t number, const struct ddbsim_scenario **out) {
    struct yaml_node *tree = yaml_copy(r->arena, plain);
    struct ddbsim_scenario *after = arena_alloc(r->arena, 1, sizeof *after);
    if (!tree || !after) return error_memory(r->error);
    after->file = r->scenario->file;
    after->place = r->scenario->place;
    after->text = r->scenario->text;
    after->variant = r->scenario->variant;
    struct reader inner = *r;
    inner.scenario = after;
    inner.change = number;
    *out = after;
    enum ddbsim_status status = validate_tree(r->arena, tree, &r->clock, r->error);
    return status ? status : read_scenario(&inner, tree);
}

static int take_json(const char *bytes, size_t length, void *buffer) {
    buffer_add(buffer, bytes, length);
    return 0;
}

static json_t *detail_of_set(const struct ddbsim_change *change) {
    json_t *set = json_object();
    bool whole = set != NULL;
    for (uint32_t i = 0; i < change->set_count && whole; i++)
        whole =
            json_object_set_new(set, change->sets[i].path, json_string(change->sets[i].value)) == 0;
    json_t *detail = whole ? json_pack("{s:s, s:O}", "name", change->name, "set", set) : NULL;
    json_decref(set);
    return detail;
}

/* {"name":...,"set":{PATH:VALUE,...}} or {"name":...,"table":...,"create_index":...}; NULL when memory is short,
 * which json_dumps does not always notice: the buffer does. */
static char *detail_json(const struct ddbsim_scenario *scenario,
                         const struct ddbsim_change *change) {
    const struct ddbsim_table *table = &scenario->tables[change->table];
    json_t *detail =
        change->kind == DDBSIM_SET
            ? detail_of_set(change)
            : json_pack("{s:s, s:s, s:s}", "name", change->name, "table", table->name,
                        change->kind == DDBSIM_CREATE_INDEX ? "create_index" : "delete_index",
                        table->indexes[change->index].name);
    struct buffer out = {0};
    bool dumped = detail && json_dump_callback(detail, take_json, &out,
                                               JSON_COMPACT | JSON_PRESERVE_ORDER) == 0;
    out.failed = out.failed || !dumped;
    json_decref(detail);
    return buffer_finish(&out);
}

static enum ddbsim_status read_detail(struct reader *r, struct ddbsim_change *change) {
    char *text = detail_json(r->scenario, change);
    if (text) change->detail = arena_copy(r->arena, text, strlen(text));
    free(text);
    return change->detail ? DDBSIM_OK : error_memory(r->error);
}

/* As it is written, else what it does. */
static const char *change_name(struct reader *r, const struct yaml_node *node,
                               const struct ddbsim_change *change) {
    const char *name = yaml_text(node, "name");
    if (name) return name;
    if (change->kind == DDBSIM_SET)
        return arena_printf(r->arena, "%s = %s", change->sets[0].path, change->sets[0].value);
    return arena_printf(r->arena, "%s %s",
                        change->kind == DDBSIM_CREATE_INDEX ? "create_index" : "delete_index",
                        r->scenario->tables[change->table].indexes[change->index].name);
}

static enum ddbsim_status read_change(struct reader *r, struct yaml_node *plain,
                                      const struct planned *planned, uint32_t number,
                                      struct ddbsim_change *out) {
    const struct yaml_node *set = yaml_child(planned->node, "set");
    out->at_ns = planned->at_ns;
    if (set) {
        out->set_count = set->count;
        out->sets = settings_of_set(r->arena, set);
        if (!out->sets) return error_memory(r->error);
    }
    enum ddbsim_status status = late_read(r, planned->node, out);
    if (status) return status;
    out->name = change_name(r, planned->node, out);
    if (!out->name) return error_memory(r->error);
    struct edit edit = {.arena = r->arena, .error = r->error, .change = number};
    status = read_detail(r, out);
    if (!status && set) status = edit_set_all(edit, plain, set);
    if (!status) late_stand(plain, planned->node);
    return status ? status : read_after(r, plain, number, &out->after);
}

/* A rate stays a rate, callers stay callers, and readers of a stream are what they are. */
static enum ddbsim_status check_source(struct reader *r, const struct planned *planned,
                                       const struct ddbsim_scenario *after) {
    for (uint32_t i = 0; i < r->scenario->workload_count && i < after->workload_count; i++) {
        bool closed = r->scenario->workloads[i].vus > 0;
        if (r->scenario->workloads[i].reads_stream != after->workloads[i].reads_stream)
            return yaml_fail(r->error, yaml_child(planned->node, "set"),
                             "a change cannot put a stream in the place of a rate, or a rate in "
                             "its place");
        if (closed == (after->workloads[i].vus > 0)) continue;
        return yaml_fail(r->error, yaml_child(planned->node, "set"),
                         "a change cannot turn a rate into callers, or callers into a rate");
    }
    return DDBSIM_OK;
}

static bool has_begun(const struct ddbsim_auto_scaling *before,
                      const struct ddbsim_auto_scaling *after) {
    return (after->read.enabled && !before->read.enabled) ||
           (after->write.enabled && !before->write.enabled) ||
           (after->scaler.enabled && !before->scaler.enabled);
}

/* What moves capacity may get other bounds; it moves it from the start or never. */
static enum ddbsim_status check_scaling(struct reader *r, const struct planned *planned,
                                        const struct ddbsim_scenario *after) {
    for (uint32_t i = 0; i < r->scenario->table_count && i < after->table_count; i++) {
        const struct ddbsim_table *before = &r->scenario->tables[i], *table = &after->tables[i];
        bool begun = has_begun(&before->scaling, &table->scaling);
        for (uint32_t k = 0; k < before->index_count && k < table->index_count && !begun; k++)
            begun = has_begun(&before->indexes[k].scaling, &table->indexes[k].scaling);
        if (!begun) continue;
        enum ddbsim_status status = yaml_fail(r->error, yaml_child(planned->node, "set"),
                                              "a change cannot begin to scale a capacity");
        error_hint(r->error,
                   "let the scaling stand from the start, with bounds that hold it still");
        return status;
    }
    return DDBSIM_OK;
}

enum ddbsim_status changes_read(struct reader *r, struct yaml_node *plain,
                                const struct yaml_node *list) {
    if (!list || !list->count) return DDBSIM_OK;
    if (list->count > CHANGES_MAX)
        return yaml_fail(r->error, list, "there are more than %d changes", CHANGES_MAX);
    struct ddbsim_change *changes = arena_alloc(r->arena, list->count, sizeof *changes);
    struct planned *planned = arena_alloc(r->arena, list->count, sizeof *planned);
    if (!changes || !planned) return error_memory(r->error);
    struct late_state late;
    enum ddbsim_status status = plan(r, list, planned);
    if (!status) status = late_begin(r, &late);
    if (!status) sort_by_time(planned, list->count);
    for (uint32_t i = 0; i < list->count && !status; i++) {
        status = read_change(r, plain, &planned[i], i + 1, &changes[i]);
        if (!status) status = check_source(r, &planned[i], changes[i].after);
        if (!status) status = check_scaling(r, &planned[i], changes[i].after);
        if (!status) status = late_follow(r, planned[i].node, &changes[i], &late);
    }
    r->scenario->changes = changes;
    r->scenario->change_count = list->count;
    return status;
}
