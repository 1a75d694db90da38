/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UpdateTable. Sources: AWS developer guide, service quotas (a change acts when the call completes; decreases
 * a day), capacity modes (at most four switches to on-demand in 24 hours, old capacity holds meanwhile), warm
 * throughput; Elhemali et al., USENIX ATC 2022 (partitions are split in two until the new rate fits).
 *
 * A table takes one call at a time: what is asked meanwhile waits, people's changes in their order before
 * what scalers ask. A call is judged when it begins. After its delay the partitions that it needs begin to
 * split, all of a generation at once; when they are there the new capacity acts. Where enough are there
 * already the steps are one.
 *
 * An index is created or deleted by a call of its own (M-58, M-59). While one is being built AWS takes no other
 * such call, but to delete that one: it waits, and changes of capacity pass by.
 *
 * Handlers only say that something is due: changes are followed and calls go on between events, because more of
 * them may be due at once than a handler may schedule events and note what happened.
 *
 * Invariants: one event of the loop stands for all updates, at the earliest that is due; a refused call changes
 * nothing.
 */
#include <model/control.h>

#include <model/building.h>
#include <model/scaling.h>
#include <model/splits.h>
#include <stdio.h>

#define DAY_S INT64_C(86400)
#define DAY_NS (DAY_S * NS_PER_S)

/* ---- a table's resources ---- */

static struct resource *resource_of(struct model *model, struct table *table, uint32_t number) {
    CHECK(number <= table->index_count);
    return model->resources[table->resource.number + number];
}

static bool has_capacity(const struct table *table, uint32_t number) {
    return number == 0 || !(table->local_indexes >> (number - 1) & 1u);
}

static bool wants_any(const struct wanted *wanted) {
    for (uint32_t i = 0; i < TABLE_RESOURCES_MAX; i++)
        if (wanted->capacity[i][READ] || wanted->capacity[i][WRITE]) return true;
    return false;
}

/* ---- what a change asks ---- */

/* What a change says of a table; all of the capacity where the mode is another than before it. */
static struct update update_between(const struct ddbsim_table *a, const struct ddbsim_table *b) {
    bool all = a->billing != b->billing;
    struct update update = {.switches = all || b->says_billing,
                            .on_demand = b->billing == DDBSIM_PAY_PER_REQUEST};
    int64_t *of_table = update.wanted.capacity[0];
    if (all || b->says_read) of_table[READ] = b->read_capacity;
    if (all || b->says_write) of_table[WRITE] = b->write_capacity;
    for (uint32_t i = 0; i < b->index_count; i++) {
        const struct ddbsim_index *index = &b->indexes[i];
        int64_t *wanted = update.wanted.capacity[1 + i];
        if (index->type == DDBSIM_LOCAL) continue;
        if (all || index->says_read) wanted[READ] = index->read_capacity;
        if (all || index->says_write) wanted[WRITE] = index->write_capacity;
    }
    return update;
}

static struct update update_of(const struct model *model, uint32_t change, uint32_t table) {
    const struct ddbsim_scenario *scenario = model->options.scenario;
    CHECK(change < scenario->change_count && table < model->table_count);
    const struct ddbsim_change *is = &scenario->changes[change];
    if (is->kind != DDBSIM_SET)
        return (struct update){
            .creates = is->kind == DDBSIM_CREATE_INDEX && is->table == table ? is->index + 1 : 0,
            .deletes = is->kind == DDBSIM_DELETE_INDEX && is->table == table ? is->index + 1 : 0};
    const struct ddbsim_scenario *before =
        change > 0 ? scenario->changes[change - 1].after : scenario;
    return update_between(&before->tables[table], &is->after->tables[table]);
}

/* What is not there has no capacity to change. */
static void drop_absent(struct model *model, struct table *table, struct wanted *wanted) {
    for (uint32_t i = 0; i <= table->index_count; i++)
        if (!resource_exists(resource_of(model, table, i)))
            wanted->capacity[i][READ] = wanted->capacity[i][WRITE] = 0;
}

/* ---- what AWS allows ---- */

