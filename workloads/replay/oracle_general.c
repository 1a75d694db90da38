/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libCacheSim's oracleGeneral: records of 24 bytes, little-endian and packed, of time in seconds (32 bits), object (64
 * bits), size in bytes (32 bits) and the number of the object's next request (64 bits, signed), which is not taken.
 * An object's number in decimal is the key. It does not say what was done.
 */
#include <base/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/replay/reader.h>

#define RECORD_BYTES 24
#define LOOKED_AT 64    /* records, to tell the format */
#define NEXT_LEAST (-2) /* a next request that there is none of is -1, or -2 */
#define SIZE_MOST (1u << 31)

struct oracle {
    uint64_t records;
    char key[24];
};

struct record {
    uint32_t time_s, bytes;
    uint64_t object;
    int64_t next;
};

static uint64_t little_endian(const unsigned char *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static struct record decode(const unsigned char *bytes) {
    return (struct record){
        .time_s = (uint32_t)little_endian(bytes, 4),
        .object = little_endian(bytes + 4, 8),
        .bytes = (uint32_t)little_endian(bytes + 12, 4),
        .next = (int64_t)little_endian(bytes + 16, 8),
    };
}

static enum ddbsim_status oracle_open(struct reader *reader, struct ddbsim_error *error) {
    reader->state = calloc(1, sizeof(struct oracle));
    return reader->state ? DDBSIM_OK : error_memory(error);
}

static void oracle_close(struct reader *reader) {
    free(reader->state);
    reader->state = NULL;
}

static enum ddbsim_status oracle_next(struct reader *reader, struct recorded *row,
                                      enum reader_outcome *outcome, struct ddbsim_error *error) {
    struct oracle *oracle = reader->state;
    unsigned char bytes[RECORD_BYTES];
    size_t got;
    enum ddbsim_status status = feed_bytes(reader->feed, bytes, sizeof bytes, &got, error);
    *outcome = READER_END;
    if (status || got == 0) return status;
    row->line = reader->bad_line = ++oracle->records;
    if (got < sizeof bytes)
        return reader_fail(reader, row->line, error,
                           "the file ends within a record: this one has %zu bytes of %d", got,
                           RECORD_BYTES);
    struct record record = decode(bytes);
    struct decimal seconds = {.mantissa = record.time_s};
    row->key = oracle->key;
    row->key_bytes = (uint32_t)snprintf(oracle->key, sizeof oracle->key, "%" PRIu64, record.object);
    row->item_bytes = record.bytes;
    const char *why = stamp_read_decimal(&reader->clock, &seconds, &row->t_ns);
    if (why) (void)reader_bad(reader, "the time %u %s", record.time_s, why);
    *outcome = why ? READER_BAD : READER_ROW;
    return DDBSIM_OK;
}

/* Whole records, in order of time, whose numbers are such as the format has. Text has no NUL. */
static int oracle_recognise(const struct reader_head *head) {
    const unsigned char *bytes = (const unsigned char *)head->bytes;
    size_t count = head->length / RECORD_BYTES;
    if (count == 0 || (head->is_whole && head->length % RECORD_BYTES != 0)) return 0;
    if (!memchr(head->bytes, '\0', RECORD_BYTES)) return 0;
    uint32_t last_s = 0;
    for (size_t i = 0; i < count && i < LOOKED_AT; i++) {
        struct record record = decode(bytes + i * RECORD_BYTES);
        if (record.time_s < last_s || record.bytes > SIZE_MOST || record.next < NEXT_LEAST)
            return 0;
        last_s = record.time_s;
    }
    return 60;
}

const struct recording_format format_oracle_general = {
    .name = "oracle-general",
    .what = "libCacheSim's oracleGeneral: binary records of time, object, size, next request",
    .recognise = oracle_recognise,
    .open = oracle_open,
    .next = oracle_next,
    .close = oracle_close,
};
