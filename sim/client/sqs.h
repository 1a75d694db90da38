/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A queue of messages, as SQS keeps a standard one: whoever receives messages has them to itself for the visibility
 * timeout; those that were not deleted by then are there again, and after so many receives become dead letters.
 * Rules M-115, M-116.
 *
 * A message lives until it is deleted or a dead letter and nobody works on it. Memory grows between events.
 */
#ifndef CLIENT_SQS_H
#define CLIENT_SQS_H

#include <base/types.h>
#include <ddbsim/workload.h>

#define SQS_NONE UINT32_MAX

enum sqs_place { SQS_NOWHERE, SQS_WAITING, SQS_IN_FLIGHT, SQS_LISTS };

struct sqs_link {
    uint32_t before, after;
};
struct sqs_list {
    uint32_t first, last, count;
};

struct sqs_message {
    struct ddbsim_arrival arrival;
    int64_t sent_ns, visible_ns; /* in flight: when it is there again */
    uint32_t receives;
    uint32_t holders; /* invocations that work on it */
    uint32_t works;   /* times that its work was done, or some of it */
    bool begun;       /* its work, at some time */
    struct sqs_link place_link, age_link;
    uint8_t place; /* enum sqs_place */
    bool gone;     /* deleted, or a dead letter */
};

struct sqs {
    const struct ddbsim_queue *spec;
    struct sqs_message *messages;
    uint32_t capacity, used, free_message;
    struct sqs_list
        lists[SQS_LISTS]; /* waiting, in flight: by the time at which they are there again */
    struct sqs_list ages; /* all that are not gone, the oldest first */
    const char *limit;    /* of this program, reached; NULL: none */
    uint64_t sent, received, deleted, dead_letters, duplicates;
};

bool sqs_init(struct sqs *queue, const struct ddbsim_queue *spec);
void sqs_deinit(struct sqs *queue);
/* Has it room for less than one more message? */
bool sqs_is_tight(const struct sqs *queue);
bool sqs_grow(struct sqs *queue);
void sqs_send(struct sqs *queue, const struct ddbsim_arrival *arrival, int64_t now_ns);
/* Up to `most` of those that wait, the longest first; how many. */
uint32_t sqs_receive(struct sqs *queue, uint32_t *out, uint32_t most, int64_t now_ns);
/* Its work begins; had it begun before? */
bool sqs_begin(struct sqs *queue, uint32_t message);
/* Its work, or some of it, was done once more. */
void sqs_worked(struct sqs *queue, uint32_t message);
/* Whoever received it is done with it; `deletes`: it is gone for good. */
void sqs_let_go(struct sqs *queue, uint32_t message, bool deletes);
/* When a message in flight is there again; TIME_NEVER: none is in flight. */
int64_t sqs_return_ns(const struct sqs *queue);
/* Those that are due wait again, or are dead letters. */
void sqs_return(struct sqs *queue, int64_t now_ns);
static inline uint32_t sqs_waiting(const struct sqs *queue) {
    return queue->lists[SQS_WAITING].count;
}
/* How long the oldest message has been there; 0 without one. */
int64_t sqs_oldest_ns(const struct sqs *queue, int64_t now_ns);

#endif
