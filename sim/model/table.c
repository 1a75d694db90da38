/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a table admits or refuses one attempt. Source: AWS developer guide (throttling diagnosis,
 * burst capacity, partition limits, GSI write throttling); the order of the checks is an assumption
 * (M-31):
 *
 *   units -> limits of the whole table -> partition, leader or replica, node -> back-pressure of each
 *   index -> take tokens -> execute
 *
 * Every check is made, so all reasons that apply are known (M-32); tokens are taken only when all pass.
 * A refused attempt costs nothing (M-08). Reads never meet index back-pressure.
 *
 * A batch is one attempt whose members go that way one by one, in order (M-63): an attempt is admitted if
 * any of its members is. Invariant: members = served + unprocessed, and the consumption of an attempt is one
 * sample. A transaction's members are judged together and served together or not at all (M-68).
 */
#include <model/usual.h>

#include <model/faults.h>
#include <model/replication.h>
#include <model/stream.h>
#include <model/ttl.h>

/* Each index and each replica that a write leads to may schedule one event, and its caller a few. */
_Static_assert(DDBSIM_FOLLOWERS_MAX + 4 <= LOOP_EVENTS_PER_DISPATCH,
               "what one transaction leads to fits one dispatch");

/* ---- judging ---- */

/* The table, or the index that is read. Reading a local index is reading the table (M-57). */
static struct resource *addressed(struct model *model, struct table *table, uint32_t index) {
    if (index == DDBSIM_NONE || (table->local_indexes >> index & 1u)) return &table->resource;
    return &model->indexes[table->first_index + index].resource;
}

/* Strong reads and writes go to the leader, eventual reads to any replica, which counts blocks of 4 KB: two
 * for a unit (M-23). */
static void demand_of(const struct table *table, const struct resource *resource,
                      const struct ddbsim_request *request, const struct attempt *attempt,
                      uint64_t draw, struct demand *out) {
    bool is_eventual = attempt->direction == READ && !request->consistent;
    resource_demand(resource, attempt->partition, attempt->direction,
                    is_eventual ? table_replica(table, draw) : 0, is_eventual, attempt->cost_nano,
                    out);
}

/* Callers meet any of the routers. */
static uint32_t router_of(const struct table *table, const struct grants *grants, uint64_t draw) {
    uint64_t own = hash_mix(table->replica_stream, draw, 1);
    return (uint32_t)(((uint128)own * grants->routers) >> 64);
}

/* Has the router that the caller meets nothing left of the table's tokens? (M-37) */
static bool router_short(const struct table *table, struct resource *resource,
                         const struct attempt *attempt, uint64_t draw, int64_t now_ns) {
    if (resource->on_demand || resource->unlimited) return false;
    enum direction d = attempt->direction;
    return !grants_admit(resource->grants, &resource->buckets[d], &resource->rules[d], d,
                         router_of(table, resource->grants, draw),
                         resource_need(resource, attempt->cost_nano) * resource->serving.of,
                         now_ns);
}

static void judge_own(const struct table *table, struct resource *resource,
                      const struct demand *demand, struct attempt *attempt, uint64_t draw,
                      int64_t now_ns) {
    attempt->refusals = resource_short(resource, attempt->direction,
                                       resource_need(resource, attempt->cost_nano), now_ns);
    if (resource->grants && router_short(table, resource, attempt, draw, now_ns))
        attempt->refusals |= REFUSAL_BIT(REFUSAL_PROVISIONED);
    attempt->partition_short = resource_partition_short(resource, demand, now_ns);
    if (attempt->partition_short) attempt->refusals |= REFUSAL_BIT(REFUSAL_KEY_RANGE);
}

static const struct ddbsim_index_work *work_for(const struct ddbsim_request *request,
                                                uint32_t index) {
    for (uint32_t i = 0; i < request->work_count; i++)
        if (request->work[i].index == index) return &request->work[i];
    return NULL;
}

static void judge_indexes(struct model *model, struct table *table,
                          const struct ddbsim_request *request, struct attempt *attempt,
                          int64_t now_ns) {
    CHECK_DEBUG(table->index_count <= DDBSIM_INDEXES_MAX);
    for (uint32_t i = 0; i < table->index_count; i++) {
        if (table->skipped_indexes >> i & 1u) continue;
        struct propagation *index = &model->indexes[table->first_index + i];
        const struct ddbsim_index_work *work = work_for(request, i);
        if (work) table_index_asked(model, table, work);
        uint32_t refusals = propagation_judge(index, work != NULL, now_ns);
        for (uint32_t why = 0; refusals >> why; why++)
            if (refusals >> why & 1u) attempt->index_refusals[why] |= UINT32_C(1) << i;
    }
}

