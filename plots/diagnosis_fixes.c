/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What would fix it, from quickest to most structural, each as settings that a run can try.
 *
 * Capacity is proposed for every resource of the same tables that would bind next, not for the
 * first one alone: raising an index lets more writes through, and its table may be short of them.
 * The figure is the mean demand rounded up; it leaves the moment-to-moment excess to the burst, so
 * the remark gives what a target of 70 % asks for. Rates that a setting must meet come from first
 * attempts (diagnosis_facts.c). Where a rise of capacity ended the refusals in the run itself, that
 * is the figure. A run that refused nothing but ended above its capacity, on saved burst, gets the
 * capacity that it lives on.
 */
#include <plots/diagnosis_parts.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TARGET 0.7
#define EXACT 1e-6          /* 120.0000001 units are 120 */
#define SMALL_ENTRY_UNITS 1 /* an index entry of up to 1 KB costs one unit */
#define SPREAD "spread"     /* the value set that shards a key */

static struct fix *add_fix(struct diagnosis *d, const char *title) {
    struct fix *fix =
        diagnosis_append(d, (void **)&d->fixes, &d->fix_count, &d->fix_capacity, sizeof *fix);
    if (fix) *fix = (struct fix){.title = title, .remark = ""};
    return fix;
}

static void add_set(struct diagnosis *d, struct fix *fix, const char *path, const char *value) {
    if (!fix) return;
    struct setting *set =
        diagnosis_append(d, (void **)&fix->sets, &fix->set_count, &fix->set_capacity, sizeof *set);
    if (set) *set = (struct setting){path, value};
}

struct fix *fixes_add(struct diagnosis *d, const char *title) {
    return add_fix(d, title);
}

void fixes_set(struct diagnosis *d, struct fix *fix, const char *path, const char *value) {
    add_set(d, fix, path, value);
}

static double units_for(double demand_per_s) {
    double units = ceil(demand_per_s - EXACT);
    return units < 1 ? 1 : units;
}

static bool short_of(const struct flow *flow, double demand_per_s) {
    return demand_per_s > flow->capacity_per_s + EXACT;
}

static bool provisioned_cause(enum ddbsim_cause cause) {
    return cause == DDBSIM_CAUSE_INDEX_CAPACITY || cause == DDBSIM_CAUSE_TABLE_CAPACITY;
}

static bool table_refuses(const struct diagnosis *d, const struct flow *flow) {
    for (size_t i = 0; i < d->refusal_count; i++) {
        const struct refusal *refusal = &d->refusals[i];
        bool same = strcmp(refusal->resource->table, flow->resource->table) == 0;
        if (same && ddbsim_reason_is_write(refusal->reason) == flow->write &&
            provisioned_cause(refusal->cause))
            return true;
    }
    return false;
}

/* Whether a flow must grow for its table to serve everything: it refuses, or would once others do
 * not. */
static bool must_grow(const struct diagnosis *d, const struct flow *flow) {
    return short_of(flow, flow->needed_per_s) && table_refuses(d, flow);
}

static bool short_of_relief(const struct diagnosis *d, const struct flow *flow) {
    /* What on-demand serves says nothing of how much one should provision. */
    if (evidence_on_demand(d, flow->resource, d->relief.t_s)) return true;
    return flow->needed_per_s > d->relief.after_per_s + EXACT;
}

/* What a capacity cause asks a flow to be set to; 0: to stay as it is, NaN: unknown. Where the mean
 * demand fits and only its peaks do not, what refuses gets the target's headroom. */
static double units_to_set(const struct diagnosis *d, const struct flow *flow) {
    bool acts = flow == d->culprit && provisioned_cause(d->under);
    if (acts && d->relief.t_s >= 0 && !short_of_relief(d, flow)) return d->relief.after_per_s;
    if (must_grow(d, flow) || flow->end_demand_per_s > 0) return units_for(flow->needed_per_s);
    if (!acts) return 0;
    double units = units_for(flow->needed_per_s / TARGET);
    if (isnan(flow->needed_per_s) || isnan(flow->capacity_per_s)) return NAN;
    return units > flow->capacity_per_s ? units : floor(flow->capacity_per_s) + 1;
}

static void set_capacity(struct diagnosis *d, struct fix *fix, const struct flow *flow,
                         double demand_per_s) {
    add_set(d, fix,
            SAY(d, "%s.%s_capacity", facts_path(d, flow->resource), flow->write ? "write" : "read"),
            SAY(d, "%.0f", units_for(demand_per_s)));
    fixes_hold(d, fix, flow, units_for(demand_per_s));
}

/* ---- capacity ---- */

/* "write capacity of index I of T from 100 to 343", for one flow. */
static const char *raise_in_words(struct diagnosis *d, const struct flow *flow, double units) {
    return SAY(d, "%s capacity of %s from %s to %s", flow->write ? "write" : "read",
               facts_name(d, flow->resource), NUMBER(flow->capacity_per_s), NUMBER(units));
}

