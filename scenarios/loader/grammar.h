/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scenario's grammar as one table: every key with its type, default, range, whether a change
 * may set it, and a line of help. The check for unknown keys, the JSON Schema, the reference in
 * docs/scenario.md, the resolved settings and the rules of `changes` are all made from it.
 */
#ifndef LOADER_GRAMMAR_H
#define LOADER_GRAMMAR_H

#include <loader/literal.h>
#include <loader/suggest.h>

enum grammar_section {
    SECTION_NONE,
    SECTION_SCENARIO,
    SECTION_VALUES,
    SECTION_TABLE,
    SECTION_AUTO_SCALING,
    SECTION_POLICY,
    SECTION_ACTION,
    SECTION_BOUNDS,
    SECTION_SCALER,
    SECTION_SCALE_UP,
    SECTION_SCALE_DOWN,
    SECTION_MAXIMUM, /* on_demand_throughput */
    SECTION_WARM,
    SECTION_PEAK,
    SECTION_BURST,
    SECTION_ENTITY,
    SECTION_SIZES, /* of items that differ */
    SECTION_LOGNORMAL,
    SECTION_TTL,
    SECTION_SHARDS,
    SECTION_INDEX,
    SECTION_BACKPRESSURE,
    SECTION_ENTRY,
    SECTION_MODEL,       /* the scenario's: every key has a default */
    SECTION_TABLE_MODEL, /* a table's own: what it leaves out is the scenario's */
    SECTION_WORKLOAD,
    SECTION_QUEUE,
    SECTION_CONCURRENCY,
    SECTION_DAX,
    SECTION_ARRIVALS,
    SECTION_BURSTY,
    SECTION_SHAPE,
    SECTION_REPLAY,
    SECTION_COLUMNS,
    SECTION_STAGE,
    SECTION_OPERATION,
    SECTION_MEMBER, /* an action of a transaction */
    SECTION_EFFECT,
    SECTION_CLIENT,
    SECTION_BACKOFF,
    SECTION_RETRY_QUOTA,
    SECTION_RATE_LIMITER,
    SECTION_RETRY_ON,
    SECTION_UNPROCESSED, /* batch_unprocessed */
    SECTION_RATE_CONTROL,
    SECTION_BREAKER, /* circuit_breaker */
    SECTION_WRAPPER,
    SECTION_FAULT,
    SECTION_CHANGE,
    SECTION_ALARM,
    SECTION_VARIANT,
    SECTION_EXPECT,
    SECTION_KINDS
};

enum grammar_type {
    TYPE_LATER, /* known, and not supported yet */
    TYPE_TEXT,
    TYPE_NAME,     /* one line, not empty */
    TYPE_AWS_NAME, /* letters, digits, _ - . */
    TYPE_SLUG,     /* a-z 0-9 - */
    TYPE_FILE,
    TYPE_TITLE, /* a text, or one a language */
    TYPE_BOOL,
    TYPE_COUNT,
    TYPE_UNITS,
    TYPE_PARTITIONS, /* auto, or a count */
    TYPE_SHARDS,     /* all, or a count */
    TYPE_DURATION,
    TYPE_TIMEOUT, /* a duration, or none */
    TYPE_FACTOR,  /* a number, exact to billionths, in which its range is */
    TYPE_SIZE,
    TYPE_SHARE,
    TYPE_SHARE_OR_UNITS,
    TYPE_SHARE_OR_DURATION,
    TYPE_DECIMAL,
    TYPE_SHARE_OR_DECIMAL,
    TYPE_RATE,
    TYPE_MOMENT,
    TYPE_INSTANT,
    TYPE_CHOICE,
    TYPE_PRESET, /* a name of ddbsim/presets.h */
    TYPE_TEMPLATE,
    TYPE_RANGE,
    TYPE_SECTION,           /* a mapping of keys */
    TYPE_CHOICE_OR_SECTION, /* a word, or a mapping of keys */
    TYPE_SIZE_OR_SECTION,   /* one size, or a mapping of keys */
    TYPE_LIST,              /* entries of a section, known by name */
    TYPE_CONDITIONS,        /* entries of a section, without names */
    TYPE_EXPRESSIONS,       /* texts */
    TYPE_MAP,               /* the user's names, each with a section */
    TYPE_SHARES,            /* the user's words, each with a share */
    TYPE_SHARE_LIST,        /* shares without words */
    TYPE_SET                /* paths, each with a value */
};

