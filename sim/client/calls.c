/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls (calls.h). Sources: AWS's guides on error retries and on DAX; what SDKs do stands in retry.h. A refused
 * request waits and tries again as its client says.
 */
#include <client/calls.h>

#include <base/hash.h>
#include <client/batches.h>
#include <client/lambda.h>
#include <client/layers.h>

#define REJECTION_NS NS_PER_US /* a breaker's answer, which is there at once */

/* ---- ends ---- */

/* One a call; those of a branch, and of a Scan's further pages, are mixes of it. */
static inline uint64_t attempt_draw(uint64_t stream, const struct record *record) {
    uint64_t draw = hash_mix(stream, record->request.number,
                             (uint64_t)record->request.step << 32 | record->calls);
    if (record->fan == FAN_NONE && record->page == 0) return draw;
    return hash_mix(draw, record->branch, record->page);
}

static struct retry_quota *quota_of(struct caller *caller, const struct record *record) {
    return &caller->processes[record->request.process].quota;
}

void quota_refund(struct caller *caller, const struct record *record) {
    CHECK_DEBUG(record->request.process < caller->spec->client.processes);
    struct retry_quota *quota = quota_of(caller, record);
    caller->quota_sum -= (double)quota->tokens;
    quota_return(&caller->spec->client.quota, quota, record->held, record->attempts > 1);
    caller->quota_sum += (double)quota->tokens;
}

static enum retry_decision quota_decide(struct caller *caller, struct record *record) {
    struct retry_quota *quota = quota_of(caller, record);
    caller->quota_sum -= (double)quota->tokens;
    enum retry_decision decision =
        retry_decide(&caller->spec->client, quota, ERROR_THROTTLE, record->attempts, &record->held);
    caller->quota_sum += (double)quota->tokens;
    return decision;
}

/* An answer is worth an event only if something follows from it: most find their quota full, and an event
 * for each would cost more than the token or so that a refusal meanwhile makes of it (M-75). */
static inline bool answer_matters(const struct caller *caller, const struct record *record) {
    return caller->waits || quota_takes_more(&caller->spec->client.quota,
                                             &caller->processes[record->request.process].quota);
}

static inline void request_over(struct caller *caller, const struct record *record, bool succeeded,
                                int64_t now_ns, int64_t end_ns) {
    account_over(&caller->simulation->account, record->slot, succeeded, end_ns - record->first_ns,
                 now_ns, end_ns);
}

/* Other pages are calls that the arrival knows of. */
static inline bool has_next_page(const struct ddbsim_request *request) {
    if (!(request->special & (DDBSIM_SCANS | DDBSIM_PAGES))) return false;
    return request->special & DDBSIM_SCANS ? request->more > 0 : request->rest > 0;
}

void request_admitted(struct caller *caller, struct record *record, int64_t now_ns,
                      int64_t end_ns) {
    request_over(caller, record, true, now_ns, end_ns);
    if (record->request.missed > 0)
        account_missed(&caller->simulation->account, record->slot, record->request.missed);
    record->reads_on = has_next_page(&record->request);
    if (!answer_matters(caller, record)) return;
    if (record->reads_on)
        answer_await(caller, record_store(caller->simulation, record, caller->goes_on), end_ns);
    else
        answer_await(caller, answer_store(caller->simulation, record, caller->goes_on), end_ns);
}

void request_given_up(struct caller *caller, struct record *record, int64_t now_ns,
                      int64_t end_ns) {
    members_lost(caller, record);
    request_over(caller, record, false, now_ns, end_ns);
    if (record->fan != FAN_NONE)
        loop_schedule(caller->simulation->loop, end_ns, LOOP_COMPLETION, EVENT_BRANCH, record->fan,
                      BRANCH_LOST);
    else if (caller->lambda || caller->shards)
        lambda_schedule(caller, end_ns, record->arrival.invocation, LAMBDA_LOST);
    else if (crew_counts(caller->spec))
        crew_schedule(caller, end_ns, CREW_OVER);
}

