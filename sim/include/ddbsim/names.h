/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The field's words as tables: operations, throttling reasons, exceptions, metrics, causes, events.
 * Each list stands here once; enums, name functions, `ddbsim list`, schema and docs are made from it.
 */
#ifndef DDBSIM_NAMES_H
#define DDBSIM_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <ddbsim/export.h>

/* X(enumerator, AWS's name, is a write). From the batches on a program injects none (inject.h). */
#define DDBSIM_OPERATIONS(X)                         \
    X(GET_ITEM, "GetItem", false)                    \
    X(QUERY, "Query", false)                         \
    X(PUT_ITEM, "PutItem", true)                     \
    X(UPDATE_ITEM, "UpdateItem", true)               \
    X(DELETE_ITEM, "DeleteItem", true)               \
    X(BATCH_GET_ITEM, "BatchGetItem", false)         \
    X(BATCH_WRITE_ITEM, "BatchWriteItem", true)      \
    X(SCAN, "Scan", false)                           \
    X(TRANSACT_GET_ITEMS, "TransactGetItems", false) \
    X(TRANSACT_WRITE_ITEMS, "TransactWriteItems", true)

enum ddbsim_operation_kind {
#define X(e, name, write) DDBSIM_##e,
    DDBSIM_OPERATIONS(X)
#undef X
        DDBSIM_OPERATION_KINDS
};
/* In line, for every request asks. */
static inline bool ddbsim_operation_is_write(int operation) {
#define X(e, name, write) | (uint32_t)(write) << DDBSIM_##e
    const uint32_t writes = 0u DDBSIM_OPERATIONS(X);
#undef X
    return (unsigned)operation < DDBSIM_OPERATION_KINDS && (writes >> operation & 1u) != 0;
}
#define DDBSIM_SINGLE_KINDS DDBSIM_BATCH_GET_ITEM /* kinds below it are of one item or one Query */
#define DDBSIM_BATCH_MAX 100                      /* members of a BatchGetItem; AWS's limit */
#define DDBSIM_BATCH_WRITE_MAX 25                 /* members of a BatchWriteItem */
#define DDBSIM_BATCH_BYTES_MAX (INT64_C(16) << 20)
static inline bool ddbsim_operation_is_batch(int operation) {
    return operation == DDBSIM_BATCH_GET_ITEM || operation == DDBSIM_BATCH_WRITE_ITEM;
}
#define DDBSIM_TRANSACT_MAX 100 /* actions of a transaction; AWS's limit */
#define DDBSIM_TRANSACT_BYTES_MAX (INT64_C(4) << 20)
static inline bool ddbsim_operation_is_transaction(int operation) {
    return operation == DDBSIM_TRANSACT_GET_ITEMS || operation == DDBSIM_TRANSACT_WRITE_ITEMS;
}
/* Does it read many items of a table or an index? */
static inline bool ddbsim_operation_reads_pages(int operation) {
    return operation == DDBSIM_QUERY || operation == DDBSIM_SCAN;
}
/* Does it write whole items, which may be new ones? */
static inline bool ddbsim_operation_puts(int operation) {
    return operation == DDBSIM_PUT_ITEM || operation == DDBSIM_BATCH_WRITE_ITEM;
}
static inline uint32_t ddbsim_batch_size_max(int operation) {
    return operation == DDBSIM_BATCH_WRITE_ITEM ? DDBSIM_BATCH_WRITE_MAX : DDBSIM_BATCH_MAX;
}

/*
 * The sixteen throttling reasons (AWS API reference, ThrottlingReason), in the order in which a
 * request meets them: the first of several is the one that lists first. The exception that carries one
 * depends on the billing mode.
 *
 * X(enumerator, AWS's name, is of an index, is a write, exception if provisioned, if on demand)
 */
