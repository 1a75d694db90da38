/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models the playing of a recording (tape.h). Rows become frames: all rows of one moment, or of one period. A frame's
 * arrivals lie in its span: those of a moment that is known to a second, say, evenly and in the file's order (M-122);
 * those of a period evenly where the workload is paced, else as a Poisson process would have them that is known to
 * have brought just so many (M-123).
 *
 * Invariants: times never decrease; the rows of a period give as many arrivals as they count, times the scale, and what
 * is left of a whole one is carried to the next period; of a row of a moment a draw decides. Draws are made in the order
 * of rows and arrivals, from streams that are named after the workload.
 */
#include <workloads/replay/tape.h>

#include <base/check.h>
#include <base/dmath.h>
#include <base/error.h>
#include <base/hash.h>
#include <base/rng.h>
#include <base/vector.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MAX 1e15 /* arrivals of one frame */
#define MOST_PER_S 1e7 /* arrivals */
#define TIME_MOST_NS (INT64_MAX / 2)

/* A row as it is kept until its arrivals have come. */
struct tape_row {
    int64_t t_ns, period_ns; /* in the recording's time, rounds one after the other */
    double count;            /* of the frame at hand: arrivals that are left */
    double each;             /* requests that it was recorded for; what is more are copies */
    uint64_t given;          /* arrivals so far */
    struct ddbsim_row row;
    int operation;
};

struct frame {
    struct tape_row *rows;
    uint64_t *sums; /* a tree of partial sums (Fenwick, 1994) over what is left of each row */
    size_t row_room, sum_room;
    uint32_t count;
    bool of_moment;
    int64_t from_ns, span_ns; /* in the run's time */
    uint64_t left, all;       /* arrivals to come, and of the whole frame */
    uint32_t row;             /* of a moment: whose arrivals come now */
    double at;                /* of a period: how far it is, 0..1 */
};

struct tape {
    struct tape_options options;
    const struct ddbsim_replay *replay;
    struct recording *recording;
    struct recording_facts facts;
    struct ddbsim_error error;
    struct tape_counts counts;
    struct rng draws, samples;
    uint64_t shuffle_stream;
    uint32_t work; /* bits: operations that the workload does */
    double scale;
    double carry[DDBSIM_OPERATION_KINDS +
                 1];            /* parts of arrivals of periods; the last: of no operation */
    uint64_t attempts;          /* refused rows a request */
    int64_t from_ns, to_ns;     /* the part that is replayed, in the recording's time */
    int64_t origin_ns, onto_ns; /* this moment of the recording is that one of the run */
    int64_t first_ns, last_ns, last_end_ns; /* of one round */
    bool began, has_key;                    /* has_key: the first row that is replayed */
    int64_t resume_ns;                      /* before it the scale was 0: nothing comes */
    int64_t shift_ns;                       /* of all rounds before it */
    bool ended;                             /* no row comes any more */
    struct tape_row *block;                 /* rows that are read and not yet in a frame */
    size_t block_room;
    uint32_t block_count, block_at;
    uint64_t blocks;
    struct frame frame;
    int64_t next_ns;
};

static double smaller_count(double count) { return count < COUNT_MAX ? count : COUNT_MAX; }

static int64_t row_length(const struct tape *tape, int64_t period_ns) {
    return period_ns > 0 ? period_ns : tape->facts.resolution_ns;
}

/* ---- time ---- */

/* The recording's time in the run's. */
static int64_t run_time(const struct tape *tape, int64_t t_ns) {
    int128 since = (int128)t_ns - tape->origin_ns;
    int128 at = tape->onto_ns + since * NANO / tape->replay->speed;
    return at > TIME_MOST_NS ? TIME_MOST_NS : at < -TIME_MOST_NS ? -TIME_MOST_NS : (int64_t)at;
}

