/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models the items that exist. At start an entity's count is spread evenly over the values of its
 * partition key, the first ones taking one more; popularity is a matter of requests, not of items.
 * New items follow inside their group. Deleted items keep their number: a later request that
 * chooses one costs what it would have cost.
 *
 * When an item was made is not stored: the first ones are taken as made evenly over the day before
 * the start, later ones as evenly since then.
 *
 * Invariants: the groups' items sum to the entity's; an item's number gives back its group and
 * place.
 */
#include <workloads/population.h>

#include <stdlib.h>
#include <string.h>
#include <base/check.h>
#include <workloads/sizes.h>

/* ---- creation ---- */

/* Bit i where digit i's value set stands in the item's own key too. */
static uint32_t bound_digits(const struct key_template *template,
                             const struct population_entity *entity) {
    uint32_t bound = 0;
    for (uint32_t i = 0; i < template->digit_count; i++) {
        for (uint32_t j = 0; j < entity->partition.digit_count; j++)
            if (entity->partition.sets[j] == template->sets[i]) bound |= 1u << i;
        for (uint32_t j = 0; j < entity->sort.digit_count; j++)
            if (entity->sort.sets[j] == template->sets[i]) bound |= 1u << i;
    }
    return bound;
}

static const struct ddbsim_template *first_given(const struct ddbsim_template *own,
                                                 const struct ddbsim_template *otherwise) {
    return own->text ? own : otherwise;
}

static bool entry_init(struct population_entry *entry, const struct ddbsim_index *index,
                       const struct ddbsim_entry *from, const struct population_entity *entity,
                       const struct key_context *context) {
    uint64_t uuid_key = entity->partition.uuid_key;
    if (!key_template_init(&entry->partition,
                           first_given(&from->partition_key, &index->partition_key), context,
                           uuid_key) ||
        !key_template_init(&entry->sort, first_given(&from->sort_key, &index->sort_key), context,
                           uuid_key) ||
        !key_template_keep_hashes(&entry->partition))
        return false;
    entry->partition_bound = bound_digits(&entry->partition, entity);
    entry->sort_bound = bound_digits(&entry->sort, entity);
    entry->has_time = entry->partition.has_time || entry->sort.has_time;
    return true;
}

/* One counter a group, in a power of two that a mask can address. */
static bool counters_init(struct population_entity *entity) {
    if (!entity->grows) return true;
    uint64_t size = 1;
    while (size < entity->groups && size < POPULATION_COUNTERS_MAX)
        size *= 2;
    entity->added = calloc(size, sizeof *entity->added);
    entity->added_mask = size - 1;
    return entity->added != NULL;
}

/* A key that is one word, where a word is empty: AWS refuses it (M-67). */
static void find_empty(struct population_entity *entity) {
    const struct key_template *key = &entity->partition;
    if (key->part_count != 1 || key->parts[0].kind != DDBSIM_PART_VALUES) return;
    const struct value_set *set = key->parts[0].set;
    for (uint64_t i = 0; i < set->word_count; i++)
        if (set->word_bytes[i] == 0) {
            entity->has_empty = true;
            entity->empty = i;
        }
}

/* Is there a set among its values that inserts add to? */
static bool makes_values(const struct key_template *template) {
    for (uint32_t i = 0; i < template->part_count; i++)
        if (template->parts[i].set && template->parts[i].set->values->is_new) return true;
    return false;
}

static bool entity_init(struct population_entity *entity, const struct ddbsim_entity *from,
                        const struct key_context *context, uint64_t uuid_key) {
    entity->entity = from;
    struct key_template *partition = &entity->partition, *sort = &entity->sort;
    if (!key_template_init(partition, &from->partition_key, context, uuid_key) ||
        !key_template_init(sort, &from->sort_key, context, uuid_key) ||
        !key_template_keep_hashes(partition))
        return false;
    entity->own_key = partition->has_time || partition->has_uuid || partition->has_n;
    entity->grows = entity->own_key || sort->has_time || sort->has_uuid || sort->has_n;
    entity->has_time = partition->has_time || sort->has_time;
    find_empty(entity);
    for (uint32_t i = 0; i < partition->digit_count; i++)
        entity->sharded |= partition->sets[i] == DDBSIM_NONE;
    entity->groups = partition->combinations ? partition->combinations : UINT64_MAX;
    entity->start_groups = entity->groups;
    entity->start_apart = partition->start_combinations < partition->combinations;
    if (entity->start_apart) entity->start_groups = partition->start_combinations;
    if (entity->start_groups > 0) {
        entity->share = from->count / entity->start_groups;
        entity->more = from->count % entity->start_groups;
    }
    entity->is_fresh = makes_values(partition) || makes_values(sort);
    return counters_init(entity);
}

