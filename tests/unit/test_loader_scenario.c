/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From text to struct: what each key becomes, what defaults depend on, and what is refused. */
#include "unit/loader_fixture.h"

#include <base/types.h>
#include <loader/grammar.h>

static void tables(void **state) {
    (void)state;
    struct ddbsim_scenario *s = fixture_load(fixture, NULL, NULL, 0);
    assert_string_equal(s->name, "fixture");
    assert_string_equal(s->title, "fixture");
    assert_null(s->title_es);
    assert_int_equal(s->start_unix_s, 1790330400);
    assert_int_equal(s->utc_offset_s, 7200);
    assert_int_equal(s->duration_ns, 8 * 3600 * NS_PER_S);
    assert_int_equal(s->seed, 1);
    assert_int_equal(s->model.partition_write_limit, 1000);
    assert_int_equal(s->value_count, 2);
    assert_int_equal(s->values[0].distribution, DDBSIM_ZIPFIAN);
    assert_int_equal(s->values[0].theta, 600000000);
    assert_true(s->values[0].scrambled);
    assert_int_equal(s->values[1].distribution, DDBSIM_LIST);
    assert_int_equal(s->values[1].count, 3);
    assert_string_equal(s->values[1].words[1], "paid");
    assert_int_equal(s->values[1].shares[2], 100000000);
    assert_int_equal(s->table_count, 2);
    const struct ddbsim_table *t = &s->tables[0];
    assert_int_equal(t->write_capacity, 120);
    assert_false(t->is_new);
    assert_true(t->throttling);
    assert_int_equal(t->partitions, 0);
    assert_int_equal(t->burst.window_ns, 300 * NS_PER_S);
    assert_int_equal(t->burst.initial, NANO);
    const struct ddbsim_template *key = &t->entities[0].partition_key;
    assert_int_equal(key->part_count, 2);
    assert_int_equal(key->parts[0].kind, DDBSIM_PART_TEXT);
    assert_string_equal(key->parts[0].text, "USER#");
    assert_int_equal(key->parts[1].kind, DDBSIM_PART_VALUES);
    assert_int_equal(key->parts[1].values, 0);
    assert_int_equal(t->entities[0].sort_key.parts[1].kind, DDBSIM_PART_N);
    assert_int_equal(t->entities[1].sort_key.parts[1].kind, DDBSIM_PART_TIME);
    assert_null(s->tables[1].entities[0].sort_key.text);
    const struct ddbsim_index *index = &t->indexes[0];
    assert_int_equal(index->projection, DDBSIM_ALL);
    assert_int_equal(index->backpressure.preset, DDBSIM_TEXTBOOK);
    assert_int_equal(index->backpressure.buffer_units, -1);
    assert_true(index->entries[0].in_index);
    assert_int_equal(index->entries[0].present, 900000000);
    assert_int_equal(index->entries[0].entry_bytes, -1);
    assert_string_equal(index->entries[0].partition_key.text, "STATE#{state}");
    assert_false(index->entries[1].in_index);
    ddbsim_scenario_destroy(s);
}