static void refuse(struct model *model, const struct resource *resource, const char *what,
                   int64_t today, int64_t now_ns) {
    struct note note = {
        .kind = DDBSIM_EVENT_CHANGE_REFUSED, .t_ns = now_ns, .resource = resource->number};
    snprintf(note.detail, sizeof note.detail,
             "{\"error\":\"LimitExceededException\",\"limit\":\"%s\",\"today\":%lld}", what,
             (long long)today);
    model_note_between(model, &note);
}

/* AWS allows so many switches to on-demand in 24 hours. */
static bool mode_switch_allowed(struct table *table, int64_t now_ns) {
    int64_t *oldest = &table->switches_ns[table->switch_count % CONTROL_SWITCHES_MAX];
    uint64_t allowed = (uint64_t)table->spec->model.mode_switches;
    CHECK(allowed <= CONTROL_SWITCHES_MAX);
    if (table->switch_count >= allowed) {
        int64_t first = table->switches_ns[(table->switch_count - allowed) % CONTROL_SWITCHES_MAX];
        if (now_ns - first < DAY_NS) return false;
    }
    *oldest = now_ns;
    table->switch_count++;
    return true;
}

int64_t control_decreases(const struct model *model, struct resource *resource, int64_t now_ns) {
    struct decreases *made = &resource->decreases;
    int64_t day = (model->options.scenario->start_unix_s + now_ns / NS_PER_S) / DAY_S;
    CHECK(day >= made->day);
    if (day > made->day) *made = (struct decreases){.day = day, .last_ns = made->last_ns};
    return made->count;
}

/* So many at any time of the UTC day, then one after each interval without any. */
static bool decrease_allowed(const struct model *model, struct resource *resource, int64_t now_ns) {
    int64_t today = control_decreases(model, resource, now_ns);
    int64_t last_ns = resource->decreases.last_ns;
    if (today < resource->model->decreases_a_day) return true;
    return last_ns == TIME_NEVER || now_ns - last_ns >= resource->model->decrease_interval_ns;
}

static bool is_decrease(const struct resource *resource, const int64_t wanted[DIRECTIONS]) {
    for (int d = 0; d < DIRECTIONS; d++)
        if (wanted[d] > 0 && wanted[d] < resource->capacity[d]) return true;
    return false;
}

/* A call that lowers several resources fails if one of them may not be lowered. */
static struct resource *decrease_refused(struct model *model, struct table *table,
                                         const struct wanted *wanted, int64_t now_ns) {
    for (uint32_t i = 0; i <= table->index_count; i++) {
        struct resource *resource = resource_of(model, table, i);
        if (is_decrease(resource, wanted->capacity[i]) &&
            !decrease_allowed(model, resource, now_ns))
            return resource;
    }
    return NULL;
}

static void decreases_count(struct model *model, struct table *table, const struct wanted *wanted,
                            int64_t now_ns) {
    for (uint32_t i = 0; i <= table->index_count; i++) {
        struct resource *resource = resource_of(model, table, i);
        if (!is_decrease(resource, wanted->capacity[i])) continue;
        control_decreases(model, resource, now_ns);
        resource->decreases.count++;
        resource->decreases.last_ns = now_ns;
        resource->decreases.told = false;
    }
}

/* ---- a call begins ---- */

/* The stated warm throughput is served already: a capacity within it acts sooner (M-40). */
static int64_t delay_of(struct model *model, struct table *table, const struct update *update) {
    const struct ddbsim_assumptions *rules = &table->spec->model;
    if (update->switches) return rules->mode_delay_ns;
    if (update->creates > 0) return rules->index_allocation_ns;
    if (update->deletes > 0) return rules->update_delay_ns;
    int64_t delay_ns = 0;
    for (uint32_t i = 0; i <= table->index_count; i++) {
        const struct resource *resource = resource_of(model, table, i);
        const int64_t warm[DIRECTIONS] = {resource->warm.read, resource->warm.write};
        for (int d = 0; d < DIRECTIONS; d++) {
            int64_t wanted = update->wanted.capacity[i][d];
            if (wanted > 0)
                delay_ns = larger(delay_ns, wanted <= warm[d] ? rules->warm_update_delay_ns
                                                              : rules->update_delay_ns);
        }
    }
    return delay_ns;
}

