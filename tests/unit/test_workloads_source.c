/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generators as a source: draws shared between variants, mixes, sequences, sizes, work of the
 * indexes. */
#include "workloads_fixture.h"

#include <stdlib.h>
#include <base/hash.h>
#include <workloads/population.h>

/* ---- a stream of requests as one number ---- */

static void fold(uint64_t *hash, uint64_t value) { *hash = hash_mix(*hash, value, 0); }

static void fold_key(uint64_t *hash, const struct ddbsim_key *key) {
    fold(hash, key->hash);
    fold(hash, key->sort);
    fold(hash, key->ordinal);
    fold(hash, key->entity);
}

static void fold_request(uint64_t *hash, const struct ddbsim_request *r, int64_t t_ns) {
    fold(hash, (uint64_t)t_ns);
    fold(hash, r->number);
    fold(hash, r->step);
    fold(hash, r->operation);
    const char *kind = ddbsim_operation_name((int)r->kind);
    fold(hash, hash64(kind, strlen(kind)));
    fold(hash, r->process);
    fold_key(hash, &r->key);
    fold(hash, (uint64_t)r->old_bytes);
    fold(hash, (uint64_t)r->new_bytes);
    for (uint32_t i = 0; i < r->work_count; i++) {
        const struct ddbsim_index_work *w = &r->work[i];
        fold(hash, w->index);
        fold(hash, (uint64_t)w->effect);
        fold(hash, (uint64_t)w->old_bytes);
        fold(hash, (uint64_t)w->new_bytes);
        fold_key(hash, &w->old_key);
        fold_key(hash, &w->new_key);
    }
}

static uint64_t hash_of(const struct fixture *f, uint64_t seed, uint32_t replication, int count) {
    struct generators g;
    generators_open(&g, f, seed, replication);
    uint64_t hash = 0;
    struct ddbsim_request request;
    for (int i = 0; i < count; i++) {
        struct ddbsim_arrival arrival = next_request(&g.sources[0], &request);
        fold_request(&hash, &request, arrival.t_ns);
    }
    generators_close(&g);
    return hash;
}

static void same_seed_same_requests(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    uint64_t hash = hash_of(&f, 1820, 0, 100000);
    /* Frozen: moves only with DDBSIM_MODEL_VERSION. */
    if (hash != UINT64_C(0x1861ff9198fb412))
        fail_msg("hash is now 0x%llx", (unsigned long long)hash);
    assert_true(hash_of(&f, 1820, 0, 1000) == hash_of(&f, 1820, 0, 1000));
    assert_true(hash_of(&f, 1820, 0, 1000) != hash_of(&f, 1820, 1, 1000));
    assert_true(hash_of(&f, 1820, 0, 1000) != hash_of(&f, 1821, 0, 1000));
}

/* ---- common random numbers ---- */

enum { PAIRS = 3000 };

/* Draws of one purpose: alike, or 0 on a side where no call can ask for it. */
static bool same_draw(uint64_t a, uint64_t b) { return a == b || a == 0 || b == 0; }

/* The same arrivals with the same draws. */
static void assert_same_draws(const struct ddbsim_arrival *a, const struct ddbsim_arrival *b) {
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->t_ns, b->t_ns);
    assert_true(same_draw(a->choice, b->choice) && same_draw(a->effect, b->effect));
    assert_true(same_draw(a->item, b->item) && same_draw(a->process, b->process));
    assert_true(same_draw(a->index_key, b->index_key));
    assert_true(a->keys[0] == b->keys[0]);
}

