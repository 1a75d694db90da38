/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits, quotas and presets against figures of the SDKs' own tests and runs (M-70 to M-76). */
#include <support/cmocka.h>

#include <client/retry.h>
#include <ddbsim/presets.h>
#include <loader/client.h>
#include <support/vectors.h>

#define MS NS_PER_MS

static struct ddbsim_client preset(const char *name) {
    const struct ddbsim_preset *found = ddbsim_preset_find(name);
    if (!found) fail_msg("there is no preset %s", name);
    return found->client;
}

/* ---- waits ---- */

/* The jitter's factor at 1: what is drawn from, without rounding. */
static struct ddbsim_client at_factor_one(struct ddbsim_client client) {
    client.backoff.jitter = client.backoff.throttling_jitter = DDBSIM_JITTER_NONE;
    return client;
}

static int64_t wait_of(const struct ddbsim_client *client, enum error_class error, uint32_t i,
                       uint64_t draw) {
    struct backoff_state state = {0};
    return retry_wait_ns(client, error, i + 1, draw, RETRY_NO_HINT, &state);
}

static int64_t unit_of(const json_t *sequence) {
    return strcmp(vectors_text(sequence, "unit"), "s") == 0 ? NS_PER_S : MS;
}

/* Decimals of a second are no doubles: to the nearest nanosecond. */
static int64_t nanoseconds(double value, int64_t unit) {
    return (int64_t)(value * (double)unit + 0.5);
}

/* Members i (or n from 1, or retries) and delays. */
static void plain(const json_t *sequence, const struct ddbsim_client *client,
                  enum error_class error) {
    const json_t *delays = vectors_at(sequence, "delays"), *numbers = NULL;
    const char *const names[] = {"i", "n", "retries"};
    int used = -1;
    for (int n = 0; n < 3 && !numbers; used = n++)
        numbers = json_object_get(sequence, names[n]);
    struct ddbsim_client steady = at_factor_one(*client);
    steady.max_attempts = UINT32_MAX;
    assert_true(json_array_size(delays) > 0);
    assert_int_equal(json_array_size(delays), json_array_size(numbers));
    for (size_t k = 0; k < json_array_size(delays); k++) {
        json_int_t i = json_integer_value(json_array_get(numbers, k)) - (used == 1);
        assert_int_equal(
            wait_of(&steady, error, (uint32_t)i, 0),
            nanoseconds(json_number_value(json_array_get(delays, k)), unit_of(sequence)));
    }
    const json_t *cost = json_object_get(sequence, "cost");
    int64_t held = 0;
    struct retry_quota quota = {client->quota.capacity};
    if (!cost) return;
    assert_true(quota_take(&client->quota, &quota, error, &held));
    assert_int_equal(held, json_integer_value(cost));
}

/* A call whose errors are of both kinds: waits, costs and what is left. */
static void mixed(const json_t *sequence, const struct ddbsim_client *client) {
    const json_t *types = vectors_at(sequence, "types");
    struct ddbsim_client steady = at_factor_one(*client);
    struct retry_quota quota = {client->quota.capacity};
    size_t i;
    const json_t *type;
    json_array_foreach(types, i, type) {
        int64_t held = 0;
        enum error_class error =
            strcmp(json_string_value(type), "THR") == 0 ? ERROR_THROTTLE : ERROR_TRANSIENT;
        assert_int_equal(wait_of(&steady, error, (uint32_t)i, 0),
                         json_integer_value(json_array_get(vectors_at(sequence, "delays"), i)) *
                             MS);
        assert_true(quota_take(&client->quota, &quota, error, &held));
        assert_int_equal(held,
                         json_integer_value(json_array_get(vectors_at(sequence, "costs"), i)));
    }
    assert_int_equal(json_array_size(types), 7);
    assert_int_equal(quota.tokens, vectors_number(sequence, "capacity_left"));
}

