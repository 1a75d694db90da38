/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Capacity units. Sources: AWS developer guide, "Item sizes and formats", "Managing settings on
 * provisioned capacity tables", "Transactions", "Global secondary indexes" (rules M-01 to M-09).
 * Everything is integer arithmetic; a cost is never below one unit (half a unit for an eventual read).
 */
#include <model/units.h>

#include <base/check.h>
#include <string.h>

/* Digits that count: leading and trailing zeros do not. */
static int64_t significant_digits(const char *decimal) {
    int64_t digits = 0, trailing_zeros = 0;
    for (const char *c = decimal; *c; c++) {
        if (*c == '.') continue;
        if (*c < '0' || *c > '9') return -1;
        if (*c == '0' && digits == 0) continue;
        digits++;
        trailing_zeros = *c == '0' ? trailing_zeros + 1 : 0;
    }
    return digits - trailing_zeros;
}

int64_t units_number_bytes(const char *decimal) {
    bool negative = *decimal == '-';
    if (negative) decimal++;
    if (!*decimal || strspn(decimal, "0123456789.") != strlen(decimal)) return 0;
    int64_t digits = significant_digits(decimal);
    return larger(1, (digits + 1) / 2) + 1 + (negative ? 1 : 0);
}

int64_t units_collection_bytes(int64_t contents_bytes, int64_t elements) {
    CHECK(contents_bytes >= 0 && elements >= 0);
    return 3 + contents_bytes + elements;
}

int64_t units_set_bytes(int64_t members_bytes) { return 3 + members_bytes; }

int64_t units_attribute_bytes(int64_t name_bytes, int64_t value_bytes) {
    CHECK(name_bytes >= 0 && value_bytes >= 0);
    return name_bytes + value_bytes;
}

int64_t units_stored_bytes(int64_t item_bytes) { return item_bytes + UNITS_STORED_OVERHEAD; }

int64_t units_transact_get(int64_t item_bytes) { return 2 * units_get(item_bytes, true); }

int64_t units_query_page(int64_t bytes_read, bool consistent) {
    CHECK(bytes_read <= UNITS_PAGE_BYTES_MAX + UNITS_ITEM_BYTES_MAX);
    return units_get(bytes_read, consistent);
}

int64_t units_query_pages(int64_t items, int64_t item_bytes, bool consistent, int64_t *pages) {
    CHECK(items >= 0 && item_bytes >= 0 && item_bytes <= UNITS_ITEM_BYTES_MAX);
    /* A page ends with the item that reaches 1 MB. */
    int64_t per_page = item_bytes ? (UNITS_PAGE_BYTES_MAX + item_bytes - 1) / item_bytes : items;
    int64_t full = per_page ? items / per_page : 0;
    int64_t rest = items - full * per_page;
    *pages = full + (rest || !full ? 1 : 0);
    int64_t half_units = full * units_query_page(per_page * item_bytes, consistent);
    if (rest || !full) half_units += units_query_page(rest * item_bytes, consistent);
    return half_units;
}

int64_t units_batch_get(const int64_t *item_bytes, size_t count, bool consistent) {
    int64_t half_units = 0;
    for (size_t i = 0; i < count; i++)
        half_units += units_get(item_bytes[i], consistent);
    return half_units;
}

int64_t units_transact_write(int64_t old_bytes, int64_t new_bytes) {
    return 2 * units_write(old_bytes, new_bytes);
}

int64_t units_failed_condition(int64_t existing_bytes) { return units_write(existing_bytes, 0); }

int64_t units_batch_write(const int64_t *item_bytes, size_t count) {
    int64_t units = 0;
    for (size_t i = 0; i < count; i++)
        units += units_write(0, item_bytes[i]);
    return units;
}

int64_t units_ttl_delete(int64_t item_bytes) {
    (void)item_bytes; /* free on the source table and its indexes */
    return 0;
}

int64_t units_replicated_write(int64_t old_bytes, int64_t new_bytes, int64_t regions) {
    CHECK(regions >= 1);
    return regions * units_write(old_bytes, new_bytes);
}

uint32_t units_index_writes(enum ddbsim_effect effect, int64_t old_bytes, int64_t new_bytes,
                            int64_t units[2]) {
    CHECK(effect <= DDBSIM_EFFECT_REWRITE);
    uint32_t count = units_index_parts(effect);
    for (uint32_t part = 0; part < count; part++)
        units[part] = units_index_part(effect, part, old_bytes, new_bytes);
    return count;
}

int64_t units_index_stored_bytes(int64_t base_key_bytes, int64_t index_key_bytes,
                                 int64_t projected_bytes) {
    return base_key_bytes + index_key_bytes + projected_bytes + UNITS_STORED_OVERHEAD;
}