/* Asking for what is there already is no call. */
static void drop_same(struct model *model, struct table *table, struct wanted *wanted) {
    for (uint32_t i = 0; i <= table->index_count; i++) {
        const struct resource *resource = resource_of(model, table, i);
        for (int d = 0; d < DIRECTIONS; d++)
            if (wanted->capacity[i][d] == resource->capacity[d]) wanted->capacity[i][d] = 0;
    }
}

static void begin(struct model *model, struct table *table, const struct update *update,
                  int64_t now_ns) {
    CHECK(!table->update.under_way);
    decreases_count(model, table, &update->wanted, now_ns);
    table->update = *update;
    table->update.under_way = true;
    table->update.due_ns = now_ns + delay_of(model, table, update);
}

static void begin_change(struct model *model, struct table *table, struct update *update,
                         int64_t now_ns) {
    struct resource *short_of = NULL;
    if (update->switches && update->on_demand == table->resource.on_demand)
        update->switches = false; /* that is its mode: a switch before it was refused */
    if (!update->switches) {
        if (table->resource.on_demand) return;
        drop_same(model, table, &update->wanted);
        if (!wants_any(&update->wanted)) return;
        short_of = decrease_refused(model, table, &update->wanted, now_ns);
    }
    if (short_of)
        refuse(model, short_of, "decreases in a UTC day",
               control_decreases(model, short_of, now_ns), now_ns);
    else if (update->switches && update->on_demand && !mode_switch_allowed(table, now_ns))
        refuse(model, &table->resource, "switches to on-demand in 24 hours",
               table->spec->model.mode_switches, now_ns);
    else
        begin(model, table, update, now_ns);
}

static void tell_scaling(struct model *model, const struct resource *resource,
                         enum direction direction, int64_t to, const char *by, int64_t now_ns) {
    struct note note = {.kind = to > resource->capacity[direction] ? DDBSIM_EVENT_SCALE_OUT
                                                                   : DDBSIM_EVENT_SCALE_IN,
                        .t_ns = now_ns,
                        .resource = resource->number};
    snprintf(note.detail, sizeof note.detail,
             "{\"direction\":\"%s\",\"from\":%lld,\"to\":%lld,\"by\":\"%s\"}",
             direction == WRITE ? "write" : "read", (long long)resource->capacity[direction],
             (long long)to, by);
    model_note_between(model, &note);
}

/* A scaler's decrease that is refused is told once: it asks again each minute. Who asked for more than there was
 * does not want less than came meanwhile, nor the other way round. */
static void begin_scaling(struct model *model, struct table *table, uint32_t number,
                          enum direction direction, int64_t now_ns) {
    struct resource *resource = resource_of(model, table, number);
    struct update update = {0};
    int64_t wanted = table->asked.capacity[number][direction];
    table->asked.capacity[number][direction] = 0;
    if (resource->on_demand || wanted == resource->capacity[direction]) return;
    if (table->asked_more[number][direction] != (wanted > resource->capacity[direction])) return;
    update.wanted.capacity[number][direction] = wanted;
    if (!decrease_refused(model, table, &update.wanted, now_ns)) {
        tell_scaling(model, resource, direction, wanted, table->asked_by[number][direction],
                     now_ns);
        begin(model, table, &update, now_ns);
    } else if (!resource->decreases.told) {
        refuse(model, resource, "decreases in a UTC day",
               control_decreases(model, resource, now_ns), now_ns);
        resource->decreases.told = true;
    }
}

/* ---- indexes that come and go ---- */

/* AWS creates or deletes one index of a table at a time; the one that is being filled in may go. */
static bool index_may_change(struct model *model, struct table *table,
                             const struct update *update) {
    uint32_t building = building_of(model, table);
    if (update->deletes == 0) return building == DDBSIM_NONE;
    return resource_exists(resource_of(model, table, update->deletes)) &&
           (building == DDBSIM_NONE || building + 1 == update->deletes);
}