static void another_workload_shifts_nothing(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    /* No inserts: two workloads of one table share its items. */
    f.operations[2].kind = DDBSIM_UPDATE_ITEM;
    struct generators one, two;
    generators_open(&one, &f, 7, 0);
    struct fixture with = f;
    with.scenario.workload_count = 2;
    generators_open(&two, &with, 7, 0);
    struct ddbsim_request a, b, other;
    int alike = 0;
    for (int i = 0; i < PAIRS; i++) {
        struct ddbsim_arrival x = next_request(&one.sources[0], &a);
        struct ddbsim_arrival y = next_request(&two.sources[0], &b);
        assert_same_draws(&x, &y);
        struct ddbsim_arrival z = next_request(&two.sources[1], &other);
        assert_true(z.t_ns != y.t_ns);
        alike += z.keys[0] == y.keys[0];
        uint64_t first = 0, second = 0;
        fold_request(&first, &a, x.t_ns);
        fold_request(&second, &b, y.t_ns);
        assert_true(first == second);
    }
    assert_true(alike < PAIRS / 100);
    generators_close(&one);
    generators_close(&two);
}

static void another_operation_shifts_nothing(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.workloads[0].operation_count = 1;
    struct generators one, two;
    generators_open(&one, &f, 7, 0);
    struct fixture with = f;
    with.workloads[0].operation_count = 2;
    with.scenario.workloads = with.workloads;
    generators_open(&two, &with, 7, 0);
    struct ddbsim_request a, b;
    int updates = 0;
    for (int i = 0; i < PAIRS; i++) {
        struct ddbsim_arrival x = next_request(&one.sources[0], &a);
        struct ddbsim_arrival y = next_request(&two.sources[0], &b);
        assert_same_draws(&x, &y);
        assert_true(a.key.hash == b.key.hash && a.key.sort == b.key.sort);
        if (b.kind != DDBSIM_UPDATE_ITEM) continue;
        updates++;
        uint64_t first = 0, second = 0;
        fold_request(&first, &a, x.t_ns);
        fold_request(&second, &b, y.t_ns);
        assert_true(first == second);
    }
    assert_true(updates > PAIRS / 2 && updates < PAIRS);
    generators_close(&one);
    generators_close(&two);
}

static void another_index_shifts_nothing(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.tables[0].index_count = 1;
    struct generators one, two;
    generators_open(&one, &f, 7, 0);
    struct fixture with = f;
    with.tables[0].index_count = 2;
    with.scenario.tables = with.tables;
    generators_open(&two, &with, 7, 0);
    struct ddbsim_request a, b;
    bool more = false;
    for (int i = 0; i < PAIRS; i++) {
        struct ddbsim_arrival x = next_request(&one.sources[0], &a);
        struct ddbsim_arrival y = next_request(&two.sources[0], &b);
        assert_same_draws(&x, &y);
        more |= b.work_count > a.work_count;
        if (b.work_count > 0 && b.work[b.work_count - 1].index == BY_DAY) b.work_count--;
        uint64_t first = 0, second = 0;
        fold_request(&first, &a, x.t_ns);
        fold_request(&second, &b, y.t_ns);
        assert_true(first == second);
    }
    assert_true(more);
    generators_close(&one);
    generators_close(&two);
}

/* ---- sequences ---- */

static void a_sequence_does_all_in_order(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct ddbsim_operation steps[] = {f.operations[1], f.operations[0], f.operations[2]};
    steps[1].times = 2;
    steps[1].probability = 900000000;
    f.workloads[0].sequence = true;
    f.workloads[0].operations = steps;
    f.workloads[0].operation_count = 3;
    struct generators g;
    generators_open(&g, &f, 11, 0);
    struct ddbsim_source *s = &g.sources[0];
    int full = 0, alike = 0;
    const int rounds = 20000;
    for (int i = 0; i < rounds; i++) {
        struct ddbsim_arrival arrival;
        struct ddbsim_request r[5];
        s->take(s->self, &arrival);
        uint32_t count = 0;
        while (count < 5 && s->request(s->self, &arrival, count, arrival.t_ns, &r[count]))
            count++;
        assert_true(count == 2 || count == 4);
        for (uint32_t k = 0; k < count; k++) {
            assert_int_equal(r[k].step, k);
            assert_int_equal(r[k].number, i);
            assert_int_equal(r[k].process, r[0].process);
        }
        assert_int_equal(r[0].kind, DDBSIM_GET_ITEM);
        assert_int_equal(r[count - 1].kind, DDBSIM_PUT_ITEM);
        if (count == 2) continue;
        full++;
        for (int k = 1; k < 3; k++) {
            assert_int_equal(r[k].operation, 1);
            /* The update writes the item that was read. */
            assert_true(r[k].key.hash == r[0].key.hash && r[k].key.sort == r[0].key.sort);
        }
        alike += r[1].work[0].effect == r[2].work[0].effect;
    }
    /* 90 % do the second step: 6 sigma are 255 of 20,000. */
    assert_in_range(full, 17745, 18255);
    /* Two independent choices of 61:39 agree in 52.4 %. */
    assert_in_range(alike, full * 50 / 100, full * 55 / 100);
    generators_close(&g);
}

