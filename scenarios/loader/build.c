/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scenarios in code: the scenario itself and its value sets. Tables stand in build_table.c, workloads in
 * build_workload.c. Ranges and defaults are the grammar's, so a scenario in code can hold nothing that
 * a file could not.
 *
 * Invariant: what stands in the scenario's arrays has been checked; an add that fails leaves them alone.
 */
#include <loader/build.h>

#include <base/check.h>
#include <loader/template.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <workloads/values.h>

/* ---- what the parts share ---- */

struct build build_at_scenario(struct ddbsim_scenario *scenario, struct ddbsim_error *error) {
    return (struct build){scenario, scenario->arena, "", error};
}

struct build build_at(const struct build *b, const char *list, const char *name) {
    struct build deeper = *b;
    const char *path = arena_printf(b->arena, "%s%s%s%s%.80s", b->path, *b->path ? "." : "", list,
                                    name ? "." : "", name ? name : "");
    deeper.path = path ? path : "";
    return deeper;
}

enum ddbsim_status build_fail(const struct build *b, const char *key, const char *format, ...) {
    char message[sizeof b->error->message], path[sizeof b->error->path];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "%s%s%s", b->path, key && *b->path ? "." : "", key ? key : "");
    error_set(b->error, DDBSIM_INPUT, "%s", message);
    error_path(b->error, path);
    return DDBSIM_INPUT;
}

static enum ddbsim_status fail_problem(const struct build *b, const char *key,
                                       const struct literal_problem *problem) {
    enum ddbsim_status status = build_fail(b, key, "%s", problem->message);
    if (problem->hint[0]) error_hint(b->error, "%s", problem->hint);
    return status;
}

enum ddbsim_status build_check_numbers(const struct build *b, const struct build_number *numbers,
                                       size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct grammar_key *key = grammar_find(numbers[i].section, numbers[i].key);
        struct literal_problem problem = {0};
        CHECK(key != NULL);
        bool has_words = key->type == TYPE_CHOICE;
        if (has_words && (numbers[i].value < key->low || numbers[i].value > key->high))
            return build_fail(b, numbers[i].key, "there is no such choice");
        if (!has_words && !grammar_in_range(key, numbers[i].value, &problem))
            return fail_problem(b, numbers[i].key, &problem);
    }
    return DDBSIM_OK;
}

enum ddbsim_status build_check_text(const struct build *b, enum grammar_section section,
                                    const char *key, const char *text) {
    const struct grammar_key *known = grammar_find(section, key);
    struct literal_problem problem = {0};
    struct literal_clock clock = {0};
    struct grammar_value value;
    CHECK(known != NULL);
    if (!text) return build_fail(b, key, "the text is missing");
    return grammar_read(known, text, &clock, &value, &problem) ? DDBSIM_OK
                                                               : fail_problem(b, key, &problem);
}

enum ddbsim_status build_copy_text(const struct build *b, const char **text) {
    if (!*text) return DDBSIM_OK;
    *text = arena_copy(b->arena, *text, strlen(*text));
    return *text ? DDBSIM_OK : error_memory(b->error);
}

void *build_copy_array(const struct build *b, const void *from, size_t count, size_t size) {
    void *copy = arena_alloc(b->arena, count + 1, size);
    if (copy && count > 0) memcpy(copy, from, count * size);
    return copy;
}

static struct grammar_value default_of(enum grammar_section section, const char *name, char *text,
                                       size_t size) {
    const struct grammar_key *key = grammar_find(section, name);
    struct literal_problem problem;
    struct literal_clock clock = {0};
    struct grammar_value value;
    CHECK(key != NULL && grammar_default(key, text, size));
    CHECK(grammar_read(key, text, &clock, &value, &problem));
    return value;
}

int64_t build_default(enum grammar_section section, const char *key) {
    char text[80];
    return default_of(section, key, text, sizeof text).integer;
}

/* ---- sizes ---- */

