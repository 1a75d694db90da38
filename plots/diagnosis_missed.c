/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What AWS refused for what it asked (M-67), and what readers did not find: items under suffixes that they do not ask (docs/model.md, M-16). No refusal and
 * no error shows it, so it is said whatever else is the matter.
 */
#include <plots/diagnosis_parts.h>

#include <stdlib.h>

/* Does a workload read that index, at some time? */
static bool reads_index(struct diagnosis *d, const char *workload,
                        const struct query_resource *index) {
    int64_t count = 0;
    char *name = words_path_name(workload);
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &count,
                                     "SELECT count(*) FROM setting WHERE run_id = ? AND value = ?"
                                     " AND path LIKE '%.index' AND instr(path, ?) > 0",
                                     "itt", d->run.run_id, index->index,
                                     SAY(d, "workloads.%s.", diagnosis_keep(d, name))));
    free(name);
    return count > 0;
}

/* An index that a workload reads, and that was not there all the time; NULL: there is none. */
static const char *absent_in_words(struct diagnosis *d, const char *workload) {
    for (size_t i = 0; i < d->resources.count; i++) {
        const struct query_resource *index = &d->resources.items[i];
        struct query_life life;
        if (!index->index) continue;
        diagnosis_check(
            d, query_life_read(d->database, d->run.run_id, index->resource_id, &life, d->error));
        if ((life.gone_s < 0 && life.born_s < 0) || !reads_index(d, workload, index)) continue;
        if (life.gone_s >= 0)
            return SAY(d, "%s is read, and was deleted at %s", facts_name(d, index),
                       CLOCK(d, life.gone_s));
        if (life.active_s < 0)
            return SAY(d, "%s is read, and was never there", facts_name(d, index));
        return SAY(d, "%s is read, and was not there before %s", facts_name(d, index),
                   CLOCK(d, life.active_s));
    }
    return NULL;
}

static void say_invalid(struct diagnosis *d, const char *workload, double invalid) {
    const char *absent = absent_in_words(d, workload);
    const char *why = absent
                          ? SAY(d,
                                "%s. Move readers to another index before one goes, and to a new "
                                "one when it is active",
                                absent)
                          : "what they ask is not allowed, such as a strong read of a GLOBAL "
                            "index, an empty key, an item beyond 400 KB or a batch of 26";
    struct finding *finding =
        diagnosis_remark(d,
                         SAY(d,
                             "AWS refused %s calls of %s as invalid (UserErrors): %s. No capacity "
                             "and no retry helps.",
                             COUNT((int64_t)invalid), workload, why),
                         "outcome.user_errors");
    diagnosis_amount(finding, "user_errors", invalid);
}

/* All of them are in vain, each time: no capacity helps. */
static void invalid_say(struct diagnosis *d) {
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT scope, value FROM outcome WHERE run_id = ? AND name = 'user_errors'"
               " AND scope <> '' AND value > 0 ORDER BY scope",
               "i", d->run.run_id);
    while (query_next(&query))
        say_invalid(d, SAY(d, "%s", query_text(&query, 0)), query_double(&query, 1));
    diagnosis_check(d, query_close(&query));
}

void missed_say(struct diagnosis *d) {
    invalid_say(d);
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT scope, value FROM outcome WHERE run_id = ? AND name = 'missed_items'"
               " AND scope <> '' ORDER BY scope",
               "i", d->run.run_id);
    while (query_next(&query)) {
        double missed = query_double(&query, 1);
        struct finding *finding =
            diagnosis_remark(d,
                             SAY(d,
                                 "Reads of %s missed %s items, without an error: they ask fewer "
                                 "suffixes than there are, or "
                                 "calculate them with another number. Ask all of them (shards: "
                                 "all), and move what was "
                                 "written under the old number, before the number changes.",
                                 query_text(&query, 0), COUNT((int64_t)missed)),
                             "outcome.missed_items");
        diagnosis_amount(finding, "missed_items", missed);
    }
    diagnosis_check(d, query_close(&query));
}
