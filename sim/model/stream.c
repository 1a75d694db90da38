/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Readers of streams. Sources: AWS developer guide, "Change data capture for DynamoDB Streams" (a record for each
 * change, in order inside a shard; deletes by TTL are marked as the service's; no read or write units of the
 * table); AWS Lambda guide (a shard is polled four times a second).
 */
#include <model/stream.h>

#include <stdlib.h>
#include <string.h>

#define SPAN_MOST_NS (60 * NS_PER_S) /* over which deletes by TTL are spread */
#define NOTHING INT64_MAX

bool stream_reader_init(struct stream_reader *reader, const struct ddbsim_workload *spec,
                        const struct ddbsim_assumptions *model, uint32_t slots) {
    *reader = (struct stream_reader){.which = spec->stream_records,
                                     .from_ns = spec->start_ns,
                                     .to_ns = spec->end_ns,
                                     .delay_ns = model->stream_delay_ns,
                                     .poll_ns = model->stream_poll_ns,
                                     .slots = slots,
                                     .next = NOTHING};
    CHECK(reader->poll_ns > 0 && slots > 0);
    reader->poll_count = (uint32_t)((reader->delay_ns + SPAN_MOST_NS) / reader->poll_ns + 4);
    reader->polls = calloc(reader->poll_count, sizeof *reader->polls);
    for (uint32_t i = 0; reader->polls && i < reader->poll_count; i++) {
        reader->polls[i].counts = calloc(slots, sizeof(uint32_t));
        if (!reader->polls[i].counts) return false;
    }
    return reader->polls != NULL;
}

void stream_reader_deinit(struct stream_reader *reader) {
    for (uint32_t i = 0; reader->polls && i < reader->poll_count; i++)
        free(reader->polls[i].counts);
    free(reader->polls);
    reader->polls = NULL;
}

bool stream_reader_grow(struct stream_reader *reader, uint32_t slots) {
    if (slots <= reader->slots) return true;
    slots = slots > 2 * reader->slots ? slots : 2 * reader->slots;
    for (uint32_t i = 0; i < reader->poll_count; i++) {
        uint32_t *grown = realloc(reader->polls[i].counts, slots * sizeof *grown);
        if (!grown) return false;
        memset(&grown[reader->slots], 0, (slots - reader->slots) * sizeof *grown);
        reader->polls[i].counts = grown;
    }
    reader->slots = slots;
    return true;
}

static struct stream_poll *poll_at(const struct stream_reader *reader, int64_t number) {
    return &reader->polls[number % reader->poll_count];
}

/* A reader that is no Lambda takes nothing in a pause: the two oldest polls become one, when both are long over. */
static void merge_oldest(struct stream_reader *reader) {
    struct stream_poll *oldest = poll_at(reader, reader->next),
                       *next = poll_at(reader, reader->next + 1);
    for (uint32_t slot = 0; slot < reader->slots; slot++) {
        next->counts[slot] += oldest->counts[slot];
        oldest->counts[slot] = 0;
    }
    next->records += oldest->records;
    oldest->records = 0;
    reader->next++;
    reader->cursor = 0;
}

/* Records that are there from a moment on. */
static void add(struct stream_reader *reader, uint32_t slot, uint32_t count, int64_t ready_ns) {
    int64_t number = (ready_ns + reader->poll_ns - 1) / reader->poll_ns;
    CHECK_DEBUG(slot < reader->slots);
    while (reader->next != NOTHING && number - reader->next >= reader->poll_count)
        merge_oldest(reader);
    struct stream_poll *poll = poll_at(reader, number);
    poll->counts[slot] += count;
    poll->records += count;
    if (number == reader->next && slot < reader->cursor) reader->cursor = slot;
    if (number >= reader->next) return;
    reader->next = number;
    reader->cursor = 0;
    loop_source_changed(reader->loop, reader->source);
}

static bool reads_at(const struct stream_reader *reader, int64_t now_ns) {
    return now_ns >= reader->from_ns && now_ns < reader->to_ns;
}

void stream_write(struct stream_reader *readers, uint32_t slot, int64_t now_ns) {
    for (struct stream_reader *reader = readers; reader; reader = reader->other)
        if (reader->which != DDBSIM_STREAM_TTL && reads_at(reader, now_ns))
            add(reader, slot, 1, now_ns + reader->delay_ns);
}

void stream_deletes(struct stream_reader *readers, uint32_t slot, int64_t count, int64_t span_ns,
                    int64_t now_ns) {
    CHECK(span_ns > 0 && span_ns <= SPAN_MOST_NS && count <= UINT32_MAX);
    for (struct stream_reader *reader = readers; reader; reader = reader->other) {
        if (reader->which == DDBSIM_STREAM_CALLERS || !reads_at(reader, now_ns)) continue;
        int64_t polls = larger(span_ns / reader->poll_ns, 1), before = 0;
        for (int64_t i = 0; i < polls; i++) {
            int64_t upto = (int64_t)((int128)count * (i + 1) / polls);
            if (upto > before)
                add(reader, slot, (uint32_t)(upto - before),
                    now_ns + reader->delay_ns + i * reader->poll_ns);
            before = upto;
        }
    }
}

int64_t stream_reader_peek(const struct stream_reader *reader) {
    return reader->next == NOTHING ? TIME_NEVER : reader->next * reader->poll_ns;
}

/* All of a poll is taken: the next one that has something. */
static void poll_over(struct stream_reader *reader) {
    int64_t first = reader->next + 1, end = reader->next + reader->poll_count;
    reader->next = NOTHING;
    reader->cursor = 0;
    for (int64_t number = first; number < end; number++)
        if (poll_at(reader, number)->records > 0) {
            reader->next = number;
            return;
        }
}

uint32_t stream_reader_take(struct stream_reader *reader, uint32_t most, uint32_t *slot,
                            int64_t *ready_ns) {
    CHECK(reader->next != NOTHING && most > 0);
    *ready_ns = reader->next * reader->poll_ns;
    struct stream_poll *poll = poll_at(reader, reader->next);
    CHECK(poll->records > 0);
    while (poll->counts[reader->cursor] == 0)
        reader->cursor++;
    CHECK(reader->cursor < reader->slots);
    *slot = reader->cursor;
    uint32_t *here = &poll->counts[reader->cursor];
    uint32_t count = *here < most ? *here : most;
    *here -= count;
    CHECK(count > 0 && count <= poll->records);
    poll->records -= count;
    if (poll->records == 0) poll_over(reader);
    return count;
}
