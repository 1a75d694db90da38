/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * YCSB's property files (its wiki, "Core Properties" and "Core Workloads"; the DynamoDB binding's README): lines of
 * KEY=VALUE in Java's manner. They say how many records there are, how large, which operations in which proportion
 * and which records are popular. How fast is said on YCSB's command line: without a `target` it is a closed loop of
 * `threadcount` clients, and so is the workload.
 *
 * Invariant: a property that is read and cannot be meant so is an error with its line.
 */
#include "kinds.h"

#include <base/check.h>
#include <ddbsim/scenario.h>
#include <inttypes.h>
#include <loader/literal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE "usertable"      /* the default of the property `table` */
#define KEY_BYTES 24           /* "user" and a 64-bit hash in decimal */
#define FIELD_NAME_BYTES 6     /* "field0" */
#define SCENARIO_S 3600.0      /* of a scenario that nothing says the length of */
#define PROPORTION_MOST 1000.0 /* YCSB weighs them: they need not sum to one */

struct properties {
    struct import *import;
    const struct import_file *file;
    struct ddbsim_error *error;
    enum ddbsim_status status;
};

/* ---- lines ---- */

struct property {
    const char *key, *value; /* in the text */
    size_t key_bytes, value_bytes;
    int line;
};

static size_t blanks(const char *text, size_t length) {
    size_t count = 0;
    while (count < length && strchr(" \t\f\r", text[count]))
        count++;
    return count;
}

static size_t trimmed(const char *text, size_t length) {
    while (length > 0 && strchr(" \t\f\r", text[length - 1]))
        length--;
    return length;
}

/* The line that begins at *at; false past the last one. A comment or an empty line has no key. */
static bool line_next(const struct import_file *file, size_t *at, int *line, struct property *out) {
    if (*at >= file->length) return false;
    const char *text = file->text + *at;
    const char *end = memchr(text, '\n', file->length - *at);
    size_t length = end ? (size_t)(end - text) : file->length - *at;
    *at += length + 1;
    *out = (struct property){.line = ++*line};
    size_t skip = blanks(text, length);
    text += skip;
    length = trimmed(text, length - skip);
    if (length == 0 || *text == '#' || *text == '!') return true;
    size_t key = 0;
    while (key < length && !strchr("=: \t", text[key]))
        key++;
    out->key = text;
    out->key_bytes = key;
    size_t value = key + blanks(text + key, length - key);
    if (value < length && (text[value] == '=' || text[value] == ':')) value++;
    value += blanks(text + value, length - value);
    out->value = text + value;
    out->value_bytes = length - value;
    return true;
}

/* The last line with that key counts, as in Java. */
static bool find(const struct import_file *file, const char *key, struct property *out) {
    struct property property;
    size_t at = 0;
    int line = 0;
    bool found = false;
    while (line_next(file, &at, &line, &property)) {
        if (!property.key || property.key_bytes != strlen(key) ||
            memcmp(property.key, key, property.key_bytes) != 0)
            continue;
        *out = property;
        found = true;
    }
    return found;
}

bool ycsb_is(const struct import_file *file) {
    struct property property;
    if (file->document || memchr(file->text, '\0', file->length)) return false;
    if (find(file, "workload", &property) && property.value_bytes > 8)
        return !strncmp(property.value + property.value_bytes - 8, "Workload", 8);
    return find(file, "recordcount", &property) && find(file, "readproportion", &property);
}

/* ---- values ---- */

static void fail(struct properties *p, const struct property *at, const char *want) {
    if (p->status) return;
    p->status =
        error_set(p->error, DDBSIM_INPUT, "%.*s: \"%.*s\" is no %s", (int)at->key_bytes, at->key,
                  (int)(at->value_bytes < 60 ? at->value_bytes : 60), at->value, want);
    error_place(p->error, p->file->path, at->line, 1);
}

static const char *text_of(struct properties *p, const char *key, const char *otherwise) {
    struct property property;
    if (!find(p->file, key, &property) || property.value_bytes == 0) return otherwise;
    const char *text = import_text(p->import, "%.*s", (int)property.value_bytes, property.value);
    return text ? text : otherwise;
}

static double number_of(struct properties *p, const char *key, double otherwise, double most) {
    struct property property;
    char text[64], *end;
    if (!find(p->file, key, &property)) return otherwise;
    if (property.value_bytes == 0 || property.value_bytes >= sizeof text) {
        fail(p, &property, "number");
        return otherwise;
    }
    memcpy(text, property.value, property.value_bytes);
    text[property.value_bytes] = '\0';
    double value = strtod(text, &end);
    if (*end == '\0' && value >= 0 && value <= most &&
        strspn(text, "0123456789.eE+-") == strlen(text))
        return value;
    fail(p, &property, "number in its range");
    return otherwise;
}