/* What raising the culprit alone would leave: the resource that lets the smallest part through. */
static const char *alone_in_words(struct diagnosis *d) {
    const struct flow *tightest = NULL;
    if (!d->culprit) return "";
    for (size_t i = 0; i < d->flow_count; i++) {
        const struct flow *flow = &d->flows[i];
        if (flow == d->culprit || flow->table != d->culprit->table ||
            flow->write != d->culprit->write || !must_grow(d, flow))
            continue;
        if (!tightest || flow->capacity_per_s / flow->needed_per_s <
                             tightest->capacity_per_s / tightest->needed_per_s)
            tightest = flow;
    }
    if (!tightest) return "";
    return SAY(d,
               "Raising %s alone is not enough: %s is asked for %s and has %s, and would then "
               "refuse %s of the %s. ",
               facts_name(d, d->culprit->resource), facts_name(d, tightest->resource),
               NUMBER(tightest->needed_per_s), NUMBER(tightest->capacity_per_s),
               PERCENT(1 - tightest->capacity_per_s / tightest->needed_per_s),
               tightest->write ? "writes" : "reads");
}

/* The i-th flow, the culprit first: it is what the reader expects. */
static const struct flow *culprit_first(const struct diagnosis *d, size_t i) {
    if (!d->culprit) return &d->flows[i];
    size_t culprit = (size_t)(d->culprit - d->flows);
    return i == 0 ? d->culprit : &d->flows[i <= culprit ? i - 1 : i];
}

/* A recording holds what was served, so what was asked is at least that. */
static void propose_unknown_capacity(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    struct fix *fix =
        add_fix(d, SAY(d, "Raise the %s capacity of %s.", flow->write ? "write" : "read",
                       facts_name(d, flow->resource)));
    if (fix)
        fix->remark =
            SAY(d,
                "The data do not say how much was asked for; at least the %s %s/s that were "
                "served.",
                NUMBER(flow->consumed_per_s), facts_unit(flow->write));
}

/* ---- the account's quota ---- */

/* Units that a setting asks for, in whatever it stands; 0: it asks for none. */
static double units_asked(const struct setting *set) {
    static const char *const names[] = {"read_capacity", "write_capacity", "min_capacity",
                                        "max_capacity", "units_per_second"};
    double most = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]), path = strlen(set->path);
        if (path >= length && strcmp(set->path + path - length, names[i]) == 0)
            most = fmax(most, strtod(set->value, NULL));
        for (const char *at = set->value; (at = strstr(at, names[i])) != NULL; at += length)
            if (at[length] == ':') most = fmax(most, strtod(at + length + 1, NULL));
    }
    return most;
}

static double quota_of(struct diagnosis *d, const char *name) {
    const char *set = d->culprit ? facts_assumption(d, d->culprit->table, name) : NULL;
    return set ? strtod(set, NULL) : DDBSIM_CAPACITY_QUOTA;
}

/* A command with more than the account has would be refused, by AWS too: the words alone stay. */
static void mind_quotas(struct diagnosis *d) {
    double quota = fmin(quota_of(d, "quota_read"), quota_of(d, "quota_write"));
    for (size_t i = 0; i < d->fix_count; i++) {
        struct fix *fix = &d->fixes[i];
        double most = 0;
        for (size_t k = 0; k < fix->set_count; k++)
            most = fmax(most, units_asked(&fix->sets[k]));
        if (most <= quota) continue;
        fix->set_count = 0;
        fix->remark =
            SAY(d, "%s%sThe account's quota is %s units a table or index: ask AWS for more.",
                fix->remark, *fix->remark ? " " : "", NUMBER(quota));
    }
}

/* ---- capacity, all of it ---- */

static void propose_capacity(struct diagnosis *d) {
    struct fix *fix = NULL;
    const char *title = "", *headroom = "";
    for (size_t i = 0; i < d->flow_count; i++) {
        const struct flow *flow = culprit_first(d, i);
        double units = units_to_set(d, flow);
        if (isnan(units)) propose_unknown_capacity(d);
        if (!(units > 0)) continue;
        if (!fix) fix = add_fix(d, "");
        title = SAY(d, "%s%s%s", title, *title ? ", and the " : "Raise the ",
                    raise_in_words(d, flow, units));
        headroom = SAY(d, "%s%s%s %s for %s", headroom, *headroom ? ", " : "",
                       NUMBER(units_for(flow->needed_per_s / TARGET)), facts_unit(flow->write),
                       facts_name(d, flow->resource));
        set_capacity(d, fix, flow, units);
    }
    if (!fix) return;
    fix->title = SAY(d, "%s.", title);
    if (d->relief.t_s >= 0 && d->culprit && units_to_set(d, d->culprit) > 0 &&
        !short_of_relief(d, d->culprit)) {
        fix->remark =
            SAY(d,
                "The run itself shows it: with that the refusals ended at %s. The command "
                "has it from the start.",
                CLOCK(d, d->relief.t_s));
        return;
    }
    fix->remark = SAY(d,
                      "%sThese are mean demands, the rest is left to the burst; a target of 70 %% "
                      "asks for %s.",
                      alone_in_words(d), headroom);
    if (d->culprit && units_to_set(d, d->culprit) > 0 && !must_grow(d, d->culprit) &&
        !(d->culprit->end_demand_per_s > 0))
        fix->remark =
            SAY(d,
                "The mean demand of %s, %s, fits its capacity; its peaks do not. The figure "
                "leaves them 30 %%.",
                facts_name(d, d->culprit->resource), NUMBER(d->culprit->needed_per_s));
    if (d->culprit && facts_gone_s(d, d->culprit->resource) >= 0)
        fix->remark = SAY(d, "Only until %s: then the index is deleted. %s",
                          CLOCK(d, facts_gone_s(d, d->culprit->resource)), fix->remark);
}

