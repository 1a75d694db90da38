/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which operation a call of an arrival is, and which values the arrival is about. */
#ifndef WORKLOADS_MIX_H
#define WORKLOADS_MIX_H

#include <workloads/generator.h>

/* Which operation is call `step` of an arrival, which call of the full sequence that is, and which page of
 * its Query, or which suffix of those that a GetItem asks. */
struct call {
    uint32_t operation, place, page;
};

#define MIX_PAGE_BYTES UINT64_C(1048576)

/* A page of a Query ends with the item that reaches 1 MB. */
uint64_t mix_page_items(const struct ddbsim_operation *operation);
/* What follows from the workload as it is now. */
void mix_follow(struct source *source);
/* Call `step` of an arrival where calls are more than one each; false where it has no such call. */
bool mix_find_several(const struct source *source, const struct ddbsim_arrival *arrival,
                      uint32_t step, struct call *out);
/* All calls of an arrival are about the same values: what it inserts it may read a moment later. */
void mix_settle(struct source *source, struct ddbsim_arrival *arrival);
/* The same of a batch's member, which has values of its own. */
void mix_settle_member(const struct source *source, const struct ddbsim_operation *operation,
                       uint64_t member, bool deletes, int64_t now_ns, struct ddbsim_arrival *own);

/* An operation of weight 0 is never met: its threshold is that of the one before. */
static inline uint32_t mix_choose(const struct source *source, uint64_t draw) {
    const struct ddbsim_workload *workload = source->workload;
    uint32_t i = 0;
    while (draw > source->thresholds[i] || workload->operations[i].weight == 0)
        i++;
    CHECK_DEBUG(i < workload->operation_count);
    return i;
}

/* Call `step` of an arrival; false where it has no such call. */
static inline bool mix_find(const struct source *source, const struct ddbsim_arrival *arrival,
                            uint32_t step, struct call *out) {
    if (source->picks) {
        *out = (struct call){.operation = step == 0 ? mix_choose(source, arrival->choice) : 0};
        return step == 0;
    }
    if (!source->workload) return false;
    if (source->straight) {
        *out = (struct call){.operation = step, .place = step};
        return step < source->workload->operation_count;
    }
    return mix_find_several(source, arrival, step, out);
}

#endif
