/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workloads: when, how much, by whom. What each arrival does stands in read_operation.c, how callers retry in
 * read_client.c. */
#include <loader/read.h>

#include <base/check.h>
#include <loader/usual.h>
#include <string.h>

/* ---- load ---- */

/* Beyond the most that a rate can be, a run would never end. */
static enum ddbsim_status check_rate(struct reader *r, const struct yaml_node *at, double scale,
                                     double rate_per_s) {
    if (rate_per_s * scale <= LITERAL_RATE_MAX_PER_S) return DDBSIM_OK;
    return yaml_fail(r->error, at, "times the scale this is more than %.0f a second",
                     LITERAL_RATE_MAX_PER_S);
}

static enum ddbsim_status read_stages(struct reader *r, struct yaml_node *workload,
                                      struct ddbsim_workload *out) {
    const struct yaml_node *list = yaml_child(workload, "stages");
    if (!list || !list->count) return DDBSIM_OK;
    struct ddbsim_stage *stages = arena_alloc(r->arena, list->count, sizeof *stages);
    if (!stages) return error_memory(r->error);
    struct ddbsim_stage *stage = stages;
    for (const struct yaml_node *node = list->first; node; node = node->next, stage++) {
        const char *name = yaml_text(node, "name");
        stage->name = name ? name : arena_printf(r->arena, "%u", (uint32_t)(stage - stages) + 1);
        if (!stage->name) return error_memory(r->error);
        stage->duration_ns = read_int(r, SECTION_STAGE, node, "duration", 0);
        stage->target_per_s = read_real(r, SECTION_STAGE, node, "target", 0);
        enum ddbsim_status status =
            check_rate(r, read_at(node, "target"), out->scale, stage->target_per_s);
        if (status) return status;
    }
    out->stages = stages;
    out->stage_count = list->count;
    return read_fill_text(r, workload, "start_rate", "0/s");
}

/* A closed loop: callers instead of a rate. */
static enum ddbsim_status read_callers(struct reader *r, struct yaml_node *node,
                                       struct ddbsim_workload *out) {
    const struct yaml_node *max_vus = yaml_child(node, "max_vus");
    if (max_vus) return yaml_fail_key(r->error, max_vus, "max_vus bounds a rate; here are callers");
    out->vus = (uint32_t)read_int(r, SECTION_WORKLOAD, node, "vus", 1);
    out->iterations = (uint64_t)read_int(r, SECTION_WORKLOAD, node, "iterations", 0);
    out->think_time_ns = read_int(r, SECTION_WORKLOAD, node, "think_time", 0);
    enum ddbsim_status status = read_fill(r, SECTION_WORKLOAD, node, "vus", out->vus);
    return status ? status : read_fill(r, SECTION_WORKLOAD, node, "think_time", out->think_time_ns);
}

static enum ddbsim_status read_shaped(struct reader *r, struct yaml_node *node,
                                      struct ddbsim_workload *out) {
    const struct yaml_node *shape = yaml_child(node, "shape");
    const char *const rates[] = {"base", "peak"};
    enum ddbsim_status status = DDBSIM_OK;
    for (int i = 0; i < 2 && !status; i++)
        status = check_rate(r, read_at(shape, rates[i]), out->scale,
                            read_real(r, SECTION_SHAPE, shape, rates[i], 0));
    out->max_vus = (uint32_t)read_int(r, SECTION_WORKLOAD, node, "max_vus", 0);
    return status ? status : read_shape(r, node, out);
}

static enum ddbsim_status read_rate(struct reader *r, struct yaml_node *node,
                                    struct ddbsim_workload *out) {
    if (yaml_child(node, "shape")) return read_shaped(r, node, out);
    const char *key = yaml_child(node, "rate") ? "rate" : "start_rate";
    out->start_rate_per_s = read_real(r, SECTION_WORKLOAD, node, key, 0);
    out->max_vus = (uint32_t)read_int(r, SECTION_WORKLOAD, node, "max_vus", 0);
    enum ddbsim_status status =
        check_rate(r, read_at(node, key), out->scale, out->start_rate_per_s);
    return status ? status : read_stages(r, node, out);
}

