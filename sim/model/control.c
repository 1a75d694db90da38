/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UpdateTable. Sources: AWS developer guide, service quotas (a change acts when the call completes), capacity
 * modes (at most four switches to on-demand in 24 hours, old capacity holds meanwhile); Elhemali et al.,
 * USENIX ATC 2022 (partitions are split in two until the new rate fits).
 *
 * A call runs in two steps: after its delay the partitions that it needs begin to split, all of a generation
 * at once; when they are there the new capacity acts. Where enough are there already the steps are one.
 */
#include <model/control.h>

#include <model/splits.h>

#define DAY_NS (86400 * NS_PER_S)

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static const struct ddbsim_table *wanted(const struct model *model, uint64_t change,
                                         uint32_t table) {
    CHECK(change < model->options.scenario->change_count && table < model->table_count);
    return &model->options.scenario->changes[change].after->tables[table];
}

/* ---- the call ---- */

static bool index_differs(const struct ddbsim_index *a, const struct ddbsim_index *b) {
    return a->read_capacity != b->read_capacity || a->write_capacity != b->write_capacity;
}

/* Does a change ask for UpdateTable on this table? */
static bool table_differs(const struct ddbsim_table *a, const struct ddbsim_table *b) {
    if (a->billing != b->billing || a->read_capacity != b->read_capacity ||
        a->write_capacity != b->write_capacity)
        return true;
    for (uint32_t i = 0; i < a->index_count; i++)
        if (index_differs(&a->indexes[i], &b->indexes[i])) return true;
    return false;
}

/* Calls on one table act in the order in which they were made, as AWS takes none while one is under way: one
 * that is quicker waits for the one before. */
void control_schedule(struct model *model) {
    const struct ddbsim_scenario *before = model->options.scenario;
    uint32_t kind = model->options.first_event_kind + MODEL_UPDATE;
    for (uint32_t c = 0; c < model->options.scenario->change_count; c++) {
        const struct ddbsim_change *change = &model->options.scenario->changes[c];
        for (uint32_t t = 0; t < model->table_count; t++) {
            const struct ddbsim_table *a = &before->tables[t], *b = &change->after->tables[t];
            if (!table_differs(a, b)) continue;
            const struct ddbsim_assumptions *rules = &model->tables[t].spec->model;
            int64_t delay_ns =
                a->billing != b->billing ? rules->mode_delay_ns : rules->update_delay_ns;
            model->tables[t].update_ns =
                larger(model->tables[t].update_ns, change->at_ns + delay_ns);
            loop_schedule(model->loop, model->tables[t].update_ns, LOOP_CONTROL, kind, c, t);
        }
        before = change->after;
    }
}

/* ---- partitions first ---- */

struct target {
    struct resource *resource;
    int64_t capacity[DIRECTIONS]; /* 0: on-demand */
};

static int64_t partitions_needed(const struct target *target, bool on_demand) {
    const struct resource *resource = target->resource;
    const struct space_limits limits = resource_limits(resource->model);
    if (!on_demand)
        return space_initial_count(&limits, target->capacity[READ], target->capacity[WRITE], 0);
    return space_count_for(
        &limits,
        larger(resource->model->on_demand_read, larger(resource->most[READ], resource->warm.read)),
        larger(resource->model->on_demand_write,
               larger(resource->most[WRITE], resource->warm.write)));
}

/* The table, then each of its indexes that has capacity of its own. */
static uint32_t targets_of(struct model *model, struct table *table,
                           const struct ddbsim_table *spec,
                           struct target out[1 + DDBSIM_INDEXES_MAX]) {
    uint32_t count = 0;
    CHECK(table->index_count <= DDBSIM_INDEXES_MAX);
    out[count++] = (struct target){&table->resource, {spec->read_capacity, spec->write_capacity}};
    for (uint32_t i = 0; i < table->index_count; i++) {
        if (table->local_indexes >> i & 1u) continue;
        const struct ddbsim_index *index = &spec->indexes[i];
        out[count++] = (struct target){&model->indexes[table->first_index + i].resource,
                                       {index->read_capacity, index->write_capacity}};
    }
    return count;
}

/* Only more capacity needs more partitions: what was stated or grew is enough for what there was. */
static bool asks_for_more(const struct target *target, bool on_demand) {
    const struct resource *resource = target->resource;
    if (on_demand != resource->on_demand) return true;
    return target->capacity[READ] > resource->capacity[READ] ||
           target->capacity[WRITE] > resource->capacity[WRITE];
}

static int64_t splits_ns(const struct target *targets, uint32_t count, bool on_demand) {
    int64_t longest = 0;
    for (uint32_t i = 0; i < count; i++)
        if (asks_for_more(&targets[i], on_demand))
            longest =
                larger(longest, splits_capacity_ns(targets[i].resource,
                                                   partitions_needed(&targets[i], on_demand)));
    return longest;
}

/* ---- capacity acts ---- */

static void tell_capacity(struct model *model, const struct resource *resource,
                          enum direction direction, int64_t from, int64_t to, int64_t now_ns) {
    struct note note = {.kind = DDBSIM_EVENT_CAPACITY_CHANGED,
                        .t_ns = now_ns,
                        .resource = resource->number,
                        .direction = direction,
                        .from = from,
                        .to = to};
    model_note(model, &note);
}