/* Go: attempts count from 1; a rand of 1 - 2^-53 is the draw with 53 bits set. */
static void go(const json_t *sequence, const struct ddbsim_client *client) {
    size_t i;
    const json_t *test;
    json_array_foreach(vectors_at(sequence, "tests"), i, test) {
        const json_t *rand = vectors_at(test, "rand"), *delay = vectors_at(test, "delay");
        uint32_t retry = (uint32_t)vectors_number(test, "attempt") - 1;
        uint64_t draws[] = {0, UINT64_MAX};
        int64_t wanted_ns = (int64_t)(json_number_value(delay) * NS_PER_S);
        if (json_is_string(rand) && strcmp(json_string_value(rand), "any") != 0) {
            assert_string_equal(json_string_value(rand), "1-2^-53");
            assert_string_equal(json_string_value(delay), "2*(1-2^-53)");
            draws[0] = draws[1] = UINT64_MAX << 11;
            wanted_ns = 2 * NS_PER_S - 1; /* 0.2 femtoseconds below */
        } else if (!json_is_string(rand))
            draws[0] = draws[1] = (uint64_t)(json_number_value(rand) * 0x1p63) << 1;
        for (int k = 0; k < 2; k++)
            assert_int_equal(wait_of(client, ERROR_TRANSIENT, retry, draws[k]), wanted_ns);
    }
    assert_int_equal(i, 4);
}

/* Java: a random whole number below the bound; its first attempt waits for nothing. */
static void java(const json_t *sequence, struct ddbsim_client client) {
    size_t i;
    const json_t *test;
    client.backoff.base_ns = 23 * MS;
    json_array_foreach(vectors_at(sequence, "tests"), i, test) {
        uint32_t attempt = (uint32_t)vectors_number(test, "attempt");
        double first = vectors_number(test, "rand_bound_minus_1");
        double half = vectors_number(test, "rand_half_bound");
        assert_int_equal(vectors_number(test, "rand_0"), 0);
        if (attempt == 1) {
            assert_true(first == 0 && half == 0);
            continue;
        }
        assert_int_equal(wait_of(&client, ERROR_TRANSIENT, attempt - 2, UINT64_MAX), first * MS);
        assert_int_equal(wait_of(&client, ERROR_TRANSIENT, attempt - 2, UINT64_C(1) << 63),
                         half * MS);
        assert_int_equal(wait_of(&client, ERROR_TRANSIENT, attempt - 2, 0), 0);
    }
    assert_int_equal(i, 7);
}

static void java_half(const json_t *sequence, struct ddbsim_client client) {
    const json_t *range = vectors_at(sequence, "range");
    client.backoff.base_ns = (int64_t)vectors_number(sequence, "base") * MS;
    client.backoff.jitter = DDBSIM_JITTER_EQUAL;
    assert_int_equal(wait_of(&client, ERROR_TRANSIENT, 0, 0),
                     json_integer_value(json_array_get(range, 0)) * MS);
    assert_int_equal(wait_of(&client, ERROR_TRANSIENT, 0, UINT64_MAX),
                     json_integer_value(json_array_get(range, 1)) * MS);
}

static void rust(const json_t *sequence, struct ddbsim_client client) {
    size_t i, k;
    const json_t *test, *delay;
    client = at_factor_one(client);
    json_array_foreach(vectors_at(sequence, "tests"), i, test) {
        client.backoff.base_ns = nanoseconds(vectors_number(test, "base"), NS_PER_S);
        const json_t *delays = json_object_get(test, "delays");
        if (!delays)
            assert_int_equal(
                wait_of(&client, ERROR_TRANSIENT, (uint32_t)vectors_number(test, "i"), 0),
                nanoseconds(vectors_number(test, "delay"), NS_PER_S));
        json_array_foreach(delays, k, delay)
            assert_int_equal(wait_of(&client, ERROR_TRANSIENT, (uint32_t)k, 0),
                             nanoseconds(json_number_value(delay), NS_PER_S));
    }
    assert_int_equal(i, 4);
}

