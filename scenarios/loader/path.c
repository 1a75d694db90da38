/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading and writing paths. In quotes \" and \\ stand for themselves.
 * Invariant: path_parse(path_join(base, name)) has name as its last segment, whatever name is.
 */
#include <loader/path.h>

#include <string.h>

static enum ddbsim_status fail(const char *text, const char *why, struct ddbsim_error *error) {
    error_set(error, DDBSIM_INPUT, "the path \"%.120s\" %s", text, why);
    error_hint(error, "paths look like tables.carts.write_capacity or workloads.*.scale");
    return DDBSIM_INPUT;
}

/* Takes a quoted name, the cursor behind its opening quote. */
static bool take_quoted(const char **cursor, char *out) {
    const char *at = *cursor;
    while (*at && *at != '"') {
        if (*at == '\\' && (at[1] == '"' || at[1] == '\\')) at++;
        *out++ = *at++;
    }
    *out = '\0';
    *cursor = *at ? at + 1 : at;
    return *at == '"';
}

static void take_plain(const char **cursor, char *out) {
    size_t length = strcspn(*cursor, ".\"");
    memcpy(out, *cursor, length);
    out[length] = '\0';
    *cursor += length;
}

enum ddbsim_status path_parse(struct arena *arena, const char *text, struct path *out,
                              struct ddbsim_error *error) {
    *out = (struct path){.text = text};
    for (const char *at = text;;) {
        if (out->count == PATH_SEGMENTS_MAX) return fail(text, "has more than 16 parts", error);
        struct path_segment *segment = &out->segments[out->count++];
        char *name = arena_alloc(arena, strlen(at) + 1, 1);
        if (!name) return error_memory(error);
        bool quoted = *at == '"';
        if (quoted) {
            at++;
            if (!take_quoted(&at, name)) return fail(text, "has no closing quote", error);
        } else {
            take_plain(&at, name);
        }
        segment->name = name;
        segment->all = !quoted && !strcmp(name, "*");
        if (!*name) return fail(text, "has an empty part", error);
        if (!*at) return DDBSIM_OK;
        if (*at != '.') return fail(text, "has a quote inside a part", error);
        at++;
    }
}

static bool needs_quotes(const char *name) {
    return !*name || strpbrk(name, ".\"=") || !strcmp(name, "*");
}

char *path_join(struct arena *arena, const char *base, const char *name) {
    const char *dot = *base ? "." : "";
    if (!needs_quotes(name)) return arena_printf(arena, "%s%s%s", base, dot, name);
    char *quoted = arena_alloc(arena, 2 * strlen(name) + 1, 1);
    if (!quoted) return NULL;
    char *end = quoted;
    for (; *name; name++) {
        if (*name == '"' || *name == '\\') *end++ = '\\';
        *end++ = *name;
    }
    *end = '\0';
    return arena_printf(arena, "%s%s\"%s\"", base, dot, quoted);
}

const char *path_equals(const char *text) {
    bool quoted = false;
    for (; *text; text++) {
        if (*text == '\\' && quoted && text[1])
            text++;
        else if (*text == '"')
            quoted = !quoted;
        else if (*text == '=' && !quoted)
            return text;
    }
    return NULL;
}
