/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Application Auto Scaling says (API reference, ScalableTarget, ScalingPolicy, ScheduledAction), as the AWS CLI
 * prints it. A target bounds one dimension of one resource, such as dynamodb:index:WriteCapacityUnits of
 * table/NAME/index/NAME; a policy belongs to the target of the same two names.
 *
 * Invariant: a table or index that is named here and described nowhere is known by its name alone.
 */
#include "scaling.h"

#include "kinds.h"

#include <loader/literal.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COOLDOWN_MAX_S 86400

const struct scaling_words scaling_aws_words = {
    .resource_id = "ResourceId",
    .dimension = "ScalableDimension",
    .space = "ServiceNamespace",
    .min = "MinCapacity",
    .max = "MaxCapacity",
    .type = "PolicyType",
    .tracking = "TargetTrackingScalingPolicyConfiguration",
    .target = "TargetValue",
    .scale_in = "ScaleInCooldown",
    .scale_out = "ScaleOutCooldown",
    .disable = "DisableScaleIn",
    .action_name = "ScheduledActionName",
    .schedule = "Schedule",
    .timezone = "Timezone",
    .action = "ScalableTargetAction",
};

const struct scaling_words scaling_terraform_words = {
    .resource_id = "resource_id",
    .dimension = "scalable_dimension",
    .space = "service_namespace",
    .min = "min_capacity",
    .max = "max_capacity",
    .type = "policy_type",
    .tracking = "target_tracking_scaling_policy_configuration",
    .target = "target_value",
    .scale_in = "scale_in_cooldown",
    .scale_out = "scale_out_cooldown",
    .disable = "disable_scale_in",
    .action_name = "name",
    .schedule = "schedule",
    .timezone = "timezone",
    .action = "scalable_target_action",
};

/* ---- what is scaled ---- */

struct scaling_of scaling_find(struct aws *aws, const char *resource_id, const char *dimension) {
    struct scaling_of none = {NULL, false};
    if (!resource_id || !dimension || strncmp(resource_id, "table/", 6) != 0) return none;
    if (strncmp(dimension, "dynamodb:", 9) != 0) return none;
    const char *name = resource_id + 6, *slash = strchr(name, '/');
    size_t length = slash ? (size_t)(slash - name) : strlen(name);
    if (!length || length > TABLES_NAME_MAX) return none;
    const char *table_name = import_text(aws->import, "%.*s", (int)length, name);
    struct import_table *table =
        table_name ? import_table(aws->import, table_name, aws->file) : NULL;
    if (!table) return none;
    struct scaling_of of = {&table->resource, strstr(dimension, "Write") != NULL};
    if (!slash) return of;
    if (strncmp(slash, "/index/", 7) != 0 || !slash[7]) return none;
    struct import_index *index = import_index(aws->import, table, slash + 7);
    of.resource = index ? &index->resource : NULL;
    return of;
}

static struct import_policy *policy_of(struct scaling_of of) {
    return of.is_write ? &of.resource->write : &of.resource->read;
}

static struct scaling_of find(struct aws *aws, const struct scaling_words *words,
                              const json_t *node) {
    const char *space = document_text(aws->document, node, words->space);
    struct scaling_of of = scaling_find(aws, document_text(aws->document, node, words->resource_id),
                                        document_text(aws->document, node, words->dimension));
    if (space && strcmp(space, "dynamodb") != 0) of.resource = NULL;
    return of;
}

/* ---- targets and policies ---- */

/* Two files of the same worth that differ: the later one counts, and both are named. */
static bool counts(struct aws *aws, const char *what, const char *old_file, enum import_rank old,
                   enum import_rank fresh, const struct import_resource *of, bool same) {
    if (!old_file || same) return !old_file || fresh >= old;
    import_note(aws->import, IMPORT_ASSUMED, NULL,
                "%s: %s in %s and %s differ; the one in %s counts", of->name, what, old_file,
                aws->file, fresh >= old ? aws->file : old_file);
    return fresh >= old;
}

