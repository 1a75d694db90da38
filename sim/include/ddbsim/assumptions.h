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
enum ddbsim_warm_rule { DDBSIM_WARM_MAX, DDBSIM_WARM_SUM };
enum ddbsim_token_debt { DDBSIM_TOKENS_DEBT, DDBSIM_TOKENS_STRICT };
enum ddbsim_capacity_tokens { DDBSIM_TOKENS_KEPT, DDBSIM_TOKENS_RESET };
enum ddbsim_reject_scope { DDBSIM_SCOPE_ALL, DDBSIM_SCOPE_TOUCHING };
enum ddbsim_admission { DDBSIM_ADMISSION_GAC, DDBSIM_ADMISSION_ADAPTIVE, DDBSIM_ADMISSION_STATIC };
enum ddbsim_on_demand_growth { DDBSIM_GROWTH_BOTH, DDBSIM_GROWTH_RULE, DDBSIM_GROWTH_SPLITS };
enum ddbsim_switch { DDBSIM_ON, DDBSIM_OFF };
enum ddbsim_idle_metric { DDBSIM_IDLE_MISSING, DDBSIM_IDLE_ZERO };
enum ddbsim_online_metrics { DDBSIM_ONLINE_ZERO, DDBSIM_ONLINE_REPORTED };

