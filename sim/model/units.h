/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Capacity units: what an item weighs and what each operation costs. Reads are counted in half units
 * (an eventual read of a block is one), writes in whole units. Rules M-01 to M-09.
 */
#ifndef MODEL_UNITS_H
#define MODEL_UNITS_H

#include <base/check.h>
#include <base/types.h>
#include <ddbsim/workload.h>

#define UNITS_KB INT64_C(1024)
#define UNITS_READ_BLOCK (4 * UNITS_KB)
#define UNITS_ITEM_BYTES_MAX (400 * UNITS_KB)
#define UNITS_PAGE_BYTES_MAX (1024 * UNITS_KB)
#define UNITS_STORED_OVERHEAD \
    100 /* bytes an item adds for indexing: storage only, never capacity */

/* ---- item size (M-01) ---- */
int64_t
units_number_bytes(const char *decimal); /* text of a number such as "-12.50"; 0 if it is none */
int64_t units_collection_bytes(int64_t contents_bytes, int64_t elements); /* list or map */
int64_t units_set_bytes(int64_t members_bytes);
int64_t units_attribute_bytes(int64_t name_bytes, int64_t value_bytes);
int64_t units_stored_bytes(int64_t item_bytes); /* what storage bills */

/* ---- reads, in half units (M-02, M-03; transactions M-07) ---- */
/* Blocks that hold so many bytes, at least one: a power of two of them, so nothing is divided. */
static inline int64_t units_blocks(int64_t bytes, int64_t block) {
    CHECK_DEBUG(bytes >= 0);
    uint64_t blocks = ((uint64_t)bytes + (uint64_t)block - 1) / (uint64_t)block;
    return blocks > 1 ? (int64_t)blocks : 1;
}
/* A missing item has 0 bytes. */
static inline int64_t units_get(int64_t item_bytes, bool consistent) {
    return units_blocks(item_bytes, UNITS_READ_BLOCK) * (consistent ? 2 : 1);
}
int64_t units_transact_get(int64_t item_bytes);
int64_t units_query_page(int64_t bytes_read, bool consistent); /* one page of Query or Scan */
/* Query or Scan of `items` equal items, all pages: each page of 1 MB is rounded on its own. */
int64_t units_query_pages(int64_t items, int64_t item_bytes, bool consistent, int64_t *pages);
int64_t units_batch_get(const int64_t *item_bytes, size_t count, bool consistent);

/* ---- writes, in whole units (M-04, M-05; transactions M-07) ---- */
/* Put, update, delete: the larger side. */
static inline int64_t units_write(int64_t old_bytes, int64_t new_bytes) {
    return units_blocks(old_bytes > new_bytes ? old_bytes : new_bytes, UNITS_KB);
}
int64_t units_transact_write(int64_t old_bytes, int64_t new_bytes);
int64_t units_failed_condition(int64_t existing_bytes); /* 0 bytes: no such item */
int64_t units_batch_write(const int64_t *item_bytes, size_t count);
int64_t units_ttl_delete(int64_t item_bytes);
int64_t units_replicated_write(int64_t old_bytes, int64_t new_bytes, int64_t regions);

/* ---- index maintenance (M-06): index writes of a base write, and units of one of them ---- */
static inline uint32_t units_index_parts(enum ddbsim_effect effect) {
    return effect == DDBSIM_EFFECT_MOVE ? 2 : 1;
}
/* A move deletes, then puts. */
static inline bool units_index_deletes(enum ddbsim_effect effect, uint32_t part) {
    return effect == DDBSIM_EFFECT_REMOVE || (effect == DDBSIM_EFFECT_MOVE && part == 0);
}
static inline int64_t units_index_part(enum ddbsim_effect effect, uint32_t part, int64_t old_bytes,
                                       int64_t new_bytes) {
    if (units_index_deletes(effect, part)) return units_write(old_bytes, 0);
    return units_write(effect == DDBSIM_EFFECT_REWRITE ? old_bytes : 0, new_bytes);
}
/* Units of each; returns their number. */
uint32_t units_index_writes(enum ddbsim_effect effect, int64_t old_bytes, int64_t new_bytes,
                            int64_t units[2]);
/* Bytes of an index entry as stored: keys and projected attributes, with AWS's overhead. */
int64_t units_index_stored_bytes(int64_t base_key_bytes, int64_t index_key_bytes,
                                 int64_t projected_bytes);

/* ---- a request of the simulator: half units on its table ---- */
static inline int64_t units_asked(const struct ddbsim_request *request, bool is_write) {
    CHECK_DEBUG(is_write == ddbsim_operation_is_write((int)request->kind));
    if (!is_write) return units_get(request->old_bytes, request->consistent);
    return 2 * units_write(request->old_bytes, request->new_bytes);
}
static inline int64_t units_request(const struct ddbsim_request *request) {
    return units_asked(request, ddbsim_operation_is_write((int)request->kind));
}

#endif
