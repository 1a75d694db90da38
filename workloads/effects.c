/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models what a write asks of the indexes of its table, and which key an entry has: values that the item's own key
 * has are the item's, the others are drawn for each side, before the write and after it (M-56).
 */
#include <workloads/effects.h>

/* Draws of a value other than the old one before the next in order is taken. */
#define MOVE_TRIES 8

static bool effect_choose(const struct ddbsim_index_effect *effects, uint64_t draw,
                          enum ddbsim_effect *out) {
    const int64_t shares[] = {effects->add, effects->remove, effects->move, effects->rewrite};
    const enum ddbsim_effect kinds[] = {DDBSIM_EFFECT_ADD, DDBSIM_EFFECT_REMOVE, DDBSIM_EFFECT_MOVE,
                                        DDBSIM_EFFECT_REWRITE};
    int64_t at = (int64_t)draw_below(draw, (uint64_t)DDBSIM_SHARE_ONE);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        if (at < shares[i]) {
            *out = kinds[i];
            return true;
        }
        at -= shares[i];
    }
    return false;
}

static uint64_t side_draw(const struct description *d, const struct value_set *set, uint64_t side) {
    return hash_mix(d->index_key, set->name_hash, side);
}

static uint64_t pick_value(const struct description *d, const struct value_set *set,
                           uint64_t draw) {
    return item_current_value(set, value_set_pick(set, draw, d->arrival->number), d->arrival);
}

/* An entry was last written some time in the day before; which time is the item's own. */
static int64_t entry_time(const struct description *d, bool old) {
    if (!old) return d->now_ns;
    uint64_t mix = hash_mix(d->request->key.hash ^ d->item.number, d->request->key.sort, MIX_AGE);
    return d->now_ns - 1 - (int64_t)draw_below(mix, (uint64_t)KEY_DAY_NS - 1);
}

/* Is it one of the block that is being taken? */
static bool is_in_block(const struct source *source, uint64_t number) {
    return number < source->next && number / ARRIVAL_BLOCK == (source->next - 1) / ARRIVAL_BLOCK;
}

/* Arrivals of the block that is being taken have theirs picked; `index_key` is their own for the first
 * call alone. */
static uint64_t side_value(const struct description *d, uint32_t set, bool old) {
    const struct source *source = d->source;
    const struct value_set *values = &source->population->sets[set];
    uint64_t number = d->arrival->number;
    uint32_t side = source->side_of[set];
    if (values->moving) {
        enum mix mix = old ? MIX_OLD_SIDE : MIX_NEW_SIDE;
        return value_set_existing(values, hash_mix(d->index_key, values->name_hash, mix),
                                  old ? entry_time(d, true) : d->now_ns);
    }
    if (side != DDBSIM_NONE && is_in_block(source, number) && !d->member &&
        d->index_key == d->arrival->index_key)
        return item_current_value(values, source->sides[side].of[!old][number % ARRIVAL_BLOCK],
                                  d->arrival);
    uint64_t value = effects_pick(values, d->index_key, old ? MIX_OLD_SIDE : MIX_NEW_SIDE, number);
    return item_current_value(values, value, d->arrival);
}

/* The new value where it alone tells the new key from the old one. */
static uint64_t moved_value(const struct description *d, uint32_t number) {
    const struct value_set *set = &d->source->population->sets[number];
    if (set->moving) return side_value(d, number, false);
    uint64_t old = side_value(d, number, true), draw = side_draw(d, set, MIX_NEW_SIDE);
    for (uint64_t i = 0; i < MOVE_TRIES; i++) {
        uint64_t value = pick_value(d, set, draw);
        if (value != old) return value;
        draw = hash_mix(draw, i, MIX_NEW_SIDE);
    }
    return (old + 1) % set->count;
}

/* One side of an entry. */
struct side {
    const struct population_entry *entry;
    bool old;     /* as it stands before the write */
    bool differs; /* its values must differ from the other side's */
};

