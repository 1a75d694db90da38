/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls (calls.h). Sources: AWS's guides on error retries and on DAX; what SDKs do stands in retry.h. A refused
 * request waits and tries again as its client says.
 */
#include <client/calls.h>

#include <base/hash.h>
#include <client/batches.h>
#include <client/gates.h>
#include <client/lambda.h>
#include <client/layers.h>
#include <model/usual.h>

/* ---- ends ---- */

/* One a call, by its number in the request; those of a branch, and of a Scan's further pages, are mixes of it. */
static inline uint64_t attempt_draw(uint64_t stream, const struct record *record, uint32_t call) {
    uint64_t draw =
        hash_mix(stream, record->request.number, (uint64_t)record->request.step << 32 | call);
    if (record->fan == FAN_NONE && record->page == 0) return draw;
    return hash_mix(draw, record->branch, record->page);
}

static inline struct retry_quota *quota_of(const struct caller *caller,
                                           const struct record *record) {
    return &caller->purse->processes[record->request.process].quota;
}

void quota_refund(struct caller *caller, const struct record *record) {
    CHECK_DEBUG(record->request.process < caller->spec->client.processes);
    struct retry_quota *quota = quota_of(caller, record);
    caller->purse->quota_sum -= (double)quota->tokens;
    quota_return(&caller->spec->client.quota, quota, record->held, record->attempts > 1);
    caller->purse->quota_sum += (double)quota->tokens;
}

static enum retry_decision quota_decide(struct caller *caller, struct record *record,
                                        enum error_class error) {
    struct retry_quota *quota = quota_of(caller, record);
    if (!caller->spec->client.quota.enabled)
        return retry_decide(&caller->spec->client, quota, error, record->attempts, &record->held);
    caller->purse->quota_sum -= (double)quota->tokens;
    enum retry_decision decision =
        retry_decide(&caller->spec->client, quota, error, record->attempts, &record->held);
    caller->purse->quota_sum += (double)quota->tokens;
    return decision;
}

/* When the call, or its arrival, is over in any case. */
struct deadline {
    int64_t at_ns;
    bool of_arrival;
};

static int64_t later_by(int64_t from_ns, int64_t timeout_ns) {
    return timeout_ns == DDBSIM_NO_TIMEOUT ? TIME_NEVER : from_ns + timeout_ns;
}

static struct deadline deadline_of(const struct caller *caller, const struct record *record) {
    const struct ddbsim_client *client = &caller->spec->client;
    if (!caller->expires) return (struct deadline){.at_ns = TIME_NEVER};
    int64_t begun_ns = caller->goes_on ? record->arrival.t_ns : record->first_ns;
    int64_t call_ns = record->called_ns == DDBSIM_NO_TIME
                          ? TIME_NEVER /* it has not begun */
                          : later_by(record->called_ns, client->call_timeout_ns);
    int64_t function_ns = later_by(begun_ns, client->function_timeout_ns);
    return (struct deadline){smaller(call_ns, function_ns), function_ns <= call_ns};
}

/* An answer is worth an event only if something follows from it: most find their quota full, and an event
 * for each would cost more than the token or so that a refusal meanwhile makes of it (M-75). */
static inline bool answer_matters(const struct caller *caller, const struct record *record) {
    return caller->waits || quota_takes_more(&caller->spec->client.quota, quota_of(caller, record));
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
    if (caller->is_lambda) lambda_work_done(caller, record->arrival.invocation);
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
    else if (caller->is_lambda)
        lambda_schedule(caller, end_ns, record->arrival.invocation, LAMBDA_LOST);
    else if (crew_counts(caller->spec))
        crew_schedule(caller, end_ns, CREW_OVER);
}

void call_renew(struct record *record) {
    record->attempts = 0;
    record->held = record->wait_ns = 0;
    record->called_ns = DDBSIM_NO_TIME;
    record->is_permitted = false;
}

/* The SDK has done what it does: its caller may call it anew. */
static void call_failed(struct caller *caller, struct record *record, int64_t now_ns,
                        int64_t end_ns) {
    bool again = caller->spec->client.wrapper.max_attempts > 1 &&
                 layers_call_again(caller, record,
                                   attempt_draw(caller->jitter_stream, record, record->calls),
                                   now_ns, end_ns);
    if (!again) request_given_up(caller, record, now_ns, end_ns);
}

