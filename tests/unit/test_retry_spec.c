/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both generations of AWS's standard retry mode, step by step, as the SDKs' own tests have them, and what real
 * clients did with each error (M-70 to M-77).
 */
#include <support/cmocka.h>

#include <client/retry.h>
#include <ddbsim/presets.h>
#include <support/vectors.h>

#define MS NS_PER_MS

/* One process and the call that it has under way. */
struct caller {
    struct ddbsim_client client;
    struct retry_quota quota;
    struct backoff_state state;
    uint32_t attempts;
    int64_t held;
};

static struct ddbsim_client preset(const char *name) {
    const struct ddbsim_preset *found = ddbsim_preset_find(name);
    if (!found) fail_msg("there is no preset %s", name);
    return found->client;
}

/* x-amz-retry-after: whole milliseconds, or a figure that the SDK was handed otherwise. */
static int64_t hint_of(const json_t *response) {
    const char *text = json_string_value(json_object_get(response, "x-amz-retry-after"));
    if (!text) return RETRY_NO_HINT;
    int ms, end = 0;
    if (sscanf(text, "explicit %d ms", &ms) == 1) return ms * MS;
    if (sscanf(text, "%d%n", &ms, &end) == 1 && !text[end] && ms >= 0) return ms * MS;
    return RETRY_NO_HINT;
}

static enum error_class error_in(const struct ddbsim_client *client, const json_t *response) {
    const json_t *status = vectors_at(response, "status");
    if (json_is_string(status)) {
        assert_string_equal(json_string_value(status), "transient");
        return error_of_silence(client, false);
    }
    const char *code = json_string_value(json_object_get(response, "error_code"));
    return error_of_answer(&client->retry_on, (int)json_integer_value(status), code ? code : "");
}

static void expect_quota(const struct caller *caller, const json_t *step) {
    const json_t *left = vectors_at(step, "retry_quota");
    if (!json_is_null(left)) assert_int_equal(caller->quota.tokens, json_integer_value(left));
}

/* With the jitter's factor at 1; and with U at its upper end, a nanosecond below. */
static void expect_wait(struct caller *caller, const json_t *step, enum error_class error,
                        int64_t wanted_ns) {
    int64_t hint_ns = hint_of(vectors_at(step, "response"));
    struct ddbsim_client steady = caller->client;
    steady.backoff.jitter = steady.backoff.throttling_jitter = DDBSIM_JITTER_NONE;
    assert_int_equal(retry_wait_ns(&steady, error, caller->attempts, 0, hint_ns, &caller->state),
                     wanted_ns);
    if (hint_ns < 0)
        assert_int_equal(retry_wait_ns(&caller->client, error, caller->attempts, UINT64_MAX,
                                       hint_ns, &caller->state),
                         wanted_ns - 1);
}

/* Go and Rust differ in one case, which says so; ours is Rust's. */
static int64_t delay_of(const char *test, const json_t *step) {
    double ms = vectors_number(step, "delay_ms"), rust;
    const char *other = strstr(test, "Rust: ");
    if (other && sscanf(other, "Rust: %lf ms", &rust) == 1) ms = rust;
    return (int64_t)(ms * MS);
}

static const char *const outcomes[] = {
    [RETRY_AGAIN] = "retry",
    [RETRY_FINAL] = "fail",
    [RETRY_EXHAUSTED] = "max_attempts_exceeded",
    [RETRY_NO_QUOTA] = "retry_quota_exceeded",
};

static void take_step(struct caller *caller, const char *test, const json_t *step) {
    const char *outcome = vectors_text(step, "outcome");
    enum error_class error = error_in(&caller->client, vectors_at(step, "response"));
    caller->attempts++;
    if (error == ERROR_NONE) {
        assert_string_equal(outcome, "success");
        quota_return(&caller->client.quota, &caller->quota, caller->held, caller->attempts > 1);
        expect_quota(caller, step);
        caller->attempts = 0;
        return;
    }
    enum retry_decision decision =
        retry_decide(&caller->client, &caller->quota, error, caller->attempts, &caller->held);
    assert_string_equal(outcomes[decision], outcome);
    expect_quota(caller, step);
    bool waits = decision == RETRY_AGAIN ||
                 (decision == RETRY_NO_QUOTA && caller->client.quota.wait_when_empty);
    assert_int_equal(waits, !json_is_null(vectors_at(step, "delay_ms")));
    if (waits) expect_wait(caller, step, error, delay_of(test, step));
}

