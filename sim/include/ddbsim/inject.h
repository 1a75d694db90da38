/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests by call: a program brings a request to a run's table at the run's current time and is told how
 * it was judged. Each is one request with one attempt: the program itself decides whether to try again.
 * The log counts them as a workload of the name that ddbsim_run_options.inject_as gives. A batch is as many
 * requests: its members are judged one by one, and it is the program that knows which belong together.
 *
 * Which items exist is the program's to know: it says what the item weighed before and weighs after, and
 * what the write does to the entries of each index. The workloads' generators do not see injected items.
 */
#ifndef DDBSIM_INJECT_H
#define DDBSIM_INJECT_H

#include <ddbsim/run.h>
#include <ddbsim/workload.h>

/* What a write asks of one index. An index that is not listed is not touched. */
struct ddbsim_injected_entry {
    uint32_t index; /* its number in the table */
    enum ddbsim_effect effect;
    int64_t old_bytes,
        new_bytes; /* of the entry, up to 400 KB; the side that does not exist is 0 */
    /* The entry's key before and after. ADD has no old one and REMOVE no new one; REWRITE takes the new one
     * for both. Sort keys may be NULL. */
    const char *old_partition_key, *old_sort_key;
    const char *new_partition_key, *new_sort_key;
};

struct ddbsim_injection {
    enum ddbsim_operation_kind kind;
    uint32_t table;
    const char *partition_key, *sort_key; /* texts; the sort key may be NULL */
    /* Of the item before and after, up to 400 KB; 0 where there is none. PutItem and UpdateItem leave an
     * item, DeleteItem leaves none. A GetItem reads old_bytes; new_bytes is not looked at. */
    int64_t old_bytes, new_bytes;
    bool consistent_read; /* GetItem: a strong read costs twice an eventual one */
    const struct ddbsim_injected_entry *entries; /* writes: one for each index that is touched */
    uint32_t entry_count;
};

/* One reason of a refusal. */
struct ddbsim_refusal {
    enum ddbsim_reason reason;
    uint32_t index;       /* whose limit it is; DDBSIM_NONE: the table's own */
    const char *resource; /* that index's or the table's name; the scenario's */
};

/* Four reasons of the table itself, and as many of each of its indexes. */
#define DDBSIM_REFUSALS_MAX (4 * (1 + DDBSIM_INDEXES_MAX))

struct ddbsim_result {
    bool admitted;
    uint32_t partition; /* of the table, that owns the key: its number as in state.h */
    int64_t nano_units; /* taken from the table, billionths of a unit; 0 when refused */
    int64_t service_ns; /* latency as the service sees it (SuccessfulRequestLatency) */
    int64_t caller_ns;  /* as the caller sees it: with the network */
    const char
        *exception; /* of the first reason, or another that AWS answers; NULL when admitted */
    uint32_t
        refusal_count; /* 0 where it was admitted, and where no throttle refused it: a full item collection */
    /* All reasons that apply, in the order in which the request met them. */
    struct ddbsim_refusal refusals[DDBSIM_REFUSALS_MAX];
};

/*
 * Attempts a request now. DDBSIM_OK says that it was judged, not that it was admitted: that is
 * result->admitted. DDBSIM_INPUT when the run takes no injections or is at its end, or when the request is
 * impossible: no such table or index, no key or one above 2,048 bytes, sizes out of range or at odds with
 * the operation, an index twice. DDBSIM_ENVIRONMENT when memory is short. Neither counts anything. The run
 * keeps a copy of each distinct key text.
 */
DDBSIM_API DDBSIM_MUST_CHECK enum ddbsim_status
ddbsim_run_inject(struct ddbsim_run *run, const struct ddbsim_injection *request,
                  struct ddbsim_result *result, struct ddbsim_error *error);

#endif