/* The call's time is up, or its arrival's, at that moment: of the first another layer may make a new one. */
static void call_cut(struct caller *caller, struct record *record, struct deadline deadline,
                     int64_t now_ns) {
    CHECK(deadline.at_ns >= now_ns);
    if (record->called_ns != DDBSIM_NO_TIME) { /* else the second layer would call it anew, later */
        account_expired(&caller->simulation->account, record->slot);
        if (record->attempts > 0)
            layers_call_failed(caller, record, now_ns);
        else
            layers_call_unsent(caller, record);
    }
    if (deadline.of_arrival)
        request_given_up(caller, record, now_ns, deadline.at_ns);
    else
        call_failed(caller, record, now_ns, deadline.at_ns);
}

/* An attempt was on its way. */
static void attempt_cut(struct caller *caller, struct record *record, struct deadline deadline,
                        int64_t now_ns) {
    if (caller->has_layers) layers_attempt_cut(caller, record, now_ns);
    call_cut(caller, record, deadline, now_ns);
}

void call_expired(struct caller *caller, struct record *record, int64_t now_ns) {
    struct deadline deadline = deadline_of(caller, record);
    CHECK(deadline.at_ns == now_ns);
    call_cut(caller, record, deadline, now_ns);
}

void call_send_later(struct caller *caller, struct record *record, int64_t now_ns, int64_t at_ns) {
    struct simulation *s = caller->simulation;
    struct deadline deadline = deadline_of(caller, record);
    if (at_ns >= deadline.at_ns)
        call_cut(caller, record, deadline, now_ns);
    else
        loop_schedule(s->loop, at_ns, LOOP_RETRY, EVENT_RETRY,
                      record_store(s, record, caller->goes_on), 0);
}

/* What the service asked for in a refusal (M-71). */
static int64_t hint_ns(const struct caller *caller, const struct record *record,
                       enum error_class error) {
    const struct table *table = &caller->simulation->model->tables[record->request.table];
    int64_t asked_ns = table->spec->model.retry_after_ns;
    return error == ERROR_THROTTLE && asked_ns > 0 ? asked_ns : RETRY_NO_HINT;
}

static void request_refused(struct caller *caller, struct record *record, enum error_class error,
                            int64_t now_ns, int64_t end_ns) {
    struct simulation *s = caller->simulation;
    const struct ddbsim_client *client = &caller->spec->client;
    bool permitted = !caller->has_layers || record->attempts >= client->max_attempts ||
                     layers_permit_retry(caller, record, now_ns);
    enum retry_decision decision =
        permitted ? quota_decide(caller, record, error) : RETRY_EXHAUSTED;
    bool empty = decision == RETRY_NO_QUOTA;
    if (decision != RETRY_AGAIN && caller->has_layers) layers_no_retry(caller, record);
    if (!permitted) account_breaker_refused(&s->account, record->slot);
    if (empty) account_retry_refused(&s->account, record->slot);
    if (decision != RETRY_AGAIN && caller->has_layers) layers_call_failed(caller, record, now_ns);
    if (decision != RETRY_AGAIN && !(empty && client->quota.wait_when_empty)) {
        call_failed(caller, record, now_ns, end_ns);
        return;
    }
    uint64_t draw = attempt_draw(caller->jitter_stream, record, record->calls);
    struct backoff_state state = {record->wait_ns};
    int64_t at_ns = end_ns + retry_wait_ns(client, error, record->attempts, draw,
                                           hint_ns(caller, record, error), &state);
    record->wait_ns = state.previous_ns;
    if (empty)
        call_failed(caller, record, now_ns, smaller(at_ns, deadline_of(caller, record).at_ns));
    else
        call_send_later(caller, record, now_ns, at_ns);
}

/* The caller knows at end_ns how its attempt fared. */
static void attempt_over(struct caller *caller, struct record *record, enum error_class error,
                         int64_t now_ns, int64_t end_ns) {
    if (caller->has_layers) layers_attempt_over(caller, record, error, now_ns);
    if (error == ERROR_FINAL || error == ERROR_CANCELLED)
        request_given_up(caller, record, now_ns, end_ns);
    else if (error != ERROR_NONE)
        request_refused(caller, record, error, now_ns, end_ns);
    else if (record->members.count > 0)
        batch_came_back(caller, record, now_ns, end_ns);
    else
        request_admitted(caller, record, now_ns, end_ns);
}

/* A limiter has to hear of each answer when it is there; after a timeout others have changed the quota. What is
 * otherwise decided as the attempt begins lies milliseconds ahead (M-75). */
