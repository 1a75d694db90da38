/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loading a scenario, start to end: text, tree, the files it extends, documents of tables, validation, the variant,
 * --set, validation again, plain data, changes, settings. Everything that the result refers to
 * lives in one arena, which the scenario owns.
 *
 * A base that is loaded without --set has all of its variants tried as well, so that a mistake in
 * one is found when the file is opened and not when the variant is first needed.
 */
#include <loader/load.h>

#include <loader/edit.h>
#include <loader/imported.h>
#include <loader/late.h>
#include <loader/path.h>
#include <loader/input.h>
#include <loader/validate.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BYTES_MAX ((size_t)512 << 20)
#define EXTENDS_MAX 8
#define VARIANTS_MAX 200
#define OPTION "--set" /* where a file stands in messages */

struct load {
    struct arena *arena;
    struct ddbsim_error *error;
    const struct ddbsim_load_options *options;
    struct ddbsim_scenario *scenario;
    struct ddbsim_setting *varied;
    uint32_t varied_count;
    bool varies;                    /* a variant was asked for */
    const struct yaml_node *expect; /* the variant's */
};

/* ---- the file and what it extends ---- */

static enum ddbsim_status parse_tree(struct load *l, const struct input_text *source,
                                     struct yaml_node **out) {
    enum ddbsim_status status =
        yaml_parse(l->arena, source->text, source->length, source->file, out, l->error);
    if (status) return status;
    if (*out && (*out)->kind == YAML_MAPPING) return DDBSIM_OK;
    error_set(l->error, DDBSIM_INPUT,
              *out ? "a scenario is a mapping of keys" : "the file is empty");
    error_place(l->error, source->file, *out ? (*out)->line : 1, *out ? (*out)->column : 1);
    error_hint(
        l->error,
        "docs/scenario.md shows the smallest one; `ddbsim list scenarios` names complete ones");
    return DDBSIM_INPUT;
}

/* Files on the way from the one that was asked for, to find circles. */
struct chain {
    const char *paths[EXTENDS_MAX + 1];
    uint32_t count;
};

static enum ddbsim_status extend_chain(struct load *l, struct chain *chain, const char *file,
                                       const struct yaml_node *extends) {
    char real[PATH_MAX];
    const char *known = realpath(file, real);
    if (!known) return DDBSIM_OK; /* standard input, memory, or a file that opening will report */
    for (uint32_t i = 0; i < chain->count; i++)
        if (!strcmp(chain->paths[i], known))
            return yaml_fail(l->error, extends, "the files extend each other in a circle");
    if (extends && chain->count > EXTENDS_MAX)
        return yaml_fail(l->error, extends, "more than %d files extend each other", EXTENDS_MAX);
    chain->paths[chain->count] = arena_copy(l->arena, known, strlen(known));
    return chain->paths[chain->count++] ? DDBSIM_OK : error_memory(l->error);
}

/* Replaces *root by the tree of the file it extends, with itself laid over. */
static enum ddbsim_status extend(struct load *l, struct chain *chain, struct yaml_node **root) {
    const struct yaml_node *extends = yaml_child(*root, "extends");
    if (!extends || yaml_is_null(extends)) return DDBSIM_OK;
    if (extends->kind != YAML_SCALAR || !*extends->text)
        return yaml_fail(l->error, extends, "extends wants the path of a scenario file");
    const char *path = input_beside(l->arena, extends->file, extends->text);
    if (!path) return error_memory(l->error);
    struct input_text source;
    struct yaml_node *base = NULL;
    enum ddbsim_status status = input_read_file(l->arena, path, &source, l->error);
    if (status && l->error) error_place(l->error, extends->file, extends->line, extends->column);
    if (!status) status = extend_chain(l, chain, source.file, extends);
    if (!status) status = parse_tree(l, &source, &base);
    if (!status) status = extend(l, chain, &base);
    if (!status) status = edit_extend(l->arena, base, *root, l->error);
    *root = base;
    return status;
}

/* ---- variant and --set ---- */