void scaling_take_bounds(struct aws *aws, const struct scaling_words *words, const json_t *bounds,
                         struct scaling_of of, enum import_rank rank) {
    struct import_policy *policy = policy_of(of);
    int64_t low = document_integer(aws->document, bounds, words->min, 0, AWS_UNITS_MAX, 1);
    int64_t high = document_integer(aws->document, bounds, words->max, 0, AWS_UNITS_MAX, low);
    if (low < 1) low = 1; /* AWS takes 0 and sets 1 */
    if (low > high) {
        document_fail(aws->document, bounds, words->max,
                      "the least capacity %" PRId64 " is above the most, %" PRId64, low, high);
        return;
    }
    bool same = policy->min_capacity == low && policy->max_capacity == high;
    if (!counts(aws, "the bounds of auto scaling", policy->bounds_file, policy->bounds_rank, rank,
                of.resource, same))
        return;
    policy->bounds_file = aws->file;
    policy->bounds_rank = rank;
    policy->min_capacity = low;
    policy->max_capacity = high;
}

void scaling_take_target(struct aws *aws, const struct scaling_words *words, const json_t *target,
                         enum import_rank rank) {
    struct scaling_of of = find(aws, words, target);
    if (!of.resource) return;
    scaling_take_bounds(aws, words, target, of, rank);
    import_note(aws->import, IMPORT_TOOK, aws->file, "the bounds of %s capacity of %s",
                of.is_write ? "write" : "read", of.resource->name);
}

void scaling_take_tracking(struct aws *aws, const struct scaling_words *words,
                           const json_t *tracking, struct scaling_of of, enum import_rank rank) {
    struct document *document = aws->document;
    struct import_policy *policy = policy_of(of), fresh = *policy;
    fresh.target_percent = document_number(document, tracking, words->target, 70);
    fresh.scale_in_s = document_integer(document, tracking, words->scale_in, 0, COOLDOWN_MAX_S, 0);
    fresh.scale_out_s =
        document_integer(document, tracking, words->scale_out, 0, COOLDOWN_MAX_S, 0);
    fresh.disable_scale_in = document_bool(document, tracking, words->disable, false);
    fresh.file = aws->file;
    fresh.rank = rank;
    if (fresh.target_percent < 20 || fresh.target_percent > 90) {
        document_fail(document, tracking, words->target, "%g is no target of 20 to 90 %%",
                      fresh.target_percent);
        return;
    }
    bool same = policy->target_percent >= fresh.target_percent &&
                policy->target_percent <= fresh.target_percent;
    if (counts(aws, "the targets of auto scaling", policy->file, policy->rank, rank, of.resource,
               same))
        *policy = fresh;
}

void scaling_take_policy(struct aws *aws, const struct scaling_words *words, const json_t *node,
                         struct scaling_of of, enum import_rank rank) {
    const json_t *tracking = json_object_get(node, words->tracking);
    if (json_is_array(tracking)) /* Terraform's blocks are lists */
        tracking =
            document_item(aws->document, document_array(aws->document, node, words->tracking), 0);
    else
        tracking = document_object(aws->document, node, words->tracking);
    const char *type = document_text(aws->document, node, words->type);
    if (!tracking) {
        import_note(aws->import, IMPORT_PASSED, aws->file,
                    "a policy of %s of type %s: only target tracking is simulated",
                    of.resource->name, type ? type : "unknown");
        return;
    }
    scaling_take_tracking(aws, words, tracking, of, rank);
    import_note(aws->import, IMPORT_TOOK, aws->file, "auto scaling of the %s capacity of %s",
                of.is_write ? "write" : "read", of.resource->name);
}

/* ---- scheduled actions ---- */

static void put_timezone(struct aws *aws, struct yaml_node *action, const char *timezone,
                         const char *schedule) {
    int32_t offset;
    if (!timezone || !strcmp(timezone, "UTC") || !strncmp(schedule, "rate", 4)) return;
    if (literal_offset(timezone, &offset)) {
        import_put(aws->import, action, "timezone", "%s", timezone);
        return;
    }
    struct yaml_node *line = import_put(aws->import, action, "timezone", "+00:00");
    import_comment(aws->import, line, "assumed: %s at that time of the year", timezone);
    import_note(
        aws->import, IMPORT_ASSUMED, aws->file,
        "a scheduled action in the time zone %s fires by +00:00 (-12:00..+14:00): write its "
        "offset at that time of the year",
        timezone);
}