/* A table's stream instead of a clock. */
static enum ddbsim_status read_stream(struct reader *r, struct yaml_node *node,
                                      struct ddbsim_workload *out) {
    const struct yaml_node *max_vus = yaml_child(node, "max_vus");
    const struct yaml_node *of = yaml_child(node, "stream_of");
    const struct ddbsim_scenario *s = r->scenario;
    if (!of)
        return yaml_fail(
            r->error, node,
            "stream_records, and the keys of a stream's Lambda, go only with stream_of");
    if (max_vus) return yaml_fail_key(r->error, max_vus, "max_vus bounds a rate; here are records");
    if (read_real(r, SECTION_WORKLOAD, node, "scale", 1) != 1)
        return yaml_fail(r->error, read_at(node, "scale"),
                         "a stream has as many records as it has");
    struct suggest suggest;
    suggest_start(&suggest, of->text);
    out->reads_stream = true;
    for (out->stream_of = 0; out->stream_of < s->table_count; out->stream_of++) {
        if (!strcmp(s->tables[out->stream_of].name, of->text)) break;
        suggest_offer(&suggest, s->tables[out->stream_of].name);
    }
    if (out->stream_of == s->table_count) return read_fail_word(r, of, "table", &suggest, NULL);
    if (s->tables[out->stream_of].stream == DDBSIM_STREAM_NONE) {
        enum ddbsim_status status =
            yaml_fail(r->error, of, "the table \"%.60s\" has no stream", of->text);
        error_hint(r->error, "add `stream: NEW_AND_OLD_IMAGES` to it");
        return status;
    }
    out->scale = 1;
    out->stream_records =
        (enum ddbsim_stream_records)read_int(r, SECTION_WORKLOAD, node, "stream_records", 0);
    return read_fill(r, SECTION_WORKLOAD, node, "stream_records", out->stream_records);
}

static enum ddbsim_status read_load(struct reader *r, struct yaml_node *node,
                                    struct ddbsim_workload *out) {
    bool closed = yaml_child(node, "vus") || yaml_child(node, "iterations");
    read_stream_lambda(r, node, &out->lambda);
    if (yaml_child(node, "stream_of") || yaml_child(node, "stream_records") || out->lambda.enabled)
        return read_stream(r, node, out);
    bool any = closed || yaml_child(node, "rate") || yaml_child(node, "start_rate") ||
               read_count(node, "stages") || yaml_child(node, "shape") ||
               yaml_child(node, "replay");
    if (!any) {
        enum ddbsim_status status = yaml_fail(r->error, node, "the workload has no source of load");
        error_hint(
            r->error,
            "add `rate`, or `start_rate` and `stages`, or `shape`, `vus`, `stream_of` or `replay`");
        return status;
    }
    out->scale = read_real(r, SECTION_WORKLOAD, node, "scale", 1);
    if (out->scale > DDBSIM_SCALE_MAX)
        return yaml_fail(r->error, read_at(node, "scale"), "the scale lies outside 0..1000000");
    enum ddbsim_status status = read_arrivals(r, node, out);
    if (status) return status;
    if (yaml_child(node, "replay")) return read_replay(r, node, out);
    return closed ? read_callers(r, node, out) : read_rate(r, node, out);
}

static enum ddbsim_status read_window(struct reader *r, struct yaml_node *node,
                                      struct ddbsim_workload *out) {
    int64_t end = r->scenario->duration_ns;
    out->start_ns = read_int(r, SECTION_WORKLOAD, node, "start_time", 0);
    out->end_ns = read_int(r, SECTION_WORKLOAD, node, "end_time", end);
    if (out->start_ns >= end)
        return yaml_fail(r->error, read_at(node, "start_time"),
                         "the workload begins after the scenario's end");
    if (out->end_ns > end)
        return yaml_fail(r->error, read_at(node, "end_time"),
                         "the workload ends after the scenario's end");
    if (out->end_ns <= out->start_ns)
        return yaml_fail(r->error, read_at(node, "end_time"), "the workload ends before it begins");
    enum ddbsim_status status = read_fill(r, SECTION_WORKLOAD, node, "start_time", out->start_ns);
    return status ? status : read_fill(r, SECTION_WORKLOAD, node, "end_time", out->end_ns);
}

/* ---- work ---- */