/* What a test is given, on top of a client. */
static struct caller caller_given(const struct ddbsim_client *client, const json_t *given) {
    struct caller caller = {.client = *client, .quota = {client->quota.capacity}};
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)(uintptr_t)given, key, value) {
        if (!strcmp(key, "max_attempts"))
            caller.client.max_attempts = (uint32_t)json_integer_value(value);
        else if (!strcmp(key, "initial_retry_tokens"))
            caller.quota.tokens = json_integer_value(value);
        else if (!strcmp(key, "max_backoff_ms"))
            caller.client.backoff.max_backoff_ns = json_integer_value(value) * MS;
        else if (!strcmp(key, "long_polling"))
            caller.client.quota.wait_when_empty = json_is_true(value);
        else if (strcmp(key, "service") != 0)
            fail_msg("nobody knows what %s is", key);
    }
    return caller;
}

static bool is_dynamodb(const json_t *given) {
    const char *service = json_string_value(json_object_get(given, "service"));
    return service && !strcmp(service, "dynamodb");
}

/* Returns how many steps it took. */
static size_t take_tests(const json_t *root, const struct ddbsim_client *client,
                         const struct ddbsim_client *dynamodb) {
    size_t i, k, steps = 0;
    const json_t *test, *step;
    json_array_foreach(vectors_at(root, "tests"), i, test) {
        const json_t *given = vectors_at(test, "given");
        struct caller caller = caller_given(is_dynamodb(given) ? dynamodb : client, given);
        json_array_foreach(vectors_at(test, "steps"), k, step) {
            take_step(&caller, vectors_text(test, "name"), step);
            steps++;
        }
    }
    assert_int_equal(steps, vectors_count(root, "outcome"));
    return steps;
}

static void expect_defaults(const json_t *defaults, const struct ddbsim_client *client) {
    const struct ddbsim_backoff *backoff = &client->backoff;
    const struct ddbsim_retry_quota *quota = &client->quota;
    assert_int_equal(vectors_number(defaults, "initial_retry_tokens"), quota->capacity);
    assert_int_equal(vectors_number(defaults, "retry_cost"), quota->retry_cost);
    assert_int_equal(vectors_number(defaults, "no_retry_increment"), quota->no_retry_increment);
    assert_int_equal(vectors_number(defaults, "max_backoff_ms") * MS, backoff->max_backoff_ns);
    assert_int_equal(vectors_number(defaults, "jitter_factor"), 1);
}

static void m74_specification_2_0(void **state) {
    (void)state;
    json_t *root = vectors_load("standard-v2_0-spec.json");
    const json_t *defaults = vectors_at(root, "defaults");
    struct ddbsim_client rust = preset("rust");
    expect_defaults(defaults, &rust);
    assert_int_equal(vectors_number(defaults, "max_attempts"), rust.max_attempts);
    assert_int_equal(vectors_number(defaults, "base_ms") * MS, rust.backoff.base_ns);
    assert_int_equal(vectors_number(defaults, "timeout_retry_cost"), rust.quota.timeout_retry_cost);
    assert_int_equal(take_tests(root, &rust, &rust), 22);
    json_decref(root);
}

/* Drained by two retries of lost connections, it is full again after as many first tries that succeed. */
static void m75_first_tries_fill_the_quota(void **state) {
    (void)state;
    json_t *root = vectors_load("standard-v2_0-spec.json");
    const json_t *replenish = vectors_at(root, "replenish");
    int initial = (int)vectors_number(replenish, "initial_tokens"), needed = 0;
    struct ddbsim_client rust = preset("rust");
    rust.quota.capacity = initial;
    struct retry_quota quota = {initial};
    int64_t held = 0;
    while (quota_take(&rust.quota, &quota, error_of_silence(&rust, false), &held))
        needed++;
    assert_int_equal(needed, 2);
    assert_int_equal(quota.tokens, 0);
    for (needed = 0; quota.tokens < initial; needed++)
        quota_return(&rust.quota, &quota, 0, false);
    assert_int_equal(needed, 20);
    assert_non_null(strstr(vectors_text(replenish, "note"), ": 20 successes to refill"));
    json_decref(root);
}

