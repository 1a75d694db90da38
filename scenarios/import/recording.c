/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recordings of any format that replay reads (workloads/replay/recording.h) as a kind of file: their rows are read once
 * for what they say of tables, operations, sizes and time, and stay where they are for the scenario to replay.
 *
 * Invariant: bad rows that were passed over here are passed over by the scenario as well.
 */
#include "kinds.h"

#include "survey.h"

#include <inttypes.h>
#include <workloads/replay/recording.h>

bool recording_is(const struct import_file *file) {
    int sure;
    return recording_recognise(file->text, file->length, file->is_whole, &sure) != NULL;
}

/* Counts all rows. */
static enum ddbsim_status read_rows(struct recording *recording, struct survey *survey,
                                    struct ddbsim_error *error) {
    struct recorded row;
    bool more = true;
    for (;;) {
        enum ddbsim_status status = recording_next(recording, &row, &more, error);
        if (!status && !more) return DDBSIM_OK;
        if (!status) status = survey_add(survey, &row, error);
        if (status) return status;
    }
}

/* Some bad rows may be; where most are, the file is something else. */
static enum ddbsim_status judge_skipped(const struct import_file *file,
                                        const struct recording_facts *facts,
                                        struct ddbsim_error *error) {
    if (facts->skipped <= facts->rows) return DDBSIM_OK;
    error_set(error, DDBSIM_INPUT, "as %s, %" PRIu64 " of %" PRIu64 " rows are bad: %s",
              facts->format, facts->skipped, facts->skipped + facts->rows, facts->first_skipped);
    error_place(error, file->path, 0, 0);
    error_hint(error, "a scenario can say `format' and `columns' of what it replays");
    return DDBSIM_INPUT;
}

static void note_skipped(struct survey *survey, const struct recording_facts *facts) {
    if (facts->skipped == 0) return;
    import_note(survey->import, IMPORT_PASSED, survey->file->path,
                "%" PRIu64 " of %" PRIu64 " rows are bad, the first of them: %s", facts->skipped,
                facts->skipped + facts->rows, facts->first_skipped);
    for (uint32_t i = 0; i < survey->table_count; i++)
        if (survey->tables[i].replay)
            import_put(survey->import, survey->tables[i].replay, "on_bad_row", "skip");
}

static enum ddbsim_status take_rows(struct recording *recording, struct survey *survey,
                                    struct ddbsim_error *error) {
    enum ddbsim_status status = read_rows(recording, survey, error);
    const struct recording_facts *facts = recording_facts(recording);
    if (!status) status = judge_skipped(survey->file, facts, error);
    if (status) return status;
    const struct survey_replay replay = {
        .format = facts->format,
        .is_absolute = facts->is_absolute,
        .resolution_ns = facts->resolution_ns,
    };
    status = survey_take(survey, &replay, error);
    if (!status) note_skipped(survey, facts);
    return status;
}

enum ddbsim_status recording_take(struct import *import, const struct import_file *file,
                                  struct ddbsim_error *error) {
    const struct recording_options options = {.file = file->path, .skip_bad_rows = true};
    struct survey survey;
    struct recording *recording;
    enum ddbsim_status status = recording_create(&options, &recording, error);
    if (status) return status;
    survey_begin(&survey, import, file);
    status = take_rows(recording, &survey, error);
    survey_free(&survey);
    recording_destroy(recording);
    return status;
}