/* A workload draws from a bounded number of value sets: one draw an arrival for each. */
static enum ddbsim_status check_value_sets(struct reader *r, const struct yaml_node *node,
                                           const struct ddbsim_workload *workload) {
    bool *used = arena_alloc(r->arena, r->scenario->value_count + 1, sizeof *used);
    if (!used) return error_memory(r->error);
    uint32_t count = template_sets_drawn(r->scenario, workload, used);
    if (count <= DDBSIM_VALUE_SETS_MAX) return DDBSIM_OK;
    return yaml_fail(r->error, node,
                     "the workload's keys draw from %u value sets; at most %d can be", count,
                     DDBSIM_VALUE_SETS_MAX);
}

/* A sequence at once. What has branches of its own is not a branch. */
static enum ddbsim_status read_parallel(struct reader *r, const struct yaml_node *node,
                                        struct ddbsim_workload *out) {
    const struct yaml_node *written = yaml_child(node, "parallel");
    if (!written) return DDBSIM_OK;
    if (!out->sequence) return yaml_fail_key(r->error, written, "parallel belongs to a sequence");
    out->parallel = read_int(r, SECTION_WORKLOAD, node, "parallel", false);
    for (uint32_t i = 0; i < out->operation_count && out->parallel; i++)
        if (out->operations[i].total_segments > 1 || out->operations[i].parallel > 1) {
            enum ddbsim_status status = yaml_fail_key(
                r->error, written, "%.60s is many calls at once already", out->operations[i].name);
            error_hint(r->error, "put it into a workload of its own");
            return status;
        }
    return DDBSIM_OK;
}

static enum ddbsim_status read_operations(struct reader *r, const struct yaml_node *node,
                                          struct ddbsim_workload *out) {
    out->sequence = yaml_child(node, "sequence");
    const struct yaml_node *list = yaml_child(node, out->sequence ? "sequence" : "mix");
    if (!list || !list->count) {
        enum ddbsim_status status =
            yaml_fail(r->error, list ? list : node, "the workload does nothing");
        error_hint(r->error, "add `mix` or `sequence` with at least one operation");
        return status;
    }
    struct ddbsim_operation *operations = arena_alloc(r->arena, list->count, sizeof *operations);
    if (!operations) return error_memory(r->error);
    enum ddbsim_status status = DDBSIM_OK;
    struct ddbsim_operation *operation = operations;
    for (struct yaml_node *child = list->first; child && !status; child = child->next, operation++)
        status = read_operation(r, out, child, operation);
    out->operations = operations;
    out->operation_count = list->count;
    if (!status) status = read_parallel(r, node, out);
    if (!status && out->vus > 0 && !usual_does_anything(out)) {
        status = yaml_fail(r->error, list, "no arrival of this closed loop would ever make a call");
        error_hint(r->error, "give a step a probability above 0%%");
    }
    return status ? status : check_value_sets(r, node, out);
}

/* DDBSIM_NONE where the workload names no table and there are several. */
static enum ddbsim_status read_default_table(struct reader *r, struct yaml_node *node,
                                             struct ddbsim_workload *out) {
    const char *name = yaml_text(node, "table");
    struct suggest suggest;
    out->table = r->scenario->table_count == 1 ? 0 : DDBSIM_NONE;
    if (!name) {
        bool only = out->table != DDBSIM_NONE;
        return only ? read_fill_text(r, node, "table", r->scenario->tables[0].name) : DDBSIM_OK;
    }
    suggest_start(&suggest, name);
    for (uint32_t i = 0; i < r->scenario->table_count; i++) {
        out->table = i;
        if (!strcmp(r->scenario->tables[i].name, name)) return DDBSIM_OK;
        suggest_offer(&suggest, r->scenario->tables[i].name);
    }
    enum ddbsim_status status =
        yaml_fail(r->error, yaml_child(node, "table"), "there is no table \"%.60s\"", name);
    suggest_hint(&suggest, r->error, NULL);
    return status;
}

#define DAX_ITEM_TTL_NS (300 * NS_PER_S) /* as AWS has it */

static enum ddbsim_status read_dax(struct reader *r, struct yaml_node *workload,
                                   struct ddbsim_workload *out) {
    struct yaml_node *node = yaml_child(workload, "dax");
    out->dax = (struct ddbsim_dax){0};
    if (!node) return DDBSIM_OK;
    out->dax.enabled = true;
    out->dax.by_ratio = yaml_child(node, "hit_ratio");
    out->dax.hit_ratio = read_int(r, SECTION_DAX, node, "hit_ratio", 0);
    out->dax.item_ttl_ns = read_int(r, SECTION_DAX, node, "item_ttl", DAX_ITEM_TTL_NS);
    if (out->dax.by_ratio) return DDBSIM_OK;
    return read_fill(r, SECTION_DAX, node, "item_ttl", out->dax.item_ttl_ns);
}