/* The SDK has done what it does: its caller may call it anew. */
static void call_failed(struct caller *caller, struct record *record, int64_t now_ns,
                        int64_t end_ns) {
    if (!layers_call_again(caller, record, attempt_draw(caller->jitter_stream, record), end_ns))
        request_given_up(caller, record, now_ns, end_ns);
}

static void request_refused(struct caller *caller, struct record *record, int64_t now_ns,
                            int64_t end_ns) {
    struct simulation *s = caller->simulation;
    bool permitted = record->attempts >= caller->spec->client.max_attempts ||
                     layers_permit_retry(caller, record, now_ns);
    enum retry_decision decision = permitted ? quota_decide(caller, record) : RETRY_EXHAUSTED;
    if (!permitted) account_breaker_refused(&s->account, record->slot);
    if (decision != RETRY_AGAIN) {
        if (decision == RETRY_NO_QUOTA) account_retry_refused(&s->account, record->slot);
        layers_call_failed(caller, record, now_ns);
        call_failed(caller, record, now_ns, end_ns);
        return;
    }
    uint64_t draw = attempt_draw(caller->jitter_stream, record);
    struct backoff_state state = {record->wait_ns};
    int64_t at_ns = end_ns + retry_wait_ns(&caller->spec->client, ERROR_THROTTLE, record->attempts,
                                           draw, RETRY_NO_HINT, &state);
    record->wait_ns = state.previous_ns;
    loop_schedule(s->loop, at_ns, LOOP_RETRY, EVENT_RETRY, record_store(s, record, caller->goes_on),
                  0);
}

/* ---- attempts ---- */

/* Does DAX have the answer, so that the table sees nothing? A batch comes without the members that it has. */
static bool cache_answers(struct caller *caller, const struct record *record, int64_t now_ns,
                          struct attempt *out) {
    const struct ddbsim_request *request = &record->request;
    const struct table *table = &caller->simulation->model->tables[request->table];
    if (record->calls > 1 || request->special & ~(unsigned)DDBSIM_SIZED ||
        ddbsim_operation_is_transaction((int)request->kind))
        return false;
    bool hits = request->members > 0
                    ? record->members.count == 0
                    : dax_hits(&caller->dax, &caller->spec->dax, request, 0, now_ns);
    if (!hits) return false;
    int64_t latency_ns = table->spec->model.dax_latency_ns;
    *out = (struct attempt){.admitted = true,
                            .direction = READ,
                            .index = DDBSIM_NONE,
                            .service_ns = latency_ns,
                            .caller_ns = latency_ns};
    return true;
}

void ask_source(struct simulation *s, struct ddbsim_request *request) {
    struct ddbsim_source *source = &s->callers[request->workload].source;
    CHECK(source->measure != NULL);
    source->measure(source->self, request);
}

void tell_source(struct simulation *s, const struct ddbsim_request *request) {
    struct ddbsim_source *source = &s->callers[request->workload].source;
    CHECK(source->served != NULL);
    source->served(source->self, request);
}

/* What the table holds there now: a page that was refused is looked at anew. */
static void scan_attempt(struct caller *caller, struct record *record, uint64_t draw,
                         int64_t now_ns, struct attempt *out) {
    struct simulation *s = caller->simulation;
    struct scan_page page;
    table_scan_page(s->model, &record->request, &page);
    table_attempt(s->model, &record->request, draw, now_ns, out);
    account_attempt(&s->account, record->slot, out, record->calls > 1);
    if (!out->admitted) return;
    record->request.key = page.next;
    record->request.more = record->request.all_pages && !page.is_last;
}

/* What AWS refuses for itself is tried once: another attempt would be refused as well. An HTTP 500 says nothing of
 * what was asked (M-103). */
static inline bool is_final(const struct record *record, const struct attempt *attempt) {
    if (attempt->verdict == VERDICT_SYSTEM) return false;
    return attempt->verdict != VERDICT_NONE ||
           ddbsim_operation_is_transaction((int)record->request.kind);
}

