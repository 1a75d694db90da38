/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Index propagation and back-pressure. Sources: AWS developer guide, global secondary indexes and GSI
 * write throttling (a starved index throttles its table's writes); the hands-on lab's index of 1 WCU that
 * took about 19,600 units in a minute before it held its table back (buffer, grace: rules M-51, M-52).
 *
 * Invariants: backlog = units of the parts that wait; a partition is ready or blocked exactly when its queue
 * holds work, never both; puts = drains + entries in lag or waiting; nothing drains from an empty bucket outside grace.
 */
#include <model/propagation.h>

#include <base/rng.h>
#include <stdlib.h>
#include <string.h>

bool propagation_is_full(const struct propagation *p) {
    return p->entry_capacity == CALENDAR_SLOTS_MAX;
}

/* As many entries as the calendar has slots. */
static bool entries_grow(struct propagation *p) {
    uint32_t capacity = calendar_capacity(&p->calendar);
    if (capacity == p->entry_capacity) return true;
    struct propagation_entry *entries = aligned_alloc(64, capacity * sizeof *entries);
    if (!entries) return false;
    if (p->entry_capacity > 0) memcpy(entries, p->entries, p->entry_capacity * sizeof *entries);
    memset(entries + p->entry_capacity, 0, (capacity - p->entry_capacity) * sizeof *entries);
    free(p->entries);
    p->entries = entries;
    void *sorts = realloc(p->sorts, capacity * sizeof *p->sorts);
    if (!sorts) return false;
    p->sorts = sorts;
    p->entry_capacity = capacity;
    return true;
}

bool propagation_grow(struct propagation *p) {
    return calendar_grow(&p->calendar) && entries_grow(p);
}

bool propagation_is_tight(const struct propagation *p, uint32_t room) {
    return calendar_is_tight(&p->calendar, room) ||
           p->entry_capacity < calendar_capacity(&p->calendar);
}

bool propagation_init(struct propagation *p, const struct propagation_options *options,
                      int64_t now_ns) {
    *p = (struct propagation){
        .options = *options,
        .due_ns = TIME_NEVER,
        .grace_armed = options->grace_ns > 0,
        .grace_until_ns = INT64_MIN,
        .last_waiting_ns = INT64_MIN,
        .wake_ns = TIME_NEVER,
    };
    if (!resource_init(&p->resource, &options->resource, now_ns)) return false;
    delay_init(&p->lag, options->lag_median_ns, options->lag_p99_ns);
    uint32_t count = p->resource.space.count;
    p->queues = malloc(count * sizeof *p->queues);
    if (!p->queues || !order_init(&p->ready, count) || !order_init(&p->blocked, count) ||
        !calendar_init(&p->calendar, delay_longest_ns(&p->lag)) || !entries_grow(p)) {
        propagation_deinit(p);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        p->queues[i] = (struct propagation_queue){PROPAGATION_NO_ENTRY, PROPAGATION_NO_ENTRY};
    return true;
}

void propagation_deinit(struct propagation *p) {
    resource_deinit(&p->resource);
    calendar_deinit(&p->calendar);
    free(p->entries);
    free(p->queues);
    free(p->sorts);
    free(p->building);
    order_deinit(&p->ready);
    order_deinit(&p->blocked);
    p->entries = NULL;
    p->queues = NULL;
    p->sorts = NULL;
    p->building = NULL;
}

bool propagation_drop(struct propagation *p) {
    calendar_deinit(&p->calendar);
    for (uint32_t i = 0; i < p->resource.space.count; i++) {
        p->queues[i] = (struct propagation_queue){PROPAGATION_NO_ENTRY, PROPAGATION_NO_ENTRY};
        order_remove(&p->ready, i);
        order_remove(&p->blocked, i);
    }
    if (p->entry_capacity > 0) memset(p->entries, 0, p->entry_capacity * sizeof *p->entries);
    p->entry_count = 0;
    p->drains = p->puts;
    p->backlog_nano = 0;
    p->refusing = false;
    p->due_ns = p->wake_ns = TIME_NEVER;
    if (!calendar_init(&p->calendar, delay_longest_ns(&p->lag))) return false;
    while (calendar_capacity(&p->calendar) < p->entry_capacity)
        if (!calendar_grow(&p->calendar)) return false;
    return true;
}

static void entry_release(struct propagation *p, uint32_t entry) {
    CHECK_DEBUG(p->entry_count > 0);
    p->entries[entry].part_count = 0; /* told apart from those that are in use */
    calendar_release(&p->calendar, entry);
    p->entry_count--;
}

/* ---- the buffer ---- */

static int64_t buffer_nano(const struct propagation *p) {
    int64_t units = p->options.buffer_units;
    return (units >= 0 ? units : p->resource.capacity[WRITE]) * NANO;
}

static void refusing_update(struct propagation *p) {
    int64_t buffer = buffer_nano(p);
    CHECK_DEBUG(buffer >= 0 && p->backlog_nano >= 0);
    /* Is it less than that share of the buffer, rounded down? Asked for each entry, so without a division. */
    bool resumes =
        (int128)(p->backlog_nano + 1) * DDBSIM_SHARE_ONE <= (int128)buffer * p->options.resume;
    if (p->backlog_nano == 0 || resumes)
        p->refusing = false;
    else if (p->backlog_nano >= buffer)
        p->refusing = true;
}

static void backlog_add(struct propagation *p, int64_t nano) {
    p->backlog_nano += nano;
    CHECK_DEBUG(p->backlog_nano >= 0);
    refusing_update(p);
}

/* ---- what the waiting work needs ---- */

/* Work cannot be refused as a request can: what asks for more than ever fits is content with a full bucket. */
static void part_demand(const struct propagation *p, const struct propagation_entry *entry,
                        uint32_t part, struct demand *out) {
    uint32_t slot = entry->partitions[part];
    CHECK_DEBUG(part < entry->part_count);
    int64_t nano = propagation_part_units(entry, part) * NANO;
    if (p->resource.is_strict) { /* else anything is enough */
        int64_t most = resource_most(&p->resource, slot);
        if (nano > most) nano = most;
    }
    resource_demand(&p->resource, slot, WRITE, 0, false, nano, out);
}

static int64_t part_need(const struct propagation *p, const struct demand *demand) {
    return resource_need(&p->resource, demand->units_nano);
}

/* Of the oldest that waits in a partition's queue. */
static void head_demand(const struct propagation *p, uint32_t partition, struct demand *out) {
    CHECK_DEBUG(p->queues[partition].head != PROPAGATION_NO_ENTRY);
    if (!p->resource.is_strict) { /* anything is enough, so what it is need not come from memory */
        resource_demand(&p->resource, partition, WRITE, 0, false, 0, out);
        return;
    }
    const struct propagation_entry *entry = &p->entries[p->queues[partition].head];
    part_demand(p, entry, entry->next_part, out);
}

/* What the whole index must hold for the work that waits for it. */
static int64_t waiting_need(const struct propagation *p) {
    if (!p->resource.is_strict || p->ready.count == 0) return 1;
    struct demand demand;
    head_demand(p, p->ready.heap[0].number, &demand);
    return part_need(p, &demand);
}

uint32_t propagation_judge(struct propagation *p, bool touches, int64_t now_ns) {
    if (!p->refusing || p->is_lenient || p->resource.unlimited) return 0;
    if (p->options.scope == DDBSIM_SCOPE_TOUCHING && !touches) return 0;
    uint32_t whole = now_ns < p->grace_until_ns
                         ? 0
                         : resource_short(&p->resource, WRITE, waiting_need(p), now_ns);
    /* With capacity left it is a partition that holds the work back. */
    return whole ? whole : REFUSAL_BIT(REFUSAL_KEY_RANGE);
}

/* ---- draining ---- */

static bool work_waits(const struct propagation *p) { return propagation_is_waiting(p); }

static bool in_grace(struct propagation *p, int64_t now_ns) {
    if (now_ns < p->grace_until_ns) return true;
    /* Work that has kept waiting keeps the grace away; after a long quiet it is given again. */
    if (!p->grace_armed && p->options.grace_ns > 0 && !work_waits(p) &&
        now_ns - p->last_waiting_ns >= p->options.rearm_ns)
        p->grace_armed = true;
    return false;
}

/* Grace starts with the first work that finds the index's bucket empty. */
static bool grace_begin(struct propagation *p, int64_t now_ns) {
    if (!p->grace_armed) return false;
    p->grace_armed = false;
    p->grace_until_ns = now_ns + p->options.grace_ns;
    p->last_waiting_ns = p->grace_until_ns;
    return true;
}

static bool capacity_admits(struct propagation *p, int64_t need_nano, int64_t now_ns) {
    return in_grace(p, now_ns) || resource_short(&p->resource, WRITE, need_nano, now_ns) == 0 ||
           grace_begin(p, now_ns);
}

static bool part_admits(struct propagation *p, const struct demand *demand, int64_t now_ns) {
    return !resource_partition_short(&p->resource, demand, now_ns) &&
           capacity_admits(p, part_need(p, demand), now_ns);
}

static int64_t entry_units_from(const struct propagation_entry *entry, uint32_t first_part) {
    int64_t units = 0;
    for (uint32_t i = first_part; i < entry->part_count; i++)
        units += propagation_part_units(entry, i);
    return units;
}

/* Takes the part's tokens; the entry's consumption is one sample, booked with its last part. */
static void part_drain(struct propagation *p, struct propagation_entry *entry,
                       struct demand *demand, int64_t now_ns) {
    CHECK_DEBUG(entry->next_part < entry->part_count);
    uint32_t part = entry->next_part++;
    int64_t nano =
        p->resource.is_strict ? propagation_part_units(entry, part) * NANO : demand->units_nano;
    CHECK_DEBUG(nano == propagation_part_units(entry, part) * NANO);
    if (!p->resource.unlimited) {
        if (demand->units_nano != nano) /* it was content with less */
            resource_demand(&p->resource, demand->slot, WRITE, 0, false, nano, demand);
        resource_partition_take(&p->resource, demand);
        if (now_ns >= p->grace_until_ns) resource_take(&p->resource, WRITE, nano);
    }
    resource_served(&p->resource, demand->slot, WRITE, nano);
    if (entry->next_part == entry->part_count)
        resource_consumed(&p->resource, WRITE,
                          part == 0 ? nano : entry_units_from(entry, 0) * NANO);
    if (p->drained) p->drained(p->context, p, entry, part, nano, now_ns);
}

/* Drains what it may of one entry; true when nothing of it is left. */
static bool entry_drain(struct propagation *p, uint32_t number, int64_t now_ns) {
    struct propagation_entry *entry = &p->entries[number];
    while (entry->next_part < entry->part_count) {
        struct demand demand;
        part_demand(p, entry, entry->next_part, &demand);
        if (!part_admits(p, &demand, now_ns)) return false;
        part_drain(p, entry, &demand, now_ns);
    }
    p->drains++;
    entry_release(p, number);
    return true;
}

/* ---- waiting ---- */

static int64_t entry_rest_nano(const struct propagation_entry *entry) {
    return entry_units_from(entry, entry->next_part) * NANO;
}

/* The partition's queue has another head: it is ready, until somebody finds that it has no tokens. */
static void head_changed(struct propagation *p, uint32_t partition) {
    uint32_t head = p->queues[partition].head;
    order_remove(&p->blocked, partition);
    if (head == PROPAGATION_NO_ENTRY)
        order_remove(&p->ready, partition);
    else
        order_put(&p->ready, partition, p->entries[head].sequence);
}

/* A part that follows another of its entry is older than all in its queue and goes to the front. */
static void wait_begin(struct propagation *p, uint32_t number, bool at_front) {
    struct propagation_entry *entry = &p->entries[number];
    uint32_t partition = entry->partitions[entry->next_part];
    struct propagation_queue *queue = &p->queues[partition];
    bool was_empty = queue->head == PROPAGATION_NO_ENTRY;
    if (at_front || was_empty) {
        entry->next = queue->head;
        queue->head = number;
        if (was_empty) queue->tail = number;
        head_changed(p, partition);
    } else {
        p->entries[queue->tail].next = number;
        entry->next = PROPAGATION_NO_ENTRY;
        queue->tail = number;
    }
}

static uint32_t wait_end(struct propagation *p, uint32_t partition) {
    struct propagation_queue *queue = &p->queues[partition];
    uint32_t number = queue->head;
    CHECK_DEBUG(number != PROPAGATION_NO_ENTRY);
    queue->head = p->entries[number].next;
    if (queue->head == PROPAGATION_NO_ENTRY) queue->tail = PROPAGATION_NO_ENTRY;
    head_changed(p, partition);
    return number;
}

/* The partition with the oldest work that has tokens; PROPAGATION_NO_ENTRY where none has. Whoever is
 * found without tokens is blocked until it has some, so each partition is looked at once a token. */
static uint32_t oldest_ready(struct propagation *p, int64_t now_ns) {
    while (p->blocked.count > 0 && p->blocked.heap[0].rank <= (uint64_t)now_ns)
        head_changed(p, p->blocked.heap[0].number);
    while (p->ready.count > 0) {
        uint32_t partition = p->ready.heap[0].number;
        struct demand demand;
        head_demand(p, partition, &demand);
        if (!resource_partition_short(&p->resource, &demand, now_ns)) return partition;
        order_remove(&p->ready, partition);
        order_put(&p->blocked, partition,
                  (uint64_t)resource_partition_ready_ns(&p->resource, &demand, now_ns));
    }
    return PROPAGATION_NO_ENTRY;
}

/* Drains what may; the partition that has tokens while the index has none, as oldest_ready says it. */
static uint32_t drain_waiting(struct propagation *p, int64_t now_ns) {
    uint32_t ready = PROPAGATION_NO_ENTRY;
    while (work_waits(p)) {
        ready = oldest_ready(p, now_ns);
        if (ready == PROPAGATION_NO_ENTRY || !capacity_admits(p, waiting_need(p), now_ns)) break;
        uint32_t number = wait_end(p, ready);
        int64_t before = entry_rest_nano(&p->entries[number]);
        bool done = entry_drain(p, number, now_ns);
        int64_t after = done ? 0 : entry_rest_nano(&p->entries[number]);
        backlog_add(p, after - before);
        if (!done) wait_begin(p, number, true);
    }
    if (work_waits(p) && now_ns > p->last_waiting_ns) p->last_waiting_ns = now_ns;
    return ready;
}

/* When the waiting work may go on: its bucket has tokens and so has one of its partitions. */
static int64_t next_chance_ns(struct propagation *p, bool is_ready, int64_t now_ns) {
    CHECK_DEBUG(is_ready || p->blocked.count > 0);
    int64_t partition_ns = is_ready ? now_ns : (int64_t)p->blocked.heap[0].rank;
    int64_t capacity_ns = now_ns < p->grace_until_ns
                              ? now_ns
                              : resource_ready_ns(&p->resource, WRITE, waiting_need(p), now_ns);
    return partition_ns > capacity_ns ? partition_ns : capacity_ns;
}

/* `ready`: what oldest_ready says. */
static void wake_schedule(struct propagation *p, struct loop *loop, uint32_t index_number,
                          uint32_t ready, int64_t now_ns) {
    if (!work_waits(p)) return;
    int64_t wake_ns = next_chance_ns(p, ready != PROPAGATION_NO_ENTRY, now_ns);
    if (wake_ns >= p->wake_ns) return;
    p->wake_ns = wake_ns;
    loop_schedule(loop, wake_ns, LOOP_WORK, p->options.wake_kind, index_number, 0);
}

static uint128 entry_position(const struct propagation *p, uint32_t number, uint32_t part) {
    return (uint128)p->entries[number].hashes[part] << 64 | p->sorts[number][part];
}

/* The loop knows of the next write that arrives, and of no other. */
void propagation_tell(struct propagation *p, struct loop *loop, uint32_t index_number) {
    int64_t next_ns = calendar_next_ns(&p->calendar);
    if (next_ns >= p->due_ns) return;
    p->due_ns = next_ns;
    loop_schedule(loop, next_ns, LOOP_WORK, p->options.arrive_kind, index_number, 0);
}

static void part_set(struct propagation *p, uint32_t number, struct propagation_entry *entry,
                     const struct ddbsim_key *key) {
    uint32_t part = entry->part_count++;
    p->sorts[number][part] = key->sort;
    entry->hashes[part] = key->hash;
    entry->ordinals[part] = key->ordinal;
    entry->partitions[part] = space_find(&p->resource.space, space_position(key));
}

void propagation_put(struct propagation *p, const struct ddbsim_index_work *work, uint64_t draw,
                     int64_t now_ns) {
    CHECK_DEBUG(work->old_bytes >= 0 && work->old_bytes <= UINT32_MAX);
    CHECK_DEBUG(work->new_bytes >= 0 && work->new_bytes <= UINT32_MAX);
    uint32_t number = calendar_put(&p->calendar, now_ns + delay_ns(&p->lag, draw));
    p->entry_count++;
    struct propagation_entry entry = {
        .sequence = p->sequence++,
        .old_bytes = (uint32_t)work->old_bytes,
        .new_bytes = (uint32_t)work->new_bytes,
        .entity = work->new_key.entity & DDBSIM_ENTITY_MAX,
        .effect = (unsigned)work->effect & 15u,
    };
    if (work->effect == DDBSIM_EFFECT_REMOVE || work->effect == DDBSIM_EFFECT_MOVE)
        part_set(p, number, &entry, &work->old_key);
    if (work->effect != DDBSIM_EFFECT_REMOVE) part_set(p, number, &entry, &work->new_key);
    /* Written once, and the place of the next one that comes to the same time is asked for. */
    p->entries[number] = entry;
    __builtin_prefetch(&p->entries[number + 1], 1);
    if (p->resource.splitting.watched > 0 && p->seen)
        for (uint32_t part = 0; part < entry.part_count; part++)
            p->seen(p->context, p, entry.partitions[part], entry_position(p, number, part),
                    propagation_part_units(&entry, part));
    p->puts++;
}

/* Some partition has tokens and waits for the index's, and will be woken with the first of them: work that
 * joins it takes nothing and changes nothing of that. Strict admission may need fewer for what joins. */
static bool is_woken_anyway(const struct propagation *p) {
    return p->wake_ns != TIME_NEVER && p->ready.count > 0 && !p->resource.is_strict;
}

static void entry_arrive(struct propagation *p, struct loop *loop, uint32_t index_number,
                         uint32_t number, int64_t now_ns) {
    struct propagation_entry *entry = &p->entries[number];
    uint32_t partition = entry->partitions[0];
    CHECK_DEBUG(entry->next_part == 0 && partition < p->resource.space.count);
    /* Nobody overtakes work that waits for the same thing. */
    bool queue_empty = p->queues[partition].head == PROPAGATION_NO_ENTRY;
    bool others_wait_for_capacity =
        work_waits(p) && now_ns >= p->grace_until_ns &&
        resource_short(&p->resource, WRITE, waiting_need(p), now_ns) != 0;
    bool joins = !queue_empty || others_wait_for_capacity;
    if (!joins && entry_drain(p, number, now_ns)) return;
    bool is_woken = joins && is_woken_anyway(p);
    wait_begin(p, number, p->entries[number].next_part > 0);
    backlog_add(p, entry_rest_nano(&p->entries[number]));
    if (now_ns > p->last_waiting_ns) p->last_waiting_ns = now_ns;
    if (!is_woken) wake_schedule(p, loop, index_number, oldest_ready(p, now_ns), now_ns);
}

/* What the next writes need comes from memory meanwhile. In line: gcc drops calls of functions that do
 * nothing but this. */
static inline __attribute__((always_inline)) void fetch_ahead(const struct propagation *p) {
    const struct propagation_entry *next = &p->entries[calendar_ahead(&p->calendar, 4)];
    __builtin_prefetch(&p->entries[calendar_ahead(&p->calendar, 8)], 1);
    __builtin_prefetch(&p->resource.space.partitions[next->partitions[0]], 1);
}

void propagation_arrive(struct propagation *p, struct loop *loop, uint32_t index_number,
                        int64_t now_ns) {
    /* An event that an earlier one replaced finds nothing that is due. */
    if (now_ns >= p->due_ns) p->due_ns = TIME_NEVER;
    if (calendar_next_ns(&p->calendar) <= now_ns) {
        uint32_t number = calendar_arrive(&p->calendar);
        fetch_ahead(p);
        propagation_tell(p, loop, index_number);
        entry_arrive(p, loop, index_number, number, now_ns);
    } else {
        propagation_tell(p, loop, index_number);
    }
}

void propagation_wake(struct propagation *p, struct loop *loop, uint32_t index_number,
                      int64_t now_ns) {
    /* A wake that an earlier one replaced finds nothing to do and leaves the later one alone. */
    if (now_ns >= p->wake_ns) p->wake_ns = TIME_NEVER;
    uint32_t ready = drain_waiting(p, now_ns);
    wake_schedule(p, loop, index_number, ready, now_ns);
}

/* ---- partitions that split ---- */

bool propagation_grow_partitions(struct propagation *p, uint32_t more) {
    uint32_t count = p->resource.space.count + more;
    struct propagation_queue *queues = realloc(p->queues, count * sizeof *queues);
    if (!queues) return false;
    p->queues = queues;
    for (uint32_t i = p->resource.space.count; i < count; i++)
        queues[i] = (struct propagation_queue){PROPAGATION_NO_ENTRY, PROPAGATION_NO_ENTRY};
    return order_grow(&p->ready, count) && order_grow(&p->blocked, count);
}

/* Entries in the free list are told apart by having no parts. */
static void entries_reroute(struct propagation *p) {
    for (uint32_t number = 0; number < p->entry_capacity; number++) {
        struct propagation_entry *entry = &p->entries[number];
        for (uint32_t part = entry->next_part; part < entry->part_count; part++)
            entry->partitions[part] =
                space_find(&p->resource.space, entry_position(p, number, part));
    }
}

/* In the order in which they waited. */
static void queue_divide(struct propagation *p, uint32_t slot) {
    uint32_t number = p->queues[slot].head;
    p->queues[slot] = (struct propagation_queue){PROPAGATION_NO_ENTRY, PROPAGATION_NO_ENTRY};
    order_remove(&p->blocked, slot);
    order_remove(&p->ready, slot);
    while (number != PROPAGATION_NO_ENTRY) {
        uint32_t next = p->entries[number].next;
        wait_begin(p, number, false);
        number = next;
    }
}

void propagation_split(struct propagation *p, struct loop *loop, uint32_t index_number,
                       const struct space_parting *partings, uint32_t count, int64_t now_ns) {
    CHECK(count >= 1);
    entries_reroute(p);
    for (uint32_t i = 0; i < count; i++)
        queue_divide(p, partings[i].slot);
    propagation_capacity_changed(p, loop, index_number, now_ns);
}

void propagation_capacity_changed(struct propagation *p, struct loop *loop, uint32_t index_number,
                                  int64_t now_ns) {
    refusing_update(p);
    p->wake_ns = TIME_NEVER;
    wake_schedule(p, loop, index_number, oldest_ready(p, now_ns), now_ns);
}
