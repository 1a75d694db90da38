/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models faults of the service. No source has figures of their insides: what is modelled is what a caller sees of
 * them. A capacity fault is a bucket whose rate and costs are scaled (resource.h, struct serving); a slow service
 * is another median; an HTTP 500 is answered before anything is looked at or taken.
 * Invariant: when a fault has ended the table is as if it had never been, but for what it saved and consumed.
 */
#include <model/faults.h>

static void note(struct model *model, const struct ddbsim_fault *fault, enum ddbsim_event kind,
                 int64_t now_ns) {
    struct note note = {.kind = kind,
                        .t_ns = now_ns,
                        .resource = fault->table == DDBSIM_NONE
                                        ? UINT32_MAX
                                        : model->tables[fault->table].resource.number,
                        .text = fault->detail ? fault->detail : "{}"};
    model_note(model, &note);
}

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* In lowest terms: the smaller its numbers, the more a scaled bucket can hold. */
static struct serving serving_of(int64_t share) {
    int64_t parts = share / DDBSIM_FAULT_STEP, of = DDBSIM_SHARE_ONE / DDBSIM_FAULT_STEP;
    CHECK(share > 0 && share <= DDBSIM_SHARE_ONE && share % DDBSIM_FAULT_STEP == 0);
    int64_t divisor = common_divisor(parts, of);
    return (struct serving){parts / divisor, of / divisor};
}

/* The table and its indexes, those that are local aside: they have no capacity. */
static void serve(struct model *model, struct table *table, struct serving serving,
                  int64_t now_ns) {
    resource_serve(&table->resource, serving, now_ns);
    for (uint32_t i = 0; i < table->index_count; i++) {
        struct resource *index = &model->indexes[table->first_index + i].resource;
        if (table->local_indexes >> i & 1u) continue;
        resource_serve(index, serving, now_ns);
        if (resource_exists(index)) model_resource_capacity_changed(model, index);
    }
}

/* The usual medians, and what holds in place of them (M-102). */
static void slow(struct table *table, int64_t to_ns) {
    CHECK(to_ns >= 0);
    latency_terms_init(&table->latency, &table->spec->model);
    for (int k = 0; k < LATENCY_KINDS; k++)
        table->latency.median_ns[k] =
            larger(table->latency.median_ns[k], to_ns + table->latency.outside_ns[k]);
}

static void act(struct model *model, const struct ddbsim_fault *fault, bool begins,
                int64_t now_ns) {
    if (fault->table == DDBSIM_NONE) return;
    CHECK(fault->table < model->table_count);
    struct table *table = &model->tables[fault->table];
    switch (fault->kind) {
    case DDBSIM_FAULT_CAPACITY:
        serve(model, table, begins ? serving_of(fault->to) : (struct serving){1, 1}, now_ns);
        break;
    case DDBSIM_FAULT_LATENCY:
        slow(table, begins ? fault->to : 0);
        break;
    case DDBSIM_FAULT_ERRORS:
        table->errors = begins ? fault->to : 0;
        break;
    case DDBSIM_FAULT_DAX_FLUSH:
    case DDBSIM_FAULT_CLIENTS_PAUSE:
        CHECK(false);
        break;
    }
    resource_set_faulty(&table->resource, table->errors > 0 || table->resource.serving.of > 1);
}

void faults_begin(struct model *model, const struct ddbsim_fault *fault, int64_t now_ns) {
    note(model, fault, DDBSIM_EVENT_FAULT_BEGAN, now_ns);
    act(model, fault, true, now_ns);
}

void faults_end(struct model *model, const struct ddbsim_fault *fault, int64_t now_ns) {
    note(model, fault, DDBSIM_EVENT_FAULT_ENDED, now_ns);
    act(model, fault, false, now_ns);
}
