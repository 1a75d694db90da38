/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where inside a hot partition its traffic goes, and whether cutting it there would help. A sample of the
 * positions that were asked for, by weight, in two halves of the window of observation; then one decision.
 * Rule M-26. Pure: knows no clock, no partition, no table.
 */
#ifndef MODEL_HEAT_H
#define MODEL_HEAT_H

#include <model/space.h>

/* One half of a window. Traffic is cut into strata of `step` weight; one position of each, at a place in it
 * drawn at random, stands for it. When all places are taken, every other position goes and the strata
 * double. */
struct heat_half {
    uint128 *positions;
    uint8_t *directions;
    uint32_t count;
    uint64_t seen, step; /* weight */
    uint64_t next;       /* the weight seen at which the current stratum's position is taken */
};

struct heat_sample {
    struct heat_half halves[2];
    uint32_t capacity; /* positions of a half */
    uint32_t current;  /* the half that is filled; the other one is the older */
    uint32_t first;    /* step at which a half begins */
    uint64_t stream;   /* of the draws */
};

bool heat_sample_init(struct heat_sample *sample, uint32_t capacity);
void heat_sample_deinit(struct heat_sample *sample);
/* Forgets everything: a window begins, of which a half is expected to bring about so much weight. */
void heat_sample_begin(struct heat_sample *sample, uint64_t stream, uint64_t expected);
/* The current half is the older one from here on. */
void heat_sample_turn(struct heat_sample *sample);
/* Traffic of `weight` at a position. */
void heat_sample_add(struct heat_sample *sample, uint128 position, enum direction direction,
                     uint64_t weight);

enum heat_verdict {
    HEAT_CUT,         /* between keys */
    HEAT_ISOLATE,     /* around one hot item */
    HEAT_SINGLE_ITEM, /* one item has nearly all of it */
    HEAT_SEQUENTIAL,  /* the keys only rise, or fall */
    HEAT_COLLECTION,  /* one collection, which must stay whole, has nearly all of it */
    HEAT_NO_BENEFIT,  /* wherever it is cut, nearly all of it stays on one side */
    HEAT_NO_ROOM,     /* it would be cut, but there are as many partitions as are simulated */
    HEAT_VERDICTS
};
const char *heat_verdict_name(enum heat_verdict verdict);

struct heat_rules {
    int64_t benefit, sequential, isolation; /* shares: split_benefit and so on */
    bool whole_collections; /* a local secondary index: no cut inside a partition key */
};

/* Decides over both halves for the partition [low, high]. *out is filled for HEAT_CUT and HEAT_ISOLATE.
 * `scratch` has room for heat_scratch_bytes. */
enum heat_verdict heat_decide(const struct heat_sample *sample, const struct heat_rules *rules,
                              uint128 low, uint128 high, void *scratch, struct space_split *out);
size_t heat_scratch_bytes(uint32_t capacity);
/* The position that has a share of the sampled traffic left of it, for a split that is needed anyway; false
 * when there is none inside (low, high]. */
bool heat_part(const struct heat_sample *sample, bool whole_collections, int64_t share, uint128 low,
               uint128 high, void *scratch, struct space_split *out);

#endif
