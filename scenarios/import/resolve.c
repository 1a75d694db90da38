/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Intrinsic functions (CloudFormation user guide, "Intrinsic function reference"): Ref, Fn::Sub, Fn::GetAtt, Fn::Join,
 * Fn::Select, Fn::Split, Fn::FindInMap, Fn::If and the functions of conditions. A parameter is what the command line
 * says, else its default, else its own name, which a note tells. What only a running stack knows is null.
 *
 * Invariant: resolving ends: functions nest to a bounded depth, and what they give holds none.
 */
#include "resolve.h"

#include <base/buffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define STEPS_MAX 1000000 /* a circle of conditions would branch without end */
#define TEXT_MAX 4096     /* bytes of what a function gives: names and ARNs are far shorter */
#define ACCOUNT "000000000000"
#define REGION "eu-west-1" /* where a scenario's tables are */
#define STACK "stack"

struct resolver {
    struct aws *aws;
    int depth, steps;
};

static json_t *resolve(struct resolver *r, json_t *value);
static bool is_true(struct resolver *r, const char *condition);

static json_t *string_of(struct resolver *r, const char *text) {
    json_t *value = json_string(text);
    if (!value) r->aws->import->short_of_memory = true;
    return value;
}

/* Why something stays unknown; null in its place. */
static json_t *unknown(struct resolver *r, const char *what, const char *of) {
    import_note(r->aws->import, IMPORT_PASSED, r->aws->file,
                "%s%s%s is not known from the template", what, of ? " " : "", of ? of : "");
    return json_null();
}

/* Numbers and booleans as a template would print them; copied. NULL: neither. */
static const char *text_of(struct resolver *r, const json_t *value) {
    struct import *import = r->aws->import;
    if (json_is_string(value)) return import_text(import, "%s", json_string_value(value));
    if (json_is_integer(value))
        return import_text(import, "%lld", (long long)json_integer_value(value));
    if (json_is_real(value)) return import_text(import, "%g", json_real_value(value));
    if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
    return NULL;
}

/* ---- what names stand for ---- */

static const json_t *section(const struct resolver *r, const char *name) {
    return json_object_get(document_root(r->aws->document), name);
}

static const char *option(const struct resolver *r, const char *name) {
    const struct import_options *options = &r->aws->import->options;
    size_t length = strlen(name);
    for (size_t i = 0; i < options->parameter_count; i++) {
        const char *each = options->parameters[i];
        if (!strncmp(each, name, length) && each[length] == '=') return each + length + 1;
    }
    return NULL;
}

/* "a,b" is a list where the parameter's type says so. */
static json_t *typed(struct resolver *r, const json_t *parameter, const char *text) {
    const char *type = json_string_value(json_object_get(parameter, "Type"));
    bool list = type && (!strcmp(type, "CommaDelimitedList") || !strncmp(type, "List<", 5));
    if (!list) return string_of(r, text);
    json_t *out = json_array();
    for (const char *at = text; out; at += strcspn(at, ",") + 1) {
        at += strspn(at, " ");
        json_t *item = json_stringn(at, strcspn(at, ","));
        if (json_array_append_new(out, item)) r->aws->import->short_of_memory = true;
        if (!at[strcspn(at, ",")]) break;
    }
    if (!out) r->aws->import->short_of_memory = true;
    return out;
}

static json_t *parameter_value(struct resolver *r, const char *name, const json_t *parameter) {
    struct import *import = r->aws->import;
    const char *given = option(r, name);
    const char *text = given ? given : text_of(r, json_object_get(parameter, "Default"));
    const char *type = json_string_value(json_object_get(parameter, "Type"));
    bool elsewhere = !given && type && !strncmp(type, "AWS::SSM::Parameter", 19);
    if (text && !elsewhere) return typed(r, parameter, text);
    if (type && !strcmp(type, "Number")) {
        import_note(import, IMPORT_MISSING, r->aws->file,
                    "parameter %s has no default: --parameter %s=VALUE gives one", name, name);
        return json_null();
    }
    import_note(import, IMPORT_ASSUMED, r->aws->file,
                "parameter %s is \"%s\": it has no default, and --parameter %s=VALUE gives one",
                name, name, name);
    return string_of(r, name);
}

static const char *pseudo(const char *name) {
    static const struct {
        const char *name, *value;
    } all[] = {{"AWS::Region", REGION},
               {"AWS::AccountId", ACCOUNT},
               {"AWS::StackName", STACK},
               {"AWS::StackId", "arn:aws:cloudformation:" REGION ":" ACCOUNT ":stack/" STACK},
               {"AWS::Partition", "aws"},
               {"AWS::URLSuffix", "amazonaws.com"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, name)) return all[i].value;
    return NULL;
}