/* Its figures are for services at large; DynamoDB's base and attempts are the preset's own. */
static void m74_specification_2_1(void **state) {
    (void)state;
    json_t *root = vectors_load("standard-v2_1-spec.json");
    const json_t *defaults = vectors_at(root, "defaults");
    struct ddbsim_client dynamodb = preset("sdk-standard-2026"), others = dynamodb;
    expect_defaults(defaults, &dynamodb);
    assert_int_equal(vectors_number(defaults, "dynamodb_base_ms") * MS, dynamodb.backoff.base_ns);
    assert_int_equal(vectors_number(defaults, "dynamodb_max_attempts"), dynamodb.max_attempts);
    assert_int_equal(vectors_number(defaults, "throttling_base_ms") * MS,
                     dynamodb.backoff.throttling_base_ns);
    assert_int_equal(vectors_number(defaults, "throttling_retry_cost"),
                     dynamodb.quota.throttling_retry_cost);
    others.backoff.base_ns = (int64_t)vectors_number(defaults, "base_ms") * MS;
    others.max_attempts = (uint32_t)vectors_number(defaults, "max_attempts");
    assert_int_equal(take_tests(root, &others, &dynamodb), 49);
    json_decref(root);
}

/* ---- what real clients did ---- */

/* Which preset a client that was run is, and where its version differs from it. */
static struct ddbsim_client observed_client(const char *sdk, const char *mode) {
    static const struct {
        const char *sdk, *mode, *preset;
        uint32_t attempts, base_ms; /* 0: the preset's */
    } clients[] = {
        {"botocore-1.29.27", "legacy", "boto3-legacy", 0, 0},
        {"botocore-1.29.27", "standard", "boto3-standard", 0, 0},
        {"botocore-1.29.27", "adaptive", "boto3-adaptive", 0, 0},
        {"js-v3-3.1169.0", "standard (2026 default)", "js-v3-standard-2026", 0, 0},
        {"js-v3-3.888.0 with newer @smithy/core", "standard", "js-v3-standard-2026", 3, 50},
        {"js-v2-2.1693.0", "legacy", "js-v2", 0, 0},
    };
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++) {
        if (strcmp(clients[i].sdk, sdk) != 0 || strcmp(clients[i].mode, mode) != 0) continue;
        struct ddbsim_client client = preset(clients[i].preset);
        if (clients[i].attempts) client.max_attempts = clients[i].attempts;
        if (clients[i].base_ms) client.backoff.base_ns = clients[i].base_ms * MS;
        return client;
    }
    fail_msg("nobody knows %s in mode %s", sdk, mode);
    return (struct ddbsim_client){0};
}

/* Their random numbers were put at the upper end. Where nothing is rounded, ours ends 1 ns lower. */
static void observed_line(char *text) {
    char *sdk = strtok(text, ","), *mode = strtok(NULL, ","), *error = strtok(NULL, ",");
    char *attempts = strtok(NULL, ","), *delays = strtok(NULL, ",");
    assert_non_null(attempts);
    char *code = strchr(error, '-');
    assert_non_null(code);
    *code++ = '\0';
    struct caller caller = {.client = observed_client(sdk, mode)};
    caller.quota.tokens = caller.client.quota.capacity;
    bool below = caller.client.backoff.jitter == DDBSIM_JITTER_FULL &&
                 caller.client.backoff.round == DDBSIM_ROUND_NONE;
    enum error_class class = error_of_answer(&caller.client.retry_on, atoi(error), code);
    char *rest = delays ? delays : text + strlen(text);
    for (caller.attempts = 1; retry_decide(&caller.client, &caller.quota, class, caller.attempts,
                                           &caller.held) == RETRY_AGAIN;
         caller.attempts++)
        assert_int_equal(retry_wait_ns(&caller.client, class, caller.attempts, UINT64_MAX,
                                       RETRY_NO_HINT, &caller.state),
                         strtol(rest, &rest, 10) * MS - below);
    if (caller.attempts != (uint32_t)atoi(attempts))
        fail_msg("%s %s %s-%s: %u attempts", sdk, mode, error, code, caller.attempts);
    assert_string_equal(rest, "");
}

static void m77_what_real_clients_did(void **state) {
    (void)state;
    assert_int_equal(vectors_lines("observed-dynamodb-clients.csv", observed_line), 120);
}

/* ---- lists of codes ---- */

static size_t each_code(const json_t *list, const char *name, int status,
                        enum error_class expected) {
    const struct ddbsim_client client = preset(name);
    size_t i;
    const json_t *code;
    json_array_foreach(list, i, code) {
        char word[80] = "";
        assert_int_equal(sscanf(json_string_value(code), "%79[^( ]", word), 1);
        if (error_of_answer(&client.retry_on, status, word) != expected)
            fail_msg("%s: %s is something else", name, word);
    }
    return json_array_size(list);
}