static void call_attempt(struct caller *caller, struct record *record, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    struct attempt attempt;
    CHECK_DEBUG(record->attempts < caller->spec->client.max_attempts);
    if (caller->has_layers && record->attempts == 0 &&
        !layers_permit_call(caller, record, now_ns)) {
        account_breaker_refused(&s->account, record->slot);
        call_failed(caller, record, now_ns, now_ns + REJECTION_NS);
        return;
    }
    record->has_place = false;
    record->attempts++;
    record->calls++;
    uint64_t draw = attempt_draw(caller->attempt_stream, record);
    if (caller->spec->dax.enabled && cache_answers(caller, record, now_ns, &attempt)) {
        account_attempt(&s->account, record->slot, &attempt, false);
    } else if (record->request.members > 0) {
        members_attempt(caller, record, draw, now_ns, &attempt);
    } else if (record->request.special & DDBSIM_SCANS) {
        scan_attempt(caller, record, draw, now_ns, &attempt);
    } else {
        if (record->request.special & DDBSIM_SIZED) ask_source(s, &record->request);
        table_attempt(s->model, &record->request, draw, now_ns, &attempt);
        account_attempt(&s->account, record->slot, &attempt, record->calls > 1);
        if (caller->spec->dax.enabled && attempt.admitted && attempt.verdict == VERDICT_NONE)
            dax_keep(&caller->dax, &caller->spec->dax, &record->request, now_ns);
        if (record->request.special & DDBSIM_SIZED && attempt.admitted)
            tell_source(s, &record->request);
    }
    int64_t end_ns = now_ns + attempt.caller_ns;
    if (caller->has_layers)
        layers_attempt_over(caller, record, &attempt,
                            attempt.admitted || is_final(record, &attempt), now_ns);
    if (!attempt.admitted && is_final(record, &attempt))
        request_given_up(caller, record, now_ns, end_ns);
    else if (!attempt.admitted)
        request_refused(caller, record, now_ns, end_ns);
    else if (attempt.unprocessed > 0)
        batch_came_back(caller, record, now_ns, end_ns);
    else
        request_admitted(caller, record, now_ns, end_ns);
}

void call_send(struct caller *caller, struct record *record, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    bool waits = caller->has_layers || now_ns < caller->resume_ns;
    int64_t at_ns = waits ? layers_open_ns(caller, record, now_ns) : now_ns;
    if (at_ns <= now_ns)
        call_attempt(caller, record, now_ns);
    else
        loop_schedule(s->loop, at_ns, LOOP_RETRY, EVENT_RETRY,
                      record_store(s, record, caller->goes_on), 0);
}

void call_begin(struct caller *caller, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    struct record *record = &s->scratch;
    const struct ddbsim_request *request = &record->request;
    record->first_ns = now_ns;
    record->held = record->wait_ns = 0;
    record->attempts = record->calls = record->rounds = record->wraps = 0;
    record->wrap_wait_ns = 0;
    record->has_place = false;
    record->members = (struct members){0};
    record->slot = account_slot(&s->account, request);
    if (request->members > 0 && !(request->special & DDBSIM_INVALID) &&
        !ddbsim_operation_is_transaction((int)request->kind))
        batch_begin(caller, record, now_ns);
    account_asked(&s->account, record->slot);
    call_send(caller, record, now_ns);
}

void calls_on_retry(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    struct record *record = pool_at(&s->pool, (uint32_t)event->a);
    /* Most are refused and wait again: they are not copied out and in. */
    s->in_place = (uint32_t)event->a;
    call_send(&s->callers[record->request.workload], record, now_ns);
    if (s->in_place != POOL_NO_RECORD) pool_release(&s->pool, s->in_place);
    s->in_place = POOL_NO_RECORD;
}

void calls_retry_soon(const void *context, const struct loop_event *event) {
    const struct simulation *s = context;
    pool_fetch(&s->pool, (uint32_t)event->a);
}
