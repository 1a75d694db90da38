/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One value by its key: which literal it is, whether it lies in the key's range, and the text that
 * means it in a canonical way.
 *
 * Invariant: reading a canonical text gives the same value and the same canonical text (tested).
 */
#include <loader/grammar.h>

#include <ddbsim/presets.h>
#include <base/check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_BYTES 255

static bool fail(struct literal_problem *problem, const char *hint, const char *message) {
    snprintf(problem->message, sizeof problem->message, "%s", message);
    snprintf(problem->hint, sizeof problem->hint, "%s", hint);
    return false;
}

/* ---- texts ---- */

static bool read_name(const char *text, struct literal_problem *problem) {
    if (!*text) return fail(problem, "", "the text is empty");
    if (strlen(text) > NAME_MAX_BYTES)
        return fail(problem, "", "the text is longer than 255 bytes");
    if (strpbrk(text, "\n\t")) return fail(problem, "", "the text has more than one line or a tab");
    return true;
}

static bool read_letters(const char *text, const char *letters, const char *hint,
                         struct literal_problem *problem) {
    if (!read_name(text, problem)) return false;
    if (text[strspn(text, letters)])
        return fail(problem, hint, "the name has a character that it may not have");
    return true;
}

#define LOWER_AND_DIGITS "abcdefghijklmnopqrstuvwxyz0123456789"

static bool read_slug(const char *text, struct literal_problem *problem) {
    return read_letters(text, LOWER_AND_DIGITS "-", "a name is made of a-z, 0-9 and -", problem);
}

static bool read_aws_name(const char *text, struct literal_problem *problem) {
    return read_letters(text, LOWER_AND_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-.",
                        "AWS allows a-z, A-Z, 0-9, _, - and . in names", problem);
}

/* ---- words ---- */

/* "one of a, b, c", or what is near to a word. */
static void hint_choices(const char *text, const struct grammar_key *key, bool near,
                         struct literal_problem *problem) {
    struct suggest suggest;
    suggest_start(&suggest, text);
    char words[40][32], all[sizeof problem->hint] = "one of";
    for (int i = 0; i < 40 && grammar_word_at(grammar_choices(key), i, words[i], sizeof words[i]);
         i++) {
        suggest_offer(&suggest, words[i]);
        size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, "%s %s", i ? "," : "", words[i]);
    }
    const char *best = near ? suggest_best(&suggest) : NULL;
    if (best)
        snprintf(problem->hint, sizeof problem->hint, "did you mean \"%s\"?", best);
    else
        snprintf(problem->hint, sizeof problem->hint, "%s", all);
}

static bool fail_word(const char *text, const struct grammar_key *key,
                      struct literal_problem *problem) {
    hint_choices(text, key, true, problem);
    snprintf(problem->message, sizeof problem->message, "\"%.60s\" is no %s", text, key->key);
    return false;
}

static bool read_choice(const struct grammar_key *key, const char *text, int64_t *out,
                        struct literal_problem *problem) {
    int number = grammar_word(grammar_choices(key), text);
    *out = number;
    if (number >= 0) return true;
    if (grammar_word(key->later, text) < 0) return fail_word(text, key, problem);
    snprintf(problem->message, sizeof problem->message, "%s %.60s is not supported yet", key->key,
             text);
    hint_choices(text, key, false, problem);
    return false;
}

static bool read_preset(const char *text, int64_t *out, struct literal_problem *problem) {
    struct suggest suggest;
    suggest_start(&suggest, text);
    for (int i = 0; ddbsim_preset(i); i++) {
        *out = i;
        if (!strcmp(ddbsim_preset(i)->name, text)) return true;
        suggest_offer(&suggest, ddbsim_preset(i)->name);
    }
    const char *best = suggest_best(&suggest);
    snprintf(problem->message, sizeof problem->message, "there is no preset \"%.60s\"", text);
    if (best)
        snprintf(problem->hint, sizeof problem->hint, "did you mean \"%s\"?", best);
    else
        snprintf(problem->hint, sizeof problem->hint, "`ddbsim list presets` shows them");
    return false;
}

