/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A diagnosis on paper: in words for a terminal, or as one JSON object with the same content.
 * Commands stand on lines of their own, so that they can be copied.
 */
#include <plots/diagnosis_parts.h>

#include <base/buffer.h>
#include <base/error.h>
#include <math.h>
#include <plots/tojson.h>
#include <stdlib.h>
#include <string.h>

#define EPISODES_SHOWN 5

/* ---- commands ---- */

/* One word of the command as a shell wants it. */
static void put_word(struct buffer *out, const char *text) {
    char *word = text ? words_shell(text) : NULL;
    if (word)
        buffer_put(out, word);
    else
        out->failed = true;
    free(word);
}

static void put_set(struct buffer *out, const char *separator, const char *path,
                    const char *value) {
    struct buffer set = {0};
    buffer_printf(&set, "%s=%s", path, value);
    char *text = buffer_finish(&set);
    buffer_printf(out, "%s--set ", separator);
    put_word(out, text);
    free(text);
}

static bool sets_path(const struct fix *fix, const char *path) {
    for (size_t i = 0; i < fix->set_count; i++)
        if (strcmp(fix->sets[i].path, path) == 0) return true;
    return false;
}

/* What the run was, and what the fix changes in it. */
static void put_settings(struct buffer *out, const struct diagnosis *d, const struct fix *fix,
                         const char *separator) {
    if (strcmp(d->run.variant, "base") != 0) {
        buffer_printf(out, "%s--variant ", separator);
        put_word(out, d->run.variant);
    }
    if (d->seed) buffer_printf(out, "%s--seed %s", separator, d->seed);
    for (size_t i = 0; i < d->options.count; i++)
        if (!sets_path(fix, d->options.items[i].path))
            put_set(out, separator, d->options.items[i].path, d->options.items[i].value);
    for (size_t i = 0; i < fix->set_count; i++)
        put_set(out, separator, fix->sets[i].path, fix->sets[i].value);
}

/* Each fix has an output of its own, so that all can be tried one after the other. */
static void put_output(struct buffer *out, const struct diagnosis *d, const struct fix *fix,
                       const char *separator) {
    char stem[512], name[600];
    snprintf(stem, sizeof stem, "%s", d->run.scenario);
    if (strcmp(d->run.variant, "base") != 0) words_append_slug(d->run.variant, stem, sizeof stem);
    snprintf(name, sizeof name, "%s-fix-%zu.db", stem, (size_t)(fix - d->fixes) + 1);
    buffer_printf(out, "%s-o ", separator);
    put_word(out, name);
}

/* The whole command; `separator` stands between its options. For free(); NULL when memory is short. */
static char *command_of(const struct diagnosis *d, const struct fix *fix, const char *scenario,
                        const char *separator) {
    struct buffer out = {0};
    buffer_put(&out, "ddbsim run ");
    put_word(&out, scenario);
    put_settings(&out, d, fix, separator);
    put_output(&out, d, fix, separator);
    return buffer_finish(&out);
}

/* ---- words ---- */

static void print_heading(const struct words_page *page, const char *text) {
    fputc('\n', page->out);
    words_style(page, WORDS_STRONG);
    fputs(text, page->out);
    words_style(page, WORDS_PLAIN);
    fputc('\n', page->out);
}

static void print_findings(const struct words_page *page, const char *heading,
                           const struct finding *findings, size_t count) {
    if (count > 0 && heading) print_heading(page, heading);
    for (size_t i = 0; i < count; i++)
        words_wrap(page, heading ? "  - " : "", findings[i].text);
}

/* False when memory is short. */
static bool print_command(const struct diagnosis *d, const struct words_page *page,
                          const struct fix *fix, const char *scenario) {
    char *command = command_of(d, fix, scenario, " ");
    if (command && page->columns > 0 && words_width(command) + 5 > page->columns) {
        free(command);
        command = command_of(d, fix, scenario, " \\\n         ");
    }
    if (!command) return false;
    words_style(page, WORDS_DIM);
    fprintf(page->out, "     %s", command);
    words_style(page, WORDS_PLAIN);
    fputc('\n', page->out);
    free(command);
    return true;
}

static bool has_command(const struct diagnosis *d) {
    for (size_t i = 0; i < d->fix_count; i++)
        if (d->fixes[i].set_count > 0) return true;
    return false;
}

