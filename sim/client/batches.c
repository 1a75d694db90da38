/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches and transactions (batches.h). Source: the API's reference of both. */
#include <client/batches.h>

#include <base/hash.h>

#include <client/calls.h>
#include <client/lambda.h>

void members_lost(struct caller *caller, struct record *record) {
    struct simulation *s = caller->simulation;
    if (record->members.count == 0) return;
    uint32_t members = members_release(&s->pool, &record->members);
    CHECK(record->served <= members);
    if (record->calls == 0) account_unsent_members(&s->account, record->slot, members);
    account_lost(&s->account, record->slot, members - record->served);
}

/* DAX keeps what the table has served of a batch. */
static void batch_keep(struct caller *caller, const struct ddbsim_request *const *requests,
                       uint32_t count, int64_t now_ns) {
    const struct ddbsim_dax *spec = &caller->spec->dax;
    for (uint32_t i = 0; i < count && spec->enabled; i++)
        if (caller->simulation->each[i].admitted) dax_keep(&caller->dax, spec, requests[i], now_ns);
}

/* Members that were served are done with, if their caller has heard of it; the others stay. */
static void members_sort(struct simulation *s, struct record *record, uint32_t unprocessed,
                         bool heard) {
    uint32_t count = record->members.count;
    if (!heard) {
        record->served = count - unprocessed;
        return;
    }
    if (unprocessed == 0) {
        (void)members_release(&s->pool, &record->members);
        return;
    }
    struct members sent = record->members, done = {0}, stay = {0};
    for (uint32_t i = 0; i < count; i++)
        members_move(&s->pool, &sent, s->each[i].admitted ? &done : &stay, 1);
    (void)members_release(&s->pool, &done);
    record->members = stay;
}

/* A batch is sent with the members that it has; those that come back stay, in their order. */
static void batch_attempt(struct simulation *s, struct record *record, uint64_t draw,
                          int64_t now_ns, struct attempt *out) {
    const struct ddbsim_request *requests[DDBSIM_BATCH_MAX];
    uint32_t count = record->members.count;
    CHECK(count > 0 && count <= DDBSIM_BATCH_MAX);
    record->served = 0;
    uint32_t number = record->members.first;
    for (uint32_t i = 0; i < count; i++, number = pool_at(&s->pool, number)->next) {
        struct ddbsim_request *request = &pool_at(&s->pool, number)->request;
        if (request->special & DDBSIM_SIZED) ask_source(s, request);
        requests[i] = request;
    }
    table_batch(s->model, requests, count, draw, now_ns, s->each, out);
    if (out->verdict ==
        VERDICT_INVALID) { /* nothing of it was written, and nobody sends it again */
        (void)members_release(&s->pool, &record->members);
        return;
    }
    if (out->verdict == VERDICT_SYSTEM) return; /* all of it may be sent again */
    batch_keep(&s->callers[record->request.workload], requests, count, now_ns);
    for (uint32_t i = 0; i < count; i++) {
        if (!s->each[i].admitted) account_member_refused(&s->account, record->slot, &s->each[i]);
        if (s->each[i].admitted && requests[i]->special & DDBSIM_SIZED) tell_source(s, requests[i]);
    }
    members_sort(s, record, out->unprocessed, out->caller_ns <= s->patience_ns);
    CHECK(record->members.count - record->served == out->unprocessed);
}

/* What the request's process sends with its next batch of the same operation. */
static struct members *left_over_of(const struct caller *caller,
                                    const struct ddbsim_request *request) {
    CHECK(request->operation < caller->operation_count);
    return &caller->left_over[(size_t)request->process * caller->operation_count +
                              request->operation];
}

void batch_came_back(struct caller *caller, struct record *record, int64_t now_ns, int64_t end_ns) {
    const struct ddbsim_batch_unprocessed *unprocessed = &caller->spec->client.unprocessed;
    if (caller->is_lambda) lambda_work_done(caller, record->arrival.invocation);
    if (retry_sends_again(unprocessed, record->rounds)) {
        answer_await(caller, record_store(caller->simulation, record, caller->goes_on), end_ns);
        return;
    }
    switch (unprocessed->strategy) {
    case DDBSIM_UNPROCESSED_TOP_UP:
        members_move(&caller->simulation->pool, &record->members,
                     left_over_of(caller, &record->request), DDBSIM_BATCH_MAX);
        break;
    case DDBSIM_UNPROCESSED_DROP:
        members_lost(caller, record);
        break;
    case DDBSIM_UNPROCESSED_IMMEDIATE:
    case DDBSIM_UNPROCESSED_EXPONENTIAL:
        request_given_up(caller, record, now_ns, end_ns);
        return;
    }
    request_admitted(caller, record, now_ns, end_ns);
}

void batch_send_again(struct caller *caller, struct record *record, int64_t now_ns) {
    int64_t wait_ns = retry_unprocessed_delay_ns(&caller->spec->client.unprocessed, record->rounds);
    record->rounds++;
    call_renew(record);
    call_send_later(caller, record, now_ns, now_ns + wait_ns);
}