/* Whose a sequence is, and where it differs from the preset: `base_ms` and `growth` where not 0. */
struct whose {
    const char *sdk, *preset;
    enum error_class error;
    int base_ms, growth;
};
static const struct whose plain_ones[] = {
    {"botocore standard v2.0", "boto3-standard", ERROR_TRANSIENT, 0, 0},
    {"botocore standard v2.1 generic", "boto3-standard-2026", ERROR_TRANSIENT, 50, 0},
    {"botocore standard v2.1 dynamodb", "boto3-standard-2026", ERROR_TRANSIENT, 0, 0},
    {"botocore legacy dynamodb (no jitter)", "boto3-legacy", ERROR_THROTTLE, 0, 0},
    {"botocore legacy default services: rand(0,1)*2^i, no cap", "boto3-legacy", ERROR_TRANSIENT,
     1000, 0},
    {"js-v2 dynamodb: rand*50*2^i, no cap", "js-v2", ERROR_THROTTLE, 0, 0},
    {"js-v3 pre-2026 transient", "js-v3-standard", ERROR_TRANSIENT, 0, 0},
    {"js-v3 pre-2026 throttling", "js-v3-standard", ERROR_THROTTLE, 0, 0},
    {"dotnet legacy DynamoDB (no jitter, cap 30 s)", "dotnet-legacy", ERROR_THROTTLE, 0, 0},
    {"dotnet legacy other services (no jitter, cap 30 s)", "dotnet-legacy", ERROR_TRANSIENT, 100,
     4},
    {"dotnet standard: min(rand*2^(n-1)*1000, 20000), n=1 first retry", "dotnet", ERROR_THROTTLE, 0,
     0},
};
static const struct whose mixed_ones[] = {
    {"js-v3 pre-2026 mixed", "js-v3-standard", ERROR_NONE, 0, 0},
    {"js-v3 pre-2026 mixed 2", "js-v3-standard", ERROR_NONE, 0, 0},
    {"js-v3 2026 mixed", "js-v3-standard-2026", ERROR_NONE, 50, 0},
    {"js-v3 2026 mixed 2", "js-v3-standard-2026", ERROR_NONE, 50, 0},
};

static const struct whose *find(const struct whose *list, size_t count, const char *sdk,
                                struct ddbsim_client *client) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].sdk, sdk) != 0) continue;
        *client = preset(list[i].preset);
        if (list[i].base_ms > 0) client->backoff.base_ns = list[i].base_ms * MS;
        if (list[i].growth > 0) client->backoff.growth = list[i].growth * DDBSIM_SHARE_ONE;
        return &list[i];
    }
    return NULL;
}

static void one_sequence(const json_t *sequence) {
    const char *sdk = vectors_text(sequence, "sdk");
    struct ddbsim_client client;
    const struct whose *whose =
        find(plain_ones, sizeof plain_ones / sizeof *plain_ones, sdk, &client);
    if (whose) {
        plain(sequence, &client, whose->error);
    } else if (find(mixed_ones, sizeof mixed_ones / sizeof *mixed_ones, sdk, &client)) {
        mixed(sequence, &client);
    } else if (!strcmp(sdk, "go-v2 pre-2026 BackoffDelay(attempt)")) {
        client = preset("go-v2");
        go(sequence, &client);
    } else if (!strcmp(sdk, "java-v2 ExponentialDelayWithJitter (base 23 ms, max 20 s)")) {
        java(sequence, preset("java-v2"));
    } else if (!strcmp(sdk, "java-v2 exponentialDelayHalfJitter")) {
        java_half(sequence, preset("java-v2"));
    } else if (!strcmp(sdk, "rust calculate_exponential_backoff")) {
        rust(sequence, preset("rust"));
    } else
        fail_msg("nobody looks at \"%s\"", sdk);
}

static void m71_waits_of_every_sdk(void **state) {
    (void)state;
    json_t *root = vectors_load("backoff-delays.json");
    size_t i;
    const json_t *sequence;
    json_array_foreach(vectors_at(root, "cases"), i, sequence) one_sequence(sequence);
    assert_int_equal(i, vectors_count(root, "sdk"));
    assert_int_equal(i, sizeof plain_ones / sizeof *plain_ones +
                            sizeof mixed_ones / sizeof *mixed_ones + 4);
    json_decref(root);
}

/* ---- quotas ---- */

