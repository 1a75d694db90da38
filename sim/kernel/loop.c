/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time and dispatch.
 *
 * Pending events are keys in the event set and payloads in a slab of as many slots; free slots form
 * a list through their payloads. The next source is found by a tournament: a complete binary tree
 * whose node holds the number of the earlier of its two children, the lower number at equal time,
 * so that a source that moves costs one comparison a level: none for one source, ten for a
 * thousand.
 *
 * While an event is dispatched its key stays at the heap's root as a vacancy. The first event that
 * the handler schedules takes the vacancy in one sift; most handlers schedule one event, and so the
 * usual pop and push are one step. Keys are totally ordered, so this changes no order.
 *
 * Invariants: now_ns never decreases; before a dispatch there is room for LOOP_EVENTS_PER_DISPATCH
 * more; pending events and free slots add up to the slots; times[i] is what source i answered last.
 */
#include <kernel/loop.h>

#include <base/check.h>
#include <base/error.h>
#include <base/vector.h>
#include <stdlib.h>

#define NO_SLOT UINT32_MAX
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

struct loop {
    int64_t now_ns;
    uint64_t arrived;        /* dispatched arrivals */
    uint64_t sequence_limit; /* the handler at work may schedule up to here; 0: there is none */
    struct queue queue;
    struct loop_event *slots;
    uint32_t free_slot; /* head of the list through the payloads' b */
    bool vacancy;       /* the root's key is that of the event being dispatched */
    bool running, between_requested, out_of_memory;
    bool dispatching;     /* events: neither between runs nor between events */
    bool attention;       /* something must happen before the next dispatch: see attend */
    size_t slot_capacity; /* slots allocated */
    void *context;
    bool (*between)(void *context);
    loop_handler_fn *handlers[LOOP_KINDS_MAX];
    loop_soon_fn *soon[LOOP_KINDS_MAX];
    /* The tournament: node 1 is the root, the children of i are 2i and 2i + 1, leaf i is
     * leaves + i. */
    uint32_t source_count, leaves;
    uint32_t tree[2 * LOOP_SOURCES_MAX];
    int64_t times[LOOP_SOURCES_MAX];
    int64_t arrival_ns; /* of the source that is next */
    struct loop_source *sources;
    size_t source_capacity;
};

_Static_assert((LOOP_SOURCES_MAX & (LOOP_SOURCES_MAX - 1)) == 0,
               "the tournament's tree is complete");
_Static_assert(sizeof(struct loop_event) == 16, "four payloads a cache line");
_Static_assert(LOOP_RETRY < 16, "a class has four bits in a key");

/* Stands where no handler was registered, so that a dispatch needs no test. */
_Noreturn static void handle_unknown(void *context, int64_t now_ns,
                                     const struct loop_event *event) {
    (void)context;
    (void)now_ns;
    (void)event;
    check_failed(__FILE__, __LINE__, "an event's kind has a handler");
}

struct loop *loop_create(void *context, int64_t start_ns) {
    CHECK(start_ns >= QUEUE_TIME_MIN && start_ns < QUEUE_TIME_END);
    struct loop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    queue_init(&loop->queue);
    loop->context = context;
    loop->now_ns = start_ns;
    loop->free_slot = NO_SLOT;
    loop->leaves = 1;
    loop->arrival_ns = TIME_NEVER;
    for (size_t i = 0; i < LOOP_SOURCES_MAX; i++)
        loop->times[i] = TIME_NEVER;
    for (size_t i = 0; i < LOOP_KINDS_MAX; i++)
        loop->handlers[i] = handle_unknown;
    return loop;
}

void loop_destroy(struct loop *loop) {
    if (!loop) return;
    CHECK(!loop->running);
    queue_deinit(&loop->queue);
    free(loop->slots);
    free(loop->sources);
    free(loop);
}

void loop_handle(struct loop *loop, uint32_t kind, loop_handler_fn *handler) {
    CHECK(kind < LOOP_KINDS_MAX && handler != NULL);
    loop->handlers[kind] = handler;
}

static void tell_soon(void *context, uint32_t slot) {
    const struct loop *loop = context;
    const struct loop_event *event = &loop->slots[slot];
    if (loop->soon[event->kind]) loop->soon[event->kind](loop->context, event);
}

void loop_fetch(struct loop *loop, uint32_t kind, loop_soon_fn *soon) {
    CHECK(kind < LOOP_KINDS_MAX && soon != NULL);
    loop->soon[kind] = soon;
    loop->queue.soon = tell_soon;
    loop->queue.soon_context = loop;
}

