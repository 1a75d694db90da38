/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What readers did not find: items under suffixes that they do not ask (docs/model.md, M-16). No refusal and
 * no error shows it, so it is said whatever else is the matter.
 */
#include <plots/diagnosis_parts.h>

void missed_say(struct diagnosis *d) {
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