static void workloads(void **state) {
    (void)state;
    struct ddbsim_scenario *s = fixture_load(fixture, NULL, NULL, 0);
    const struct ddbsim_workload *shop = &s->workloads[0], *writer = &s->workloads[1];
    assert_int_equal(shop->start_ns, 0);
    assert_int_equal(shop->end_ns, s->duration_ns);
    assert_int_equal(writer->start_ns, 3600 * NS_PER_S);
    assert_int_equal(writer->arrivals, DDBSIM_PACED);
    assert_true(writer->start_rate_per_s == 5);
    assert_int_equal(writer->stage_count, 0);
    assert_int_equal(shop->stage_count, 2);
    assert_string_equal(shop->stages[1].name, "2");
    assert_true(shop->stages[1].target_per_s == 8);
    const struct ddbsim_operation *save = &shop->operations[0];
    assert_int_equal(save->kind, DDBSIM_UPDATE_ITEM);
    assert_int_equal(save->weight, 60 * NANO);
    assert_int_equal(save->item_bytes, 11264);
    assert_int_equal(save->effects[0].move, 610000000);
    assert_int_equal(save->effects[0].rewrite, 390000000);
    assert_string_equal(shop->operations[1].name, "GetItem");
    assert_int_equal(shop->operations[1].item_bytes, 3072);
    assert_null(shop->operations[1].effects);
    assert_true(writer->sequence);
    assert_int_equal(writer->table, 1); /* of its first operation */
    assert_int_equal(writer->operations[1].times, 2);
    assert_int_equal(writer->operations[1].probability, NANO / 2);
    assert_int_equal(writer->operations[1].effects[0].untouched, NANO); /* not in the index */
    assert_string_equal(shop->client.preset, "boto3-standard");
    assert_int_equal(shop->client.processes, 40);
    assert_int_equal(shop->client.max_attempts, 3);
    assert_string_equal(writer->client.preset, "none");
    assert_int_equal(writer->client.max_attempts, 1);
    assert_int_equal(s->change_count, 1);
    assert_int_equal(s->changes[0].after->workloads[0].operations[0].item_bytes, 20480);
    assert_int_equal(s->variant_count, 2);
    ddbsim_scenario_destroy(s);
}

