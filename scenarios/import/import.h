/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scenario made of what people have: descriptions of tables, metrics, recordings. Each file is of one kind, which
 * is told by its content; a kind takes of it what it says. When all files are taken they are joined into one
 * scenario, a tree of loader/yaml_tree.h, and notes say what was taken, what was assumed and what is missing.
 *
 * A new kind is a row in kinds.c. Nothing here knows the model or reads a scenario.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include <base/arena.h>
#include <base/error.h>
#include <loader/yaml_tree.h>

#define IMPORT_DOCUMENT_MAX ((size_t)64 << 20) /* bytes of one document, which is read whole */
#define IMPORT_HEAD_BYTES ((size_t)64 << 10)   /* of any file, to tell its kind */
#define IMPORT_TABLES_MAX 2500u /* of one scenario; AWS's default quota of a Region */
#define IMPORT_UNKNOWN (-1)

/* ---- notes ---- */

enum import_note_kind {
    IMPORT_TOOK,
    IMPORT_ASSUMED, /* what no file says: with the value, and the range in which it may lie */
    IMPORT_MISSING, /* what would be better known, and which file would say it */
    IMPORT_PASSED,  /* what the file says and no scenario can */
    IMPORT_UNKNOWN_KEYS,
    IMPORT_NOTE_KINDS
};

struct import_note {
    enum import_note_kind kind;
    const char *file; /* NULL: of all files together */
    const char *text; /* one sentence without a full stop */
    uint64_t hash;    /* of the text */
    struct import_note *next;
};

/* ---- what is known of tables: the same whatever said it ---- */

/* How much a description counts where two differ: one state of a table is better than a plan of it. */
enum import_rank { IMPORT_IMPLIED, IMPORT_MODEL, IMPORT_TEMPLATE, IMPORT_STATE };

struct import_units {
    int64_t read, write; /* IMPORT_UNKNOWN */
};

/* A policy of Application Auto Scaling, with the bounds of its target. */
struct import_policy {
    const char *file;        /* which said its target value; NULL: there is no policy */
    const char *bounds_file; /* which said min and max; NULL: none */
    enum import_rank rank, bounds_rank;
    int64_t min_capacity, max_capacity;
    double target_percent;
    int64_t scale_out_s, scale_in_s;
    bool disable_scale_in;
};

/* What a table and a global index have alike. */
struct import_resource {
    const char *name;
    const char *partition_key, *sort_key; /* attributes; NULL: not said, none */
    struct import_units capacity, maximum, warm;
    struct import_units served; /* a second at most, as metrics show */
    int64_t items, bytes;
    struct import_policy read, write;
    struct yaml_node *actions; /* a list of scheduled actions as a scenario has them; NULL: none */
    /* How popular its partition keys are: a mapping as it stands under `values`; NULL: not said. */
    struct yaml_node *popularity;
    const struct import_change *first_change; /* while a recording ran; NULL: none */
};

struct import_index {
    struct import_resource resource;
    bool is_local;
    const char *projection; /* KEYS_ONLY, INCLUDE or ALL; NULL: not said */
    uint32_t attributes;    /* that INCLUDE names */
    int64_t entry_bytes;    /* where samples gave it */
    int64_t present;        /* share of the items, in billionths, where samples gave it */
    int64_t touched; /* at least so much of them, for so many writes touch it as metrics show */
    struct import_index *next;
};

struct import_table {
    struct import_resource resource;
    const char *file; /* the one that described it, or implied it */
    enum import_rank rank;
    const char *region;  /* NULL: not said */
    const char *billing; /* PROVISIONED or PAY_PER_REQUEST; NULL: not said */
    const char *stream;  /* view type; NULL: none */
    const char *ttl;     /* attribute; NULL: none */
    int64_t decreases_today;
    int64_t item_bytes;         /* where samples gave it; else bytes / items */
    int64_t partitions;         /* at most so many; 0: not said */
    struct yaml_node *replicas; /* a list of Regions; NULL: none */
    struct import_index *indexes;
    struct import_table *next;
    bool alarms_of_2017; /* of its auto scaling, as they were then */
    bool has_workload;   /* some file said who calls it */
};

/* An alarm of the user's, or one that auto scaling made, in CloudWatch's words. */
struct import_alarm {
    const char *file, *name, *metric, *statistic, *comparison, *missing;
    const char *table, *index, *operation, *receiving_region;  /* dimensions; NULL: none */
    int64_t period_s, evaluation_periods, datapoints_to_alarm; /* IMPORT_UNKNOWN */
    double threshold;
    struct import_alarm *next;
};

