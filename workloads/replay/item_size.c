/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models how DynamoDB measures an item. Source: "DynamoDB item sizes and formats" of AWS's developer guide
 * (CapacityUnitCalculations). An attribute is its name in UTF-8 and its value; a string is its bytes in UTF-8, a
 * binary its raw bytes, a boolean or a null 1 byte, a number 1 byte and 1 for each two significant digits, a list or
 * a map 3 bytes and 1 for each element. AWS gives no overhead for a set: it is its elements. Of numbers AWS says
 * "approximately". The SizeBytes of AWS's own example of stream records (26, 59 and 38 bytes) come out exactly.
 *
 * Invariants: what is returned is ITEM_SIZE_BAD or not negative; nesting ends at AWS's limit of 32 levels.
 */
#include <workloads/replay/item_size.h>

#include <base/check.h>
#include <string.h>

#define NESTING_MAX 32    /* levels of lists and maps; AWS's limit */
#define DIGITS_MAX 38     /* significant digits of a number; AWS's limit */
#define CONTAINER_BYTES 3 /* of a list or a map */
#define ELEMENT_BYTES 1   /* of each thing in it */
#define NUMBER_BYTES 1    /* beside its digits */
#define CONSTANT_BYTES 1  /* of a boolean, of a null */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Past sign, digits and one point; *significant counts from the first digit that is not 0 to the last. */
static const char *skip_mantissa(const char *text, int64_t *significant) {
    int64_t digits = 0, zeros = 0, all = 0;
    bool point = false;
    for (text += *text == '-' || *text == '+'; is_digit(*text) || (*text == '.' && !point);
         text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        all++;
        if (*text != '0') {
            digits += zeros + 1;
            zeros = 0;
        } else if (digits > 0) {
            zeros++;
        }
    }
    *significant = digits;
    return all > 0 ? text : NULL;
}

int64_t item_size_number(const char *text) {
    int64_t significant;
    const char *end = skip_mantissa(text, &significant);
    if (end && (*end == 'e' || *end == 'E')) {
        end += 1 + (end[1] == '-' || end[1] == '+');
        if (!is_digit(*end)) return ITEM_SIZE_BAD;
        end += strspn(end, "0123456789");
    }
    if (!end || *end != '\0' || significant > DIGITS_MAX) return ITEM_SIZE_BAD;
    return NUMBER_BYTES + (significant + 1) / 2;
}

int64_t item_size_binary(const char *text, size_t length) {
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t data = strspn(text, alphabet);
    size_t padding = strspn(text + data, "=");
    if (data + padding != length || length % 4 != 0 || padding > 2) return ITEM_SIZE_BAD;
    return (int64_t)(length / 4 * 3 - padding);
}

static int64_t value_size(const json_t *value, int level);

static int64_t map_size(const json_t *map, int64_t overhead, int level) {
    int64_t sum = 0;
    if (!json_is_object(map) || level > NESTING_MAX) return ITEM_SIZE_BAD;
    for (void *it = json_object_iter((json_t *)(uintptr_t)map); it;
         it = json_object_iter_next((json_t *)(uintptr_t)map, it)) {
        int64_t size = value_size(json_object_iter_value(it), level);
        if (size < 0) return ITEM_SIZE_BAD;
        sum += overhead + (int64_t)strlen(json_object_iter_key(it)) + size;
    }
    return sum;
}

static int64_t list_size(const json_t *list, int level) {
    int64_t sum = 0;
    if (!json_is_array(list) || level > NESTING_MAX) return ITEM_SIZE_BAD;
    for (size_t i = 0; i < json_array_size(list); i++) {
        int64_t size = value_size(json_array_get(list, i), level);
        if (size < 0) return ITEM_SIZE_BAD;
        sum += ELEMENT_BYTES + size;
    }
    return sum;
}

static int64_t scalar_size(char type, const json_t *value) {
    if (!json_is_string(value)) return ITEM_SIZE_BAD;
    switch (type) {
    case 'S':
        return (int64_t)json_string_length(value);
    case 'N':
        return item_size_number(json_string_value(value));
    default:
        CHECK(type == 'B');
        return item_size_binary(json_string_value(value), json_string_length(value));
    }
}

static int64_t set_size(char type, const json_t *set) {
    int64_t sum = 0;
    if (!json_is_array(set)) return ITEM_SIZE_BAD;
    for (size_t i = 0; i < json_array_size(set); i++) {
        int64_t size = scalar_size(type, json_array_get(set, i));
        if (size < 0) return ITEM_SIZE_BAD;
        sum += size;
    }
    return sum;
}

static int64_t contained(int64_t size) { return size < 0 ? size : CONTAINER_BYTES + size; }

/* {"TYPE": VALUE}, and nothing beside it. */
static int64_t value_size(const json_t *value, int level) {
    void *it = json_object_iter((json_t *)(uintptr_t)value);
    if (!it || json_object_size(value) != 1) return ITEM_SIZE_BAD;
    const char *type = json_object_iter_key(it);
    const json_t *inside = json_object_iter_value(it);
    if (!strcmp(type, "S") || !strcmp(type, "N") || !strcmp(type, "B"))
        return scalar_size(type[0], inside);
    if (!strcmp(type, "SS") || !strcmp(type, "NS") || !strcmp(type, "BS"))
        return set_size(type[0], inside);
    if (!strcmp(type, "BOOL")) return json_is_boolean(inside) ? CONSTANT_BYTES : ITEM_SIZE_BAD;
    if (!strcmp(type, "NULL")) return json_is_true(inside) ? CONSTANT_BYTES : ITEM_SIZE_BAD;
    if (!strcmp(type, "M")) return contained(map_size(inside, ELEMENT_BYTES, level + 1));
    if (!strcmp(type, "L")) return contained(list_size(inside, level + 1));
    return ITEM_SIZE_BAD;
}

int64_t item_size(const json_t *attributes) {
    int64_t size = map_size(attributes, 0, 0);
    CHECK(size >= 0 || size == ITEM_SIZE_BAD);
    return size;
}