/* One set, one path of what it resolves to. */
static void resolves(void **state) {
    (void)state;
    static const struct {
        const char *set, *path, *value;
    } cases[] = {
        {"tables.carts.new=true", "tables.carts.burst.initial", "0%"},
        {"tables.carts.new=true", "tables.carts.indexes.by-state.burst.initial", "0%"},
        {"workloads.shop.mix.save.index_effect=null",
         "workloads.shop.mix.save.index_effect.by-state.rewrite", "100%"},
        {"workloads.shop.mix.save={operation: DeleteItem, entity: cart}",
         "workloads.shop.mix.save.index_effect.by-state.remove", "100%"},
        {"tables.carts.indexes.by-state.entries.note={present: 100%}",
         "workloads.writer.sequence.twice.index_effect.by-state.add", "100%"},
        {"tables.carts.indexes.by-state.projection=KEYS_ONLY",
         "workloads.shop.mix.save.index_effect.by-state.untouched", "39%"},
        {"tables.carts.indexes.by-state.projection=KEYS_ONLY",
         "tables.carts.indexes.by-state.entries.cart.entry_size", "100 B"},
        {"tables.carts.indexes.by-state.entries=null",
         "tables.carts.indexes.by-state.entries.note.present", "100%"},
        {"workloads.shop.client.backoff.base=10ms", "workloads.shop.client.backoff.base", "10ms"},
        {"workloads.shop.client.backoff.base=10ms", "workloads.shop.client.max_attempts", "3"},
        {"workloads.shop.rate=3/s", "workloads.shop.stages.up.target", NULL},
        {"workloads.shop.rate=3/s", "workloads.shop.rate", "3/s"},
        {"tables.carts.entities.cart.ttl={after: 60d}", "tables.carts.entities.cart.ttl.age",
         "1440h"},
        {"tables.carts.entities.cart.ttl={after: 60d}", "workloads.shop.mix.save.renews_ttl",
         "false"},
        {"tables.carts.entities.cart.ttl={after: 60d}", "tables.carts.entities.cart.ttl.unit",
         "seconds"},
        {"workloads.shop.dax={}", "workloads.shop.dax.item_ttl", "5m"},
        {"workloads.shop.dax={hit_ratio: 50%}", "workloads.shop.dax.item_ttl", NULL},
        {"model.partition_burst=300ms", "model.partition_burst", "300ms"},
        {"tables.carts.model.partition_burst=300ms", "tables.carts.model.partition_burst", "300ms"},
        {"tables.carts.model.partition_burst=300ms", "model.partition_burst", "3s"},
        {"values.user={distribution: single}", "values.user.count", "1"},
        {"tables.carts.indexes.by-state.backpressure={preset: textbook, grace: 5s, scope: "
         "touching}",
         "tables.carts.indexes.by-state.backpressure.scope", "touching"},
        {"workloads.writer.end_time=13:30", "workloads.writer.end_time", "+1h30m"},
        {"title={en: A, es: B}", "title.es", "B"},
        {"seed=18446744", "seed", "18446744"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *sets[] = {cases[i].set, "changes=[]"};
        struct ddbsim_scenario *s = fixture_load(fixture, NULL, sets, 2);
        const char *value = fixture_setting(s, cases[i].path);
        if (cases[i].value && !value) fail_msg("%s: no %s", cases[i].set, cases[i].path);
        if (cases[i].value)
            assert_string_equal(value, cases[i].value);
        else
            assert_null(value);
        ddbsim_scenario_destroy(s);
    }
}

/* One set that the loader refuses, and what it says. */
static const struct {
    const char *set, *wanted;
} refusals[] = {
    /* ranges and their quotas */
    {"tables.carts.write_capacity=40001", "default quota is 40,000"},
    {"tables.carts.write_capacity=0", "the least is 1"},
    {"tables.carts.write_capacity=12.5", "whole number"},
    {"tables.carts.indexes.by-state.read_capacity=50000", "quota"},
    {"tables.carts.entities.cart.size=401 KB", "400 KB an item"},
    {"workloads.shop.mix.save.size=1 MB", "400 KB an item"},
    {"duration=500ms", "outside"},
    {"model.partition_burst=11s", "100ms..10s"},
    {"model.index_lag_p99=1ms", "index_lag_median"},
    {"workloads.shop.mix.save.weight=0", "above 0"},
    {"workloads.shop.scale=2000000", "scale"},
    {"values.user.theta=6", "0..5"},
    /* types */
    {"tables.carts.read_capacity=[1]", "single value"},
    {"tables.carts=12", "mapping"},
    {"tables=12", "list"},
    {"values=[1]", "mapping"},
    {"tables.carts.new=yes", "true or false"},
    {"workloads.shop.arrivals=paecd", "did you mean \"paced\""},
    {"tables.carts.throttling=1", "true or false"},
    {"name=Big Name", "a-z"},
    {"tables.carts.name=a b", "AWS allows"},
    /* names that must exist */
    {"workloads.shop.table=cart", "did you mean \"carts\""},
    {"workloads.shop.mix.save.entity=crat", "did you mean \"cart\""},
    {"workloads.writer.sequence.PutItem.table=nowhere", "no table \"nowhere\""},
    {"workloads.shop.table=null", "which table"},
    {"workloads.shop.mix.save.entity=null", "which entity"},
    {"workloads.shop.client.preset=boto3-standrad", "did you mean \"boto3-standard\""},
    {"workloads.shop.mix.save.index_effect.by-stat.move=1%", "did you mean \"by-state\""},
    {"tables.carts.indexes.by-state.entries.crat={}", "did you mean \"cart\""},
    {"tables.carts.entities.cart.partition_key=U#{usr}", "did you mean \"user\""},
    /* templates */
    {"tables.carts.entities.cart.partition_key=U#{user", "braces"},
    {"tables.carts.entities.cart.partition_key=U#}user{", "braces"},
    {"tables.carts.entities.cart.partition_key=U#{}", "braces"},
    {"tables.carts.entities.cart.partition_key=U#{n}", "{n}"},
    {"tables.carts.entities.cart.partition_key=U#{shard}", "has no shards"},
    {"tables.carts.entities.cart.sort_key=U#{shard}", "cannot be part of a sort key"},
    {"tables.carts.entities.cart.shards={count: 10, by: random}", "has {shard}"},
    {"tables.carts.entities.cart.shards={count: 10}", "\"by\" is missing"},
    {"tables.carts.entities.cart.shards={by: sum}", "\"count\" is missing"},
    {"tables.carts.entities.cart.shards={count: 0, by: random}", "outside"},
    {"tables.carts.entities.cart.shards={count: 10, by: product}", "of which value"},
    {"tables.carts.entities.cart.shards={count: 10, by: product, of: usr}", "did you mean"},
    {"tables.carts.entities.cart.shards={count: 10, by: hash, of: state}", "none of the entity"},
    {"tables.carts.entities.cart.shards={count: 10, by: random, of: user}", "not made of a value"},
    {"tables.carts.indexes.by-state.partition_key=S#{state}.{shard}", "has no shards"},
    {"workloads.shop.mix.GetItem.keys={usr: {distribution: single}}", "did you mean \"user\""},
    {"workloads.shop.mix.GetItem.keys={state: {distribution: single}}", "no such value set"},
    {"workloads.shop.mix.GetItem.keys={user: {count: 5}}", "only as often"},
    {"workloads.shop.mix.GetItem.keys={user: {theta: 0.5}}", "\"distribution\" is missing"},
    {"workloads.shop.mix.GetItem.keys={user: {distribution: top}}", "shares of the first"},
    {"workloads.shop.mix.GetItem.shards=all", "no {shard}"},
    {"workloads.shop.mix.GetItem.shards=0", "outside"},
    {"workloads.shop.mix.save.shards=3", "belongs to GetItem and Query"},
    {"tables.carts.entities.cart.partition_key=\"\"", "empty"},
    {"tables.carts.entities.cart.sort_key=null", "all of its items or for none"},
    {"values.time={count: 3}", "meaning of its own"},
    {"values.\"a}\"={count: 3}", "braces"},
    /* value sets */
    {"values.state.list.open=50%", "sum to 90%, not to 100%"},
    {"values.state.list.open=0.6", "write 60%"},
    {"values.state.count=3", "more than its 3 words"},
    {"values.state.count=30", "leave nothing"},
    {"values.state.distribution=zipfian", "not a list"},
    {"values.state.theta=1", "a list with a count"},
    {"values.user={file: none-there.csv}", "none-there.csv"},
    {"values.user={file: none-there.csv, count: 3}", "exclude each other"},
    {"values.user.count=null", "\"count\" is missing"},
    {"values.user.distribution=uniform", "only with zipfian"},
    {"values.user.count=0", "outside"},
    {"values.user={clock: week}", "day"},
    {"values.user={clock: day, distribution: uniform}", "the current period"},
    {"values.user={clock: day, new: true}", "the current period"},
    {"values.user={clock: day, sorted: 5}", "exclude each other"},
    {"values.user={new: true, list: {a: 100%}}", "exclude each other"},
    {"values.user={new: true, distribution: hotspot}", "uniform, zipfian, latest and"},
    {"values.user={new: true, start: 5, count: 6}", "more values at start"},
    {"values.user={count: 5, start: 5}", "only with new: true"},
    /* indexes */
    {"tables.carts.indexes.by-state.projection=INCLUDE", "needs the entry's size"},
    {"tables.carts.indexes.by-state.entries.cart.entry_size=1 KB", "under ALL"},
    {"tables.carts.indexes.by-state.partition_key=null", "no partition key"},
    {"tables.carts.indexes.by-state.type=LOCAL", "no partition_key of its own"},
    {"tables.carts.indexes.by-state.backpressure=loose", "observed, textbook"},
    /* effects */
    {"workloads.shop.mix.save.index_effect.by-state.add=50%", "more than 100%"},
    {"workloads.shop.mix.save.index_effect.by-state.rewrite=10%", "sum to 71% only"},
    {"workloads.shop.mix.GetItem.index_effect={by-state: {move: 1%}}", "a read has no effect"},
    {"workloads.writer.sequence.twice.index_effect={by-state: {add: 1%}}", "does not hold"},
    {"workloads.shop.mix.save.operation=DeleteItem", "cannot be an effect"},
    /* operations */
    {"workloads.shop.mix.save.consistent_read=true", "belongs to GetItem"},
    {"workloads.shop.mix.save.times=2", "belongs to a sequence"},
    {"workloads.writer.sequence.twice.weight=2", "belongs to a mix"},
    {"workloads.shop.mix=[]", "does nothing"},
    {"workloads.shop.mix=null", "does nothing"},
    {"workloads.shop.mix.save.operation=Scan", "entity belongs to other operations"},
    {"workloads.shop.mix.save.operation=PutItm", "did you mean \"PutItem\""},
    {"tables.carts.entities.cart.count=0", "there are none"},
    {"workloads.shop.mix=[{operation: PutItem, entity: note}, {operation: PutItem, entity: "
     "note}]",
     "two entries called \"PutItem\""},
    /* Time to Live */
    {"tables.carts.entities.cart.ttl={}", "\"after\" is missing"},
    {"tables.carts.entities.cart.ttl={after: 0s}", "outside"},
    {"tables.carts.entities.cart.ttl={after: 1500ms}", "whole seconds"},
    {"tables.carts.entities.cart.ttl={after: 60}", "no unit"},
    {"tables.carts.entities.cart.ttl={after: 60d, unit: minutes}", "seconds, milliseconds"},
    {"tables.carts.entities.cart.ttl={after: 60d, age: 8000d}", "outside"},
    {"tables.carts.entities.cart.ttl={after: 60d, inflow: 5}", "no unit"},
    {"tables.carts.entities.cart.ttl={after: 60d, expires: 1d}", "no key \"expires\""},
    {"workloads.shop.mix.save.renews_ttl=true", "an entity with ttl"},
    /* global tables */
    {"tables.carts.replicas=us-east-1", "a list"},
    {"tables.carts.replicas=[US]", "is no Region"},
    {"tables.carts.replicas=[us-east-1, us-east-1]", "twice"},
    {"tables.carts.replicas=[eu-west-1]", "the table itself"},
    /* DAX */
    {"workloads.shop.dax={hit_ratio: 0.5}", "write 50%"},
    {"workloads.shop.dax={hit_ratio: 120%}", "outside"},
    {"workloads.shop.dax={hit_ratio: 50%, item_ttl: 5m}", "exclude each other"},
    {"workloads.shop.dax={item_ttl: 0s}", "outside"},
    /* streams */
    {"tables.carts.stream=ALL", "KEYS_ONLY"},
    {"workloads.writer={table: carts, stream_of: carts, mix: [{operation: PutItem, entity: note}]}",
     "has no stream"},
    {"workloads.writer={table: carts, stream_of: cart, mix: [{operation: PutItem, entity: note}]}",
     "did you mean \"carts\""},
    {"workloads.writer.stream_records=ttl", "only with stream_of"},
    /* load and time */
    {"workloads.writer.rate=null", "no source of load"},
    {"workloads.writer.rate=5", "no unit"},
    {"workloads.shop={rate: 1/s, stages: [{duration: 1s, target: 1/s}], mix: [{operation: "
     "PutItem, "
     "entity: note}], table: carts}",
     "exclude each other"},
    {"workloads.writer.start_time=20:00", "begins after"},
    {"workloads.writer.end_time=+9h", "ends after"},
    {"workloads.writer.end_time=12:30", "before it begins"},
    {"start=2026-09-25", "offset"},
    {"start=yesterday", "offset"},
    {"rules=2016", "is no rules"},
    {"tables.carts.billing_mode=ON_DEMAND", "is no billing_mode"},
    /* missing and doubled */
    {"duration=null", "\"duration\" is missing"},
    {"tables.carts.write_capacity=null", "\"write_capacity\" is missing"},
    {"tables=[]", "empty"},
    {"workloads.writer.name=shop", "two entries called \"shop\""},
    {"title={es: Hola}", "en"},
    {"title={en: Hello, fr: Salut}", "fr"},
    {"title={en: [a]}", "single value"},
};

static void refused(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++)
        fixture_refuse_set(refusals[i].set, refusals[i].wanted);
}