/* One and the same item, as AWS sees it; or as its source does, which keeps its size. */
static bool is_same_item(const struct ddbsim_request *a, const struct ddbsim_request *b) {
    if (a->table != b->table) return false;
    if (a->key.hash == b->key.hash && a->key.sort == b->key.sort) return true;
    return a->special & b->special & DDBSIM_SIZED && a->key.entity == b->key.entity &&
           a->item == b->item;
}

#define OTHER_TRIES 64 /* to find an item that the transaction does not name yet */

/* Is the item of action `number` one that an action before it names? */
static bool is_named(const struct ddbsim_request *actions, uint32_t number) {
    const struct ddbsim_request *action = &actions[number];
    bool is_sized = action->special & DDBSIM_SIZED;
    for (uint32_t i = 0; i < number; i++)
        if ((actions[i].key.hash == action->key.hash || is_sized) &&
            is_same_item(&actions[i], action))
            return true;
    return false;
}

/* AWS refuses a transaction that names an item twice: its caller means another one, if there is any. */
static void action_describe(struct caller *caller, const struct record *record, uint32_t number,
                            int64_t now_ns) {
    struct ddbsim_request *actions = caller->simulation->actions;
    bool again = true;
    for (uint32_t tries = 0; again && tries < OTHER_TRIES; tries++) {
        caller->source.member(caller->source.self, &record->arrival, record->request.step, number,
                              tries, now_ns, &actions[number]);
        again = is_named(actions, number);
    }
}

/* DAX reads what a transaction has written, before it holds it. */
static void cache_reads_back(struct caller *caller, const struct record *record, uint64_t draw,
                             int64_t now_ns) {
    struct simulation *s = caller->simulation;
    uint32_t count = record->request.members;
    int64_t half_units =
        table_read_back(s->model, s->actions, count, hash_mix(draw, 0, 1), now_ns, s->each);
    account_read_back(&s->account, record->slot, half_units);
    for (uint32_t i = 0; i < count && half_units > 0; i++) {
        s->actions[i].consistent = false; /* as those will ask for it whom the cache answers */
        dax_keep(&caller->dax, &caller->spec->dax, &s->actions[i], now_ns);
    }
}

/* SDKs do not try again what was cancelled (M-68), but after an HTTP 500 they do. */
static void transact(struct caller *caller, struct record *record, uint64_t draw, int64_t now_ns,
                     struct attempt *out) {
    struct simulation *s = caller->simulation;
    const struct ddbsim_request *call = &record->request;
    CHECK(call->members <= DDBSIM_TRANSACT_MAX && s->actions && caller->source.member);
    for (uint32_t i = 0; i < call->members; i++)
        action_describe(caller, record, i, now_ns);
    table_transact(s->model, call->kind, s->actions, call->members, draw, now_ns, s->each, out);
    for (uint32_t i = 0; i < call->members && out->admitted; i++)
        if (s->actions[i].special & DDBSIM_SIZED) tell_source(s, &s->actions[i]);
    bool is_retry = record->calls > 1;
    if (out->admitted || out->verdict == VERDICT_INVALID || out->verdict == VERDICT_SYSTEM)
        account_attempt(&s->account, record->slot, out, is_retry);
    else
        account_cancelled(&s->account, record->slot, out, s->actions, s->each, call->members,
                          is_retry);
    if (caller->spec->dax.enabled && out->admitted && call->kind == DDBSIM_TRANSACT_WRITE_ITEMS)
        cache_reads_back(caller, record, draw, now_ns);
}

void members_attempt(struct caller *caller, struct record *record, uint64_t draw, int64_t now_ns,
                     struct attempt *out) {
    struct simulation *s = caller->simulation;
    const struct ddbsim_request *call = &record->request;
    if (call->special & DDBSIM_INVALID)
        table_invalid(s->model, call->table, call->kind, draw, out);
    else if (ddbsim_operation_is_transaction((int)call->kind)) {
        transact(caller, record, draw, now_ns, out);
        return;
    } else
        batch_attempt(s, record, draw, now_ns, out);
    account_attempt(&s->account, record->slot, out, record->calls > 1);
}

/* AWS refuses a batch that names an item twice, so its caller leaves the second one out. Who the others are is not
 * known but by their keys, which many may share. */
static bool has_item(const struct pool *pool, const struct members *members,
                     const struct ddbsim_request *request) {
    uint32_t number = members->first;
    for (uint32_t i = 0; i < members->count; i++, number = pool_at(pool, number)->next)
        if (pool_at(pool, number)->request.item == request->item) return true;
    return false;
}

void batch_begin(struct caller *caller, struct record *record, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    const struct ddbsim_request *call = &record->request;
    CHECK(call->members <= DDBSIM_BATCH_MAX && caller->source.member);
    if (caller->left_over)
        members_move(&s->pool, left_over_of(caller, call), &record->members, call->members);
    for (uint32_t i = record->members.count; i < call->members; i++) {
        caller->source.member(caller->source.self, &record->arrival, call->step, i, 0, now_ns,
                              &s->member);
        if (caller->spec->dax.enabled &&
            dax_hits(&caller->dax, &caller->spec->dax, &s->member, i, now_ns))
            continue;
        if (s->member.special & DDBSIM_SIZED && has_item(&s->pool, &record->members, &s->member))
            continue;
        members_add(&s->pool, &record->members, &s->member);
    }
    if (pool_is_tight(&s->pool)) loop_request_between(s->loop);
}