/* One of the same name makes room: the later description counts. */
static struct yaml_node *add_action(struct aws *aws, struct import_resource *resource,
                                    const char *name) {
    if (!resource->actions) resource->actions = yaml_new(aws->import->arena, YAML_SEQUENCE, NULL);
    if (!resource->actions) {
        aws->import->short_of_memory = true;
        return NULL;
    }
    for (struct yaml_node *old = resource->actions->first, *next; old; old = next) {
        const char *theirs = yaml_text(old, "name");
        next = old->next;
        if (name && theirs && !strcmp(theirs, name)) yaml_remove(resource->actions, old);
    }
    return import_item(aws->import, resource->actions);
}

static void put_bound(struct aws *aws, struct yaml_node *bounds, const json_t *node,
                      const char *key, const char *name) {
    int64_t units = document_integer(aws->document, node, key, 0, AWS_UNITS_MAX, IMPORT_UNKNOWN);
    if (units == IMPORT_UNKNOWN) return;
    import_put(aws->import, bounds, name, "%" PRId64, units > 0 ? units : 1);
}

void scaling_take_action(struct aws *aws, const struct scaling_words *words, const json_t *node,
                         struct scaling_of of) {
    struct document *document = aws->document;
    const char *schedule = document_name(document, node, words->schedule);
    const char *name = document_text(document, node, words->action_name);
    const json_t *bounds = json_object_get(node, words->action);
    bounds = json_is_array(bounds)
                 ? document_item(document, document_array(document, node, words->action), 0)
                 : document_object(document, node, words->action);
    if (!schedule || !bounds) return;
    struct yaml_node *action = add_action(aws, of.resource, name ? name : schedule);
    if (!action) return;
    import_put(aws->import, action, "name", "%s", name ? name : schedule);
    import_put(aws->import, action, "schedule", "%s", schedule);
    put_timezone(aws, action, document_text(document, node, words->timezone), schedule);
    struct yaml_node *set = import_map(aws->import, action, of.is_write ? "write" : "read");
    put_bound(aws, set, bounds, words->min, "min_capacity");
    put_bound(aws, set, bounds, words->max, "max_capacity");
    import_note(aws->import, IMPORT_TOOK, aws->file, "scheduled action %s", name ? name : schedule);
}

/* ---- what the CLI prints ---- */

static bool has_list(const struct import_file *file, const char *key) {
    return file->document && json_is_array(json_object_get(document_root(file->document), key));
}

bool scaling_is_policies(const struct import_file *file) {
    return has_list(file, "ScalingPolicies");
}
bool scaling_is_targets(const struct import_file *file) {
    return has_list(file, "ScalableTargets");
}
bool scaling_is_actions(const struct import_file *file) {
    return has_list(file, "ScheduledActions");
}

typedef void take_fn(struct aws *aws, const json_t *node);

static void take_policy(struct aws *aws, const json_t *node) {
    struct scaling_of of = find(aws, &scaling_aws_words, node);
    if (of.resource) scaling_take_policy(aws, &scaling_aws_words, node, of, IMPORT_STATE);
}

static void take_target(struct aws *aws, const json_t *node) {
    scaling_take_target(aws, &scaling_aws_words, node, IMPORT_STATE);
}

static void take_action(struct aws *aws, const json_t *node) {
    struct scaling_of of = find(aws, &scaling_aws_words, node);
    if (of.resource) scaling_take_action(aws, &scaling_aws_words, node, of);
}

static enum ddbsim_status take_list(struct import *import, const struct import_file *file,
                                    const char *key, take_fn *take, struct ddbsim_error *error) {
    struct aws aws = {.import = import, .document = file->document, .file = file->path};
    const json_t *list = document_array(aws.document, document_root(aws.document), key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *node = document_item(aws.document, list, i);
        if (node) take(&aws, node);
    }
    return aws_status(&aws, error);
}

enum ddbsim_status scaling_take_policies(struct import *import, const struct import_file *file,
                                         struct ddbsim_error *error) {
    return take_list(import, file, "ScalingPolicies", take_policy, error);
}

enum ddbsim_status scaling_take_targets(struct import *import, const struct import_file *file,
                                        struct ddbsim_error *error) {
    return take_list(import, file, "ScalableTargets", take_target, error);
}

enum ddbsim_status scaling_take_actions(struct import *import, const struct import_file *file,
                                        struct ddbsim_error *error) {
    return take_list(import, file, "ScheduledActions", take_action, error);
}