static void unknown_keys(void **state) {
    (void)state;
    char text[sizeof fixture + 64];
    snprintf(text, sizeof text, "%swrokloads: []\n", fixture);
    fixture_refuse(text, "did you mean \"workloads\"");
    fixture_refuse("version: 1\nunheard_of: null\n", "no key \"unheard_of\"");
    fixture_refuse("version: 2\n", "1..1");
    struct ddbsim_scenario *s;
    struct ddbsim_error error;
    assert_int_equal(fixture_parse("version: 1\ntables:\n  - name: t\n    wirte_capacity: 1\n",
                                   NULL, NULL, 0, &s, &error),
                     DDBSIM_INPUT);
    assert_string_equal(error.file, "fixture.yaml");
    assert_int_equal(error.line, 4);
    assert_int_equal(error.column, 5);
    assert_string_equal(error.path, "tables.t.wirte_capacity");
    assert_string_equal(error.hint, "did you mean \"write_capacity\"?");
}

/* Paths of the fixture at which the keys of each section stand. */
static const struct {
    enum grammar_section section;
    const char *path;
} places[] = {
    {SECTION_VALUES, "values.user"},
    {SECTION_TABLE, "tables.carts"},
    {SECTION_ENTITY, "tables.carts.entities.cart"},
    {SECTION_INDEX, "tables.carts.indexes.by-state"},
    {SECTION_MODEL, "model"},
    {SECTION_TABLE_MODEL, "tables.carts.model"},
    {SECTION_WORKLOAD, "workloads.shop"},
    {SECTION_OPERATION, "workloads.shop.mix.save"},
    {SECTION_CLIENT, "workloads.shop.client"},
    {SECTION_BACKOFF, "workloads.shop.client.backoff"},
    {SECTION_RETRY_QUOTA, "workloads.shop.client.retry_quota"},
    {SECTION_CHANGE, "changes.grow"},
};

