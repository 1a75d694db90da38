/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What became of messages and records that Lambda works on (docs/model.md, M-115 to M-119): dead letters are lost
 * work, and a stream's reader may fall behind, which no metric of the table shows; so it is said whatever else is the
 * matter.
 */
#include <plots/diagnosis_parts.h>

#define BEHIND_S 60 /* a shorter time is no story: it is polled and tried again within it */

static void say(struct diagnosis *d, const char *workload, double dead) {
    double again = facts_outcome(d, "duplicates", workload),
           received = facts_outcome(d, "received", workload);
    double messages = facts_outcome(d, "messages", workload); /* 0: records of a stream */
    bool queue = messages > 0;
    const char *of = queue ? SAY(d, "%s messages", COUNT((int64_t)messages))
                           : SAY(d, "%s records", COUNT((int64_t)received));
    const char *twice =
        again > 0 ? SAY(d, "; the work of %s was done again", COUNT((int64_t)again)) : "";
    const char *advice =
        queue ? "Capacity first, or more patience: more receives, a longer visibility timeout, "
                "fewer environments."
              : "Capacity first, or more patience: more retries, an older maximum_record_age. What "
                "can never be done goes alone with bisect_batch_on_function_error.";
    struct finding *finding =
        diagnosis_remark(d,
                         SAY(d, "%s of %s of %s %s%s. %s", COUNT((int64_t)dead), of, workload,
                             queue ? "became dead letters" : "were given up", twice, advice),
                         "outcome.dead_letters, messages, received, duplicates");
    diagnosis_amount(finding, "dead_letters", dead);
    diagnosis_amount(finding, "duplicates", again);
}

/* A batch that fails holds its shard up, and what comes after it grows old. */
static void say_behind(struct diagnosis *d) {
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT scope, value FROM outcome WHERE run_id = ? AND name = 'iterator_age'"
               " AND scope <> '' AND value >= ? ORDER BY scope",
               "ii", d->run.run_id, (int64_t)BEHIND_S);
    while (query_next(&query)) {
        double age = query_double(&query, 1);
        struct finding *finding = diagnosis_remark(
            d,
            SAY(d,
                "The Lambda of %s fell behind its stream: records were up to %s old when it got "
                "them (IteratorAge). A batch that fails is tried again and holds its shard up.",
                query_text(&query, 0), DURATION(age)),
            "outcome.iterator_age");
        diagnosis_amount(finding, "iterator_age_s", age);
    }
    diagnosis_check(d, query_close(&query));
}

void queues_say(struct diagnosis *d) {
    say_behind(d);
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT scope, value FROM outcome WHERE run_id = ? AND name = 'dead_letters'"
               " AND scope <> '' AND value > 0 ORDER BY scope",
               "i", d->run.run_id);
    while (query_next(&query))
        say(d, SAY(d, "%s", query_text(&query, 0)), query_double(&query, 1));
    diagnosis_check(d, query_close(&query));
}