/* ---- smaller index entries ---- */

/* A setting below `prefix` whose path ends in `suffix`: calls back with each path and value. */
struct settings_walk {
    struct query query;
    size_t prefix_bytes, suffix_bytes;
};

static void walk_settings(struct diagnosis *d, struct settings_walk *walk, const char *prefix,
                          const char *suffix) {
    walk->prefix_bytes = strlen(prefix);
    walk->suffix_bytes = strlen(suffix);
    query_open(
        &walk->query, d->database, d->error,
        "SELECT path, value FROM setting WHERE run_id = ?1 AND substr(path, 1, length(?2))"
        " = ?2 AND (?3 = '' OR substr(path, -length(?3)) = ?3) AND length(path) > length(?2) +"
        " length(?3) ORDER BY path",
        "itt", d->run.run_id, prefix, suffix);
}

/* The part between prefix and suffix: an entry's name, quoted as it stands in the path. */
static const char *walk_name(struct diagnosis *d, const struct settings_walk *walk) {
    const char *path = query_text(&walk->query, 0);
    int bytes = (int)(strlen(path) - walk->prefix_bytes - walk->suffix_bytes);
    return SAY(d, "%.*s", bytes, path + walk->prefix_bytes);
}

/* The entities that the index holds: those that its entries name, else all of its table. An entity
 * that the entries leave out must not come in. */
static void set_small_entries(struct diagnosis *d, struct fix *fix, const char *index) {
    struct settings_walk walk;
    const char *previous = "";
    size_t before = fix ? fix->set_count : 0;
    walk_settings(d, &walk, SAY(d, "%s.entries.", index), "");
    while (query_next(&walk.query)) {
        const char *name = walk_name(d, &walk);
        const char *field = strrchr(name, '.');
        if (field) name = SAY(d, "%.*s", (int)(field - name), name);
        if (strcmp(name, previous) != 0)
            add_set(d, fix, SAY(d, "%s.entries.%s.entry_size", index, name), "1 KB");
        previous = name;
    }
    diagnosis_check(d, query_close(&walk.query));
    if (fix && fix->set_count > before) return;
    walk_settings(d, &walk, SAY(d, "%s.entities.", facts_path(d, d->culprit->table)), ".size");
    while (query_next(&walk.query))
        add_set(d, fix, SAY(d, "%s.entries.%s.entry_size", index, walk_name(d, &walk)), "1 KB");
    diagnosis_check(d, query_close(&walk.query));
}

static void propose_projection(struct diagnosis *d) {
    const struct flow *index = d->culprit;
    const struct flow *table = facts_flow(d, index->table, index->write);
    if (d->under != DDBSIM_CAUSE_INDEX_CAPACITY || !index->write || !table) return;
    const char *path = facts_path(d, index->resource);
    const char *projection = facts_setting(d, SAY(d, "%s.projection", path));
    if (!projection || strcmp(projection, "ALL") != 0 || !(table->units_per_request > 1)) return;
    double factor = SMALL_ENTRY_UNITS / table->units_per_request;
    double small = index->needed_per_s * factor;
    struct fix *fix = add_fix(
        d, SAY(d, "Project into index %s only what its queries read (INCLUDE instead of ALL).",
               index->resource->index));
    add_set(d, fix, SAY(d, "%s.projection", path), "INCLUDE");
    set_small_entries(d, fix, path);
    if (!fix) return;
    const char *rest = "";
    if (short_of(index, small)) {
        set_capacity(d, fix, index, small);
        rest = SAY(d, ", still above its %s", NUMBER(index->capacity_per_s));
    }
    const char *base = "";
    if (must_grow(d, table)) {
        set_capacity(d, fix, table, table->needed_per_s);
        base = SAY(d, " The table still needs %s.", NUMBER(units_for(table->needed_per_s)));
    }
    fix->remark = SAY(d,
                      "With entries of up to 1 KB the index needs %s WCU/s instead of %s%s.%s A "
                      "projection cannot be altered: create a second index, then delete this one.",
                      NUMBER(small), NUMBER(index->needed_per_s), rest, base);
}

/* ---- smaller items ---- */