/* The stream is named by table and entity, so another entity changes no item of this one. */
static bool uuid_stream(const struct population *population, const struct ddbsim_table *table,
                        const struct ddbsim_entity *entity, uint64_t seed, uint32_t replication,
                        uint64_t *key) {
    char *name = arena_printf(population->arena, "%s/%s/uuid", table->name, entity->name);
    if (name) *key = rng_stream_key(seed, replication, name);
    return name != NULL;
}

static bool rank_sorts(const struct population *population, struct population_table *table) {
    uint32_t entities = table->table->entity_count;
    struct key_template **sorts = arena_alloc(population->arena, entities, sizeof *sorts);
    if (!sorts && entities > 0) return false;
    for (uint32_t e = 0; e < entities; e++)
        sorts[e] = &table->entities[e].sort;
    key_templates_rank(sorts, entities);
    for (uint32_t i = 0; i < table->table->index_count; i++) {
        uint32_t held = 0;
        for (uint32_t e = 0; e < entities; e++)
            if (table->table->indexes[i].entries[e].in_index)
                sorts[held++] = &table->entities[e].entries[i].sort;
        key_templates_rank(sorts, held);
    }
    return true;
}

/* An entity that an index does not hold has no key there: the index may ask for what it has not, such as a suffix. */

static bool entries_init(struct population_entity *entity, uint32_t number,
                         const struct ddbsim_table *table, const struct key_context *context) {
    if (table->index_count == 0) return true;
    entity->entries = arena_alloc(context->arena, table->index_count, sizeof *entity->entries);
    if (!entity->entries) return false;
    for (uint32_t i = 0; i < table->index_count; i++)
        if (table->indexes[i].entries[number].in_index &&
            !entry_init(&entity->entries[i], &table->indexes[i], &table->indexes[i].entries[number],
                        entity, context))
            return false;
    return true;
}

/* Suffixes of an entity, and those that callers believe in. */
static uint32_t shards_known(const struct ddbsim_scenario *scenario, uint32_t table,
                             uint32_t entity) {
    uint32_t most = scenario->tables[table].entities[entity].shards.count;
    for (uint32_t w = 0; w < scenario->workload_count && most > 0; w++)
        for (uint32_t o = 0; o < scenario->workloads[w].operation_count; o++) {
            const struct ddbsim_operation *operation = &scenario->workloads[w].operations[o];
            if (operation->table != table || operation->entity != entity) continue;
            if (operation->asks > most) most = operation->asks;
            if (operation->modulo > most) most = operation->modulo;
        }
    return most;
}

/* The same over all that becomes of the scenario. */
static uint32_t shards_most(const struct ddbsim_scenario *scenario, uint32_t table,
                            uint32_t entity) {
    uint32_t most = shards_known(scenario, table, entity);
    for (uint32_t i = 0; i < scenario->change_count; i++) {
        uint32_t count = shards_known(scenario->changes[i].after, table, entity);
        if (count > most) most = count;
    }
    return most;
}

/* Room for as many changes of the count as there can be, where ids tell when they were made. */
static bool eras_init(struct population *population, struct population_entity *entity) {
    const struct ddbsim_shards *shards = &entity->entity->shards;
    const struct ddbsim_scenario *scenario = population->scenario;
    if (shards->count == 0 || shards->of == DDBSIM_NONE || scenario->change_count == 0) return true;
    if (!scenario->values[shards->of].is_new) return true;
    entity->eras = arena_alloc(population->arena, scenario->change_count, sizeof *entity->eras);
    return entity->eras != NULL;
}