static bool read_bool(const char *text, int64_t *out, struct literal_problem *problem) {
    *out = !strcmp(text, "true");
    if (*out || !strcmp(text, "false")) return true;
    snprintf(problem->message, sizeof problem->message, "\"%.60s\" is neither true nor false",
             text);
    snprintf(problem->hint, sizeof problem->hint, "write true or false");
    return false;
}

/* ---- numbers ---- */

static bool read_count(const char *text, int64_t *out, struct literal_problem *problem) {
    uint64_t count;
    if (!literal_count(text, &count, problem)) return false;
    *out = (int64_t)count;
    return true;
}

static bool read_timeout(const char *text, int64_t *out, struct literal_problem *problem) {
    *out = INT64_MAX;
    return !strcmp(text, "none") || literal_duration(text, out, problem);
}

bool grammar_in_range(const struct grammar_key *key, int64_t value,
                      struct literal_problem *problem) {
    if (value >= key->low && value <= key->high) return true;
    if (key->type == TYPE_TIMEOUT && value == INT64_MAX) return true;
    char low[48], high[48], is[48];
    grammar_put(key, key->low, low, sizeof low);
    grammar_put(key, key->high, high, sizeof high);
    grammar_put(key, value, is, sizeof is);
    if (key->high == INT64_MAX)
        snprintf(problem->message, sizeof problem->message, "%s is less than %s", is, low);
    else
        snprintf(problem->message, sizeof problem->message, "%s lies outside %s..%s", is, low,
                 high);
    problem->hint[0] = '\0';
    if (value < key->low)
        snprintf(problem->hint, sizeof problem->hint, "the least is %s", low);
    else if (key->quota)
        snprintf(problem->hint, sizeof problem->hint, "%s", key->quota);
    return false;
}

/* What stands for 0 where it is no count; NULL: such a type has no such word. */
static const char *word_for_none(enum grammar_type type) {
    return type == TYPE_PARTITIONS ? "auto" : type == TYPE_SHARDS ? "all" : NULL;
}

void grammar_put(const struct grammar_key *key, int64_t value, char *out, size_t size) {
    char duration[64];
    CHECK(grammar_is_scalar(key->type) || grammar_is_either(key->type));
    if (key->type == TYPE_TIMEOUT && value == INT64_MAX) {
        snprintf(out, size, "none");
    } else if (key->type == TYPE_DURATION || key->type == TYPE_TIMEOUT) {
        literal_put_duration(value, out, size);
    } else if (key->type == TYPE_FACTOR) {
        literal_put_factor(value, out, size);
    } else if (key->type == TYPE_MOMENT) {
        literal_put_duration(value, duration, sizeof duration);
        snprintf(out, size, "+%s", duration);
    } else if (key->type == TYPE_SIZE || key->type == TYPE_SIZE_OR_SECTION) {
        literal_put_size(value, out, size);
    } else if (key->type == TYPE_SHARE) {
        literal_put_share(value, out, size);
    } else if (key->type == TYPE_BOOL) {
        snprintf(out, size, "%s", value ? "true" : "false");
    } else if (!value && word_for_none(key->type)) {
        snprintf(out, size, "%s", word_for_none(key->type));
    } else if (key->type == TYPE_CHOICE || key->type == TYPE_CHOICE_OR_SECTION) {
        CHECK(grammar_word_at(grammar_choices(key), (int)value, out, size));
    } else {
        snprintf(out, size, "%" PRId64, value);
    }
}

bool grammar_default(const struct grammar_key *key, char *out, size_t size) {
    if (key->flags & GRAMMAR_NUMBERED) {
        grammar_put(key, key->standard, out, size);
        return true;
    }
    if (!key->fallback) return false;
    snprintf(out, size, "%s", key->fallback);
    return true;
}

/* A number without range of its own, as an integer; false for the types that are none. */
static bool read_integer(const struct grammar_key *key, const char *text,
                         const struct literal_clock *clock, int64_t *out, bool *good,
                         struct literal_problem *problem) {
    if (key->type == TYPE_COUNT || key->type == TYPE_UNITS || word_for_none(key->type))
        *good = read_count(text, out, problem);
    else if (key->type == TYPE_TIMEOUT)
        *good = read_timeout(text, out, problem);
    else if (key->type == TYPE_DURATION)
        *good = literal_duration(text, out, problem);
    else if (key->type == TYPE_FACTOR)
        *good = literal_factor(text, out, problem);
    else if (key->type == TYPE_SIZE || key->type == TYPE_SIZE_OR_SECTION)
        *good = literal_size(text, out, problem);
    else if (key->type == TYPE_SHARE)
        *good = literal_share(text, out, problem);
    else if (key->type == TYPE_MOMENT)
        *good = literal_moment(text, clock, out, problem);
    else
        return false;
    *good = *good && grammar_in_range(key, *out, problem);
    return true;
}

