/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models a standard SQS queue. Sources: Amazon SQS developer guide, visibility timeout (it begins with the receive;
 * a message that was not deleted can be received again) and dead-letter queues (a message received maxReceiveCount
 * times without being deleted is moved). SQS moves it when it would be received once more; here at the moment from
 * which on it could be.
 * Invariants: sent = deleted + dead letters + those in a list or held; a list's count is the length of its chain.
 */
#include <client/sqs.h>

#include <base/check.h>
#include <kernel/loop.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES_MAX (1u << 21)

static void list_init(struct sqs_list *list) { *list = (struct sqs_list){SQS_NONE, SQS_NONE, 0}; }

bool sqs_init(struct sqs *queue, const struct ddbsim_queue *spec) {
    CHECK(spec->visibility_timeout_ns > 0 && spec->max_receive_count >= 1);
    *queue = (struct sqs){.spec = spec, .free_message = SQS_NONE};
    for (int i = 0; i < SQS_LISTS; i++)
        list_init(&queue->lists[i]);
    list_init(&queue->ages);
    return sqs_grow(queue);
}

void sqs_deinit(struct sqs *queue) { free(queue->messages); }

bool sqs_is_tight(const struct sqs *queue) { return queue->used == queue->capacity; }

bool sqs_grow(struct sqs *queue) {
    uint32_t capacity = queue->capacity ? 2 * queue->capacity : 256;
    if (capacity > MESSAGES_MAX) {
        queue->limit = "more than 2,097,152 messages are in one queue";
        return false;
    }
    struct sqs_message *messages = realloc(queue->messages, capacity * sizeof *messages);
    if (!messages) return false;
    queue->messages = messages;
    for (uint32_t i = capacity; i-- > queue->capacity;) {
        messages[i].place_link.after = queue->free_message;
        queue->free_message = i;
    }
    queue->capacity = capacity;
    return true;
}

/* ---- lists ---- */

/* The link that a message has in its place's list, or in that of ages. */
static struct sqs_link *link_of(struct sqs *queue, uint32_t message, bool by_age) {
    CHECK_DEBUG(message < queue->capacity);
    struct sqs_message *m = &queue->messages[message];
    return by_age ? &m->age_link : &m->place_link;
}

static void append(struct sqs *queue, struct sqs_list *list, uint32_t message, bool by_age) {
    *link_of(queue, message, by_age) = (struct sqs_link){list->last, SQS_NONE};
    if (list->count++ == 0)
        list->first = message;
    else
        link_of(queue, list->last, by_age)->after = message;
    list->last = message;
}

static void detach(struct sqs *queue, struct sqs_list *list, uint32_t message, bool by_age) {
    struct sqs_link link = *link_of(queue, message, by_age);
    CHECK(list->count > 0);
    list->count--;
    if (link.before == SQS_NONE)
        list->first = link.after;
    else
        link_of(queue, link.before, by_age)->after = link.after;
    if (link.after == SQS_NONE)
        list->last = link.before;
    else
        link_of(queue, link.after, by_age)->before = link.before;
}

static void put(struct sqs *queue, uint32_t message, enum sqs_place place) {
    struct sqs_message *m = &queue->messages[message];
    if (m->place != SQS_NOWHERE) detach(queue, &queue->lists[m->place], message, false);
    m->place = (uint8_t)place;
    if (place != SQS_NOWHERE) append(queue, &queue->lists[place], message, false);
}

/* ---- messages ---- */

void sqs_send(struct sqs *queue, const struct ddbsim_arrival *arrival, int64_t now_ns) {
    uint32_t message = queue->free_message;
    CHECK(message != SQS_NONE);
    queue->free_message = queue->messages[message].place_link.after;
    queue->used++;
    queue->messages[message] = (struct sqs_message){.arrival = *arrival, .sent_ns = now_ns};
    append(queue, &queue->ages, message, true);
    put(queue, message, SQS_WAITING);
    queue->sent++;
}

static void forget(struct sqs *queue, uint32_t message) {
    struct sqs_message *m = &queue->messages[message];
    if (!m->gone || m->holders > 0) return;
    CHECK_DEBUG(m->place == SQS_NOWHERE && queue->used > 0);
    m->place_link.after = queue->free_message;
    queue->free_message = message;
    queue->used--;
}

static void leave(struct sqs *queue, uint32_t message) {
    struct sqs_message *m = &queue->messages[message];
    CHECK(!m->gone);
    put(queue, message, SQS_NOWHERE);
    detach(queue, &queue->ages, message, true);
    m->gone = true;
}

uint32_t sqs_receive(struct sqs *queue, uint32_t *out, uint32_t most, int64_t now_ns) {
    uint32_t count = 0;
    for (; count < most && sqs_waiting(queue) > 0; count++) {
        uint32_t message = queue->lists[SQS_WAITING].first;
        struct sqs_message *m = &queue->messages[message];
        m->receives++;
        m->holders++;
        m->visible_ns = now_ns + queue->spec->visibility_timeout_ns;
        put(queue, message, SQS_IN_FLIGHT);
        out[count] = message;
    }
    CHECK(count <= most);
    queue->received += count;
    return count;
}

bool sqs_begin(struct sqs *queue, uint32_t message) {
    struct sqs_message *m = &queue->messages[message];
    CHECK(m->holders > 0);
    bool again = m->begun;
    m->begun = true;
    return again;
}

void sqs_worked(struct sqs *queue, uint32_t message) {
    struct sqs_message *m = &queue->messages[message];
    CHECK(m->holders > 0);
    if (m->works++ > 0) queue->duplicates++;
}

void sqs_let_go(struct sqs *queue, uint32_t message, bool deletes) {
    struct sqs_message *m = &queue->messages[message];
    CHECK(m->holders > 0);
    m->holders--;
    if (deletes && !m->gone) {
        leave(queue, message);
        queue->deleted++;
    }
    forget(queue, message);
}

int64_t sqs_return_ns(const struct sqs *queue) {
    uint32_t first = queue->lists[SQS_IN_FLIGHT].first;
    return first == SQS_NONE ? TIME_NEVER : queue->messages[first].visible_ns;
}

void sqs_return(struct sqs *queue, int64_t now_ns) {
    while (sqs_return_ns(queue) <= now_ns) {
        uint32_t message = queue->lists[SQS_IN_FLIGHT].first;
        CHECK(queue->messages[message].receives >= 1 && !queue->messages[message].gone);
        if (queue->messages[message].receives < queue->spec->max_receive_count) {
            put(queue, message, SQS_WAITING);
            continue;
        }
        leave(queue, message);
        queue->dead_letters++;
        forget(queue, message);
    }
}

int64_t sqs_oldest_ns(const struct sqs *queue, int64_t now_ns) {
    if (queue->ages.count == 0) return 0;
    return now_ns - queue->messages[queue->ages.first].sent_ns;
}
