/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording as a workload's load (docs/model.md, M-122 to M-125). It is opened here to see that it is there and what
 * it is; whoever runs the scenario opens it again.
 */
#include <loader/read.h>

#include <loader/input.h>
#include <string.h>
#include <workloads/replay/recording.h>

/* "time=1,key=2" of the mapping. */
static enum ddbsim_status read_columns(struct reader *r, const struct yaml_node *node,
                                       struct ddbsim_replay *out) {
    const struct yaml_node *columns = yaml_child(node, "columns");
    if (!columns) return DDBSIM_OK;
    const char *text = "";
    for (const struct yaml_node *column = columns->first; column; column = column->next) {
        if (strpbrk(column->text, ",="))
            return yaml_fail(r->error, column, "a column's name cannot have , or =");
        text =
            arena_printf(r->arena, "%s%s%s=%s", text, *text ? "," : "", column->key, column->text);
        if (!text) return error_memory(r->error);
    }
    out->columns = text;
    return DDBSIM_OK;
}

static enum ddbsim_status read_delimiter(struct reader *r, const struct yaml_node *node,
                                         struct ddbsim_replay *out) {
    const struct yaml_node *delimiter = yaml_child(node, "delimiter");
    if (!delimiter) return DDBSIM_OK;
    bool is_tab = !strcmp(delimiter->text, "tab");
    out->delimiter = delimiter->text[0];
    if (is_tab) out->delimiter = '\t';
    if (is_tab || (strlen(delimiter->text) == 1 && !strchr("\"\r\n", out->delimiter)))
        return DDBSIM_OK;
    return yaml_fail(r->error, delimiter, "a delimiter is one character, or the word tab");
}

static enum ddbsim_status read_moment(struct reader *r, const struct yaml_node *node,
                                      int64_t *out) {
    struct literal_problem problem = {0};
    if (literal_moment(node->text, &r->clock, out, &problem)) return DDBSIM_OK;
    enum ddbsim_status status = yaml_fail(r->error, node, "%s", problem.message);
    error_hint(r->error, "%s", problem.hint);
    return status;
}

static enum ddbsim_status read_part(struct reader *r, const struct yaml_node *node,
                                    struct ddbsim_replay *out) {
    const struct yaml_node *window = yaml_child(node, "window");
    out->from_ns = out->to_ns = DDBSIM_NO_TIME;
    if (!window || !window->count) return DDBSIM_OK;
    if (window->count != 2)
        return yaml_fail(r->error, window, "a window is two moments, from and to");
    enum ddbsim_status status = read_moment(r, window->first, &out->from_ns);
    if (!status) status = read_moment(r, window->last, &out->to_ns);
    if (status || out->from_ns < out->to_ns) return status;
    return yaml_fail(r->error, window, "the window is empty");
}

/* Its file, seen from the scenario's. */
static enum ddbsim_status read_file(struct reader *r, const struct yaml_node *node,
                                    struct ddbsim_replay *out) {
    const struct yaml_node *file = yaml_child(node, "file");
    const char *format = yaml_text(node, "format");
    if (!strcmp(file->text, "-"))
        return yaml_fail(r->error, file, "a recording is a file, since it is read again");
    out->name = file->text;
    out->file = input_beside(r->arena, file->file, file->text);
    out->format = format && strcmp(format, "auto") != 0 ? format : NULL;
    return out->file ? DDBSIM_OK : error_memory(r->error);
}

/* What is wrong within the recording stands there; what is wrong with it as a whole, here. */
static enum ddbsim_status try_recording(struct reader *r, const struct yaml_node *node,
                                        const struct ddbsim_replay *replay) {
    struct recording_options options = recording_options_of(replay);
    const struct yaml_node *file = yaml_child(node, "file");
    struct recording *recording = NULL;
    enum ddbsim_status status = recording_create(&options, &recording, r->error);
    if (status && r->error && r->error->line == 0) {
        error_place(r->error, file->file, file->line, file->column);
        error_path(r->error, file->path);
    }
    recording_destroy(recording);
    return status;
}

enum ddbsim_status read_replay(struct reader *r, const struct yaml_node *workload,
                               struct ddbsim_workload *out) {
    const struct yaml_node *node = yaml_child(workload, "replay");
    struct ddbsim_replay *replay = arena_alloc(r->arena, 1, sizeof *replay);
    if (!replay) return error_memory(r->error);
    replay->time_unit = yaml_text(node, "time_unit");
    replay->speed = read_int(r, SECTION_REPLAY, node, "speed", 0);
    replay->amplify =
        (double)read_int(r, SECTION_REPLAY, node, "amplify", 0) / (double)DDBSIM_SHARE_ONE;
    replay->new_keys = read_int(r, SECTION_REPLAY, node, "amplify_keys", 0) == 0;
    replay->loop = read_int(r, SECTION_REPLAY, node, "loop", false);
    replay->shuffled = read_int(r, SECTION_REPLAY, node, "order", 0) == 1;
    replay->sample = read_int(r, SECTION_REPLAY, node, "sample", 0);
    replay->throttled_are_requests = read_int(r, SECTION_REPLAY, node, "throttled_are", 0) == 1;
    replay->skip_bad_rows = read_int(r, SECTION_REPLAY, node, "on_bad_row", 0) == 1;
    enum ddbsim_status status = read_file(r, node, replay);
    if (!status) status = read_columns(r, node, replay);
    if (!status) status = read_delimiter(r, node, replay);
    if (!status) status = read_part(r, node, replay);
    if (!status) status = try_recording(r, node, replay);
    out->replay = replay;
    out->max_vus = (uint32_t)read_int(r, SECTION_WORKLOAD, workload, "max_vus", 0);
    return status;
}