#define DDBSIM_PTE "ProvisionedThroughputExceededException"
#define DDBSIM_THROTTLING "ThrottlingException"
#define DDBSIM_REASONS(X)                                                                          \
    X(TABLE_READ_ACCOUNT, "TableReadAccountLimitExceeded", false, false, DDBSIM_THROTTLING,        \
      DDBSIM_THROTTLING)                                                                           \
    X(TABLE_WRITE_ACCOUNT, "TableWriteAccountLimitExceeded", false, true, DDBSIM_THROTTLING,       \
      DDBSIM_THROTTLING)                                                                           \
    X(TABLE_READ_MAX_ON_DEMAND, "TableReadMaxOnDemandThroughputExceeded", false, false,            \
      DDBSIM_THROTTLING, DDBSIM_THROTTLING)                                                        \
    X(TABLE_WRITE_MAX_ON_DEMAND, "TableWriteMaxOnDemandThroughputExceeded", false, true,           \
      DDBSIM_THROTTLING, DDBSIM_THROTTLING)                                                        \
    X(TABLE_READ_PROVISIONED, "TableReadProvisionedThroughputExceeded", false, false, DDBSIM_PTE,  \
      DDBSIM_PTE)                                                                                  \
    X(TABLE_WRITE_PROVISIONED, "TableWriteProvisionedThroughputExceeded", false, true, DDBSIM_PTE, \
      DDBSIM_PTE)                                                                                  \
    X(TABLE_READ_KEY_RANGE, "TableReadKeyRangeThroughputExceeded", false, false, DDBSIM_PTE,       \
      DDBSIM_THROTTLING)                                                                           \
    X(TABLE_WRITE_KEY_RANGE, "TableWriteKeyRangeThroughputExceeded", false, true, DDBSIM_PTE,      \
      DDBSIM_THROTTLING)                                                                           \
    X(INDEX_READ_ACCOUNT, "IndexReadAccountLimitExceeded", true, false, DDBSIM_THROTTLING,         \
      DDBSIM_THROTTLING)                                                                           \
    X(INDEX_WRITE_ACCOUNT, "IndexWriteAccountLimitExceeded", true, true, DDBSIM_THROTTLING,        \
      DDBSIM_THROTTLING)                                                                           \
    X(INDEX_READ_MAX_ON_DEMAND, "IndexReadMaxOnDemandThroughputExceeded", true, false,             \
      DDBSIM_THROTTLING, DDBSIM_THROTTLING)                                                        \
    X(INDEX_WRITE_MAX_ON_DEMAND, "IndexWriteMaxOnDemandThroughputExceeded", true, true,            \
      DDBSIM_THROTTLING, DDBSIM_THROTTLING)                                                        \
    X(INDEX_READ_PROVISIONED, "IndexReadProvisionedThroughputExceeded", true, false, DDBSIM_PTE,   \
      DDBSIM_PTE)                                                                                  \
    X(INDEX_WRITE_PROVISIONED, "IndexWriteProvisionedThroughputExceeded", true, true, DDBSIM_PTE,  \
      DDBSIM_PTE)                                                                                  \
    X(INDEX_READ_KEY_RANGE, "IndexReadKeyRangeThroughputExceeded", true, false, DDBSIM_THROTTLING, \
      DDBSIM_THROTTLING)                                                                           \
    X(INDEX_WRITE_KEY_RANGE, "IndexWriteKeyRangeThroughputExceeded", true, true,                   \
      DDBSIM_THROTTLING, DDBSIM_THROTTLING)

enum ddbsim_reason {
#define X(e, name, index, write, provisioned, on_demand) DDBSIM_##e,
    DDBSIM_REASONS(X)
#undef X
        DDBSIM_REASON_KINDS
};

/*
 * Metrics. The first group is CloudWatch's (namespace AWS/DynamoDB) and stands in table `metric`;
 * the second group are a run's outcomes and stand in table `outcome`.
 * X(enumerator, name, unit, what it is)
 */