static bool print_fixes(const struct diagnosis *d, const struct words_page *page,
                        const char *scenario) {
    if (d->fix_count > 0) print_heading(page, "What would fix it");
    if (d->note && has_command(d)) words_wrap(page, "", d->note);
    for (size_t i = 0; i < d->fix_count; i++) {
        const struct fix *fix = &d->fixes[i];
        char lead[24];
        snprintf(lead, sizeof lead, "%3zu. ", i + 1);
        words_wrap(page, lead, fix->title);
        if (*fix->remark) words_wrap(page, "     ", fix->remark);
        if (fix->set_count > 0 && !print_command(d, page, fix, scenario)) return false;
    }
    return true;
}

static void print_episode(const struct diagnosis *d, const struct words_page *page,
                          const struct episode *episode) {
    char text[512];
    const struct query_resource *resource = episode->resource;
    snprintf(text, sizeof text, "%s to %s%s  %s%s%s: %s %s refused",
             CLOCK_S(d, episode->start_ns / NS_PER_S), CLOCK_S(d, facts_episode_end_s(episode)),
             episode->open ? " (the end)" : "", resource->table, resource->index ? "/" : "",
             resource->index ? resource->index : "", COUNT(episode->refused),
             episode->write ? "writes" : "reads");
    words_wrap(page, "  - ", text);
}

/* The larger ones, in time's order. */
static void print_episodes(const struct diagnosis *d, const struct words_page *page) {
    if (d->episode_count < 2) return;
    print_heading(page, "When");
    size_t hidden = 0;
    for (size_t i = 0; i < d->episode_count; i++) {
        size_t larger = 0;
        for (size_t k = 0; k < d->episode_count; k++)
            larger += d->episodes[k].refused > d->episodes[i].refused ||
                      (k < i && d->episodes[k].refused == d->episodes[i].refused);
        if (larger < EPISODES_SHOWN)
            print_episode(d, page, &d->episodes[i]);
        else
            hidden++;
    }
    if (hidden > 0) fprintf(page->out, "  - and %zu smaller ones\n", hidden);
}

enum ddbsim_status diagnosis_print(const struct diagnosis *diagnosis, FILE *out,
                                   const char *scenario, int columns, bool colour,
                                   struct ddbsim_error *error) {
    const struct words_page page = {out, columns, colour};
    words_style(&page, diagnosis->cause == DDBSIM_CAUSE_NONE ? WORDS_GOOD : WORDS_BAD);
    words_wrap(&page, "", diagnosis->headline);
    words_style(&page, WORDS_PLAIN);
    print_findings(&page, NULL, diagnosis->remarks, diagnosis->remark_count);
    print_episodes(diagnosis, &page);
    print_findings(&page, "Why", diagnosis->chain, diagnosis->chain_count);
    print_findings(&page, "Not the cause", diagnosis->not_cause, diagnosis->not_cause_count);
    print_findings(&page, "Alarms", diagnosis->alarm_findings, diagnosis->alarm_finding_count);
    return print_fixes(diagnosis, &page, scenario) ? DDBSIM_OK : error_memory(error);
}

/* ---- JSON ---- */

static json_t *json_resource(const struct query_resource *resource) {
    return json_pack("{s:o, s:o}", "table", tojson_text(resource->table), "index",
                     tojson_text(resource->index));
}

static json_t *json_clock(const struct diagnosis *d, int64_t t_s) {
    return tojson_text(CLOCK_S(d, t_s));
}

static json_t *json_verdict(const struct diagnosis *d) {
    bool throttles = d->throttled > 0;
    int64_t attempts = d->hidden > 0 ? 0 : d->throttled; /* that were refused */
    return json_pack("{s:b, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:o}", "throttles",
                     throttles, "text", tojson_text(d->headline), "requests",
                     (json_int_t)d->requests, "attempts", (json_int_t)d->attempts, "succeeded",
                     (json_int_t)d->succeeded, "failed", (json_int_t)d->failed, "in_flight",
                     (json_int_t)(d->requests - d->succeeded - d->failed), "retries",
                     (json_int_t)d->retries, "throttled_attempts", (json_int_t)attempts,
                     "first_throttle",
                     d->first_throttle_s < 0 ? json_null() : json_clock(d, d->first_throttle_s),
                     "throttled_for_s", (json_int_t)d->throttled_for_s, "throttled_ratio",
                     tojson_number(d->attempts > 0 ? (double)attempts / (double)d->attempts
                                   : throttles     ? NAN
                                                   : 0));
}