void loop_set_between(struct loop *loop, bool (*between)(void *context)) {
    loop->between = between;
}

void loop_request_between(struct loop *loop) {
    CHECK(loop->between != NULL);
    loop->between_requested = loop->attention = true;
}

int64_t loop_now(const struct loop *loop) { return loop->now_ns; }

/* Every event that was scheduled and pends no more, and the one at work. */
uint64_t loop_event_count(const struct loop *loop) {
    return loop->arrived + loop->queue.sequence - loop->queue.count + loop->vacancy;
}

/* ---- Sources ---- */

/* Decides the match at a node of the tournament. */
static inline void play(struct loop *loop, uint32_t node) {
    uint32_t left = loop->tree[2 * node], right = loop->tree[2 * node + 1];
    loop->tree[node] = loop->times[right] < loop->times[left] ? right : left;
}

/* A source with another next time plays its matches up to the root; returns when the next arrival is. */
static inline int64_t move_source(struct loop *loop, uint32_t number, int64_t time_ns) {
    CHECK(time_ns >= loop->now_ns);
    loop->times[number] = time_ns;
    if (loop->leaves > 1) {
        for (uint32_t node = (loop->leaves + number) / 2; node > 0; node /= 2)
            play(loop, node);
        time_ns = loop->times[loop->tree[1]];
    }
    loop->arrival_ns = time_ns;
    return time_ns;
}

static void ask_source(struct loop *loop, uint32_t number) {
    const struct loop_source *source = &loop->sources[number];
    move_source(loop, number, source->peek(source->self));
}

/* A tree of twice the leaves, every match played anew. */
static void plant_tree(struct loop *loop, uint32_t leaves) {
    CHECK(leaves <= LOOP_SOURCES_MAX && loop->source_count <= leaves);
    loop->leaves = leaves;
    for (uint32_t i = 0; i < leaves; i++)
        loop->tree[leaves + i] = i;
    for (uint32_t node = leaves - 1; node > 0; node--)
        play(loop, node);
}

bool loop_add_source(struct loop *loop, const struct loop_source *source) {
    CHECK(source->peek != NULL && source->fire != NULL && !loop->running);
    CHECK(loop->source_count < LOOP_SOURCES_MAX);
    if (!vector_reserve((void **)&loop->sources, &loop->source_capacity, loop->source_count + 1,
                        sizeof *loop->sources))
        return false;
    if (loop->source_count == loop->leaves) plant_tree(loop, 2 * loop->leaves);
    loop->sources[loop->source_count] = *source;
    ask_source(loop, loop->source_count++);
    return true;
}

void loop_source_changed(struct loop *loop, uint32_t number) {
    CHECK(number < loop->source_count);
    ask_source(loop, number);
}

/* ---- Memory ---- */

/* Room for `extra` more events: keys, and slots threaded on the free list in ascending order. */
static bool make_room(struct loop *loop, size_t extra) {
    size_t old = loop->slot_capacity;
    if (!queue_reserve(&loop->queue, extra)) return false;
    if (!vector_reserve((void **)&loop->slots, &loop->slot_capacity, loop->queue.count + extra,
                        sizeof *loop->slots))
        return false;
    for (size_t i = loop->slot_capacity; i-- > old;) {
        loop->slots[i].b = loop->free_slot;
        loop->free_slot = (uint32_t)i;
    }
    return true;
}

static inline bool has_room(const struct loop *loop) {
    return loop->queue.count + LOOP_EVENTS_PER_DISPATCH <= loop->slot_capacity;
}

/* Whatever must happen between two events; apart from the run's loop because it seldom does. What is called
 * may schedule events of its own, and then it makes the room for them, so the room is looked at once more. */
static enum ddbsim_status attend(struct loop *loop, struct ddbsim_error *error) {
    if (!has_room(loop) && !make_room(loop, LOOP_EVENTS_PER_DISPATCH)) return error_memory(error);
    loop->attention = loop->between_requested;
    if (!loop->between_requested) return DDBSIM_OK;
    loop->sequence_limit = 0;
    loop->between_requested = false;
    loop->dispatching = false;
    bool good = loop->between(loop->context);
    loop->dispatching = true;
    if (loop->out_of_memory) return error_memory(error);
    if (good) return DDBSIM_OK;
    loop->between_requested = true;
    return error_set(error, DDBSIM_ENVIRONMENT, "the run could not continue");
}

/* ---- Scheduling ---- */