#define DDBSIM_CLOUDWATCH_METRICS(X)                                                              \
    X(CONSUMED_READ, "ConsumedReadCapacityUnits", "Count", "read units consumed")                 \
    X(CONSUMED_WRITE, "ConsumedWriteCapacityUnits", "Count", "write units consumed")              \
    X(READ_THROTTLE_EVENTS, "ReadThrottleEvents", "Count", "reads refused, by resource")          \
    X(WRITE_THROTTLE_EVENTS, "WriteThrottleEvents", "Count", "writes refused, by resource")       \
    X(READ_PROVISIONED_EVENTS, "ReadProvisionedThroughputThrottleEvents", "Count",                \
      "reads refused by provisioned capacity")                                                    \
    X(WRITE_PROVISIONED_EVENTS, "WriteProvisionedThroughputThrottleEvents", "Count",              \
      "writes refused by provisioned capacity")                                                   \
    X(READ_KEY_RANGE_EVENTS, "ReadKeyRangeThroughputThrottleEvents", "Count",                     \
      "reads refused by a partition's limit")                                                     \
    X(WRITE_KEY_RANGE_EVENTS, "WriteKeyRangeThroughputThrottleEvents", "Count",                   \
      "writes refused by a partition's limit")                                                    \
    X(READ_ACCOUNT_EVENTS, "ReadAccountLimitThrottleEvents", "Count",                             \
      "reads refused by the account's quota")                                                     \
    X(WRITE_ACCOUNT_EVENTS, "WriteAccountLimitThrottleEvents", "Count",                           \
      "writes refused by the account's quota")                                                    \
    X(READ_MAX_ON_DEMAND_EVENTS, "ReadMaxOnDemandThroughputThrottleEvents", "Count",              \
      "reads refused by the on-demand maximum")                                                   \
    X(WRITE_MAX_ON_DEMAND_EVENTS, "WriteMaxOnDemandThroughputThrottleEvents", "Count",            \
      "writes refused by the on-demand maximum")                                                  \
    X(THROTTLED_REQUESTS, "ThrottledRequests", "Count", "attempts refused, by operation")         \
    X(SUCCESSFUL_LATENCY, "SuccessfulRequestLatency", "Milliseconds",                             \
      "service-side latency of the attempts that succeeded")                                      \
    X(USER_ERRORS, "UserErrors", "Count",                                                         \
      "requests that AWS refuses as invalid, of the whole account")                               \
    X(SYSTEM_ERRORS, "SystemErrors", "Count", "attempts that ended in an HTTP 500, by operation") \
    X(REPLICATION_LATENCY, "ReplicationLatency", "Milliseconds",                                  \
      "from a write to a global table until another Region has it, by receiving Region")          \
    X(TTL_DELETED, "TimeToLiveDeletedItemCount", "Count", "items that TTL deleted, by table")     \
    X(CONDITIONS_FAILED, "ConditionalCheckFailedRequests", "Count",                               \
      "writes whose condition did not hold")                                                      \
    X(TRANSACTION_CONFLICT, "TransactionConflict", "Count",                                       \
      "items refused because they were in another transaction")                                   \
    X(RETURNED_ITEMS, "ReturnedItemCount", "Count", "items that Query and Scan return")           \
    X(PROVISIONED_READ, "ProvisionedReadCapacityUnits", "Count", "read capacity configured")      \
    X(PROVISIONED_WRITE, "ProvisionedWriteCapacityUnits", "Count", "write capacity configured")   \
    X(ONLINE_PROGRESS, "OnlineIndexPercentageProgress", "Count",                                  \
      "how much of an index that is being built is filled in, in percent")                        \
    X(ONLINE_CONSUMED, "OnlineIndexConsumedWriteCapacity", "Count",                               \
      "write units that filling in a new index consumed")                                         \
    X(ONLINE_THROTTLES, "OnlineIndexThrottleEvents", "Count",                                     \
      "writes refused while a new index was filled in")

enum ddbsim_metric {
#define X(e, name, unit, what) DDBSIM_METRIC_##e,
    DDBSIM_CLOUDWATCH_METRICS(X)
#undef X
        DDBSIM_METRIC_KINDS
};