/* What the chain found about the item's growth; NULL when it did not grow. */
static const struct finding *growth_of(const struct diagnosis *d) {
    for (size_t i = 0; i < d->chain_count; i++)
        for (size_t k = 0; k < d->chain[i].amount_count; k++)
            if (strcmp(d->chain[i].amounts[k].name, "grew_t_s") == 0) return &d->chain[i];
    return NULL;
}

static double amount_of(const struct finding *finding, const char *name) {
    for (size_t i = 0; i < finding->amount_count; i++)
        if (strcmp(finding->amounts[i].name, name) == 0) return finding->amounts[i].value;
    return NAN;
}

/* Whether the items grew by changes, and the run has no others: without them they stay as they were.
 */
static bool grew_by_changes_alone(struct diagnosis *d, const struct finding *growth) {
    int64_t changes = 0;
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &changes,
                                     "SELECT count(*) FROM event WHERE kind = 'change'"
                                     " AND run_id = ?",
                                     "i", d->run.run_id));
    double growths = amount_of(growth, "growths");
    return growths == amount_of(growth, "growths_by_change") && growths == (double)changes;
}

static void propose_smaller_items(struct diagnosis *d) {
    const struct finding *growth = growth_of(d);
    const struct flow *table = facts_flow(d, d->culprit->table, d->culprit->write);
    bool capacity = provisioned_cause(d->under);
    if (!growth || !table || !capacity || !d->culprit->write) return;
    double part = amount_of(growth, "before") / amount_of(growth, "after");
    struct fix *fix = add_fix(
        d,
        SAY(d, "Move the attribute that grew out of the item, into items of its own that the index "
               "does not hold."));
    bool alone = grew_by_changes_alone(d, growth);
    if (alone) add_set(d, fix, "changes", "[]");
    const char *index = "";
    if (d->culprit->resource->index)
        index = SAY(d, " and %s on the index", NUMBER(d->culprit->needed_per_s * part));
    if (fix && isnan(table->needed_per_s)) /* a recording */
        fix->remark = "An update is billed for the whole item, whatever it changes.";
    else if (fix)
        fix->remark =
            SAY(d,
                "An update is billed for the whole item, whatever it changes. At the "
                "earlier size the demand is %s WCU/s on the table%s, plus one small write "
                "for each entry of the attribute.%s",
                NUMBER(table->needed_per_s * part), index,
                !alone ? ""
                : amount_of(growth, "growths") > 1
                    ? " The command runs without the changes that made it grow."
                    : " The command runs without the change that made it grow.");
}

/* A global index knows eventual reads alone. */
static void propose_eventual_reads(struct diagnosis *d) {
    if (d->culprit->write || d->culprit->resource->index || !d->culprit->strong_reads) return;
    struct fix *fix =
        add_fix(d, "Read eventually consistent where that will do, and cache what is read often.");
    if (fix) fix->remark = "An eventually consistent read costs half of a strong one.";
}

/* ---- hot partitions ---- */

static bool on_demand(const struct diagnosis *d) {
    return evidence_on_demand(d, d->culprit->resource, d->culprit->window.start_s);
}

/* Where the hot key's template stands: of an index its own; of a table the entity's whose text
 * before its first name begins the key. NULL when no setting says it. */
static const char *hot_template(struct diagnosis *d, const char *key, const char **value) {
    const char *path = facts_path(d, d->culprit->resource);
    if (d->culprit->resource->index) {
        path = SAY(d, "%s.partition_key", path);
        *value = facts_setting(d, path);
        return *value ? path : NULL;
    }
    struct settings_walk walk;
    const char *found = NULL;
    size_t longest = 0;
    walk_settings(d, &walk, SAY(d, "%s.entities.", path), ".partition_key");
    while (query_next(&walk.query)) {
        const char *template = query_text(&walk.query, 1);
        size_t literal = strcspn(template, "{");
        if (strncmp(template, key, literal) != 0 || (found && literal <= longest)) continue;
        longest = literal;
        found = SAY(d, "%s", query_text(&walk.query, 0));
        *value = SAY(d, "%s", template);
    }
    diagnosis_check(d, query_close(&walk.query));
    return found;
}

static const char *hot_key(struct diagnosis *d, double *share) {
    char *key = NULL;
    diagnosis_check(
        d, query_one_text(d->database, d->error, &key,
                          "SELECT key FROM top_key WHERE run_id = ?1 AND resource_id = ?2 AND"
                          " kind = 'accessed' AND period_s = 0"
                          " ORDER BY iif(?3, write_units, read_units) DESC, rank LIMIT 1",
                          "iii", d->run.run_id, d->culprit->resource->resource_id,
                          (int64_t)d->culprit->write));
    const char *kept = key ? SAY(d, "%s", key) : NULL;
    free(key);
    *share = NAN;
    for (size_t i = 0; i < d->chain_count; i++)
        if (d->chain[i].amount_count && strcmp(d->chain[i].amounts[0].name, "key_share") == 0)
            *share = d->chain[i].amounts[0].value;
    return kept;
}

