/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models keys. DynamoDB places an item by a hash of its partition key and orders items of one
 * partition key by their sort key (AWS guide, "Partitions and data distribution"). AWS does not
 * publish its hash; XXH3-64 of the text stands in for it, since what matters is that it scatters.
 *
 * A sort position has the rank of the template's leading text in its top 8 bits, since the kinds of
 * item that share a table differ there ("CARRITO#...", "PEDIDO#..."), and 56 bits of the variable
 * parts, the first the most significant.
 *
 * Invariants: equal values give equal texts; an ordinal gives back digits and time; a position
 * never decreases when a part increases.
 */
#include <workloads/keys.h>

#include <stdlib.h>
#include <string.h>
#include <base/check.h>
#include <workloads/periods.h>
#include <workloads/shards.h>

#define POSITION_BITS 56
#define RANK_MAX 255
#define N_BITS 32
#define TIME_BYTES 30 /* 2026-09-25T10:00:00.000000000Z */
#define UUID_BYTES 36
#define NUMBER_BYTES 20

/* ---- making ready ---- */

static uint32_t bits_of(uint64_t count) {
    return count < 2 ? 0 : 64u - (uint32_t)__builtin_clzll(count - 1);
}

static size_t word_bytes_max(const struct value_set *set) {
    size_t longest = set->word_count > 0 && set->word_count == set->count ? 0 : NUMBER_BYTES;
    for (uint64_t i = 0; i < set->word_count; i++)
        if (set->word_bytes[i] > longest) longest = set->word_bytes[i];
    return longest;
}

static void multiply(uint64_t *product, uint64_t factor) {
    if (__builtin_mul_overflow(*product, factor, product)) *product = 0;
}

/* A part that one of `count` digits fills; `start` of them are there at start. */
static void part_digit_init(struct key_template *template, struct key_part *part, uint32_t set,
                            uint64_t count, uint64_t start) {
    CHECK(template->digit_count < KEY_DIGITS_MAX && start <= count);
    part->digit = template->digit_count++;
    part->count = count;
    part->bits = bits_of(count);
    template->sets[part->digit] = set;
    template->start[part->digit] = start;
    multiply(&template->combinations, count);
    multiply(&template->start_combinations, start);
}

static void part_init(struct key_template *template, struct key_part *part,
                      const struct ddbsim_template_part *from, const struct key_context *context) {
    part->kind = from->kind;
    switch (from->kind) {
    case DDBSIM_PART_TEXT:
        part->text = from->text;
        part->bytes = (uint32_t)strlen(from->text);
        template->text_max += part->bytes;
        break;
    case DDBSIM_PART_VALUES:
        part->set = &context->sets[from->values];
        part_digit_init(template, part, from->values, part->set->room, part->set->values->count);
        template->text_max += word_bytes_max(part->set);
        break;
    case DDBSIM_PART_TIME:
        template->has_time = true;
        part->bits = POSITION_BITS;
        template->text_max += TIME_BYTES;
        break;
    case DDBSIM_PART_UUID:
        template->has_uuid = true;
        part->bits = POSITION_BITS;
        template->text_max += UUID_BYTES;
        break;
    case DDBSIM_PART_N:
        template->has_n = true;
        part->bits = N_BITS;
        template->text_max += NUMBER_BYTES;
        break;
    case DDBSIM_PART_SHARD:
        part_digit_init(template, part, DDBSIM_NONE, context->shards, context->shards_start);
        template->text_max += NUMBER_BYTES;
        break;
    }
}

/* The text before the first variable part. */
static const char *prefix_of(const struct key_template *template, struct arena *arena) {
    char *prefix = arena_alloc(arena, template->text_max + 1, 1);
    size_t length = 0;
    for (uint32_t i = 0; prefix && i < template->part_count; i++) {
        const struct key_part *part = &template->parts[i];
        if (part->kind != DDBSIM_PART_TEXT) break;
        memcpy(prefix + length, part->text, part->bytes);
        length += part->bytes;
    }
    return prefix;
}

bool key_template_init(struct key_template *template, const struct ddbsim_template *from,
                       const struct key_context *context, uint64_t uuid_key) {
    *template = (struct key_template){.combinations = 1,
                                      .start_combinations = 1,
                                      .uuid_key = uuid_key,
                                      .start_unix_s = context->start_unix_s};
    if (from->text && from->part_count > 0) {
        template->parts = arena_alloc(context->arena, from->part_count, sizeof *template->parts);
        if (!template->parts) return false;
        template->part_count = from->part_count;
        for (uint32_t i = 0; i < from->part_count; i++)
            part_init(template, &template->parts[i], &from->parts[i], context);
    }
    template->prefix = prefix_of(template, context->arena);
    return template->prefix != NULL;
}