static enum ddbsim_status read_workload(struct reader *r, struct yaml_node *node,
                                        struct ddbsim_workload *out) {
    out->name = yaml_text(node, "name");
    enum ddbsim_status status = read_default_table(r, node, out);
    if (!status) status = read_window(r, node, out);
    if (!status) status = read_load(r, node, out);
    if (!status) status = read_queue(r, node, out);
    if (!status) status = read_operations(r, node, out);
    if (!status) status = read_client(r, node, out);
    if (!status) status = read_layers(r, node, &out->client);
    if (!status) status = read_check_queue(r, node, out);
    if (!status) status = read_dax(r, node, out);
    if (status || out->table != DDBSIM_NONE) return status;
    out->table = out->operations[0].table; /* every operation names its own */
    return DDBSIM_OK;
}

/* Does it, or an action of it, put new items of that entity? */
static bool puts_new(const struct ddbsim_scenario *s, const struct ddbsim_operation *o,
                     uint32_t table, uint32_t entity) {
    for (uint32_t i = 0; i < o->action_count; i++)
        if (puts_new(s, &o->actions[i], table, entity)) return true;
    return o->action_count == 0 && o->table == table && o->entity == entity &&
           ddbsim_operation_puts((int)o->kind) &&
           template_makes_new(&s->tables[table].entities[entity]);
}

/* An operation that takes an existing item needs one: at start, or put by somebody. */
static bool somebody_puts(const struct ddbsim_scenario *s, uint32_t table, uint32_t entity) {
    for (uint32_t i = 0; i < s->workload_count; i++)
        for (uint32_t k = 0; k < s->workloads[i].operation_count; k++)
            if (puts_new(s, &s->workloads[i].operations[k], table, entity)) return true;
    return false;
}

/* Keys that a template can make, by the values in it; more than any limit where they are too many. */
static uint64_t count_keys(const struct ddbsim_scenario *s, const struct ddbsim_entity *entity) {
    const struct ddbsim_template *key = &entity->partition_key;
    uint64_t count = entity->shards.count > 0 ? entity->shards.count : 1;
    for (uint32_t i = 0; i < key->part_count; i++)
        if (key->parts[i].kind == DDBSIM_PART_VALUES && count <= UINT32_MAX)
            count *= s->values[key->parts[i].values].count < UINT32_MAX
                         ? s->values[key->parts[i].values].count
                         : UINT32_MAX;
    return count;
}

/* Each item that grows has its size in memory: their number must be known, and not too large. */
static enum ddbsim_status check_growing(struct reader *r, const struct yaml_node *node,
                                        const struct ddbsim_operation *o) {
    const struct ddbsim_scenario *s = r->scenario;
    const struct ddbsim_entity *entity = &s->tables[o->table].entities[o->entity];
    if (o->grows_bytes == 0) return DDBSIM_OK;
    if (somebody_puts(s, o->table, o->entity)) {
        enum ddbsim_status status =
            yaml_fail(r->error, node, "items of \"%.60s\" grow, so none can be put that is new",
                      entity->name);
        error_hint(r->error, "give the entity a count, and keys without {time}, {uuid} and {n}");
        return status;
    }
    if (entity->count <= DDBSIM_GROWING_ITEMS_MAX &&
        count_keys(s, entity) <= DDBSIM_GROWING_ITEMS_MAX)
        return DDBSIM_OK;
    return yaml_fail(r->error, node,
                     "items of \"%.60s\" grow; at most %u of them can be, or keys for them",
                     entity->name, DDBSIM_GROWING_ITEMS_MAX);
}

static enum ddbsim_status check_entity(struct reader *r, const struct yaml_node *node,
                                       const struct ddbsim_operation *o) {
    const struct ddbsim_scenario *s = r->scenario;
    enum ddbsim_status status = DDBSIM_OK;
    for (uint32_t i = 0; i < o->action_count && !status; i++)
        status = check_entity(r, node, &o->actions[i]);
    if (status || o->action_count > 0 || o->kind == DDBSIM_SCAN) return status;
    const struct ddbsim_entity *entity = &s->tables[o->table].entities[o->entity];
    if (entity->count || somebody_puts(s, o->table, o->entity)) return check_growing(r, node, o);
    status =
        yaml_fail(r->error, node, "%.60s takes existing items of \"%.60s\", and there are none",
                  o->name, entity->name);
    error_hint(r->error, "give the entity a count");
    return status;
}