static void take_grant(const struct table *table, struct resource *resource,
                       const struct attempt *attempt, uint64_t draw) {
    if (resource->grants && !resource->on_demand)
        grants_take(resource->grants, attempt->direction, router_of(table, resource->grants, draw),
                    attempt->cost_nano * resource->serving.of);
}

static void take_tokens(struct model *model, const struct table *table, struct resource *resource,
                        const struct demand *demand, const struct attempt *attempt, uint64_t draw,
                        int64_t now_ns) {
    if (!resource->unlimited) {
        resource_take(resource, attempt->direction, attempt->cost_nano);
        take_grant(table, resource, attempt, draw);
        resource_partition_take(resource, demand);
        if (resource->buckets[attempt->direction].level_nano <= 0)
            model_note_burst(model, resource, attempt->direction, now_ns);
    }
    resource_served(resource, attempt->partition, attempt->direction, attempt->cost_nano);
}

/* The checks are made one after the other and each takes its tokens at once: those before the first that
 * refuses have theirs (M-39). */
static void leak_tokens(const struct table *table, struct resource *resource,
                        const struct demand *demand, const struct attempt *attempt, uint64_t draw,
                        int64_t now_ns) {
    if (resource->unlimited) return;
    if (resource->grants && router_short(table, resource, attempt, draw, now_ns)) return;
    if (!resource_leak(resource, attempt->direction, attempt->cost_nano, now_ns)) return;
    take_grant(table, resource, attempt, draw);
    if (!attempt->partition_short) resource_partition_take(resource, demand);
}

void table_item_followed(struct model *model, struct table *table, uint32_t slot,
                         const struct ddbsim_request *request, int64_t now_ns) {
    if (table->readers) stream_write(table->readers, slot, now_ns);
    if (table->links) replication_write(model, table, request, now_ns);
    if (table->ttl)
        ttl_write(table, slot, request);
    else if (request->new_bytes != request->old_bytes)
        space_change(&table->resource.space, slot,
                     (request->new_bytes > 0) - (request->old_bytes > 0),
                     request->new_bytes - request->old_bytes);
}

void table_index_work(struct model *model, struct table *table,
                      const struct ddbsim_request *request, uint64_t draw, int64_t now_ns) {
    for (uint32_t i = 0; i < request->work_count; i++) {
        if (table->skipped_indexes >> request->work[i].index & 1u) continue;
        uint32_t number = table->first_index + request->work[i].index;
        struct propagation *index = &model->indexes[number];
        propagation_put(index, &request->work[i], hash_mix(index->options.lag_stream, draw, i),
                        now_ns);
        if (propagation_is_tight(index, MODEL_PUTS_PER_DISPATCH)) loop_request_between(model->loop);
    }
}

static void execute(struct model *model, struct table *table, const struct ddbsim_request *request,
                    const struct attempt *attempt, uint64_t draw, int64_t now_ns) {
    table_item_change(model, table, attempt->partition, request, now_ns);
    table_index_work(model, table, request, draw, now_ns);
}

/* A local index has nothing on its way, ever. */
void table_tell_indexes(struct model *model, const struct table *table) {
    for (uint32_t i = 0; i < table->index_count; i++)
        propagation_tell(&model->indexes[table->first_index + i], model->loop,
                         table->first_index + i);
}

static void refuse(struct model *model, struct resource *resource, enum direction direction,
                   enum refusal why, int64_t now_ns) {
    resource_refused(resource, direction, why);
    model_note_refusal(model, resource, direction, now_ns);
}

static void count_index_refusals(struct model *model, struct table *table,
                                 const struct ddbsim_request *request,
                                 const struct attempt *attempt, uint32_t i, int64_t now_ns) {
    struct propagation *index = &model->indexes[table->first_index + i];
    for (int why = 0; why < REFUSALS; why++)
        if (attempt->index_refusals[why] >> i & 1u)
            refuse(model, &index->resource, WRITE, (enum refusal)why, now_ns);
    const struct ddbsim_index_work *work = work_for(request, i);
    if (!work) return;
    struct topkeys *keys = &model->top_window[index->resource.number];
    topkeys_throttled(keys, &work->new_key);
    if (topkeys_is_tight(keys)) loop_request_between(model->loop);
}

/* Is its key one that somebody may want to know? A Scan has none. */
static inline bool has_key(const struct ddbsim_request *request) {
    return !(request->special & DDBSIM_SCANS);
}