/* A key that stands one level too high or too low is told its place. */
static void told_where_it_belongs(void **state) {
    (void)state;
    fixture_refuse_set(
        "workloads.shop={name: shop, rate: 1/s, mix: [{operation: PutItem, entity: cart}], "
        "call_timeout: 1s}",
        "call_timeout is a key of workloads.NAME.client");
}

/* Of all sections but the scenario's own, whose keys stand at the top. */
static uint32_t later_keys(void) {
    uint32_t count = 0;
    for (size_t k = 0; grammar_key(k); k++)
        count += grammar_key(k)->type == TYPE_LATER && grammar_key(k)->section != SECTION_SCENARIO;
    return count;
}

static uint32_t later_words(void) {
    char word[64];
    uint32_t count = 0;
    for (size_t k = 0; grammar_key(k); k++)
        for (int w = 0; grammar_word_at(grammar_key(k)->later, w, word, sizeof word); w++)
            count++;
    return count;
}

/* Every known key and word that is not supported yet is refused by its name, both in a file and in
 * a path, and differently from a key that does not exist. */
static void not_supported(void **state) {
    (void)state;
    uint32_t keys = 0, words = 0;
    for (size_t i = 0; i < COUNT(places); i++)
        for (size_t k = 0; grammar_key(k); k++) {
            const struct grammar_key *key = grammar_key(k);
            char set[256], wanted[128], word[64];
            if (key->section != places[i].section) continue;
            if (key->type == TYPE_LATER) {
                keys++;
                snprintf(wanted, sizeof wanted, "%s is not supported yet", key->key);
                snprintf(set, sizeof set, "%s.%s=1", places[i].path, key->key);
                fixture_refuse_set(set, wanted);
                snprintf(set, sizeof set, "%s={%s: 1}", places[i].path, key->key);
                fixture_refuse_set(set, wanted);
            }
            for (int w = 0; grammar_word_at(key->later, w, word, sizeof word); w++, words++) {
                snprintf(wanted, sizeof wanted, "%s is not supported yet", word);
                snprintf(set, sizeof set, "%s.%s=%s", places[i].path, key->key, word);
                fixture_refuse_set(set, wanted);
            }
        }
    assert_int_equal(keys, later_keys());
    assert_int_equal(words, later_words());
    static const char *const top[] = {"warmup", "prices", "study"};
    for (size_t i = 0; i < COUNT(top); i++) {
        char text[sizeof fixture + 64], wanted[64];
        snprintf(text, sizeof text, "%s%s: x\n", fixture, top[i]);
        snprintf(wanted, sizeof wanted, "%s is not supported yet", top[i]);
        fixture_refuse(text, wanted);
    }
}