static int64_t count_of(struct properties *p, const char *key, int64_t otherwise, double most) {
    double value = number_of(p, key, (double)otherwise, most);
    return (int64_t)value;
}

static bool says(struct properties *p, const char *key, const char *word, const char *otherwise) {
    return !strcmp(text_of(p, key, otherwise), word);
}

/* ---- records ---- */

static int64_t record_bytes(struct properties *p) {
    int64_t fields = count_of(p, "fieldcount", 10, 10000);
    int64_t length = count_of(p, "fieldlength", 100, DDBSIM_ITEM_BYTES_MAX);
    int64_t bytes = KEY_BYTES + fields * (FIELD_NAME_BYTES + length);
    if (!says(p, "fieldlengthdistribution", "constant", "constant"))
        import_note(p->import, IMPORT_ASSUMED, p->file->path,
                    "each field has its fieldlength of %" PRId64 " B (1..%" PRId64
                    " B): its distribution is not kept",
                    length, length);
    if (bytes <= DDBSIM_ITEM_BYTES_MAX) return bytes;
    import_note(p->import, IMPORT_ASSUMED, p->file->path,
                "a record of %" PRId64 " B would be refused: it has 400 KB", bytes);
    return DDBSIM_ITEM_BYTES_MAX;
}

/* Records that the inserts of the run make: YCSB's zipfian expects twice as many. */
static int64_t inserts_of(struct properties *p) {
    double inserts = number_of(p, "insertproportion", 0, PROPORTION_MOST);
    return (int64_t)((double)count_of(p, "operationcount", 0, 1e12) * inserts);
}

static void put_share(struct properties *p, struct yaml_node *set, const char *key,
                      const char *property, double otherwise) {
    char text[64], longer[64];
    (void)snprintf(longer, sizeof longer, "%.7f", 100 * number_of(p, property, otherwise, 1));
    literal_put_decimal(longer, text, sizeof text);
    import_put(p->import, set, key, "%s%%", text);
}

/* Which records are popular: the core workload's requestdistribution. */
static void put_popularity(struct properties *p, struct import_table *table, int64_t records) {
    struct import *import = p->import;
    const char *word = text_of(p, "requestdistribution", "uniform");
    bool grows = inserts_of(p) > 0 || number_of(p, "insertproportion", 0, PROPORTION_MOST) > 0;
    struct yaml_node *set = yaml_new(import->arena, YAML_MAPPING, NULL);
    struct property at = {0};
    if (!set) {
        import->short_of_memory = true;
        return;
    }
    bool zipfian = !strcmp(word, "zipfian"), latest = !strcmp(word, "latest");
    bool hotspot = !strcmp(word, "hotspot"), uniform = !strcmp(word, "uniform");
    bool plain = !strcmp(word, "sequential") || !strcmp(word, "exponential");
    if (!zipfian && !latest && !hotspot && !uniform && !plain) {
        (void)find(p->file, "requestdistribution", &at);
        fail(p, &at, "distribution of YCSB's core workload");
        return;
    }
    if (grows && (hotspot || plain)) {
        import_note(import, IMPORT_ASSUMED, p->file->path,
                    "records that are inserted are as popular as any: %s needs all of them from "
                    "the start",
                    word);
        hotspot = false;
        word = "uniform";
    }
    if (grows) import_put(import, set, "new", "true");
    import_put(import, set, grows ? "start" : "count", "%" PRId64, larger(records, 1));
    import_put(import, set, "distribution", "%s", zipfian ? "ycsb_zipfian" : word);
    if (zipfian)
        import_put(import, set, "keyspace", "%" PRId64, larger(records, 1) + 2 * inserts_of(p) + 1);
    if (hotspot) put_share(p, set, "keys", "hotspotdatafraction", 0.2);
    if (hotspot) put_share(p, set, "traffic", "hotspotopnfraction", 0.8);
    table->resource.popularity = set;
}

/* ---- operations ---- */

static struct yaml_node *put_operation(struct properties *p, struct yaml_node *mix,
                                       const char *name, const char *operation, double weight) {
    char text[64], longer[64];
    if (weight <= 0) return NULL;
    struct yaml_node *node = import_item(p->import, mix);
    (void)snprintf(longer, sizeof longer, "%.6f", weight);
    literal_put_decimal(longer, text, sizeof text);
    import_put(p->import, node, "name", "%s", name);
    import_put(p->import, node, "operation", "%s", operation);
    import_put(p->import, node, "weight", "%s", text);
    return node;
}