#define DDBSIM_ASSUMPTIONS(X)                                                                      \
    X(partition_write_limit, "partition_write_limit", UNITS, 1000, 1, 1000000, "M-20",             \
      "write units a second that one partition serves")                                            \
    X(partition_read_limit, "partition_read_limit", UNITS, 3000, 1, 1000000, "M-20",               \
      "read units a second that one partition serves from its leader")                             \
    X(rw_coupled, "rw_coupled", CHOICE, DDBSIM_OFF, 0, 1, "M-29",                                  \
      "whether a partition's reads and writes share one limit: on | off")                          \
    X(partition_burst_ns, "partition_burst", DURATION, 3 * DDBSIM_S, DDBSIM_S / 10, 10 * DDBSIM_S, \
      "M-22", "depth of a partition's bucket, in seconds of its limit")                            \
    X(partition_bytes, "partition_bytes", SIZE, INT64_C(10) << 30, INT64_C(1) << 30,               \
      INT64_C(100) << 30, "M-21", "bytes that one partition holds")                                \
    X(initial_rule, "initial_rule", CHOICE, DDBSIM_INITIAL_SUM, 0, 1, "M-21",                      \
      "how reads and writes join in the initial number of partitions: sum | max")                  \
    X(replica_read_limit, "replica_read_limit", UNITS, 3000, 1, 1000000, "M-23",                   \
      "blocks of 4 KB a second that one of a partition's three replicas serves to eventual reads") \
    X(split_size_cut, "split_size_cut", SHARE, 500000000, 400000000, 600000000, "M-24",            \
      "share of a partition's bytes that lie left of the cut of a split for size")                 \
    X(split_size_shortest_ns, "split_size_shortest", DURATION, 120 * DDBSIM_S, DDBSIM_S,           \
      1800 * DDBSIM_S, "M-24", "least time that a split for size takes")                           \
    X(split_size_longest_ns, "split_size_longest", DURATION, 600 * DDBSIM_S, DDBSIM_S,             \
      1800 * DDBSIM_S, "M-24",                                                                     \
      "most time that it takes, if that is more; any between is as likely")                        \
    X(heat_split, "heat_split", CHOICE, DDBSIM_ON, 0, 1, "M-25",                                   \
      "whether a partition that stays hot is split: on | off")                                     \
    X(heat_threshold, "heat_threshold", SHARE, 800000000, 500000000, 1000000000, "M-25",           \
      "share of a partition's limit, over 10 s, from which it is hot")                             \
    X(heat_window_ns, "heat_window", DURATION, 300 * DDBSIM_S, 60 * DDBSIM_S, 900 * DDBSIM_S,      \
      "M-25", "time that a partition must stay hot before it splits")                              \
    X(heat_cooldown_ns, "heat_cooldown", DURATION, 300 * DDBSIM_S, 0, 1800 * DDBSIM_S, "M-25",     \
      "time after a split in which its children do not split for heat")                            \
    X(split_benefit, "split_benefit", SHARE, 900000000, 600000000, 990000000, "M-26",              \
      "largest share of the traffic that may stay in one child of a split for heat")               \
    X(split_sequential, "split_sequential", SHARE, 800000000, 500000000, 1000000000, "M-26",       \
      "share of later traffic beyond the earlier that makes a key order sequential")               \
    X(split_isolation, "split_isolation", SHARE, 100000000, 0, 500000000, "M-26",                  \
      "least share of the traffic beside a hot item for it to be cut out alone")                   \
    X(split_sketch, "split_sketch", UNITS, 512, 64, 4096, "M-26",                                  \
      "keys that a hot partition's sample keeps of each half of the window")                       \
    X(split_duration_ns, "split_duration", DURATION, 180 * DDBSIM_S, DDBSIM_S, 1800 * DDBSIM_S,    \
      "M-27", "median time from a split's start until its children serve")                         \
    X(split_sigma, "split_sigma", SHARE, 600000000, 0, 2000000000, "M-27",                         \
      "sigma of that lognormal time")                                                              \
    X(split_parallel, "split_parallel", UNITS, 1, 0, 100000, "M-27",                               \
      "splits for heat at once in one provisioned table or index; 0: any number")                  \
    X(split_parallel_on_demand, "split_parallel_on_demand", UNITS, 0, 0, 100000, "M-27",           \
      "the same where requests are paid for")                                                      \
    X(admission, "admission", CHOICE, DDBSIM_ADMISSION_GAC, 0, 2, "M-34",                          \
      "who enforces provisioned capacity: gac | adaptive_reactive | static")                       \
    X(burst_at_creation, "burst_at_creation", SHARE, 0, 0, 1000000000, "M-30",                     \
      "share of its burst that a table has when it is created (new: true)")                        \
    X(burst_steal_rate, "burst_steal_rate", SHARE, 0, 0, 200000000, "M-30",                        \
      "share of the capacity's rate at which AWS spends burst on work of its own")                 \
    X(token_debt, "token_debt", CHOICE, DDBSIM_TOKENS_DEBT, 0, 1, "M-33",                          \
      "when a bucket admits, with anything left or with the whole cost: debt | strict")            \
    X(token_leak, "token_leak", CHOICE, DDBSIM_OFF, 0, 1, "M-39",                                  \
      "whether a refused request takes the tokens of the checks that it passed: on | off")         \
    X(gac_refill_ns, "gac_refill", DURATION, 0, 0, 10 * DDBSIM_S, "M-37",                          \
      "time for which request routers are handed tokens of a provisioned table; 0: they ask each " \
      "time")                                                                                      \
    X(routers, "routers", UNITS, 1, 1, 64, "M-37",                                                 \
      "request routers between which those tokens are divided")                                    \
    X(node_limit, "node_limit", UNITS, 0, 0, 10000000, "M-38",                                     \
      "write units a second that a storage node has for its partitions, a read unit counted as a " \
      "third; 0: no limit")                                                                        \
    X(node_partitions, "node_partitions", UNITS, 1, 1, 100000, "M-38",                             \
      "partitions of one table or index whose leaders share a node")                               \
    X(adaptive_delay_ns, "adaptive_delay", DURATION, 300 * DDBSIM_S, 0, 1800 * DDBSIM_S, "M-35",   \
      "adaptive_reactive: time of throttling before a partition is boosted")                       \
    X(on_demand_write, "on_demand_write", UNITS, 4000, 1, 1000000, "M-42",                         \
      "write units a second that a new on-demand table serves")                                    \
    X(on_demand_read, "on_demand_read", UNITS, 12000, 1, 1000000, "M-42",                          \
      "read units a second that a new on-demand table serves")                                     \
    X(on_demand_burst_ns, "on_demand_burst", DURATION, DDBSIM_S, DDBSIM_S, 300 * DDBSIM_S, "M-42", \
      "depth of the buckets of on-demand limits, maxima and quotas, in time at their rate")        \
    X(peak_window_ns, "peak_window", DURATION, 60 * DDBSIM_S, 10 * DDBSIM_S, 300 * DDBSIM_S,       \
      "M-43", "consumption is averaged over this time before it counts as a peak")                 \
    X(peak_settle_ns, "peak_settle", DURATION, 300 * DDBSIM_S, 0, 1800 * DDBSIM_S, "M-43",         \
      "time after which a peak counts")                                                            \
    X(double_interval_ns, "double_interval", DURATION, 1800 * DDBSIM_S, 300 * DDBSIM_S,            \
      3600 * DDBSIM_S, "M-43",                                                                     \
      "time that a peak must have counted for traffic to exceed its double")                       \
    X(on_demand_growth, "on_demand_growth", CHOICE, DDBSIM_GROWTH_BOTH, 0, 2, "M-43",              \
      "what bounds an on-demand table: both | rule30 | splits")                                    \
    X(quota_write, "quota_write", UNITS, 40000, 1, 100000000, "M-45",                              \
      "account quota of one on-demand table or index, write units a second")                       \
    X(quota_read, "quota_read", UNITS, 40000, 1, 100000000, "M-45",                                \
      "account quota of one on-demand table or index, read units a second")                        \
    X(warm_rule, "warm_rule", CHOICE, DDBSIM_WARM_MAX, 0, 1, "M-44",                               \
      "how reads and writes join in the partitions that warm throughput needs: max | sum")         \
    X(mode_delay_ns, "mode_delay", DURATION, 180 * DDBSIM_S, 0, 1800 * DDBSIM_S, "M-46",           \
      "time that a switch of the capacity mode takes; the old mode holds meanwhile")               \
    X(mode_switches, "mode_switches", UNITS, 4, 1, 100, "M-46",                                    \
      "switches to on-demand that AWS allows in 24 hours")                                         \
    X(update_delay_ns, "update_delay", DURATION, 60 * DDBSIM_S, 0, 300 * DDBSIM_S, "M-40",         \
      "from UpdateTable until the new capacity acts")                                              \
    X(warm_update_delay_ns, "warm_update_delay", DURATION, 5 * DDBSIM_S, 0, 300 * DDBSIM_S,        \
      "M-40", "the same where the stated warm throughput covers the new capacity")                 \
    X(decreases_a_day, "decreases_a_day", UNITS, 4, 0, 1000, "M-47",                               \
      "decreases of a table's or index's capacity that AWS allows at any time of a UTC day")       \
    X(decrease_interval_ns, "decrease_interval", DURATION, 3600 * DDBSIM_S, 60 * DDBSIM_S,         \
      86400 * DDBSIM_S, "M-47", "time without a decrease after which one more is allowed")         \
    X(collection_bytes, "collection_bytes", SIZE, INT64_C(10) << 30, INT64_C(1) << 20,             \
      INT64_C(100) << 30, "M-48",                                                                  \
      "bytes of items and local index entries that one partition key holds")                       \
    X(metric_delay_ns, "metric_delay", DURATION, 60 * DDBSIM_S, 0, 300 * DDBSIM_S, "M-90",         \
      "from a period's end until CloudWatch has its datapoint")                                    \
    X(alarm_delay_ns, "alarm_delay", DURATION, 60 * DDBSIM_S, 0, 240 * DDBSIM_S, "M-90",           \
      "from the datapoint until alarms have acted on it")                                          \
    X(alarm_range, "alarm_range", UNITS, 2, 0, 10, "M-92",                                         \
      "periods beyond its own in which an alarm looks for datapoints where some are missing")      \
    X(scale_out_minutes, "scale_out_minutes", UNITS, 2, 1, 5, "M-93",                              \
      "minutes above the target after which auto scaling scales out")                              \
    X(scale_in_minutes, "scale_in_minutes", UNITS, 15, 5, 30, "M-93",                              \
      "minutes below the target less its margin after which auto scaling scales in")               \
    X(scale_in_margin, "scale_in_margin", SHARE, 200000000, 0, 300000000, "M-93",                  \
      "how far below the target, in shares of the capacity, scaling in begins")                    \
    X(idle_metric, "idle_metric", CHOICE, DDBSIM_IDLE_MISSING, 0, 1, "M-93",                       \
      "what auto scaling sees of a minute without traffic: missing | zero")                        \
    X(capacity_tokens, "capacity_tokens", CHOICE, DDBSIM_TOKENS_KEPT, 0, 1, "M-40",                \
      "what becomes of burst when the capacity changes: kept | reset")                             \
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
    X(index_allocation_ns, "index_allocation", DURATION, 300 * DDBSIM_S, 0, 3600 * DDBSIM_S,       \
      "M-58", "from UpdateTable until a new index takes writes")                                   \
    X(backfill_share, "backfill_share", SHARE, 1000000000, 10000000, 1000000000, "M-58",           \
      "largest share of a new index's write capacity that filling it in takes")                    \
    X(building_backpressure, "building_backpressure", CHOICE, DDBSIM_ON, 0, 1, "M-58",             \
      "whether an index that is being built holds its table back: on | off")                       \
    X(online_index_metrics, "online_index_metrics", CHOICE, DDBSIM_ONLINE_ZERO, 0, 1, "M-58",      \
      "what the OnlineIndex metrics of write units and throttle events say: zero | reported")      \
    X(ttl_least_ns, "ttl_least", DURATION, 480 * DDBSIM_S, 0, 259200 * DDBSIM_S, "M-17",           \
      "least time from an item's expiry until TTL has deleted it, in a small partition")           \
    X(ttl_most_ns, "ttl_most", DURATION, 780 * DDBSIM_S, 0, 259200 * DDBSIM_S, "M-17",             \
      "most of that time")                                                                         \
    X(ttl_scan_least_ns, "ttl_scan_least", DURATION, 540 * DDBSIM_S, 0, 86400 * DDBSIM_S, "M-17",  \
      "added to the least for each 100,000 items of the partition")                                \
    X(ttl_scan_most_ns, "ttl_scan_most", DURATION, 900 * DDBSIM_S, 0, 86400 * DDBSIM_S, "M-17",    \
      "added to the most for each 100,000 items of the partition")                                 \
    X(ttl_longest_ns, "ttl_longest", DURATION, 172800 * DDBSIM_S, 0, 259200 * DDBSIM_S, "M-17",    \
      "what both together never exceed")                                                           \
    X(stream_delay_ns, "stream_delay", DURATION, 200 * DDBSIM_MS, 0, 60 * DDBSIM_S, "M-85",        \
      "from a write until its record is in the table's stream")                                    \
    X(stream_poll_ns, "stream_poll", DURATION, 250 * DDBSIM_MS, 50 * DDBSIM_MS, 60 * DDBSIM_S,     \
      "M-86", "how often a reader of a stream looks into each of its shards")                      \
    X(replication_least_ns, "replication_least", DURATION, 500 * DDBSIM_MS, 0, 60 * DDBSIM_S,      \
      "M-87", "least time from a write to a global table until another Region writes it")          \
    X(replication_most_ns, "replication_most", DURATION, 2500 * DDBSIM_MS, 0, 60 * DDBSIM_S,       \
      "M-87", "most of that time while that Region has the capacity")                              \
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
    X(dax_latency_ns, "dax_latency", DURATION, 500000, 10000, 100 * DDBSIM_MS, "M-88",             \
      "caller-side latency of a read that DAX answers")                                            \
    X(breaker_latency_ns, "breaker_latency", DURATION, DDBSIM_MS / 10, 1000, DDBSIM_S, "M-112",    \
      "until callers know that their breaker lets nothing pass: an exception, and their own loop") \
    X(stream_retry_first_ns, "stream_retry_first", DURATION, DDBSIM_S, DDBSIM_MS, 60 * DDBSIM_S,   \
      "M-118", "wait before a stream's Lambda tries a batch again; it doubles each time")          \
    X(stream_retry_most_ns, "stream_retry_most", DURATION, 60 * DDBSIM_S, DDBSIM_MS,               \
      3600 * DDBSIM_S, "M-118", "the longest of these waits")                                      \
    X(throttle_latency_ns, "throttle_latency", DURATION, DDBSIM_MS, 100000, 100 * DDBSIM_MS,       \
      "M-82", "median service latency of a refusal")                                               \
    X(retry_after_ns, "retry_after", DURATION, 0, 0, 60 * DDBSIM_S, "M-71",                        \
      "wait that a throttle asks for in x-amz-retry-after; 0: none is sent")                       \
    X(conflict_cost, "conflict_cost", SHARE, 1000000000, 0, 2000000000, "M-68",                    \
      "what a transaction that a conflict cancels consumes, of the plain cost of its items")       \
    X(condition_cost, "condition_cost", SHARE, 2000000000, 0, 2000000000, "M-68",                  \
      "the same of one that a condition cancels")

struct ddbsim_assumptions {
#define X(field, name, kind, value, low, high, rule, what) int64_t field;
    DDBSIM_ASSUMPTIONS(X)
#undef X
};

#endif