static inline void attempt_ends(struct caller *caller, struct record *record,
                                enum error_class error, int64_t now_ns, int64_t end_ns) {
    struct simulation *s = caller->simulation;
    if (caller->gates || error == ERROR_TIMEOUT)
        loop_schedule(s->loop, end_ns, LOOP_COMPLETION, EVENT_ANSWER,
                      record_store(s, record, caller->goes_on), (uint32_t)error);
    else
        attempt_over(caller, record, error, now_ns, end_ns);
}

void calls_on_answer(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    struct record *record = record_load(s, (uint32_t)event->a);
    struct caller *caller = &s->callers[record->request.workload];
    enum error_class error = (enum error_class)event->b;
    if (caller->gates) gates_answered(caller, record, error == ERROR_THROTTLE, now_ns);
    attempt_over(caller, record, error, now_ns, now_ns);
}

/* ---- attempts ---- */

/* Does DAX have the answer, so that the table sees nothing? A batch comes without the members that it has. */
static bool cache_answers(struct caller *caller, const struct record *record, int64_t now_ns,
                          struct attempt *out) {
    const struct ddbsim_request *request = &record->request;
    const struct table *table = &caller->simulation->model->tables[request->table];
    if (request->special & ~(unsigned)DDBSIM_SIZED ||
        ddbsim_operation_is_transaction((int)request->kind))
        return false;
    bool hits =
        request->members > 0
            ? record->members.count == 0 /* of another attempt as well */
            : record->calls == 1 && dax_hits(&caller->dax, &caller->spec->dax, request, 0, now_ns);
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
    if (!out->admitted || out->caller_ns > s->patience_ns) return;
    record->request.key = page.next;
    record->request.more = record->request.all_pages && !page.is_last;
}

/* What AWS refuses for itself is tried once: another attempt would be refused as well. An HTTP 500 says nothing of
 * what was asked (M-103). */
static inline enum error_class error_of(const struct caller *caller, const struct record *record,
                                        const struct attempt *attempt) {
    const struct ddbsim_retry_on *on = &caller->spec->client.retry_on;
    bool transient = attempt->verdict == VERDICT_SYSTEM ||
                     (attempt->verdict == VERDICT_CONFLICT && on->transaction_conflict);
    if (attempt->admitted) return ERROR_NONE;
    if (attempt->verdict != VERDICT_NONE) return transient ? ERROR_TRANSIENT : ERROR_FINAL;
    bool transacts = ddbsim_operation_is_transaction((int)record->request.kind);
    return transacts ? ERROR_CANCELLED : ERROR_THROTTLE;
}

/* The service does what it does; its caller is gone, or tries again. */
static void attempt_unheard(struct caller *caller, struct record *record,
                            const struct attempt *attempt, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    struct deadline deadline = deadline_of(caller, record);
    bool worked = attempt->admitted && attempt->verdict == VERDICT_NONE;
    if (worked && caller->is_lambda) lambda_work_done(caller, record->arrival.invocation);
    account_unheard(&s->account, record->slot, worked ? attempt->cost_nano : 0);
    int64_t end_ns = now_ns + s->patience_ns;
    if (deadline.at_ns <= end_ns)
        attempt_cut(caller, record, deadline, now_ns);
    else
        attempt_ends(caller, record, error_of_silence(&caller->spec->client, true), now_ns, end_ns);
}

/* No connection came about in time, and the service never knew (M-97). */
static bool connects_late(const struct caller *caller, const struct record *record) {
    const struct table *table = &caller->simulation->model->tables[record->request.table];
    return table->spec->model.network_latency_ns > caller->spec->client.connect_timeout_ns;
}

static void attempt_unsent(struct caller *caller, struct record *record, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    struct deadline deadline = deadline_of(caller, record);
    int64_t end_ns = now_ns + caller->spec->client.connect_timeout_ns;
    record->served = 0;
    account_unsent(&s->account, record->slot, record->members.count, record->calls > 1);
    if (deadline.at_ns <= end_ns)
        attempt_cut(caller, record, deadline, now_ns);
    else
        attempt_ends(caller, record, error_of_silence(&caller->spec->client, true), now_ns, end_ns);
}