static bool has_type(const json_t *resource, const char *type) {
    const char *text = json_string_value(json_object_get(resource, "Type"));
    return text && !strcmp(text, type);
}

static bool is_table(const json_t *resource) {
    return has_type(resource, "AWS::DynamoDB::Table") ||
           has_type(resource, "AWS::DynamoDB::GlobalTable") ||
           has_type(resource, "AWS::Serverless::SimpleTable");
}

/* A property as text, whatever it is written as; copied. */
static const char *property(struct resolver *r, const json_t *resource, const char *key) {
    json_t *properties = json_object_get(resource, "Properties");
    json_t *value = resolve(r, json_object_get(properties, key));
    const char *text = text_of(r, value);
    json_decref(value);
    return text;
}

/* What AWS calls a table whose name the template leaves to it, nobody knows before. */
static const char *table_name(struct resolver *r, const char *id, const json_t *resource) {
    const char *name = property(r, resource, "TableName");
    if (name && *name) return name;
    import_note(r->aws->import, IMPORT_ASSUMED, r->aws->file,
                "table %s: the template leaves its name to CloudFormation; its logical ID stands "
                "for it",
                id);
    return import_text(r->aws->import, "%s", id);
}

static const char *resource_name(struct resolver *r, const char *id, const json_t *resource) {
    struct import *import = r->aws->import;
    if (is_table(resource)) return table_name(r, id, resource);
    if (!has_type(resource, "AWS::ApplicationAutoScaling::ScalableTarget"))
        return import_text(import, "%s", id);
    const char *of = property(r, resource, "ResourceId");
    const char *dimension = property(r, resource, "ScalableDimension");
    const char *space = property(r, resource, "ServiceNamespace");
    return import_text(import, "%s|%s|%s", of ? of : "", dimension ? dimension : "",
                       space ? space : "");
}

static json_t *reference(struct resolver *r, const char *name) {
    const json_t *parameter = json_object_get(section(r, "Parameters"), name);
    const json_t *resource = json_object_get(section(r, "Resources"), name);
    const char *fixed = pseudo(name);
    const char *given = fixed ? option(r, name) : NULL;
    if (fixed) return string_of(r, given ? given : fixed);
    if (!strcmp(name, "AWS::NoValue")) return json_null();
    if (json_is_object(parameter)) return parameter_value(r, name, parameter);
    if (!json_is_object(resource)) return unknown(r, "Ref", name);
    const char *text = resource_name(r, name, resource);
    return text ? string_of(r, text) : json_null();
}

static json_t *attribute(struct resolver *r, const char *id, const char *name) {
    char text[512];
    const json_t *resource = json_object_get(section(r, "Resources"), id);
    if (!json_is_object(resource)) return unknown(r, "Fn::GetAtt of", id);
    if (is_table(resource) && !strcmp(name, "Arn")) {
        const char *table = table_name(r, id, resource);
        snprintf(text, sizeof text, "arn:aws:dynamodb:" REGION ":" ACCOUNT ":table/%s",
                 table ? table : id);
    } else {
        snprintf(text, sizeof text, "%s.%s", id, name);
    }
    return string_of(r, text);
}

/* ---- functions; each takes its resolved argument ---- */

typedef json_t *function_fn(struct resolver *r, const json_t *argument);

static json_t *do_ref(struct resolver *r, const json_t *argument) {
    const char *name = json_string_value(argument);
    return name ? reference(r, name) : unknown(r, "Ref", NULL);
}

static json_t *do_attribute(struct resolver *r, const json_t *argument) {
    const char *text = json_string_value(argument), *dot = text ? strchr(text, '.') : NULL;
    const char *id = json_string_value(json_array_get(argument, 0));
    const char *name = json_string_value(json_array_get(argument, 1));
    if (dot) {
        id = import_text(r->aws->import, "%.*s", (int)(dot - text), text);
        name = dot + 1;
    }
    return id && name ? attribute(r, id, name) : unknown(r, "Fn::GetAtt", NULL);
}

static json_t *named(struct resolver *r, const char *name, const json_t *own) {
    json_t *value = json_object_get(own, name);
    const char *dot = strchr(name, '.');
    if (value) return json_incref(value);
    if (!dot) return reference(r, name);
    const char *id = import_text(r->aws->import, "%.*s", (int)(dot - name), name);
    return id ? attribute(r, id, dot + 1) : json_null();
}

/* One ${...} of a text; the cursor stands behind it afterwards. */
static void put_named(struct resolver *r, struct buffer *out, const char **cursor,
                      const json_t *own) {
    const char *end = strchr(*cursor, '}');
    const char *name =
        end ? import_text(r->aws->import, "%.*s", (int)(end - *cursor - 2), *cursor + 2) : NULL;
    if (!name) {
        buffer_put(out, *cursor);
        *cursor += strlen(*cursor);
        return;
    }
    *cursor = end + 1;
    if (*name == '!') {
        buffer_printf(out, "${%s}", name + 1);
        return;
    }
    json_t *value = named(r, name, own);
    const char *text = text_of(r, value);
    buffer_put(out, text ? text : name);
    json_decref(value);
}

