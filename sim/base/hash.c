/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * XXH3 by the xxHash library, compiled in: its output is frozen and, by specification, independent
 * of byte order and of the vector unit in use.
 */
#include <base/hash.h>

#include <base/check.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(struct hash128) == 16, "a digest is sixteen bytes");

uint64_t hash64(const void *bytes, size_t length) {
    CHECK(bytes != NULL || length == 0);
    return XXH3_64bits(bytes, length);
}

struct hash128 hash128(const void *bytes, size_t length) {
    CHECK(bytes != NULL || length == 0);
    XXH128_hash_t hash = XXH3_128bits(bytes, length);
    return (struct hash128){.low = hash.low64, .high = hash.high64};
}

void hash128_hex(struct hash128 hash, char out[33]) {
    static const char digits[] = "0123456789abcdef";
    for (unsigned i = 0; i < 16; i++) {
        out[15 - i] = digits[(hash.high >> (4 * i)) & 15];
        out[31 - i] = digits[(hash.low >> (4 * i)) & 15];
    }
    out[32] = '\0';
}
