/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UTF-8 by RFC 3629. Most foreign text is ASCII, which is passed eight bytes at a time.
 * Invariant: no byte behind the length that was given is read.
 */
#include <base/utf8.h>

#include <base/check.h>
#include <string.h>

#define EIGHT_HIGH_BITS UINT64_C(0x8080808080808080)

size_t utf8_length(const unsigned char *bytes, size_t left) {
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    CHECK(left > 0);
    if (bytes[0] < 0x80) return 1;
    size_t length = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || left < length) return 0;
    uint32_t code = bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (bytes[i] & 0x3fu);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < smallest[length] || code > 0x10ffff || surrogate ? 0 : length;
}

static size_t ascii_length(const unsigned char *bytes, size_t length) {
    size_t at = 0;
    for (uint64_t eight; at + sizeof eight <= length; at += sizeof eight) {
        memcpy(&eight, bytes + at, sizeof eight);
        if (eight & EIGHT_HIGH_BITS) break;
    }
    while (at < length && bytes[at] < 0x80)
        at++;
    return at;
}

bool utf8_is_valid(const char *text, size_t length) {
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t at = 0; at < length;) {
        at += ascii_length(bytes + at, length - at);
        if (at == length) break;
        size_t step = utf8_length(bytes + at, length - at);
        if (!step) return false;
        CHECK(step <= length - at);
        at += step;
    }
    return true;
}