static json_t *finish(struct resolver *r, struct buffer *out) {
    bool too_long = out->length > TEXT_MAX;
    char *text = buffer_finish(out);
    json_t *value = text && !too_long ? string_of(r, text) : NULL;
    if (!text) r->aws->import->short_of_memory = true;
    free(text);
    return value ? value : json_null();
}

static json_t *do_sub(struct resolver *r, const json_t *argument) {
    const json_t *own = json_array_get(argument, 1);
    const char *text =
        json_string_value(json_is_array(argument) ? json_array_get(argument, 0) : argument);
    struct buffer out = {0};
    if (!text) return unknown(r, "Fn::Sub", NULL);
    while (*text) {
        size_t plain = strcspn(text, "$");
        if (!plain && text[1] == '{') {
            put_named(r, &out, &text, own);
            continue;
        }
        plain += plain == 0;
        buffer_add(&out, text, plain);
        text += plain;
    }
    return finish(r, &out);
}

static json_t *do_join(struct resolver *r, const json_t *argument) {
    const char *between = json_string_value(json_array_get(argument, 0));
    const json_t *list = json_array_get(argument, 1);
    struct buffer out = {0};
    if (!between || !json_is_array(list)) return unknown(r, "Fn::Join", NULL);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = text_of(r, json_array_get(list, i));
        if (i) buffer_put(&out, between);
        if (text) buffer_put(&out, text);
    }
    return finish(r, &out);
}

static json_t *do_select(struct resolver *r, const json_t *argument) {
    const json_t *which = json_array_get(argument, 0);
    const char *text = text_of(r, which);
    size_t number = text ? strtoul(text, NULL, 10) : 0;
    json_t *value = json_array_get(json_array_get(argument, 1), number);
    return value ? json_incref(value) : unknown(r, "Fn::Select", NULL);
}

static json_t *do_split(struct resolver *r, const json_t *argument) {
    const char *by = json_string_value(json_array_get(argument, 0));
    const char *text = json_string_value(json_array_get(argument, 1));
    if (!by || !*by || !text) return unknown(r, "Fn::Split", NULL);
    json_t *out = json_array();
    for (const char *at = text; at && out;) {
        const char *end = strstr(at, by);
        json_t *part = json_stringn(at, end ? (size_t)(end - at) : strlen(at));
        if (json_array_append_new(out, part)) r->aws->import->short_of_memory = true;
        at = end ? end + strlen(by) : NULL;
    }
    if (!out) r->aws->import->short_of_memory = true;
    return out ? out : json_null();
}

static json_t *do_find(struct resolver *r, const json_t *argument) {
    const json_t *at = section(r, "Mappings");
    for (size_t i = 0; i < 3; i++) {
        const char *key = text_of(r, json_array_get(argument, i));
        at = key ? json_object_get(at, key) : NULL;
    }
    return at ? json_incref((json_t *)(uintptr_t)at) : unknown(r, "Fn::FindInMap", NULL);
}

/* The branch that is not taken is not resolved: it may name what is not there. */
static json_t *do_if(struct resolver *r, const json_t *argument) {
    const char *condition = json_string_value(json_array_get(argument, 0));
    json_t *branch = condition ? json_array_get(argument, is_true(r, condition) ? 1 : 2) : NULL;
    return branch ? resolve(r, branch) : unknown(r, "Fn::If", NULL);
}

static json_t *do_equals(struct resolver *r, const json_t *argument) {
    const char *a = text_of(r, json_array_get(argument, 0));
    const char *b = text_of(r, json_array_get(argument, 1));
    return json_boolean(a && b && !strcmp(a, b));
}

static json_t *do_not(struct resolver *r, const json_t *argument) {
    (void)r;
    return json_boolean(!json_is_true(json_array_get(argument, 0)));
}

static json_t *count_true(const json_t *argument, size_t wanted) {
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(argument); i++)
        count += json_is_true(json_array_get(argument, i));
    return json_boolean(count >= wanted);
}

static json_t *do_and(struct resolver *r, const json_t *argument) {
    (void)r;
    return count_true(argument, json_array_size(argument));
}

static json_t *do_or(struct resolver *r, const json_t *argument) {
    (void)r;
    return count_true(argument, 1);
}

static json_t *do_condition(struct resolver *r, const json_t *argument) {
    const char *name = json_string_value(argument);
    return json_boolean(name && is_true(r, name));
}