void table_refuse_usual(struct model *model, struct table *table,
                        const struct ddbsim_request *request, const struct attempt *attempt,
                        int64_t now_ns) {
    struct resource *resource = &table->resource;
    enum direction direction = attempt->direction;
    CHECK_DEBUG(!attempt->admitted && !resource->leaks && attempt->refusals != 0);
    if (attempt->refusals & REFUSAL_BIT(REFUSAL_PROVISIONED))
        refuse(model, resource, direction, REFUSAL_PROVISIONED, now_ns);
    if (attempt->partition_short) {
        struct partition *partition = &resource->space.partitions[attempt->partition];
        refuse(model, resource, direction, REFUSAL_KEY_RANGE, now_ns);
        partition->sample_throttled[direction]++;
        slotset_add(&resource->space.touched, attempt->partition);
    }
    topkeys_throttled(&model->top_window[resource->number], &request->key);
}

/* Each reason is an event of its own resource (M-61). */
static void count_refusal(struct model *model, struct table *table, struct resource *resource,
                          const struct ddbsim_request *request, const struct attempt *attempt,
                          int64_t now_ns) {
    CHECK_DEBUG(!attempt->admitted);
    for (int why = 0; why < REFUSALS; why++)
        if (attempt->refusals & REFUSAL_BIT(why))
            refuse(model, resource, attempt->direction, (enum refusal)why, now_ns);
    if (attempt->partition_short) {
        resource->space.partitions[attempt->partition].sample_throttled[attempt->direction]++;
        slotset_add(&resource->space.touched, attempt->partition);
    }
    if (has_key(request)) topkeys_throttled(&model->top_window[resource->number], &request->key);
    uint32_t held = 0;
    for (int why = 0; why < REFUSALS; why++)
        held |= attempt->index_refusals[why];
    for (; held; held &= held - 1)
        count_index_refusals(model, table, request, attempt, (uint32_t)__builtin_ctz(held), now_ns);
}

/* `bytes`: of what was served, together. */
static void answer(const struct model *model, const struct table *table, int64_t bytes,
                   struct attempt *attempt, uint64_t draw) {
    enum latency_kind kind = attempt->direction == WRITE ? LATENCY_PUT : LATENCY_GET;
    if (!attempt->admitted) kind = LATENCY_THROTTLE;
    uint32_t served = attempt->members - attempt->unprocessed;
    if (attempt->admitted && served > 0)
        attempt->service_ns =
            latency_batch_ns(&model->shapes, &table->latency, kind, served, bytes, draw);
    else
        attempt->service_ns =
            latency_service_ns(&model->shapes, &table->latency, kind, bytes, draw);
    attempt->caller_ns = attempt->service_ns + table->latency.network_ns;
}

/* What a local index asks is paid by the table (M-57). */
static int64_t local_cost_nano(const struct table *table, const struct ddbsim_request *request) {
    int64_t units = 0;
    for (uint32_t i = 0; i < request->work_count; i++)
        if (table->local_indexes >> request->work[i].index & 1u)
            units += propagation_cost_units(&request->work[i]);
    return units * NANO;
}

static bool admits_all(const struct attempt *attempt) {
    uint32_t refusals = attempt->refusals;
    for (int why = 0; why < REFUSALS; why++)
        refusals |= attempt->index_refusals[why];
    return refusals == 0;
}

/* An index that is not there, or not filled in yet, cannot be read (M-49). */
static bool is_unreadable(const struct model *model, const struct table *table,
                          const struct ddbsim_request *request) {
    return request->index != DDBSIM_NONE &&
           model->indexes[table->first_index + request->index].resource.presence != PRESENCE_ACTIVE;
}

/* By how many bytes a write changes its item and what local indexes hold of it. */
static int64_t collection_change(const struct table *table, const struct ddbsim_request *request) {
    int64_t bytes = request->new_bytes - request->old_bytes;
    for (uint32_t i = 0; i < request->work_count; i++)
        if (table->local_indexes >> request->work[i].index & 1u)
            bytes += request->work[i].new_bytes - request->work[i].old_bytes;
    return bytes;
}

/* Would the write make its item collection too large (M-48)? */
static bool collection_is_full(const struct table *table, const struct ddbsim_request *request) {
    return table->collections && ddbsim_operation_is_write((int)request->kind) &&
           collections_refuse(table->collections, request->key.hash,
                              collection_change(table, request));
}

static void collection_grow(struct model *model, struct table *table,
                            const struct ddbsim_request *request) {
    CHECK_DEBUG(table->collections != NULL);
    int64_t bytes = collection_change(table, request);
    if (bytes == 0) return;
    collections_add(table->collections, request->key.hash, bytes);
    if (collections_is_tight(table->collections, MODEL_COLLECTIONS_ROOM))
        loop_request_between(model->loop);
}