static json_t *json_detail(const struct diagnosis *d) {
    if (!d->main) return json_null();
    return json_pack("{s:o, s:s, s:s, s:s, s:s, s:f}", "resource", json_resource(d->main->resource),
                     "reason", ddbsim_reason_name(d->main->reason), "what",
                     ddbsim_cause_what((int)d->cause), "underlying",
                     ddbsim_cause_name((int)d->under), "direction",
                     ddbsim_reason_is_write(d->main->reason) ? "write" : "read", "share", d->share);
}

static json_t *json_episodes(const struct diagnosis *d) {
    json_t *list = json_array();
    for (size_t i = 0; i < d->episode_count; i++) {
        const struct episode *episode = &d->episodes[i];
        list = tojson_append(list, json_pack("{s:o, s:s, s:o, s:o, s:f, s:f, s:b, s:I}", "resource",
                                             json_resource(episode->resource), "direction",
                                             episode->write ? "write" : "read", "from",
                                             json_clock(d, episode->start_ns / NS_PER_S), "to",
                                             json_clock(d, facts_episode_end_s(episode)),
                                             "from_t_s", (double)episode->start_ns / 1e9, "to_t_s",
                                             (double)episode->end_ns / 1e9, "open", episode->open,
                                             "throttle_events", (json_int_t)episode->refused));
    }
    return list;
}

static json_t *json_findings(const struct finding *findings, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *numbers = json_object();
        for (size_t k = 0; k < findings[i].amount_count; k++)
            numbers = tojson_set(numbers, findings[i].amounts[k].name,
                                 tojson_number(findings[i].amounts[k].value));
        list =
            tojson_append(list, json_pack("{s:o, s:s, s:o}", "text", tojson_text(findings[i].text),
                                          "source", findings[i].source, "numbers", numbers));
    }
    return list;
}

static json_t *json_command(const struct diagnosis *d, const struct fix *fix,
                            const char *scenario) {
    if (fix->set_count == 0) return json_null();
    char *command = command_of(d, fix, scenario, " ");
    json_t *value = command ? tojson_text(command) : NULL;
    free(command);
    return value;
}

static json_t *json_fixes(const struct diagnosis *d, const char *scenario) {
    json_t *list = json_array();
    for (size_t i = 0; i < d->fix_count; i++) {
        const struct fix *fix = &d->fixes[i];
        json_t *sets = json_object();
        for (size_t k = 0; k < fix->set_count; k++)
            sets = tojson_set(sets, fix->sets[k].path, tojson_text(fix->sets[k].value));
        list =
            tojson_append(list, json_pack("{s:o, s:o, s:o, s:o}", "title", tojson_text(fix->title),
                                          "remark", tojson_text(fix->remark), "command",
                                          json_command(d, fix, scenario), "set", sets));
    }
    return list;
}

static json_t *json_options(const struct diagnosis *d) {
    json_t *settings = json_object();
    for (size_t i = 0; i < d->options.count; i++)
        settings =
            tojson_set(settings, d->options.items[i].path, tojson_text(d->options.items[i].value));
    return settings;
}

enum ddbsim_status diagnosis_print_json(const struct diagnosis *diagnosis, FILE *out,
                                        const char *scenario, struct ddbsim_error *error) {
    const struct diagnosis *d = diagnosis;
    json_t *root =
        json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                  "scenario", tojson_text(d->run.scenario), "variant", tojson_text(d->run.variant),
                  "set", json_options(d), "seed", (json_int_t)d->run.seed, "status",
                  tojson_text(d->run.status), "verdict", json_verdict(d), "cause",
                  ddbsim_cause_name((int)d->cause), "cause_detail", json_detail(d), "episodes",
                  json_episodes(d), "chain", json_findings(d->chain, d->chain_count), "not_cause",
                  json_findings(d->not_cause, d->not_cause_count), "remarks",
                  json_findings(d->remarks, d->remark_count), "alarms",
                  json_findings(d->alarm_findings, d->alarm_finding_count), "commands_note",
                  d->note && has_command(d) ? tojson_text(d->note) : json_null(), "fixes",
                  json_fixes(d, scenario));
    return tojson_print(root, out, error);
}