/* Takes a slot for an event. */
static inline uint32_t store_event(struct loop *loop, uint32_t kind, uint64_t a, uint32_t b) {
    uint32_t slot = loop->free_slot;
    CHECK_DEBUG(slot != NO_SLOT);
    struct loop_event *event = &loop->slots[slot];
    loop->free_slot = event->b;
    *event = (struct loop_event){.kind = kind, .b = b, .a = a};
    return slot;
}

/* Between events and between runs nobody has made room: make it here and remember a failure. */
static bool make_room_between(struct loop *loop) {
    CHECK(!loop->dispatching); /* or else a handler schedules more than it may */
    if (loop->free_slot == NO_SLOT && !loop->out_of_memory)
        loop->out_of_memory = !make_room(loop, 1);
    return !loop->out_of_memory;
}

/* Apart, so that the usual way, into the vacancy, is short and needs no stack. */
__attribute__((noinline)) static void push_event(struct loop *loop, int64_t time_ns,
                                                 enum loop_class class, uint32_t kind, uint64_t a,
                                                 uint32_t b) {
    if (UNLIKELY(loop->queue.sequence >= loop->sequence_limit) && !make_room_between(loop)) return;
    queue_push(&loop->queue, time_ns, (uint32_t) class, store_event(loop, kind, a, b));
    loop->attention |= !has_room(loop);
}

void loop_schedule(struct loop *loop, int64_t time_ns, enum loop_class class, uint32_t kind,
                   uint64_t a, uint32_t b) {
    CHECK(time_ns >= loop->now_ns && time_ns < QUEUE_TIME_END);
    CHECK(kind < LOOP_KINDS_MAX);
    if (!loop->vacancy) {
        push_event(loop, time_ns, class, kind, a, b);
        return;
    }
    loop->vacancy = false;
    queue_replace(&loop->queue, time_ns, (uint32_t) class, store_event(loop, kind, a, b));
}

/* ---- Dispatch ---- */

static inline void dispatch_event(struct loop *loop, int64_t time_ns) {
    uint32_t slot = queue_key_slot(loop->queue.keys[0]);
    struct loop_event *event = &loop->slots[slot];
    CHECK_DEBUG(time_ns >= loop->now_ns);
    loop->now_ns = time_ns;
    loop->vacancy = true;
    /* Handed over where it lies: a copy would wait for stores that have just been made. */
    loop->handlers[event->kind](loop->context, time_ns, event);
    event->b = loop->free_slot;
    loop->free_slot = slot;
    if (loop->vacancy) {
        loop->vacancy = false;
        queue_drop(&loop->queue);
    }
}

static inline int64_t dispatch_arrival(struct loop *loop, int64_t time_ns) {
    uint32_t number = loop->tree[1];
    const struct loop_source *source = &loop->sources[number];
    CHECK_DEBUG(time_ns >= loop->now_ns);
    loop->now_ns = time_ns;
    loop->arrived++;
    return move_source(loop, number, source->fire(source->self, time_ns));
}

/* Dispatches until nothing is due. What an arrival answers stays at hand: the next choice waits for it. */
static enum ddbsim_status dispatch_due(struct loop *loop, int64_t until_ns,
                                       struct ddbsim_error *error) {
    int64_t arrival_ns = loop->arrival_ns;
    for (;;) {
        if (UNLIKELY(loop->attention)) {
            enum ddbsim_status status = attend(loop, error);
            if (status != DDBSIM_OK) return status;
            arrival_ns = loop->arrival_ns;
            continue;
        }
        int64_t event_ns = queue_next_time(&loop->queue);
        loop->sequence_limit = loop->queue.sequence + LOOP_EVENTS_PER_DISPATCH;
        if (event_ns <= arrival_ns) {
            if (event_ns > until_ns) return DDBSIM_OK;
            dispatch_event(loop, event_ns);
            arrival_ns = loop->arrival_ns;
        } else {
            if (arrival_ns > until_ns) return DDBSIM_OK;
            arrival_ns = dispatch_arrival(loop, arrival_ns);
        }
    }
}

enum ddbsim_status loop_run(struct loop *loop, int64_t until_ns, struct ddbsim_error *error) {
    CHECK(!loop->running);
    CHECK(until_ns >= loop->now_ns && until_ns < QUEUE_TIME_END);
    if (loop->out_of_memory) return error_memory(error);
    loop->running = loop->dispatching = loop->attention = true;
    enum ddbsim_status status = dispatch_due(loop, until_ns, error);
    loop->running = loop->dispatching = false;
    loop->sequence_limit = 0;
    if (status == DDBSIM_OK) loop->now_ns = until_ns;
    return status;
}