/* The first of those that wait whose turn it is. Its call acts at a full second, as splits do. */
static void begin_index_change(struct model *model, struct table *table, int64_t now_ns) {
    uint32_t number = (uint32_t)(table - model->tables);
    for (uint32_t i = 0; i < table->index_change_count && !table->update.under_way; i++) {
        struct update update = update_of(model, table->index_changes[i], number);
        if (!index_may_change(model, table, &update)) continue;
        table->index_change_count--;
        for (uint32_t k = i; k < table->index_change_count; k++)
            table->index_changes[k] = table->index_changes[k + 1];
        begin(model, table, &update, now_ns);
        table->update.due_ns = (table->update.due_ns + NS_PER_S - 1) / NS_PER_S * NS_PER_S;
    }
}

static void wait_for_turn(struct table *table, uint32_t change) {
    CHECK(table->index_change_count < sizeof table->index_changes / sizeof *table->index_changes);
    table->index_changes[table->index_change_count++] = change;
}

/* Whatever waits, until a call is under way. */
static void begin_next(struct model *model, struct table *table, int64_t now_ns) {
    uint32_t number = (uint32_t)(table - model->tables);
    begin_index_change(model, table, now_ns);
    while (!table->update.under_way && table->changes_begun < table->changes_made) {
        uint32_t change = table->changes_begun++;
        struct update update = update_of(model, change, number);
        if (update.creates > 0 || update.deletes > 0) {
            wait_for_turn(table, change);
            begin_index_change(model, table, now_ns);
            continue;
        }
        drop_absent(model, table, &update.wanted);
        if (update.switches || wants_any(&update.wanted))
            begin_change(model, table, &update, now_ns);
    }
    for (uint32_t i = 0; i <= table->index_count; i++)
        for (int d = 0; d < DIRECTIONS; d++)
            if (!table->update.under_way && table->asked.capacity[i][d] > 0)
                begin_scaling(model, table, i, (enum direction)d, now_ns);
}

void control_request(struct model *model) {
    model->control_due = true;
    loop_request_between(model->loop);
}

void control_change(struct model *model, uint32_t change) {
    CHECK(model->changes_made == change);
    model->changes_made = change + 1;
    control_request(model);
}

void control_scale(struct model *model, struct resource *resource, enum direction direction,
                   int64_t capacity, const char *by, int64_t now_ns) {
    CHECK(capacity >= 1 && !resource->on_demand);
    if (!resource_exists(resource)) return; /* its scaler has nothing to scale yet, or any more */
    struct table *table = &model->tables[resource->table];
    uint32_t number = resource->number - table->resource.number;
    table->asked.capacity[number][direction] = capacity;
    table->asked_by[number][direction] = by;
    table->asked_more[number][direction] = capacity > resource->capacity[direction];
    begin_next(model, table, now_ns);
    control_request(model);
}