/* A partition's limit is not the only one: what all keys together ask must fit as well. Adds what is
 * missing to a fix, and returns it in words: " and raise the write capacity of T from 1 to 2". */
static const char *raise_beside(struct diagnosis *d, struct fix *fix) {
    const char *words = "";
    if (on_demand(d)) return words; /* it grows by itself */
    for (size_t i = 0; i < d->flow_count; i++) {
        const struct flow *flow = culprit_first(d, i);
        bool same = flow->table == d->culprit->table && flow->write == d->culprit->write;
        if (!same || !short_of(flow, flow->needed_per_s)) continue;
        double units = units_for(flow->needed_per_s);
        words = SAY(d, "%s%s the %s", words, *words ? "," : ", and raise",
                    raise_in_words(d, flow, units));
        set_capacity(d, fix, flow, units);
    }
    return words;
}

/* A template as a --set wants it: as it is, or quoted where YAML would read more than a text. */
static const char *template_value(struct diagnosis *d, const char *template) {
    bool plain = *template && !strchr("{}[]\"'&*!|>%@`#,?:- ", *template) &&
                 !strstr(template, ": ") && !strstr(template, " #");
    if (plain) return template;
    const char *quoted = "";
    for (; *template; template ++)
        quoted =
            SAY(d, "%s%s%c", quoted, *template == '"' || *template == '\\' ? "\\" : "", *template);
    return SAY(d, "\"%s\"", quoted);
}

static int64_t partitions_now(struct diagnosis *d) {
    int64_t now = 0;
    diagnosis_check(d,
                    query_one_int(d->database, d->error, 0, &now,
                                  "SELECT count(*) FROM partition p WHERE run_id = ?"
                                  " AND resource_id = ? AND NOT EXISTS (SELECT 1 FROM partition"
                                  " c WHERE c.run_id = p.run_id AND c.parent_id = p.partition_id)",
                                  "ii", d->run.run_id, d->culprit->resource->resource_id));
    return now;
}

/* The keys that are hot: one that is more than a partition should carry, else as many like the busiest as
 * there may be. */
static struct hot_keys hot_keys_of(struct diagnosis *d, double key_demand_per_s) {
    const struct flow *flow = d->culprit;
    struct hot_keys hot = {.keys = 1,
                           .demand = key_demand_per_s,
                           .limit = flow->partition_limit_per_s,
                           .shards = 1,
                           .partitions = partitions_now(d)};
    double all = fmax(key_demand_per_s, flow->needed_per_s); /* fmax passes over NaN */
    hot.others = all - key_demand_per_s;
    if (key_demand_per_s > hot.limit * TARGET) return hot;
    hot.keys = (int64_t)fmin(ceil(all / key_demand_per_s - 0.5), 1e6);
    hot.demand = all;
    hot.others = 0;
    return hot;
}

static void set_partitions(struct diagnosis *d, struct fix *fix, int64_t count) {
    add_set(d, fix, SAY(d, "%s.partitions", facts_path(d, d->culprit->resource)),
            SAY(d, "%lld", (long long)count));
}

/* Where partitions come from, and why so many. */
static const char *partitions_in_words(struct diagnosis *d, const struct hot_keys *hot,
                                       int64_t now) {
    const struct flow *flow = d->culprit;
    struct hot_keys today = *hot;
    today.partitions = now > 0 ? now : 1;
    if (hot->partitions <= now)
        return SAY(
            d, "They fall on the %s partitions by chance; fewer shards would often meet on one.",
            COUNT(now));
    return SAY(d,
               "They fall on partitions by chance, and %s %s: %s are what a warm throughput or a "
               "capacity of %s %s/s brings, and they stay.",
               COUNT(today.partitions),
               shards_overflow(&today) ? "cannot carry them, wherever they fall" : "are too few",
               COUNT(hot->partitions), NUMBER((double)hot->partitions * hot->limit),
               facts_unit(flow->write));
}

/* Keys of a recording are what they are: only a suffix of its own shards them (M-125). */
static bool keys_are_recorded(struct diagnosis *d) {
    int64_t recorded = 0;
    bool known = false;
    diagnosis_check(d, query_has(d->database, d->error, "recording", &known));
    if (known)
        diagnosis_check(d, query_one_int(d->database, d->error, 0, &recorded,
                                         "SELECT count(*) FROM recording r JOIN workload_total w"
                                         " USING (run_id, workload) WHERE run_id = ?1 AND"
                                         " w.table_name = ?2",
                                         "it", d->run.run_id, d->culprit->table->table));
    return recorded > 0;
}

static void set_shards(struct diagnosis *d, struct fix *fix, const char *path, const char *template,
                       int64_t shards) {
    if (!keys_are_recorded(d)) {
        add_set(d, fix, "values." SPREAD,
                SAY(d, "{count: %lld, distribution: uniform}", (long long)shards));
        add_set(d, fix, path, template_value(d, SAY(d, "%s.{" SPREAD "}", template)));
        return;
    }
    size_t entity = strlen(path) - strlen(".partition_key");
    add_set(d, fix, path, template_value(d, SAY(d, "%s.{shard}", template)));
    add_set(d, fix, SAY(d, "%.*s.shards", (int)entity, path),
            SAY(d, "{count: %lld, by: random}", (long long)shards));
}

