/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The digest of a run. A row is written as bytes that no machine changes: for each column of the
 * frozen list a type byte, then eight bytes, low first, for a number, or length and bytes for a
 * text. A series is a table's name and all key columns but the last; its hash goes on as hash :=
 * XXH3-128(hash, row). In the end the series, ordered by name and key bytes, are chained alike. A
 * table without a key is one series, in the order in which its rows come. Invariants: within a
 * series the last key column increases; a series' rows therefore have one order, and how series
 * interleave leaves no trace; equal content gives equal bytes.
 */
#include <record/digest.h>

#include <base/check.h>
#include <base/vector.h>
#include <record/schema.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    unsigned char *items;
    size_t count, capacity;
};

struct series {
    struct hash128 hash; /* of the rows so far */
    uint64_t key_hash;   /* of the key's bytes, to find it again */
    unsigned char *key;  /* table name with its NUL, then the key's columns but the last */
    size_t key_length;
    int64_t last_integer; /* the last row's last key column */
    struct bytes last_text;
};

/* What digest_row needs of a table, worked out once. */
struct layout {
    const char *name;
    const struct schema_column *columns;
    size_t column_count;
    int run_column;
    size_t key_count;
    int keys[SCHEMA_KEYS_MAX];
    bool included;
};

struct digest {
    struct layout layouts[DDBSIM_LOG_TABLE_KINDS];
    struct series *series;
    size_t series_count, series_capacity;
    uint32_t *slots; /* open addressing: number of a series + 1; 0: free */
    size_t slot_count;
    uint32_t last_series;
    struct bytes key, row; /* scratch */
    bool failed, finished;
};

static struct layout layout_of(enum ddbsim_log_table table) {
    const struct schema_table *described = schema_table(table);
    struct layout layout = {
        .name = described->name,
        .columns = described->columns,
        .column_count = described->column_count,
        .run_column = schema_run_column(table),
        .included = schema_in_digest(table),
    };
    layout.key_count = schema_keys(table, layout.keys);
    return layout;
}

struct digest *digest_create(void) {
    struct digest *digest = calloc(1, sizeof *digest);
    if (!digest) return NULL;
    for (int i = 0; i < DDBSIM_LOG_TABLE_KINDS; i++)
        digest->layouts[i] = layout_of((enum ddbsim_log_table)i);
    return digest;
}

void digest_destroy(struct digest *digest) {
    if (!digest) return;
    for (size_t i = 0; i < digest->series_count; i++) {
        free(digest->series[i].key);
        free(digest->series[i].last_text.items);
    }
    free(digest->series);
    free(digest->slots);
    free(digest->key.items);
    free(digest->row.items);
    free(digest);
}

/* ---- bytes ---- */

static bool make_room(struct bytes *bytes, size_t length) {
    void *items = bytes->items;
    if (!vector_reserve(&items, &bytes->capacity, bytes->count + length, 1)) return false;
    bytes->items = items;
    return true;
}

/* The puts need room: it is made once for a whole row or key. */
static void put_bytes(struct bytes *bytes, const void *from, size_t length) {
    CHECK_DEBUG(bytes->count + length <= bytes->capacity);
    memcpy(bytes->items + bytes->count, from, length);
    bytes->count += length;
}

static void put_number(struct bytes *bytes, uint64_t number) {
    unsigned char *low_first = bytes->items + bytes->count;
    CHECK_DEBUG(bytes->count + 8 <= bytes->capacity);
    for (int i = 0; i < 8; i++)
        low_first[i] = (unsigned char)(number >> (8 * i));
    bytes->count += 8;
}

static size_t value_bytes_max(const struct ddbsim_value *value) {
    return 9 + (value->type == DDBSIM_VALUE_TEXT ? strlen(value->as.text) : 0);
}

/* Writes a canonical value; returns where the next one goes. */
static inline unsigned char *write_value(unsigned char *at, const struct ddbsim_value *value) {
    uint64_t number = (uint64_t)value->as.integer;
    *at++ = (unsigned char)value->type;
    if (value->type == DDBSIM_VALUE_NULL) return at;
    size_t length = 0;
    if (value->type == DDBSIM_VALUE_REAL) {
        _Static_assert(sizeof number == sizeof value->as.real, "a real is eight bytes");
        memcpy(&number, &value->as.real, sizeof number);
    } else if (value->type == DDBSIM_VALUE_TEXT) {
        number = length = strlen(value->as.text);
    }
    for (int i = 0; i < 8; i++)
        at[i] = (unsigned char)(number >> (8 * i)); /* low first */
    at += 8;
    if (length > 0) memcpy(at, value->as.text, length);
    return at + length;
}