static struct resource *attempt_invalid(struct table *table, const struct ddbsim_request *request,
                                        struct attempt *out) {
    *out = (struct attempt){
        .direction = direction_of(request->kind),
        .index = DDBSIM_NONE,
        .verdict = VERDICT_INVALID,
    };
    return &table->resource;
}

/* One item, one Query or one page: what it asks, and which checks refuse it. */
static inline struct resource *attempt_judge(struct model *model, struct table *table,
                                             const struct ddbsim_request *request,
                                             int64_t half_units, uint64_t draw, int64_t now_ns,
                                             struct demand *demand, struct attempt *out) {
    CHECK_DEBUG(request->work_count <= table->index_count);
    CHECK_DEBUG(request->old_bytes >= 0 && request->new_bytes >= 0);
    if (is_unreadable(model, table, request) || collection_is_full(table, request)) {
        *demand = (struct demand){0};
        return attempt_invalid(table, request, out);
    }
    struct resource *resource = addressed(model, table, request->index);
    uint128 position = space_position(&request->key);
    *out = (struct attempt){
        .direction = direction_of(request->kind),
        .index = resource == &table->resource ? DDBSIM_NONE : request->index,
        .partition = space_find(&resource->space, position),
        .cost_nano = half_units * HALF_UNIT_NANO,
    };
    if (table->local_indexes && out->direction == WRITE)
        out->cost_nano += local_cost_nano(table, request);
    demand_of(table, resource, request, out, draw, demand);
    resource->second.demand_nano[out->direction] += out->cost_nano;
    judge_own(table, resource, demand, out, draw, now_ns);
    splits_see(model, resource, out->partition, position, out->direction, out->cost_nano);
    if (out->direction == WRITE && table->index_count > 0)
        judge_indexes(model, table, request, out, now_ns);
    out->admitted = admits_all(out);
    return resource;
}

/* All checks have passed. */
static inline void attempt_take(struct model *model, struct table *table, struct resource *resource,
                                const struct ddbsim_request *request, const struct demand *demand,
                                const struct attempt *attempt, uint64_t draw, int64_t now_ns) {
    take_tokens(model, table, resource, demand, attempt, draw, now_ns);
    if (has_key(request))
        topkeys_used(&model->top_window[resource->number], &request->key, attempt->direction,
                     attempt->cost_nano);
}

/* One item, or one Query: judged, and executed if admitted. */
static struct resource *attempt_item(struct model *model, struct table *table,
                                     const struct ddbsim_request *request, uint64_t draw,
                                     int64_t now_ns, struct attempt *out) {
    struct demand demand;
    struct resource *resource =
        attempt_judge(model, table, request, units_request(request), draw, now_ns, &demand, out);
    if (out->verdict == VERDICT_INVALID) return resource;
    if (out->admitted && locks_hold(&model->locks, request, now_ns)) {
        out->admitted = false;
        out->verdict = VERDICT_CONFLICT;
        table->conflicts++;
    } else if (out->admitted) {
        attempt_take(model, table, resource, request, &demand, out, draw, now_ns);
        bool writes = out->direction == WRITE && !(request->special & DDBSIM_CONDITION_FAILS);
        if (writes) execute(model, table, request, out, draw, now_ns);
        if (writes && table->collections) collection_grow(model, table, request);
    } else {
        if (resource->leaks) leak_tokens(table, resource, &demand, out, draw, now_ns);
        count_refusal(model, table, resource, request, out, now_ns);
    }
    return resource;
}

void table_count_returned(struct table *table, const struct ddbsim_request *request,
                          uint64_t draw) {
    struct item_sample *sample = &table->operations[request->kind].returned;
    uint64_t items = request->items;
    if (request->returned < DDBSIM_SHARE_ONE) {
        uint128 share = (uint128)items * request->returned;
        uint64_t rounding = hash_mix(draw, 0, 1) % (uint64_t)DDBSIM_SHARE_ONE;
        items = (uint64_t)((share + rounding) / (uint64_t)DDBSIM_SHARE_ONE);
    }
    if (sample->count == 0 || items < sample->minimum) sample->minimum = items;
    if (items > sample->maximum) sample->maximum = items;
    sample->sum += items;
    sample->count++;
}

/* What the call as a whole was; the loop hears of what it left behind. */
static void attempt_over(struct model *model, struct table *table, struct resource *resource,
                         enum ddbsim_operation_kind kind, const struct attempt *out) {
    if (out->admitted) {
        if (out->cost_nano > 0) resource_consumed(resource, out->direction, out->cost_nano);
        if (out->verdict == VERDICT_NONE) table_count_success(table, kind, out);
        if (out->direction == WRITE) table_tell_indexes(model, table);
    } else if (out->verdict == VERDICT_INVALID) {
        model->user_errors++;
    } else if (out->verdict == VERDICT_SYSTEM) {
        table->operations[kind].system_errors++;
    } else if (out->verdict == VERDICT_NONE) {
        table->operations[kind].throttled++;
    }
    if (topkeys_is_tight(&model->top_window[resource->number])) loop_request_between(model->loop);
}