/* The service judges the attempt. */
static inline void service_attempt(struct caller *caller, struct record *record, int64_t now_ns,
                                   struct attempt *out) {
    struct simulation *s = caller->simulation;
    uint64_t draw = attempt_draw(caller->attempt_stream, record, record->calls);
    if (caller->spec->dax.enabled && cache_answers(caller, record, now_ns, out)) {
        account_attempt(&s->account, record->slot, out, record->calls > 1);
    } else if (record->request.members > 0) {
        members_attempt(caller, record, draw, now_ns, out);
    } else if (record->request.special & DDBSIM_SCANS) {
        scan_attempt(caller, record, draw, now_ns, out);
    } else {
        if (record->request.special & DDBSIM_SIZED) ask_source(s, &record->request);
        table_attempt(s->model, &record->request, draw, now_ns, out);
        account_attempt(&s->account, record->slot, out, record->calls > 1);
        if (caller->spec->dax.enabled && out->admitted && out->verdict == VERDICT_NONE)
            dax_keep(&caller->dax, &caller->spec->dax, &record->request, now_ns);
        if (record->request.special & DDBSIM_SIZED && out->admitted)
            tell_source(s, &record->request);
    }
}

/* Of a client that is not plain: how long it waits now, or false where nothing was sent. */
static bool attempt_prepare(struct caller *caller, struct record *record, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    record->has_place = false;
    if (record->attempts == 1) layers_call_begins(caller, record, now_ns);
    if (caller->connects_late && connects_late(caller, record)) {
        attempt_unsent(caller, record, now_ns);
        return false;
    }
    if (caller->expires)
        s->patience_ns = smaller(s->patience_ns, deadline_of(caller, record).at_ns - now_ns);
    return true;
}

__attribute__((noinline)) static void attempt_log(struct simulation *s, const struct record *record,
                                                  const struct attempt *attempt, int64_t now_ns) {
    journal_add(&s->journal, s->model, record, attempt, now_ns);
    if (journal_is_tight(&s->journal)) loop_request_between(s->loop);
}

/* The service has judged the attempt: its caller hears of it, or does not. */
static inline void attempt_judged(struct caller *caller, struct record *record,
                                  const struct attempt *attempt, int64_t now_ns) {
    int64_t end_ns = now_ns + attempt->caller_ns;
    if (attempt->caller_ns > caller->simulation->patience_ns)
        attempt_unheard(caller, record, attempt, now_ns);
    else if (caller->is_plain && attempt->admitted && attempt->unprocessed == 0)
        request_admitted(caller, record, now_ns, end_ns); /* as nearly all are */
    else
        attempt_ends(caller, record, error_of(caller, record, attempt), now_ns, end_ns);
}

void call_attempt(struct caller *caller, struct record *record, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    struct attempt attempt;
    CHECK_DEBUG(record->attempts < caller->spec->client.max_attempts);
    record->attempts++;
    record->calls++;
    s->patience_ns = caller->spec->client.attempt_timeout_ns;
    if (!caller->is_plain && !attempt_prepare(caller, record, now_ns)) return;
    service_attempt(caller, record, now_ns, &attempt);
    if (s->options.log_requests) attempt_log(s, record, &attempt, now_ns);
    attempt_judged(caller, record, &attempt, now_ns);
}

/* The breaker is asked first, when no pause lasts: what it does not let pass takes no place of the limit inside it.
 * False where the call goes no further now. */
static bool call_passes(struct caller *caller, struct record *record, int64_t now_ns) {
    if (!caller->breakers || record->attempts > 0 || record->is_permitted) return true;
    if (now_ns < caller->resume_ns) {
        call_send_later(caller, record, now_ns, caller->resume_ns);
        return false;
    }
    record->is_permitted = layers_permit_call(caller, record, now_ns);
    if (record->is_permitted) return true;
    account_breaker_refused(&caller->simulation->account, record->slot);
    const struct table *table = &caller->simulation->model->tables[record->request.table];
    call_failed(caller, record, now_ns, now_ns + table->spec->model.breaker_latency_ns);
    return false;
}

/* What stands between a caller and its attempt: layers of its own, pauses, its SDK's limiter. */
static void send_with_care(struct caller *caller, struct record *record, int64_t now_ns) {
    bool had_place = record->has_place;
    /* What begins in a pause begins when that is over. */
    if (record->called_ns == DDBSIM_NO_TIME) record->called_ns = larger(now_ns, caller->resume_ns);
    if (!call_passes(caller, record, now_ns)) return;
    int64_t at_ns = layers_open_ns(caller, record, now_ns);
    if (at_ns > now_ns) {
        if (at_ns >= deadline_of(caller, record).at_ns) {
            if (!had_place) layers_give_back(caller, record, at_ns);
            record->has_place = false; /* the place of an earlier moment is lost in a pause */
        }
        call_send_later(caller, record, now_ns, at_ns);
        return;
    }
    if (!caller->gates || gates_pass(caller, record, now_ns, deadline_of(caller, record).at_ns))
        call_attempt(caller, record, now_ns);
}

