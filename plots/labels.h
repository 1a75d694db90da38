/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every text that a picture shows, in two languages, and how numbers and times are written in them.
 * Texts hold {0} {1} .. where values go, so that each language puts them in its own order.
 */
#ifndef PLOTS_LABELS_H
#define PLOTS_LABELS_H

#include <plots/query.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(enumerator); labels_en.c and labels_es.c give each its text. */
#define LABELS(X)                  \
    X(WRITE_ONE)                   \
    X(WRITE_MANY)                  \
    X(READ_ONE)                    \
    X(READ_MANY)                   \
    X(WRITE_UNIT)                  \
    X(READ_UNIT)                   \
    X(AT)                          \
    X(BETWEEN)                     \
    X(TITLE_NO_DATA)               \
    X(TITLE_NOTHING_REFUSED)       \
    X(TITLE_PEAK)                  \
    X(TITLE_REFUSES)               \
    X(TITLE_REFUSES_CALM)          \
    X(TITLE_PARTITION_REFUSES)     \
    X(TITLE_CAPACITY_PEAK)         \
    X(TITLE_CAPACITY_REFUSES)      \
    X(TITLE_CAPACITY_CUT)          \
    X(TITLE_ON_DEMAND_OUTGROWN)    \
    X(TITLE_ON_DEMAND_GROWS)       \
    X(TITLE_ON_DEMAND_BELOW)       \
    X(TITLE_TOKENS_EMPTY)          \
    X(TITLE_TOKENS_TWICE)          \
    X(TITLE_TOKENS_TIMES)          \
    X(TITLE_TOKENS_KEPT)           \
    X(TITLE_TOKENS_PARTITION)      \
    X(TITLE_TOKENS_LEFT)           \
    X(TITLE_TOKENS_NONE)           \
    X(TITLE_TOKENS_ON_DEMAND)      \
    X(TITLE_SPLITS)                \
    X(TITLE_SPLITS_ONCE)           \
    X(TITLE_SPLITS_NONE)           \
    X(TITLE_SPLIT_REFUSED)         \
    X(SUBTITLE_HEAT)               \
    X(SUBTITLE_HEAT_BUSIEST)       \
    X(SUBTITLE_CAPACITY)           \
    X(SUBTITLE_CAPACITY_ON_DEMAND) \
    X(SUBTITLE_CAPACITY_MINUTES)   \
    X(SUBTITLE_TOKENS)             \
    X(SUBTITLE_LINEAGE)            \
    X(PROVENANCE)                  \
    X(PROVENANCE_SETTINGS)         \
    X(FOOTER)                      \
    X(TABLE_NAME)                  \
    X(INDEX_NAME)                  \
    X(HEAT_LIMIT)                  \
    X(HEAT_LIMIT_RANGE)            \
    X(HEAT_LIMIT_EVENTUAL)         \
    X(HEAT_NOTCH)                  \
    X(HEAT_WHOLE)                  \
    X(HEAT_WHOLE_SHORT)            \
    X(HEAT_WHOLE_ROW)              \
    X(HEAT_ROWS_JOINED)            \
    X(HEAT_NO_PARTITIONS)          \
    X(TITLE_COST_INDEX)            \
    X(TITLE_COST)                  \
    X(TITLE_COST_ALONE)            \
    X(TITLE_COST_NONE)             \
    X(SUBTITLE_COST)               \
    X(COST_CARRIES)                \
    X(COST_ALL)                    \
    X(COST_LOCAL)                  \
    X(COST_UNITS)                  \
    X(INDEX_BUILT)                 \
    X(INDEX_BUILDING)              \
    X(INDEX_DELETED)               \
    X(HEAT_FULL)                   \
    X(HEAT_OVER)                   \
    X(THROTTLED_RATE)              \
    X(REFUSED)                     \
    X(REFUSED_COUNT)               \
    X(CONSUMED)                    \
    X(PROVISIONED)                 \
    X(SERVED_ON_DEMAND)            \
    X(TOKENS_FULL)                 \
    X(TOKENS_EMPTY_AT)             \
    X(TOKENS_NO_BURST)             \
    X(LINEAGE_ONE)                 \
    X(LINEAGE_COUNT)               \
    X(LINEAGE_GREW)                \
    X(LINEAGE_LEFT_OUT)            \
    X(SPLIT_HEAT)                  \
    X(SPLIT_SIZE)                  \
    X(SPLIT_CAPACITY)              \
    X(SPLIT_REFUSED)               \
    X(TITLE_ALARM_RINGS)           \
    X(TITLE_ALARMS_SILENT)         \
    X(TITLE_ALARMS_MUTE)           \
    X(SUBTITLE_ALARMS)             \
    X(ALARM_BEFORE)                \
    X(ALARM_AFTER)                 \
    X(ALARM_NO_REFUSAL)            \
    X(ALARM_NEVER)                 \
    X(ALARM_OTHER_NEVER)           \
    X(ALARMS_NEVER)                \
    X(ALARM_OF_SCALING)            \
    X(ALARM_RINGS)                 \
    X(ALARM_RINGS_BESIDE)          \
    X(ALARM_SILENT)                \
    X(ALARM_NO_DATA)               \
    X(ALARM_FIRST_REFUSAL)         \
    X(TITLE_SCALED)                \
    X(TITLE_SCALED_STEPS)          \
    X(TITLE_SCALED_LAST)           \
    X(SCALING_LEGEND)              \
    X(SCALING_REFUSED)             \
    X(SCALER_AUTO)                 \
    X(SCALER_OWN)                  \
    X(SCALER_CLOCK)                \
    X(SCALING_MIN)                 \
    X(SCALING_MAX)                 \
    X(TITLE_PLACEMENT_SHARED)      \
    X(TITLE_PLACEMENT_ONE)         \
    X(TITLE_PLACEMENT_NO_KEY)      \
    X(TITLE_PLACEMENT_CALM)        \
    X(TITLE_PLACEMENT_EVEN)        \
    X(TITLE_PLACEMENT_NONE)        \
    X(SUBTITLE_PLACEMENT)          \
    X(PLACEMENT_AXIS)              \
    X(MORE_RESOURCES)              \
    X(MONTHS)

enum label {
#define X(e) LABEL_##e,
    LABELS(X)
#undef X
        LABEL_KINDS
};

struct labels {
    const char *const *texts;
    const char *decimal; /* between whole part and fraction */
};

extern const char *const labels_en_texts[LABEL_KINDS], *const labels_es_texts[LABEL_KINDS];

struct labels labels_get(bool spanish);

#define LABEL_BYTES 512
#define LABEL_NUMBER_BYTES 64

#define LABEL_END ((const char *)NULL)

/* Fills the places of a text; the values are ended by LABEL_END. Returns out. */
const char *label_fill(const struct labels *labels, enum label label, char out[LABEL_BYTES], ...)
    __attribute__((sentinel));
/* Groups of three by a narrow no-break space, U+2212 as minus. Returns out. */
const char *label_number(const struct labels *labels, double value, int decimals,
                         char out[LABEL_NUMBER_BYTES]);
/* With as many decimals as a reader needs: 4 217, 61.5, 0.25. */
const char *label_short(const struct labels *labels, double value, char out[LABEL_NUMBER_BYTES]);
/* 10 s, 5 min, 1 h, 2 d. */
const char *label_span(int64_t seconds, char out[LABEL_NUMBER_BYTES]);
/* 25 Sep, of a wall second. */
const char *label_day(const struct labels *labels, int64_t wall_s, char out[LABEL_NUMBER_BYTES]);

#endif