static const struct function {
    const char *key;
    function_fn *call;
    bool takes_raw; /* its argument is resolved by itself */
} functions[] = {
    {"Ref", do_ref, false},
    {"Fn::GetAtt", do_attribute, false},
    {"Fn::Sub", do_sub, false},
    {"Fn::Join", do_join, false},
    {"Fn::Select", do_select, false},
    {"Fn::Split", do_split, false},
    {"Fn::FindInMap", do_find, false},
    {"Fn::If", do_if, true},
    {"Fn::Equals", do_equals, false},
    {"Fn::Not", do_not, false},
    {"Fn::And", do_and, false},
    {"Fn::Or", do_or, false},
    {"Condition", do_condition, false},
};

static const struct function *find_function(const char *key) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].key, key)) return &functions[i];
    return NULL;
}

/* ---- values ---- */

static void fail_depth(struct resolver *r) {
    struct document *document = r->aws->document;
    document_fail(
        document, document_root(document), NULL,
        "functions of the template name each other in a circle, or nest more than %d deep",
        DEPTH_MAX);
}

/* A mapping of one key that is a function. */
static const char *function_key(const json_t *value) {
    if (json_object_size(value) != 1) return NULL;
    const char *key = json_object_iter_key(json_object_iter((json_t *)(uintptr_t)value));
    bool is_function = !strcmp(key, "Ref") || !strcmp(key, "Condition") || !strncmp(key, "Fn::", 4);
    return is_function ? key : NULL;
}

static json_t *call(struct resolver *r, const char *key, json_t *argument) {
    const struct function *function = find_function(key);
    if (!function) return unknown(r, key, NULL);
    if (function->takes_raw) return function->call(r, argument);
    json_t *resolved = resolve(r, argument);
    json_t *value = function->call(r, resolved);
    json_decref(resolved);
    return value ? value : json_null();
}

static void replace_children(struct resolver *r, json_t *value) {
    for (void *at = json_object_iter(value); at; at = json_object_iter_next(value, at)) {
        json_t *old = json_object_iter_value(at), *fresh = resolve(r, old);
        if (fresh != old) document_keep(r->aws->document, json_incref(old));
        if (json_object_iter_set_new(value, at, fresh)) r->aws->import->short_of_memory = true;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        json_t *old = json_array_get(value, i), *fresh = resolve(r, old);
        if (fresh != old) document_keep(r->aws->document, json_incref(old));
        if (json_array_set_new(value, i, fresh)) r->aws->import->short_of_memory = true;
    }
}

/* A new reference to what a value stands for: objects and lists themselves, with other children. */
static json_t *resolve(struct resolver *r, json_t *value) {
    const char *key = function_key(value);
    json_t *out;
    if (!value) return json_null();
    if (++r->depth > DEPTH_MAX || ++r->steps > STEPS_MAX) {
        fail_depth(r);
        out = json_null();
    } else if (key) {
        out = call(r, key, json_object_get(value, key));
    } else {
        replace_children(r, value);
        out = json_incref(value);
    }
    r->depth--;
    return out;
}

static bool is_true(struct resolver *r, const char *condition) {
    json_t *value = resolve(r, json_object_get(section(r, "Conditions"), condition));
    bool holds = json_is_true(value);
    json_decref(value);
    return holds;
}

/* ---- the template ---- */

bool resolve_is_made(struct aws *aws, const json_t *resource) {
    struct resolver r = {.aws = aws};
    const char *condition = json_string_value(json_object_get(resource, "Condition"));
    return !condition || is_true(&r, condition);
}

const char *resolve_name(struct aws *aws, const char *logical_id) {
    struct resolver r = {.aws = aws};
    const json_t *resource = json_object_get(section(&r, "Resources"), logical_id);
    return resource_name(&r, logical_id, resource);
}

/* Only what this program reads: a template has much else. */
static bool is_wanted(const char *type) {
    static const char *const spaces[] = {"AWS::DynamoDB::", "AWS::ApplicationAutoScaling::",
                                         "AWS::CloudWatch::Alarm", "AWS::Serverless::SimpleTable"};
    for (size_t i = 0; type && i < sizeof spaces / sizeof *spaces; i++)
        if (!strncmp(type, spaces[i], strlen(spaces[i]))) return true;
    return false;
}

void resolve_template(struct aws *aws) {
    struct resolver r = {.aws = aws};
    json_t *resources = json_object_get(document_edit(aws->document), "Resources"), *resource;
    const char *id;
    json_object_foreach(resources, id, resource) {
        json_t *properties = json_object_get(resource, "Properties");
        const char *type = json_string_value(json_object_get(resource, "Type"));
        if (!json_is_object(properties) || !is_wanted(type)) continue;
        if (!resolve_is_made(aws, resource)) continue;
        if (!function_key(properties)) replace_children(&r, properties);
    }
}