/* One operation of a sequence: its name, its tokens, what is left or "refused". */
static void quota_step(const struct ddbsim_retry_quota *spec, struct retry_quota *quota,
                       const json_t *op) {
    const char *what = json_string_value(json_array_get(op, 0));
    int64_t tokens = json_integer_value(json_array_get(op, 1)), held = 0;
    const json_t *left = json_array_get(op, 2);
    struct ddbsim_retry_quota own = *spec;
    int64_t before = quota->tokens;
    if (!strcmp(what, "acquire")) {
        own.retry_cost = tokens;
        bool taken = quota_take(&own, quota, ERROR_TRANSIENT, &held);
        assert_int_equal(taken, !json_is_string(left));
        assert_int_equal(held, taken ? tokens : 0);
    } else if (!strcmp(what, "acquire_timeout")) {
        assert_int_equal(spec->timeout_retry_cost, tokens);
        assert_true(quota_take(spec, quota, ERROR_TIMEOUT, &held));
    } else if (!strcmp(what, "release")) {
        quota_return(spec, quota, tokens, true);
    } else if (strcmp(what, "final_non_2xx") != 0 && strcmp(what, "state") != 0)
        fail_msg("nobody knows what %s does", what);
    if (json_is_string(left))
        assert_int_equal(quota->tokens, before);
    else
        assert_int_equal(quota->tokens, json_integer_value(left));
}

static void botocore_quota(const json_t *figures, const char *name, const char *timeout) {
    struct ddbsim_client client = preset(name);
    const json_t *costs = vectors_at(figures, "costs"), *sequence, *op;
    size_t i, k;
    assert_int_equal(vectors_number(figures, "capacity"), client.quota.capacity);
    assert_int_equal(vectors_number(costs, "default"), client.quota.retry_cost);
    assert_int_equal(vectors_number(costs, timeout), client.quota.timeout_retry_cost);
    assert_int_equal(vectors_number(figures, "no_retry_increment"),
                     client.quota.no_retry_increment);
    if (json_object_get(costs, "throttling"))
        assert_int_equal(vectors_number(costs, "throttling"), client.quota.throttling_retry_cost);
    json_array_foreach(vectors_at(figures, "sequences"), i, sequence) {
        const json_t *capacity = json_object_get(sequence, "capacity");
        struct ddbsim_retry_quota spec = client.quota;
        if (capacity) spec.capacity = json_integer_value(capacity);
        struct retry_quota quota = {spec.capacity};
        json_array_foreach(vectors_at(sequence, "ops"), k, op) quota_step(&spec, &quota, op);
        assert_true(k > 0);
    }
    assert_true(i >= 5);
}

/* A call that fails some times; its last attempt fails as well, or succeeds. */
static enum retry_decision failing_call(const struct ddbsim_client *client,
                                        struct retry_quota *quota, enum error_class error,
                                        uint32_t failures, bool succeeds) {
    int64_t held = 0;
    for (uint32_t attempt = 1; attempt <= failures; attempt++) {
        enum retry_decision decision = retry_decide(client, quota, error, attempt, &held);
        if (decision != RETRY_AGAIN) return decision;
    }
    if (succeeds) quota_return(&client->quota, quota, held, failures > 0);
    return RETRY_AGAIN;
}

static void java_quota(const json_t *figures) {
    struct ddbsim_client client = preset("java-v2-standard");
    client.quota.capacity = (int64_t)vectors_number(figures, "capacity");
    client.max_attempts = (uint32_t)vectors_number(figures, "max_attempts");
    assert_int_equal(client.quota.retry_cost, vectors_number(figures, "cost"));
    assert_non_null(strstr(vectors_text(figures, "call"), "fails twice then succeeds"));
    struct retry_quota quota = {client.quota.capacity};
    size_t i;
    const json_t *left;
    json_array_foreach(vectors_at(figures, "capacity_after_call"), i, left) {
        assert_int_equal(failing_call(&client, &quota, ERROR_TRANSIENT, 2, true), RETRY_AGAIN);
        assert_int_equal(quota.tokens, json_integer_value(left));
    }
    assert_int_equal(i, 9);
    assert_string_equal(vectors_text(figures, "tenth_call"), "retry refused, capacity 0");
    assert_int_equal(failing_call(&client, &quota, ERROR_TRANSIENT, 2, true), RETRY_NO_QUOTA);
    assert_int_equal(quota.tokens, 0);
}

static void java_constants(const json_t *figures, const char *generation, const char *name) {
    struct ddbsim_client client = preset(name);
    const json_t *of = vectors_at(figures, generation);
    struct retry_quota transient = {(int64_t)vectors_number(figures, "capacity")};
    struct retry_quota throttled = transient;
    int64_t held;
    assert_true(quota_take(&client.quota, &transient, ERROR_TRANSIENT, &held));
    assert_true(quota_take(&client.quota, &throttled, ERROR_THROTTLE, &held));
    assert_int_equal(transient.tokens, vectors_number(of, "transient_after_one"));
    assert_int_equal(throttled.tokens, vectors_number(of, "throttle_after_one"));
    /* Of services at large; DynamoDB has a base of its own. */
    client.backoff.base_ns = (int64_t)vectors_number(of, "base_ms") * MS;
    assert_int_equal(wait_of(&client, ERROR_TRANSIENT, 0, UINT64_MAX), client.backoff.base_ns - MS);
}