/* A reader whose writes lead back to its stream, at once or over another reader, would never end. */
static void streams_that_come_back(void **state) {
    (void)state;
#define TWO_TABLES                                                                                \
    "version: 1\nduration: 1m\ntables:\n"                                                         \
    "  - {name: a, read_capacity: 1, write_capacity: 1, stream: KEYS_ONLY, entities: [{name: x, " \
    "partition_key: \"{uuid}\", size: 1 KB}]}\n"                                                  \
    "  - {name: b, read_capacity: 1, write_capacity: 1, stream: KEYS_ONLY, entities: [{name: x, " \
    "partition_key: \"{uuid}\", size: 1 KB}]}\n"                                                  \
    "workloads:\n  - {name: w, stream_of: a, table: "
    fixture_refuse(TWO_TABLES "a, mix: [{operation: PutItem}]}\n", "without end");
    fixture_refuse(TWO_TABLES
                   "b, mix: [{operation: PutItem}]}\n"
                   "  - {name: v, stream_of: b, table: a, mix: [{operation: PutItem}]}\n",
                   "without end");
    fixture_refuse(TWO_TABLES
                   "a, mix: [{operation: TransactWriteItems, actions: [{operation: PutItem}]}]}\n",
                   "without end");
    fixture_refuse(TWO_TABLES "b, max_vus: 3, mix: [{operation: PutItem}]}\n", "here are records");
    fixture_refuse(TWO_TABLES "b, scale: 3, mix: [{operation: PutItem}]}\n", "as many records");
    fixture_refuse(TWO_TABLES "b, rate: 3/s, mix: [{operation: PutItem}]}\n", "exclude each other");
    struct ddbsim_scenario *s;
    struct ddbsim_error error;
    assert_int_equal(
        fixture_parse(TWO_TABLES "b, mix: [{operation: PutItem}]}\n", NULL, NULL, 0, &s, &error),
        DDBSIM_OK);
    assert_true(s->workloads[0].reads_stream);
    ddbsim_scenario_destroy(s);
}

