/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The adaptive limiter of the AWS SDKs, a CUBIC of requests. Sources: botocore's retries/{adaptive,throttling,
 * bucket}.py, @smithy/util-retry's DefaultRateLimiter, aws-sdk-go-v2's aws/retry/adaptive_ratelimit.go. Their
 * own tests' figures, and traces of two of them, are in tests/data/retry.
 *
 * Invariants: 0 <= tokens <= capacity; fill >= min_fill_rate; measured >= 0.
 */
#include <client/limiter.h>

#include <base/check.h>
#include <base/dmath.h>

#define FIRST_RATE 1.0 /* of a bucket that fills from its creation on */

static double of_billionths(int64_t value) { return (double)value / (double)NANO; }
static double lesser(double a, double b) { return a < b ? a : b; }
static double greater(double a, double b) { return a > b ? a : b; }

/* The end of the last whole bucket. */
static double bucket_of(const struct ddbsim_rate_limiter *spec, double now_s) {
    double length_s = of_billionths(spec->bucket_ns);
    return (double)(int64_t)(now_s / length_s) * length_s;
}

void limiter_init(const struct ddbsim_rate_limiter *spec, struct limiter *limiter, double now_s) {
    CHECK(now_s >= 0 && spec->bucket_ns > 0 && spec->min_fill_rate > 0);
    CHECK(spec->scale_constant > 0 && spec->beta >= 0 && spec->beta <= DDBSIM_SHARE_ONE);
    *limiter = (struct limiter){.fill = FIRST_RATE,
                                .capacity = of_billionths(spec->min_capacity),
                                .filled_s = now_s,
                                .bucket_s = bucket_of(spec, now_s),
                                .throttled_s = now_s,
                                .fills = spec->starts == DDBSIM_STARTS_AT_CREATION};
}

static void refill(struct limiter *limiter, double now_s) {
    CHECK_DEBUG(now_s >= limiter->filled_s);
    if (limiter->fills)
        limiter->tokens = lesser(limiter->capacity,
                                 limiter->tokens + (now_s - limiter->filled_s) * limiter->fill);
    limiter->fills = true;
    limiter->filled_s = now_s;
}

void limiter_set_rate(const struct ddbsim_rate_limiter *spec, struct limiter *limiter, double rate,
                      double now_s) {
    refill(limiter, now_s); /* at the rate that has held until now */
    limiter->fill = greater(rate, of_billionths(spec->min_fill_rate));
    limiter->capacity = greater(rate, of_billionths(spec->min_capacity));
    limiter->tokens = lesser(limiter->tokens, limiter->capacity);
    CHECK(limiter->tokens >= 0 && limiter->capacity >= 1);
}

static void measure(const struct ddbsim_rate_limiter *spec, struct limiter *limiter, double now_s) {
    double smoothing = of_billionths(spec->smoothing), bucket_s = bucket_of(spec, now_s);
    limiter->count++;
    if (!(bucket_s > limiter->bucket_s)) return;
    double rate = limiter->count / (bucket_s - limiter->bucket_s);
    limiter->measured = rate * smoothing + limiter->measured * (1 - smoothing);
    CHECK(limiter->measured >= 0);
    limiter->count = 0;
    limiter->bucket_s = bucket_s;
}

double limiter_recovery(const struct ddbsim_rate_limiter *spec, double w_max, double since_s) {
    double beta = of_billionths(spec->beta), scale = of_billionths(spec->scale_constant);
    double past = since_s - dmath_cbrt(w_max * (1 - beta) / scale);
    return scale * (past * past * past) + w_max;
}

void limiter_update(const struct ddbsim_rate_limiter *spec, struct limiter *limiter, double now_s,
                    bool throttled) {
    double rate;
    measure(spec, limiter, now_s);
    if (throttled) {
        double sent = limiter->measured;
        limiter->w_max = limiter->enabled ? lesser(sent, limiter->fill) : sent;
        limiter->throttled_s = now_s;
        limiter->enabled = true;
        rate = of_billionths(spec->beta) * limiter->w_max;
    } else {
        rate = limiter_recovery(spec, limiter->w_max, now_s - limiter->throttled_s);
    }
    double most = of_billionths(spec->max_rate_factor) * limiter->measured;
    limiter_set_rate(spec, limiter, lesser(rate, most), now_s);
}

double limiter_take(struct limiter *limiter, double amount, double now_s) {
    if (!limiter->enabled) return 0;
    refill(limiter, now_s);
    CHECK(limiter->tokens >= 0 && limiter->fill > 0);
    if (limiter->tokens < amount) return (amount - limiter->tokens) / limiter->fill;
    limiter->tokens -= amount;
    return 0;
}