static void entity_change(const struct population *population, struct population_entity *entity,
                          uint32_t before, uint32_t after) {
    if (!entity->eras || before == after) return;
    const struct value_set *set = &population->sets[entity->entity->shards.of];
    uint64_t below = set->values->count + set->made;
    if (entity->era_count > 0 && entity->eras[entity->era_count - 1].below == below &&
        entity->eras[entity->era_count - 1].count == before)
        return;
    CHECK(entity->era_count < population->scenario->change_count);
    entity->eras[entity->era_count++] = (struct shard_era){below, before};
}

void population_change(struct population *population, const struct ddbsim_scenario *before,
                       const struct ddbsim_scenario *after) {
    for (uint32_t t = 0; t < before->table_count && t < after->table_count; t++) {
        struct population_table *table = &population->tables[t];
        if (!table->table) continue;
        for (uint32_t e = 0; e < table->table->entity_count; e++)
            entity_change(population, &table->entities[e],
                          before->tables[t].entities[e].shards.count,
                          after->tables[t].entities[e].shards.count);
    }
}

static bool table_init(struct population *population, uint32_t table_number,
                       const struct key_context *context, uint64_t seed, uint32_t replication) {
    struct population_table *table = &population->tables[table_number];
    const struct ddbsim_table *from = &population->scenario->tables[table_number];
    if (from->entity_count == 0) return true;
    table->entities = arena_alloc(population->arena, from->entity_count, sizeof *table->entities);
    if (!table->entities) return false;
    table->table = from;
    for (uint32_t e = 0; e < from->entity_count; e++) {
        uint64_t uuid_key;
        struct key_context own = *context;
        own.shards_start = from->entities[e].shards.count;
        own.shards = shards_most(population->scenario, table_number, e);
        if (!uuid_stream(population, from, &from->entities[e], seed, replication, &uuid_key) ||
            !entity_init(&table->entities[e], &from->entities[e], &own, uuid_key) ||
            !entries_init(&table->entities[e], e, from, &own) ||
            !eras_init(population, &table->entities[e]))
            return false;
    }
    return rank_sorts(population, table);
}

static int64_t start_bytes(const struct ddbsim_entity *entity, uint64_t number) {
    if (entity->sizes.count == 0) return entity->item_bytes;
    uint64_t name = hash64(entity->name, strlen(entity->name));
    return sizes_pick(&entity->sizes, hash_mix(name, number, 0));
}

/* Room for every number that an item can have; those that are there at start have the stated size. */
static bool entity_size(struct population_entity *entity) {
    uint64_t places = entity->share + (entity->more > 0);
    if (places == 0) places = 1;
    if (__builtin_mul_overflow(places, entity->groups, &entity->size_count)) return false;
    entity->sizes = calloc(entity->size_count, sizeof *entity->sizes);
    if (!entity->sizes) return false;
    for (uint64_t i = 0; i < entity->size_count; i++)
        if (i / entity->groups < population_start_items(entity, i % entity->groups))
            population_item_resize(entity, i, start_bytes(entity->entity, i));
    CHECK(entity->sized_items == entity->entity->count);
    return true;
}

/* Items that grow have each a size of its own: the entities of the operations that say so. */
static bool sizes_init(struct population *population, const struct ddbsim_scenario *scenario) {
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t o = 0; o < scenario->workloads[w].operation_count; o++) {
            const struct ddbsim_operation *operation = &scenario->workloads[w].operations[o];
            struct population_entity *entity =
                &population->tables[operation->table].entities[operation->entity];
            if (operation->grows_bytes > 0 && !entity->sizes && !entity_size(entity)) return false;
        }
    return true;
}

static bool population_init(struct population *population, const struct ddbsim_scenario *scenario,
                            uint64_t seed, uint32_t replication) {
    population->scenario = scenario;
    population->arena = arena_create(0);
    if (!population->arena) return false;
    population->sets =
        arena_alloc(population->arena, scenario->value_count + 1, sizeof *population->sets);
    population->tables =
        arena_alloc(population->arena, scenario->table_count + 1, sizeof *population->tables);
    if (!population->sets || !population->tables) return false;
    for (uint32_t i = 0; i < scenario->value_count; i++) {
        struct value_set *set = &population->sets[i];
        if (!value_set_init(set, &scenario->values[i])) return false;
        value_set_place(set, scenario->start_unix_s, scenario->utc_offset_s, scenario->duration_ns);
    }
    struct key_context context = {.arena = population->arena,
                                  .sets = population->sets,
                                  .start_unix_s = scenario->start_unix_s};
    for (uint32_t i = 0; i < scenario->table_count; i++)
        if (!table_init(population, i, &context, seed, replication)) return false;
    if (!sizes_init(population, scenario)) return false;
    for (uint32_t i = 0; i < scenario->change_count; i++)
        if (!sizes_init(population, scenario->changes[i].after)) return false;
    return true;
}

