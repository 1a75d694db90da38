/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a validated tree to the structs of ddbsim/scenario.h. The tree's values are known to be of
 * their key's type and range; what is checked here is what depends on other parts of the scenario:
 * names that must exist, shares that must sum to one, keys that must be resolvable.
 *
 * What a default depends on (a preset, the entity's size) is written back into the tree, so that
 * the resolved settings are simply the tree, flat.
 */
#ifndef LOADER_READ_H
#define LOADER_READ_H

#include <ddbsim/scenario.h>
#include <loader/grammar.h>
#include <loader/template.h>
#include <loader/yaml_tree.h>

struct read_files; /* what files beside the scenario said (read_values.c) */

struct reader {
    struct arena *arena;
    struct ddbsim_error *error;
    struct literal_clock clock;
    struct ddbsim_scenario *scenario; /* being built */
    uint32_t change;                  /* after which it stands so, from 1; 0: none */
    const char **alarm_names;         /* the scenario's alarms, then those of auto scaling */
    size_t alarm_name_count;
    struct read_files *files; /* each is read once, also where changes read the values again */
};

/* ---- values by key (read.c) ---- */

/* The value of a key: as written, else its default, else `otherwise`. `mapping` may be NULL. */
int64_t read_int(const struct reader *r, enum grammar_section section,
                 const struct yaml_node *mapping, const char *key, int64_t otherwise);
double read_real(const struct reader *r, enum grammar_section section,
                 const struct yaml_node *mapping, const char *key, double otherwise);
/* The whole value; false where nothing is written and there is no default. */
bool read_value(const struct reader *r, enum grammar_section section,
                const struct yaml_node *mapping, const char *key, struct grammar_value *out);
/* Is it the change at hand that set this key? */
bool read_is_said(const struct reader *r, const struct yaml_node *mapping, const char *key);
/* A list's entries; 0 where there is none. */
uint32_t read_count(const struct yaml_node *mapping, const char *key);
/* The mapping at a key, made where it is missing; NULL when memory is short. */
struct yaml_node *read_section(struct reader *r, struct yaml_node *mapping, const char *key);
/* Writes a resolved value back unless the key stands there. */
DDBSIM_MUST_CHECK enum ddbsim_status read_fill(struct reader *r, enum grammar_section section,
                                               struct yaml_node *mapping, const char *key,
                                               int64_t value);
DDBSIM_MUST_CHECK enum ddbsim_status read_fill_text(struct reader *r, struct yaml_node *mapping,
                                                    const char *key, const char *text);
/* Fails at a moment that lies after the scenario's end: "WHAT after the scenario's end". */
DDBSIM_MUST_CHECK enum ddbsim_status read_fail_late(const struct reader *r,
                                                    const struct yaml_node *node, const char *what);
/* Fails: "there is no WHAT TEXT", or that it is not supported yet where it is a word of `later`. */
enum ddbsim_status read_fail_word(struct reader *r, const struct yaml_node *node, const char *what,
                                  const struct suggest *suggest, const char *later);
/* The number of the node's text among the names of an enum. */
DDBSIM_MUST_CHECK enum ddbsim_status read_name(struct reader *r, const struct yaml_node *node,
                                               const char *what, const char *(*name_of)(int),
                                               const char *later, int *out);
/* Fails at a child of a mapping, or at the mapping where it has none. */
const struct yaml_node *read_at(const struct yaml_node *mapping, const char *key);

/* ---- parts ---- */

DDBSIM_MUST_CHECK enum ddbsim_status read_model(struct reader *r, enum grammar_section section,
                                                const struct yaml_node *mapping,
                                                struct ddbsim_assumptions *out);
DDBSIM_MUST_CHECK enum ddbsim_status read_values(struct reader *r, const struct yaml_node *root);
/* The same values with another popularity: a distribution and what belongs to it. */
DDBSIM_MUST_CHECK enum ddbsim_status read_override(struct reader *r, struct yaml_node *node,
                                                   const struct ddbsim_values *base,
                                                   struct ddbsim_values *out);
DDBSIM_MUST_CHECK enum ddbsim_status read_template(struct reader *r, const struct yaml_node *node,
                                                   bool partition_key, struct ddbsim_template *out);
/* Where the size of an entity or an operation is a mapping: the sizes, and their mean. */
DDBSIM_MUST_CHECK enum ddbsim_status read_sizes(struct reader *r, const struct yaml_node *mapping,
                                                struct ddbsim_sizes *out, int64_t *mean);
DDBSIM_MUST_CHECK enum ddbsim_status read_tables(struct reader *r, const struct yaml_node *root);
DDBSIM_MUST_CHECK enum ddbsim_status read_index(struct reader *r, const struct ddbsim_table *table,
                                                struct yaml_node *node, struct ddbsim_index *out);
/* An item and what local indexes project of it share the 400 KB that AWS allows an item. `node`: where the size
 * stands. */
DDBSIM_MUST_CHECK enum ddbsim_status read_check_projected(struct reader *r,
                                                          const struct yaml_node *node,
                                                          const struct ddbsim_table *table,
                                                          uint32_t entity, int64_t item_bytes);
/* What a table or an index may consume. */
struct read_capacity {
    int64_t read, write;
    bool says_read, says_write; /* the change at hand */
    struct ddbsim_throughput maximum, warm, previous_peak;
};
DDBSIM_MUST_CHECK enum ddbsim_status read_capacity(struct reader *r, enum grammar_section section,
                                                   const struct yaml_node *node,
                                                   enum ddbsim_billing billing,
                                                   const struct ddbsim_assumptions *model,
                                                   struct read_capacity *out);
/* Auto scaling or a home-made scaler of what may consume that much. */
DDBSIM_MUST_CHECK enum ddbsim_status read_scaling(struct reader *r, const struct yaml_node *owner,
                                                  enum ddbsim_billing billing,
                                                  const struct ddbsim_assumptions *model,
                                                  struct ddbsim_auto_scaling *out);
DDBSIM_MUST_CHECK enum ddbsim_status read_burst(struct reader *r, struct yaml_node *owner,
                                                bool is_new, struct ddbsim_burst *out);
/* A load shape becomes the stages that it has in the workload's time, which is known. */
DDBSIM_MUST_CHECK enum ddbsim_status read_shape(struct reader *r, struct yaml_node *workload,
                                                struct ddbsim_workload *out);
/* A recording. */
DDBSIM_MUST_CHECK enum ddbsim_status read_replay(struct reader *r, const struct yaml_node *workload,
                                                 struct ddbsim_workload *out);
/* How arrivals lie in time. */
DDBSIM_MUST_CHECK enum ddbsim_status read_arrivals(struct reader *r, struct yaml_node *workload,
                                                   struct ddbsim_workload *out);
DDBSIM_MUST_CHECK enum ddbsim_status read_workloads(struct reader *r, const struct yaml_node *root);
/* How the workload's callers retry. Its operations must have been read. */
DDBSIM_MUST_CHECK enum ddbsim_status read_client(struct reader *r, struct yaml_node *workload,
                                                 struct ddbsim_workload *out);
/* The queue before its work, once its load is read; the Lambda that its stream invokes. */
DDBSIM_MUST_CHECK enum ddbsim_status read_queue(struct reader *r, const struct yaml_node *workload,
                                                struct ddbsim_workload *out);
/* Whether its visibility timeout suits the function, once the client is read. */
DDBSIM_MUST_CHECK enum ddbsim_status read_check_queue(struct reader *r,
                                                      const struct yaml_node *workload,
                                                      const struct ddbsim_workload *read);
void read_stream_lambda(struct reader *r, const struct yaml_node *workload,
                        struct ddbsim_stream_lambda *out);
/* What callers put around their SDK, once the client is read. */
DDBSIM_MUST_CHECK enum ddbsim_status read_layers(struct reader *r, struct yaml_node *workload,
                                                 struct ddbsim_client *out);
DDBSIM_MUST_CHECK enum ddbsim_status read_operation(struct reader *r,
                                                    const struct ddbsim_workload *workload,
                                                    struct yaml_node *node,
                                                    struct ddbsim_operation *out);
/* Alarms, and the names that expectations may use. */
DDBSIM_MUST_CHECK enum ddbsim_status read_alarms(struct reader *r, const struct yaml_node *list);
/* Thresholds (texts) and expectations (mappings). Workloads, tables and alarms must have been read. */
DDBSIM_MUST_CHECK enum ddbsim_status read_thresholds(struct reader *r,
                                                     const struct yaml_node *list);
DDBSIM_MUST_CHECK enum ddbsim_status read_expect(struct reader *r, const struct yaml_node *list);

/* Everything but changes, alarms, variants, thresholds and expectations. */
DDBSIM_MUST_CHECK enum ddbsim_status read_scenario(struct reader *r, struct yaml_node *root);

/* The assumptions of another year's rules, where the file does not state them. */
DDBSIM_MUST_CHECK enum ddbsim_status read_rules(struct reader *r, const struct yaml_node *root,
                                                struct yaml_node *model);
/* The same of `alarms` in a model, the scenario's or a table's. */
DDBSIM_MUST_CHECK enum ddbsim_status read_alarm_rules(struct reader *r, struct yaml_node *model);

#endif
