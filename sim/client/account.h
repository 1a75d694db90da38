/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What callers felt, counted: per workload and second, per workload, table and operation, latency
 * histograms, and which reason refused whom. Rows of workload_second, throttle, latency, workload_total
 * and outcome.
 */
#ifndef CLIENT_ACCOUNT_H
#define CLIENT_ACCOUNT_H

#include <base/hist.h>
#include <ddbsim/run.h>
#include <model/model.h>

#define ACCOUNT_IN_FLIGHT_S 64 /* answers further ahead than this end there */

enum account_outcome {
    ACCOUNT_SUCCESS,
    ACCOUNT_THROTTLED,
    ACCOUNT_FAILED,
    ACCOUNT_ERROR, /* an attempt that AWS refused for another reason than load */
    ACCOUNT_OUTCOMES
};
enum account_latency { ACCOUNT_SERVICE, ACCOUNT_CALLER, ACCOUNT_LATENCIES };

struct account_counts {
    uint64_t requests, attempts, succeeded, failed, retries, throttled, retries_refused;
    uint64_t again; /* requests of work that was given out before */
    uint64_t members, throttled_members, lost_members; /* of batches that were sent */
    uint64_t unsent_members;                           /* that were to be sent, and were not */
    /* What AWS refused for another reason than load, and transactions that it cancelled. */
    uint64_t user_errors, conditions_failed, conflicts, system_errors;
    uint64_t cancelled_throttled, cancelled_conflict, cancelled_condition;
    uint64_t unheard;         /* attempts whose answer came too late for their caller, or never */
    uint64_t unheard_halves;  /* half units of what the service did for them */
    uint64_t expired;         /* requests that a timeout of the call or of the function ended */
    uint64_t breaker_refused; /* calls, or retries, that a caller's own breaker did not let pass */
    uint64_t missed_items; /* that reads should have found, under suffixes that they do not ask */
};

/* A workload's one operation on one table. */
struct account_slot {
    uint32_t workload, table;
    enum ddbsim_operation_kind kind;
    struct account_counts second, total;   /* of the current second; of those before */
    int64_t half_units, wasted_half_units; /* the second of the first: they did no work */
    int64_t read_back;                     /* half units of what a cache reads behind its calls */
    struct hist minute[ACCOUNT_OUTCOMES][ACCOUNT_LATENCIES]; /* microseconds */
    uint32_t first_cell; /* into cells: reasons of the table, then of each of its indexes */
    uint32_t cell_count;
};

/* Refusals of one slot by one reason of one resource in the current second: events of all refused items,
 * first reasons of all refused attempts. */
struct account_cell {
    uint32_t events, first_events;
};

struct account_workload {
    bool has_queue;
    uint64_t waiting, dead;             /* messages, at the end of the second and in it */
    uint64_t outstanding;               /* requests whose answer is still to come */
    uint32_t ends[ACCOUNT_IN_FLIGHT_S]; /* by the second in which their answer comes */
};

struct account {
    const struct ddbsim_scenario *scenario;
    const struct model *model;
    const struct ddbsim_sink *sink;
    struct account_workload *workloads;
    struct account_slot *slots;
    uint32_t slot_count;
    uint32_t *slot_of; /* workload x table x operation kind -> slot */
    struct account_cell *cells;
    uint32_t cell_count;
    struct hist run[ACCOUNT_LATENCIES]; /* successes of the minutes that are closed */
};

bool account_init(struct account *account, const struct ddbsim_scenario *scenario,
                  const struct model *model, const struct ddbsim_sink *sink);
void account_deinit(struct account *account);
static inline size_t account_slot_key(const struct account *account, uint32_t workload,
                                      uint32_t table, int kind) {
    return ((size_t)workload * account->scenario->table_count + table) * DDBSIM_OPERATION_KINDS +
           (size_t)kind;
}
static inline uint32_t account_slot(const struct account *account,
                                    const struct ddbsim_request *request) {
    uint32_t slot = account->slot_of[account_slot_key(account, request->workload, request->table,
                                                      (int)request->kind)];
    CHECK_DEBUG(slot < account->slot_count);
    return slot;
}
/* `again`: for work that a queue or a stream had given out before. */
static inline void account_asked(struct account *account, uint32_t number, bool again) {
    struct account_slot *slot = &account->slots[number];
    slot->second.requests++;
    slot->second.again += again;
    account->workloads[slot->workload].outstanding++;
}
void account_attempt_refused(struct account *account, uint32_t slot, const struct attempt *attempt);
/* AWS answered with another exception than a throttle's. */
void account_error(struct account *account, uint32_t slot, const struct attempt *attempt);
/* A transaction was cancelled; `members` and each: what of. */
void account_cancelled(struct account *account, uint32_t slot, const struct attempt *attempt,
                       const struct ddbsim_request *members, const struct attempt *each,
                       uint32_t count, bool is_retry);