static int64_t recorded_moment(const struct tape *tape, int64_t moment_ns) {
    const struct ddbsim_scenario *scenario = tape->options.scenario;
    return tape->facts.is_absolute ? scenario->start_unix_s * NS_PER_S + moment_ns : moment_ns;
}

/* A recording that lies in the scenario's time stands where it stood; any other begins with the workload. */
static void anchor(struct tape *tape, int64_t first_ns) {
    const struct ddbsim_scenario *scenario = tape->options.scenario;
    const struct ddbsim_workload *workload = tape->options.workload;
    bool windowed = tape->replay->from_ns != DDBSIM_NO_TIME;
    int64_t begin_ns = windowed ? tape->from_ns : first_ns;
    int64_t start_ns = recorded_moment(tape, 0),
            end_ns = recorded_moment(tape, scenario->duration_ns);
    bool stands = tape->facts.is_absolute && begin_ns >= start_ns && begin_ns < end_ns;
    tape->onto_ns = workload->start_ns;
    tape->origin_ns = stands ? start_ns + workload->start_ns : begin_ns;
}

/* ---- rows ---- */

static bool stop(struct tape *tape) {
    tape->ended = true;
    return false;
}

/* Rounds one after the other. Nothing lies so far ahead that more could be added to it. */
static int64_t shifted(const struct tape *tape, int64_t t_ns) {
    int128 at = (int128)t_ns + tape->shift_ns;
    return at < TIME_MOST_NS ? (int64_t)at : TIME_MOST_NS;
}

/* Line 0: none. */
static bool fail(struct tape *tape, uint64_t line, const char *message) {
    error_set(&tape->error, DDBSIM_INPUT, "%s", message);
    error_place(&tape->error, tape->replay->file, line <= INT32_MAX ? (int)line : 0, 0);
    return stop(tape);
}

static bool fail_memory(struct tape *tape) {
    error_memory(&tape->error);
    return stop(tape);
}

/* Which table a row is about; a recording of many tables is replayed by a workload for each. */
static bool is_of_table(struct tape *tape, const struct recorded *row, bool *known) {
    const struct ddbsim_scenario *scenario = tape->options.scenario;
    *known = true;
    if (!row->table) return true;
    const struct ddbsim_workload *workload = tape->options.workload;
    for (uint32_t t = 0; t < scenario->table_count; t++) {
        if (strcmp(scenario->tables[t].name, row->table) != 0) continue;
        for (uint32_t o = 0; o < workload->operation_count; o++)
            if (workload->operations[o].table == t) return true;
        return false;
    }
    *known = false;
    return false;
}

/* Of refused rows only one in so many is a request: the others are its further attempts (M-124). Which one is drawn, since
 * rows may come in an order of their own. */
static bool is_request(struct tape *tape, const struct recorded *row) {
    if (!row->throttled || tape->replay->throttled_are_requests) return true;
    return draw_below(rng_next(&tape->samples), tape->attempts) == 0;
}

enum verdict { ROW_KEEP, ROW_SKIP, ROW_BAD };

static enum verdict judge(struct tape *tape, const struct recorded *row) {
    bool known;
    bool ours = is_of_table(tape, row, &known);
    if (!known && !tape->replay->skip_bad_rows) return ROW_BAD;
    if (!ours) {
        tape->counts.other_table++;
        return ROW_SKIP;
    }
    if (row->operation >= 0 && !(tape->work >> row->operation & 1)) {
        tape->counts.other_work++;
        return ROW_SKIP;
    }
    if (!is_request(tape, row)) {
        tape->counts.attempts++;
        return ROW_SKIP;
    }
    if (tape->replay->sample < NANO &&
        !draw_share(rng_next(&tape->samples), tape->replay->sample)) {
        tape->counts.sampled_out++;
        return ROW_SKIP;
    }
    return ROW_KEEP;
}

/* A sort key's place: its first two bytes, then its digits as one number. Keys of one prefix that differ in a number
 * or a time keep their order (M-125). */