static void put_mix(struct properties *p, struct yaml_node *workload) {
    struct import *import = p->import;
    struct yaml_node *mix = import_list(import, workload, "mix");
    double read = number_of(p, "readproportion", 0.95, PROPORTION_MOST);
    double update = number_of(p, "updateproportion", 0.05, PROPORTION_MOST);
    double insert = number_of(p, "insertproportion", 0, PROPORTION_MOST);
    double scan = number_of(p, "scanproportion", 0, PROPORTION_MOST);
    double both = number_of(p, "readmodifywriteproportion", 0, PROPORTION_MOST);
    bool strong = says(p, "dynamodb.consistentReads", "true", "false");
    struct yaml_node *get = put_operation(p, mix, "read", "GetItem", read + both);
    if (get) import_put(import, get, "consistent_read", strong ? "true" : "false");
    (void)put_operation(p, mix, "update", "UpdateItem", update + both);
    (void)put_operation(p, mix, "insert", "PutItem", insert);
    struct yaml_node *query = put_operation(p, mix, "scan", "Query", scan);
    int64_t longest = count_of(p, "maxscanlength", 1000, 1e6);
    if (query) {
        import_put(import, query, "items", "%" PRId64, (longest + 1) / 2);
        import_note(import, IMPORT_ASSUMED, p->file->path,
                    "a scan reads %" PRId64 " items (1..%" PRId64 ") as a Query would",
                    (longest + 1) / 2, longest);
    }
    if (both > 0)
        import_note(import, IMPORT_ASSUMED, p->file->path,
                    "a read-modify-write is a read and an update, each on its own");
    if (read + update + insert + scan + both > 0 || p->status) return;
    p->status = error_set(p->error, DDBSIM_INPUT, "all proportions are 0: nothing would be done");
    error_place(p->error, p->file->path, 0, 0);
}

/* ---- how fast ---- */

/* So many operations at that rate: within the hour that a scenario without recordings lasts. */
static void end_after(struct properties *p, struct yaml_node *workload, double seconds) {
    if (seconds >= 1 && seconds <= SCENARIO_S)
        import_put(p->import, workload, "end_time", "+%.0fs", seconds);
    else
        import_note(p->import, IMPORT_ASSUMED, p->file->path,
                    "the load lasts as long as the scenario: its operationcount would take %.0f s",
                    seconds);
}

static void put_load(struct properties *p, struct yaml_node *workload) {
    struct import *import = p->import;
    char text[64], longer[64];
    double target = number_of(p, "target", 0, 1e9);
    int64_t operations = count_of(p, "operationcount", 0, 1e12);
    int64_t threads = count_of(p, "threadcount", 1, 1e6);
    if (target > 0) {
        (void)snprintf(longer, sizeof longer, "%.6f", target);
        literal_put_decimal(longer, text, sizeof text);
        import_put(import, workload, "rate", "%s/s", text);
        if (operations > 0) end_after(p, workload, (double)operations / target);
        return;
    }
    import_put(import, workload, "vus", "%" PRId64, larger(threads, 1));
    if (operations > 0) import_put(import, workload, "iterations", "%" PRId64, operations);
    import_note(import, IMPORT_ASSUMED, p->file->path,
                "%" PRId64 " client%s, each as fast as it is answered (YCSB's -threads and -target "
                "stand on its command line)",
                larger(threads, 1), threads > 1 ? "s" : "");
}

static const char *stem_of(struct import *import, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    return import_text(import, "%.*s", (int)(length < 60 ? length : 60), name);
}

enum ddbsim_status ycsb_take(struct import *import, const struct import_file *file,
                             struct ddbsim_error *error) {
    struct properties p = {.import = import, .file = file, .error = error};
    int64_t records = count_of(&p, "recordcount", 1000, 1e12);
    struct import_table *table = import_table(import, text_of(&p, "table", TABLE), file->path);
    if (!table) return error_memory(error);
    table->resource.items = records;
    table->item_bytes = record_bytes(&p);
    if (!table->resource.partition_key)
        table->resource.partition_key = text_of(&p, "dynamodb.primaryKey", "user");
    put_popularity(&p, table, records);
    const char *name = stem_of(import, file->path);
    struct yaml_node *workload = import_workload(import, table, name ? name : "ycsb");
    put_load(&p, workload);
    put_mix(&p, workload);
    import_client(import, workload);
    import_note(import, IMPORT_TOOK, file->path,
                "%" PRId64 " records of %" PRId64 " B in table %s, popular as %s", records,
                table->item_bytes, table->resource.name,
                text_of(&p, "requestdistribution", "uniform"));
    return p.status;
}