static enum ddbsim_status clock_of(const struct yaml_node *root, struct literal_clock *out,
                                   struct ddbsim_error *error) {
    struct literal_problem problem = {0};
    const char *text = yaml_text(root, "start");
    if (!text) text = grammar_find(SECTION_SCENARIO, "start")->fallback;
    if (literal_instant(text, out, &problem)) return DDBSIM_OK;
    struct yaml_node node = *yaml_child(root, "start");
    node.path = "start";
    enum ddbsim_status status = yaml_fail(error, &node, "%s", problem.message);
    error_hint(error, "%s", problem.hint);
    return status;
}

static enum ddbsim_status validate(struct load *l, struct yaml_node *root,
                                   struct literal_clock *clock) {
    enum ddbsim_status status = clock_of(root, clock, l->error);
    return status ? status : validate_tree(l->arena, root, clock, l->error);
}

/* Sorted by path, each once: what is set later stands. */
static void varied_put(struct load *l, const struct ddbsim_setting *setting) {
    uint32_t at = l->varied_count;
    while (at > 0 && strcmp(l->varied[at - 1].path, setting->path) > 0)
        at--;
    bool stands = at > 0 && strcmp(l->varied[at - 1].path, setting->path) == 0;
    if (stands) {
        l->varied[at - 1] = *setting;
        return;
    }
    memmove(&l->varied[at + 1], &l->varied[at], (l->varied_count - at) * sizeof *l->varied);
    l->varied[at] = *setting;
    l->varied_count++;
}

static enum ddbsim_status add_varied(struct load *l, const struct yaml_node *set, bool by_option) {
    struct ddbsim_setting *fresh = settings_of_set(l->arena, set);
    size_t all = (size_t)l->varied_count + set->count;
    struct ddbsim_setting *joined = arena_alloc(l->arena, all + 1, sizeof *joined);
    if (!fresh || !joined) return error_memory(l->error);
    if (l->varied_count) memcpy(joined, l->varied, l->varied_count * sizeof *joined);
    l->varied = joined;
    for (uint32_t i = 0; i < set->count; i++) {
        fresh[i].by_option = by_option;
        varied_put(l, &fresh[i]);
    }
    return DDBSIM_OK;
}

static enum ddbsim_status fail_variant(struct load *l, const struct yaml_node *root,
                                       const char *name) {
    struct suggest suggest;
    suggest_start(&suggest, name);
    const struct yaml_node *list = yaml_child(root, "variants");
    for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next)
        suggest_offer(&suggest, yaml_text(node, "name"));
    error_set(l->error, DDBSIM_INPUT, "there is no variant \"%.80s\"", name);
    error_place(l->error, l->scenario->file, 0, 0);
    suggest_hint(&suggest, l->error, "`variants` of the scenario lists them");
    return DDBSIM_INPUT;
}

static enum ddbsim_status apply_variant(struct load *l, struct yaml_node *root) {
    const char *name = l->options ? l->options->variant : NULL;
    l->scenario->variant = "base";
    if (!name || !strcmp(name, "base")) return DDBSIM_OK;
    const struct yaml_node *list = yaml_child(root, "variants");
    const struct yaml_node *node = list ? list->first : NULL;
    while (node && strcmp(yaml_text(node, "name"), name) != 0)
        node = node->next;
    if (!node) return fail_variant(l, root, name);
    l->scenario->variant = yaml_text(node, "name");
    l->varies = true;
    l->expect = yaml_child(node, "expect");
    const struct yaml_node *set = yaml_child(node, "set");
    if (!set) return DDBSIM_OK;
    struct edit edit = {.arena = l->arena, .error = l->error};
    enum ddbsim_status status = edit_set_all(edit, root, set);
    return status ? status : add_varied(l, set, false);
}