static uint64_t sort_place(const char *text, uint32_t bytes) {
    uint64_t place = 0, digits = 0, number = 0;
    for (uint32_t i = 0; i < bytes && digits < 14; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < '0' || c > '9') continue;
        number = number * 10 + (c - '0');
        digits++;
    }
    for (uint32_t i = 0; i < 2; i++)
        place = place << 8 | (i < bytes ? (unsigned char)text[i] : 0);
    if (digits == 0)
        for (uint32_t i = 2; i < 8; i++)
            number = number << 8 | (i < bytes ? (unsigned char)text[i] : 0);
    for (; digits > 0 && digits < 14; digits++)
        number *= 10;
    return place << 48 | (number & UINT64_C(0xffffffffffff));
}

static bool row_add(struct tape *tape, const struct recorded *from) {
    void *block = tape->block;
    if (!vector_reserve(&block, &tape->block_room, tape->block_count + 1, sizeof *tape->block))
        return fail_memory(tape);
    tape->block = block;
    struct tape_row *row = &tape->block[tape->block_count++];
    *row = (struct tape_row){.t_ns = shifted(tape, from->t_ns),
                             .period_ns = from->period_ns,
                             .count = from->count,
                             .operation = from->operation,
                             .row = {.bytes = from->item_bytes, .has_key = from->key != NULL}};
    if (!from->key) return true;
    row->row.hash = hash64(from->key, from->key_bytes);
    row->row.sort = from->has_sort_place ? from->sort_place
                    : from->sort         ? sort_place(from->sort, from->sort_bytes)
                                         : 0;
    return names_number(tape->options.names, row->row.hash, from->key, from->key_bytes,
                        &row->row.ordinal) ||
           fail_memory(tape);
}

/* With new keys the copies of a row are after keys named KEY#2, KEY#3 and so on; where the text is no longer known, after
 * keys without a name. */
static void copy_key(struct tape *tape, struct ddbsim_row *row, uint64_t copy) {
    char text[RECORDING_KEY_MAX + 32];
    if (copy == 0 || !row->has_key || !tape->replay->new_keys) return;
    size_t bytes = names_text(tape->options.names, row->ordinal, text, RECORDING_KEY_MAX + 1);
    bool known = bytes <= RECORDING_KEY_MAX && hash64(text, bytes) == row->hash;
    row->hash = hash_mix(row->hash, copy, 0);
    row->ordinal = DDBSIM_ORDINAL_OTHER | row->hash;
    if (!known) return;
    int tail = snprintf(text + bytes, sizeof text - bytes, "#%" PRIu64, copy + 1);
    row->hash = hash64(text, bytes + (size_t)tail);
    if (!names_number(tape->options.names, row->hash, text, (uint32_t)bytes + (uint32_t)tail,
                      &row->ordinal))
        (void)fail_memory(tape);
}

/* The next round begins where the window ends, or the last row's time. */
static bool next_round(struct tape *tape) {
    bool bounded = tape->replay->from_ns != DDBSIM_NO_TIME && tape->replay->to_ns != DDBSIM_NO_TIME;
    if (!tape->replay->loop || !tape->began) return stop(tape);
    int64_t length_ns = bounded ? tape->to_ns - tape->from_ns : tape->last_end_ns - tape->first_ns;
    if (!bounded && tape->last_ns == tape->first_ns)
        return fail(tape, 0, "a recording of one moment cannot be looped");
    if (run_time(tape, shifted(tape, tape->first_ns + length_ns)) >= tape->options.workload->end_ns)
        return stop(tape);
    tape->shift_ns += length_ns;
    if (!recording_rewind(tape->recording, &tape->error)) return true;
    return stop(tape);
}

