/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models a calculated suffix. AWS's guide ("Using write sharding to distribute workloads evenly") takes
 * the product of the UTF-8 code points of an attribute, modulo the number of suffixes, plus one; others
 * take their sum. Both hang on the ids: '0', '2' and 'd' are code points 48, 50 and 100, whose factors 2
 * and 5 draw most products to 0 modulo 10 or 200. A hash does not care.
 *
 * Invariant: a suffix lies below the count, whatever the text.
 */
#include <workloads/shards.h>

#include <base/check.h>
#include <base/hash.h>

/* The code point at text[*at], the place behind it afterwards. Bytes that are no UTF-8 count as themselves. */
static uint32_t code_point(const char *text, size_t length, size_t *at) {
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned char first = bytes[(*at)++];
    uint32_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    if (more == 0 || *at + more > length) return first;
    uint32_t point = first & (0x3fu >> more);
    for (uint32_t i = 0; i < more; i++)
        point = point << 6 | (bytes[(*at)++] & 0x3fu);
    return point;
}

static uint64_t sum_of(uint32_t count, const char *text, size_t length) {
    uint64_t sum = 0;
    for (size_t at = 0; at < length;)
        sum += code_point(text, length, &at);
    return sum % count;
}

static uint64_t product_of(uint32_t count, const char *text, size_t length) {
    uint64_t product = 1;
    for (size_t at = 0; at < length;)
        product = product * code_point(text, length, &at) % count;
    return product % count;
}

uint32_t shard_of_text(enum ddbsim_shards_by by, uint32_t count, const char *text, size_t length) {
    CHECK(count > 0 && by != DDBSIM_SHARDS_RANDOM);
    if (by == DDBSIM_SHARDS_HASH) return (uint32_t)(hash64(text, length) % count);
    uint64_t shard =
        by == DDBSIM_SHARDS_SUM ? sum_of(count, text, length) : product_of(count, text, length);
    CHECK(shard < count);
    return (uint32_t)shard;
}
