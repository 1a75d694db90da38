/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which part of a table or index one page of a Scan reads (M-65). Source: AWS developer guide, scans (1 MB a page,
 * paid before any filter; a parallel scan cuts the hash space into equal segments). A page is of one partition,
 * whose items are taken to lie evenly over its range; it ends with the item that reaches 1 MB, with the
 * partition or with the segment.
 *
 * Invariant: the parts that a partition's pages read tile its range, so together they read what it holds, less
 * what integers round off.
 */
#include <model/model.h>

#include <model/units.h>

/* A stretch of positions, both ends inclusive. */
struct stretch {
    uint128 low, high;
};

static struct stretch stretch_of(const struct space *space, uint32_t slot) {
    uint32_t place = space_place(space, slot);
    return (struct stretch){space_low(space, place), space_high(space, place)};
}

/* How far to shift so that a span fits 64 bits. */
static uint32_t shift_of(uint128 span) {
    uint32_t shift = 0;
    while (span >> shift > (uint128)UINT64_MAX)
        shift++;
    return shift;
}

/* whole x part / all, of spans of positions. */
static int64_t portion(int64_t whole, uint128 part, uint128 all, uint32_t shift) {
    return (int64_t)(uint64_t)((uint128)(uint64_t)whole * ((part >> shift) + 1) /
                               ((all >> shift) + 1));
}

/* Positions that hold so many bytes of a partition's. */
static uint128 reach(int64_t bytes, int64_t all_bytes, uint128 span, uint32_t shift) {
    uint128 positions = (uint128)(uint64_t)bytes * ((span >> shift) + 1) / (uint64_t)all_bytes;
    return (positions > 0 ? positions : 1) << shift;
}

static struct ddbsim_key key_at(uint128 position) {
    return (struct ddbsim_key){.hash = (uint64_t)(position >> 64), .sort = (uint64_t)position};
}

/* What stands of a partition from `from` to `last`, a page of it at most. Returns the last position read. */
static uint128 read_partition(const struct space *space, uint32_t slot, uint128 from, uint128 last,
                              int64_t *bytes, uint64_t *items) {
    const struct partition_holding *held = &space->holdings[slot];
    struct stretch all = stretch_of(space, slot);
    uint128 end = all.high < last ? all.high : last, span = all.high - all.low;
    uint32_t shift = shift_of(span);
    CHECK_DEBUG(from >= all.low && from <= end);
    *bytes = 0;
    *items = 0;
    if (held->items <= 0 || held->bytes <= 0) return end;
    int64_t item = held->bytes / held->items;
    if (item < 1) item = 1;
    int64_t whole = portion(held->bytes, end - from, span, shift);
    int64_t page = (UNITS_PAGE_BYTES_MAX + item - 1) / item * item;
    *bytes = whole < page ? whole : page;
    *items = (uint64_t)((*bytes + item / 2) / item);
    if (whole <= page) return end;
    uint128 step = reach(page, held->bytes, span, shift);
    return step > end - from ? end : from + step - 1;
}

void table_scan_page(const struct model *model, struct ddbsim_request *request,
                     struct scan_page *out) {
    const struct table *table = &model->tables[request->table];
    bool own = request->index == DDBSIM_NONE || table->local_indexes >> request->index & 1u;
    const struct space *space =
        own ? &table->resource.space
            : &model->indexes[table->first_index + request->index].resource.space;
    uint128 last = (uint128)request->scan_last << 64 | UINT64_MAX;
    uint128 at = space_position(&request->key);
    int64_t bytes = 0;
    uint64_t items = 0;
    CHECK(request->table < model->table_count && request->kind == DDBSIM_SCAN);
    CHECK(at <= last);
    for (;;) { /* partitions that hold nothing are passed over */
        uint32_t slot = space_find(space, at);
        uint128 end = read_partition(space, slot, at, last, &bytes, &items);
        if (bytes > 0) request->key = key_at(at);
        out->is_last = end == last;
        if (out->is_last) break;
        at = end + 1;
        if (bytes > 0) break;
    }
    out->next = key_at(at);
    request->old_bytes = request->new_bytes = bytes;
    request->items = items;
}