/* Where the recording stands in the run is told by its rows, whoever they are about: workloads of one file keep step. */
static void learn_place(struct tape *tape, const struct recorded *row) {
    if (!tape->began) {
        anchor(tape, row->t_ns);
        tape->first_ns = row->t_ns;
        tape->began = true;
    }
    int64_t end_ns = smaller(row->t_ns, TIME_MOST_NS) + row_length(tape, row->period_ns);
    tape->last_end_ns = larger(tape->last_end_ns, end_ns);
    tape->last_ns = row->period_ns > 0 ? tape->last_end_ns : row->t_ns;
}

enum side { ROW_BEFORE, ROW_WITHIN, ROW_BEHIND };

/* Of the part that is replayed. */
static enum side window_side(const struct tape *tape, const struct recorded *row) {
    const struct ddbsim_replay *replay = tape->replay;
    if (replay->from_ns != DDBSIM_NO_TIME && row->t_ns < tape->from_ns) return ROW_BEFORE;
    if (replay->to_ns != DDBSIM_NO_TIME && row->t_ns >= tape->to_ns) return ROW_BEHIND;
    return ROW_WITHIN;
}

/* A row of the part that is replayed. */
static bool row_take(struct tape *tape, const struct recorded *row) {
    const struct ddbsim_workload *workload = tape->options.workload;
    learn_place(tape, row);
    int64_t t_ns = shifted(tape, row->t_ns);
    if (run_time(tape, t_ns) >= workload->end_ns) { /* and so do all behind it */
        tape->counts.outside++;
        return stop(tape);
    }
    enum verdict verdict = judge(tape, row);
    if (verdict == ROW_BAD)
        return fail(tape, row->line, "this row is about a table that the scenario does not have");
    if (verdict == ROW_SKIP) return true;
    if (run_time(tape, t_ns + row_length(tape, row->period_ns)) > workload->start_ns)
        return row_add(tape, row);
    tape->counts.outside++;
    return true;
}

/* Appends the next row to the block; false at the end, and after a failure. */
static bool row_read(struct tape *tape) {
    struct recorded row;
    bool more;
    if (recording_next(tape->recording, &row, &more, &tape->error) != DDBSIM_OK) return stop(tape);
    if (!more) return next_round(tape);
    enum side side = window_side(tape, &row);
    if (side == ROW_WITHIN) return row_take(tape, &row);
    tape->counts.outside++;
    return side == ROW_BEFORE || next_round(tape);
}

/* What rows are about changes places within the block; when they come does not. */
static void shuffle(struct tape *tape) {
    struct rng rng;
    rng_seed(&rng, hash_mix(tape->shuffle_stream, tape->blocks, 0));
    for (uint32_t i = tape->block_count; i > 1; i--) {
        uint32_t j = (uint32_t)draw_below(rng_next(&rng), i);
        struct tape_row *a = &tape->block[i - 1], *b = &tape->block[j];
        struct ddbsim_row row = a->row;
        int operation = a->operation;
        a->row = b->row;
        a->operation = b->operation;
        b->row = row;
        b->operation = operation;
    }
}

/* The next row, or NULL past the last one. */
static const struct tape_row *row_peek(struct tape *tape) {
    uint32_t wanted = tape->replay->shuffled ? TAPE_SHUFFLE_ROWS : 1;
    if (tape->block_at < tape->block_count) return &tape->block[tape->block_at];
    tape->block_at = tape->block_count = 0;
    while (tape->block_count < wanted && !tape->ended && row_read(tape)) {
    }
    if (tape->error.status != DDBSIM_OK || tape->block_count == 0) return NULL;
    if (tape->replay->shuffled) shuffle(tape);
    tape->blocks++;
    return &tape->block[0];
}

/* ---- frames ---- */

/* A tree of partial sums over what is left of each row of a period. */
static void sums_add(struct frame *frame, uint32_t row, uint64_t by) {
    for (uint32_t i = row + 1; i <= frame->count; i += i & -i)
        frame->sums[i] += by;
}