static void a_mix_has_one_call(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct generators g;
    generators_open(&g, &f, 11, 0);
    struct ddbsim_arrival arrival;
    struct ddbsim_request request;
    g.sources[0].take(g.sources[0].self, &arrival);
    assert_true(g.sources[0].request(g.sources[0].self, &arrival, 0, arrival.t_ns, &request));
    assert_false(g.sources[0].request(g.sources[0].self, &arrival, 1, arrival.t_ns, &request));
    generators_close(&g);
}

/* ---- sizes ---- */

static void bytes_before_and_after(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct generators g;
    generators_open(&g, &f, 13, 0);
    struct population_entity *orders = &g.population->tables[0].entities[ORDER];
    uint64_t puts = 0, met = 0;
    struct ddbsim_request r;
    for (int i = 0; i < 2000; i++) {
        next_request(&g.sources[0], &r);
        met |= 1u << r.kind;
        switch (r.kind) {
        case DDBSIM_UPDATE_ITEM:
            assert_int_equal(r.old_bytes, 11264);
            assert_int_equal(r.new_bytes, 11264);
            break;
        case DDBSIM_GET_ITEM:
            assert_int_equal(r.old_bytes, 3000);
            assert_int_equal(r.new_bytes, 3000);
            assert_int_equal(r.work_count, 0);
            break;
        case DDBSIM_PUT_ITEM: /* a {uuid}: new each time, numbered on from the 500 at start */
            assert_int_equal(r.old_bytes, 0);
            assert_int_equal(r.new_bytes, 900);
            assert_int_equal(r.key.ordinal, 500 + puts++);
            break;
        case DDBSIM_DELETE_ITEM:
            assert_int_equal(r.old_bytes, 700);
            assert_int_equal(r.new_bytes, 0);
            break;
        case DDBSIM_QUERY:
        case DDBSIM_BATCH_GET_ITEM:
        case DDBSIM_BATCH_WRITE_ITEM:
        case DDBSIM_SCAN:
        case DDBSIM_TRANSACT_GET_ITEMS:
        case DDBSIM_TRANSACT_WRITE_ITEMS:
        case DDBSIM_OPERATION_KINDS:
            fail();
        }
    }
    assert_int_equal(met, 1u << DDBSIM_UPDATE_ITEM | 1u << DDBSIM_GET_ITEM | 1u << DDBSIM_PUT_ITEM |
                              1u << DDBSIM_DELETE_ITEM);
    assert_int_equal(population_group_items(orders, 0), 500 + puts);
    generators_close(&g);
}

static void a_put_on_a_plain_key_overwrites(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.operations[0] = operation_of(DDBSIM_PUT_ITEM, PROFILE, 1, 700, NULL);
    f.workloads[0].operation_count = 1;
    struct generators g;
    generators_open(&g, &f, 13, 0);
    struct ddbsim_request r;
    next_request(&g.sources[0], &r);
    assert_int_equal(r.old_bytes, 700);
    assert_int_equal(r.new_bytes, 700);
    assert_null(g.population->tables[0].entities[PROFILE].added);
    generators_close(&g);
}

