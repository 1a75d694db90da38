/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes every attempt to the log (journal.h). Entries are kept as numbers and written between events, since a sink may
 * call SQLite. A key's text is asked for then: it is that of its partition key. Sort keys have no text here, only a
 * place in their order, which `detail` has.
 *
 * Invariant: entries are in the order of the attempts.
 */
#include <client/journal.h>

#include <client/account.h>
#include <client/pool.h>
#include <inttypes.h>
#include <model/rows.h>
#include <stdio.h>
#include <stdlib.h>

bool journal_init(struct journal *journal) {
    journal->entries = malloc(JOURNAL_MAX * sizeof *journal->entries);
    journal->count = 0;
    return journal->entries != NULL;
}

void journal_deinit(struct journal *journal) {
    free(journal->entries);
    *journal = (struct journal){0};
}

/* The first that applies, as `throttle` counts them: for each limit the one that was addressed, then all indexes that
 * hold a write back. */
static bool first_reason(const struct attempt *attempt, enum ddbsim_reason *out) {
    for (int why = 0; why < REFUSALS; why++) {
        bool own = attempt->refusals & REFUSAL_BIT(why);
        if (!own) continue;
        *out = model_reason(attempt->index != DDBSIM_NONE, attempt->direction, (enum refusal)why);
        return true;
    }
    for (int why = 0; why < REFUSALS; why++) {
        if (!attempt->index_refusals[why]) continue;
        *out = model_reason(true, attempt->direction, (enum refusal)why);
        return true;
    }
    return false;
}

static enum account_outcome outcome_of(const struct attempt *attempt) {
    if (attempt->verdict != VERDICT_NONE) return ACCOUNT_ERROR;
    return attempt->admitted ? ACCOUNT_SUCCESS : ACCOUNT_THROTTLED;
}

static const struct resource *resource_of(const struct model *model, uint32_t table,
                                          uint32_t index) {
    uint32_t number = model->tables[table].resource.number;
    if (index != DDBSIM_NONE) number += 1 + index;
    CHECK(number < model->resource_count);
    return model->resources[number];
}

void journal_add(struct journal *journal, struct model *model, const struct record *record,
                 const struct attempt *attempt, int64_t now_ns) {
    const struct ddbsim_request *request = &record->request;
    CHECK(journal->count < JOURNAL_MAX && record->calls > 0);
    const struct resource *resource = resource_of(model, request->table, attempt->index);
    bool placed = request->members == 0 && attempt->verdict == VERDICT_NONE &&
                  attempt->partition < resource->space.count;
    struct journal_entry *entry = &journal->entries[journal->count++];
    *entry = (struct journal_entry){
        .number = request->number,
        .call = request->step,
        .attempt = record->calls,
        .t_ns = now_ns,
        .workload = request->workload,
        .table = request->table,
        .index = attempt->index,
        .kind = request->kind,
        .key = request->key,
        .item_bytes = larger(request->old_bytes, request->new_bytes),
        .cost_nano = attempt->admitted ? attempt->cost_nano : 0,
        .service_ns = attempt->service_ns,
        .members = attempt->members,
        .unprocessed = attempt->unprocessed,
        .partition = placed ? (int)resource->space.ids[attempt->partition] : -1,
        .consistent = request->consistent,
        .outcome = (uint8_t)outcome_of(attempt),
    };
    entry->has_reason =
        entry->outcome == ACCOUNT_THROTTLED && first_reason(attempt, &entry->reason);
}

static const char *const outcome_names[ACCOUNT_OUTCOMES] = {
    [ACCOUNT_SUCCESS] = "success",
    [ACCOUNT_THROTTLED] = "throttled",
    [ACCOUNT_FAILED] = "failed",
    [ACCOUNT_ERROR] = "error",
};

static void put_detail(const struct journal_entry *entry, char *out, size_t size) {
    int used = snprintf(out, size, "{\"call\":%" PRIu32, entry->call);
    if (entry->members > 0)
        used += snprintf(out + used, size - (size_t)used,
                         ",\"members\":%" PRIu32 ",\"unprocessed\":%" PRIu32, entry->members,
                         entry->unprocessed);
    else if (entry->key.sort > 0)
        used += snprintf(out + used, size - (size_t)used, ",\"sort_place\":\"%016" PRIx64 "\"",
                         entry->key.sort);
    (void)snprintf(out + used, size - (size_t)used, "}");
}

static void put_entry(const struct journal_entry *entry, const struct model *model) {
    const struct ddbsim_scenario *scenario = model->options.scenario;
    const struct ddbsim_table *table = &scenario->tables[entry->table];
    char key[2100] = "", detail[128];
    if (entry->members == 0 && entry->kind != DDBSIM_SCAN && model->options.keys.text)
        (void)model->options.keys.text(model->options.keys.context, entry->table, entry->index,
                                       entry->key.entity, entry->key.ordinal, key, sizeof key);
    put_detail(entry, detail, sizeof detail);
    ROWS_PUT(model->options.sink, DDBSIM_LOG_REQUEST, ddbsim_integer((int64_t)entry->number),
             ddbsim_integer(entry->attempt), ddbsim_integer(entry->t_ns),
             ddbsim_text(scenario->workloads[entry->workload].name), ddbsim_text(table->name),
             entry->index == DDBSIM_NONE ? ddbsim_null()
                                         : ddbsim_text(table->indexes[entry->index].name),
             ddbsim_text(ddbsim_operation_name((int)entry->kind)), ddbsim_text(key), ddbsim_null(),
             ddbsim_integer(entry->item_bytes), ddbsim_integer(entry->consistent),
             entry->partition < 0 ? ddbsim_null() : ddbsim_integer(entry->partition),
             ddbsim_real((double)entry->cost_nano / (double)NANO),
             ddbsim_text(outcome_names[entry->outcome]),
             entry->has_reason ? ddbsim_text(ddbsim_reason_name((int)entry->reason))
                               : ddbsim_null(),
             ddbsim_integer(entry->service_ns / NS_PER_US), ddbsim_text(detail));
}

void journal_flush(struct journal *journal, const struct model *model) {
    for (uint32_t i = 0; i < journal->count; i++)
        put_entry(&journal->entries[i], model);
    journal->count = 0;
}
