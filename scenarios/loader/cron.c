/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Schedules, by what AWS documents of them (EventBridge guide, "Cron expressions reference"; Application
 * Auto Scaling guide, "Scheduled scaling"):
 *
 *   minutes 0-59 and hours 0-23 take , - * /; day of month 1-31 takes , - * ? / L W; month 1-12 or JAN-DEC
 *   takes , - * /; day of week 1-7 or SUN-SAT, 1 being Sunday, takes , - * ? L #; year 1970-2199 takes
 *   , - * /. One of the two days is ?.
 *
 * What AWS leaves open: L, W and # stand alone in their field; 6L is the month's last Friday, L alone as
 * a day of the week its Saturday. nW stays in its month: of the 1st, a Saturday, it is Monday the 3rd; a
 * month without that day has none. rate(...) fires one period after the start for the first time.
 *
 * Invariant: a set that was read is not empty and holds only values that its field may have.
 */
#include <loader/cron.h>

#include <base/check.h>
#include <base/types.h>
#include <base/date.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_S 86400
#define FIELDS 6
#define FIELD_BYTES 64
#define RATE_DIGITS 6
#define SATURDAY 7
#define SUNDAY 1

enum cron_field { MINUTES, HOURS, DAY_OF_MONTH, MONTH, DAY_OF_WEEK, YEAR };

struct field {
    const char *name;
    int low, high;
    const char *words; /* names of the values, of three letters each */
    bool takes_steps;
    const char *form;
};

static const struct field fields[FIELDS] = {
    {"minutes", 0, 59, "", true, "minutes are 0-59, with , - * and /"},
    {"hours", 0, 23, "", true, "hours are 0-23, with , - * and /"},
    {"day of month", 1, 31, "", true, "days of the month are 1-31, with , - * ? / L and W"},
    {"month", 1, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", true,
     "months are 1-12 or JAN-DEC, with , - * and /"},
    {"day of week", SUNDAY, SATURDAY, "SUNMONTUEWEDTHUFRISAT", false,
     "days of the week are 1-7 or SUN-SAT, 1 being Sunday, with , - * ? L and #"},
    {"year", 1970, 2199, "", true, "years are 1970-2199, with , - * and /"},
};

#define FORM                                                                             \
    "write cron(minutes hours day-of-month month day-of-week year), rate(5 minutes) or " \
    "at(2026-09-25T16:45:00)"

static bool fail(struct literal_problem *problem, const char *text, const char *what,
                 const char *hint) {
    snprintf(problem->message, sizeof problem->message, "\"%.60s\" %s", text, what);
    snprintf(problem->hint, sizeof problem->hint, "%s", hint);
    return false;
}

static bool fail_field(struct literal_problem *problem, const char *text,
                       const struct field *field) {
    char what[48];
    snprintf(what, sizeof what, "is no %s of a cron schedule", field->name);
    return fail(problem, text, what, field->form);
}

/* ---- sets ---- */

