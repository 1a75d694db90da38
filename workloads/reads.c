/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models what reads of more than one item, and reads under suffixes, find and pay for. Sources: AWS developer guide,
 * queries and scans; write sharding.
 */
#include <workloads/reads.h>

#include <workloads/effects.h>
#include <workloads/sizes.h>

/* ---- what a Query reads ---- */

/* Entries of whole items grow with them. */
static bool has_sizes(const struct description *d, const struct ddbsim_operation *operation) {
    if (!d->entity->sizes || operation->index == DDBSIM_NONE) return d->entity->sizes != NULL;
    const struct ddbsim_table *table = &d->source->scenario->tables[operation->table];
    return table->indexes[operation->index].entries[operation->entity].entry_bytes < 0;
}

/* Each page begins at an item of its own, so that the pages of a long collection are spread over it. */
void reads_page(struct description *d, const struct ddbsim_operation *operation, uint32_t page) {
    struct ddbsim_request *request = d->request;
    uint64_t items = operation->items, most = mix_page_items(operation);
    uint64_t before = operation->all_pages ? page * most : 0;
    uint64_t here = items - before < most ? items - before : most;
    request->items = here;
    request->returned = (uint32_t)operation->returned;
    request->old_bytes = request->new_bytes = (int64_t)here * operation->item_bytes;
    if (operation->index != DDBSIM_NONE) {
        request->key = effects_stored_key(d, operation->index);
        request->index = operation->index;
    }
    if (has_sizes(d, operation)) sizes_query(d, operation);
}

/* ---- what a read under suffixes finds ---- */

/* The suffix under which an item stands: ids tell when they were made, and so by how many suffixes (M-16). */
static uint64_t kept_shard(const struct description *d) {
    const struct ddbsim_shards *shards = d->shards;
    if (shards->by == DDBSIM_SHARDS_RANDOM || d->entity->era_count == 0) return item_shard(d);
    uint64_t value = item_value(d, shards->of);
    struct ddbsim_shards then = *shards;
    for (uint32_t i = d->entity->era_count; i-- > 0 && value < d->entity->eras[i].below;)
        then.count = d->entity->eras[i].count;
    return key_value_shard(&then, &d->source->population->sets[shards->of], value);
}

static void find_nothing(struct ddbsim_request *request) {
    request->old_bytes = request->new_bytes = 0;
    request->rest = 0;
    request->special &= (uint8_t) ~(DDBSIM_SIZED | DDBSIM_PAGES);
}

/* An item that is not where it is looked for: nothing there, and paid for all the same. What a reader does not
 * find anywhere is counted once, at its first call. */
void reads_found(const struct description *d, const struct ddbsim_operation *operation,
                 bool first) {
    struct ddbsim_request *request = d->request;
    CHECK_DEBUG(d->shards->count > 0);
    if (operation->sums) {
        uint64_t each = request->kind == DDBSIM_QUERY ? operation->items : 1;
        if (first && operation->asks < d->shards->count)
            request->missed = (d->shards->count - operation->asks) * each;
        if (d->shard >= d->shards->count) find_nothing(request);
        return;
    }
    if (request->kind != DDBSIM_GET_ITEM) return;
    uint64_t kept = kept_shard(d);
    if (kept != d->shard) find_nothing(request);
    bool found = operation->asks > 0 ? kept < operation->asks : kept == d->shard;
    if (first && !found) request->missed = 1;
}

/* ---- Scans and shards ---- */

/* An equal slice of the hash space; all of them tile it. */
void reads_segment(const struct ddbsim_operation *operation, uint32_t segment,
                   struct ddbsim_request *out) {
    uint128 whole = (uint128)1 << 64, count = operation->total_segments;
    out->special |= DDBSIM_SCANS;
    out->index = operation->index;
    out->key.hash = (uint64_t)(whole * segment / count);
    out->scan_last = (uint64_t)(whole * (segment + 1) / count - 1);
    out->all_pages = operation->all_pages;
    out->returned = (uint32_t)operation->returned;
}