static void capacity_apply(struct model *model, struct resource *resource, enum direction direction,
                           int64_t capacity, int64_t now_ns) {
    if (resource->capacity[direction] == capacity) return;
    tell_capacity(model, resource, direction, resource->capacity[direction], capacity, now_ns);
    resource_set_capacity(resource, direction, capacity, now_ns);
}

static void target_apply(struct model *model, const struct target *target, bool on_demand,
                         int64_t now_ns) {
    struct resource *resource = target->resource;
    if (resource->on_demand != on_demand) {
        const int64_t before[DIRECTIONS] = {resource->capacity[READ], resource->capacity[WRITE]};
        resource_set_mode(resource, on_demand, target->capacity, now_ns);
        for (int d = 0; d < DIRECTIONS; d++)
            tell_capacity(model, resource, (enum direction)d, before[d], resource->capacity[d],
                          now_ns);
    } else if (!on_demand) {
        capacity_apply(model, resource, READ, target->capacity[READ], now_ns);
        capacity_apply(model, resource, WRITE, target->capacity[WRITE], now_ns);
    }
    model_resource_capacity_changed(model, resource);
}

/* AWS allows so many switches to on-demand in 24 hours. */
static bool mode_switch_allowed(struct table *table, int64_t now_ns) {
    int64_t *oldest = &table->switches_ns[table->switch_count % CONTROL_SWITCHES_MAX];
    uint64_t allowed = (uint64_t)table->spec->model.mode_switches;
    if (table->switch_count >= allowed) {
        int64_t first = table->switches_ns[(table->switch_count - allowed) % CONTROL_SWITCHES_MAX];
        if (now_ns - first < DAY_NS) return false;
    }
    *oldest = now_ns;
    table->switch_count++;
    return true;
}

static void refuse_switch(struct model *model, const struct table *table, int64_t now_ns) {
    struct note note = {.kind = DDBSIM_EVENT_CHANGE_REFUSED,
                        .t_ns = now_ns,
                        .resource = table->resource.number,
                        .text = "{\"limit\":\"switches to on-demand in 24 hours\"}"};
    model_note(model, &note);
}

/* A change that came meanwhile may want something else: what is wanted last is what acts. */
static void update(struct model *model, const struct loop_event *event, int64_t now_ns) {
    struct table *table = &model->tables[event->b];
    const struct ddbsim_table *spec = wanted(model, event->a, event->b);
    bool on_demand = spec->billing == DDBSIM_PAY_PER_REQUEST;
    struct target targets[1 + DDBSIM_INDEXES_MAX];
    uint32_t count = targets_of(model, table, spec, targets);
    if (on_demand && !table->resource.on_demand && !mode_switch_allowed(table, now_ns)) {
        refuse_switch(model, table, now_ns);
        return;
    }
    int64_t wait_ns = splits_ns(targets, count, on_demand);
    table->update_wanted = event->a;
    if (wait_ns > 0) {
        int64_t at_ns = (now_ns + wait_ns + NS_PER_S - 1) / NS_PER_S * NS_PER_S;
        loop_schedule(model->loop, at_ns, LOOP_CONTROL,
                      model->options.first_event_kind + MODEL_UPDATE_READY, event->a, event->b);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        target_apply(model, &targets[i], on_demand, now_ns);
}

static void on_update(void *context, int64_t now_ns, const struct loop_event *event) {
    update(*(struct model **)context, event, now_ns);
}

/* The splits happen between events; then the capacity acts. */
static void on_update_ready(void *context, int64_t now_ns, const struct loop_event *event) {
    struct model *model = *(struct model **)context;
    (void)now_ns;
    CHECK(model->ready_count < CONTROL_READY_MAX);
    model->ready[model->ready_count++] = (struct control_ready){event->a, event->b};
    loop_request_between(model->loop);
}

bool control_apply(struct model *model) {
    int64_t now_ns = loop_now(model->loop);
    for (uint32_t r = 0; r < model->ready_count; r++) {
        struct table *table = &model->tables[model->ready[r].table];
        if (model->ready[r].change != table->update_wanted) continue;
        const struct ddbsim_table *spec =
            wanted(model, model->ready[r].change, model->ready[r].table);
        bool on_demand = spec->billing == DDBSIM_PAY_PER_REQUEST;
        struct target targets[1 + DDBSIM_INDEXES_MAX];
        uint32_t count = targets_of(model, table, spec, targets);
        for (uint32_t i = 0; i < count; i++) {
            if (asks_for_more(&targets[i], on_demand) &&
                !splits_for_capacity(model, targets[i].resource,
                                     partitions_needed(&targets[i], on_demand)))
                return false;
            target_apply(model, &targets[i], on_demand, now_ns);
        }
    }
    model->ready_count = 0;
    return true;
}

void control_handle(struct model *model) {
    uint32_t first = model->options.first_event_kind;
    loop_handle(model->loop, first + MODEL_UPDATE, on_update);
    loop_handle(model->loop, first + MODEL_UPDATE_READY, on_update_ready);
}