static enum ddbsim_status check_sizes(const struct build *b, const struct ddbsim_sizes *sizes) {
    int64_t before = 0;
    if (!sizes->bytes) return build_fail(b, "size", "the sizes are missing");
    for (uint32_t i = 0; i < sizes->count; i++) {
        if (sizes->bytes[i] < 1 || sizes->bytes[i] > DDBSIM_ITEM_BYTES_MAX)
            return build_fail(b, "size", "a size lies outside 1 B..400 KB");
        if (sizes->until && sizes->until[i] <= before)
            return build_fail(b, "size", "the shares of the sizes do not rise");
        before = sizes->until ? sizes->until[i] : before;
    }
    if (!sizes->until || before == DDBSIM_SHARE_ONE) return DDBSIM_OK;
    return build_fail(b, "size", "the shares of the sizes do not end at one");
}

enum ddbsim_status build_copy_sizes(const struct build *b, struct ddbsim_sizes *sizes) {
    if (sizes->count == 0) return DDBSIM_OK;
    enum ddbsim_status status = check_sizes(b, sizes);
    if (status) return status;
    bool shared = sizes->until != NULL;
    sizes->bytes = build_copy_array(b, sizes->bytes, sizes->count, sizeof *sizes->bytes);
    if (shared)
        sizes->until = build_copy_array(b, sizes->until, sizes->count, sizeof *sizes->until);
    return sizes->bytes && (!shared || sizes->until) ? DDBSIM_OK : error_memory(b->error);
}

/* ---- the scenario ---- */

static enum ddbsim_status set_start(const struct build *b) {
    char text[80];
    struct literal_clock clock;
    struct literal_problem problem = {0};
    (void)default_of(SECTION_SCENARIO, "start", text, sizeof text);
    CHECK(literal_instant(text, &clock, &problem));
    b->scenario->start_unix_s = clock.start_unix_s;
    b->scenario->utc_offset_s = clock.utc_offset_s;
    b->scenario->start = arena_copy(b->arena, text, strlen(text));
    return b->scenario->start ? DDBSIM_OK : error_memory(b->error);
}

static enum ddbsim_status scenario_init(const struct build *b, const char *name,
                                        int64_t duration_ns) {
    const struct build_number duration = {SECTION_SCENARIO, "duration", duration_ns};
    enum ddbsim_status status = build_check_text(b, SECTION_SCENARIO, "name", name);
    if (status == DDBSIM_OK) status = build_check_numbers(b, &duration, 1);
    b->scenario->name = name;
    if (status == DDBSIM_OK) status = build_copy_text(b, &b->scenario->name);
    if (status == DDBSIM_OK) status = set_start(b);
    b->scenario->title = b->scenario->name;
    b->scenario->duration_ns = duration_ns;
    b->scenario->seed = (uint64_t)build_default(SECTION_SCENARIO, "seed");
#define X(field, key, kind, value, low, high, rule, what) b->scenario->model.field = value;
    DDBSIM_ASSUMPTIONS(X)
#undef X
    b->scenario->file = b->scenario->place = b->scenario->text = "";
    b->scenario->variant = "base";
    return status;
}

enum ddbsim_status ddbsim_scenario_create(const char *name, int64_t duration_ns,
                                          struct ddbsim_scenario **out,
                                          struct ddbsim_error *error) {
    *out = NULL;
    struct arena *arena = arena_create(0);
    if (!arena) return error_memory(error);
    struct ddbsim_scenario *scenario = arena_alloc(arena, 1, sizeof *scenario);
    enum ddbsim_status status = DDBSIM_ENVIRONMENT;
    if (scenario) {
        scenario->arena = arena;
        struct build b = build_at_scenario(scenario, error);
        status = scenario_init(&b, name, duration_ns);
    } else {
        error_memory(error);
    }
    if (status != DDBSIM_OK) {
        arena_destroy(arena);
        return status;
    }
    *out = scenario;
    return DDBSIM_OK;
}

void ddbsim_scenario_destroy(struct ddbsim_scenario *scenario) {
    if (scenario) arena_destroy(scenario->arena);
}

/* ---- value sets ---- */