/* X(enumerator, name, unit, what it is) */
#define DDBSIM_OUTCOME_METRICS(X)                                                                  \
    X(REQUESTS, "requests", "count", "requests asked by callers")                                  \
    X(ATTEMPTS, "attempts", "count", "attempts, retries included")                                 \
    X(SUCCEEDED, "succeeded", "count", "requests that succeeded in the end")                       \
    X(FAILED, "failed", "count", "requests given up")                                              \
    X(RETRIES, "retries", "count", "attempts after the first")                                     \
    X(RETRIES_REFUSED, "retries_refused", "count", "retries that the retry quota refused")         \
    X(THROTTLED_ATTEMPTS, "throttled_attempts", "count", "attempts refused")                       \
    X(THROTTLED_RATIO, "throttled_ratio", "share", "throttled attempts / attempts")                \
    X(FAILED_RATIO, "failed_ratio", "share", "requests given up / requests")                       \
    X(AMPLIFICATION, "amplification", "ratio", "attempts / requests")                              \
    X(READ_UNITS, "read_units", "units", "read units consumed")                                    \
    X(WRITE_UNITS, "write_units", "units", "write units consumed")                                 \
    X(LATENCY_P50, "latency_p50", "ms", "median service latency of successes, heard or not")       \
    X(LATENCY_P99, "latency_p99", "ms",                                                            \
      "99th percentile of service latency of successes, heard or not")                             \
    X(CALLER_P50, "caller_p50", "ms", "median time to success, waits included")                    \
    X(CALLER_P99, "caller_p99", "ms", "99th percentile of time to success, waits included")        \
    X(MEMBERS, "members", "count", "members of batches that were sent, each as often as it was")   \
    X(THROTTLED_MEMBERS, "throttled_members", "count", "of these, members that were refused")      \
    X(THROTTLED_MEMBERS_RATIO, "throttled_members_ratio", "share", "throttled members / members")  \
    X(LOST_MEMBERS, "lost_members", "count", "members that their callers did not send again")      \
    X(PARTITIONS, "partitions", "count", "partitions at the end, of a window's end if it has one") \
    X(DROPPED_ITERATIONS, "dropped_iterations", "count", "arrivals beyond max_vus in flight")      \
    X(FINISHED_AT, "finished_at", "s", "when the last of a closed loop's iterations was over")     \
    X(STORED_ITEMS, "stored_items", "count", "items of tables with TTL, at the window's end")      \
    X(STORED_GB, "stored_gb", "GB", "bytes of tables with TTL, in 2^30, at the window's end")      \
    X(EXPIRED_ITEMS, "expired_items", "count",                                                     \
      "of these items, expired ones that are still there")                                         \
    X(TTL_DELETED_ITEMS, "ttl_deleted_items", "count", "items that TTL deleted")                   \
    X(ARRIVAL_P50, "arrival_p50", "ms", "median time of an arrival that makes several calls")      \
    X(ARRIVAL_P99, "arrival_p99", "ms", "99th percentile of that time")                            \
    X(FIRST_PAGE_P50, "first_page_p50", "ms",                                                      \
      "median time until all shards of a Query have given their first page")                       \
    X(FIRST_PAGE_P99, "first_page_p99", "ms", "99th percentile of that time")                      \
    X(USER_ERRORS, "user_errors", "count", "requests that AWS refused as invalid")                 \
    X(CONDITIONS_FAILED, "conditions_failed", "count", "writes whose condition did not hold")      \
    X(CONFLICTS, "conflicts", "count", "writes that met a running transaction")                    \
    X(CANCELLED_THROTTLED, "cancelled_throttled", "count",                                         \
      "transactions cancelled because an action was throttled")                                    \
    X(CANCELLED_CONFLICT, "cancelled_conflict", "count",                                           \
      "transactions cancelled because an item was in another one")                                 \
    X(CANCELLED_CONDITION, "cancelled_condition", "count",                                         \
      "transactions cancelled because a condition did not hold")                                   \
    X(MISSED_ITEMS, "missed_items", "count",                                                       \
      "items that reads should have found, under suffixes that they do not ask")                   \
    X(SYSTEM_ERRORS, "system_errors", "count", "attempts that ended in an HTTP 500")               \
    X(UNHEARD, "timed_out_attempts", "count", "attempts whose callers did not hear the answer")    \
    X(EXPIRED, "expired_calls", "count", "calls that call_timeout or function_timeout ended")      \
    X(UNITS_WASTED, "units_wasted", "units",                                                       \
      "units that did no work: of timed-out attempts, cancelled transactions, failed conditions")  \
    X(UNHEARD_UNITS, "timed_out_units", "units", "of these, those of timed-out attempts")          \
    X(BREAKER_REFUSED, "breaker_refused", "count",                                                 \
      "calls, or retries, that the callers' own circuit breaker did not let pass")                 \
    X(MESSAGES, "messages", "count", "messages sent to queues")                                    \
    X(RECEIVED, "received", "count",                                                               \
      "messages or records that Lambda received, each as often as it was")                         \
    X(INVOCATIONS, "invocations", "count", "invocations of Lambda")                                \
    X(FAILED_INVOCATIONS, "failed_invocations", "count", "of these, those that failed")            \
    X(DEAD_LETTERS, "dead_letters", "count", "messages or records that were given up")             \
    X(DUPLICATES, "duplicates", "count", "messages or records whose work was done again")          \
    X(QUEUE_DEPTH, "queue_depth", "count", "messages waiting, at most")                            \
    X(OLDEST_MESSAGE, "oldest_message", "s", "age of the oldest message in a queue, at most")      \
    X(CONCURRENCY, "concurrency", "count", "invocations at once, at most")                         \
    X(ITERATOR_AGE, "iterator_age", "s",                                                           \
      "age of the newest record of a batch that invoked a stream's Lambda, at most")

