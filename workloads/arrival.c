/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models the clock of an open-loop workload: a Poisson process (or a paced one) whose rate is
 * piecewise linear over [start, end), as a k6 ramping-arrival-rate describes it, except that the
 * last target holds.
 *
 * Method: the inversion of a non-homogeneous Poisson process. With L(t) the arrivals expected until
 * t, arrival i comes at the inverse of L at the sum of i unit exponentials. Inside a piece that
 * begins with rate r and slope k, L = r x + k x^2 / 2, so x = 2 L / (r + sqrt(r^2 + 2 k L)): the
 * root without cancellation, good for rising, falling and constant rates alike. Nothing is thinned,
 * so each arrival takes exactly one draw and its number ties it to that draw whatever the rate.
 *
 * Invariants: times never decrease; every time lies in [start, end); a place is relative to its
 * piece; a time is rounded to nanoseconds once and never read back.
 */
#include <workloads/arrival.h>

#include <base/check.h>
#include <base/dmath.h>

#define PACED_FIRST 0.5 /* in the middle of its slot, so that k arrivals take k slots */

static double seconds(int64_t ns) { return (double)ns / (double)NS_PER_S; }

static int64_t after(int64_t t_ns, int64_t duration_ns) {
    return duration_ns > TIME_NEVER - t_ns ? TIME_NEVER : t_ns + duration_ns;
}

static int64_t workload_start(const struct ddbsim_workload *workload) {
    return workload->start_ns == DDBSIM_NO_TIME ? 0 : workload->start_ns;
}

static int64_t workload_end(const struct ddbsim_workload *workload) {
    return workload->end_ns == DDBSIM_NO_TIME ? TIME_NEVER : workload->end_ns;
}

/* ---- pieces ---- */

/* Arrivals expected in the piece's first x_s seconds. */
static double piece_units(const struct arrival_piece *piece, double x_s) {
    return x_s * (piece->rate_per_s + 0.5 * piece->slope_per_s2 * x_s);
}

/* Arrivals expected from the piece's begin until t_ns, which may lie outside. */
static double piece_units_until(const struct arrival_piece *piece, int64_t t_ns) {
    if (t_ns <= piece->from_ns) return 0;
    if (t_ns >= piece->to_ns) return piece->units;
    return piece_units(piece, seconds(t_ns - piece->from_ns));
}

/* Seconds from the piece's begin until `units` arrivals are expected. */
static double piece_seconds(const struct arrival_piece *piece, double units) {
    double r = piece->rate_per_s;
    if (piece->slope_per_s2 == 0) return r > 0 ? units / r : 0;
    double square = r * r + 2 * piece->slope_per_s2 * units;
    double sum = r + (square > 0 ? dmath_sqrt(square) : 0);
    return sum > 0 ? 2 * units / sum : 0;
}

/* The piece of stage `stage`, given where it begins and at what rate. */
static struct arrival_piece piece_of(const struct ddbsim_workload *workload, uint32_t stage,
                                     int64_t from_ns, double rate_per_s) {
    int64_t end_ns = workload_end(workload);
    struct arrival_piece piece = {
        .stage = stage, .from_ns = from_ns, .to_ns = end_ns, .rate_per_s = rate_per_s};
    if (stage < workload->stage_count) {
        const struct ddbsim_stage *s = &workload->stages[stage];
        int64_t to_ns = after(from_ns, s->duration_ns);
        if (to_ns < end_ns) piece.to_ns = to_ns;
        if (s->duration_ns > 0)
            piece.slope_per_s2 =
                (s->target_per_s * workload->scale - rate_per_s) / seconds(s->duration_ns);
    }
    if (piece.to_ns < from_ns) piece.to_ns = from_ns;
    CHECK(piece.rate_per_s >= 0);
    piece.units = piece_units(&piece, seconds(piece.to_ns - from_ns));
    if (!(piece.units > 0)) piece.units = 0;
    return piece;
}

static struct arrival_piece piece_first(const struct ddbsim_workload *workload) {
    return piece_of(workload, 0, workload_start(workload),
                    workload->start_rate_per_s * workload->scale);
}

/* Moves to the piece after; false where there is none. */
static bool piece_advance(const struct ddbsim_workload *workload, struct arrival_piece *piece) {
    if (piece->stage >= workload->stage_count) return false;
    const struct ddbsim_stage *stage = &workload->stages[piece->stage];
    if (piece->to_ns >= workload_end(workload)) return false;
    *piece =
        piece_of(workload, piece->stage + 1, piece->to_ns, stage->target_per_s * workload->scale);
    return true;
}

/* The piece that holds t_ns: the last that begins at or before it, so steps at t_ns have happened.
 */
static struct arrival_piece piece_at(const struct ddbsim_workload *workload, int64_t t_ns) {
    struct arrival_piece piece = piece_first(workload);
    while (piece.to_ns <= t_ns && piece_advance(workload, &piece))
        continue;
    return piece;
}

/* ---- bursts ---- */

/* Where the arrivals of `on` and `off` come within `on`, each such cycle's times are drawn together, so that
 * none comes later than it would, and as many come (M-121). */
static int64_t burst_time(const struct ddbsim_workload *workload, int64_t t_ns) {
    int64_t on_ns = workload->burst_on_ns;
    if (on_ns == 0) return t_ns;
    int64_t cycle_ns = on_ns + workload->burst_off_ns;
    int64_t in_ns = (t_ns - workload_start(workload)) % cycle_ns;
    CHECK_DEBUG(in_ns >= 0);
    return t_ns - in_ns + (int64_t)((int128)in_ns * on_ns / cycle_ns);
}

