/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Key templates made ready: from the values drawn for an item to its partition key's text, hash and
 * ordinal, and to its place in sort order.
 */
#ifndef WORKLOADS_KEYS_H
#define WORKLOADS_KEYS_H

#include <base/arena.h>
#include <workloads/values.h>

#define KEY_DIGITS_MAX (DDBSIM_VALUE_SETS_MAX + 1) /* and the suffix */
#define KEY_TEXT_MAX 2048                          /* bytes; AWS's limit for a partition key */
#define KEY_HASHES_MAX (UINT64_C(1) << 22)
#define KEY_DAY_NS \
    (INT64_C(86400) * NS_PER_S) /* times before the start go back this far at most \
                                 */

/* What fills a template: a digit for each of its value parts and its {shard}, in order, and the item's own marks.
 */
struct key_values {
    uint64_t digits[KEY_DIGITS_MAX];
    uint64_t item;   /* the item's number in its entity: what {uuid} is made from */
    uint64_t n;      /* {n} */
    int64_t time_ns; /* {time} */
};

struct key_part {
    enum ddbsim_part_kind kind;
    uint32_t digit; /* VALUES, SHARD: which of key_values.digits */
    uint64_t count; /* VALUES, SHARD: digits are below it */
    uint32_t bits;  /* of the part in a sort position */
    uint32_t bytes; /* TEXT: its length */
    const char *text;
    const struct value_set *set;
};

struct key_template {
    struct key_part *parts;
    uint32_t part_count;
    uint32_t digit_count;
    /* The value set of each digit, by number in the scenario; DDBSIM_NONE: the suffix, from 0. */
    uint32_t sets[KEY_DIGITS_MAX];
    uint64_t start[KEY_DIGITS_MAX]; /* of each digit, the values that there are at start */
    bool has_time, has_uuid, has_n;
    uint64_t combinations;       /* of the digits; 0 where they exceed 64 bits */
    uint64_t start_combinations; /* of those that there are at start */
    size_t text_max;             /* no text of it is longer */
    const char *prefix;          /* the text before its first variable part */
    uint64_t rank;               /* of the prefix among its table's, in the top 8 bits */
    uint64_t uuid_key;
    int64_t start_unix_s; /* for the text of {time} */
    uint64_t *hashes;     /* by ordinal, 0 where not yet known; NULL: not kept */
};

/* What all templates of a run share. */
struct key_context {
    struct arena *arena;
    const struct value_set *sets;
    int64_t start_unix_s;
    uint32_t shards, shards_start; /* of the entity: suffixes at most, and at start */
};

/* False when memory is short. The text NULL is a template without parts. */
bool key_template_init(struct key_template *template, const struct ddbsim_template *from,
                       const struct key_context *context, uint64_t uuid_key);
/* Makes room for the hashes of a partition key, if they are few. False when memory is short. */
bool key_template_keep_hashes(struct key_template *template);
void key_template_free(struct key_template *template);
/* Ranks the sort templates of one table or index by their prefixes. */
void key_templates_rank(struct key_template *const *templates, uint32_t count);

uint64_t key_digits_join_all(const struct key_template *template, const uint64_t *digits);
/* The digits as one number, the first the most significant. */
static inline uint64_t key_digits_join(const struct key_template *template,
                                       const uint64_t *digits) {
    return template->digit_count == 1 ? digits[0] : key_digits_join_all(template, digits);
}
void key_digits_split(const struct key_template *template, uint64_t joined, uint64_t *digits);

/*
 * Which partition key: the joined digits, and above them the time where the key has {time}, or
 * `high` where it has {uuid} or {n}. Exact while it fits 64 bits.
 */
static inline uint64_t key_ordinal(const struct key_template *template, uint64_t joined,
                                   int64_t time_ns, uint64_t high) {
    if (template->has_uuid || template->has_n) return high * template->combinations + joined;
    if (!template->has_time) return joined;
    return (uint64_t)(time_ns + KEY_DAY_NS) * template->combinations + joined;
}
/* The reverse: digits and time into *values; returns `high`. */
uint64_t key_ordinal_split(const struct key_template *template, uint64_t ordinal,
                           struct key_values *values);

/* XXH3-64 of the text. `ordinal` is that of the values. */
uint64_t key_hash_text(const struct key_template *template, uint64_t ordinal,
                       const struct key_values *values);
/* The same, from where it is kept once it is known. */
static inline uint64_t key_hash(const struct key_template *template, uint64_t ordinal,
                                const struct key_values *values) {
    uint64_t kept = template->hashes ? template->hashes[ordinal] : 0;
    return kept ? kept : key_hash_text(template, ordinal, values);
}
/* Writes at most `size` bytes with the NUL; returns the length it needs. */
size_t key_text(const struct key_template *template, const struct key_values *values, char *buffer,
                size_t size);
/* The suffix, from 0, that is made of a value's text: `shards` are not random. */
uint32_t key_value_shard(const struct ddbsim_shards *shards, const struct value_set *set,
                         uint64_t value);
/* Orders as the texts do, numbers in them taken as padded to one width. 0 for a simple key. */
uint64_t key_sort_parts(const struct key_template *template, const struct key_values *values);
static inline uint64_t key_sort(const struct key_template *template,
                                const struct key_values *values) {
    return template->part_count > 0 ? key_sort_parts(template, values) : 0;
}

#endif
