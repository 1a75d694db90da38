/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models items that grow, up to 400 KB (M-67). Whoever reads one pays for what it has come to; a delete takes away
 * what is there, and what is put or updated after it is new. A Query reads the items of its key one after the other
 * and ends its page with the one that reaches 1 MB; of an index, whose order is not kept, items of the mean size.
 *
 * Invariant: the sizes kept here and the bytes that the table holds change by the same amounts.
 */
#include <workloads/sizes.h>

/* The first size whose part of all goes beyond the draw's. */
int64_t sizes_pick(const struct ddbsim_sizes *sizes, uint64_t draw) {
    CHECK_DEBUG(sizes->count > 0);
    if (!sizes->until) return sizes->bytes[draw_below(draw, sizes->count)];
    uint32_t low = 0, high = sizes->count - 1;
    int64_t share = (int64_t)draw_below(draw, (uint64_t)DDBSIM_SHARE_ONE);
    while (low < high) {
        uint32_t half = low + (high - low) / 2;
        if (sizes->until[half] > share)
            high = half;
        else
            low = half + 1;
    }
    return sizes->bytes[low];
}

static void check_limit(struct ddbsim_request *request) {
    if (request->new_bytes > DDBSIM_ITEM_BYTES_MAX) request->special |= DDBSIM_INVALID;
}

/* Where the sort key has values of its own, they say which item of the key it is. */
static void find_item(struct description *d) {
    const struct key_template *sort = &d->entity->sort;
    uint64_t digits[KEY_DIGITS_MAX], group = d->item.number % d->entity->groups;
    if (sort->digit_count == 0) return;
    item_digits(d, sort, digits);
    uint64_t items = population_group_items(d->entity, group);
    d->item.place = items > 0 ? key_digits_join(sort, digits) % items : 0;
    d->item.number = d->item.place * d->entity->groups + group;
}

void sizes_describe(struct description *d, const struct ddbsim_operation *operation) {
    struct ddbsim_request *request = d->request;
    find_item(d);
    int64_t bytes = population_item_bytes(d->entity, d->item.number);
    bool is_write = ddbsim_operation_is_write((int)operation->kind) && !operation->checks;
    request->item = d->item.number;
    request->special |= DDBSIM_SIZED;
    request->old_bytes = bytes;
    if (!is_write || d->fails)
        request->new_bytes = bytes;
    else if (operation->kind == DDBSIM_DELETE_ITEM || d->deletes)
        request->new_bytes = 0;
    else if (operation->kind == DDBSIM_UPDATE_ITEM && bytes > 0)
        request->new_bytes = bytes + operation->grows_bytes;
    else
        request->new_bytes = item_own_bytes(operation, &request->key);
    check_limit(request);
}

/* ---- a Query ---- */

static uint64_t next_item(const struct population_entity *entity, uint64_t number) {
    uint64_t group = number % entity->groups, next = number + entity->groups;
    return next / entity->groups < population_group_items(entity, group) ? next : group;
}

void sizes_page(const struct population_entity *entity, struct ddbsim_request *request) {
    bool is_index = request->index != DDBSIM_NONE;
    uint64_t mean = entity->sized_items > 0 ? entity->sized_bytes / entity->sized_items : 0;
    uint64_t bytes = 0, found = 0;
    for (; request->rest > 0 && bytes < MIX_PAGE_BYTES; request->rest--) {
        uint64_t one = is_index ? mean : entity->sizes[request->item];
        bytes += one;
        found += one > 0;
        request->item = next_item(entity, request->item);
    }
    request->items = found;
    request->old_bytes = request->new_bytes = (int64_t)bytes;
}

void sizes_query(const struct description *d, const struct ddbsim_operation *operation) {
    struct ddbsim_request *request = d->request;
    request->item = d->item.number;
    request->rest = operation->items;
    request->special &= (uint8_t)~DDBSIM_SIZED;
    sizes_page(d->entity, request);
    if (operation->all_pages)
        request->special |= DDBSIM_PAGES;
    else
        request->rest = 0;
}

/* ---- while it is on its way ---- */

struct population_entity *sizes_entity(const struct source *source,
                                       const struct ddbsim_request *request) {
    uint32_t entity = request->key.entity;
    if (entity == DDBSIM_ENTITY_RECORDED)
        entity = source->workload->operations[request->operation].entity;
    return &source->population->tables[request->table].entities[entity];
}

/* Entries of whole items follow them. */
static void works_follow(const struct source *source, struct ddbsim_request *request,
                         int64_t old_bytes, int64_t new_bytes) {
    const struct ddbsim_table *table = &source->scenario->tables[request->table];
    for (uint32_t i = 0; i < request->work_count; i++) {
        struct ddbsim_index_work *work = &request->work[i];
        if (table->indexes[work->index].entries[request->key.entity].entry_bytes >= 0) continue;
        if (work->old_bytes > 0) work->old_bytes = old_bytes;
        if (work->new_bytes > 0) work->new_bytes = new_bytes;
    }
}

void sizes_measure(const struct source *source, struct ddbsim_request *request) {
    int64_t bytes = population_item_bytes(sizes_entity(source, request), request->item);
    int64_t grown = request->new_bytes - request->old_bytes;
    bool keeps = grown == 0 || !ddbsim_operation_is_write((int)request->kind);
    bool updates = request->kind == DDBSIM_UPDATE_ITEM && request->old_bytes > 0 && bytes > 0;
    if (bytes == request->old_bytes) return;
    request->old_bytes = bytes;
    if (keeps)
        request->new_bytes = bytes;
    else if (updates)
        request->new_bytes = bytes + grown;
    check_limit(request);
    works_follow(source, request, request->old_bytes, request->new_bytes);
}

void sizes_served(const struct source *source, const struct ddbsim_request *request) {
    struct population_entity *entity = sizes_entity(source, request);
    int64_t bytes = population_item_bytes(entity, request->item);
    if (request->special & (DDBSIM_CONDITION_FAILS | DDBSIM_CHECKS)) return;
    CHECK(bytes == request->old_bytes);
    population_item_resize(entity, request->item, bytes + request->new_bytes - request->old_bytes);
}