static void assert_same_call(const struct ddbsim_request *a, const struct ddbsim_request *b) {
    uint64_t first = 0, second = 0;
    fold_request(&first, a, 0);
    fold_request(&second, b, 0);
    assert_true(first == second);
    assert_true(a->workload == b->workload && a->table == b->table && a->index == b->index);
    assert_true(a->consistent == b->consistent && a->renews == b->renews);
    assert_true(a->special == b->special && a->members == b->members && a->more == b->more);
    assert_true(a->missed == b->missed && a->branches == b->branches);
    assert_true(a->work_count == b->work_count);
}

/* Entries: a bit of each effect; one for all; and of an index whose key is the item's own value. */
static void profiles_have_entries(struct fixture *f) {
    f->entries[BY_STATE][PROFILE] =
        (struct ddbsim_entry){.in_index = true,
                              .partition_key = template_of("C#{customer}", f->profile_pk, 2),
                              .present = 900000000,
                              .entry_bytes = -1};
    f->indexes[BY_STATE].sort_key = (struct ddbsim_template){0};
    for (int i = 0; i < INDEXES; i++)
        f->effects[0][i] = (struct ddbsim_index_effect){
            .add = 100000000, .remove = 200000000, .move = 50000000, .rewrite = 400000000};
    f->effects[2][BY_STATE] = (struct ddbsim_index_effect){.untouched = DDBSIM_SHARE_ONE};
    f->effects[2][BY_DAY] = (struct ddbsim_index_effect){.remove = DDBSIM_SHARE_ONE};
    f->operations[0].effects = f->effects[0];
    f->operations[2].effects = f->effects[2];
}

/* Where some operation may have pages, be it one that is never chosen, all calls go the way of any call. */
static void same_the_short_way(bool with_entries) {
    struct fixture f;
    fixture_init(&f);
    f.entities[PROFILE].sort_key = (struct ddbsim_template){0};
    f.operations[0] = operation_of(DDBSIM_UPDATE_ITEM, PROFILE, 50, 700, NULL);
    f.operations[1] = operation_of(DDBSIM_GET_ITEM, PROFILE, 40, 900, NULL);
    f.operations[1].consistent_read = true;
    f.operations[2] = operation_of(DDBSIM_DELETE_ITEM, PROFILE, 10, 700, NULL);
    if (with_entries) profiles_have_entries(&f);
    f.operations[3] = operation_of(DDBSIM_QUERY, CART, 0, 700, NULL);
    f.operations[3].all_pages = true;
    struct generators shorter, longer;
    f.workloads[0].operation_count = 3;
    generators_open(&shorter, &f, 31, 0);
    struct fixture with = f;
    with.workloads[0].operations = f.operations;
    with.workloads[0].operation_count = 4;
    with.scenario.workloads = with.workloads;
    generators_open(&longer, &with, 31, 0);
    static struct ddbsim_request a, b;
    memset(&a, 0xa5, sizeof a); /* whatever stood there before */
    int kinds[DDBSIM_OPERATION_KINDS] = {0}, works = 0;
    for (int i = 0; i < 3 * PAIRS; i++) {
        struct ddbsim_arrival x = next_request(&shorter.sources[0], &a);
        struct ddbsim_arrival y = next_request(&longer.sources[0], &b);
        assert_int_equal(x.t_ns, y.t_ns);
        assert_same_call(&a, &b);
        kinds[a.kind]++;
        works += (int)a.work_count;
    }
    assert_true(with_entries == (works > PAIRS));
    assert_true(kinds[DDBSIM_UPDATE_ITEM] && kinds[DDBSIM_GET_ITEM] && kinds[DDBSIM_DELETE_ITEM]);
    generators_close(&shorter);
    generators_close(&longer);
}

static void the_short_way_describes_the_same(void **state) {
    (void)state;
    same_the_short_way(false);
    same_the_short_way(true);
}