/* Enough shards, on enough partitions, for none to be over its limit but by rare chance. */
static void propose_sharding(struct diagnosis *d, const char *key, double key_demand_per_s) {
    const char *template = NULL, *on = "";
    const char *path = hot_template(d, key, &template);
    struct hot_keys hot = hot_keys_of(d, key_demand_per_s);
    int64_t now = hot.partitions;
    if (!shards_find(&hot)) return;
    struct fix *fix = add_fix(d, "");
    if (path) set_shards(d, fix, path, template, hot.shards);
    if (hot.partitions > now) set_partitions(d, fix, hot.partitions);
    if (hot.partitions > now)
        on = SAY(d, ", on %s partitions instead of %s", COUNT(hot.partitions), COUNT(now));
    const char *raise = raise_beside(d, fix);
    if (!path && fix) fix->set_count = 0; /* capacity alone would try something else */
    if (fix)
        fix->title = SAY(d, "Shard %s over %s values%s (%s of %s is one key)%s.",
                         hot.keys > 1 ? "each key" : "the key", COUNT(hot.shards), on, key,
                         facts_name(d, d->culprit->resource), raise);
    if (fix)
        fix->remark =
            SAY(d,
                "That key is asked for %s %s/s and a partition serves %s. %s Readers must then ask "
                "all shards.",
                NUMBER(key_demand_per_s), facts_unit(d->culprit->write), NUMBER(hot.limit),
                partitions_in_words(d, &hot, now));
}

/* Warm throughput is what makes AWS split a table before its traffic comes. */
static void propose_partitions(struct diagnosis *d, double key_demand_per_s) {
    struct hot_keys hot = hot_keys_of(d, key_demand_per_s);
    int64_t now = hot.partitions;
    if (now == 0 || key_demand_per_s > hot.limit * TARGET) return;
    hot.partitions = 2 * now;
    if (!shards_find_partitions(&hot)) return;
    struct fix *fix = add_fix(d, "");
    set_partitions(d, fix, hot.partitions);
    const char *raise = raise_beside(d, fix);
    if (fix)
        fix->title =
            SAY(d, "Divide %s over %s partitions instead of %s%s.",
                facts_name(d, d->culprit->resource), COUNT(hot.partitions), COUNT(now), raise);
    if (fix)
        fix->remark =
            SAY(d,
                "No single key fills a partition, several keys share it: %s like the busiest, %s "
                "%s/s each. %s On AWS a partition also splits under sustained heat.",
                COUNT(hot.keys), NUMBER(key_demand_per_s), facts_unit(d->culprit->write),
                partitions_in_words(d, &hot, now));
}

/* {time} or {n} in a sort key of the hot entity gives way to {uuid}; NULL where there is none. */
static const char *random_sort_key(struct diagnosis *d, const char *template) {
    static const char *const rising[] = {"{time}", "{n}"};
    for (size_t i = 0; template && i < sizeof rising / sizeof rising[0]; i++) {
        const char *at = strstr(template, rising[i]);
        if (at)
            return SAY(d, "%.*s{uuid}%s", (int)(at - template), template, at + strlen(rising[i]));
    }
    return NULL;
}

/* Where a split could help if the keys did not rise. */
static void propose_sort_key(struct diagnosis *d, const char *key) {
    const char *template = NULL, *spread = NULL;
    if (!d->culprit->write || d->split_count > 0 ||
        (d->not_split && strcmp(d->not_split, "sequential") != 0))
        return;
    struct fix *fix = add_fix(
        d, "Give the collection a sort key that does not increase, so that it can be split.");
    const char *path = key && !d->culprit->resource->index ? hot_template(d, key, &template) : NULL;
    size_t entity = path ? strlen(path) - strlen(".partition_key") : 0;
    const char *sort_key = path ? SAY(d, "%.*s.sort_key", (int)entity, path) : NULL;
    if (sort_key) spread = random_sort_key(d, facts_setting(d, sort_key));
    if (spread) add_set(d, fix, sort_key, template_value(d, spread));
    if (fix)
        fix->remark =
            "One partition key can span several partitions when its sort keys are spread; with "
            "an increasing one, such as a time, every write lands at the same end. A split takes "
            "minutes, and each adds one partition's limit. More capacity alone does not help.";
}

/* A local index cannot be removed: it is a matter of a new table. */
static void propose_global_index(struct diagnosis *d) {
    if (!d->not_split || strcmp(d->not_split, "collection") != 0) return;
    struct fix *fix = add_fix(
        d, "Make the table anew without local indexes: a global one does not keep the items of a "
           "partition key in one partition.");
    if (fix) fix->remark = "A local index can be neither added nor removed later.";
}