enum ddbsim_outcome {
#define X(e, name, unit, what) DDBSIM_OUTCOME_##e,
    DDBSIM_OUTCOME_METRICS(X)
#undef X
        DDBSIM_OUTCOME_KINDS
};

/* What a diagnosis can name. X(enumerator, name, what it means) */
#define DDBSIM_CAUSES(X)                                                                          \
    X(NONE, "none", "nothing was refused")                                                        \
    X(INDEX_CAPACITY, "index_capacity", "an index lacks write capacity and holds its table back") \
    X(TABLE_CAPACITY, "table_capacity", "the table lacks provisioned capacity")                   \
    X(HOT_PARTITION, "hot_partition", "one partition of the table is at its limit")               \
    X(ON_DEMAND_GROWTH, "on_demand_growth",                                                       \
      "an on-demand table or index has not grown to its traffic yet")                             \
    X(ON_DEMAND_MAXIMUM, "on_demand_maximum",                                                     \
      "the maximum set for an on-demand table or index is reached")                               \
    X(ACCOUNT_LIMIT, "account_limit", "the account's quota for one table or index is reached")    \
    X(SCALING_TOO_LATE, "scaling_too_late",                                                       \
      "a scaler's increase acted only after the refusals had begun")                              \
    X(HOT_INDEX_PARTITION, "hot_index_partition", "one partition of an index is at its limit")    \
    X(RETRY_QUOTA_EMPTY, "retry_quota_empty",                                                     \
      "callers gave up because their retry quota was empty")                                      \
    X(BATCH_HIDDEN, "batch_hidden",                                                               \
      "members of batches were refused, and no attempt, so ThrottledRequests shows nothing")      \
    X(FAULT, "fault", "something failed for a while: a table served less, or with HTTP 500")      \
    X(RETRY_STORM, "retry_storm",                                                                 \
      "refusals outlived the fault that began them: callers' retries keep them up")