/* The members of one call after the other, as one number. */
static uint64_t hash_of_members(const struct fixture *f, uint32_t again) {
    struct generators g;
    generators_open(&g, f, 37, 0);
    struct ddbsim_source *s = &g.sources[0];
    static struct ddbsim_request call, member;
    uint64_t hash = 0;
    for (int i = 0; i < PAIRS; i++) {
        struct ddbsim_arrival arrival = next_request(s, &call);
        for (uint32_t m = 0; m < call.members; m++) {
            memset(&member, 0xa5, sizeof member);
            s->member(s->self, &arrival, 0, m, again, arrival.t_ns, &member);
            fold_request(&hash, &member, arrival.t_ns);
            fold(&hash, member.special);
            fold(&hash, member.members | (uint64_t)member.consistent << 32);
        }
    }
    generators_close(&g);
    return hash;
}

/* Where a condition might fail, be it once in a billion, members go the way of any member. */
static void the_short_way_describes_the_same_members(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.entities[PROFILE].sort_key = (struct ddbsim_template){0};
    struct ddbsim_operation actions[2] = {operation_of(DDBSIM_UPDATE_ITEM, PROFILE, 0, 900, NULL),
                                          operation_of(DDBSIM_DELETE_ITEM, PROFILE, 0, 700, NULL)};
    actions[0].times = 3;
    actions[1].times = 2;
    f.operations[0] = operation_of(DDBSIM_BATCH_WRITE_ITEM, PROFILE, 50, 700, NULL);
    f.operations[1] = operation_of(DDBSIM_TRANSACT_WRITE_ITEMS, PROFILE, 50, 700, NULL);
    f.operations[0].batch_size = f.operations[1].batch_size = 5;
    f.operations[1].actions = actions;
    f.operations[1].action_count = 2;
    f.workloads[0].operation_count = 2;
    uint64_t shorter[2], longer[2];
    for (uint32_t again = 0; again < 2; again++)
        shorter[again] = hash_of_members(&f, again);
    actions[0].condition_fails = actions[1].condition_fails = 1;
    f.operations[0].condition_fails = 1;
    for (uint32_t again = 0; again < 2; again++)
        longer[again] = hash_of_members(&f, again);
    assert_true(shorter[0] == longer[0] && shorter[1] == longer[1] && shorter[0] != shorter[1]);
}

/* ---- indexes ---- */

static bool keys_equal(const struct ddbsim_key *a, const struct ddbsim_key *b) {
    return a->hash == b->hash && a->sort == b->sort && a->ordinal == b->ordinal &&
           a->entity == b->entity;
}

static void assert_key_text(const struct generators *g, uint32_t index,
                            const struct ddbsim_key *key) {
    char text[100];
    size_t length =
        population_key_text(g->population, 0, index, key->entity, key->ordinal, text, sizeof text);
    assert_true(hash64(text, length) == key->hash);
}

static void effects_follow_their_shares(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.effects[0][BY_STATE] = (struct ddbsim_index_effect){.add = 100000000,
                                                          .remove = 150000000,
                                                          .move = 300000000,
                                                          .rewrite = 250000000,
                                                          .untouched = 200000000};
    f.workloads[0].operation_count = 1;
    f.tables[0].index_count = 1;
    struct generators g;
    generators_open(&g, &f, 17, 0);
    int met[4] = {0}, none = 0;
    struct ddbsim_request r;
    for (int i = 0; i < 40000; i++) {
        struct ddbsim_arrival arrival = next_request(&g.sources[0], &r);
        if (r.work_count == 0) {
            none++;
            continue;
        }
        const struct ddbsim_index_work *w = &r.work[0];
        met[w->effect]++;
        assert_int_equal(w->index, BY_STATE);
        assert_int_equal(w->old_bytes, w->effect == DDBSIM_EFFECT_ADD ? 0 : 11264);
        assert_int_equal(w->new_bytes, w->effect == DDBSIM_EFFECT_REMOVE ? 0 : 11264);
        if (w->effect != DDBSIM_EFFECT_MOVE)
            assert_true(keys_equal(&w->old_key, &w->new_key));
        else
            assert_true(w->old_key.sort < w->new_key.sort);
        /* Before the write the entry had an earlier time, after it the moment of the write. */
        uint64_t now_place = (uint64_t)(arrival.t_ns + KEY_DAY_NS);
        if (w->effect == DDBSIM_EFFECT_ADD || w->effect == DDBSIM_EFFECT_MOVE)
            assert_int_equal(w->new_key.sort, now_place);
        else
            assert_true(w->old_key.sort < now_place);
        assert_key_text(&g, BY_STATE, &w->old_key);
        assert_key_text(&g, BY_STATE, &w->new_key);
    }
    const int expected[] = {4000, 6000, 12000, 10000};
    for (int i = 0; i < 4; i++)
        assert_in_range(met[i], expected[i] - 560, expected[i] + 560);
    assert_in_range(none, 8000 - 480, 8000 + 480);
    generators_close(&g);
}