static void put_value(struct bytes *bytes, const struct ddbsim_value *given) {
    struct ddbsim_value value = schema_canonical(*given);
    CHECK_DEBUG(bytes->count + value_bytes_max(&value) <= bytes->capacity);
    bytes->count = (size_t)(write_value(bytes->items + bytes->count, &value) - bytes->items);
}

/* A link of a chain is the hash so far, then what it goes on with: empties `link` for that. */
static bool link_begin(struct bytes *link, const struct hash128 *hash, size_t length) {
    link->count = 0;
    if (!make_room(link, sizeof *hash + length)) return false;
    put_number(link, hash->low);
    put_number(link, hash->high);
    return true;
}

static struct hash128 link_end(const struct bytes *link) {
    CHECK(link->count >= sizeof(struct hash128));
    return hash128(link->items, link->count);
}

/* ---- series ---- */

/* The value of a column among values that leave run_id out. */
static const struct ddbsim_value *value_of(const struct layout *layout,
                                           const struct ddbsim_value *values, int column) {
    CHECK(column >= 0 && column != layout->run_column);
    bool behind_run = layout->run_column >= 0 && column > layout->run_column;
    return &values[behind_run ? column - 1 : column];
}

static bool put_key(struct digest *digest, const struct layout *layout,
                    const struct ddbsim_value *values) {
    size_t length = strlen(layout->name) + 1;
    digest->key.count = 0;
    for (size_t i = 0; i + 1 < layout->key_count; i++)
        length += value_bytes_max(value_of(layout, values, layout->keys[i]));
    if (!make_room(&digest->key, length)) return false;
    put_bytes(&digest->key, layout->name, strlen(layout->name) + 1);
    for (size_t i = 0; i + 1 < layout->key_count; i++)
        put_value(&digest->key, value_of(layout, values, layout->keys[i]));
    return true;
}

/* The slot of a key: where it stands, or the free one where it would. */
static size_t find_slot(const struct digest *digest, const void *key, size_t length,
                        uint64_t key_hash) {
    CHECK(digest->slot_count > digest->series_count);
    size_t mask = digest->slot_count - 1;
    CHECK((digest->slot_count & mask) == 0);
    for (size_t slot = key_hash & mask;; slot = (slot + 1) & mask) {
        if (digest->slots[slot] == 0) return slot;
        const struct series *series = &digest->series[digest->slots[slot] - 1];
        if (series->key_hash == key_hash && series->key_length == length &&
            memcmp(series->key, key, length) == 0)
            return slot;
    }
}

static bool grow_slots(struct digest *digest) {
    if (2 * (digest->series_count + 1) <= digest->slot_count) return true;
    size_t slot_count = digest->slot_count ? 2 * digest->slot_count : 64;
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (!slots) return false;
    free(digest->slots);
    digest->slots = slots;
    digest->slot_count = slot_count;
    for (size_t i = 0; i < digest->series_count; i++) {
        const struct series *series = &digest->series[i];
        size_t slot = find_slot(digest, series->key, series->key_length, series->key_hash);
        CHECK(slots[slot] == 0);
        slots[slot] = (uint32_t)(i + 1);
    }
    return true;
}

static struct series *add_series(struct digest *digest, size_t slot, uint64_t key_hash) {
    void *items = digest->series;
    CHECK(digest->series_count < UINT32_MAX);
    if (!vector_reserve(&items, &digest->series_capacity, digest->series_count + 1,
                        sizeof *digest->series))
        return NULL;
    digest->series = items;
    unsigned char *key = malloc(digest->key.count);
    if (!key) return NULL;
    memcpy(key, digest->key.items, digest->key.count);
    struct series *series = &digest->series[digest->series_count++];
    *series = (struct series){.key_hash = key_hash, .key = key, .key_length = digest->key.count};
    CHECK(digest->slots[slot] == 0);
    digest->slots[slot] = (uint32_t)digest->series_count;
    return series;
}

/* The last key column must grow: a row out of order or twice is a fault of whoever made it. */
static bool advance(struct series *series, bool is_first, const struct ddbsim_value *last) {
    if (last->type == DDBSIM_VALUE_INTEGER) {
        CHECK(is_first || last->as.integer > series->last_integer);
        series->last_integer = last->as.integer;
        return true;
    }
    CHECK(last->type == DDBSIM_VALUE_TEXT);
    CHECK(is_first || strcmp(last->as.text, (const char *)series->last_text.items) > 0);
    size_t length = strlen(last->as.text) + 1;
    series->last_text.count = 0;
    if (!make_room(&series->last_text, length)) return false;
    put_bytes(&series->last_text, last->as.text, length);
    return true;
}

