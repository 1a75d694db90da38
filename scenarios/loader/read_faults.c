/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Faults: what AWS, the network or the callers' machines do for a while (docs/model.md, M-100 to M-104).
 *
 * Invariant: faults of one kind do not overlap where they would act on the same thing, so each begins on what is
 * whole and leaves it whole.
 */
#include <loader/load.h>

#include <base/buffer.h>
#include <base/types.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static bool of_callers(enum ddbsim_fault_kind kind) {
    return kind == DDBSIM_FAULT_DAX_FLUSH || kind == DDBSIM_FAULT_CLIENTS_PAUSE;
}

/* ---- when ---- */

/* A flush is a moment; everything else lasts. What outlasts the run is there until its end. */
static enum ddbsim_status read_time(struct reader *r, const struct yaml_node *node,
                                    struct ddbsim_fault *out) {
    const struct yaml_node *length = yaml_child(node, "for");
    out->at_ns = out->end_ns = read_int(r, SECTION_FAULT, node, "at", 0);
    if (out->at_ns >= r->scenario->duration_ns)
        return read_fail_late(r, yaml_child(node, "at"), "the fault begins");
    if (out->kind == DDBSIM_FAULT_DAX_FLUSH)
        return length ? yaml_fail_key(r->error, length, "a flush happens at one moment")
                      : DDBSIM_OK;
    if (!length) return yaml_fail(r->error, node, "the key \"for\" is missing");
    out->end_ns += read_int(r, SECTION_FAULT, node, "for", 0);
    return DDBSIM_OK;
}

/* ---- how much ---- */

static enum ddbsim_status check_share(struct reader *r, const struct yaml_node *to,
                                      const struct ddbsim_fault *fault) {
    if (fault->kind != DDBSIM_FAULT_CAPACITY ||
        (fault->to > 0 && fault->to < DDBSIM_SHARE_ONE && fault->to % DDBSIM_FAULT_STEP == 0))
        return DDBSIM_OK;
    enum ddbsim_status status =
        yaml_fail(r->error, to, "a capacity falls to 0.01%%..99.99%%, in steps of 0.01%%");
    error_hint(r->error, "`kind: errors` with `to: 100%%` is a table that serves nothing");
    return status;
}

static enum ddbsim_status read_to(struct reader *r, const struct yaml_node *node,
                                  struct ddbsim_fault *out) {
    const struct yaml_node *to = yaml_child(node, "to");
    struct grammar_value value = {0};
    if (of_callers(out->kind))
        return to ? yaml_fail_key(r->error, to, "this kind of fault is there or is not")
                  : DDBSIM_OK;
    if (!to) return yaml_fail(r->error, node, "the key \"to\" is missing");
    (void)read_value(r, SECTION_FAULT, node, "to", &value);
    out->to = value.integer;
    bool wants_share = out->kind != DDBSIM_FAULT_LATENCY;
    if (value.is_share == wants_share) return check_share(r, to, out);
    return yaml_fail(r->error, to,
                     wants_share ? "of capacity and errors `to` is a share, such as 30%%"
                                 : "of latency `to` is a duration, such as 200ms");
}

/* ---- where ---- */

static enum ddbsim_status find_table(struct reader *r, const struct yaml_node *name,
                                     uint32_t *out) {
    struct suggest suggest;
    suggest_start(&suggest, name->text);
    for (*out = 0; *out < r->scenario->table_count; (*out)++) {
        if (!strcmp(r->scenario->tables[*out].name, name->text)) return DDBSIM_OK;
        suggest_offer(&suggest, r->scenario->tables[*out].name);
    }
    return read_fail_word(r, name, "table", &suggest, NULL);
}

static enum ddbsim_status find_workload(struct reader *r, const struct yaml_node *name,
                                        uint32_t *out) {
    struct suggest suggest;
    suggest_start(&suggest, name->text);
    for (*out = 0; *out < r->scenario->workload_count; (*out)++) {
        if (!strcmp(r->scenario->workloads[*out].name, name->text)) return DDBSIM_OK;
        suggest_offer(&suggest, r->scenario->workloads[*out].name);
    }
    return read_fail_word(r, name, "workload", &suggest, NULL);
}

/* A capacity that is divided between partitions, or that nobody refuses by, is not scaled. */
static enum ddbsim_status check_table(struct reader *r, const struct yaml_node *name,
                                      const struct ddbsim_fault *fault) {
    const struct ddbsim_table *table = &r->scenario->tables[fault->table];
    if (fault->kind != DDBSIM_FAULT_CAPACITY) return DDBSIM_OK;
    if (!table->throttling)
        return yaml_fail(r->error, name, "the table refuses nothing: it has `throttling: false`");
    if (table->model.admission == DDBSIM_ADMISSION_GAC) return DDBSIM_OK;
    enum ddbsim_status status = yaml_fail(
        r->error, name, "a capacity fault needs the admission of today, by the table's own bucket");
    error_hint(r->error, "leave `rules` and `model.admission` as they are, or use `kind: errors`");
    return status;
}