static void propose_cache(struct diagnosis *d) {
    if (d->culprit->write) return;
    struct fix *fix =
        add_fix(d, "Put a cache before the key: what it answers asks nothing of the partition.");
    if (fix) fix->remark = "More capacity alone does not help: the limit is one partition's.";
}

static void propose_for_heat(struct diagnosis *d) {
    double share;
    const char *key = hot_key(d, &share);
    double demand = share * (isnan(d->culprit->needed_per_s) ? d->culprit->consumed_per_s
                                                             : d->culprit->needed_per_s);
    if (isnan(demand)) demand = d->culprit->partition_peak_per_s;
    propose_partitions(d, demand);
    if (key) propose_sharding(d, key, demand);
    propose_sort_key(d, key);
    propose_global_index(d);
    propose_cache(d);
}

/* ---- capacity divided among partitions ---- */

/* What the busiest partition was asked for: what it served and what it refused, in the window. */
static double partition_demand(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    double asked = NAN, size = flow->units_per_request;
    diagnosis_check(
        d, query_one_double(
               d->database, d->error, &asked,
               "SELECT max(asked) FROM (SELECT sum(iif(?3, s.write_units + ?6 * s.throttled_writes,"
               " s.read_units + ?6 * s.throttled_reads)) AS asked FROM partition_sample s"
               " JOIN partition p USING (run_id, partition_id) WHERE s.run_id = ?1"
               " AND p.resource_id = ?2 AND s.t_s >= ?4 AND s.t_s < ?5 GROUP BY partition_id)",
               "iiiiid", d->run.run_id, flow->resource->resource_id, (int64_t)flow->write,
               flow->window.start_s, flow->window.end_s, isnan(size) ? 1 : size));
    return asked * facts_asked_first(d) / (double)(flow->window.end_s - flow->window.start_s);
}

static void propose_more_for_all(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    double asked = partition_demand(d);
    if (isnan(asked) || asked < flow->partition_limit_per_s) asked = flow->partition_limit_per_s;
    double units = units_for(asked * 1.05) * (double)flow->shared_by;
    struct fix *fix = add_fix(d, SAY(d, "Raise the %s.", raise_in_words(d, flow, units)));
    set_capacity(d, fix, flow, units);
    if (fix)
        fix->remark = SAY(d,
                          "The busiest partition is asked for %s %s/s, and each of %s must be "
                          "given as much for one to have it.",
                          NUMBER(asked), facts_unit(flow->write), COUNT(flow->shared_by));
}

static void propose_for_dilution(struct diagnosis *d) {
    const char *path = facts_path(d, d->culprit->resource);
    const char *count = facts_setting(d, SAY(d, "%s.partitions", path));
    propose_more_for_all(d);
    if (count && strcmp(count, "auto") != 0) {
        struct fix *fix = add_fix(d, SAY(d,
                                         "Make %s anew, with as many partitions as its capacity "
                                         "needs.",
                                         facts_name(d, d->culprit->resource)));
        add_set(d, fix, SAY(d, "%s.partitions", path), "auto");
        if (fix) fix->remark = "Partitions are never merged: the data must be copied.";
    }
    struct fix *fix = add_fix(d, "Run it under today's rules.");
    add_set(d, fix, "rules", "today");
    if (fix)
        fix->remark = "Since 2018 a partition may use what the others leave, up to its own limit.";
}

/* ---- on demand ---- */

/* Fewer than this share of the peak left free, single seconds would refuse: nothing is saved. */
#define WARM_SHARE 0.9

/* The i-th flow of those that must be warm, the culprit first; 0: it is warm enough. */
static double units_to_warm(struct diagnosis *d, const struct flow *flow) {
    bool same = flow->table == d->culprit->table && flow->write == d->culprit->write;
    double peak = same ? facts_peak_demand(d, flow) : NAN;
    return peak > flow->capacity_per_s ? units_for(peak / WARM_SHARE) : 0;
}

static void propose_warm_throughput(struct diagnosis *d) {
    const char *title = "";
    struct fix *fix = add_fix(d, "");
    for (size_t i = 0; i < d->flow_count; i++) {
        const struct flow *flow = culprit_first(d, i);
        double units = units_to_warm(d, flow);
        if (!(units > 0)) continue;
        const char *direction = flow->write ? "write" : "read";
        title = SAY(d, "%s%s %s for %s %s units a second", title, *title ? ", and" : "Pre-warm",
                    facts_name(d, flow->resource), NUMBER(units), direction);
        add_set(d, fix,
                SAY(d, "%s.warm_throughput.%s_units_per_second", facts_path(d, flow->resource),
                    direction),
                SAY(d, "%.0f", units));
    }
    if (!fix) return;
    if (!*title) title = SAY(d, "Pre-warm %s", facts_name(d, d->culprit->resource));
    fix->title = SAY(d, "%s (warm throughput).", title);
    fix->remark = "The fullest minute's demand and a tenth more. It is paid for once, and is there "
                  "when traffic comes; a day with as much load before does the same.";
}