/* An answer that says nothing of what was asked, and nothing was done: an error of the caller's or of the service's
 * own, which takes as long as a refusal. */
static void answer_error(struct model *model, struct table *table, enum ddbsim_operation_kind kind,
                         enum verdict verdict, uint64_t draw, struct attempt *out) {
    *out = (struct attempt){
        .verdict = (uint8_t)verdict, .direction = direction_of(kind), .index = DDBSIM_NONE};
    answer(model, table, 0, out, draw);
    attempt_over(model, table, &table->resource, kind, out);
}

void table_attempt_any(struct model *model, const struct ddbsim_request *request, uint64_t draw,
                       int64_t now_ns, struct attempt *out) {
    struct table *table = &model->tables[request->table];
    if (request->special & DDBSIM_INVALID) {
        table_invalid(model, request->table, request->kind, draw, out);
        return;
    }
    if (faults_strike(table, draw)) {
        answer_error(model, table, request->kind, VERDICT_SYSTEM, draw, out);
        return;
    }
    struct resource *resource = attempt_item(model, table, request, draw, now_ns, out);
    if (out->admitted && request->special & DDBSIM_CONDITION_FAILS) {
        out->verdict = VERDICT_CONDITION;
        table->conditions_failed++;
    }
    answer(model, table, table_larger_side(request), out, draw);
    attempt_over(model, table, resource, request->kind, out);
    if (out->admitted && ddbsim_operation_reads_pages((int)request->kind))
        table_count_returned(table, request, draw);
}

void table_attempt(struct model *model, const struct ddbsim_request *request, uint64_t draw,
                   int64_t now_ns, struct attempt *out) {
    CHECK_DEBUG(request->table < model->table_count);
    if (!usual_attempt(model, request, draw, now_ns, out))
        table_attempt_any(model, request, draw, now_ns, out);
}

void table_invalid(struct model *model, uint32_t table, enum ddbsim_operation_kind kind,
                   uint64_t draw, struct attempt *out) {
    CHECK_DEBUG(table < model->table_count);
    answer_error(model, &model->tables[table], kind, VERDICT_INVALID, draw, out);
}

/* Adds what became of a member to what becomes of its batch: one that is served, or met a transaction, makes it a
 * call that has its answer (M-63, M-69). */
static void member_add(struct attempt *out, const struct attempt *member) {
    out->admitted |= member->admitted || member->verdict == VERDICT_CONFLICT;
    if (member->admitted) {
        out->cost_nano += member->cost_nano;
        return;
    }
    out->unprocessed++;
    out->refusals |= member->refusals;
    for (int why = 0; why < REFUSALS; why++)
        out->index_refusals[why] |= member->index_refusals[why];
}

/* A read beyond what an answer holds, or behind one such, is not made: it comes back unprocessed (M-63). */
static inline bool answer_is_full(const struct ddbsim_request *member, enum direction direction,
                                  int64_t bytes, bool is_full) {
    if (direction == WRITE) return false;
    return is_full || bytes + table_larger_side(member) > DDBSIM_BATCH_BYTES_MAX;
}

/* One member that is too much for its collection, after those before it, and nothing of the call is done (M-48). */
static bool batch_overfills(const struct table *table, const struct ddbsim_request *const *members,
                            uint32_t count) {
    if (!table->collections || !ddbsim_operation_is_write((int)members[0]->kind)) return false;
    for (uint32_t i = 0; i < count; i++) {
        int64_t bytes = 0;
        for (uint32_t k = 0; k <= i; k++)
            if (members[k]->key.hash == members[i]->key.hash)
                bytes += collection_change(table, members[k]);
        if (collections_refuse(table->collections, members[i]->key.hash, bytes)) return true;
    }
    return false;
}

/* One member that AWS refuses for what it asks, and it refuses the call (M-48, M-67). */
static bool batch_is_invalid(const struct table *table, const struct ddbsim_request *const *members,
                             uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (members[i]->special & DDBSIM_INVALID) return true;
    return batch_overfills(table, members, count);
}