enum grammar_flag {
    GRAMMAR_REQUIRED = 1,
    GRAMMAR_CHANGEABLE = 2, /* `changes` may set it and what is below it */
    GRAMMAR_OPEN_NAMES = 4, /* MAP: a path may name an entry that the file does not write */
    GRAMMAR_NO_SETTING = 8, /* says nothing about what is simulated */
    GRAMMAR_NUMBERED = 16,  /* has a default in `standard`, not in `fallback` */
    GRAMMAR_FIXED = 32,     /* no `set` reaches it */
    GRAMMAR_OPTIONAL = 64   /* SECTION: where it is not written there is none, and no defaults */
};

/* Keys of one family exclude those of its other groups: writing one removes the others. */
enum grammar_family {
    FAMILY_NONE,
    FAMILY_LOAD,
    FAMILY_WORK,
    FAMILY_SCALING,
    FAMILY_TIMING,
    FAMILY_STEP,
    FAMILY_CHANGE,
    FAMILY_CACHE,
    FAMILY_SIZES
};

struct grammar_key {
    enum grammar_section section;
    const char *key;
    enum grammar_type type;
    enum grammar_section child;
    const char *fallback;  /* default as a literal; NULL: none */
    const char *otherwise; /* in words, where the default depends on something */
    int64_t low, high;     /* range of what is a whole number: in ns, bytes, billionths, units */
    int64_t high_share;    /* SHARE_OR_UNITS, _DURATION: a share lies above 0 and at most here */
    const char *choices;   /* words joined by | */
    const char *later;     /* words that are known and not supported yet, joined by | */
    unsigned flags;
    enum grammar_family family;
    int group;
    int64_t standard;
    const char *quota;     /* whose limit `high` is, for the message */
    const char *unchanged; /* what to change instead, where `changes` may not set it */
    const char *help;
};

/* By number, in the order of the reference; NULL past the end. */
const struct grammar_key *grammar_key(size_t number);
/* NULL where the section has no such key. */
const struct grammar_key *grammar_find(enum grammar_section section, const char *key);
const char *grammar_section_title(enum grammar_section section);
/* The default as a literal; false without one. */
bool grammar_default(const struct grammar_key *key, char *out, size_t size);
/* A whole number of a key's type as the literal that means it. */
void grammar_put(const struct grammar_key *key, int64_t value, char *out, size_t size);
const char *grammar_type_name(enum grammar_type type);
bool grammar_is_scalar(enum grammar_type type);
/* A single value, or a section. */
bool grammar_is_either(enum grammar_type type);
void grammar_suggest(enum grammar_section section, struct suggest *suggest);

/* The words of a CHOICE, joined by |. */
const char *grammar_choices(const struct grammar_key *key);
/* The number of a word in "a|b|c"; -1 where it is none of them. */
int grammar_word(const char *words, const char *word);
/* Copies word `number`; false past the end. */
bool grammar_word_at(const char *words, int number, char *out, size_t size);

/* A value read by its key's type and range. Texts keep text alone. */
struct grammar_value {
    int64_t integer; /* also: a bool, a choice's number, partitions (auto is 0) */
    double real;
    bool is_share;      /* of what may be a share or something else: `integer` is a share */
    char canonical[80]; /* "" for texts: they are their own */
};

/* Does a whole number lie in its key's range? */
bool grammar_in_range(const struct grammar_key *key, int64_t value,
                      struct literal_problem *problem);
bool grammar_read(const struct grammar_key *key, const char *text,
                  const struct literal_clock *clock, struct grammar_value *out,
                  struct literal_problem *problem);

#endif
