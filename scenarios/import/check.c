/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does the scenario load? What people have is stricter in some ways and looser in others than a scenario: an alarm on
 * a metric that no run has, a schedule that never comes. Where the whole does not load, alarms and scheduled actions
 * are tried one by one, and those that do not fit are passed over in the words of what refused them.
 *
 * Invariant: what is left loads, or the first thing that stands in the way is the error.
 */
#include "import.h"

#include <ddbsim/scenario.h>
#include <stdlib.h>
#include <string.h>

/* What a scenario can do without, and the list that it hangs in. */
struct spare {
    struct yaml_node *owner; /* of the list, which goes when it is empty */
    struct yaml_node *list, *node;
    const char *what;
    struct spare *next;
};

static enum ddbsim_status load(struct import *import, const struct yaml_node *scenario,
                               struct ddbsim_error *error) {
    struct buffer text = {0};
    struct ddbsim_scenario *loaded = NULL;
    yaml_block(&text, scenario);
    size_t length = text.length;
    char *bytes = buffer_finish(&text);
    if (!bytes) return error_memory(error);
    if (length > YAML_BYTES_MAX) {
        free(bytes);
        error_set(error, DDBSIM_INPUT, "%zu tables make a scenario of more than 1 MiB",
                  import->table_count);
        error_hint(error, "import the tables of one service at a time");
        return DDBSIM_INPUT;
    }
    enum ddbsim_status status = ddbsim_scenario_parse(
        bytes, length, import->options.output ? import->options.output : "the scenario", NULL,
        &loaded, error);
    free(bytes);
    if (!status) ddbsim_scenario_destroy(loaded);
    return status;
}

static void add_list(struct import *import, struct spare **last, struct yaml_node *owner,
                     const char *key, const char *what) {
    struct yaml_node *list = owner ? yaml_child(owner, key) : NULL;
    for (struct yaml_node *node = list ? list->first : NULL; node; node = node->next) {
        struct spare *spare = arena_alloc(import->arena, 1, sizeof *spare);
        if (!spare) {
            import->short_of_memory = true;
            return;
        }
        *spare = (struct spare){owner, list, node, what, *last};
        *last = spare;
    }
}

static struct spare *find_spare(struct import *import, struct yaml_node *scenario) {
    struct spare *all = NULL;
    const struct yaml_node *tables = yaml_child(scenario, "tables");
    add_list(import, &all, scenario, "alarms", "alarm");
    for (const struct yaml_node *table = tables ? tables->first : NULL; table;
         table = table->next) {
        const struct yaml_node *indexes = yaml_child(table, "indexes");
        add_list(import, &all, yaml_child(table, "auto_scaling"), "scheduled_actions",
                 "scheduled action");
        for (const struct yaml_node *index = indexes ? indexes->first : NULL; index;
             index = index->next)
            add_list(import, &all, yaml_child(index, "auto_scaling"), "scheduled_actions",
                     "scheduled action");
    }
    return all;
}

static void take_out(struct spare *spare) {
    yaml_remove(spare->list, spare->node);
    if (!spare->list->count) yaml_remove(spare->owner, spare->list);
}

static void put_back(struct spare *spare) {
    if (!spare->list->count) yaml_append(spare->owner, spare->list);
    yaml_append(spare->list, spare->node);
}

/* Newest first becomes oldest first, so that each stands again where it stood. */
static struct spare *turn(struct spare *all) {
    struct spare *turned = NULL;
    for (struct spare *spare = all, *next; spare; spare = next) {
        next = spare->next;
        spare->next = turned;
        turned = spare;
    }
    return turned;
}

/* It was noted as taken. */
static void pass(struct import *import, const struct spare *spare, const char *why) {
    const char *name = yaml_text(spare->node, "name");
    char *taken = import_text(import, "%s %s", spare->what, name ? name : "");
    if (!taken) return;
    import_unnote(import, IMPORT_TOOK, taken);
    import_note(import, IMPORT_PASSED, NULL, "%s: %s", taken, why);
}

enum ddbsim_status import_check(struct import *import, struct yaml_node *scenario,
                                struct ddbsim_error *error) {
    struct ddbsim_error first = {0};
    enum ddbsim_status status = load(import, scenario, &first);
    if (status == DDBSIM_OK) return DDBSIM_OK;
    struct spare *all = find_spare(import, scenario);
    if (import->short_of_memory) return error_memory(error);
    for (struct spare *spare = all; spare; spare = spare->next)
        take_out(spare);
    status = load(import, scenario, error);
    for (struct spare *spare = turn(all); spare && !status; spare = spare->next) {
        struct ddbsim_error why = {0};
        put_back(spare);
        enum ddbsim_status one = load(import, scenario, &why);
        if (one == DDBSIM_OK) continue;
        if (one != DDBSIM_INPUT) return error_set(error, one, "%s", why.message);
        take_out(spare);
        pass(import, spare, why.message);
    }
    return status;
}