struct population *population_create(const struct ddbsim_scenario *scenario, uint64_t seed,
                                     uint32_t replication) {
    struct population *population = calloc(1, sizeof *population);
    if (population && !population_init(population, scenario, seed, replication)) {
        population_destroy(population);
        return NULL;
    }
    return population;
}

static void table_free(struct population_table *table) {
    if (!table->table) return;
    for (uint32_t e = 0; e < table->table->entity_count; e++) {
        struct population_entity *entity = &table->entities[e];
        key_template_free(&entity->partition);
        free(entity->added);
        free(entity->sizes);
        for (uint32_t i = 0; entity->entries && i < table->table->index_count; i++)
            key_template_free(&entity->entries[i].partition);
    }
}

void population_destroy(struct population *population) {
    if (!population) return;
    for (uint32_t i = 0; population->tables && i < population->scenario->table_count; i++)
        table_free(&population->tables[i]);
    for (uint32_t i = 0; population->sets && i < population->scenario->value_count; i++)
        value_set_free(&population->sets[i]);
    arena_destroy(population->arena);
    free(population);
}

/* ---- groups at start ---- */

/* The digits of start group `number`, and the group that they are. */
static uint64_t start_group(const struct population_entity *entity, uint64_t number) {
    const struct key_template *partition = &entity->partition;
    uint64_t digits[KEY_DIGITS_MAX];
    if (!entity->start_apart) return number;
    for (uint32_t i = partition->digit_count; i-- > 0; number /= partition->start[i])
        digits[i] = number % partition->start[i];
    return key_digits_join(partition, digits);
}

uint64_t population_start_items_apart(const struct population_entity *entity, uint64_t group) {
    const struct key_template *partition = &entity->partition;
    uint64_t digits[KEY_DIGITS_MAX], number = 0;
    key_digits_split(partition, group, digits);
    for (uint32_t i = 0; i < partition->digit_count; i++) {
        if (digits[i] >= partition->start[i]) return 0;
        number = number * partition->start[i] + digits[i];
    }
    return entity->share + (number < entity->more);
}

/* ---- items ---- */

/* span x part / whole without overflow. */
static int64_t portion(int64_t span, uint64_t part, uint64_t whole) {
    return (int64_t)((uint128)span * part / whole);
}

int64_t population_item_time(const struct population_entity *entity, uint64_t group, uint64_t place,
                             int64_t now_ns) {
    uint64_t first = population_start_items(entity, group);
    if (place < first) return -portion(KEY_DAY_NS, first - place, first);
    return portion(now_ns, place - first + 1, population_added_items(entity, group) + 1);
}

struct population_item population_insert(struct population_entity *entity, uint64_t group,
                                         int64_t now_ns) {
    CHECK(entity->added);
    struct population_item item = {.place = population_group_items(entity, group),
                                   .time_ns = now_ns};
    item.number = item.place * entity->groups + group;
    entity->added[group & entity->added_mask]++;
    return item;
}

/* ---- for the model ---- */

/* Groups that hold an item at start. */
static uint64_t held_groups(const struct population_entity *entity) {
    return entity->share > 0 ? entity->start_groups : entity->more;
}

uint64_t population_keys(const struct population *population, uint32_t table, uint32_t entity) {
    const struct population_entity *of = &population->tables[table].entities[entity];
    return of->own_key ? of->entity->count : held_groups(of);
}

static void visit_groups(const struct population_entity *entity,
                         void (*visit)(void *context, uint64_t hash, uint64_t items),
                         void *context) {
    struct key_values values = {0};
    uint64_t held = held_groups(entity);
    for (uint64_t number = 0; number < held; number++) {
        uint64_t group = start_group(entity, number);
        key_digits_split(&entity->partition, group, values.digits);
        visit(context, key_hash(&entity->partition, group, &values),
              population_start_items(entity, group));
    }
}