static struct series *enter_series(struct digest *digest, const struct layout *layout,
                                   const struct ddbsim_value *values) {
    if (!put_key(digest, layout, values) || !grow_slots(digest)) return NULL;
    uint64_t key_hash = hash64(digest->key.items, digest->key.count);
    size_t slot = find_slot(digest, digest->key.items, digest->key.count, key_hash);
    bool is_first = digest->slots[slot] == 0;
    struct series *series =
        is_first ? add_series(digest, slot, key_hash) : &digest->series[digest->slots[slot] - 1];
    if (!series || layout->key_count == 0) return series;
    int last = layout->keys[layout->key_count - 1];
    return advance(series, is_first, value_of(layout, values, last)) ? series : NULL;
}

/* ---- rows ---- */

static size_t row_bytes_max(const struct ddbsim_value *values, size_t count) {
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += value_bytes_max(&values[i]);
    return length;
}

static void put_row(struct bytes *row, const struct layout *layout,
                    const struct ddbsim_value *values) {
    for (size_t i = 0; i < layout->column_count; i++) {
        if ((int)i == layout->run_column) continue;
        const struct ddbsim_value *value = value_of(layout, values, (int)i);
        CHECK(schema_takes(&layout->columns[i], value));
        if (layout->columns[i].in_digest) put_value(row, value);
    }
}

bool digest_row(struct digest *digest, enum ddbsim_log_table table,
                const struct ddbsim_value *values, size_t count) {
    CHECK((unsigned)table < DDBSIM_LOG_TABLE_KINDS && !digest->finished);
    const struct layout *layout = &digest->layouts[table];
    CHECK(count == layout->column_count - (layout->run_column >= 0 ? 1 : 0));
    if (!layout->included || digest->failed) return !digest->failed;
    struct series *series = enter_series(digest, layout, values);
    digest->failed =
        !series || !link_begin(&digest->row, &series->hash, row_bytes_max(values, count));
    if (digest->failed) return false;
    digest->last_series = (uint32_t)(series - digest->series);
    put_row(&digest->row, layout, values);
    series->hash = link_end(&digest->row);
    return true;
}

uint32_t digest_last_series(const struct digest *digest) {
    CHECK(digest->last_series < digest->series_count);
    return digest->last_series;
}

bool digest_includes(const struct digest *digest, enum ddbsim_log_table table) {
    CHECK((unsigned)table < DDBSIM_LOG_TABLE_KINDS);
    return digest->layouts[table].included;
}

bool digest_failed(const struct digest *digest) {
    CHECK(digest != NULL);
    return digest->failed;
}

/* A key stands once, so this order is total. */
static int by_key(const void *left, const void *right) {
    const struct series *a = left, *b = right;
    size_t shorter = a->key_length < b->key_length ? a->key_length : b->key_length;
    int order = memcmp(a->key, b->key, shorter);
    if (order != 0) return order;
    return a->key_length < b->key_length ? -1 : a->key_length > b->key_length;
}

struct hash128 digest_finish(struct digest *digest) {
    struct hash128 hash = {0, 0};
    CHECK(digest != NULL && !digest->finished);
    digest->finished = true;
    if (digest->series_count > 1)
        qsort(digest->series, digest->series_count, sizeof *digest->series, by_key);
    for (size_t i = 0; i < digest->series_count && !digest->failed; i++) {
        const struct series *series = &digest->series[i];
        digest->failed = !link_begin(&digest->row, &hash, 3 * 8 + series->key_length);
        if (digest->failed) break;
        put_number(&digest->row, series->key_length);
        put_bytes(&digest->row, series->key, series->key_length);
        put_number(&digest->row, series->hash.low);
        put_number(&digest->row, series->hash.high);
        hash = link_end(&digest->row);
    }
    return hash;
}

static void take_row(void *self, enum ddbsim_log_table table, const struct ddbsim_value *values,
                     size_t count) {
    (void)digest_row(self, table, values, count);
}

struct ddbsim_sink digest_sink(struct digest *digest) {
    CHECK(digest != NULL);
    return (struct ddbsim_sink){.self = digest, .row = take_row};
}
