/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Indexes that came or went while something was refused: from events index_building, index_active and
 * index_deleted. An index that is deleted ends its own refusals; another one that is built beside it ends none, for
 * a write goes to both.
 */
#include <plots/diagnosis_parts.h>

#include <string.h>

#define ENDED_S 60 /* the last refusal comes so soon before what ended it */

static struct query_life life_of(struct diagnosis *d, const struct query_resource *index) {
    struct query_life life;
    diagnosis_check(
        d, query_life_read(d->database, d->run.run_id, index->resource_id, &life, d->error));
    return life;
}

/* The culprit's refusals: the first, and the end of the last. */
static struct window refusals_of(const struct diagnosis *d) {
    struct window window = {INT64_MAX, -1};
    for (size_t i = 0; i < d->episode_count; i++) {
        const struct episode *episode = &d->episodes[i];
        int64_t start_s = episode->start_ns / INT64_C(1000000000);
        int64_t end_s = facts_episode_end_s(episode);
        if (episode->resource != d->culprit->resource || episode->write != d->culprit->write)
            continue;
        if (start_s < window.start_s) window.start_s = start_s;
        if (end_s > window.end_s) window.end_s = end_s;
    }
    return window;
}

static const char *until_in_words(struct diagnosis *d, const struct query_life *life) {
    if (life->active_s < 0) return SAY(d, "is being built from %s on", CLOCK(d, life->born_s));
    return SAY(d, "was built from %s to %s", CLOCK(d, life->born_s), CLOCK(d, life->active_s));
}

/* The culprit is new: what fills it in lives on the capacity that callers' writes need. */
static void say_culprit_built(struct diagnosis *d, const struct query_life *life,
                              struct window refusals) {
    int64_t end_s = life->active_s < 0 ? d->end_s : life->active_s;
    if (life->born_s < 0 || refusals.start_s >= end_s) return;
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d,
            "%s %s: callers' writes go to it from the first moment, and share its capacity with "
            "the items that are filled in.",
            SAY(d, "Index %s", d->culprit->resource->index), until_in_words(d, life)),
        "event index_building, index_active");
    diagnosis_amount(finding, "building_t_s", (double)life->born_s);
}

static void say_culprit_gone(struct diagnosis *d, const struct query_life *life,
                             struct window refusals) {
    if (life->gone_s < 0 || refusals.end_s < 0) return;
    if (life->gone_s > refusals.end_s + ENDED_S || life->gone_s < refusals.end_s - ENDED_S) return;
    struct finding *finding =
        diagnosis_chain(d,
                        SAY(d, "It ended at %s, when index %s was deleted.", CLOCK(d, life->gone_s),
                            d->culprit->resource->index),
                        "event index_deleted");
    diagnosis_amount(finding, "deleted_t_s", (double)life->gone_s);
}

/* Another index was built while this one refused. */
static void say_built_beside(struct diagnosis *d, const struct query_resource *index,
                             struct window refusals) {
    const struct query_life life = life_of(d, index);
    if (life.born_s < 0 || life.born_s >= refusals.end_s) return;
    if (life.active_s >= 0 && life.active_s <= refusals.start_s) return;
    const char *items = life.items >= 0 ? SAY(d, " (%s items)", COUNT(life.items)) : "";
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d,
            "Index %s %s%s. That relieves nothing while index %s stands: every write goes to "
            "both, and both are paid for.",
            index->index, until_in_words(d, &life), items, d->culprit->resource->index),
        "event index_building, index_active");
    diagnosis_amount(finding, "building_t_s", (double)life.born_s);
    if (life.active_s >= 0) diagnosis_amount(finding, "active_t_s", (double)life.active_s);
}

void indexes_say(struct diagnosis *d) {
    const struct query_resource *culprit = d->culprit->resource;
    if (!culprit->index) return;
    const struct query_life life = life_of(d, culprit);
    struct window refusals = refusals_of(d);
    say_culprit_built(d, &life, refusals);
    for (size_t i = 0; i < d->resources.count && d->culprit->write; i++) {
        const struct query_resource *other = &d->resources.items[i];
        if (other != culprit && other->index && strcmp(other->table, culprit->table) == 0)
            say_built_beside(d, other, refusals);
    }
    say_culprit_gone(d, &life, refusals);
}