/* The row whose arrivals hold number `at` of those that are left. */
static uint32_t sums_find(const struct frame *frame, uint64_t at) {
    uint32_t place = 0, step = 1;
    while (step <= frame->count / 2)
        step *= 2;
    for (; step > 0; step /= 2)
        if (place + step <= frame->count && frame->sums[place + step] <= at) {
            place += step;
            at -= frame->sums[place];
        }
    return place;
}

static bool frame_grow(struct tape *tape, struct frame *frame) {
    void *rows = frame->rows, *sums = frame->sums;
    bool done = vector_reserve(&rows, &frame->row_room, frame->count + 1, sizeof *frame->rows) &&
                vector_reserve(&sums, &frame->sum_room, frame->count + 2, sizeof *frame->sums);
    frame->rows = rows;
    if (sums) frame->sums = sums;
    return done || fail_memory(tape);
}

/* Rows of one moment, or of one period. */
static bool frame_gather(struct tape *tape) {
    struct frame *frame = &tape->frame;
    const struct tape_row *row;
    frame->count = 0;
    while ((row = row_peek(tape))) {
        if (frame->count > 0 &&
            (row->t_ns != frame->rows[0].t_ns || row->period_ns != frame->rows[0].period_ns))
            break;
        if (frame->count == TAPE_FRAME_MAX) {
            (void)fail(tape, 0, "more than a million rows are of one moment");
            error_hint(&tape->error, "`sample: 10%%` replays a tenth of it");
            return false;
        }
        if (!frame_grow(tape, frame)) return false;
        frame->rows[frame->count++] = *row;
        tape->block_at++;
    }
    return frame->count > 0 && tape->error.status == DDBSIM_OK;
}

/* How many arrivals a row is worth. Parts of one are carried from period to period; of a moment they are drawn, since what
 * is carried from row to row would fall on the same ones of rows that come in turns. */
static uint64_t row_arrivals(struct tape *tape, const struct tape_row *row) {
    double worth = smaller_count(row->count * tape->replay->amplify * tape->scale);
    if (row->period_ns == 0) {
        uint64_t whole = (uint64_t)worth;
        double part = worth - (double)whole;
        return whole + (part > 0 && draw_unit(rng_next(&tape->draws)) < part);
    }
    double *carry = &tape->carry[row->operation >= 0 ? row->operation : DDBSIM_OPERATION_KINDS];
    *carry += worth;
    uint64_t whole = (uint64_t)*carry;
    *carry -= (double)whole;
    return whole;
}

/* More than a table could ever be asked for is a mistake in the file, or in amplify. */
static bool count_is_possible(struct tape *tape) {
    const struct frame *frame = &tape->frame;
    double seconds = frame->of_moment ? 1 : (double)frame->span_ns / 1e9;
    if ((double)frame->all <= MOST_PER_S * (seconds > 1 ? seconds : 1)) return true;
    (void)fail(tape, 0, "a moment or period of it brings more than ten million requests a second");
    error_hint(&tape->error, "look at its counts, and at `amplify` and `scale`");
    return false;
}

static void frame_count(struct tape *tape) {
    struct frame *frame = &tape->frame;
    memset(frame->sums, 0, ((size_t)frame->count + 1) * sizeof *frame->sums);
    frame->left = frame->row = 0;
    frame->at = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        uint64_t arrivals = row_arrivals(tape, &frame->rows[i]);
        frame->rows[i].each = frame->rows[i].count;
        frame->rows[i].count = (double)arrivals;
        frame->left += arrivals;
        if (frame->left > (uint64_t)COUNT_MAX) break; /* more than is possible, and said so next */
        if (!frame->of_moment) sums_add(frame, i, arrivals);
    }
    frame->all = frame->left;
}

/* The next frame with an arrival in it; false past the last one. */
static bool frame_next(struct tape *tape) {
    struct frame *frame = &tape->frame;
    do {
        if (!frame_gather(tape)) return false;
        const struct tape_row *row = &frame->rows[0];
        frame->of_moment = row->period_ns == 0;
        int64_t period_ns = row_length(tape, row->period_ns);
        if (period_ns == 1) period_ns = 0;
        frame->from_ns = run_time(tape, row->t_ns);
        frame->span_ns = run_time(tape, row->t_ns + period_ns) - frame->from_ns;
        frame_count(tape);
        if (!count_is_possible(tape)) return false;
    } while (frame->left == 0);
    return true;
}

