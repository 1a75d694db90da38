/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The model's named parameters: everything AWS does not publish, each with a default and a range that
 * a scenario may set under `model:` (docs/model.md gives source and confidence by rule id).
 *
 * X(field, name, kind, default, lowest, highest, rule id, what it is)
 * Kinds: DURATION in nanoseconds, UNITS in capacity units, SHARE in billionths, SIZE in bytes,
 * CHOICE an enumerator.
 */
#ifndef DDBSIM_ASSUMPTIONS_H
#define DDBSIM_ASSUMPTIONS_H

#include <stdint.h>

#define DDBSIM_MS INT64_C(1000000)
#define DDBSIM_S INT64_C(1000000000)

enum ddbsim_initial_rule { DDBSIM_INITIAL_SUM, DDBSIM_INITIAL_MAX };
enum ddbsim_reject_scope { DDBSIM_SCOPE_ALL, DDBSIM_SCOPE_TOUCHING };

#define DDBSIM_ASSUMPTIONS(X)                                                                      \
    X(partition_write_limit, "partition_write_limit", UNITS, 1000, 1, 1000000, "M-20",             \
      "write units a second that one partition serves")                                            \
    X(partition_read_limit, "partition_read_limit", UNITS, 3000, 1, 1000000, "M-20",               \
      "read units a second that one partition serves from its leader")                             \
    X(partition_burst_ns, "partition_burst", DURATION, 3 * DDBSIM_S, DDBSIM_S / 10, 10 * DDBSIM_S, \
      "M-22", "depth of a partition's bucket, in seconds of its limit")                            \
    X(partition_bytes, "partition_bytes", SIZE, INT64_C(10) << 30, INT64_C(1) << 30,               \
      INT64_C(100) << 30, "M-21", "bytes that one partition holds")                                \
    X(initial_rule, "initial_rule", CHOICE, DDBSIM_INITIAL_SUM, 0, 1, "M-21",                      \
      "how reads and writes join in the initial number of partitions: sum | max")                  \
    X(update_delay_ns, "update_delay", DURATION, 60 * DDBSIM_S, 0, 300 * DDBSIM_S, "M-40",         \
      "from UpdateTable until the new capacity acts")                                              \
    X(index_lag_median_ns, "index_lag_median", DURATION, 10 * DDBSIM_MS, 0, 10 * DDBSIM_S, "M-50", \
      "median delay of an index write while the index keeps up")                                   \
    X(index_lag_p99_ns, "index_lag_p99", DURATION, 200 * DDBSIM_MS, 0, 60 * DDBSIM_S, "M-50",      \
      "99th percentile of that delay")                                                             \
    X(index_buffer, "index_buffer", UNITS, 1000, 0, 1000000, "M-51",                               \
      "units of index work that may wait for index capacity (back-pressure observed)")             \
    X(index_grace_ns, "index_grace", DURATION, 60 * DDBSIM_S, 0, 300 * DDBSIM_S, "M-52",           \
      "time in which an index drains beyond its capacity (back-pressure observed)")                \
    X(index_grace_rearm_ns, "index_grace_rearm", DURATION, 300 * DDBSIM_S, 0, 3600 * DDBSIM_S,     \
      "M-52", "time without waiting work after which the grace is given again")                    \
    X(index_resume, "index_resume", SHARE, 950000000, 500000000, 1000000000, "M-53",               \
      "share of the buffer below which refused writes pass again")                                 \
    X(index_scope, "index_scope", CHOICE, DDBSIM_SCOPE_ALL, 0, 1, "M-54",                          \
      "which base writes a full index refuses: all | touching")                                    \
    X(put_latency_ns, "put_latency", DURATION, 3700000, 100000, DDBSIM_S, "M-80",                  \
      "median caller-side latency of a small write")                                               \
    X(put_latency_per_kb_ns, "put_latency_per_kb", DURATION, 34000, 0, 10 * DDBSIM_MS, "M-80",     \
      "added by each KB written")                                                                  \
    X(get_latency_ns, "get_latency", DURATION, 2250000, 100000, DDBSIM_S, "M-80",                  \
      "median caller-side latency of a small strong read")                                         \
    X(get_latency_per_kb_ns, "get_latency_per_kb", DURATION, 15000, 0, 10 * DDBSIM_MS, "M-80",     \
      "added by each KB read")                                                                     \
    X(network_latency_ns, "network_latency", DURATION, DDBSIM_MS, 0, 100 * DDBSIM_MS, "M-81",      \
      "caller's share of latency: network and SDK")                                                \
    X(throttle_latency_ns, "throttle_latency", DURATION, DDBSIM_MS, 100000, 100 * DDBSIM_MS,       \
      "M-82", "median service latency of a refusal")

struct ddbsim_assumptions {
#define X(field, name, kind, value, low, high, rule, what) int64_t field;
    DDBSIM_ASSUMPTIONS(X)
#undef X
};

#endif