static enum ddbsim_status check_items(struct reader *r, const struct yaml_node *list) {
    const struct ddbsim_scenario *s = r->scenario;
    const struct yaml_node *node = list->first;
    enum ddbsim_status status = DDBSIM_OK;
    for (uint32_t i = 0; i < s->workload_count && !status; i++, node = node->next)
        for (uint32_t k = 0; k < s->workloads[i].operation_count && !status; k++)
            status = check_entity(r, node, &s->workloads[i].operations[k]);
    return status;
}

/* Marks the tables that an operation or the actions of a transaction write; true where any is new. */
static bool mark_written(const struct ddbsim_operation *o, bool *written) {
    bool more = false;
    for (uint32_t i = 0; i < o->action_count; i++)
        more |= mark_written(&o->actions[i], written);
    if (o->action_count > 0 || o->checks || written[o->table] ||
        !ddbsim_operation_is_write((int)o->kind))
        return more;
    return written[o->table] = true;
}

static bool mark_all(const struct ddbsim_workload *w, bool *written) {
    bool more = false;
    for (uint32_t i = 0; i < w->operation_count; i++)
        more |= mark_written(&w->operations[i], written);
    return more;
}

/* Marks the tables that come to be written where these are; true where any is new. What one Region of a global
 * table writes is in the streams of all. */
static bool spread(const struct ddbsim_scenario *s, bool *written) {
    bool more = false;
    for (uint32_t i = 0; i < s->workload_count; i++)
        if (s->workloads[i].reads_stream && written[s->workloads[i].stream_of])
            more |= mark_all(&s->workloads[i], written);
    for (uint32_t a = 0; a < s->table_count; a++)
        for (uint32_t b = 0; b < s->table_count; b++) {
            bool together = s->tables[a].region && s->tables[b].region &&
                            s->tables[a].home == s->tables[b].home;
            if (!together || !written[a] || written[b]) continue;
            written[b] = more = true;
        }
    return more;
}

/* A record that leads to a write of its own table leads to another record: it would never end. */
static enum ddbsim_status check_streams(struct reader *r, const struct yaml_node *list) {
    const struct ddbsim_scenario *s = r->scenario;
    bool *written = arena_alloc(r->arena, s->table_count + 1, sizeof *written);
    if (!written) return error_memory(r->error);
    const struct yaml_node *node = list->first;
    for (uint32_t i = 0; i < s->workload_count; i++, node = node->next) {
        const struct ddbsim_workload *w = &s->workloads[i];
        if (!w->reads_stream) continue;
        memset(written, 0, s->table_count * sizeof *written);
        (void)mark_all(w, written);
        while (spread(s, written))
            ;
        if (!written[w->stream_of] || w->stream_records == DDBSIM_STREAM_TTL) continue;
        enum ddbsim_status status =
            yaml_fail(r->error, read_at(node, "stream_of"),
                      "what it writes comes back to it through the stream, without end");
        error_hint(r->error, "write into a table whose stream does not lead back");
        return status;
    }
    return DDBSIM_OK;
}

enum ddbsim_status read_workloads(struct reader *r, const struct yaml_node *root) {
    const struct yaml_node *list = yaml_child(root, "workloads");
    if (list->count > DDBSIM_WORKLOADS_MAX)
        return yaml_fail(r->error, list, "there are %u workloads; at most %d can be", list->count,
                         DDBSIM_WORKLOADS_MAX);
    struct ddbsim_workload *workloads = arena_alloc(r->arena, list->count, sizeof *workloads);
    if (!workloads) return error_memory(r->error);
    enum ddbsim_status status = DDBSIM_OK;
    struct ddbsim_workload *workload = workloads;
    for (struct yaml_node *node = list->first; node && !status; node = node->next, workload++)
        status = read_workload(r, node, workload);
    r->scenario->workloads = workloads;
    r->scenario->workload_count = list->count;
    if (!status) status = check_items(r, list);
    return status ? status : check_streams(r, list);
}