/* Somebody changed a capacity or the mode, while a recording ran. */
struct import_change {
    const char *file, *table, *index; /* index NULL: the table itself */
    int64_t t_ns;
    struct import_units capacity, before; /* before: IMPORT_UNKNOWN where nothing says it */
    bool changes_billing;
    bool is_observed; /* metrics show it, who asked for it and how they do not */
    struct import_change *next;
};

/* A file that goes beside the scenario, which names it. */
struct import_attachment {
    const char *name, *text;
    struct import_attachment *next;
};

/* A workload that replays a document in which keys are attributes by name. */
struct import_replay {
    const char *file;
    struct import_table *table;
    struct yaml_node *node;               /* its `replay` */
    const char *partition_key, *sort_key; /* as they look there; the second NULL: none */
    struct import_replay *next;
};

/* How popular the values of an attribute are, of some table's or index's partition key. */
struct import_report {
    const char *file, *attribute;
    struct yaml_node *popularity;
    bool is_guess; /* what somebody measured counts more */
    struct import_report *next;
};

/* ---- the import ---- */

struct import_options {
    struct arena *arena;           /* where the tree is to live; NULL: the import's own */
    const struct yaml_node *place; /* what messages about the tree point to; NULL: nothing */
    const char *client;            /* a preset, how callers retry; NULL: none was named */
    const char
        *output; /* the scenario's file, to which paths are relative; NULL: standard output */
    const char *const *parameters; /* of templates: "NAME=VALUE" */
    size_t parameter_count;
    const char *table;       /* of metrics that name none; NULL: the only one there is */
    const char *const *maps; /* what metrics are of: "ID=TABLE [INDEX] METRIC [STATISTIC]" */
    size_t map_count;
    bool names_unread; /* a note names the keys of documents that nothing reads */
    bool mask_keys;    /* no value of a key reaches what is written: import_mask */
};

struct import_kind;

/* A kind that keeps something until all files are taken adds a pointer of its own at the end. */
struct import {
    struct arena *arena, *own_arena;
    struct import_options options;
    struct import_table *tables, **last_table;
    size_t table_count;
    struct import_alarm *alarms, **last_alarm;
    struct yaml_node *workloads; /* a list, as a scenario has it */
    struct import_note *notes, **last_note;
    struct import_change *changes, **last_change;
    struct import_report *reports;
    struct import_replay *replays;
    int64_t from_unix_ns, to_unix_ns; /* what recordings cover; both 0: nothing */
    int64_t lasts_ns; /* the longest of those whose times count from a zero of their own */
    const struct import_kind **kinds; /* of each file */
    const char **files;
    size_t file_count;
    bool short_of_memory; /* sticks; asked once a file */
    struct yaml_node scratch;
    struct import_attachment *attachments;
    struct metrics *metrics; /* metrics.h; NULL: no file has any */
};

/* A file under way. `text` is its head, NUL behind it; of a document it is the whole. */
struct import_file {
    const char *path; /* as given; "-" is standard input */
    const char *text;
    size_t length;
    bool is_whole;
    struct document
        *document; /* document.h; NULL: neither JSON nor a template, or too long for one */
    struct ddbsim_error *reason; /* why not, where it looked like one */
};

/* A row of kinds.c, best first: the first that recognises a file takes it. */
struct import_kind {
    const char *name; /* as `ddbsim list formats` calls it */
    const char *what;
    bool (*recognise)(const struct import_file *file);
    enum ddbsim_status (*take)(struct import *import, const struct import_file *file,
                               struct ddbsim_error *error);
    /* Once, when all files are taken, where a file was of this kind; NULL: nothing is left to do. Kinds whose `join`
     * is the same share it: it is called once. */
    enum ddbsim_status (*join)(struct import *import, struct ddbsim_error *error);
    bool is_observed; /* such files can become an observed run: `-o FILE.db` */
};

/* By number; NULL past the end. */
const struct import_kind *import_kind(size_t number);

/* DDBSIM_INPUT for a client that is no preset; DDBSIM_ENVIRONMENT when memory is short. *out is the caller's:
 * import_destroy. */
DDBSIM_MUST_CHECK enum ddbsim_status import_create(const struct import_options *options,
                                                   struct import **out, struct ddbsim_error *error);
