/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The texts of pictures in English. */
#include <plots/labels.h>

const char *const labels_en_texts[LABEL_KINDS] = {
    [LABEL_WRITE_ONE] = "write",
    [LABEL_WRITE_MANY] = "writes",
    [LABEL_READ_ONE] = "read",
    [LABEL_READ_MANY] = "reads",
    [LABEL_WRITE_UNIT] = "WCU",
    [LABEL_READ_UNIT] = "RCU",
    [LABEL_AT] = "at {0}",
    [LABEL_BETWEEN] = "between {0} and {1}",
    [LABEL_TITLE_NO_DATA] = "Nothing was recorded in this time",
    [LABEL_TITLE_NOTHING_REFUSED] = "Nothing was refused",
    [LABEL_TITLE_PEAK] = "Nothing was refused: {0} peaks at {1} % of the limit",
    [LABEL_TITLE_REFUSES] = "{0} refuses {1} {2} {3}",
    [LABEL_TITLE_REFUSES_CALM] = "{0} refuses {1} {2} {3} while the table uses {4} of {5} {6}/s",
    [LABEL_TITLE_PARTITION_REFUSES] = "{2}: partition {0} of {1} refuses {3} {4} {5}",
    [LABEL_TITLE_CAPACITY_PEAK] =
        "Nothing was refused: {0} uses up to {1} % of its capacity ({2} means)",
    [LABEL_TITLE_CAPACITY_CUT] = "{0} refuses {3} {4} {5}: a fault leaves it {1} {2}/s",
    [LABEL_TITLE_CAPACITY_REFUSES] = "{0} refuses {3} {4} {5} with {1} {2} provisioned",
    [LABEL_TITLE_ON_DEMAND_OUTGROWN] = "{0}, on demand, refuses {3} {4} {5}: it is asked for more "
                                       "than the {1} {2}/s that it serves",
    [LABEL_TITLE_ON_DEMAND_GROWS] = "{0}, on demand, refuses {3} {4} {5}: it grows from {1} to {6} "
                                    "{2}/s, and is asked for more",
    [LABEL_TITLE_ON_DEMAND_BELOW] =
        "{0}, on demand, refuses {3} {4} {5} below the {1} {2}/s that it serves",
    [LABEL_TITLE_TOKENS_EMPTY] = "The saved burst of {0} is empty {1}",
    [LABEL_TITLE_TOKENS_TWICE] = "The saved burst of {0} runs out at {1} and again at {2}",
    [LABEL_TITLE_TOKENS_TIMES] = "The saved burst of {0} runs out {1} times {2}",
    [LABEL_TITLE_TOKENS_KEPT] = "{0} refuses {1} {2} {3} while it keeps {4} % of its burst",
    [LABEL_TITLE_TOKENS_PARTITION] = "{0} refuses {1} {2} {3} while it keeps {4} % of its burst: "
                                     "a partition has a limit of its own",
    [LABEL_TITLE_TOKENS_LEFT] = "No saved burst runs out: {0} keeps at least {1} %",
    [LABEL_TITLE_TOKENS_NONE] = "No saved burst was recorded",
    [LABEL_TITLE_SPLITS] = "{0} splits {1} times {2}: from {3} to {4} partitions",
    [LABEL_TITLE_SPLITS_ONCE] = "{0} splits once {2}: from {3} to {4} partitions",
    [LABEL_TITLE_SPLITS_NONE] = "No partition of {0} splits",
    [LABEL_TITLE_SPLIT_REFUSED] =
        "A hot partition of {0} is not split: it would not help (found {1})",
    [LABEL_TITLE_TOKENS_ON_DEMAND] = "{0} is on demand: nothing is saved for bursts",
    [LABEL_SUBTITLE_HEAT] = "Consumed units/s of each partition, in key order, in bins of {0}. "
                            "Full colour is the limit "
                            "named at the right of each band",
    [LABEL_SUBTITLE_HEAT_BUSIEST] = "Consumed units/s of each partition, in key order: the busiest "
                                    "{1} in each {0}. Full colour "
                                    "is the limit named at the right of each band",
    [LABEL_SUBTITLE_CAPACITY] = "Consumed and provisioned capacity: means of {1}; the pale area is "
                                "the busiest second of each {0}",
    [LABEL_SUBTITLE_CAPACITY_ON_DEMAND] = "Consumed capacity and what on demand serves: means of "
                                          "{1}; the pale area is the busiest second of each {0}",
    [LABEL_SUBTITLE_CAPACITY_MINUTES] =
        "Consumed and provisioned capacity as recorded, in bins of {0}",
    [LABEL_SUBTITLE_TOKENS] = "Unused capacity saved for bursts, the lowest in each {0}; the "
                              "dashed line is a full bucket",
    [LABEL_SUBTITLE_LINEAGE] = "Partitions from birth to split, in key order; the busiest load in "
                               "each {0}. Full colour is the limit named at the right",
    [LABEL_PROVENANCE] = "{0} · {1} · seed {2}",
    [LABEL_PROVENANCE_SETTINGS] = "{0} and {1} more",
    [LABEL_FOOTER] = "ddbsim {0} · input {1}",
    [LABEL_TABLE_NAME] = "table",
    [LABEL_INDEX_NAME] = "index",
    [LABEL_HEAT_LIMIT] = "limit {0} {1}/s",
    [LABEL_HEAT_LIMIT_RANGE] = "limit {0} to {1} {2}/s",
    [LABEL_HEAT_LIMIT_EVENTUAL] = "limit {0} {1}/s, {2} for eventual reads",
    [LABEL_HEAT_WHOLE_ROW] = "all",
    [LABEL_HEAT_NOTCH] = "refused by a partition",
    [LABEL_HEAT_WHOLE] = "refused as a whole",
    [LABEL_HEAT_WHOLE_SHORT] = "as a whole",
    [LABEL_HEAT_ROWS_JOINED] = "{0} partitions in {1} rows, hot ones apart",
    [LABEL_TITLE_COST_INDEX] = "{0}: one write costs {1} {2} WCU, and the table itself {3}",
    [LABEL_TITLE_COST] = "One write costs {0} {1} WCU, and its indexes {2} more",
    [LABEL_TITLE_COST_ALONE] = "One write costs {0} {1} WCU",
    [LABEL_TITLE_COST_NONE] = "No write was served in this time",
    [LABEL_SUBTITLE_COST] = "Write units of one write that was served, each on top of the one "
                            "above: means from {0} to {1}",
    [LABEL_COST_CARRIES] = "{0} WCU/s carry {1} writes/s",
    [LABEL_COST_ALL] = "in all",
    [LABEL_COST_LOCAL] = "paid by the table",
    [LABEL_COST_UNITS] = "{0} WCU",
    [LABEL_INDEX_BUILT] = "built {0} to {1}",
    [LABEL_INDEX_BUILDING] = "being built from {0}",
    [LABEL_INDEX_DELETED] = "deleted {0}",
    [LABEL_HEAT_NO_PARTITIONS] = "no partitions recorded",
    [LABEL_HEAT_FULL] = "limit",
    [LABEL_HEAT_OVER] = "over {0} %",
    [LABEL_THROTTLED_RATE] = "refused attempts/s",
    [LABEL_REFUSED] = "refused",
    [LABEL_REFUSED_COUNT] = "{0} refused",
    [LABEL_CONSUMED] = "consumed",
    [LABEL_SERVED_ON_DEMAND] = "on demand {0}",
    [LABEL_PROVISIONED] = "provisioned {0}",
    [LABEL_TOKENS_FULL] = "full {0}",
    [LABEL_TOKENS_EMPTY_AT] = "empty {0}",
    [LABEL_TOKENS_NO_BURST] = "no saved burst recorded",
    [LABEL_LINEAGE_ONE] = "{0} partition",
    [LABEL_LINEAGE_COUNT] = "{0} partitions",
    [LABEL_LINEAGE_GREW] = "{0} partitions, then {1}",
    [LABEL_LINEAGE_LEFT_OUT] = "{0} of {1} splits drawn, later ones joined",
    [LABEL_SPLIT_HEAT] = "split for heat",
    [LABEL_SPLIT_SIZE] = "for size",
    [LABEL_SPLIT_CAPACITY] = "for capacity",
    [LABEL_SPLIT_REFUSED] = "not split",
    [LABEL_MORE_RESOURCES] = "{0} more not shown",
    [LABEL_TITLE_ALARM_RINGS] = "{0} rings {1}, {2}",
    [LABEL_TITLE_ALARMS_SILENT] = "No alarm rings, and nothing is refused",
    [LABEL_TITLE_ALARMS_MUTE] = "No alarm rings while {0} refuses {1} {2} {3}",
    [LABEL_SUBTITLE_ALARMS] = "Datapoints in % of their threshold (dashed), when measured; below, "
                              "the alarm's state, when "
                              "known. Vermillion: refusals of what it looks at",
    [LABEL_ALARM_BEFORE] = "{0} before the first refusal",
    [LABEL_ALARM_AFTER] = "{0} after the first refusal",
    [LABEL_ALARM_NO_REFUSAL] = "and nothing is refused",
    [LABEL_ALARM_NEVER] = "{0} never does",
    [LABEL_ALARM_OTHER_NEVER] = "another never does",
    [LABEL_ALARMS_NEVER] = "{0} others never do",
    [LABEL_ALARM_OF_SCALING] = "Auto scaling's alarm on {0} ({1})",
    [LABEL_ALARM_RINGS] = "rings {0}",
    [LABEL_ALARM_RINGS_BESIDE] = "rings {0}, {1}",
    [LABEL_ALARM_SILENT] = "never rings",
    [LABEL_ALARM_NO_DATA] = "never has a datapoint",
    [LABEL_ALARM_FIRST_REFUSAL] = "first refusal {0}",
    [LABEL_TITLE_SCALED] = "{0}: {5} asked at {1}, the capacity came at {2}: {3} of refusals",
    [LABEL_TITLE_SCALED_STEPS] =
        "{0}: {5} asked {4} times from {1}, what sufficed came at {2}: {3} of refusals",
    [LABEL_TITLE_SCALED_LAST] = "{0}: {5} asked at {1}, when {3} of refusals were over",
    [LABEL_SCALING_LEGEND] = "Triangles: a scaler asks for more or less; dotted until it acts",
    [LABEL_SCALING_REFUSED] = "crosses: AWS refused a change",
    [LABEL_SCALER_AUTO] = "auto scaling",
    [LABEL_SCALER_OWN] = "its scaler",
    [LABEL_SCALER_CLOCK] = "its schedule",
    [LABEL_SCALING_MIN] = "min {0}",
    [LABEL_SCALING_MAX] = "max {0}",
    [LABEL_TITLE_PLACEMENT_SHARED] =
        "{0} of the {1} hottest keys of {2} share partition {3} of {4}, which refuses {5} {6}",
    [LABEL_TITLE_PLACEMENT_ONE] =
        "{0} is {1} % of what {2} serves: its partition, {3} of {4}, refuses {5} {6}",
    [LABEL_TITLE_PLACEMENT_NO_KEY] =
        "Partition {1} of {2} of {0} refuses {3} {4}, and no single key is hot",
    [LABEL_TITLE_PLACEMENT_CALM] = "The {0} hottest keys of {1} lie in {2} of {3} partitions: the "
                                   "fullest is at {4} % of its limit",
    [LABEL_TITLE_PLACEMENT_EVEN] =
        "No key of {0} stands out: its fullest partition is at {1} % of its limit",
    [LABEL_TITLE_PLACEMENT_NONE] = "No partitions of {0} were recorded",
    [LABEL_SUBTITLE_PLACEMENT] =
        "Units/s of each partition over the stretch of hashes that it has, and the hottest keys "
        "where their hashes fall, with their share. Dashed: a partition's limit",
    [LABEL_PLACEMENT_AXIS] = "Partitions in key order, from the lowest hash to the highest",
    [LABEL_MONTHS] = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
};
