/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What became of hot partitions: healed by a split, being split, or not split and why. From the events
 * split_started, split_finished and split_refused of the culprit, and from when its refusals ended.
 *
 * A split healed what refused when the last refusal lies within a minute of its end. A partition that was
 * refused a split and got one later counts as split.
 */
#include <plots/diagnosis_parts.h>

#include <math.h>
#include <string.h>

#define HEALED_S 60
#define REASONS_TOLD 2

#define OF_HEAT                                                                             \
    " AND coalesce(iif(json_valid(detail), json_extract(detail, '$.cause'), NULL), 'heat')" \
    " = 'heat'"
#define EVENTS_OF(kind) "FROM event WHERE run_id = ?1 AND resource_id = ?2 AND kind = '" kind "'"

struct fate {
    int64_t splits, first_s, last_s;
    int64_t healed_s;  /* -1: no split ended the refusals */
    int64_t refused_s; /* the end of the last refusal; where it goes on, the run's end */
    bool open;
};

/* One number about the culprit; -1 where there is none. */
static int64_t ask(struct diagnosis *d, const char *sql) {
    int64_t value = -1;
    diagnosis_check(d, query_one_int(d->database, d->error, -1, &value, sql, "ii", d->run.run_id,
                                     d->culprit->resource->resource_id));
    return value;
}

/* The split that ended nearest to the last refusal, if it is near enough. */
static int64_t split_at(struct diagnosis *d, int64_t refused_s) {
    int64_t t_s = -1;
    diagnosis_check(d, query_one_int(d->database, d->error, -1, &t_s,
                                     "SELECT t_s FROM (SELECT t_ns / 1000000000 AS t_s " EVENTS_OF(
                                         "split_finished") OF_HEAT
                                     ") WHERE abs(t_s - ?3) <= ?4"
                                     " ORDER BY abs(t_s - ?3), t_s LIMIT 1",
                                     "iiii", d->run.run_id, d->culprit->resource->resource_id,
                                     refused_s, (int64_t)HEALED_S));
    return t_s;
}

static void read_refused(struct diagnosis *d, struct fate *fate) {
    for (size_t i = 0; i < d->episode_count; i++) {
        const struct episode *episode = &d->episodes[i];
        int64_t end_s = facts_episode_end_s(episode);
        if (episode->resource != d->culprit->resource || episode->write != d->culprit->write)
            continue;
        if (end_s > fate->refused_s) fate->refused_s = end_s;
        fate->open = fate->open || episode->open;
    }
}

static struct fate read_fate(struct diagnosis *d) {
    struct fate fate = {.healed_s = -1};
    read_refused(d, &fate);
    fate.splits = ask(d, "SELECT count(*) " EVENTS_OF("split_finished") OF_HEAT);
    if (fate.splits < 1) return fate;
    fate.first_s = ask(d, "SELECT min(t_ns) / 1000000000 " EVENTS_OF("split_finished") OF_HEAT);
    fate.last_s = ask(d, "SELECT max(t_ns) / 1000000000 " EVENTS_OF("split_finished") OF_HEAT);
    if (!fate.open) fate.healed_s = split_at(d, fate.refused_s);
    return fate;
}

static double served_in(struct diagnosis *d, int64_t from_s) {
    double units = NAN;
    diagnosis_check(
        d, query_one_double(d->database, d->error, &units,
                            "SELECT sum(iif(?3, write_units, read_units)) FROM second"
                            " WHERE run_id = ?1 AND resource_id = ?2 AND t_s >= ?4 AND t_s < ?5",
                            "iiiii", d->run.run_id, d->culprit->resource->resource_id,
                            (int64_t)d->culprit->write, from_s, from_s + HEALED_S));
    return units / HEALED_S;
}

/* "split once for heat, at 00:10" or "split 6 times for heat, from 00:10 to 00:36". */
static const char *splits_in_words(struct diagnosis *d, const struct fate *fate) {
    if (fate->splits == 1) return SAY(d, "split once for heat, at %s", CLOCK(d, fate->first_s));
    return SAY(d, "split %s times for heat, from %s to %s", COUNT(fate->splits),
               CLOCK(d, fate->first_s), CLOCK(d, fate->last_s));
}