static size_t each_status(const json_t *list, const char *name) {
    const struct ddbsim_client client = preset(name);
    size_t i;
    const json_t *status;
    json_array_foreach(list, i, status) {
        enum error_class is =
            error_of_answer(&client.retry_on, (int)json_integer_value(status), "");
        assert_int_equal(is, json_integer_value(status) == 429 ? ERROR_THROTTLE : ERROR_TRANSIENT);
    }
    return json_array_size(list);
}

static size_t standard_lists(const json_t *lists) {
    const char *const throttles = "throttling_error_codes";
    struct ddbsim_client js = preset("js-v3-standard"), boto3 = preset("boto3-standard");
    size_t used = each_code(vectors_at(lists, throttles), "boto3-standard", 400, ERROR_THROTTLE);
    used += each_code(vectors_at(lists, "transient_error_codes"), "boto3-standard", 400,
                      ERROR_TRANSIENT);
    /* Among the throttles as well, and those are looked for first. */
    used += each_code(vectors_at(lists, "botocore_extra_transient"), "boto3-standard", 400,
                      ERROR_THROTTLE);
    used += each_status(vectors_at(lists, "transient_http_status"), "boto3-standard");
    assert_non_null(strstr(vectors_text(lists, "http_429"), "throttling in JS v3"));
    assert_int_equal(error_of_answer(&js.retry_on, 429, ""), ERROR_THROTTLE);
    assert_int_equal(error_of_answer(&boto3.retry_on, 429, ""), ERROR_FINAL);
    assert_non_null(strstr(vectors_text(lists, "no_response"), "transient"));
    assert_int_equal(error_of_silence(&boto3, true), ERROR_TIMEOUT);
    assert_int_equal(error_of_silence(&boto3, false), ERROR_TRANSIENT);
    return used + 2;
}

static size_t legacy_lists(const json_t *lists) {
    const char *const name = "boto3-legacy";
    size_t used = each_code(vectors_at(lists, "codes_http400"), name, 400, ERROR_THROTTLE);
    used += each_code(vectors_at(lists, "codes_http409"), name, 409, ERROR_FINAL);
    used += each_status(vectors_at(lists, "http_status"), name);
    used += each_code(vectors_at(lists, "not_retried"), name, 400, ERROR_FINAL);
    /* A broken answer, no connection, no answer: none of them has a status. */
    struct ddbsim_client client = preset(name);
    assert_int_equal(json_array_size(vectors_at(lists, "also")), 3);
    assert_int_equal(error_of_silence(&client, true), ERROR_TIMEOUT);
    assert_int_equal(error_of_silence(&client, false), ERROR_TRANSIENT);
    return used + 3;
}

/* What AWS's guide calls worth a retry is not what SDKs retry: two of its codes nobody does. */
static size_t advice(const json_t *lists) {
    const char *const name = "js-v3-standard-2026";
    const struct ddbsim_client client = preset(name);
    const json_t *yes = vectors_at(lists, "yes");
    size_t i, retried = 0;
    const json_t *text;
    json_array_foreach(yes, i, text) {
        char code[80] = "";
        int status = 400;
        assert_true(sscanf(json_string_value(text), "%79[^(](%d)", code, &status) >= 1);
        retried += error_of_answer(&client.retry_on, status, code) != ERROR_FINAL;
    }
    assert_int_equal(retried, json_array_size(yes) - 2);
    return json_array_size(yes) + each_code(vectors_at(lists, "no"), name, 400, ERROR_FINAL);
}

static void m77_codes_by_class(void **state) {
    (void)state;
    json_t *root = vectors_load("error-classification.json");
    size_t used = standard_lists(vectors_at(root, "standard_mode"));
    used += legacy_lists(vectors_at(root, "botocore_legacy_dynamodb"));
    used += advice(vectors_at(root, "dynamodb_ok_to_retry"));
    for (int i = 0; ddbsim_preset(i); i++)
        used += each_code(vectors_at(root, "sdk_never_retries_by_default"), ddbsim_preset(i)->name,
                          400, ERROR_FINAL) *
                (i == 0);
    assert_string_equal(vectors_text(root, "precedence"),
                        "JS/Go/Rust: throttling check first, then transient");
    struct ddbsim_client js = preset("js-v3-standard");
    assert_int_equal(error_of_answer(&js.retry_on, 503, "SlowDown"), ERROR_THROTTLE);
    assert_int_equal(used, 59);
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m74_specification_2_0), cmocka_unit_test(m75_first_tries_fill_the_quota),
        cmocka_unit_test(m74_specification_2_1), cmocka_unit_test(m77_what_real_clients_did),
        cmocka_unit_test(m77_codes_by_class),
    };
    return cmocka_run_group_tests_name("retry_spec", tests, NULL, NULL);
}