static enum ddbsim_status copy_words(const struct build *b, struct ddbsim_values *values,
                                     uint64_t count) {
    const char **words = build_copy_array(b, values->words, count, sizeof *words);
    if (!words) return error_memory(b->error);
    for (uint64_t i = 0; i < count; i++) {
        if (!words[i]) return build_fail(b, "list", "a word is missing");
        if (build_copy_text(b, &words[i]) != DDBSIM_OK) return DDBSIM_ENVIRONMENT;
    }
    values->words = words;
    return DDBSIM_OK;
}

static enum ddbsim_status copy_list(const struct build *b, struct ddbsim_values *values) {
    if (!values->words || !values->shares)
        return build_fail(b, "list", "a list needs words and shares");
    int64_t *shares = build_copy_array(b, values->shares, values->count, sizeof *shares), sum = 0;
    if (!shares) return error_memory(b->error);
    for (uint64_t i = 0; i < values->count; i++) {
        if (shares[i] <= 0 || shares[i] > DDBSIM_SHARE_ONE - sum)
            return build_fail(b, "list", "the shares do not sum to 100%%, each above 0%%");
        sum += shares[i];
    }
    enum ddbsim_status status = copy_words(b, values, values->count);
    if (status) return status;
    values->shares = shares;
    if (sum == DDBSIM_SHARE_ONE) return DDBSIM_OK;
    return build_fail(b, "list", "the shares sum to less than 100%%");
}

static enum ddbsim_status check_theta(const struct build *b, const struct ddbsim_values *values) {
    if (values->theta >= 0 && values->theta <= DDBSIM_THETA_MAX * DDBSIM_SHARE_ONE)
        return DDBSIM_OK;
    return build_fail(b, "theta", "theta lies outside 0..%d", DDBSIM_THETA_MAX);
}

static enum ddbsim_status check_top(const struct build *b, const struct ddbsim_values *values) {
    int64_t sum = 0;
    if (!values->shares || values->share_count == 0)
        return build_fail(b, "shares", "top needs the shares of the first values");
    if (values->share_count > values->count)
        return build_fail(b, "shares", "there are more shares than values");
    if (values->share_count > VALUES_COLUMNS)
        return build_fail(b, "shares", "there are more than 1048576 shares");
    for (uint32_t i = 0; i < values->share_count; i++) {
        if (values->shares[i] <= 0 || values->shares[i] > DDBSIM_SHARE_ONE - sum)
            return build_fail(b, "shares",
                              "the shares sum to more than 100%%, or one is not above 0%%");
        sum += values->shares[i];
    }
    if (sum == DDBSIM_SHARE_ONE || values->share_count < values->count) return DDBSIM_OK;
    return build_fail(b, "shares", "the shares sum to less than 100%%, and no value is left");
}

static enum ddbsim_status copy_top(const struct build *b, struct ddbsim_values *values) {
    enum ddbsim_status status = check_theta(b, values);
    if (!status) status = check_top(b, values);
    if (!status && values->words) status = copy_words(b, values, values->share_count);
    if (status) return status;
    values->shares =
        build_copy_array(b, values->shares, values->share_count, sizeof *values->shares);
    return values->shares ? DDBSIM_OK : error_memory(b->error);
}

static enum ddbsim_status check_hotspot(const struct build *b, const struct ddbsim_values *values) {
    const struct build_number numbers[] = {
        {SECTION_VALUES, "keys", values->hot_keys},
        {SECTION_VALUES, "traffic", values->hot_traffic},
        {SECTION_VALUES, "moves", values->moves_ns == 0 ? DDBSIM_S : values->moves_ns},
    };
    return build_check_numbers(b, numbers, 3);
}

static enum ddbsim_status check_order(const struct build *b, const struct ddbsim_values *values) {
    const struct build_number sorted = {SECTION_VALUES, "sorted", (int64_t)values->sorted};
    if (values->sorted == 0) return DDBSIM_OK;
    if (values->distribution == DDBSIM_HOTSPOT && values->moves_ns != 0)
        return build_fail(b, "sorted", "sorted and moves exclude each other");
    if (values->distribution == DDBSIM_ZIPFIAN && values->scrambled &&
        values->count > VALUES_COLUMNS)
        return build_fail(b, "sorted", "sorted and scrambled go together up to 1048576 values");
    return build_check_numbers(b, &sorted, 1);
}