static void say_split(struct diagnosis *d, const struct fate *fate) {
    if (fate->splits < 1) return;
    double before = served_in(d, fate->first_s > HEALED_S ? fate->first_s - HEALED_S : 0);
    double after = served_in(d, fate->last_s);
    const char *came = ", which did not end the refusals";
    if (fate->healed_s >= 0)
        came = SAY(d, ": healed by a split at %s", CLOCK(d, fate->healed_s));
    else if (fate->first_s > fate->refused_s)
        came = ", when the refusals were over";
    const char *served = "";
    if (before > 0 && after > 0 && fate->last_s + HEALED_S <= d->end_s)
        served = SAY(d, " It served %s %s/s before the first and %s after the last.",
                     NUMBER(before), facts_unit(d->culprit->write), NUMBER(after));
    struct finding *finding =
        diagnosis_chain(d,
                        SAY(d, "Partitions of %s were %s%s.%s", facts_name(d, d->culprit->resource),
                            splits_in_words(d, fate), came, served),
                        "event split_finished; second.write_units, read_units");
    diagnosis_amount(finding, "splits", (double)fate->splits);
    diagnosis_amount(finding, "served_before_per_s", before);
    diagnosis_amount(finding, "served_after_per_s", after);
    if (fate->healed_s >= 0) diagnosis_amount(finding, "healed_t_s", (double)fate->healed_s);
}

static bool say_pending(struct diagnosis *d) {
    int64_t since_s = ask(d, "SELECT min(t_ns) / 1000000000 " EVENTS_OF("split_started") OF_HEAT
                          " AND NOT EXISTS (SELECT 1 FROM event f WHERE f.run_id = ?1 AND"
                          " f.partition_id = event.partition_id AND f.kind = 'split_finished')");
    if (since_s < 0) return false;
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d,
            "A split is pending at the end, begun at %s: until its children take over, the "
            "partition has the limit of one.",
            CLOCK(d, since_s)),
        "event split_started");
    diagnosis_amount(finding, "pending_t_s", (double)since_s);
    return true;
}

static const char *reason_in_words(const char *reason) {
    static const char *const words[][2] = {
        {"single_item", "nearly all of its traffic is one item, and an item cannot be divided"},
        {"sequential", "its keys only rise, or only fall, so one side of any cut would have all of "
                       "what comes"},
        {"collection",
         "its traffic is one partition key's, and a local index keeps the items of a key together"},
        {"no_benefit", "wherever it is cut, nearly all of its traffic stays on one side"},
        {"no_room", "there are 100,000 partitions, and this program simulates no more"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i][0], reason) == 0) return words[i][1];
    return reason;
}

static bool say_refused(struct diagnosis *d) {
    struct query query;
    int told = 0;
    query_open(
        &query, d->database, d->error,
        "SELECT coalesce(iif(json_valid(detail), json_extract(detail, '$.reason'), NULL),"
        " '') AS reason, count(DISTINCT partition_id) AS n,"
        " min(t_ns) / 1000000000 " EVENTS_OF(
            "split_refused") " AND NOT EXISTS (SELECT 1 FROM event f WHERE f.run_id = ?1 AND"
                             " f.partition_id = event.partition_id AND f.kind = 'split_finished')"
                             " GROUP BY reason HAVING n > 0 ORDER BY n DESC, 3, reason",
        "ii", d->run.run_id, d->culprit->resource->resource_id);
    while (told < REASONS_TOLD && query_next(&query)) {
        int64_t count = query_int(&query, 1), t_s = query_seconds(&query, 2);
        const char *reason = query_text(&query, 0);
        const char *who = count == 1
                              ? SAY(d, "The hot partition was not split at %s", CLOCK(d, t_s))
                              : SAY(d, "%s hot partitions were not split, the first at %s",
                                    COUNT(count), CLOCK(d, t_s));
        struct finding *finding = diagnosis_chain(
            d, SAY(d, "%s: %s.", who, reason_in_words(reason)), "event split_refused");
        diagnosis_amount(finding, "not_split", (double)count);
        diagnosis_amount(finding, "not_split_t_s", (double)t_s);
        if (!d->not_split) d->not_split = SAY(d, "%s", reason);
        told++;
    }
    diagnosis_check(d, query_close(&query));
    return told > 0;
}

static void say_none(struct diagnosis *d) {
    const char *mode = facts_assumption(d, d->culprit->resource, "heat_split");
    const char *window = facts_assumption(d, d->culprit->resource, "heat_window");
    int64_t parts = ask(d, "SELECT count(*) FROM partition WHERE run_id = ?1 AND resource_id = ?2");
    if (parts < 1 || !mode) return;
    if (strcmp(mode, "off") == 0)
        diagnosis_chain(d, "No partition is split for heat under the rules of this scenario.",
                        "setting model.heat_split");
    else if (window)
        diagnosis_chain(d, SAY(d, "No split began: a partition must have been hot for %s.", window),
                        "event split_started; setting model.heat_window");
}

void splits_say(struct diagnosis *d) {
    struct fate fate = read_fate(d);
    say_split(d, &fate);
    bool pending = say_pending(d), refused = fate.healed_s < 0 && say_refused(d);
    if (fate.splits < 1 && !pending && !refused) say_none(d);
    d->split_count = fate.splits > 0 ? fate.splits : 0;
}