/* Places count last, so the first `count` of them all are the items at start. */
static void visit_items(const struct population_entity *entity,
                        void (*visit)(void *context, uint64_t hash, uint64_t items),
                        void *context) {
    for (uint64_t number = 0; number < entity->entity->count; number++) {
        uint64_t group = start_group(entity, number % entity->start_groups);
        uint64_t place = number / entity->start_groups, item = place * entity->groups + group;
        struct key_values values = {.item = item, .n = place + 1};
        key_digits_split(&entity->partition, group, values.digits);
        if (entity->has_time) values.time_ns = population_item_time(entity, group, place, 0);
        visit(context, key_hash(&entity->partition, item, &values), 1);
    }
}

void population_visit(const struct population *population, uint32_t table, uint32_t entity,
                      void (*visit)(void *context, uint64_t hash, uint64_t items), void *context) {
    const struct population_entity *of = &population->tables[table].entities[entity];
    if (of->own_key)
        visit_items(of, visit, context);
    else
        visit_groups(of, visit, context);
}

static const struct key_template *template_of(const struct population *population, uint32_t table,
                                              uint32_t index, uint32_t entity) {
    const struct population_entity *of = &population->tables[table].entities[entity];
    return index == DDBSIM_NONE ? &of->partition : &of->entries[index].partition;
}

static void ordinal_values(const struct population *population, uint32_t table, uint32_t index,
                           uint32_t entity, uint64_t ordinal, struct key_values *values) {
    const struct population_entity *of = &population->tables[table].entities[entity];
    *values = (struct key_values){0};
    uint64_t high =
        key_ordinal_split(template_of(population, table, index, entity), ordinal, values);
    values->item = index == DDBSIM_NONE ? ordinal : high;
    values->n = (index == DDBSIM_NONE ? high : high / of->groups) + 1;
}

size_t population_key_text(const struct population *population, uint32_t table, uint32_t index,
                           uint32_t entity, uint64_t ordinal, char *buffer, size_t size) {
    struct key_values values;
    ordinal_values(population, table, index, entity, ordinal, &values);
    return key_text(template_of(population, table, index, entity), &values, buffer, size);
}

uint64_t population_key_hash(const struct population *population, uint32_t table, uint32_t index,
                             uint32_t entity, uint64_t ordinal) {
    struct key_values values;
    ordinal_values(population, table, index, entity, ordinal, &values);
    return key_hash(template_of(population, table, index, entity), ordinal, &values);
}

/* One number and fixed text around it: no two numbers give the same text. Words may. */
static bool is_numbered(const struct population *population, const struct key_template *template) {
    return template->digit_count == 1 && !template->has_time && !template->has_uuid &&
           !template->has_n && template->sets[0] != DDBSIM_NONE &&
           !population->sets[template->sets[0]].moving &&
           !population->sets[template->sets[0]].word_bytes;
}

/* Fixed texts are those of the scenario, so equal ones are the same or spelled alike. */
static bool templates_are_alike(const struct key_template *a, const struct key_template *b) {
    if (a->part_count != b->part_count || a->sets[0] != b->sets[0]) return false;
    for (uint32_t i = 0; i < a->part_count; i++) {
        if (a->parts[i].kind != b->parts[i].kind) return false;
        if (a->parts[i].kind == DDBSIM_PART_TEXT && strcmp(a->parts[i].text, b->parts[i].text) != 0)
            return false;
    }
    return true;
}

uint64_t population_key_count(const struct population *population, uint32_t table, uint32_t index) {
    const struct population_table *of = &population->tables[table];
    if (!of->table) return 0;
    const struct key_template *first = NULL;
    for (uint32_t e = 0; e < of->table->entity_count; e++) {
        if (index != DDBSIM_NONE && !of->table->indexes[index].entries[e].in_index) continue;
        const struct key_template *template = template_of(population, table, index, e);
        if (!first) first = template;
        if (!is_numbered(population, template) || !templates_are_alike(first, template)) return 0;
    }
    return first ? first->combinations : 0;
}