static inline void call_send(struct caller *caller, struct record *record, int64_t now_ns) {
    if (caller->is_plain && now_ns >= caller->resume_ns)
        call_attempt(caller, record, now_ns);
    else
        send_with_care(caller, record, now_ns);
}

/* What only those need that are not plain. */
static void begin_with_care(struct record *record) {
    record->called_ns = DDBSIM_NO_TIME;
    record->wrap_wait_ns = 0;
    record->wraps = record->served = 0;
    record->has_place = record->is_trial = record->is_permitted = false;
    CHECK(record->ticket == 0);
}

/* No attempt was made yet. */
static inline void record_begin(struct record *record, uint32_t slot, int64_t now_ns) {
    record->first_ns = now_ns;
    record->held = record->wait_ns = 0;
    record->attempts = record->calls = record->rounds = 0;
    record->members = (struct members){0};
    record->slot = slot;
}

/* An attempt at what is asked of a table that is usual (usual.h), by a caller with nothing between it and AWS. Most end
 * here, served: of first ones only what goes on needs a record. False where it is not so, and then nothing has
 * happened. `is_first` is a constant where this is called. */
USUAL_INLINE bool call_usual(struct caller *caller, struct record *record, bool is_first,
                             int64_t now_ns) {
    struct simulation *s = caller->simulation;
    const struct ddbsim_request *request = &record->request;
    int64_t patience_ns = caller->spec->client.attempt_timeout_ns;
    uint32_t call = is_first ? 1 : record->calls + 1;
    struct attempt attempt;
    if (!caller->is_usual || now_ns < caller->resume_ns || request->members > 0) return false;
    uint64_t draw = attempt_draw(caller->attempt_stream, record, call);
    if (!usual_attempt(s->model, request, draw, now_ns, &attempt)) return false;
    uint32_t slot = is_first ? account_slot(&s->account, request) : record->slot;
    if (is_first) account_asked(&s->account, slot, caller->is_lambda && record->arrival.again);
    if (attempt.admitted) {
        account_served(&s->account, slot, attempt.cost_nano, attempt.service_ns, call > 1);
        if (is_first && attempt.caller_ns <= patience_ns && request->missed == 0 &&
            !answer_matters(caller, record)) {
            account_over(&s->account, slot, true, attempt.caller_ns, now_ns,
                         now_ns + attempt.caller_ns);
            return true;
        }
    }
    struct attempt judged = attempt; /* of which others may hear; the first stays in registers */
    if (!judged.admitted) account_attempt(&s->account, slot, &judged, call > 1);
    if (is_first) record_begin(record, slot, now_ns);
    record->attempts++;
    record->calls = call;
    s->patience_ns = patience_ns;
    attempt_judged(caller, record, &judged, now_ns);
    return true;
}

void call_begin(struct caller *caller, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    struct record *record = &s->scratch;
    const struct ddbsim_request *request = &record->request;
    if (call_usual(caller, record, true, now_ns)) return;
    record_begin(record, account_slot(&s->account, request), now_ns);
    if (!caller->is_plain) begin_with_care(record);
    if (request->members > 0 && !(request->special & DDBSIM_INVALID) &&
        !ddbsim_operation_is_transaction((int)request->kind))
        batch_begin(caller, record, now_ns);
    account_asked(&s->account, record->slot, caller->is_lambda && record->arrival.again);
    call_send(caller, record, now_ns);
}

void calls_on_retry(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    struct record *record = pool_at(&s->pool, (uint32_t)event->a);
    /* Most are refused and wait again: they are not copied out and in. */
    s->in_place = (uint32_t)event->a;
    struct caller *caller = &s->callers[record->request.workload];
    if (!call_usual(caller, record, false, now_ns)) call_send(caller, record, now_ns);
    if (s->in_place != POOL_NO_RECORD) pool_release(&s->pool, s->in_place);
    s->in_place = POOL_NO_RECORD;
}

void calls_retry_soon(const void *context, const struct loop_event *event) {
    const struct simulation *s = context;
    pool_fetch(&s->pool, (uint32_t)event->a);
}