static enum ddbsim_status read_table(struct reader *r, const struct yaml_node *node,
                                     struct ddbsim_fault *out) {
    const struct yaml_node *table = yaml_child(node, "table"),
                           *workload = yaml_child(node, "workload");
    if (workload)
        return yaml_fail_key(r->error, workload, "this kind of fault is a table's: name a table");
    if (!table && r->scenario->table_count > 1)
        return yaml_fail(r->error, node, "the key \"table\" is missing");
    out->table = 0;
    enum ddbsim_status status = table ? find_table(r, table, &out->table) : DDBSIM_OK;
    return status ? status : check_table(r, table ? table : node, out);
}

static bool has_cache(const struct ddbsim_workload *workload) {
    return workload->dax.enabled && !workload->dax.by_ratio;
}

static enum ddbsim_status check_caches(struct reader *r, const struct yaml_node *at,
                                       const struct ddbsim_fault *fault) {
    bool any = false;
    if (fault->kind != DDBSIM_FAULT_DAX_FLUSH) return DDBSIM_OK;
    for (uint32_t w = 0; w < r->scenario->workload_count; w++)
        any |= (fault->workload == DDBSIM_NONE || fault->workload == w) &&
               has_cache(&r->scenario->workloads[w]);
    if (any) return DDBSIM_OK;
    enum ddbsim_status status = yaml_fail(r->error, at, "there is no cache that could be emptied");
    error_hint(r->error, "a workload has one with `dax: {item_ttl: 5m}`; a stated hit_ratio keeps "
                         "nothing");
    return status;
}

static enum ddbsim_status read_workload(struct reader *r, const struct yaml_node *node,
                                        struct ddbsim_fault *out) {
    const struct yaml_node *table = yaml_child(node, "table"),
                           *workload = yaml_child(node, "workload");
    if (table)
        return yaml_fail_key(r->error, table,
                             "this kind of fault is the callers': name a workload, or none for "
                             "all");
    enum ddbsim_status status = workload ? find_workload(r, workload, &out->workload) : DDBSIM_OK;
    return status ? status : check_caches(r, workload ? workload : node, out);
}

/* ---- the list ---- */

static bool overlap(const struct ddbsim_fault *a, const struct ddbsim_fault *b) {
    bool same = a->table == b->table && (a->workload == b->workload || a->workload == DDBSIM_NONE ||
                                         b->workload == DDBSIM_NONE);
    return a->kind == b->kind && a->kind != DDBSIM_FAULT_DAX_FLUSH && same &&
           a->at_ns < b->end_ns && b->at_ns < a->end_ns;
}

static int take_json(const char *bytes, size_t length, void *buffer) {
    buffer_add(buffer, bytes, length);
    return 0;
}

/* {"fault":"capacity","to":"30%","workload":...}, as it stands in the log. */
static enum ddbsim_status read_detail(struct reader *r, const struct yaml_node *node,
                                      struct ddbsim_fault *fault) {
    static const char *const keys[] = {"kind", "to", "for", "workload"};
    json_t *detail = json_object();
    bool whole = detail != NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && whole; i++) {
        const char *text = yaml_text(node, keys[i]);
        if (text)
            whole = json_object_set_new(detail, i ? keys[i] : "fault", json_string(text)) == 0;
    }
    struct buffer out = {0};
    bool dumped = whole && json_dump_callback(detail, take_json, &out,
                                              JSON_COMPACT | JSON_PRESERVE_ORDER) == 0;
    out.failed = out.failed || !dumped;
    json_decref(detail);
    char *text = buffer_finish(&out);
    if (text) fault->detail = arena_copy(r->arena, text, strlen(text));
    free(text);
    return fault->detail ? DDBSIM_OK : error_memory(r->error);
}

static enum ddbsim_status read_fault(struct reader *r, const struct yaml_node *node,
                                     struct ddbsim_fault *out) {
    out->table = out->workload = DDBSIM_NONE;
    out->kind = (enum ddbsim_fault_kind)read_int(r, SECTION_FAULT, node, "kind", 0);
    enum ddbsim_status status = read_time(r, node, out);
    if (!status) status = read_to(r, node, out);
    if (!status)
        status = of_callers(out->kind) ? read_workload(r, node, out) : read_table(r, node, out);
    return status ? status : read_detail(r, node, out);
}

enum ddbsim_status faults_read(struct reader *r, const struct yaml_node *list) {
    if (!list || !list->count) return DDBSIM_OK;
    if (list->count > FAULTS_MAX)
        return yaml_fail(r->error, list, "there are more than %d faults", FAULTS_MAX);
    struct ddbsim_fault *faults = arena_alloc(r->arena, list->count, sizeof *faults);
    if (!faults) return error_memory(r->error);
    r->scenario->faults = faults;
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        struct ddbsim_fault *fault = &faults[r->scenario->fault_count];
        enum ddbsim_status status = read_fault(r, node, fault);
        if (status) return status;
        for (uint32_t i = 0; i < r->scenario->fault_count; i++)
            if (overlap(&faults[i], fault))
                return yaml_fail(r->error, node,
                                 "two faults of one kind would act on the same thing at once");
        r->scenario->fault_count++;
    }
    return DDBSIM_OK;
}
