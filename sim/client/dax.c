/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models DAX. Source: AWS developer guide, "In-memory acceleration with DAX": eventual reads are answered from the
 * item cache (GetItem, BatchGetItem) or the query cache (Query) while an entry lives; strong reads pass through
 * and are not kept; writes go to the table first and into the item cache once they have succeeded, so what the
 * table refuses is not kept; a write does not change what the query cache holds.
 *
 * The cache has lines of four entries; a new one takes the place of the oldest of its line. Invariant: an entry
 * answers for less than its time after the read or write that made it.
 */
#include <client/dax.h>

#include <base/check.h>
#include <base/hash.h>
#include <base/rng.h>
#include <stdlib.h>
#include <string.h>

#define LINES_BITS 18 /* 2^20 entries */
#define WAYS 4

struct dax_entry {
    uint64_t tag; /* 0: none */
    int64_t made_ns;
};
struct dax_line {
    struct dax_entry entries[WAYS];
};

bool dax_init(struct dax *dax, const struct ddbsim_dax *spec, uint64_t stream) {
    *dax = (struct dax){.stream = stream};
    if (!spec->enabled || spec->by_ratio) return true;
    dax->lines = calloc((size_t)1 << LINES_BITS, sizeof *dax->lines);
    return dax->lines != NULL;
}

void dax_flush(struct dax *dax) {
    if (dax->lines) memset(dax->lines, 0, ((size_t)1 << LINES_BITS) * sizeof *dax->lines);
}

void dax_deinit(struct dax *dax) { free(dax->lines); }

/* A Query is known by what it asks, anything else by its item. */
static uint64_t tag_of(const struct ddbsim_request *request) {
    bool is_query = request->kind == DDBSIM_QUERY;
    /* `more` pages after it tell one page from the others. */
    uint64_t second =
        is_query ? (uint64_t)request->more << 32 | (request->operation + 1) : request->key.sort;
    uint64_t table = (uint64_t)request->table << 1 | is_query;
    return hash_mix(request->key.hash, second, table) | 1;
}

static struct dax_entry *find(const struct dax *dax, uint64_t tag) {
    struct dax_line *line = &dax->lines[tag >> (64 - LINES_BITS)];
    for (int i = 0; i < WAYS; i++)
        if (line->entries[i].tag == tag) return &line->entries[i];
    return NULL;
}

static struct dax_entry *oldest(const struct dax *dax, uint64_t tag) {
    struct dax_line *line = &dax->lines[tag >> (64 - LINES_BITS)];
    struct dax_entry *entry = &line->entries[0];
    for (int i = 1; i < WAYS && entry->tag != 0; i++) {
        struct dax_entry *other = &line->entries[i];
        if (other->tag == 0 || other->made_ns < entry->made_ns) entry = other;
    }
    return entry;
}

bool dax_hits(const struct dax *dax, const struct ddbsim_dax *spec,
              const struct ddbsim_request *request, uint32_t member, int64_t now_ns) {
    CHECK_DEBUG(spec->enabled);
    if (request->consistent || ddbsim_operation_is_write((int)request->kind)) return false;
    if (spec->by_ratio) {
        uint64_t draw =
            hash_mix(dax->stream, request->number, (uint64_t)request->step << 32 | member);
        /* Several suffixes that are asked at once are one step. */
        if (request->kind == DDBSIM_QUERY) draw = hash_mix(draw, request->key.hash, request->more);
        return draw_share(draw, spec->hit_ratio);
    }
    const struct dax_entry *entry = dax->lines ? find(dax, tag_of(request)) : NULL;
    CHECK_DEBUG(!entry || entry->made_ns <= now_ns);
    return entry && now_ns - entry->made_ns < spec->item_ttl_ns;
}

void dax_keep(struct dax *dax, const struct ddbsim_dax *spec, const struct ddbsim_request *request,
              int64_t now_ns) {
    bool is_write = ddbsim_operation_is_write((int)request->kind);
    if (!dax->lines || spec->by_ratio || (!is_write && request->consistent)) return;
    uint64_t tag = tag_of(request);
    struct dax_entry *entry = find(dax, tag);
    if (!entry) entry = oldest(dax, tag);
    *entry = request->new_bytes == 0 && is_write ? (struct dax_entry){0, 0}
                                                 : (struct dax_entry){tag, now_ns};
}