bool control_is_busy(const struct model *model, const struct resource *resource,
                     enum direction direction) {
    const struct table *table = &model->tables[resource->table];
    uint32_t number = resource->number - table->resource.number;
    return table->asked.capacity[number][direction] > 0 ||
           (table->update.under_way &&
            (table->update.switches || table->update.wanted.capacity[number][direction] > 0));
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

static bool becomes_on_demand(const struct table *table) {
    return table->update.switches ? table->update.on_demand : table->resource.on_demand;
}

/* The table, then each of its indexes that has capacity of its own. */
static uint32_t targets_of(struct model *model, struct table *table,
                           struct target out[TABLE_RESOURCES_MAX]) {
    uint32_t count = 0;
    CHECK(table->update.under_way && table->index_count < TABLE_RESOURCES_MAX);
    for (uint32_t i = 0; i <= table->index_count; i++) {
        if (!has_capacity(table, i) || !resource_exists(resource_of(model, table, i))) continue;
        struct target *target = &out[count++];
        target->resource = resource_of(model, table, i);
        for (int d = 0; d < DIRECTIONS; d++) {
            int64_t wanted = table->update.wanted.capacity[i][d];
            /* An index whose end was asked for is told no capacity any more. */
            target->capacity[d] = wanted > 0                 ? wanted
                                  : becomes_on_demand(table) ? 0
                                                             : target->resource->capacity[d];
        }
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
    model_note_between(model, &note);
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

static void update_end(struct model *model, struct table *table, int64_t now_ns) {
    CHECK(table->update.under_way);
    table->update = (struct update){0};
    begin_next(model, table, now_ns);
}

/* The delay is over: either partitions have to split first, or the capacity acts. */
static void update_goes_on(struct model *model, struct table *table, int64_t now_ns) {
    struct target targets[TABLE_RESOURCES_MAX];
    uint32_t count = targets_of(model, table, targets);
    bool on_demand = becomes_on_demand(table);
    int64_t wait_ns = splits_ns(targets, count, on_demand);
    if (wait_ns > 0) {
        table->update.splits = true;
        table->update.due_ns = (now_ns + wait_ns + NS_PER_S - 1) / NS_PER_S * NS_PER_S;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        target_apply(model, &targets[i], on_demand, now_ns);
    update_end(model, table, now_ns);
}

/* The partitions split; then the capacity acts. False when memory is short. */
static bool update_splits(struct model *model, struct table *table, int64_t now_ns) {
    struct target targets[TABLE_RESOURCES_MAX];
    uint32_t count = targets_of(model, table, targets);
    bool on_demand = becomes_on_demand(table);
    for (uint32_t i = 0; i < count; i++) {
        if (asks_for_more(&targets[i], on_demand) &&
            !splits_for_capacity(model, targets[i].resource,
                                 partitions_needed(&targets[i], on_demand)))
            return false;
        target_apply(model, &targets[i], on_demand, now_ns);
    }
    update_end(model, table, now_ns);
    return true;
}

/* The index is there, or gone. False when memory is short. */
static bool update_index(struct model *model, struct table *table, int64_t now_ns) {
    const struct update update = table->update;
    bool good = update.creates > 0 ? building_begin(model, table, update.creates - 1, now_ns)
                                   : building_delete(model, table, update.deletes - 1, now_ns);
    update_end(model, table, now_ns);
    return good;
}

static bool update_step(struct model *model, struct table *table, int64_t now_ns) {
    if (table->update.creates > 0 || table->update.deletes > 0)
        return update_index(model, table, now_ns);
    if (table->update.splits) return update_splits(model, table, now_ns);
    update_goes_on(model, table, now_ns);
    return true;
}

/* Policies follow a change at once; its call may have to wait. */
static void follow_changes(struct model *model, struct table *table, int64_t now_ns) {
    const struct ddbsim_scenario *scenario = model->options.scenario;
    uint32_t number = (uint32_t)(table - model->tables);
    while (table->changes_made < model->changes_made)
        scaling_follow(model, table,
                       &scenario->changes[table->changes_made++].after->tables[number], now_ns);
}

static bool table_goes_on(struct model *model, struct table *table, int64_t now_ns) {
    follow_changes(model, table, now_ns);
    building_finish(model, table, now_ns);
    begin_next(model, table, now_ns);
    while (table->update.under_way && table->update.due_ns <= now_ns)
        if (!update_step(model, table, now_ns)) return false;
    return true;
}

static void on_update(void *context, int64_t now_ns, const struct loop_event *event) {
    struct model *model = *(struct model **)context;
    (void)event;
    if (now_ns != model->update_ns) return;
    model->update_ns = TIME_NEVER;
    control_request(model);
}

/* One that stands for a later time is ignored when it comes. */
static void plan(struct model *model, int64_t due_ns) {
    if (due_ns >= model->update_ns) return;
    model->update_ns = due_ns;
    loop_schedule(model->loop, due_ns, LOOP_CONTROL, model->options.first_event_kind + MODEL_UPDATE,
                  0, 0);
}

bool control_apply(struct model *model) {
    int64_t now_ns = loop_now(model->loop), next_ns = TIME_NEVER;
    if (!model->control_due) return true;
    if (model->update_ns == now_ns) model->update_ns = TIME_NEVER;
    for (uint32_t t = 0; t < model->table_count; t++) {
        struct table *table = &model->tables[t];
        if (!table_goes_on(model, table, now_ns)) return false;
        if (table->update.under_way && table->update.due_ns < next_ns)
            next_ns = table->update.due_ns;
    }
    CHECK(next_ns > now_ns && model->update_ns > now_ns);
    model->control_due = false;
    if (next_ns < TIME_NEVER) plan(model, next_ns);
    return true;
}

void control_handle(struct model *model) {
    model->update_ns = TIME_NEVER;
    loop_handle(model->loop, model->options.first_event_kind + MODEL_UPDATE, on_update);
}