static bool read_word(const struct grammar_key *key, const char *text, int64_t *out, bool *good,
                      struct literal_problem *problem) {
    if (key->type == TYPE_BOOL)
        *good = read_bool(text, out, problem);
    else if (key->type == TYPE_CHOICE || key->type == TYPE_CHOICE_OR_SECTION)
        *good = read_choice(key, text, out, problem);
    else
        return false;
    return true;
}

static bool read_real(const struct grammar_key *key, const char *text, struct grammar_value *out,
                      struct literal_problem *problem) {
    bool good = key->type == TYPE_RATE ? literal_rate(text, &out->real, problem)
                                       : literal_decimal(text, &out->real, problem);
    if (good) literal_put_decimal(text, out->canonical, sizeof out->canonical);
    return good;
}

/* A share where the text ends in %, else what the key wants beside shares. */
static bool read_either(const struct grammar_key *key, const char *text, struct grammar_value *out,
                        struct literal_problem *problem) {
    struct grammar_key whole = *key;
    out->is_share = *text && text[strlen(text) - 1] == '%';
    if (!out->is_share && key->type == TYPE_SHARE_OR_DECIMAL)
        return read_real(key, text, out, problem);
    whole.type = out->is_share                         ? TYPE_SHARE
                 : key->type == TYPE_SHARE_OR_DURATION ? TYPE_DURATION
                                                       : TYPE_UNITS;
    if (out->is_share) whole.low = key->type == TYPE_SHARE_OR_DECIMAL ? 0 : 1;
    if (out->is_share) whole.high = key->high_share;
    bool good;
    if (!read_integer(&whole, text, NULL, &out->integer, &good, problem)) return false;
    if (good) grammar_put(&whole, out->integer, out->canonical, sizeof out->canonical);
    if (!good && key->type == TYPE_SHARE_OR_DURATION)
        snprintf(problem->hint, sizeof problem->hint, "%s",
                 out->is_share ? key->quota : "a share looks like 20%, a duration like 200ms");
    return good;
}

static bool read_text(const struct grammar_key *key, const char *text, struct grammar_value *out,
                      struct literal_problem *problem) {
    struct literal_clock instant;
    if (key->type == TYPE_NAME) return read_name(text, problem);
    if (key->type == TYPE_AWS_NAME) return read_aws_name(text, problem);
    if (key->type == TYPE_SLUG) return read_slug(text, problem);
    if (key->type == TYPE_PRESET) return read_preset(text, &out->integer, problem);
    if (key->type == TYPE_INSTANT) return literal_instant(text, &instant, problem);
    if (key->type == TYPE_TEXT || key->type == TYPE_TITLE) return true;
    return *text ? true : fail(problem, "", "the text is empty");
}

bool grammar_read(const struct grammar_key *key, const char *text,
                  const struct literal_clock *clock, struct grammar_value *out,
                  struct literal_problem *problem) {
    bool good;
    *out = (struct grammar_value){0};
    const char *word = word_for_none(key->type);
    if (word && !strcmp(text, word)) {
        snprintf(out->canonical, sizeof out->canonical, "%s", word);
        return true;
    }
    if (read_integer(key, text, clock, &out->integer, &good, problem) ||
        read_word(key, text, &out->integer, &good, problem)) {
        if (good) grammar_put(key, out->integer, out->canonical, sizeof out->canonical);
        return good;
    }
    if (key->type == TYPE_SHARE_OR_UNITS || key->type == TYPE_SHARE_OR_DURATION ||
        key->type == TYPE_SHARE_OR_DECIMAL)
        return read_either(key, text, out, problem);
    if (key->type == TYPE_DECIMAL || key->type == TYPE_RATE)
        return read_real(key, text, out, problem);
    return read_text(key, text, out, problem);
}