bool key_template_keep_hashes(struct key_template *template) {
    uint64_t count = template->combinations;
    if (template->has_time || template->has_uuid || template->has_n) return true;
    if (count == 0 || count > KEY_HASHES_MAX) return true;
    template->hashes = calloc(count, sizeof *template->hashes);
    return template->hashes != NULL;
}

void key_template_free(struct key_template *template) {
    free(template->hashes);
    template->hashes = NULL;
}

/* A template's rank is the number of different prefixes before its own. */
void key_templates_rank(struct key_template *const *templates, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint64_t rank = 0;
        for (uint32_t j = 0; j < count; j++) {
            if (strcmp(templates[j]->prefix, templates[i]->prefix) >= 0) continue;
            bool seen = false;
            for (uint32_t k = 0; k < j && !seen; k++)
                seen = strcmp(templates[k]->prefix, templates[j]->prefix) == 0;
            rank += !seen;
        }
        templates[i]->rank = (rank < RANK_MAX ? rank : RANK_MAX) << POSITION_BITS;
    }
}

/* ---- ordinals ---- */

uint64_t key_digits_join_all(const struct key_template *template, const uint64_t *digits) {
    uint64_t joined = 0;
    for (uint32_t i = 0; i < template->part_count; i++) {
        const struct key_part *part = &template->parts[i];
        if (part->count > 0) joined = joined * part->count + digits[part->digit];
    }
    return joined;
}

void key_digits_split(const struct key_template *template, uint64_t joined, uint64_t *digits) {
    for (uint32_t i = template->part_count; i-- > 0;) {
        const struct key_part *part = &template->parts[i];
        if (part->count == 0) continue;
        digits[part->digit] = joined % part->count;
        joined /= part->count;
    }
}

uint64_t key_ordinal_split(const struct key_template *template, uint64_t ordinal,
                           struct key_values *values) {
    uint64_t radix = template->combinations;
    if (radix == 0) radix = UINT64_MAX;
    key_digits_split(template, ordinal % radix, values->digits);
    if (template->has_uuid || template->has_n) return ordinal / radix;
    if (template->has_time) values->time_ns = (int64_t)(ordinal / radix) - KEY_DAY_NS;
    return 0;
}

/* ---- texts ---- */

/* Where a text goes: what does not fit is counted, not written. */
struct text_out {
    char *buffer;
    size_t size, length;
};

static void put(struct text_out *out, const char *bytes, size_t count) {
    if (out->length < out->size) {
        size_t room = out->size - out->length;
        memcpy(out->buffer + out->length, bytes, count < room ? count : room);
    }
    out->length += count;
}

static void put_number(struct text_out *out, uint64_t number) {
    char digits[NUMBER_BYTES];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    put(out, digits + at, sizeof digits - at);
}

static char *padded(char *at, uint64_t number, int width) {
    for (int i = width; i-- > 0; number /= 10)
        at[i] = (char)('0' + number % 10);
    return at + width;
}

static char *put_date(char *at, int64_t days) {
    struct civil civil = civil_of_day(days);
    at = padded(at, (uint64_t)civil.year, 4);
    *at++ = '-';
    at = padded(at, civil.month, 2);
    *at++ = '-';
    return padded(at, civil.day, 2);
}

static void put_time(struct text_out *out, int64_t start_unix_s, int64_t time_ns) {
    int64_t second = start_unix_s + floor_div(time_ns, NS_PER_S);
    uint64_t rest_ns = (uint64_t)(time_ns - floor_div(time_ns, NS_PER_S) * NS_PER_S);
    int64_t days = floor_div(second, 86400);
    uint64_t of_day = (uint64_t)(second - days * 86400);
    char text[TIME_BYTES];
    char *at = put_date(text, days);
    const uint64_t clock[] = {of_day / 3600, of_day / 60 % 60, of_day % 60};
    for (int i = 0; i < 3; i++) {
        *at++ = "T::"[i];
        at = padded(at, clock[i], 2);
    }
    *at++ = '.';
    at = padded(at, rest_ns, 9);
    *at++ = 'Z';
    CHECK(at == text + sizeof text);
    put(out, text, sizeof text);
}

/* The two words of an item's UUID, with the marks of version 4. */
static uint64_t uuid_high(uint64_t uuid_key, uint64_t item) {
    return (hash_mix(uuid_key, item, 0) & ~UINT64_C(0xf000)) | UINT64_C(0x4000);
}
static uint64_t uuid_low(uint64_t uuid_key, uint64_t item) {
    return hash_mix(uuid_key, item, 1) >> 2 | UINT64_C(1) << 63;
}