static void set_add(struct cron_set *set, const struct field *field, int value) {
    CHECK(value >= field->low && value <= field->high);
    int bit = value - field->low;
    set->bits[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static bool set_has(const struct cron_set *set, enum cron_field which, int64_t value) {
    const struct field *field = &fields[which];
    if (value < field->low || value > field->high) return false;
    int bit = (int)value - field->low;
    return set->bits[bit / 64] >> (bit % 64) & 1;
}

/* ---- one field ---- */

/* Up to four digits; the cursor behind them. */
static bool take_number(const char **cursor, int *out) {
    const char *at = *cursor;
    *out = 0;
    while (isdigit((unsigned char)*at) && at - *cursor < 4)
        *out = *out * 10 + (*at++ - '0');
    bool some = at > *cursor && !isdigit((unsigned char)*at);
    *cursor = at;
    return some;
}

/* A number in the field's range, or one of its words. */
static bool take_value(const char **cursor, const struct field *field, int *out) {
    for (int i = 0; i < (int)strlen(field->words) / 3; i++)
        if (!strncmp(*cursor, field->words + (size_t)3 * (size_t)i, 3)) {
            *cursor += 3;
            *out = field->low + i;
            return true;
        }
    return take_number(cursor, out) && *out >= field->low && *out <= field->high;
}

static bool take(const char **cursor, char c) {
    if (**cursor != c) return false;
    (*cursor)++;
    return true;
}

/* One of *, a, a-b, each with /step. */
static bool take_item(const char **cursor, const struct field *field, struct cron_set *set) {
    int first = field->low, last = field->high, step = 1;
    bool all = take(cursor, '*'), open = all;
    if (!all) {
        if (!take_value(cursor, field, &first)) return false;
        last = first;
        bool ranged = take(cursor, '-');
        if (ranged && !take_value(cursor, field, &last)) return false;
        if (last < first) return false;
        open = !ranged;
    }
    if (field->takes_steps && take(cursor, '/')) {
        if (!take_number(cursor, &step) || step < 1 || step > field->high) return false;
        if (open) last = field->high; /* a/b runs to the end */
    }
    for (int value = first; value <= last; value += step)
        set_add(set, field, value);
    return true;
}

static bool read_set(const char *text, enum cron_field which, struct cron_set *out,
                     struct literal_problem *problem) {
    const char *at = text;
    do {
        if (!take_item(&at, &fields[which], out)) return fail_field(problem, text, &fields[which]);
    } while (take(&at, ','));
    return !*at || fail_field(problem, text, &fields[which]);
}

/* L, 15W, or a set. */
static bool read_day_of_month(const char *text, struct cron_days *out,
                              struct literal_problem *problem) {
    const struct field *field = &fields[DAY_OF_MONTH];
    const char *at = text;
    int day;
    out->last = !strcmp(text, "L");
    if (out->last) return true;
    if (take_value(&at, field, &day) && take(&at, 'W') && !*at) {
        out->nearest = day;
        return true;
    }
    return read_set(text, DAY_OF_MONTH, &out->set, problem);
}

/* L, 6L, 6#3, or a set. */
static bool read_day_of_week(const char *text, struct cron_days *out,
                             struct literal_problem *problem) {
    const struct field *field = &fields[DAY_OF_WEEK];
    const char *at = text;
    int weekday;
    out->by_weekday = true;
    if (!strcmp(text, "L")) {
        set_add(&out->set, field, SATURDAY);
        return true;
    }
    bool one = take_value(&at, field, &weekday);
    bool last = one && !strcmp(at, "L"), nth = one && take(&at, '#');
    if (nth && (at[0] < '1' || at[0] > '5' || at[1]))
        return fail(problem, text, "is no day of week of a cron schedule",
                    "6#3 is the third Friday of the month; it stands alone in its field");
    if (!last && !nth) return read_set(text, DAY_OF_WEEK, &out->set, problem);
    set_add(&out->set, field, weekday);
    out->last = last;
    out->nth = nth ? at[0] - '0' : 0;
    return true;
}

/* ---- the whole ---- */

/* The six fields, split at white space; false where there is another number of them. */
static bool split(const char *text, char out[FIELDS][FIELD_BYTES]) {
    int count = 0;
    for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (count == FIELDS || length >= FIELD_BYTES) return false;
        memcpy(out[count], at, length);
        out[count++][length] = '\0';
        at += length;
    }
    return count == FIELDS;
}

static bool read_fields(const char *text, struct cron *out, struct literal_problem *problem) {
    char parts[FIELDS][FIELD_BYTES];
    out->kind = CRON_FIELDS;
    if (!split(text, parts))
        return fail(problem, text, "has not six fields",
                    "minutes hours day-of-month month day-of-week year; the year may be *");
    bool any_day = !strcmp(parts[DAY_OF_MONTH], "?"),
         any_weekday = !strcmp(parts[DAY_OF_WEEK], "?");
    if (any_day == any_weekday)
        return fail(problem, text, any_day ? "says nothing of the day" : "says the day twice",
                    "exactly one of day-of-month and day-of-week is ?");
    return read_set(parts[MINUTES], MINUTES, &out->minutes, problem) &&
           read_set(parts[HOURS], HOURS, &out->hours, problem) &&
           (any_day ? read_day_of_week(parts[DAY_OF_WEEK], &out->days, problem)
                    : read_day_of_month(parts[DAY_OF_MONTH], &out->days, problem)) &&
           read_set(parts[MONTH], MONTH, &out->months, problem) &&
           read_set(parts[YEAR], YEAR, &out->years, problem);
}

/* "5 minutes": the unit is singular of one and plural of more, as AWS wants it. */
static bool read_rate(const char *text, struct cron *out, struct literal_problem *problem) {
    static const struct {
        const char *one, *more;
        int64_t unit_s;
    } units[] = {{"minute", "minutes", 60}, {"hour", "hours", 3600}, {"day", "days", DAY_S}};
    size_t digits = strspn(text, "0123456789");
    out->kind = CRON_RATE;
    if (digits > 0 && digits <= RATE_DIGITS && *text != '0' && text[digits] == ' ') {
        int64_t number = strtoll(text, NULL, 10);
        const char *unit = text + digits + 1;
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (!strcmp(unit, number == 1 ? units[i].one : units[i].more)) {
                out->period_s = number * units[i].unit_s;
                return true;
            }
    }
    return fail(problem, text, "is no rate", "such as 1 minute, 5 minutes, 1 hour or 2 days");
}

static bool read_at(const char *text, struct cron *out, struct literal_problem *problem) {
    out->kind = CRON_AT;
    if (literal_local_time(text, &out->local_s)) return true;
    return fail(problem, text, "is no date and time",
                "such as 2026-09-25T16:45:00; the offset stands in timezone");
}

bool cron_parse(const char *text, struct cron *out, struct literal_problem *problem) {
    static const struct {
        const char *name;
        bool (*read)(const char *, struct cron *, struct literal_problem *);
    } kinds[] = {{"cron(", read_fields}, {"rate(", read_rate}, {"at(", read_at}};
    char inside[FIELDS * FIELD_BYTES];
    size_t length = strlen(text);
    *out = (struct cron){0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t before = strlen(kinds[i].name);
        if (strncmp(text, kinds[i].name, before) != 0 || text[length - 1] != ')') continue;
        length -= before + 1;
        if (length >= sizeof inside) return fail(problem, text, "is too long", FORM);
        memcpy(inside, text + before, length);
        inside[length] = '\0';
        return kinds[i].read(inside, out, problem);
    }
    return fail(problem, text, "is no schedule", FORM);
}

/* ---- when it fires ---- */

struct firing {
    const struct cron_run *run;
    int64_t *at_ns;
    uint32_t room, count;
};

/* False once there are more than there is room for. */
static bool fire(struct firing *f, int64_t t_s) {
    if (t_s < 0 || t_s > f->run->duration_ns / NS_PER_S) return true;
    int64_t t_ns = t_s * NS_PER_S;
    if (t_ns >= f->run->duration_ns) return true;
    if (f->count < f->room && f->at_ns) f->at_ns[f->count] = t_ns;
    return f->count++ < f->room;
}

/* The weekday nearest to a day, inside its month. */
static int nearest_weekday(int64_t day_number, int day, int month_days) {
    int weekday = date_weekday(day_number);
    if (weekday == SATURDAY) return day > 1 ? day - 1 : day + 2;
    if (weekday == SUNDAY) return day < month_days ? day + 1 : day - 2;
    return day;
}

static bool is_day(const struct cron_days *days, int64_t day_number, struct date date) {
    int month_days = date_month_days(date.year, date.month);
    if (days->by_weekday) {
        if (!set_has(&days->set, DAY_OF_WEEK, date_weekday(day_number))) return false;
        if (days->last) return date.day + 7 > month_days;
        return days->nth == 0 || (date.day - 1) / 7 + 1 == days->nth;
    }
    if (days->last) return date.day == month_days;
    if (days->nearest == 0) return set_has(&days->set, DAY_OF_MONTH, date.day);
    if (days->nearest > month_days) return false;
    return date.day ==
           nearest_weekday(day_number + days->nearest - date.day, days->nearest, month_days);
}

static bool fire_day(struct firing *f, const struct cron *cron, int64_t midnight_s) {
    for (int hour = 0; hour < 24; hour++) {
        if (!set_has(&cron->hours, HOURS, hour)) continue;
        for (int minute = 0; minute < 60; minute++)
            if (set_has(&cron->minutes, MINUTES, minute) &&
                !fire(f, midnight_s + hour * 3600 + minute * 60))
                return false;
    }
    return true;
}

static void fire_fields(struct firing *f, const struct cron *cron) {
    int64_t local_s = f->run->start_unix_s + f->run->utc_offset_s;
    int64_t last_s = local_s + f->run->duration_ns / NS_PER_S;
    for (int64_t day = floor_div(local_s, DAY_S); day <= floor_div(last_s, DAY_S); day++) {
        struct date date = date_of_day(day);
        if (!set_has(&cron->years, YEAR, date.year) || !set_has(&cron->months, MONTH, date.month) ||
            !is_day(&cron->days, day, date))
            continue;
        if (!fire_day(f, cron, day * DAY_S - local_s)) return;
    }
}

uint32_t cron_fire(const struct cron *cron, const struct cron_run *run, int64_t *at_ns,
                   uint32_t room) {
    struct firing f = {.run = run, .at_ns = at_ns, .room = room};
    switch (cron->kind) {
    case CRON_AT:
        (void)fire(&f, cron->local_s - run->utc_offset_s - run->start_unix_s);
        break;
    case CRON_RATE:
        for (int64_t t_s = cron->period_s; t_s <= run->duration_ns / NS_PER_S;
             t_s += cron->period_s)
            if (!fire(&f, t_s)) break;
        break;
    case CRON_FIELDS:
        fire_fields(&f, cron);
        break;
    }
    return f.count;
}