static void entry_digits(const struct description *d, const struct side *side,
                         const struct key_template *template, uint32_t bound, uint64_t *digits) {
    for (uint32_t i = 0; i < template->digit_count; i++) {
        uint32_t set = template->sets[i];
        if (set == DDBSIM_NONE || (bound >> i & 1))
            digits[i] = item_digit(d, set);
        else if (side->differs)
            digits[i] = moved_value(d, set);
        else
            digits[i] = side_value(d, set, side->old);
    }
}

static struct ddbsim_key entry_key(const struct description *d, const struct side *side) {
    const struct population_entry *entry = side->entry;
    struct key_values values;
    item_marks(d, &values);
    if (entry->has_time) values.time_ns = entry_time(d, side->old);
    struct ddbsim_key key = {.entity = d->request->key.entity};
    entry_digits(d, side, &entry->partition, entry->partition_bound, values.digits);
    key.ordinal = key_ordinal(&entry->partition, key_digits_join(&entry->partition, values.digits),
                              values.time_ns, d->item.number);
    key.hash = key_hash(&entry->partition, key.ordinal, &values);
    if (entry->sort.part_count > 0)
        entry_digits(d, side, &entry->sort, entry->sort_bound, values.digits);
    key.sort = key_sort(&entry->sort, &values);
    return key;
}

/* The time tells a moved key from the old one where the key has it; else a value must. */
static void describe_keys(const struct description *d, const struct population_entry *entry,
                          struct ddbsim_index_work *work) {
    struct side old = {.entry = entry, .old = true};
    struct side new = {.entry = entry,
                       .differs = work->effect == DDBSIM_EFFECT_MOVE && !entry->has_time};
    if (work->effect != DDBSIM_EFFECT_ADD) work->old_key = entry_key(d, &old);
    if (work->effect == DDBSIM_EFFECT_ADD || work->effect == DDBSIM_EFFECT_MOVE)
        work->new_key = entry_key(d, &new);
    if (work->effect == DDBSIM_EFFECT_ADD)
        work->old_key = work->new_key;
    else if (work->effect != DDBSIM_EFFECT_MOVE)
        work->new_key = work->old_key;
}

/* The first index of a table takes the effect draw itself, the others a mix tied to their name. */
static uint64_t index_draw(const struct source *source, uint64_t effect, uint32_t table,
                           uint32_t index) {
    if (index == 0) return effect;
    return hash_mix(effect, source->index_mixes[source->index_first[table] + index], 0);
}

/* What of the entry there is before the write and after it. */
static void work_bytes(const struct ddbsim_request *request, const struct ddbsim_entry *entry,
                       struct ddbsim_index_work *work) {
    bool whole = entry->entry_bytes < 0;
    work->old_bytes = work->effect == DDBSIM_EFFECT_ADD ? 0
                      : whole                           ? request->old_bytes
                                                        : entry->entry_bytes;
    work->new_bytes = work->effect == DDBSIM_EFFECT_REMOVE ? 0
                      : whole                              ? request->new_bytes
                                                           : entry->entry_bytes;
}

static void describe_work(const struct description *d, const struct ddbsim_operation *operation,
                          uint32_t index, const struct ddbsim_entry *entry) {
    struct ddbsim_request *request = d->request;
    uint64_t draw = index_draw(d->source, d->effect, request->table, index);
    if (!entry->in_index) return;
    if (entry->present < DDBSIM_SHARE_ONE &&
        !draw_share(hash_mix(draw, MIX_PRESENT, 0), entry->present))
        return;
    struct ddbsim_index_work *work = &request->work[request->work_count];
    if (d->deletes)
        work->effect = DDBSIM_EFFECT_REMOVE;
    else if (!effect_choose(&operation->effects[index], draw, &work->effect))
        return;
    /* Where items are known to be gone, an entry is made anew. */
    if (request->old_bytes == 0 && request->new_bytes > 0) work->effect = DDBSIM_EFFECT_ADD;
    work->index = index;
    work_bytes(request, entry, work);
    describe_keys(d, &d->entity->entries[index], work);
    request->work_count++;
}

void effects_describe(const struct description *d, const struct ddbsim_table *table,
                      const struct ddbsim_operation *operation) {
    for (uint32_t i = 0; i < table->index_count; i++)
        describe_work(d, operation, i, &table->indexes[i].entries[operation->entity]);
}