void import_destroy(struct import *import);
/* Reads a file, tells its kind and takes what it says. */
DDBSIM_MUST_CHECK enum ddbsim_status import_take(struct import *import, const char *path,
                                                 struct ddbsim_error *error);
/* The same of a text in memory, a NUL behind it. */
DDBSIM_MUST_CHECK enum ddbsim_status import_take_text(struct import *import, const char *name,
                                                      const char *text, size_t length,
                                                      struct ddbsim_error *error);
/* One table of what was taken, with its value sets, as a scenario of {values, tables}. A document that has but one
 * gives that one, whatever its name. */
DDBSIM_MUST_CHECK enum ddbsim_status import_join_table(struct import *import, const char *name,
                                                       struct yaml_node **out,
                                                       struct ddbsim_error *error);
/* All files as one scenario: the tree is the import's. */
DDBSIM_MUST_CHECK enum ddbsim_status import_join(struct import *import, struct yaml_node **out,
                                                 struct ddbsim_error *error);
/* Does it load? Alarms and scheduled actions that no scenario can have are taken out, with a note. */
DDBSIM_MUST_CHECK enum ddbsim_status import_check(struct import *import, struct yaml_node *scenario,
                                                  struct ddbsim_error *error);
/* The scenario as text, notes first as comments; for free(). */
DDBSIM_MUST_CHECK enum ddbsim_status import_write(struct import *import,
                                                  const struct yaml_node *scenario, char **out,
                                                  struct ddbsim_error *error);
/* The commands that fetch what an import of a table wants, for free(). `from` and `to` as AWS's CLI takes times. */
DDBSIM_MUST_CHECK enum ddbsim_status import_commands(const char *table, const char *from,
                                                     const char *to, char **out,
                                                     struct ddbsim_error *error);
const char *import_note_word(enum import_note_kind kind);

/* ---- for kinds ---- */

/* file: NULL: of all files. Each sentence is noted once a file. */
void import_note(struct import *import, enum import_note_kind kind, const char *file,
                 const char *format, ...) DDBSIM_PRINTF(4, 5);
/* Takes back a note of that kind and text, of whatever file. */
void import_unnote(struct import *import, enum import_note_kind kind, const char *text);
/* The table of that name, made where no file named it yet; NULL only when memory is short. */
struct import_table *import_table(struct import *import, const char *name, const char *file);
struct import_table *import_find_table(const struct import *import, const char *name);
struct import_index *import_find_index(const struct import_table *table, const char *name);
struct import_index *import_index(struct import *import, struct import_table *table,
                                  const char *name);
/* A workload of a table, in the scenario's order: a mapping with `name` and `table`, for the kind to fill. */
struct yaml_node *import_workload(struct import *import, struct import_table *table,
                                  const char *name);
/* How the workload's callers retry, where --client says so. */
void import_client(struct import *import, struct yaml_node *workload);
/* A recording covers this much: start and duration hold all of them. */
void import_cover(struct import *import, int64_t from_unix_ns, int64_t to_unix_ns);
/* The path of a recording as the scenario must write it, relative to where that will stand. */
const char *import_path(struct import *import, const char *path);
/* A key as it may be written: itself, or with mask_keys a pseudonym, the same for the same bytes. */
const char *import_mask(struct import *import, const char *key, size_t length);
/* Where entities of a table are called this, and value sets of its partition keys that. */
#define IMPORT_ENTITY "item"
const char *import_values_name(struct import *import, const struct import_table *table,
                               const struct import_resource *resource);

/* Trees. They return a node of the import's own when memory is short, which sticks in it. */
struct yaml_node *import_put(struct import *import, struct yaml_node *mapping, const char *key,
                             const char *format, ...) DDBSIM_PRINTF(4, 5);
struct yaml_node *import_map(struct import *import, struct yaml_node *mapping, const char *key);
struct yaml_node *import_list(struct import *import, struct yaml_node *mapping, const char *key);
struct yaml_node *import_item(struct import *import, struct yaml_node *list);
/* What stands behind a line: why it says so. */
void import_comment(struct import *import, struct yaml_node *node, const char *format, ...)
    DDBSIM_PRINTF(3, 4);
/* A moment as scenarios write it; "" when memory is short. */
const char *import_instant(struct import *import, int64_t unix_s);
char *import_text(struct import *import, const char *format, ...) DDBSIM_PRINTF(2, 3);

#endif