/* In the middle of its even part of the span. */
static int64_t even_time(const struct frame *frame) {
    uint128 done = frame->all - frame->left;
    return frame->from_ns +
           (int64_t)((uint128)frame->span_ns * (2 * done + 1) / (2 * (uint128)frame->all));
}

/* The least of `left` uniform draws in what remains of the span. */
static int64_t random_time(struct tape *tape) {
    struct frame *frame = &tape->frame;
    double unit = -dmath_log(draw_unit_open(rng_next(&tape->draws)));
    frame->at += (1 - frame->at) * (1 - dmath_exp(-unit / (double)frame->left));
    int64_t into_ns = (int64_t)(frame->at * (double)frame->span_ns);
    if (into_ns >= frame->span_ns) into_ns = frame->span_ns - 1;
    return frame->from_ns + (into_ns > 0 ? into_ns : 0);
}

/* Takes one arrival out of the frame. */
static struct tape_row *frame_take(struct tape *tape) {
    struct frame *frame = &tape->frame;
    CHECK(frame->left > 0);
    uint32_t row = frame->row;
    if (frame->of_moment) {
        while (frame->rows[row].count < 1)
            row++;
        frame->row = row;
    } else {
        if (frame->count > 1)
            row = sums_find(frame, draw_below(rng_next(&tape->draws), frame->left));
        sums_add(frame, row, UINT64_MAX);
    }
    CHECK(row < frame->count && frame->rows[row].count >= 1);
    frame->rows[row].count -= 1;
    frame->left--;
    return &frame->rows[row];
}

/* When the next arrival comes. What lies before the workload's begin is passed over, and so is what came while its scale
 * was 0. */
static void find_next(struct tape *tape) {
    const struct ddbsim_workload *workload = tape->options.workload;
    const struct frame *frame = &tape->frame;
    bool even = workload->arrivals == DDBSIM_PACED;
    int64_t before_ns = tape->next_ns == TIME_NEVER ? 0 : tape->next_ns;
    int64_t first_ns = larger(workload->start_ns, tape->resume_ns);
    for (;;) {
        if (frame->left == 0 && (tape->scale == 0 || !frame_next(tape))) break;
        int64_t t_ns = frame->of_moment || even ? even_time(frame) : random_time(tape);
        if (t_ns >= workload->end_ns) break;
        tape->next_ns = larger(t_ns, before_ns);
        if (t_ns >= first_ns) return;
        (void)frame_take(tape);
    }
    tape->next_ns = TIME_NEVER;
}

/* ---- the outside ---- */

int64_t tape_peek(const struct tape *tape) { return tape->next_ns; }

void tape_take(struct tape *tape, struct tape_arrival *out) {
    CHECK(tape->next_ns != TIME_NEVER);
    struct tape_row *row = frame_take(tape);
    *out =
        (struct tape_arrival){.t_ns = tape->next_ns, .row = row->row, .operation = row->operation};
    copy_key(tape, &out->row, row->each >= 1 ? row->given / (uint64_t)row->each : row->given);
    row->given++;
    tape->counts.arrivals++;
    find_next(tape);
}

/* What is left of a period comes in what is left of its time. */
static void frame_rescale(struct frame *frame, double by, int64_t now_ns) {
    int64_t end_ns = frame->from_ns + frame->span_ns;
    memset(frame->sums, 0, ((size_t)frame->count + 1) * sizeof *frame->sums);
    frame->left = 0;
    double carry = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        carry += smaller_count(frame->rows[i].count * by);
        frame->rows[i].count = (double)(uint64_t)carry;
        carry -= frame->rows[i].count;
        frame->left += (uint64_t)frame->rows[i].count;
        sums_add(frame, i, (uint64_t)frame->rows[i].count);
    }
    frame->all = frame->left;
    frame->from_ns = smaller(larger(frame->from_ns, now_ns), end_ns);
    frame->span_ns = end_ns - frame->from_ns;
    frame->at = 0;
}

