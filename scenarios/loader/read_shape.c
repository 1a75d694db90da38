/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Load shapes by name and bursts, of a workload (docs/model.md, M-120, M-121). */
#include <loader/read.h>

#include <workloads/shapes.h>

#define DAY_NS (86400 * NS_PER_S)
#define SPIKE_WIDTH_NS (300 * NS_PER_S)

/* A box, and one that stays: to the end and beyond it. */
static int64_t usual_width(const struct reader *r, const struct shape *shape) {
    switch (shape->kind) {
    case SHAPE_STEP:
        return shape->period_ns > 0 ? shape->period_ns / 2 : r->scenario->duration_ns + NS_PER_S;
    case SHAPE_SPIKE:
        return SPIKE_WIDTH_NS;
    case SHAPE_SINE:
    case SHAPE_DIURNAL:
        break;
    case SHAPE_DOUBLE_WAVE:
        return shape->period_ns / 4;
    }
    return shape->period_ns;
}

static enum ddbsim_status read_times(struct reader *r, struct yaml_node *node,
                                     const struct ddbsim_workload *workload, struct shape *out) {
    bool once = out->kind == SHAPE_STEP || out->kind == SHAPE_SPIKE;
    out->at_ns = read_int(r, SECTION_SHAPE, node, "at", workload->start_ns);
    out->period_ns = read_int(r, SECTION_SHAPE, node, "period", once ? 0 : DAY_NS);
    out->width_ns = read_int(r, SECTION_SHAPE, node, "width", usual_width(r, out));
    int64_t apart_ns = shapes_apart_ns(out->kind, out->period_ns);
    if (apart_ns > 0 && out->width_ns > apart_ns)
        return yaml_fail(r->error, read_at(node, "width"),
                         "the next one begins before this is over");
    if (out->kind == SHAPE_SINE && out->width_ns < out->period_ns) {
        enum ddbsim_status status =
            yaml_fail(r->error, read_at(node, "width"), "a sine takes its whole period");
        error_hint(r->error, "diurnal has a width of its own");
        return status;
    }
    enum ddbsim_status status = read_fill(r, SECTION_SHAPE, node, "at", out->at_ns);
    if (!status && out->period_ns > 0)
        status = read_fill(r, SECTION_SHAPE, node, "period", out->period_ns);
    bool stays = out->kind == SHAPE_STEP && out->period_ns == 0;
    if (!status && !stays) status = read_fill(r, SECTION_SHAPE, node, "width", out->width_ns);
    return status;
}

enum ddbsim_status read_shape(struct reader *r, struct yaml_node *workload,
                              struct ddbsim_workload *out) {
    struct yaml_node *node = yaml_child(workload, "shape");
    if (!node) return DDBSIM_OK;
    struct shape shape = {
        .kind = (enum shape_kind)read_int(r, SECTION_SHAPE, node, "kind", 0),
        .base_per_s = read_real(r, SECTION_SHAPE, node, "base", 0),
        .peak_per_s = read_real(r, SECTION_SHAPE, node, "peak", 0),
    };
    shape.word = yaml_text(node, "kind");
    enum ddbsim_status status = read_times(r, node, out, &shape);
    if (status) return status;
    uint32_t count = shapes_count(&shape, out->start_ns, out->end_ns);
    if (count == 0 && shape.at_ns <= out->end_ns && shape.period_ns > 0)
        return yaml_fail(r->error, read_at(node, "period"),
                         "this shape repeats too often in the run: more than %u corners",
                         SHAPES_STAGES_MAX);
    struct ddbsim_stage *stages = arena_alloc(r->arena, (size_t)count + 1, sizeof *stages);
    if (!stages) return error_memory(r->error);
    out->start_rate_per_s = shapes_fill(&shape, out->start_ns, out->end_ns, stages);
    out->stages = stages;
    out->stage_count = count;
    return DDBSIM_OK;
}

enum ddbsim_status read_arrivals(struct reader *r, struct yaml_node *workload,
                                 struct ddbsim_workload *out) {
    const struct yaml_node *node = yaml_child(workload, "arrivals");
    if (!node || node->kind == YAML_SCALAR) {
        out->arrivals = (enum ddbsim_arrivals)read_int(r, SECTION_WORKLOAD, workload, "arrivals",
                                                       DDBSIM_POISSON);
        return DDBSIM_OK;
    }
    const struct yaml_node *bursty = yaml_child(node, "bursty");
    if (yaml_child(workload, "vus") || yaml_child(workload, "iterations"))
        return yaml_fail_key(r->error, node, "bursts are of a rate; here are callers");
    out->arrivals = DDBSIM_POISSON;
    out->burst_on_ns = read_int(r, SECTION_BURSTY, bursty, "on", 0);
    out->burst_off_ns = read_int(r, SECTION_BURSTY, bursty, "off", 0);
    return DDBSIM_OK;
}