/* The members one after the other; returns the bytes of those that are served. */
USUAL_INLINE int64_t batch_members(struct model *model, struct table *table,
                                   const struct ddbsim_request *const *members, uint32_t count,
                                   enum direction direction, uint64_t draw, int64_t now_ns,
                                   struct attempt *each, struct attempt *out) {
    bool is_usual = usual_table(model, table, direction, now_ns);
    bool is_full = false;
    int64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct ddbsim_request *member = members[i];
        uint64_t own = hash_mix(draw, i, 0);
        CHECK_DEBUG(member->kind == members[0]->kind && member->index == DDBSIM_NONE);
        is_full = answer_is_full(member, direction, bytes, is_full);
        if (is_full)
            each[i] =
                (struct attempt){.verdict = VERDICT_FULL, .direction = READ, .index = DDBSIM_NONE};
        else if (is_usual && usual_request(member))
            usual_item(model, table, member, direction, own, now_ns, &each[i]);
        else
            (void)attempt_item(model, table, member, own, now_ns, &each[i]);
        member_add(out, &each[i]);
        if (each[i].admitted) bytes += table_larger_side(member);
    }
    return bytes;
}

void table_batch(struct model *model, const struct ddbsim_request *const *members, uint32_t count,
                 uint64_t draw, int64_t now_ns, struct attempt *each, struct attempt *out) {
    CHECK(count > 0 && count <= DDBSIM_BATCH_MAX);
    CHECK_DEBUG(members[0]->table < model->table_count);
    struct table *table = &model->tables[members[0]->table];
    enum ddbsim_operation_kind kind = members[0]->kind;
    int64_t bytes = 0;
    if (faults_strike(table, draw)) {
        answer_error(model, table, kind, VERDICT_SYSTEM, draw, out);
        out->members = count;
        return;
    }
    *out =
        (struct attempt){.direction = direction_of(kind), .index = DDBSIM_NONE, .members = count};
    if (batch_is_invalid(table, members, count))
        out->verdict = VERDICT_INVALID;
    else if (out->direction == WRITE)
        bytes = batch_members(model, table, members, count, WRITE, draw, now_ns, each, out);
    else
        bytes = batch_members(model, table, members, count, READ, draw, now_ns, each, out);
    CHECK(out->unprocessed <= count && (out->admitted || out->cost_nano == 0));
    answer(model, table, bytes, out, draw);
    attempt_over(model, table, &table->resource, kind, out);
}

/* ---- transactions ---- */

/* What a transaction as a whole came to, before anything is taken. */
struct tally {
    bool throttled, conflicts, fails, is_invalid;
    int64_t bytes;
};

/* Twice the plain cost (M-07); a member that is read is read strongly. */
static int64_t transact_half_units(const struct ddbsim_request *member) {
    CHECK_DEBUG(member->consistent || ddbsim_operation_is_write((int)member->kind));
    return 2 * units_request(member);
}

/* Member `i` of a transaction that all have one draw. */
struct part {
    struct model *model;
    struct table *table;
    const struct ddbsim_request *request;
    uint64_t draw;
    uint32_t i;
    int64_t now_ns;
};

static inline uint64_t part_draw(const struct part *part) {
    return hash_mix(part->draw, part->i, 0);
}

static inline bool part_is_usual(const struct part *part, enum direction direction) {
    return usual_request(part->request) && usual_buckets(part->model, part->table, direction);
}

/* By the checks of any attempt, or by the two that bind it: those draw nothing, since reads are strong. */
static inline void part_judge(const struct part *part, struct demand *demand, struct attempt *out) {
    struct usual_share share;
    enum direction direction = direction_of(part->request->kind);
    int64_t half_units = transact_half_units(part->request);
    if (!part_is_usual(part, direction))
        (void)attempt_judge(part->model, part->table, part->request, half_units, part_draw(part),
                            part->now_ns, demand, out);
    else if (direction == WRITE)
        usual_judge(part->model, part->table, part->request, WRITE, half_units * HALF_UNIT_NANO, 0,
                    part->now_ns, &share, out);
    else
        usual_judge(part->model, part->table, part->request, READ, half_units * HALF_UNIT_NANO, 0,
                    part->now_ns, &share, out);
}

/* The same of what it takes. */
static inline void part_take(const struct part *part, const struct demand *demand,
                             const struct attempt *attempt) {
    enum direction direction = attempt->direction;
    if (!part_is_usual(part, direction)) {
        attempt_take(part->model, part->table, &part->table->resource, part->request, demand,
                     attempt, part_draw(part), part->now_ns);
        return;
    }
    struct space *space = &part->table->resource.space;
    const struct usual_share share = {&space->partitions[attempt->partition].buckets[direction],
                                      attempt->cost_nano};
    usual_take(part->model, part->table, part->request, direction, &share, attempt->partition,
               attempt->cost_nano, part->now_ns);
}