static void a_move_without_time_changes_its_values(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.effects[0][BY_DAY] = (struct ddbsim_index_effect){.move = DDBSIM_SHARE_ONE};
    f.effects[0][BY_STATE] = (struct ddbsim_index_effect){.move = DDBSIM_SHARE_ONE};
    f.entries[BY_STATE][CART].sort_key = (struct ddbsim_template){0};
    f.indexes[BY_STATE].sort_key = (struct ddbsim_template){0};
    f.workloads[0].operation_count = 1;
    struct generators g;
    generators_open(&g, &f, 19, 0);
    struct ddbsim_request r;
    for (int i = 0; i < 5000; i++) {
        next_request(&g.sources[0], &r);
        assert_int_equal(r.work_count, 2);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(r.work[k].effect, DDBSIM_EFFECT_MOVE);
            assert_true(r.work[k].old_key.hash != r.work[k].new_key.hash);
            assert_key_text(&g, r.work[k].index, &r.work[k].old_key);
            assert_key_text(&g, r.work[k].index, &r.work[k].new_key);
        }
        assert_int_equal(r.work[1].old_bytes, 200);
        assert_int_equal(r.work[1].new_bytes, 200);
    }
    generators_close(&g);
}

static void values_of_the_item_stand_in_the_entry(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct ddbsim_template customer = template_of("CUSTOMER#{customer}", f.cart_pk, 2);
    f.entries[BY_DAY][CART].partition_key = customer;
    f.effects[0][BY_DAY] = (struct ddbsim_index_effect){.rewrite = DDBSIM_SHARE_ONE};
    f.workloads[0].operation_count = 1;
    struct generators g;
    generators_open(&g, &f, 19, 0);
    struct ddbsim_request r;
    for (int i = 0; i < 2000; i++) {
        next_request(&g.sources[0], &r);
        const struct ddbsim_index_work *w = &r.work[r.work_count - 1];
        assert_int_equal(w->index, BY_DAY);
        assert_true(w->new_key.hash == r.key.hash && w->new_key.ordinal == r.key.ordinal);
    }
    generators_close(&g);
}

static void sparse_and_absent_entries(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.entries[BY_STATE][CART].present = 20000000;
    f.entries[BY_DAY][CART].in_index = false;
    f.workloads[0].operation_count = 1;
    struct generators g;
    generators_open(&g, &f, 23, 0);
    int held = 0, moved = 0;
    struct ddbsim_request r;
    for (int i = 0; i < 50000; i++) {
        next_request(&g.sources[0], &r);
        assert_true(r.work_count <= 1);
        held += (int)r.work_count;
        if (r.work_count > 0) {
            assert_int_equal(r.work[0].index, BY_STATE);
            moved += r.work[0].effect == DDBSIM_EFFECT_MOVE;
        }
    }
    assert_in_range(held, 1000 - 190, 1000 + 190);
    assert_in_range(moved, held * 50 / 100, held * 72 / 100);
    generators_close(&g);
}

/* ---- changes ---- */