/* ---- plain entries ---- */

/* The effect that every such write has, whatever is drawn. */
static bool is_fixed(const struct ddbsim_index_effect *effects, const struct ddbsim_entry *entry,
                     enum ddbsim_effect *out) {
    return entry->present == DDBSIM_SHARE_ONE &&
           (effects->add == DDBSIM_SHARE_ONE || effects->remove == DDBSIM_SHARE_ONE ||
            effects->rewrite == DDBSIM_SHARE_ONE) &&
           effect_choose(effects, 0, out);
}

static bool entry_outline_init(const struct source *source, const struct population_entry *entry,
                               struct entry_outline *outline) {
    const struct key_template *template = &entry->partition;
    if (template->digit_count != 1 || entry->sort.part_count > 0 || entry->has_time) return false;
    uint32_t set = template->sets[0];
    if (set == DDBSIM_NONE || source->population->sets[set].moving || !template->hashes)
        return false;
    bool is_bound = entry->partition_bound & 1;
    if (!is_bound && source->side_of[set] == DDBSIM_NONE) return false;
    outline->hashes = template->hashes;
    outline->slot = source->slots[set];
    if (!is_bound) outline->side = &source->sides[source->side_of[set]];
    return true;
}

bool effects_outline(const struct source *source, const struct ddbsim_operation *operation,
                     struct entry_outline *outlines) {
    const struct population_table *table = &source->population->tables[operation->table];
    const struct population_entity *entity = &table->entities[operation->entity];
    if (operation->item_bytes == 0) return false;
    for (uint32_t i = 0; i < table->table->index_count; i++) {
        const struct ddbsim_entry *entry = &table->table->indexes[i].entries[operation->entity];
        outlines[i] = (struct entry_outline){.entry = entry, .effect = &operation->effects[i]};
        outlines[i].is_fixed = is_fixed(outlines[i].effect, entry, &outlines[i].fixed);
        if (entry->in_index && !entry_outline_init(source, &entity->entries[i], &outlines[i]))
            return false;
    }
    return true;
}

/* What the entry undergoes; false where it is not touched. */
static inline bool entry_effect(const struct source *source, const struct entry_outline *outline,
                                const struct ddbsim_arrival *arrival, uint32_t table,
                                uint32_t index, enum ddbsim_effect *out) {
    *out = outline->fixed;
    if (outline->is_fixed) return true;
    uint64_t draw = index_draw(source, arrival->effect, table, index);
    int64_t present = outline->entry->present;
    if (present < DDBSIM_SHARE_ONE && !draw_share(hash_mix(draw, MIX_PRESENT, 0), present))
        return false;
    return effect_choose(outline->effect, draw, out);
}

bool effects_describe_plain(const struct source *source, const struct outline *outline,
                            const struct ddbsim_arrival *arrival, struct ddbsim_request *out) {
    const struct entry_outline *entries = &source->entries[outline->first_entry];
    if (!is_in_block(source, arrival->number)) return false;
    for (uint32_t i = 0; i < outline->entry_count; i++) {
        const struct entry_outline *entry = &entries[i];
        struct ddbsim_index_work *work = &out->work[out->work_count];
        if (!entry->hashes || !entry_effect(source, entry, arrival, out->table, i, &work->effect))
            continue;
        if (work->effect == DDBSIM_EFFECT_MOVE) return false;
        bool adds = work->effect == DDBSIM_EFFECT_ADD;
        uint64_t value = entry->side ? entry->side->of[adds][arrival->number % ARRIVAL_BLOCK]
                                     : arrival->keys[entry->slot];
        uint64_t hash = entry->hashes[value];
        if (hash == 0) return false;
        work->index = i;
        work_bytes(out, entry->entry, work);
        work->old_key = work->new_key =
            (struct ddbsim_key){.hash = hash, .ordinal = value, .entity = out->key.entity};
        out->work_count++;
    }
    return true;
}

struct ddbsim_key effects_stored_key(const struct description *d, uint32_t index) {
    struct side stored = {.entry = &d->entity->entries[index], .old = true};
    return entry_key(d, &stored);
}
