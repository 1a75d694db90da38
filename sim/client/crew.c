/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models callers as k6 has them: `vus` callers that share `iterations` arrivals (its executors
 * constant-vus and shared-iterations), and `maxVUs` of its arrival-rate executors, beyond which an
 * iteration is dropped. Here an arrival is over when its last call is answered or given up.
 *
 * Invariants: in_flight = begun - over; in a closed loop no caller has two arrivals in flight.
 */
#include <client/crew.h>

#include <base/check.h>
#include <base/types.h>
#include <math.h>
#include <model/rows.h>

uint32_t crew_wanted(const struct ddbsim_workload *spec) {
    double wanted = (double)spec->vus * spec->scale + 0.5;
    return wanted < (double)UINT32_MAX ? (uint32_t)wanted : UINT32_MAX;
}

static bool is_left(const struct crew *crew, const struct ddbsim_workload *spec, int64_t now_ns) {
    if (now_ns >= spec->end_ns) return false;
    return spec->iterations == 0 || crew->begun < spec->iterations;
}

bool crew_join(struct crew *crew, const struct ddbsim_workload *spec, int64_t now_ns) {
    if (crew->active >= crew_wanted(spec) || !is_left(crew, spec, now_ns)) return false;
    crew->active++;
    return true;
}

bool crew_begin(struct crew *crew, const struct ddbsim_workload *spec, int64_t now_ns) {
    CHECK(crew->active > 0);
    if (crew->active > crew_wanted(spec) || !is_left(crew, spec, now_ns)) {
        crew->active--;
        return false;
    }
    crew->begun++;
    crew->in_flight++;
    return true;
}

bool crew_admit(struct crew *crew, const struct ddbsim_workload *spec) {
    if (spec->max_vus > 0 && crew->in_flight >= spec->max_vus) {
        crew->dropped++;
        return false;
    }
    crew->begun++;
    crew->in_flight++;
    return true;
}

void crew_over(struct crew *crew, const struct ddbsim_workload *spec, int64_t now_ns) {
    CHECK(crew->in_flight > 0);
    crew->in_flight--;
    crew->over++;
    if (spec->vus > 0 && spec->iterations > 0 && crew->over == spec->iterations)
        crew->finished_ns = now_ns;
}

/* ---- rows ---- */

static void put(const struct ddbsim_sink *sink, enum ddbsim_outcome outcome, const char *scope,
                double value) {
    ROWS_PUT(sink, DDBSIM_LOG_OUTCOME, ddbsim_text(ddbsim_outcome_name((int)outcome)),
             ddbsim_text(scope), isnan(value) ? ddbsim_null() : ddbsim_real(value),
             ddbsim_text(ddbsim_outcome_unit((int)outcome)));
}

static double finished_s(const struct crew *crew) {
    if (crew->finished_ns == DDBSIM_NO_TIME) return (double)NAN;
    return (double)crew->finished_ns / (double)NS_PER_S;
}

void crew_outcomes(const struct ddbsim_scenario *scenario,
                   const struct crew *(*crew_of)(const void *context, uint32_t workload),
                   const void *context, const struct ddbsim_sink *sink) {
    double dropped = 0, last_s = 0;
    bool finite = false;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct ddbsim_workload *spec = &scenario->workloads[w];
        const struct crew *crew = crew_of(context, w);
        dropped += (double)crew->dropped;
        if (spec->max_vus > 0)
            put(sink, DDBSIM_OUTCOME_DROPPED_ITERATIONS, spec->name, (double)crew->dropped);
        if (spec->iterations == 0) continue;
        double s = finished_s(crew);
        put(sink, DDBSIM_OUTCOME_FINISHED_AT, spec->name, s);
        finite = true;
        /* One that is not finished is no number, and stays. */
        if (!isnan(last_s) && !(s <= last_s)) last_s = s;
    }
    put(sink, DDBSIM_OUTCOME_DROPPED_ITERATIONS, "", dropped);
    put(sink, DDBSIM_OUTCOME_FINISHED_AT, "", finite ? last_s : (double)NAN);
}