enum ddbsim_cause {
#define X(e, name, what) DDBSIM_CAUSE_##e,
    DDBSIM_CAUSES(X)
#undef X
        DDBSIM_CAUSE_KINDS
};

/* Rows of table `event`. X(enumerator, name, what it means) */
#define DDBSIM_EVENTS(X)                                                                         \
    X(CHANGE, "change", "somebody changed the scenario")                                         \
    X(CAPACITY_CHANGED, "capacity_changed", "an UpdateTable took effect")                        \
    X(CHANGE_REFUSED, "change_refused", "AWS refused a change: one of its limits was reached")   \
    X(SCALE_OUT, "scale_out", "a scaler asked for more capacity")                                \
    X(SCALE_IN, "scale_in", "a scaler asked for less capacity")                                  \
    X(SCALE_BOUNDS, "scale_bounds", "the bounds of a scaling policy changed")                    \
    X(ALARM, "alarm", "an alarm changed its state")                                              \
    X(ON_DEMAND_LIMIT, "on_demand_limit", "an on-demand table or index serves more from now on") \
    X(SPLIT_STARTED, "split_started", "a partition is being split; it serves on")                \
    X(SPLIT_FINISHED, "split_finished", "its children have taken over")                          \
    X(SPLIT_REFUSED, "split_refused",                                                            \
      "a hot partition is not split: it would not help, or may not be")                          \
    X(INDEX_BUILDING, "index_building",                                                          \
      "a new index takes writes from now on, and the items that there are are filled in")        \
    X(INDEX_ACTIVE, "index_active", "a new index is filled in and can be read")                  \
    X(INDEX_DELETED, "index_deleted", "an index is gone: it costs and refuses nothing")          \
    X(FAULT_BEGAN, "fault_began", "something failed: AWS, the network or the callers' machines") \
    X(FAULT_ENDED, "fault_ended", "it works again")                                              \
    X(BURST_EMPTY, "burst_empty", "a burst bucket ran dry, first time in an hour")               \
    X(THROTTLING_STARTED, "throttling_started", "first refusal after 60 s without one")          \
    X(THROTTLING_ENDED, "throttling_ended", "last refusal before 60 s without one")

enum ddbsim_event {
#define X(e, name, what) DDBSIM_EVENT_##e,
    DDBSIM_EVENTS(X)
#undef X
        DDBSIM_EVENT_KINDS
};

/* Names by number; NULL past the end. Owned by the library, never freed. */
DDBSIM_API const char *ddbsim_operation_name(int operation);
DDBSIM_API const char *ddbsim_reason_name(int reason);
DDBSIM_API bool ddbsim_reason_is_index(int reason);
DDBSIM_API bool ddbsim_reason_is_write(int reason);
/* The exception that carries a reason, which depends on the resource's billing mode (M-60). */
DDBSIM_API const char *ddbsim_reason_exception(int reason, bool on_demand);
DDBSIM_API const char *ddbsim_metric_name(int metric);
DDBSIM_API const char *ddbsim_metric_unit(int metric);
DDBSIM_API const char *ddbsim_metric_what(int metric);
/* Whether it says how high something stands, not how often something happened: its sum over time means nothing. */
DDBSIM_API bool ddbsim_metric_is_level(int metric);
DDBSIM_API const char *ddbsim_outcome_name(int outcome);
DDBSIM_API const char *ddbsim_outcome_unit(int outcome);
DDBSIM_API const char *ddbsim_outcome_what(int outcome);
DDBSIM_API const char *ddbsim_cause_name(int cause);
DDBSIM_API const char *ddbsim_cause_what(int cause);
DDBSIM_API const char *ddbsim_event_name(int event);
DDBSIM_API const char *ddbsim_event_what(int event);
/* The number of a name among `kinds` names; -1 where there is none. */
DDBSIM_API int ddbsim_name_find(const char *(*name_of)(int), const char *name);

/* AWS's default quota of provisioned capacity: units a second of a table or an index. */
#define DDBSIM_CAPACITY_QUOTA 40000

#endif
