/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of formats, and which of them a file is: the one that is surest of the file's beginning.
 * Invariant: names are unique; "auto" is none.
 */
#include <string.h>
#include <workloads/replay/events.h>
#include <workloads/replay/reader.h>

/* clang-format off: one a line */
static const struct recording_format *const formats[] = {
    &format_csv,    &format_jsonl,  &format_twitter, &format_cachelib, &format_oracle_general,
    &format_k6,     &format_jmeter, &format_locust,  &format_requests,
#define X(e, token, name, what) &format_##token,
    EVENTS_KINDS(X)
#undef X
};
/* clang-format on */
enum { FORMATS = sizeof formats / sizeof formats[0] };

const struct recording_format *recording_format(size_t number) {
    return number < FORMATS ? formats[number] : NULL;
}

const char *recording_format_name(size_t number, const char **what) {
    if (number >= FORMATS) return NULL;
    *what = formats[number]->what;
    return formats[number]->name;
}

const char *recording_recognise(const char *head, size_t length, bool is_whole, int *sure) {
    bool marked = length >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0;
    const struct reader_head view = {head + (marked ? 3 : 0), length - (marked ? 3 : 0), is_whole};
    const char *best = NULL;
    *sure = 0;
    for (size_t i = 0; view.length > 0 && i < FORMATS; i++) {
        int score = formats[i]->recognise ? formats[i]->recognise(&view) : 0;
        if (score <= *sure) continue;
        *sure = score;
        best = formats[i]->name;
    }
    return best;
}