/* One PATH=VALUE as the child of a `set` mapping. */
static enum ddbsim_status parse_set(struct load *l, const char *text, struct yaml_node *set) {
    const char *equals = path_equals(text);
    if (!equals || equals == text || !equals[1]) {
        error_set(l->error, DDBSIM_INPUT, "\"%.120s\" is no PATH=VALUE", text);
        error_hint(l->error, "such as workloads.*.scale=3.89; PATH=null removes");
        return DDBSIM_INPUT;
    }
    /* A comparison such as > would begin a block of lines in YAML, which an option cannot hold. */
    const char *written =
        equals[1] != '>' ? equals + 1 : arena_printf(l->arena, "\"%s\"", equals + 1);
    if (!written) return error_memory(l->error);
    struct yaml_node *value = NULL;
    enum ddbsim_status status =
        yaml_parse(l->arena, written, strlen(written), OPTION, &value, l->error);
    if (status) return status;
    if (!value) value = yaml_new(l->arena, YAML_SCALAR, NULL);
    char *path = arena_copy(l->arena, text, (size_t)(equals - text));
    if (!value || !path) return error_memory(l->error);
    value->key = path;
    value->key_line = value->line;
    value->key_column = value->column;
    yaml_append(set, value);
    return DDBSIM_OK;
}

static enum ddbsim_status apply_sets(struct load *l, struct yaml_node *root) {
    if (!l->options || !l->options->set_count) return DDBSIM_OK;
    struct yaml_node *set = yaml_new(l->arena, YAML_MAPPING, NULL);
    if (!set) return error_memory(l->error);
    set->file = OPTION;
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < l->options->set_count && !status; i++)
        status = parse_set(l, l->options->sets[i], set);
    struct edit edit = {.arena = l->arena, .error = l->error};
    if (!status) status = edit_set_all(edit, root, set);
    return status ? status : add_varied(l, set, true);
}

/* ---- plain data ---- */

static enum ddbsim_status list_variants(struct load *l, const struct yaml_node *root) {
    const struct yaml_node *list = yaml_child(root, "variants");
    if (!list || !list->count) return DDBSIM_OK;
    if (list->count > VARIANTS_MAX)
        return yaml_fail(l->error, list, "there are more than %d variants", VARIANTS_MAX);
    const char **names = arena_alloc(l->arena, list->count, sizeof *names);
    if (!names) return error_memory(l->error);
    uint32_t count = 0;
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        names[count++] = yaml_text(node, "name");
        if (!strcmp(names[count - 1], "base"))
            return yaml_fail(l->error, node, "a variant cannot be called base");
    }
    l->scenario->variants = names;
    l->scenario->variant_count = count;
    return DDBSIM_OK;
}

/* The tree for changes to work on: what is simulated, without what is said about it. */
static struct yaml_node *plain_copy(struct load *l, const struct yaml_node *root) {
    static const char *const beside[] = {"variants", "faults", "changes", "thresholds", "expect"};
    struct yaml_node bare = *root, *copy;
    bare.first = bare.last = NULL;
    bare.count = 0;
    copy = yaml_copy(l->arena, &bare);
    for (const struct yaml_node *child = root->first; child && copy; child = child->next) {
        bool left_out = false;
        for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
            left_out = left_out || !strcmp(child->key, beside[i]);
        struct yaml_node *twin = left_out ? NULL : yaml_copy(l->arena, child);
        if (!left_out && !twin) return NULL;
        if (twin) yaml_append(copy, twin);
    }
    return copy;
}

static enum ddbsim_status build(struct load *l, struct yaml_node *root,
                                const struct literal_clock *clock) {
    struct reader r = {
        .arena = l->arena, .error = l->error, .clock = *clock, .scenario = l->scenario};
    enum ddbsim_status status = late_insert(&r, root);
    struct yaml_node *plain = status ? NULL : plain_copy(l, root);
    if (!status && !plain) return error_memory(l->error);
    if (!status) status = read_scenario(&r, root);
    if (!status) late_settle(root);
    if (!status) status = list_variants(l, root);
    if (!status) status = changes_read(&r, plain, yaml_child(root, "changes"));
    if (!status) status = faults_read(&r, yaml_child(root, "faults"));
    if (!status) status = read_alarms(&r, yaml_child(root, "alarms"));
    if (!status) status = read_thresholds(&r, yaml_child(root, "thresholds"));
    if (!status) status = read_expect(&r, l->varies ? l->expect : yaml_child(root, "expect"));
    if (!status) status = settings_make(&r, root);
    l->scenario->varied = l->varied;
    l->scenario->varied_count = l->varied_count;
    return status;
}