/* A call of ten attempts, each wait drawn at its upper end; then its success. */
static void js_call(const json_t *figures) {
    struct ddbsim_client client = preset("js-v3-standard");
    enum error_class error = strcmp(vectors_text(figures, "errorType"), "THROTTLING") == 0
                                 ? ERROR_THROTTLE
                                 : ERROR_TRANSIENT;
    struct retry_quota quota = {client.quota.capacity};
    int64_t held = 0;
    size_t i;
    const json_t *step;
    client.max_attempts = (uint32_t)vectors_number(figures, "maxAttempts");
    json_array_foreach(vectors_at(figures, "sequence"), i, step) {
        uint32_t attempt = (uint32_t)i + 1;
        assert_int_equal(retry_decide(&client, &quota, error, attempt, &held), RETRY_AGAIN);
        assert_int_equal(wait_of(&client, error, (uint32_t)i, UINT64_MAX),
                         vectors_number(step, "delay_ms") * MS);
        assert_int_equal(held, vectors_number(step, "cost"));
        assert_int_equal(quota.tokens, vectors_number(step, "capacity"));
    }
    assert_int_equal(retry_decide(&client, &quota, error, (uint32_t)i + 1, &held), RETRY_EXHAUSTED);
    quota_return(&client.quota, &quota, held, true);
    assert_int_equal(quota.tokens, vectors_number(figures, "capacity_after_success"));
}

/* Forty calls that fail drain the bucket; one success fills it, the next overfills it. */
static void js_drained(const json_t *figures, struct retry_quota *quota) {
    struct ddbsim_client client = preset("js-v3-standard");
    size_t i;
    const json_t *left;
    quota->tokens = client.quota.capacity;
    json_array_foreach(vectors_at(figures, "capacity_after_each_call"), i, left) {
        (void)failing_call(&client, quota, ERROR_TRANSIENT, client.max_attempts, false);
        assert_int_equal(quota->tokens, json_integer_value(left));
    }
    assert_int_equal(i, 40);
    quota_return(&client.quota, quota, 0, false);
    assert_int_equal(quota->tokens, vectors_number(figures, "capacity_after_success"));
}

static void js_quota(const json_t *figures) {
    struct ddbsim_client client = preset("js-v3-standard");
    struct retry_quota quota = {0};
    size_t i;
    const json_t *observed;
    json_array_foreach(vectors_at(figures, "observed"), i, observed) {
        if (json_object_get(observed, "errorType")) {
            js_call(observed);
        } else if (json_object_get(observed, "scenario")) {
            js_drained(observed, &quota);
        } else {
            quota_return(&client.quota, &quota, 0, false);
            assert_int_equal(quota.tokens, vectors_number(observed, "capacity_after_2nd_success"));
        }
    }
    assert_int_equal(i, 4);
}

static void dotnet_quota(const json_t *figures) {
    struct ddbsim_client client = preset("dotnet");
    const json_t *costs = vectors_at(figures, "costs");
    assert_int_equal(vectors_number(figures, "capacity"), client.quota.capacity);
    assert_int_equal(vectors_number(costs, "default"), client.quota.throttling_retry_cost);
    assert_int_equal(vectors_number(costs, "timeout"), client.quota.timeout_retry_cost);
    assert_int_equal(vectors_number(figures, "no_retry_increment"),
                     client.quota.no_retry_increment);
    assert_non_null(strstr(vectors_text(figures, "scope"), "process-wide"));
    assert_int_equal(client.quota.scope, DDBSIM_SCOPE_PROCESS);
}

