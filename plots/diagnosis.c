/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names the cause of a run's refusals, by these rules and no others:
 *
 *   1. No throttled attempt: none.
 *   2. Every throttled attempt has one first reason (throttle.first_events). Reasons speak for causes:
 *        Index...KeyRange...   hot_index_partition      Table...KeyRange...   hot_partition
 *        Index...              index_capacity           Table...              table_capacity
 *      The cause with most attempts is the one that acts; of equals, the one that the list of causes
 *      names first. Its resource and reason with most attempts are what the sentences speak of.
 *   3. Where these lack provisioned capacity, and half or more of the longest spell's refusals came before
 *      a scaler's step out acted that answers them, the cause is scaling_too_late.
 *   4. Where callers' retry quotas refused at least as many retries as were made, so half or more of
 *      what would have been made, the cause named is retry_quota_empty: the counts then describe
 *      callers that gave up, not the table, and what rule 2 found comes second.
 *   4. Where no attempt was throttled but members of batches were, each event counts as rule 2 counts first
 *      reasons, and the cause named is batch_hidden: whoever watches ThrottledRequests sees nothing.
 *   5. Where half of the refusals or more fell into a fault of the scenario that cut the capacity of their table, or
 *      came in a fault's aftermath (diagnosis_failures.c), or nothing was refused and a fault made attempts end in an
 *      HTTP 500, the cause named is fault, whatever else rules 3 and 4 find.
 *   6. Where a fault began the refusals and most of them came long after it, with no more demand than before, the cause
 *      named is retry_storm (diagnosis_storm.c), whatever else rules 3 and 4 find.
 */
#include <plots/diagnosis_parts.h>

#include <base/error.h>
#include <base/vector.h>
#include <stdlib.h>

const char *diagnosis_keep(struct diagnosis *d, const char *text) {
    if (!text) diagnosis_check(d, error_memory(d->error));
    return text ? text : "";
}

bool diagnosis_check(struct diagnosis *d, enum ddbsim_status status) {
    if (d->status == DDBSIM_OK) d->status = status;
    return d->status == DDBSIM_OK;
}

void *diagnosis_append(struct diagnosis *d, void **items, size_t *count, size_t *capacity,
                       size_t size) {
    if (!vector_reserve(items, capacity, *count + 1, size)) {
        diagnosis_keep(d, NULL);
        return NULL;
    }
    return (char *)*items + size * (*count)++;
}

static struct finding *add_finding(struct diagnosis *d, struct finding **items, size_t *count,
                                   size_t *capacity, const char *text, const char *source) {
    struct finding *finding = diagnosis_append(d, (void **)items, count, capacity, sizeof *finding);
    if (finding) *finding = (struct finding){.text = text, .source = source};
    return finding;
}

struct finding *diagnosis_chain(struct diagnosis *d, const char *text, const char *source) {
    return add_finding(d, &d->chain, &d->chain_count, &d->chain_capacity, text, source);
}

struct finding *diagnosis_not_cause(struct diagnosis *d, const char *text, const char *source) {
    return add_finding(d, &d->not_cause, &d->not_cause_count, &d->not_cause_capacity, text, source);
}

struct finding *diagnosis_remark(struct diagnosis *d, const char *text, const char *source) {
    return add_finding(d, &d->remarks, &d->remark_count, &d->remark_capacity, text, source);
}

struct finding *diagnosis_alarm(struct diagnosis *d, const char *text, const char *source) {
    return add_finding(d, &d->alarm_findings, &d->alarm_finding_count, &d->alarm_finding_capacity,
                       text, source);
}

void diagnosis_amount(struct finding *finding, const char *name, double value) {
    if (finding && finding->amount_count < AMOUNTS_MAX)
        finding->amounts[finding->amount_count++] = (struct amount){name, value};
}

/* ---- the cause ---- */