/* Arrivals of the period at hand follow as well; a moment's are there already. */
void tape_scale(struct tape *tape, double scale, int64_t now_ns) {
    struct frame *frame = &tape->frame;
    double before = tape->scale;
    tape->scale = scale;
    if (scale == before) return;
    if (before == 0) {
        tape->resume_ns = now_ns;
        find_next(tape);
        return;
    }
    if (frame->of_moment || frame->left == 0) return;
    frame_rescale(frame, scale / before, now_ns);
    tape->next_ns = smaller(tape->next_ns, now_ns);
    find_next(tape);
}

bool tape_has_key(const struct tape *tape) { return tape->has_key; }

const struct ddbsim_error *tape_error(const struct tape *tape) { return &tape->error; }
const struct tape_counts *tape_counts(const struct tape *tape) { return &tape->counts; }
const struct recording_facts *tape_facts(const struct tape *tape) {
    return recording_facts(tape->recording);
}

static void seed_streams(struct tape *tape) {
    const struct tape_options *o = &tape->options;
    const char *const purposes[] = {"replay", "replay/sample", "replay/shuffle"};
    uint64_t keys[3];
    char name[512];
    for (int i = 0; i < 3; i++) {
        (void)snprintf(name, sizeof name, "%.480s/%s", o->workload->name, purposes[i]);
        keys[i] = rng_stream_key(o->seed, o->replication, name);
    }
    rng_seed(&tape->draws, keys[0]);
    rng_seed(&tape->samples, keys[1]);
    tape->shuffle_stream = keys[2];
}

static void open_window(struct tape *tape) {
    const struct ddbsim_replay *replay = tape->replay;
    const struct ddbsim_workload *workload = tape->options.workload;
    tape->facts = *recording_facts(tape->recording);
    if (replay->from_ns != DDBSIM_NO_TIME) tape->from_ns = recorded_moment(tape, replay->from_ns);
    if (replay->to_ns != DDBSIM_NO_TIME) tape->to_ns = recorded_moment(tape, replay->to_ns);
    for (uint32_t o = 0; o < workload->operation_count; o++)
        tape->work |= 1u << workload->operations[o].kind;
    tape->scale = workload->scale;
    uint32_t attempts = workload->client.max_attempts;
    tape->attempts = attempts > 1 ? attempts : 1;
    tape->last_end_ns = INT64_MIN;
}

enum ddbsim_status tape_create(const struct tape_options *options, struct tape **out,
                               struct ddbsim_error *error) {
    const struct ddbsim_replay *replay = options->workload->replay;
    CHECK(replay->speed > 0 && replay->amplify > 0);
    struct recording_options open = recording_options_of(replay);
    struct tape *tape = calloc(1, sizeof *tape);
    if (!tape) return error_memory(error);
    tape->options = *options;
    tape->replay = replay;
    enum ddbsim_status status = recording_create(&open, &tape->recording, error);
    if (status) {
        tape_destroy(tape);
        return status;
    }
    open_window(tape);
    seed_streams(tape);
    const struct tape_row *first = row_peek(tape);
    tape->has_key = first && first->row.has_key;
    find_next(tape);
    if (tape->error.status) {
        if (error) *error = tape->error;
        status = tape->error.status;
        tape_destroy(tape);
        return status;
    }
    *out = tape;
    return DDBSIM_OK;
}

void tape_destroy(struct tape *tape) {
    if (!tape) return;
    recording_destroy(tape->recording);
    free(tape->block);
    free(tape->frame.rows);
    free(tape->frame.sums);
    free(tape);
}