static void propose_for_growth(struct diagnosis *d) {
    propose_warm_throughput(d);
    struct fix *fix =
        add_fix(d, "Let the load rise slowly: at most to the double in half an hour.");
    if (fix) fix->remark = "So the table can follow. A queue before it smooths what comes at once.";
}

static void propose_maximum(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    double peak = facts_peak_demand(d, flow), units = units_for(peak / WARM_SHARE);
    if (isnan(peak)) return;
    struct fix *fix = add_fix(d, SAY(d, "Raise the maximum of %s from %s to %s %s/s.",
                                     facts_name(d, flow->resource), NUMBER(flow->capacity_per_s),
                                     NUMBER(units), facts_unit(flow->write)));
    add_set(d, fix,
            SAY(d, "%s.on_demand_throughput.max_%s_request_units", facts_path(d, flow->resource),
                flow->write ? "write" : "read"),
            SAY(d, "%.0f", units));
    if (fix)
        fix->remark = "The maximum is there to bound the bill: what it lets through is paid for. "
                      "The table itself must have grown to as much.";
}

static void propose_quota(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    double peak = facts_peak_demand(d, flow), units = units_for(peak / WARM_SHARE);
    const char *name = SAY(d, "quota_%s", flow->write ? "write" : "read");
    if (isnan(peak)) return;
    const struct query_resource table = {.table = flow->resource->table};
    const char *path = SAY(d, "%s.model.%s", facts_path(d, &table), name);
    if (!facts_setting(d, path)) path = SAY(d, "model.%s", name);
    struct fix *fix = add_fix(
        d, SAY(d, "Ask AWS for a higher quota: %s %s units a second for a table or an index.",
               NUMBER(units), flow->write ? "write" : "read"));
    add_set(d, fix, path, SAY(d, "%.0f", units));
    if (fix)
        fix->remark = "It takes days to be granted. Until then spread the load over more tables: "
                      "the quota counts for each.";
}

/* dispatch: by cause */
static void propose_by_cause(struct diagnosis *d) {
    switch (d->under) {
    case DDBSIM_CAUSE_HOT_PARTITION:
    case DDBSIM_CAUSE_HOT_INDEX_PARTITION:
        if (d->culprit->shared_by > 0)
            propose_for_dilution(d);
        else
            propose_for_heat(d);
        break;
    case DDBSIM_CAUSE_ON_DEMAND_GROWTH:
        propose_for_growth(d);
        break;
    case DDBSIM_CAUSE_ON_DEMAND_MAXIMUM:
        propose_maximum(d);
        break;
    case DDBSIM_CAUSE_ACCOUNT_LIMIT:
        propose_quota(d);
        break;
    case DDBSIM_CAUSE_NONE:
    case DDBSIM_CAUSE_TABLE_CAPACITY:
    case DDBSIM_CAUSE_INDEX_CAPACITY:
    case DDBSIM_CAUSE_SCALING_TOO_LATE:
    case DDBSIM_CAUSE_RETRY_QUOTA_EMPTY:
    case DDBSIM_CAUSE_BATCH_HIDDEN:
    case DDBSIM_CAUSE_FAULT:
    case DDBSIM_CAUSE_RETRY_STORM:
    case DDBSIM_CAUSE_KINDS:
        break;
    }
}

/* An alarm that would have seen it. */
static void propose_alarm(struct diagnosis *d) {
    if (d->cause != DDBSIM_CAUSE_BATCH_HIDDEN) return;
    struct fix *fix =
        add_fix(d, SAY(d, "Let alarms watch %sThrottleEvents of %s.",
                       d->culprit->write ? "Write" : "Read", facts_name(d, d->culprit->resource)));
    if (fix)
        fix->remark = "ThrottledRequests counts a batch only if all of its members were refused. "
                      "Callers must send the unprocessed ones again themselves: no SDK does.";
}

/* What is bought is not served while it lasts. */
static void propose_for_fault(struct diagnosis *d) {
    struct fix *fix = add_fix(d, "Let callers outlast it: no setting of the table mends a fault.");
    if (fix)
        fix->remark = "Retries that wait longer each time, with jitter and a quota, get through a "
                      "short one and do not prolong it; a message that stays in its queue is not "
                      "lost.";
}

static void propose(struct diagnosis *d) {
    if (d->cause == DDBSIM_CAUSE_FAULT) {
        propose_for_fault(d);
        return;
    }
    if (d->cause == DDBSIM_CAUSE_RETRY_STORM) {
        storm_propose(d);
        return;
    }
    if (d->culprit && scaling_late(d, d->culprit->resource, d->culprit->write))
        fixes_propose_scaling(d);
    else
        propose_capacity(d);
    if (!d->culprit) return;
    fixes_propose_maximum(d);
    propose_by_cause(d);
    propose_eventual_reads(d);
    propose_projection(d);
    propose_smaller_items(d);
    propose_alarm(d);
}

void fixes_propose(struct diagnosis *d) {
    propose(d);
    mind_quotas(d);
}
