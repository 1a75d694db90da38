/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What AWS refused for what it asked (M-67), and what readers did not find: items under suffixes that they do not ask (docs/model.md, M-16). No refusal and
 * no error shows it, so it is said whatever else is the matter.
 */
#include <plots/diagnosis_parts.h>

/* All of them are in vain, each time: no capacity helps. */
static void invalid_say(struct diagnosis *d) {
    struct query query;
    query_open(
        &query, d->database, d->error,
        "SELECT total(value) FROM outcome WHERE run_id = ? AND name = 'user_errors' AND scope = ''",
        "i", d->run.run_id);
    double invalid = query_next(&query) ? query_double(&query, 0) : 0;
    diagnosis_check(d, query_close(&query));
    if (!(invalid > 0)) return;
    struct finding *finding =
        diagnosis_remark(d,
                         SAY(d,
                             "AWS refused %s calls as invalid (UserErrors): what they ask is not "
                             "allowed, such as a strong read "
                             "of a GLOBAL index, an empty key, an item beyond 400 KB or a batch of "
                             "26. No capacity and no retry "
                             "helps.",
                             COUNT((int64_t)invalid)),
                         "outcome.user_errors");
    diagnosis_amount(finding, "user_errors", invalid);
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
