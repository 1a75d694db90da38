/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls at once: the branches of a fan (fan.h), each with a record of its own. */
#ifndef CLIENT_BRANCHES_H
#define CLIENT_BRANCHES_H

#include <client/caller.h>

/* The call `step` in the scratch record is several at once, or all calls of its arrival are. */
void begin_branches(struct caller *caller, uint32_t step, int64_t now_ns);
void begin_at_once(struct caller *caller, int64_t now_ns);
/* The answer of a branch's call, in the scratch record, is there. */
void branch_go_on(struct caller *caller, int64_t now_ns);
/* The loop's event: a branch begins, or is given up. */
void branches_on_event(void *context, int64_t now_ns, const struct loop_event *event);

#endif
