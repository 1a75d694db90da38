/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every attempt, one by one: rows of `request`, kept until the loop stands between two events. */
#ifndef CLIENT_JOURNAL_H
#define CLIENT_JOURNAL_H

#include <model/model.h>

struct record;

/* What a row needs of an attempt. */
struct journal_entry {
    uint64_t number;
    uint32_t call, attempt; /* of its arrival; from 1 */
    int64_t t_ns;
    uint32_t workload, table, index;
    enum ddbsim_operation_kind kind;
    struct ddbsim_key key;
    int64_t item_bytes, cost_nano, service_ns;
    uint32_t members, unprocessed;
    int partition; /* its number; -1: it has none */
    bool consistent, has_reason;
    uint8_t outcome; /* enum account_outcome */
    enum ddbsim_reason reason;
};

#define JOURNAL_MAX 4096u /* entries between two events */

struct journal {
    struct journal_entry *entries; /* NULL: it is not kept */
    uint32_t count;
};

bool journal_init(struct journal *journal); /* false when memory is short */
void journal_deinit(struct journal *journal);
void journal_add(struct journal *journal, struct model *model, const struct record *record,
                 const struct attempt *attempt, int64_t now_ns);
/* Before it is full: one event adds a few. */
static inline bool journal_is_tight(const struct journal *journal) {
    return journal->count >= JOURNAL_MAX / 2;
}
void journal_flush(struct journal *journal, const struct model *model);

#endif
