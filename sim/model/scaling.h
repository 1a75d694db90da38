/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who asks for other capacity by what was consumed: Application Auto Scaling (target tracking, scheduled
 * actions) and loops of the user's own. They see CloudWatch's minutes, late, and call UpdateTable (control.h).
 * Rules M-93 to M-96. Scheduled actions are events of the loop; all else runs between events.
 */
#ifndef MODEL_SCALING_H
#define MODEL_SCALING_H

#include <model/model.h>

/* What a home-made scaler remembers of a minute. */
struct scaling_minute {
    int64_t nano;
    uint32_t throttles;
};

/* One direction of a table or an index that is scaled. */
struct scaling {
    struct resource *resource;
    enum direction direction;
    bool tracks;                          /* target tracking, else a scaler of the user's own */
    struct ddbsim_target_tracking policy; /* follows changes and scheduled actions */
    int64_t sought;                       /* what it asked for last; 0: it never did */
    int64_t asked_ns;
    bool sought_more; /* than there was */
    struct ddbsim_scaler scaler;
    struct scaling_minute *minutes; /* owned; the newest `minute_size` of them */
    uint32_t minute_size;
    uint64_t minute_count;
    int64_t last_end_s; /* of the newest minute */
};

/* False when memory is short. */
bool scaling_create(struct model *model);
void scaling_destroy(struct model *model);
/* Takes the loop's events of it and schedules the scheduled actions, which are known beforehand. */
void scaling_handle(struct model *model);
/* The run begins: capacities outside their policies' bounds are brought inside. */
void scaling_begin(struct model *model);
/* People changed policies of a table: they hold at once. */
void scaling_follow(struct model *model, struct table *table, const struct ddbsim_table *spec,
                    int64_t now_ns);
/* A tracking alarm rings; `consumed` is its last datapoint, units in a minute. */
void scaling_act(struct model *model, struct scaling *scaling, bool out, double consumed,
                 int64_t now_ns);
/* A minute ends at end_s, before what it counted is cleared; then loops of the user's own look. */
void scaling_close_minute(struct model *model, int64_t end_s);
void scaling_tick(struct model *model, int64_t end_s);
/* The share of capacity beyond which a tracking alarm breaches. */
double scaling_threshold(const struct scaling *scaling, bool out);
/* Is a minute without traffic a datapoint of 0? */
bool scaling_sees_idle(const struct scaling *scaling);

#endif