/* The first time that is drawn to t_ns or later. */
static int64_t steady_time(const struct ddbsim_workload *workload, int64_t t_ns) {
    int64_t on_ns = workload->burst_on_ns;
    if (on_ns == 0 || t_ns <= workload_start(workload)) return t_ns;
    int64_t cycle_ns = on_ns + workload->burst_off_ns;
    int64_t in_ns = (t_ns - workload_start(workload)) % cycle_ns;
    if (in_ns > on_ns) return t_ns - in_ns + cycle_ns;
    return t_ns - in_ns + (int64_t)(((int128)in_ns * cycle_ns + on_ns - 1) / on_ns);
}

/* ---- the pending arrival ---- */

static int64_t piece_time(const struct arrival_piece *piece, double units) {
    double ns = piece_seconds(piece, units) * (double)NS_PER_S + 0.5;
    double span_ns = (double)(piece->to_ns - piece->from_ns);
    return ns < span_ns ? piece->from_ns + (int64_t)ns : piece->to_ns;
}

/* The piece is another one. */
static void steady_update(struct arrival_clock *clock) {
    const struct arrival_piece *piece = &clock->piece;
    int64_t end_ns = workload_end(clock->workload);
    if (piece->to_ns < end_ns) end_ns = piece->to_ns;
    clock->is_steady = piece->slope_per_s2 == 0 && piece->rate_per_s > 0 &&
                       clock->workload->burst_on_ns == 0 &&
                       clock->workload->arrivals != DDBSIM_PACED;
    clock->steady_ns = (double)(end_ns - piece->from_ns);
}

/* Finds the arrival that lies pending_units after clock->piece, at_units. */
static void find(struct arrival_clock *clock) {
    int64_t before_ns = clock->next_ns;
    double at = clock->at_units + clock->pending_units;
    clock->from_stage = clock->piece.stage;
    clock->from_units = clock->at_units;
    clock->next_ns = TIME_NEVER;
    while (at > clock->piece.units) {
        at -= clock->piece.units;
        if (!piece_advance(clock->workload, &clock->piece)) return;
        steady_update(clock);
    }
    clock->at_units = at;
    int64_t t_ns = piece_time(&clock->piece, at);
    if (t_ns >= workload_end(clock->workload)) return;
    t_ns = burst_time(clock->workload, t_ns);
    clock->next_ns = t_ns > before_ns ? t_ns : before_ns;
}

/* The exponentials are drawn even where steps are even: a change of `arrivals` then shifts no
 * number. */
static void fill(struct arrival_clock *clock) {
    uint64_t draws[ARRIVAL_BLOCK];
    rng_fill(&clock->rng, draws, ARRIVAL_BLOCK);
    for (size_t i = 0; i < ARRIVAL_BLOCK; i++)
        clock->units[i] = draw_unit_open(draws[i]);
    dmath_log_each(clock->units, ARRIVAL_BLOCK);
    for (size_t i = 0; i < ARRIVAL_BLOCK; i++)
        clock->units[i] = -clock->units[i];
    clock->taken = 0;
}

/* The wait before the next arrival, in arrivals expected. */
static double unit_next(struct arrival_clock *clock, double paced) {
    if (clock->taken == ARRIVAL_BLOCK) fill(clock);
    double unit = clock->units[clock->taken++];
    return clock->workload->arrivals == DDBSIM_PACED ? paced : unit;
}

void arrival_start(struct arrival_clock *clock, const struct ddbsim_workload *workload,
                   uint64_t stream_key) {
    rng_seed(&clock->rng, stream_key);
    fill(clock);
    clock->workload = workload;
    clock->next_ns = INT64_MIN;
    clock->piece = piece_first(workload);
    steady_update(clock);
    clock->at_units = 0;
    clock->pending_units = unit_next(clock, PACED_FIRST);
    find(clock);
}

void arrival_pass_far(struct arrival_clock *clock) {
    CHECK(clock->next_ns != TIME_NEVER);
    clock->pending_units = unit_next(clock, 1);
    find(clock);
}

/* Arrivals expected between the place the pending wait began at and now_ns. */
static double units_passed(const struct arrival_clock *clock, int64_t t_ns) {
    struct arrival_piece piece = piece_first(clock->workload);
    int64_t now_ns = steady_time(clock->workload, t_ns);
    while (piece.stage < clock->from_stage && piece_advance(clock->workload, &piece))
        continue;
    double passed = piece_units_until(&piece, now_ns) - clock->from_units;
    while (piece.to_ns <= now_ns && piece_advance(clock->workload, &piece))
        passed += piece_units_until(&piece, now_ns);
    return passed > 0 ? passed : 0;
}

void arrival_change(struct arrival_clock *clock, const struct ddbsim_workload *after_change,
                    int64_t now_ns) {
    if (clock->workload) {
        double left = clock->pending_units - units_passed(clock, now_ns);
        clock->pending_units = left > 0 ? left : 0;
    }
    clock->workload = after_change;
    clock->next_ns = TIME_NEVER;
    if (!after_change) return;
    int64_t steady_ns = steady_time(after_change, now_ns);
    clock->piece = piece_at(after_change, steady_ns);
    steady_update(clock);
    clock->at_units = piece_units_until(&clock->piece, steady_ns);
    clock->next_ns = now_ns;
    find(clock);
}