static void m75_quotas_of_every_sdk(void **state) {
    (void)state;
    json_t *root = vectors_load("retry-quota.json");
    size_t i;
    const json_t *figures;
    json_array_foreach(vectors_at(root, "cases"), i, figures) {
        const char *sdk = vectors_text(figures, "sdk");
        if (!strcmp(sdk, "botocore standard v2.0"))
            botocore_quota(figures, "boto3-standard", "timeout_connect_or_read");
        else if (!strcmp(sdk, "botocore standard v2.1"))
            botocore_quota(figures, "boto3-standard-2026", "timeout");
        else if (!strcmp(sdk, "java-v2 standard"))
            java_quota(figures);
        else if (!strcmp(sdk, "java-v2 v2.0/v2.1 constants")) {
            java_constants(figures, "v20", "java-v2-standard");
            java_constants(figures, "v21", "java-v2-2026");
        } else if (!strcmp(sdk, "js-v3 @smithy/util-retry 4.2.8 (pre-2026)"))
            js_quota(figures);
        else if (!strcmp(sdk, "dotnet"))
            dotnet_quota(figures);
        else
            fail_msg("nobody looks at \"%s\"", sdk);
    }
    assert_int_equal(i, 6);
    json_decref(root);
}

/* ---- presets ---- */

/* Where our table knows more than the file: of whom, in which field, what the file has instead. */
static const struct {
    const char *preset, *key, *file;
    int64_t ours;
} known_better[] = {
    /* .NET rounds to the nearest, Java draws a whole number; the file has one word for both. */
    {"dotnet", "round", "int_ms", DDBSIM_ROUND_NEAREST_MS},
    /* max(cost, 1), since a throttle's retry costs nothing. */
    {"java-v2", "refund", "last_cost_on_success", DDBSIM_REFUND_AT_LEAST_INCREMENT},
    /* GetAttemptToken adds one for each attempt that succeeds. */
    {"go-v2", "refund", "last_cost_on_success", DDBSIM_REFUND_COST_AND_INCREMENT},
};
static size_t better_used;

static bool is_better(const char *name, const char *key, const char *file, int64_t ours) {
    for (size_t i = 0; i < sizeof known_better / sizeof *known_better; i++)
        if (!strcmp(known_better[i].preset, name) && !strcmp(known_better[i].key, key)) {
            assert_string_equal(known_better[i].file, file);
            assert_int_equal(known_better[i].ours, ours);
            better_used++;
            return true;
        }
    return false;
}

/* The file's words where they are not ours. */
static const char *our_word(const char *key, const char *word) {
    if (!strcmp(key, "success_refill") && !strcmp(word, "max(500,cap+refund)")) return "max";
    bool rust = !strcmp(key, "timeout_cost_applies_to");
    if (rust && !strcmp(word, "all transient-kind errors")) return "no_response";
    return word;
}

static const struct client_field *field_of(enum grammar_section section, const char *key) {
    char name[64];
    size_t length = strlen(key);
    snprintf(name, sizeof name, "%s", key);
    if (length > 3 && !strcmp(key + length - 3, "_ms")) name[length - 3] = '\0';
    const struct client_field *field;
    for (size_t i = 0; (field = client_field(i)); i++)
        if (field->section == section && !strcmp(field->key, name)) return field;
    fail_msg("there is no field %s", key);
    return NULL;
}

static int64_t file_value(const struct client_field *field, const char *key, const json_t *value) {
    const struct grammar_key *known = grammar_find(field->section, field->key);
    if (json_is_null(value)) return INT64_MAX;
    if (json_is_boolean(value)) return json_is_true(value);
    if (json_is_string(value)) {
        int number =
            grammar_word(grammar_choices(known), our_word(field->key, json_string_value(value)));
        if (number < 0) fail_msg("%s: %s", key, json_string_value(value));
        return number;
    }
    bool duration = known->type == TYPE_DURATION || known->type == TYPE_TIMEOUT;
    double unit = duration ? MS : known->type == TYPE_FACTOR ? NANO : 1;
    return (int64_t)(json_number_value(value) * unit + 0.5);
}

static size_t compare_section(const struct ddbsim_preset *ours, enum grammar_section section,
                              const json_t *file) {
    const char *key;
    const json_t *value;
    size_t used = 0;
    json_object_foreach((json_t *)(uintptr_t)file, key, value) {
        if (json_is_object(value) || !strcmp(key, "name") || !strcmp(key, "note") ||
            !strcmp(key, "retry_after") || !strcmp(key, "rate_limiter") || !strcmp(key, "applies"))
            continue;
        const struct client_field *field = field_of(section, key);
        int64_t is = client_get(&ours->client, field);
        used++;
        if (json_is_string(value) &&
            is_better(ours->name, field->key, json_string_value(value), is))
            continue;
        if (is != file_value(field, key, value)) fail_msg("%s: %s differs", ours->name, key);
    }
    return used;
}

