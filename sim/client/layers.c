/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layers around the SDK (layers.h). Source of the second layer: AWS Builders' Library, Timeouts, retries and backoff
 * with jitter (attempts multiply, layer by layer); mapbox/dyno, which tried again what its SDK had given up. */
#include <client/layers.h>

#include <base/hash.h>
#include <client/backoff.h>
#include <client/calls.h>
#include <stdlib.h>

bool layers_init(struct caller *caller) {
    const struct ddbsim_client *client = &caller->spec->client;
    if (client->rate_limit.per_s > 0) {
        caller->pacers = calloc(client->processes, sizeof *caller->pacers);
        if (!caller->pacers) return false;
        for (uint32_t p = 0; p < client->processes; p++)
            pacer_init(&caller->pacers[p], &client->rate_limit);
    }
    caller->has_layers = caller->pacers || client->breaker.enabled;
    if (!client->breaker.enabled) return true;
    caller->breakers = calloc(client->processes, sizeof *caller->breakers);
    return caller->breakers != NULL;
}

void layers_deinit(struct caller *caller) {
    free(caller->pacers);
    free(caller->breakers);
}

int64_t layers_open_ns(struct caller *caller, struct record *record, int64_t now_ns) {
    int64_t at_ns = larger(now_ns, caller->resume_ns);
    if (!caller->pacers || record->has_place) return at_ns;
    record->has_place = true; /* it keeps the moment that it was given */
    return pacer_take(&caller->pacers[record->request.process], &caller->spec->client.rate_limit,
                      now_ns, at_ns);
}

void layers_give_back(struct caller *caller, struct record *record, int64_t at_ns) {
    if (!caller->pacers || !record->has_place) return;
    record->has_place = false;
    pacer_give_back(&caller->pacers[record->request.process], at_ns);
}

static struct breaker *breaker_of(struct caller *caller, const struct record *record) {
    return &caller->breakers[record->request.process];
}

static bool permits(struct caller *caller, struct record *record, enum ddbsim_breaker_guards guards,
                    int64_t now_ns) {
    const struct ddbsim_breaker *spec = &caller->spec->client.breaker;
    if (!caller->breakers || spec->guards != guards) return true;
    return breaker_permits(breaker_of(caller, record), spec, now_ns, &record->is_trial);
}

bool layers_permit_call(struct caller *caller, struct record *record, int64_t now_ns) {
    record->is_trial = false;
    return permits(caller, record, DDBSIM_GUARDS_CALLS, now_ns);
}

void layers_call_begins(struct caller *caller, struct record *record, int64_t now_ns) {
    const struct ddbsim_breaker *spec = &caller->spec->client.breaker;
    if (caller->breakers && spec->counts == DDBSIM_COUNTS_FAILURES_PER_CALL)
        breaker_begins(breaker_of(caller, record), spec, now_ns);
}

void layers_call_unsent(struct caller *caller, struct record *record) {
    if (record->is_trial) breaker_untried(breaker_of(caller, record));
    record->is_trial = false;
}

bool layers_permit_retry(struct caller *caller, struct record *record, int64_t now_ns) {
    return permits(caller, record, DDBSIM_GUARDS_RETRIES, now_ns);
}

void layers_no_retry(struct caller *caller, struct record *record) {
    if (!caller->breakers || caller->spec->client.breaker.guards != DDBSIM_GUARDS_RETRIES) return;
    if (record->is_trial) breaker_untried(breaker_of(caller, record));
    record->is_trial = false;
}

static void tell(struct caller *caller, const struct record *record,
                 enum ddbsim_breaker_counts what, bool failed, int64_t now_ns) {
    const struct ddbsim_breaker *spec = &caller->spec->client.breaker;
    if (caller->breakers && spec->counts == what)
        breaker_tell(breaker_of(caller, record), spec, failed, now_ns);
}

/* What was let pass to see how it fares has fared. */
static void trial_over(struct caller *caller, struct record *record, bool failed, int64_t now_ns) {
    if (!record->is_trial) return;
    record->is_trial = false;
    breaker_tried(breaker_of(caller, record), &caller->spec->client.breaker, failed, now_ns);
}

static void attempt_told(struct caller *caller, struct record *record, bool failed,
                         int64_t now_ns) {
    tell(caller, record, DDBSIM_COUNTS_ATTEMPTS, failed, now_ns);
    if (failed) tell(caller, record, DDBSIM_COUNTS_FAILURES_PER_CALL, true, now_ns);
    if (caller->spec->client.breaker.guards == DDBSIM_GUARDS_RETRIES)
        trial_over(caller, record, failed, now_ns);
}

void layers_attempt_over(struct caller *caller, struct record *record, enum error_class error,
                         int64_t now_ns) {
    bool throttled = error == ERROR_THROTTLE || error == ERROR_CANCELLED;
    bool failed = error != ERROR_NONE && error != ERROR_FINAL;
    if (caller->pacers && throttled)
        pacer_throttled(&caller->pacers[record->request.process], &caller->spec->client.rate_limit,
                        now_ns);
    attempt_told(caller, record, failed, now_ns);
    if (failed && error != ERROR_CANCELLED) return; /* the SDK may try again */
    tell(caller, record, DDBSIM_COUNTS_CALLS, failed, now_ns);
    trial_over(caller, record, failed, now_ns);
}

void layers_attempt_cut(struct caller *caller, struct record *record, int64_t now_ns) {
    attempt_told(caller, record, true, now_ns);
}

void layers_call_failed(struct caller *caller, struct record *record, int64_t now_ns) {
    tell(caller, record, DDBSIM_COUNTS_CALLS, true, now_ns);
    trial_over(caller, record, true, now_ns);
}

bool layers_call_again(struct caller *caller, struct record *record, uint64_t draw, int64_t now_ns,
                       int64_t end_ns) {
    const struct ddbsim_wrapper *wrapper = &caller->spec->client.wrapper;
    if (record->wraps + 1 >= wrapper->max_attempts) return false;
    struct backoff_state state = {record->wrap_wait_ns};
    int64_t wait_ns = backoff_ns(&wrapper->backoff, ERROR_THROTTLE, record->wraps,
                                 hash_mix(draw, record->wraps, 1), &state);
    record->wrap_wait_ns = state.previous_ns;
    CHECK(wait_ns >= 0);
    record->wraps++;
    call_renew(record);
    call_send_later(caller, record, now_ns, end_ns + wait_ns);
    return true;
}
