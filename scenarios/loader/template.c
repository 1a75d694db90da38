/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A template is text with {names} in it; a name is a value set, or one of the reserved {time}, {uuid},
 * {n}, {shard}.
 *
 * Invariants: a template of a text that is not empty has at least one part; its parts in order spell its
 * text.
 */
#include <loader/template.h>

#include <base/error.h>
#include <loader/suggest.h>
#include <string.h>

static const char *const reserved[] = {"time", "uuid", "n", "shard"};

enum ddbsim_status template_check_name(const char *name, struct ddbsim_error *error) {
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (!strcmp(reserved[i], name))
            return error_set(error, DDBSIM_INPUT, "{%s} has a meaning of its own", name);
    if (!*name || strpbrk(name, "{}\n\t"))
        return error_set(error, DDBSIM_INPUT, "a value set needs a name without braces");
    return DDBSIM_OK;
}

struct parser {
    struct arena *arena;
    const struct ddbsim_scenario *scenario;
    const char *text;
    bool partition_key;
    struct ddbsim_error *error;
};

static enum ddbsim_status fail_name(const struct parser *p, const char *name) {
    struct suggest suggest;
    suggest_start(&suggest, name);
    for (uint32_t i = 0; i < p->scenario->value_count; i++)
        suggest_offer(&suggest, p->scenario->values[i].name);
    suggest_offer(&suggest, "time");
    suggest_offer(&suggest, "uuid");
    enum ddbsim_status status =
        error_set(p->error, DDBSIM_INPUT, "the template names {%.60s}, which `values` lacks", name);
    suggest_hint(&suggest, p->error, "beside value sets there are {time}, {uuid}, {n} and {shard}");
    return status;
}

static enum ddbsim_status name_part(const struct parser *p, const char *name,
                                    struct ddbsim_template_part *out) {
    if (!strcmp(name, "shard") && !p->partition_key)
        return error_set(p->error, DDBSIM_INPUT,
                         "{shard} spreads partition keys and cannot be part of a sort key");
    if (!strcmp(name, "n") && p->partition_key)
        return error_set(p->error, DDBSIM_INPUT,
                         "{n} counts inside one partition key and cannot be part of it");
    if (!strcmp(name, "time"))
        out->kind = DDBSIM_PART_TIME;
    else if (!strcmp(name, "uuid"))
        out->kind = DDBSIM_PART_UUID;
    else if (!strcmp(name, "n"))
        out->kind = DDBSIM_PART_N;
    else if (!strcmp(name, "shard"))
        out->kind = DDBSIM_PART_SHARD;
    else
        out->kind = DDBSIM_PART_VALUES;
    if (out->kind != DDBSIM_PART_VALUES) return DDBSIM_OK;
    for (out->values = 0; out->values < p->scenario->value_count; out->values++)
        if (!strcmp(p->scenario->values[out->values].name, name)) {
            out->is_new = p->scenario->values[out->values].is_new;
            return DDBSIM_OK;
        }
    return fail_name(p, name);
}

/* One part, the cursor behind it afterwards. */
static enum ddbsim_status next_part(const struct parser *p, const char **cursor,
                                    struct ddbsim_template_part *out) {
    const char *at = *cursor;
    bool named = *at == '{';
    size_t length = strcspn(at + named, "{}");
    char end = at[named + length];
    if (named ? end != '}' || !length : end == '}')
        return error_set(p->error, DDBSIM_INPUT,
                         "the braces of the template \"%.100s\" do not match", p->text);
    char *text = arena_copy(p->arena, at + named, length);
    if (!text) return error_memory(p->error);
    *cursor = at + length + (named ? 2 : 0);
    if (named) return name_part(p, text, out);
    out->kind = DDBSIM_PART_TEXT;
    out->text = text;
    return DDBSIM_OK;
}

enum ddbsim_status template_parse(struct arena *arena, const struct ddbsim_scenario *scenario,
                                  const char *text, bool partition_key, struct ddbsim_template *out,
                                  struct ddbsim_error *error) {
    struct parser p = {arena, scenario, text, partition_key, error};
    uint32_t most = 1;
    for (const char *at = text; *at; at++)
        most += *at == '{' || *at == '}';
    struct ddbsim_template_part *parts = arena_alloc(arena, most, sizeof *parts);
    if (!parts) return error_memory(error);
    *out = (struct ddbsim_template){.text = text, .parts = parts};
    for (const char *at = text; *at;) {
        enum ddbsim_status status = next_part(&p, &at, &parts[out->part_count++]);
        if (status) return status;
    }
    return DDBSIM_OK;
}

bool template_has(const struct ddbsim_template *key, enum ddbsim_part_kind kind) {
    for (uint32_t i = 0; i < key->part_count; i++)
        if (key->parts[i].kind == kind) return true;
    return false;
}

bool template_names(const struct ddbsim_template *key, uint32_t values) {
    for (uint32_t i = 0; i < key->part_count; i++)
        if (key->parts[i].kind == DDBSIM_PART_VALUES && key->parts[i].values == values) return true;
    return false;
}

const char *template_check_shards(const struct ddbsim_entity *entity) {
    const struct ddbsim_shards *shards = &entity->shards;
    if (shards->count == 0)
        return template_has(&entity->partition_key, DDBSIM_PART_SHARD)
                   ? "the partition key has {shard}, and the entity has no shards"
                   : NULL;
    if (shards->by == DDBSIM_SHARDS_RANDOM)
        return shards->of == DDBSIM_NONE ? NULL : "a random suffix is not made of a value";
    if (shards->of == DDBSIM_NONE) return "it is not said of which value the suffix is made";
    if (template_names(&entity->partition_key, shards->of) ||
        template_names(&entity->sort_key, shards->of))
        return NULL;
    return "the suffix is made of a value that is in none of the entity's keys";
}

static bool always_new(const struct ddbsim_template *key) {
    for (uint32_t i = 0; i < key->part_count; i++)
        if (key->parts[i].is_new) return true;
    return template_has(key, DDBSIM_PART_TIME) || template_has(key, DDBSIM_PART_UUID) ||
           template_has(key, DDBSIM_PART_N);
}

bool template_makes_new(const struct ddbsim_entity *entity) {
    return always_new(&entity->partition_key) || always_new(&entity->sort_key);
}

static void mark_values(const struct ddbsim_template *key, bool *used) {
    for (uint32_t i = 0; i < key->part_count; i++)
        if (key->parts[i].kind == DDBSIM_PART_VALUES) used[key->parts[i].values] = true;
}

static void mark_drawn(const struct ddbsim_scenario *scenario,
                       const struct ddbsim_operation *operation, bool *used) {
    const struct ddbsim_table *table = &scenario->tables[operation->table];
    mark_values(&table->entities[operation->entity].partition_key, used);
    mark_values(&table->entities[operation->entity].sort_key, used);
    for (uint32_t k = 0; k < table->index_count; k++) {
        mark_values(&table->indexes[k].entries[operation->entity].partition_key, used);
        mark_values(&table->indexes[k].entries[operation->entity].sort_key, used);
    }
}

uint32_t template_sets_drawn(const struct ddbsim_scenario *scenario,
                             const struct ddbsim_workload *workload, bool *used) {
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const struct ddbsim_operation *operation = &workload->operations[i];
        for (uint32_t k = 0; k < operation->action_count; k++)
            mark_drawn(scenario, &operation->actions[k], used);
        if (operation->action_count == 0 && operation->kind != DDBSIM_SCAN)
            mark_drawn(scenario, operation, used);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < scenario->value_count; i++)
        count += used[i];
    return count;
}