/* All members are judged by what stands before any of them: the transaction is one request (M-33, M-68). */
static void transact_judge(struct model *model, const struct ddbsim_request *members,
                           uint32_t count, uint64_t draw, int64_t now_ns, struct demand *demands,
                           struct attempt *each, struct tally *tally) {
    uint32_t homes[DDBSIM_TRANSACT_MAX];
    for (uint32_t i = 0; i < count; i++)
        homes[i] = locks_home(&model->locks, &members[i]);
    for (uint32_t i = 0; i < count; i++) {
        const struct ddbsim_request *member = &members[i];
        const struct part part = {model, &model->tables[member->table], member, draw, i, now_ns};
        enum locks_answer held = locks_take(&model->locks, member, homes[i], now_ns);
        part_judge(&part, &demands[i], &each[i]);
        bool is_invalid = each[i].verdict == VERDICT_INVALID || member->special & DDBSIM_INVALID;
        tally->throttled |= !each[i].admitted && !is_invalid;
        tally->is_invalid |= held == LOCKS_OWN || is_invalid;
        tally->bytes += table_larger_side(member);
        if (held == LOCKS_OTHER) each[i].verdict = VERDICT_CONFLICT;
        if (member->special & DDBSIM_CONDITION_FAILS && held != LOCKS_OTHER)
            each[i].verdict = VERDICT_CONDITION;
        tally->conflicts |= held == LOCKS_OTHER;
        tally->fails |= each[i].verdict == VERDICT_CONDITION;
    }
}

/* Units of both directions in each table that takes part: one sample each, and one success or throttle. */
static void transact_close(struct model *model, enum ddbsim_operation_kind kind,
                           const struct ddbsim_request *members, uint32_t count,
                           const struct attempt *out) {
    for (uint32_t i = 0; i < count; i++) {
        struct table *table = &model->tables[members[i].table];
        if (!table->takes_part) continue;
        table->takes_part = false;
        for (int d = 0; d < DIRECTIONS; d++)
            if (table->share_nano[d] > 0)
                resource_consumed(&table->resource, (enum direction)d, table->share_nano[d]);
        table->share_nano[READ] = table->share_nano[WRITE] = 0;
        if (out->admitted) table_count_success(table, kind, out);
        table_tell_indexes(model, table);
        if (topkeys_is_tight(&model->top_window[table->resource.number]))
            loop_request_between(model->loop);
    }
}

static void transact_commit(struct model *model, const struct ddbsim_request *members,
                            uint32_t count, uint64_t draw, int64_t now_ns,
                            const struct demand *demands, struct attempt *each,
                            struct attempt *out) {
    for (uint32_t i = 0; i < count; i++) {
        struct table *table = &model->tables[members[i].table];
        const struct part part = {model, table, &members[i], draw, i, now_ns};
        part_take(&part, &demands[i], &each[i]);
        if (each[i].direction == WRITE && !(members[i].special & DDBSIM_CHECKS)) {
            table_item_change(model, table, each[i].partition, &members[i], now_ns);
            if (members[i].work_count > 0)
                table_index_work(model, table, &members[i], part_draw(&part), now_ns);
        }
        if (table->collections) collection_grow(model, table, &members[i]);
        table->share_nano[each[i].direction] += each[i].cost_nano;
        table->takes_part = true;
        out->cost_nano += each[i].cost_nano;
    }
}

/* A conflict or a condition: nothing is written, and some of the work was done (M-68). */
static void transact_cancel(struct model *model, const struct ddbsim_request *members,
                            uint32_t count, uint64_t draw, int64_t now_ns, bool conflicts,
                            struct demand *demands, struct attempt *each, struct attempt *out) {
    for (uint32_t i = 0; i < count; i++) {
        struct table *table = &model->tables[members[i].table];
        const struct ddbsim_assumptions *terms = &table->spec->model;
        int64_t share = conflicts ? terms->conflict_cost : terms->condition_cost;
        int64_t plain = transact_half_units(&members[i]) / 2;
        each[i].cost_nano = plain * share / DDBSIM_SHARE_ONE * HALF_UNIT_NANO;
        if (each[i].verdict == VERDICT_CONFLICT) table->conflicts++;
        if (each[i].verdict == VERDICT_CONDITION) table->conditions_failed++;
        if (each[i].cost_nano == 0) continue;
        bool is_eventual = false;
        resource_demand(&table->resource, each[i].partition, each[i].direction, 0, is_eventual,
                        each[i].cost_nano, &demands[i]);
        attempt_take(model, table, &table->resource, &members[i], &demands[i], &each[i],
                     hash_mix(draw, i, 0), now_ns);
        table->share_nano[each[i].direction] += each[i].cost_nano;
        table->takes_part = true;
        out->cost_nano += each[i].cost_nano;
    }
}