static void a_change_acts_on_the_next_request(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_change(&f, 10 * NS_PER_S);
    struct ddbsim_operation reads[2] = {f.operations[1], f.operations[0]};
    reads[0].item_bytes = 4096;
    reads[1].weight = 0;
    f.after_workloads[0].operations = reads;
    f.after_workloads[0].operation_count = 2;
    f.after_workloads[0].scale = 3;
    f.after_workloads[0].client.processes = 1;
    struct generators same, g;
    generators_open(&same, &f, 29, 0);
    generators_open(&g, &f, 29, 0);
    struct ddbsim_source *s = &g.sources[0];
    struct ddbsim_arrival x, y;
    struct ddbsim_request r;
    while (s->peek(s->self) < 10 * NS_PER_S) {
        x = next_request(&same.sources[0], &r);
        y = next_request(s, &r);
        assert_same_draws(&x, &y);
    }
    int64_t due = s->peek(s->self);
    s->change(s->self, &f.after, 10 * NS_PER_S);
    int64_t remapped = s->peek(s->self) - 10 * NS_PER_S;
    assert_in_range(remapped * 3 - (due - 10 * NS_PER_S) + 5, 0, 10);
    int count = 0;
    for (; s->peek(s->self) < 20 * NS_PER_S; count++) {
        same.sources[0].take(same.sources[0].self, &x);
        y = next_request(s, &r);
        assert_true(x.number == y.number && x.choice == y.choice && x.keys[0] == y.keys[0]);
        assert_int_equal(r.kind, DDBSIM_GET_ITEM);
        assert_int_equal(r.new_bytes, 4096);
        assert_int_equal(r.process, 0);
    }
    assert_in_range(count, 3000 - 330, 3000 + 330);
    generators_close(&same);
    generators_close(&g);
}

static void a_removed_workload_falls_silent(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_change(&f, NS_PER_S);
    f.after.workload_count = 0;
    struct generators g;
    generators_open(&g, &f, 29, 0);
    struct ddbsim_source *s = &g.sources[0];
    struct ddbsim_arrival arrival;
    struct ddbsim_request r;
    s->take(s->self, &arrival);
    s->change(s->self, &f.after, NS_PER_S);
    assert_int_equal(s->peek(s->self), TIME_NEVER);
    assert_false(s->request(s->self, &arrival, 0, NS_PER_S, &r));
    generators_close(&g);
}

/* ---- limits ---- */

static void keys_that_cannot_be_are_refused(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    static char longest[3000];
    memset(longest, 'x', sizeof longest - 1);
    f.cart_pk[0].text = longest;
    struct population *population = population_create(&f.scenario, 1, 0);
    assert_non_null(population);
    struct ddbsim_source source;
    struct ddbsim_error error = {0};
    assert_int_equal(source_create(&f.scenario, 0, population, 1, 0, &source, &error),
                     DDBSIM_INPUT);
    assert_string_equal(error.path, "tables.shop.entities.cart.partition_key");
    assert_non_null(strstr(error.message, "2048"));
    population_destroy(population);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_requests),
        cmocka_unit_test(another_workload_shifts_nothing),
        cmocka_unit_test(another_operation_shifts_nothing),
        cmocka_unit_test(another_index_shifts_nothing),
        cmocka_unit_test(a_sequence_does_all_in_order),
        cmocka_unit_test(a_mix_has_one_call),
        cmocka_unit_test(bytes_before_and_after),
        cmocka_unit_test(a_put_on_a_plain_key_overwrites),
        cmocka_unit_test(the_short_way_describes_the_same),
        cmocka_unit_test(the_short_way_describes_the_same_members),
        cmocka_unit_test(effects_follow_their_shares),
        cmocka_unit_test(a_move_without_time_changes_its_values),
        cmocka_unit_test(values_of_the_item_stand_in_the_entry),
        cmocka_unit_test(sparse_and_absent_entries),
        cmocka_unit_test(a_change_acts_on_the_next_request),
        cmocka_unit_test(a_removed_workload_falls_silent),
        cmocka_unit_test(keys_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