/* What the file does not say is not there. */
static void compare_silence(const struct ddbsim_preset *ours, const json_t *file) {
    static const char *const flags[] = {"cap_after_jitter", "no_jitter_at_cap", "round"};
    const json_t *backoff = vectors_at(file, "backoff"), *quota = vectors_at(file, "retry_quota");
    for (int i = 0; i < 3; i++)
        if (!json_object_get(backoff, flags[i]))
            assert_int_equal(client_get(&ours->client, field_of(SECTION_BACKOFF, flags[i])), 0);
    if (!json_object_get(backoff, "throttling_jitter"))
        assert_int_equal(ours->client.backoff.throttling_jitter, ours->client.backoff.jitter);
    assert_int_equal(ours->client.backoff.first_exponent, 0);
    assert_int_equal(ours->client.quota.success_refill == DDBSIM_REFILL_MAX,
                     json_object_get(quota, "success_refill") != NULL);
    assert_int_equal(ours->client.retry_mode == DDBSIM_MODE_ADAPTIVE,
                     json_object_get(file, "rate_limiter") != NULL);
    const char *hint = json_string_value(json_object_get(file, "retry_after"));
    /* The second generation has it in every language, and the file not for each. */
    assert_int_equal(ours->client.retry_after == DDBSIM_RETRY_AFTER_CLAMPED,
                     hint != NULL || strstr(ours->name, "-2026") != NULL);
    if (hint) assert_string_equal(hint, "clamp(t_i,t_i+5000)");
    assert_int_equal(ours->client.retry_after_max_extra_ns > 0,
                     ours->client.retry_after != DDBSIM_RETRY_AFTER_OBEYED);
}

/* A doubt in the file is told to whoever lists presets. */
static void compare_doubts(const struct ddbsim_preset *ours, const json_t *file) {
    const char *note = json_string_value(json_object_get(file, "note"));
    const char *applies =
        json_string_value(json_object_get(vectors_at(file, "retry_quota"), "applies"));
    bool doubted = (note && (strstr(note, "unverified") || strstr(note, "issue 6987"))) ||
                   (applies && strstr(applies, "verify"));
    if (doubted && !ours->unverified) fail_msg("%s says nothing of its doubts", ours->name);
}

static void compare_limiter(const struct ddbsim_preset *ours, const json_t *file) {
    static const char *const others[] = {"send_cost", "enabled_on"}; /* limiter.c */
    const char *key;
    const json_t *value;
    assert_int_equal(vectors_number(file, others[0]), 1);
    assert_string_equal(vectors_text(file, others[1]), "first throttling error");
    json_object_foreach((json_t *)(uintptr_t)file, key, value) {
        if (!strcmp(key, others[0]) || !strcmp(key, others[1])) continue;
        const struct client_field *field = field_of(SECTION_RATE_LIMITER, key);
        assert_int_equal(client_get(&ours->client, field), file_value(field, key, value));
    }
}

static void m70_presets_are_the_files(void **state) {
    (void)state;
    json_t *root = vectors_load("presets.json");
    size_t i, used = 0;
    const json_t *file;
    better_used = 0;
    json_array_foreach(vectors_at(root, "presets"), i, file) {
        const struct ddbsim_preset *ours = ddbsim_preset_find(vectors_text(file, "name"));
        if (!ours) fail_msg("there is no preset %s", vectors_text(file, "name"));
        used += compare_section(ours, SECTION_CLIENT, file);
        used += compare_section(ours, SECTION_BACKOFF, vectors_at(file, "backoff"));
        used += compare_section(ours, SECTION_RETRY_QUOTA, vectors_at(file, "retry_quota"));
        compare_silence(ours, file);
        compare_doubts(ours, file);
        compare_limiter(ours, vectors_at(root, "rate_limiter_default"));
    }
    assert_null(ddbsim_preset((int)i)); /* none that the file has not */
    assert_int_equal(better_used, sizeof known_better / sizeof *known_better);
    assert_int_equal(used, 352); /* fields of presets, each as the file has it */
    json_decref(root);
}