/* An attempt was served. */
static inline void account_served(struct account *account, uint32_t number, int64_t cost_nano,
                                  int64_t service_ns, bool is_retry) {
    struct account_slot *slot = &account->slots[number];
    CHECK_DEBUG(cost_nano >= 0 && service_ns > 0);
    slot->second.attempts++;
    slot->second.retries += is_retry;
    slot->half_units += (int64_t)((uint64_t)cost_nano / (uint64_t)HALF_UNIT_NANO);
    hist_add(&slot->minute[ACCOUNT_SUCCESS][ACCOUNT_SERVICE],
             (uint64_t)service_ns / (uint64_t)NS_PER_US);
}
static inline void account_attempt(struct account *account, uint32_t number,
                                   const struct attempt *attempt, bool is_retry) {
    struct account_slot *slot = &account->slots[number];
    CHECK_DEBUG(attempt->unprocessed <= attempt->members && attempt->service_ns > 0);
    slot->second.members += attempt->members;
    if (attempt->admitted && attempt->verdict == VERDICT_NONE) {
        account_served(account, number, attempt->cost_nano, attempt->service_ns, is_retry);
        return;
    }
    slot->second.attempts++;
    slot->second.retries += is_retry;
    if (attempt->verdict != VERDICT_NONE) {
        account_error(account, number, attempt);
        return;
    }
    account_attempt_refused(account, number, attempt);
}
/* A member of a batch was refused: its reasons are events, whatever becomes of the batch (M-63). */
void account_member_refused(struct account *account, uint32_t slot, const struct attempt *member);
void account_lost(struct account *account, uint32_t slot, uint32_t members);
/* They were asked for, and are lost without ever having been sent. */
void account_unsent_members(struct account *account, uint32_t slot, uint32_t members);
void account_read_back(struct account *account, uint32_t number, int64_t half_units);
void account_retry_refused(struct account *account, uint32_t slot);
/* The caller did not hear how its attempt fared; what it consumed is wasted. */
void account_unheard(struct account *account, uint32_t slot, int64_t cost_nano);
/* An attempt that never got through to the service, and so is none of its own. */
void account_unsent(struct account *account, uint32_t slot, uint32_t members, bool is_retry);
void account_expired(struct account *account, uint32_t slot);
/* A caller's breaker did not let a call, or a retry, pass (M-112). */
void account_breaker_refused(struct account *account, uint32_t slot);
/* A read was answered, and not with all that there is (M-16). */
void account_missed(struct account *account, uint32_t slot, uint64_t items);
/* The request is over; the caller knows at end_ns. */
static inline void account_over(struct account *account, uint32_t number, bool succeeded,
                                int64_t caller_ns, int64_t now_ns, int64_t end_ns) {
    struct account_slot *slot = &account->slots[number];
    struct account_workload *workload = &account->workloads[slot->workload];
    slot->second.succeeded += succeeded;
    slot->second.failed += !succeeded;
    CHECK_DEBUG(now_ns >= 0 && end_ns >= now_ns && caller_ns > 0);
    hist_add(&slot->minute[succeeded ? ACCOUNT_SUCCESS : ACCOUNT_FAILED][ACCOUNT_CALLER],
             (uint64_t)caller_ns / (uint64_t)NS_PER_US);
    /* So much later at most, in whole seconds. */
    const int64_t most_ns = (ACCOUNT_IN_FLIGHT_S - 1) * NS_PER_S;
    if (end_ns - now_ns > most_ns) end_ns = now_ns + most_ns;
    uint64_t end_s = (uint64_t)end_ns / (uint64_t)NS_PER_S;
    workload->ends[end_s % ACCOUNT_IN_FLIGHT_S]++;
}
/* What the second leaves in the workload's queue, before it is closed. */
static inline void account_queue(struct account *account, uint32_t workload, uint64_t waiting,
                                 uint64_t dead) {
    account->workloads[workload].has_queue = true;
    account->workloads[workload].waiting = waiting;
    account->workloads[workload].dead = dead;
}
/* Means over the workload's processes; NAN where none has a quota, or a limiter at work. */
void account_close_second(struct account *account, uint32_t workload, int64_t end_s,
                          double quota_tokens, double limiter_rate);
void account_close_cells(struct account *account, int64_t end_s);
void account_close_minute(struct account *account, int64_t t_s);
void account_finish(struct account *account);
struct ddbsim_totals account_totals(const struct account *account);

#endif
