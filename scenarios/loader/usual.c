/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The defaults of indexes, for the reader of YAML and for scenarios made in code. */
#include <loader/usual.h>

#include <loader/template.h>

#define KEYS_ONLY_BYTES 100 /* an entry of keys alone; up to 1 KB it costs one unit anyway */

static bool inserts(const struct ddbsim_table *table, const struct ddbsim_operation *o) {
    return ddbsim_operation_puts((int)o->kind) && template_makes_new(&table->entities[o->entity]);
}

enum usual_effect usual_effect(const struct ddbsim_table *table, const struct ddbsim_index *index,
                               const struct ddbsim_operation *o) {
    if (!index->entries[o->entity].in_index) return USUAL_UNTOUCHED;
    if (inserts(table, o)) return USUAL_ADD;
    if (o->kind == DDBSIM_DELETE_ITEM) return USUAL_REMOVE;
    return index->projection == DDBSIM_KEYS_ONLY ? USUAL_UNTOUCHED : USUAL_REWRITE;
}

bool usual_allows(enum usual_effect usual, enum usual_effect effect) {
    if (usual != USUAL_ADD && usual != USUAL_REMOVE) return true;
    return effect == usual || effect == USUAL_UNTOUCHED;
}

bool usual_resends(enum ddbsim_unprocessed strategy) {
    return strategy == DDBSIM_UNPROCESSED_IMMEDIATE || strategy == DDBSIM_UNPROCESSED_EXPONENTIAL;
}

struct ddbsim_batch_unprocessed usual_unprocessed(enum ddbsim_unprocessed strategy) {
    bool waits = strategy == DDBSIM_UNPROCESSED_EXPONENTIAL;
    return (struct ddbsim_batch_unprocessed){
        .strategy = strategy,
        .base_ns = waits ? 50 * DDBSIM_MS : 0,
        .cap_ns = waits ? 20 * DDBSIM_S : 0,
        .max_retries = waits                     ? 10
                       : usual_resends(strategy) ? 1000000
                                                 : 0,
    };
}

bool usual_does_anything(const struct ddbsim_workload *workload) {
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const struct ddbsim_operation *o = &workload->operations[i];
        if (workload->sequence ? o->probability > 0 : o->weight > 0) return true;
    }
    return false;
}

int64_t usual_keys_only_bytes(int64_t item_bytes) {
    return item_bytes < KEYS_ONLY_BYTES ? item_bytes : KEYS_ONLY_BYTES;
}

void usual_effect_set(struct ddbsim_index_effect *out, const int64_t shares[USUAL_EFFECTS]) {
    out->add = shares[USUAL_ADD];
    out->remove = shares[USUAL_REMOVE];
    out->move = shares[USUAL_MOVE];
    out->rewrite = shares[USUAL_REWRITE];
    out->untouched = shares[USUAL_UNTOUCHED];
}

void usual_effect_get(const struct ddbsim_index_effect *effect, int64_t shares[USUAL_EFFECTS]) {
    shares[USUAL_ADD] = effect->add;
    shares[USUAL_REMOVE] = effect->remove;
    shares[USUAL_MOVE] = effect->move;
    shares[USUAL_REWRITE] = effect->rewrite;
    shares[USUAL_UNTOUCHED] = effect->untouched;
}