static void decide(struct diagnosis *d) {
    failures_read(d);
    int64_t attempts[DDBSIM_CAUSE_KINDS] = {0}, all = 0;
    for (size_t i = 0; i < d->refusal_count; i++) {
        attempts[d->refusals[i].cause] += d->refusals[i].attempts;
        all += d->refusals[i].attempts;
    }
    for (int cause = DDBSIM_CAUSE_NONE + 1; cause < DDBSIM_CAUSE_KINDS; cause++)
        if (attempts[cause] > attempts[d->under]) d->under = (enum ddbsim_cause)cause;
    d->cause = d->under;
    for (size_t i = 0; i < d->refusal_count && !d->main; i++)
        if (d->refusals[i].cause == d->under) d->main = &d->refusals[i];
    if (!d->fault) storm_read(d);
    if (!d->fault && !d->storm.fault) failures_read_aftermath(d);
    if (d->fault) d->cause = DDBSIM_CAUSE_FAULT;
    if (d->under == DDBSIM_CAUSE_NONE) return;
    d->share = (double)attempts[d->under] / (double)all;
    scaling_read(d);
    if (d->fault) return;
    if (scaling_late(d, d->main->resource, ddbsim_reason_is_write(d->main->reason)))
        d->cause = DDBSIM_CAUSE_SCALING_TOO_LATE;
    if (d->retries_refused > 0 && d->retries_refused >= d->retries)
        d->cause = DDBSIM_CAUSE_RETRY_QUOTA_EMPTY;
    if (d->hidden > 0) d->cause = DDBSIM_CAUSE_BATCH_HIDDEN;
    if (d->storm.fault) d->cause = DDBSIM_CAUSE_RETRY_STORM;
}

/* Reads everything that a cause needs; with `words`, sentences too. */
static enum ddbsim_status diagnose(struct diagnosis *d, bool words) {
    facts_read(d);
    if (d->status != DDBSIM_OK) return d->status;
    if (d->throttled > 0 && d->refusal_count == 0)
        return d->status =
                   error_set(d->error, DDBSIM_INPUT,
                             "the run kept totals alone: why %lld attempts were refused was "
                             "not recorded",
                             (long long)d->throttled);
    decide(d);
    if (!words) return d->status;
    facts_measure(d);
    if (d->status == DDBSIM_OK)
        diagnosis_check(
            d, alarms_read(d->database, d->run.run_id, &d->resources, &d->alarms, d->error));
    if (d->status == DDBSIM_OK) why_explain(d);
    if (d->status == DDBSIM_OK) alarms_say(d);
    if (d->status == DDBSIM_OK) missed_say(d);
    if (d->status == DDBSIM_OK) queues_say(d);
    if (d->status == DDBSIM_OK) clients_say(d);
    if (d->status == DDBSIM_OK) fixes_propose(d);
    return d->status;
}

static enum ddbsim_status create(struct sqlite3 *database, int64_t run_id, bool words,
                                 struct diagnosis **out, struct ddbsim_error *error) {
    *out = NULL;
    struct diagnosis *d = calloc(1, sizeof *d);
    if (!d) return error_memory(error);
    d->database = database;
    d->error = error;
    d->run.run_id = run_id;
    d->arena = arena_create(0);
    enum ddbsim_status status = d->arena ? diagnose(d, words) : error_memory(error);
    d->error = NULL; /* the caller's, and not for longer than this call */
    if (status == DDBSIM_OK)
        *out = d;
    else
        diagnosis_destroy(d);
    return status;
}

enum ddbsim_status diagnosis_create(struct sqlite3 *database, int64_t run_id,
                                    struct diagnosis **out, struct ddbsim_error *error) {
    return create(database, run_id, true, out, error);
}

void diagnosis_note(struct diagnosis *diagnosis, const char *note) {
    diagnosis->note = SAY(diagnosis, "%s", note);
}

enum ddbsim_cause diagnosis_cause(const struct diagnosis *diagnosis) { return diagnosis->cause; }

int diagnosis_cause_of(struct sqlite3 *database, int64_t run_id, struct ddbsim_error *error) {
    struct diagnosis *d;
    if (create(database, run_id, false, &d, error) != DDBSIM_OK) return -1;
    int cause = (int)d->cause;
    diagnosis_destroy(d);
    return cause;
}

void diagnosis_destroy(struct diagnosis *d) {
    if (!d) return;
    for (size_t i = 0; i < d->fix_count; i++)
        free(d->fixes[i].sets);
    free(d->fixes);
    free(d->chain);
    free(d->not_cause);
    free(d->remarks);
    free(d->alarm_findings);
    free(d->late);
    alarms_clear(&d->alarms);
    free(d->callers);
    free(d->faults);
    free(d->flows);
    free(d->episodes);
    free(d->refusals);
    free(d->modes);
    query_options_clear(&d->options);
    query_resources_clear(&d->resources);
    query_run_clear(&d->run);
    arena_destroy(d->arena);
    free(d);
}
