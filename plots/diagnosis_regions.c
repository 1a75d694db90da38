/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tables of a global table pay for other Regions' writes, and how late these came: callers' own writes do not
 * tell it, and a table that seems large enough for them may not be large enough for both.
 */
#include <plots/diagnosis_parts.h>

#include <stdlib.h>

#define LATE_MS 5000 /* beyond what is usual between Regions */

static void say_sources(struct diagnosis *d) {
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT r.table_name, sum(iif(m.dimension = 'GlobalTable', m.sum, 0)),"
               " sum(m.sum) FROM metric m JOIN resource r ON r.run_id = ?1"
               " AND r.resource_id = m.resource_id WHERE m.run_id = ?1 AND m.name = ?2"
               " AND m.dimension IN ('GlobalTable', 'Customer') GROUP BY 1"
               " HAVING sum(iif(m.dimension = 'GlobalTable', m.sum, 0)) > 0 ORDER BY 1",
               "it", d->run.run_id, ddbsim_metric_name(DDBSIM_METRIC_CONSUMED_WRITE));
    while (query_next(&query)) {
        double replicated = query_double(&query, 1), all = query_double(&query, 2);
        struct finding *finding = diagnosis_remark(
            d,
            SAY(d, "Of the write units that table %s consumed, %s came from other Regions.",
                query_text(&query, 0), PERCENT(replicated / all)),
            "metric ConsumedWriteCapacityUnits, dimension Source");
        diagnosis_amount(finding, "replicated_units", replicated);
        diagnosis_amount(finding, "units", all);
    }
    diagnosis_check(d, query_close(&query));
}

static void say_late(struct diagnosis *d) {
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT r.table_name, m.dimension, max(m.maximum) FROM metric m JOIN resource r"
               " ON r.run_id = ?1 AND r.resource_id = m.resource_id WHERE m.run_id = ?1"
               " AND m.name = ?2 GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 1",
               "it", d->run.run_id, ddbsim_metric_name(DDBSIM_METRIC_REPLICATION_LATENCY));
    if (query_next(&query) && query_double(&query, 2) > LATE_MS) {
        struct finding *finding = diagnosis_remark(
            d,
            SAY(d,
                "Writes to table %s were in %s up to %s later: a Region that lacks write capacity "
                "refuses nothing of what comes from others, it falls behind.",
                query_text(&query, 0), query_text(&query, 1),
                DURATION(query_double(&query, 2) / 1000)),
            "metric ReplicationLatency");
        diagnosis_amount(finding, "replication_latency_ms", query_double(&query, 2));
    }
    diagnosis_check(d, query_close(&query));
}

void regions_say(struct diagnosis *d) {
    say_sources(d);
    if (d->status == DDBSIM_OK) say_late(d);
}
