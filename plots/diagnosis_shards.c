/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many shards hot keys need, and on how many partitions. A shard lies where the hash of its key falls, on
 * any partition alike, so some partitions get more of them than others: n shards on p partitions are n trials
 * for each of them, and one that gets more than it has room for refuses. With k what fits on a partition,
 * beside its part of the other keys:
 *
 *   - more than k x p shards cannot all fit, whatever the hash (pigeonholes);
 *   - the chance that some partition gets more than k is at most p times the upper tail of the binomial
 *     (n, 1/p) above k. What is proposed has that below ACCEPTED; the fewest partitions come first, then the
 *     fewest shards, since readers ask all of them.
 *
 * Invariant: what is proposed leaves a partition at TARGET of its limit at most, on average.
 */
#include <plots/diagnosis_parts.h>

#include <math.h>

#define TARGET 0.7     /* of a partition's limit, on average */
#define FULL 0.95      /* of it, where chance puts most: arrivals vary as well */
#define ACCEPTED 0.02  /* that some partition gets too many */
#define SHARDS_MOST 20 /* of a key: readers ask all of them */
#define DOUBLINGS_MOST 5

/* The chance that a binomial (n, p) exceeds k: its terms above k, which fall from the mean on. */
static double tail_above(int64_t n, double p, int64_t k) {
    double count = (double)n, first = (double)k + 1, sum = 0;
    if (k >= n) return 0;
    if (first <= count * p) return 1;
    double term = exp(lgamma(count + 1) - lgamma(first + 1) - lgamma(count - first + 1) +
                      first * log(p) + (count - first) * log1p(-p));
    for (int64_t i = k + 1; i <= n && term > 1e-9 * sum; i++) {
        sum += term;
        term *= (double)(n - i) / (double)(i + 1) * p / (1 - p);
    }
    return fmin(sum, 1);
}

/* How many shards fit on one partition that is used up to `share` of its limit. */
static int64_t room_for(const struct hot_keys *hot, double share) {
    double room = share * hot->limit - hot->others / (double)hot->partitions;
    double shard = hot->demand / (double)(hot->keys * hot->shards);
    return room > 0 ? (int64_t)fmin(room / shard, 1e9) : 0;
}

bool shards_fit(const struct hot_keys *hot) {
    int64_t count = hot->keys * hot->shards, room = room_for(hot, FULL);
    if (hot->partitions == 1) return count <= room;
    return (double)hot->partitions * tail_above(count, 1.0 / (double)hot->partitions, room) <=
           ACCEPTED;
}

bool shards_overflow(const struct hot_keys *hot) {
    return hot->keys * hot->shards > room_for(hot, 1) * hot->partitions;
}

/* As many partitions as the demand asks for in any case. */
static void begin_partitions(struct hot_keys *hot) {
    double least = ceil(fmin((hot->demand + hot->others) / (hot->limit * TARGET), 1e6) - 1e-6);
    if (hot->partitions < 1) hot->partitions = 1;
    if ((double)hot->partitions < least) hot->partitions = (int64_t)least;
}

bool shards_find_partitions(struct hot_keys *hot) {
    begin_partitions(hot);
    for (int doubling = 0; doubling <= DOUBLINGS_MOST; doubling++, hot->partitions *= 2)
        if (shards_fit(hot)) return true;
    return false;
}

bool shards_find(struct hot_keys *hot) {
    begin_partitions(hot);
    for (int doubling = 0; doubling <= DOUBLINGS_MOST; doubling++, hot->partitions *= 2)
        for (hot->shards = 2; hot->shards <= SHARDS_MOST; hot->shards++)
            if (shards_fit(hot)) return true;
    return false;
}