static enum ddbsim_status check_moving(const struct build *b, const struct ddbsim_values *values) {
    if (values->clock > DDBSIM_CLOCK_MONTH) return build_fail(b, "clock", "there is no such clock");
    if (!values->is_new && !values->clock)
        return values->start == 0 ? DDBSIM_OK : build_fail(b, "start", "start goes only with new");
    if (values->is_new && values->clock)
        return build_fail(b, "clock", "clock and new exclude each other");
    if (values->is_new && values->count > values->start)
        return build_fail(b, "count", "there are more values than come before start");
    if (values->sorted > 0) return build_fail(b, "sorted", "the values are not known at start");
    if (values->distribution == DDBSIM_UNIFORM || values->distribution == DDBSIM_LATEST ||
        values->distribution == DDBSIM_YCSB_ZIPFIAN ||
        (values->distribution == DDBSIM_ZIPFIAN && !values->scrambled))
        return DDBSIM_OK;
    return build_fail(b, "distribution", "this distribution needs all values from the start");
}

static enum ddbsim_status copy_values(const struct build *b, struct ddbsim_values *values) {
    const struct build_number numbers[] = {
        {SECTION_VALUES, "count",
         values->is_new && values->count == 0 ? 1 : (int64_t)values->count},
        {SECTION_VALUES, "start", (int64_t)values->start},
    };
    enum ddbsim_status status = build_check_numbers(b, numbers, 2);
    if (status == DDBSIM_OK) status = build_copy_text(b, &values->name);
    if (status != DDBSIM_OK) return status;
    status = check_order(b, values);
    if (status == DDBSIM_OK) status = check_moving(b, values);
    if (status != DDBSIM_OK) return status;
    switch (values->distribution) {
    case DDBSIM_UNIFORM:
    case DDBSIM_SEQUENTIAL:
    case DDBSIM_EXPONENTIAL:
    case DDBSIM_SINGLE:
        return DDBSIM_OK;
    case DDBSIM_YCSB_ZIPFIAN:
        if (values->keyspace == 0) values->keyspace = values->count + 1;
        if (values->keyspace >= values->count && values->sorted == 0) return DDBSIM_OK;
        return build_fail(b, "keyspace", "the key space is smaller than the count, or sorted");
    case DDBSIM_HOTSPOT:
        return check_hotspot(b, values);
    case DDBSIM_TOP:
        return copy_top(b, values);
    case DDBSIM_ZIPFIAN:
    case DDBSIM_LATEST:
        return check_theta(b, values);
    case DDBSIM_LIST:
        return copy_list(b, values);
    }
    return build_fail(b, "distribution", "there is no such distribution");
}

enum ddbsim_status ddbsim_scenario_add_values(struct ddbsim_scenario *scenario,
                                              const struct ddbsim_values *values,
                                              struct ddbsim_error *error) {
    struct build b = build_at_scenario(scenario, error);
    struct build at = build_at(&b, "values", values->name);
    if (!values->name) return build_fail(&at, NULL, "a value set needs a name");
    enum ddbsim_status status = template_check_name(values->name, error);
    if (status != DDBSIM_OK) error_path(error, at.path);
    if (status != DDBSIM_OK) return status;
    for (uint32_t i = 0; i < scenario->value_count; i++)
        if (!strcmp(scenario->values[i].name, values->name))
            return build_fail(&at, NULL, "there are two of this name");
    struct ddbsim_values *all =
        build_copy_array(&b, scenario->values, scenario->value_count, sizeof *all);
    if (!all) return error_memory(error);
    struct ddbsim_values *copy = &all[scenario->value_count];
    *copy = *values;
    status = copy_values(&at, copy);
    if (status != DDBSIM_OK) return status;
    scenario->values = all;
    scenario->value_count++;
    return DDBSIM_OK;
}