static void value_sets_of_a_workload(void **state) {
    (void)state;
    const char *sets[] = {
        "values={a: {count: 2}, b: {count: 2}, c: {count: 2}, d: {count: 2}, e: {count: 2}, "
        "f: {count: 2}, g: {count: 2}, h: {count: 2}, i: {count: 2}, user: {count: 9}, "
        "state: {count: 3}}",
        "tables.\"plain.table\".entities.row.partition_key=\"{a}{b}{c}{d}{e}{f}{g}{h}{uuid}\"",
    };
    struct ddbsim_scenario *s;
    struct ddbsim_error error;
    fixture_expect_refusal(fixture_parse(fixture, NULL, sets, 2, &s, &error), &error, "nine sets",
                           "9 value sets; at most 8");
    sets[1] = "tables.\"plain.table\".entities.row.partition_key=\"{a}{b}{c}{d}{e}{f}{g}{uuid}\"";
    ddbsim_scenario_destroy(fixture_load(fixture, NULL, sets, 2));
}

static void twenty_indexes(void **state) {
    (void)state;
    char set[4096] = "tables.carts.indexes=[";
    for (int i = 0; i < 21; i++) {
        char one[128];
        snprintf(one, sizeof one,
                 "{name: i%d, partition_key: \"{state}\", read_capacity: 1, write_capacity: 1}, ",
                 i);
        strcat(set, one);
    }
    strcat(set, "]");
    fixture_refuse_set(set, "20 global indexes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),
        cmocka_unit_test(workloads),
        cmocka_unit_test(resolves),
        cmocka_unit_test(refused),
        cmocka_unit_test(unknown_keys),
        cmocka_unit_test(not_supported),
        cmocka_unit_test(told_where_it_belongs),
        cmocka_unit_test(streams_that_come_back),
        cmocka_unit_test(twenty_indexes),
        cmocka_unit_test(value_sets_of_a_workload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