/* ---- what changed in 2026 ---- */

static void m70_what_changed_in_2026(void **state) {
    (void)state;
    static const struct {
        const char *sdk, *preset;
    } before[] = {{"java-v2", "java-v2"},
                  {"js-v3", "js-v3-standard"},
                  {"go-v2", "go-v2"},
                  {"dotnet-v4", "dotnet"},
                  {"cpp", NULL}};
    json_t *root = vectors_load("sdk-2026-change.json");
    const json_t *after = vectors_at(root, "after"), *row;
    struct ddbsim_client now = preset("sdk-standard-2026");
    assert_int_equal(vectors_number(after, "ddb_base_ms") * MS, now.backoff.base_ns);
    assert_int_equal(vectors_number(after, "ddb_thr_base_ms") * MS, now.backoff.throttling_base_ns);
    assert_int_equal(vectors_number(after, "ddb_attempts"), now.max_attempts);
    assert_int_equal(vectors_number(after, "transient_cost"), now.quota.retry_cost);
    assert_int_equal(vectors_number(after, "throttling_cost"), now.quota.throttling_retry_cost);
    assert_int_equal(vectors_number(after, "bucket"), now.quota.capacity);
    size_t i;
    json_array_foreach(vectors_at(root, "rows"), i, row) {
        assert_true(i < sizeof before / sizeof *before);
        assert_string_equal(json_string_value(json_array_get(row, 0)), before[i].sdk);
        if (!before[i].preset) continue; /* no preset: its jitter and quota are not known */
        struct ddbsim_client client = preset(before[i].preset);
        json_int_t base_ms = json_integer_value(json_array_get(row, 5));
        json_int_t attempts = json_integer_value(json_array_get(row, 7));
        json_int_t cost = json_integer_value(json_array_get(row, 8));
        /* Go's exponent begins at 1. */
        int64_t first = client.backoff.base_ns / (strcmp(before[i].sdk, "go-v2") ? 1 : 2);
        assert_int_equal(first, base_ms * MS);
        assert_int_equal(client.max_attempts, attempts);
        assert_int_equal(client.quota.retry_cost, cost);
    }
    assert_int_equal(i, 5);
    json_decref(root);
}

/* ---- default timeouts ---- */

static int64_t timeout_of(const char *text) {
    return *text && strcmp(text, "none") != 0 ? strtol(text, NULL, 10) * MS : DDBSIM_NO_TIMEOUT;
}

static void timeout_line(char *text) {
    static const struct {
        const char *client, *preset;
    } whose[] = {{"botocore", "boto3-standard"},
                 {"js-v2", "js-v2"},
                 {"js-v3 (defaults mode legacy)", "js-v3-standard"},
                 {"java-v2 (Apache/Netty)", "java-v2"},
                 {"java-v1", "java-v1"},
                 {"go-v2", "go-v2"},
                 {"dotnet", "dotnet"},
                 {"rust", "rust"}};
    char *client = strsep(&text, ","), *connect = strsep(&text, ","), *read = strsep(&text, ",");
    if (!strncmp(client, "defaults mode", 13)) { /* a mode that a client may choose, no client */
        assert_true(atoi(connect) >= 1100);
        return;
    }
    for (size_t i = 0; i < sizeof whose / sizeof *whose; i++) {
        if (strcmp(whose[i].client, client) != 0) continue;
        struct ddbsim_client is = preset(whose[i].preset);
        assert_int_equal(is.connect_timeout_ns, timeout_of(connect));
        assert_int_equal(is.attempt_timeout_ns, timeout_of(read));
        assert_int_equal(is.call_timeout_ns, DDBSIM_NO_TIMEOUT);
        return;
    }
    fail_msg("nobody looks at \"%s\"", client);
}

static void m97_default_timeouts(void **state) {
    (void)state;
    assert_int_equal(vectors_lines("default-timeouts.csv", timeout_line), 11);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m71_waits_of_every_sdk),    cmocka_unit_test(m75_quotas_of_every_sdk),
        cmocka_unit_test(m70_presets_are_the_files), cmocka_unit_test(m70_what_changed_in_2026),
        cmocka_unit_test(m97_default_timeouts),
    };
    return cmocka_run_group_tests_name("retry_figures", tests, NULL, NULL);
}