/* Some member was throttled: nothing is taken, each refusal is an event of its own resource. */
static void transact_throttle(struct model *model, enum ddbsim_operation_kind kind,
                              const struct ddbsim_request *members, uint32_t count, int64_t now_ns,
                              const struct attempt *each) {
    for (uint32_t i = 0; i < count; i++) {
        struct table *table = &model->tables[members[i].table];
        if (each[i].admitted) continue;
        count_refusal(model, table, &table->resource, &members[i], &each[i], now_ns);
        table->operations[kind].throttled += !table->takes_part;
        table->takes_part = true;
    }
}

static void transact_answer(const struct model *model, const struct table *table, uint32_t count,
                            const struct tally *tally, uint64_t draw, struct attempt *out) {
    enum latency_kind kind = out->direction == WRITE ? LATENCY_PUT : LATENCY_GET;
    out->service_ns =
        tally->throttled
            ? latency_service_ns(&model->shapes, &table->latency, LATENCY_THROTTLE, 0, draw)
            : latency_transact_ns(&model->shapes, &table->latency, kind, count, tally->bytes, draw);
    out->caller_ns = out->service_ns + table->latency.network_ns;
}

void table_transact(struct model *model, enum ddbsim_operation_kind kind,
                    const struct ddbsim_request *members, uint32_t count, uint64_t draw,
                    int64_t now_ns, struct attempt *each, struct attempt *out) {
    struct demand demands[DDBSIM_TRANSACT_MAX];
    struct tally tally = {0};
    CHECK(count > 0 && count <= DDBSIM_TRANSACT_MAX);
    uint32_t first = members[0].table;
    CHECK(ddbsim_operation_is_transaction((int)kind));
    if (faults_strike(&model->tables[first], draw)) {
        answer_error(model, &model->tables[first], kind, VERDICT_SYSTEM, draw, out);
        return;
    }
    locks_begin(&model->locks);
    *out = (struct attempt){.direction = direction_of(kind), .index = DDBSIM_NONE};
    transact_judge(model, members, count, draw, now_ns, demands, each, &tally);
    if (tally.is_invalid || tally.bytes > DDBSIM_TRANSACT_BYTES_MAX) {
        locks_end(&model->locks, now_ns);
        table_invalid(model, first, kind, draw, out);
        return;
    }
    out->admitted = !tally.throttled && !tally.conflicts && !tally.fails;
    if (tally.conflicts)
        out->verdict = VERDICT_CONFLICT;
    else if (tally.fails)
        out->verdict = VERDICT_CONDITION;
    if (tally.throttled) out->verdict = VERDICT_NONE;
    transact_answer(model, &model->tables[first], count, &tally, draw, out);
    if (tally.throttled)
        transact_throttle(model, kind, members, count, now_ns, each);
    else if (out->admitted)
        transact_commit(model, members, count, draw, now_ns, demands, each, out);
    else
        transact_cancel(model, members, count, draw, now_ns, tally.conflicts, demands, each, out);
    /* What is read only is held by nobody. */
    bool holds = out->admitted && out->direction == WRITE;
    locks_end(&model->locks, holds ? now_ns + out->service_ns : now_ns);
    if (locks_are_tight(&model->locks)) loop_request_between(model->loop);
    transact_close(model, kind, members, count, out);
}

int64_t table_read_back(struct model *model, struct ddbsim_request *members, uint32_t count,
                        uint64_t draw, int64_t now_ns, struct attempt *each) {
    struct demand demands[DDBSIM_TRANSACT_MAX];
    struct tally tally = {0};
    struct attempt whole = {.direction = READ, .index = DDBSIM_NONE};
    CHECK(count > 0 && count <= DDBSIM_TRANSACT_MAX);
    for (uint32_t i = 0; i < count; i++) {
        struct ddbsim_request *member = &members[i];
        member->kind = DDBSIM_GET_ITEM;
        member->old_bytes = member->new_bytes;
        member->work_count = member->special = 0;
        member->consistent = true;
        (void)attempt_judge(model, &model->tables[member->table], member,
                            transact_half_units(member), hash_mix(draw, i, 0), now_ns, &demands[i],
                            &each[i]);
        tally.throttled |= !each[i].admitted;
        tally.bytes += member->new_bytes;
    }
    whole.admitted = !tally.throttled;
    transact_answer(model, &model->tables[members[0].table], count, &tally, draw, &whole);
    if (tally.throttled)
        transact_throttle(model, DDBSIM_TRANSACT_GET_ITEMS, members, count, now_ns, each);
    else
        transact_commit(model, members, count, draw, now_ns, demands, each, &whole);
    transact_close(model, DDBSIM_TRANSACT_GET_ITEMS, members, count, &whole);
    return whole.cost_nano / HALF_UNIT_NANO;
}