static void put_uuid(struct text_out *out, uint64_t uuid_key, uint64_t item) {
    uint64_t words[] = {uuid_high(uuid_key, item), uuid_low(uuid_key, item)};
    char text[UUID_BYTES];
    for (size_t i = 0, nibble = 0; i < sizeof text; i++) {
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            text[i] = '-';
            continue;
        }
        text[i] = "0123456789abcdef"[words[nibble / 16] >> (60 - 4 * (nibble % 16)) & 15];
        nibble++;
    }
    put(out, text, sizeof text);
}

static void put_value(struct text_out *out, const struct value_set *set, uint64_t value) {
    char period[PERIOD_TEXT_MAX];
    if (value < set->word_count)
        put(out, set->values->words[value], set->word_bytes[value]);
    else if (set->values->clock)
        put(out, period, period_text(set->values->clock, set->base + (int64_t)value, period));
    else
        put_number(out, value + (uint64_t)set->base);
}

uint32_t key_value_shard(const struct ddbsim_shards *shards, const struct value_set *set,
                         uint64_t value) {
    char number[PERIOD_TEXT_MAX];
    struct text_out out = {.buffer = number, .size = sizeof number};
    if (value < set->word_count)
        return shard_of_text(shards->by, shards->count, set->values->words[value],
                             set->word_bytes[value]);
    put_value(&out, set, value);
    return shard_of_text(shards->by, shards->count, number, out.length);
}

static void put_parts(struct text_out *out, const struct key_template *template,
                      const struct key_values *values) {
    for (uint32_t i = 0; i < template->part_count; i++) {
        const struct key_part *part = &template->parts[i];
        switch (part->kind) {
        case DDBSIM_PART_TEXT:
            put(out, part->text, part->bytes);
            break;
        case DDBSIM_PART_VALUES:
            put_value(out, part->set, values->digits[part->digit]);
            break;
        case DDBSIM_PART_TIME:
            put_time(out, template->start_unix_s, values->time_ns);
            break;
        case DDBSIM_PART_UUID:
            put_uuid(out, template->uuid_key, values->item);
            break;
        case DDBSIM_PART_N:
            put_number(out, values->n);
            break;
        case DDBSIM_PART_SHARD:
            put_number(out, values->digits[part->digit] + 1);
            break;
        }
    }
}

size_t key_text(const struct key_template *template, const struct key_values *values, char *buffer,
                size_t size) {
    struct text_out out = {.buffer = buffer, .size = size > 0 ? size - 1 : 0};
    put_parts(&out, template, values);
    if (size > 0) buffer[out.length < out.size ? out.length : out.size] = '\0';
    return out.length;
}

uint64_t key_hash_text(const struct key_template *template, uint64_t ordinal,
                       const struct key_values *values) {
    uint64_t *kept = template->hashes ? &template->hashes[ordinal] : NULL;
    char text[KEY_TEXT_MAX];
    struct text_out out = {.buffer = text, .size = sizeof text};
    put_parts(&out, template, values);
    CHECK(out.length <= sizeof text);
    uint64_t hash = hash64(text, out.length);
    if (kept) *kept = hash;
    return hash;
}

/* ---- sort positions ---- */

static uint64_t part_position(const struct key_template *template, const struct key_part *part,
                              const struct key_values *values) {
    const struct value_set *set = part->set;
    switch (part->kind) {
    case DDBSIM_PART_TEXT:
    case DDBSIM_PART_SHARD: /* stands in partition keys alone */
        break;
    case DDBSIM_PART_VALUES: {
        uint64_t digit = values->digits[part->digit];
        return set->order ? set->order[digit] : digit;
    }
    case DDBSIM_PART_TIME: {
        int64_t time_ns = values->time_ns + KEY_DAY_NS;
        int64_t latest = (INT64_C(1) << POSITION_BITS) - 1;
        return (uint64_t)(time_ns < 0 ? 0 : time_ns < latest ? time_ns : latest);
    }
    case DDBSIM_PART_UUID:
        return uuid_high(template->uuid_key, values->item) >> (64 - POSITION_BITS);
    case DDBSIM_PART_N:
        return values->n < UINT32_MAX ? values->n : UINT32_MAX;
    }
    return 0;
}

uint64_t key_sort_parts(const struct key_template *template, const struct key_values *values) {
    CHECK_DEBUG(template->part_count > 0);
    uint64_t position = 0;
    uint32_t room = POSITION_BITS;
    for (uint32_t i = 0; i < template->part_count && room > 0; i++) {
        const struct key_part *part = &template->parts[i];
        uint32_t bits = part->bits < room ? part->bits : room;
        if (bits == 0) continue;
        position = position << bits | part_position(template, part, values) >> (part->bits - bits);
        room -= bits;
    }
    return template->rank | position << room;
}