static enum ddbsim_status load_text(struct load *l, const struct input_text *source) {
    struct yaml_node *root = NULL;
    struct chain chain = {0};
    struct literal_clock clock;
    l->scenario->file = l->scenario->place = source->file;
    l->scenario->text = source->text;
    enum ddbsim_status status = parse_tree(l, source, &root);
    if (!status) status = extend_chain(l, &chain, source->file, NULL);
    if (!status) status = extend(l, &chain, &root);
    if (!status) status = imported_join(l->arena, root, l->error);
    if (!status) status = validate(l, root, &clock);
    if (!status) status = apply_variant(l, root);
    if (!status) status = apply_sets(l, root);
    if (!status) status = validate(l, root, &clock);
    return status ? status : build(l, root, &clock);
}

/* ---- the public side ---- */

static enum ddbsim_status parse(const char *text, size_t length, const char *file,
                                const struct ddbsim_load_options *options,
                                struct ddbsim_scenario **out, struct ddbsim_error *error) {
    struct arena *arena = arena_create(ARENA_BYTES_MAX);
    if (!arena) return error_memory(error);
    struct load l = {.arena = arena, .error = error, .options = options};
    struct input_text source = {.length = length};
    source.text = arena_copy(arena, text, length);
    source.file = arena_copy(arena, file, strlen(file));
    l.scenario = arena_alloc(arena, 1, sizeof *l.scenario);
    enum ddbsim_status status =
        source.text && source.file && l.scenario ? DDBSIM_OK : error_memory(error);
    if (!status) status = load_text(&l, &source);
    /* The words of an option have no lines. */
    if (status && error && !strcmp(error->file, OPTION)) error->line = error->column = 0;
    if (status) {
        arena_destroy(arena);
        return status;
    }
    l.scenario->arena = arena;
    *out = l.scenario;
    return DDBSIM_OK;
}

static enum ddbsim_status try_variants(const char *text, size_t length,
                                       const struct ddbsim_scenario *base,
                                       struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (uint32_t i = 0; i < base->variant_count && !status; i++) {
        struct ddbsim_load_options options = {.variant = base->variants[i]};
        struct ddbsim_scenario *variant = NULL;
        status = parse(text, length, base->file, &options, &variant, error);
        if (!status) ddbsim_scenario_destroy(variant);
    }
    return status;
}

enum ddbsim_status ddbsim_scenario_parse(const char *text, size_t length, const char *file,
                                         const struct ddbsim_load_options *options,
                                         struct ddbsim_scenario **out, struct ddbsim_error *error) {
    enum ddbsim_status status = parse(text, length, file, options, out, error);
    bool base = !options ||
                (!options->set_count && (!options->variant || !strcmp(options->variant, "base")));
    if (status || !base) return status;
    status = try_variants(text, length, *out, error);
    if (!status) return DDBSIM_OK;
    ddbsim_scenario_destroy(*out);
    *out = NULL;
    return status;
}

enum ddbsim_status ddbsim_scenario_load(const char *name, const struct ddbsim_load_options *options,
                                        struct ddbsim_scenario **out, struct ddbsim_error *error) {
    struct arena *arena = arena_create(0);
    if (!arena) return error_memory(error);
    struct input_text source;
    enum ddbsim_status status = input_read(arena, name, &source, error);
    if (!status)
        status =
            ddbsim_scenario_parse(source.text, source.length, source.file, options, out, error);
    arena_destroy(arena);
    if (status) return status;
    (*out)->file = arena_copy((*out)->arena, name, strlen(name)); /* as given, not where it was */
    if ((*out)->file) return DDBSIM_OK;
    ddbsim_scenario_destroy(*out);
    *out = NULL;
    return error_memory(error);
}
