/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls at once (branches.h). */
#include <client/branches.h>

#include <client/arrivals.h>
#include <client/calls.h>

static void fan_launch(struct simulation *s, uint32_t number, int64_t now_ns) {
    s->fans.all[number].launching = true;
    loop_schedule(s->loop, now_ns, LOOP_RETRY, EVENT_BRANCH, number, BRANCH_BEGIN);
}

/* Calls at once, each begun by an event of its own, since an event may schedule only so many. */
static void fan_begin(struct caller *caller, const struct fan *fan, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    uint32_t number = fans_take(&s->fans);
    CHECK(fan->parallel > 0 && fan->branches > 0);
    s->fans.all[number] = *fan;
    s->fans.all[number].arrival = s->scratch.arrival;
    s->fans.all[number].first_ns = now_ns;
    s->fans.all[number].workload = (uint32_t)(caller - s->callers);
    if (fans_are_tight(&s->fans)) loop_request_between(s->loop);
    fan_launch(s, number, now_ns);
}

void begin_branches(struct caller *caller, uint32_t step, int64_t now_ns) {
    const struct ddbsim_request *request = &caller->simulation->scratch.request;
    struct fan fan = {.step = step,
                      .more = request->more,
                      .branches = request->branches,
                      .parallel = request->parallel};
    fan_begin(caller, &fan, now_ns);
}

void begin_at_once(struct caller *caller, int64_t now_ns) {
    struct fan all = {.is_sequence = true, .branches = UINT32_MAX, .parallel = UINT32_MAX};
    fan_begin(caller, &all, now_ns);
}

/* A branch has its last answer, or was given up. */
static void branch_over(struct simulation *s, uint32_t number, int64_t now_ns) {
    struct fan *fan = &s->fans.all[number];
    struct caller *caller = &s->callers[fan->workload];
    if (fan_has_next(fan)) fan_launch(s, number, now_ns);
    if (!fan_is_over(fan)) return;
    struct fan over = *fan;
    fans_release(&s->fans, number);
    s->scratch.arrival = over.arrival;
    s->scratch.has_arrival = true;
    if (over.failed)
        arrival_over(caller, false, now_ns);
    else if (over.is_sequence && over.begun == 0 && caller->spec->vus > 0)
        crew_schedule(caller, now_ns + EMPTY_ARRIVAL_NS, CREW_OVER);
    else
        arrival_go_on(caller, over.is_sequence ? UINT32_MAX : over.step + 1 + over.more, now_ns);
}

/* Describes the next branch in the scratch record; false where a sequence has no further call. */
static bool branch_describe(struct caller *caller, struct fan *fan, int64_t now_ns) {
    struct record *record = &caller->simulation->scratch;
    struct ddbsim_source *source = &caller->source;
    if (!fan->is_sequence)
        return source->shard(source->self, &fan->arrival, fan->step, fan->begun, now_ns,
                             &record->request);
    if (!source->request(source->self, &fan->arrival, fan->step, now_ns, &record->request))
        return false;
    fan->step += 1 + record->request.more;
    return true;
}

static void branch_begin(struct simulation *s, uint32_t number, int64_t now_ns) {
    struct fan *fan = &s->fans.all[number];
    struct caller *caller = &s->callers[fan->workload];
    struct record *record = &s->scratch;
    CHECK(fan->launching && fan->begun < fan->branches);
    fan->launching = false;
    if (fan->failed || !branch_describe(caller, fan, now_ns)) {
        fan->branches = fan->begun;
        branch_over(s, number, now_ns);
        return;
    }
    record->arrival = fan->arrival;
    record->has_arrival = true;
    record->fan = number;
    record->branch = fan->begun++;
    record->page = 0;
    if (fan_has_next(fan)) fan_launch(s, number, now_ns);
    call_begin(caller, now_ns);
}

/* The first page of the last shard: from here on the sorted whole can be given out. */
static void branch_first(struct caller *caller, struct fan *fan, int64_t now_ns) {
    if (++fan->firsts < fan->branches || fan->is_sequence || !caller->times) return;
    hist_add(&caller->times->first_page, (uint64_t)((now_ns - fan->first_ns) / NS_PER_US));
}

void branch_go_on(struct caller *caller, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    struct record *record = &s->scratch;
    uint32_t number = record->fan;
    struct fan *fan = &s->fans.all[number];
    bool scans = record->request.kind == DDBSIM_SCAN;
    if (record->page == 0 && !scans) branch_first(caller, fan, now_ns);
    if (record->reads_on) {
        page_go_on(caller, record, now_ns);
        return;
    }
    uint32_t step = record->request.step + 1;
    if (record->request.more > 0 &&
        (fan->is_sequence ? caller->source.request(caller->source.self, &record->arrival, step,
                                                   now_ns, &record->request)
                          : caller->source.shard(caller->source.self, &record->arrival, step,
                                                 record->branch, now_ns, &record->request))) {
        record->page++;
        call_begin(caller, now_ns);
        return;
    }
    fan->over++;
    branch_over(s, number, now_ns);
}

void branches_on_event(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    uint32_t number = (uint32_t)event->a;
    if (event->b == BRANCH_BEGIN) {
        branch_begin(s, number, now_ns);
        return;
    }
    CHECK(event->b == BRANCH_LOST && number < s->fans.capacity);
    s->fans.all[number].failed = true;
    s->fans.all[number].over++;
    branch_over(s, number, now_ns);
}
