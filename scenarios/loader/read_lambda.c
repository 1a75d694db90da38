/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lambda between a workload's load and its work: a queue's, or a stream's. */
#include <loader/read.h>

#include <base/types.h>
#include <loader/client.h>

#define ENVIRONMENTS_MAX 1250 /* of one queue, as AWS has it */
#define RECORDS 100           /* of a batch, as AWS has it */

static enum ddbsim_status read_concurrency(struct reader *r, struct yaml_node *queue,
                                           struct ddbsim_concurrency *out) {
    struct yaml_node *node = read_section(r, queue, "concurrency");
    if (!node) return error_memory(r->error);
    out->minimum = (uint32_t)read_int(r, SECTION_CONCURRENCY, node, "minimum", 0);
    out->maximum = (uint32_t)read_int(r, SECTION_CONCURRENCY, node, "maximum", ENVIRONMENTS_MAX);
    out->per_minute = (uint32_t)read_int(r, SECTION_CONCURRENCY, node, "per_minute", 0);
    if (out->minimum <= out->maximum)
        return read_fill(r, SECTION_CONCURRENCY, node, "maximum", out->maximum);
    enum ddbsim_status status =
        yaml_fail(r->error, read_at(node, "maximum"),
                  "the maximum of %u is below the minimum of %u", out->maximum, out->minimum);
    error_hint(r->error, "state `minimum` too");
    return status;
}

enum ddbsim_status read_queue(struct reader *r, const struct yaml_node *workload,
                              struct ddbsim_workload *out) {
    struct yaml_node *node = yaml_child(workload, "queue");
    struct ddbsim_queue *queue = &out->queue;
    *queue = (struct ddbsim_queue){0};
    if (!node) return DDBSIM_OK;
    if (out->vus > 0 || out->reads_stream || out->max_vus > 0)
        return yaml_fail_key(r->error, node,
                             "a queue gets its messages at a rate: no vus, max_vus or stream_of");
    queue->enabled = true;
    queue->batch_size = (uint32_t)read_int(r, SECTION_QUEUE, node, "batch_size", 0);
    queue->visibility_timeout_ns = read_int(r, SECTION_QUEUE, node, "visibility_timeout", 0);
    queue->max_receive_count =
        (uint32_t)read_int(r, SECTION_QUEUE, node, "max_receive_count", UINT32_MAX);
    enum ddbsim_status status = read_concurrency(r, node, &queue->concurrency);
    if (status || (uint64_t)queue->concurrency.maximum * queue->batch_size <= CLIENT_MESSAGES_MAX)
        return status;
    return yaml_fail(r->error, node, "all invocations together would hold more than %d messages",
                     CLIENT_MESSAGES_MAX);
}

/* AWS makes no event source of a queue that would hand its messages out again while they are worked on. */
enum ddbsim_status read_check_queue(struct reader *r, const struct yaml_node *workload,
                                    const struct ddbsim_workload *read) {
    const struct yaml_node *node = yaml_child(workload, "queue");
    int64_t timeout_ns = read->client.function_timeout_ns;
    if (!node || timeout_ns == DDBSIM_NO_TIMEOUT || read->queue.visibility_timeout_ns >= timeout_ns)
        return DDBSIM_OK;
    enum ddbsim_status status =
        yaml_fail(r->error, read_at(node, "visibility_timeout"),
                  "the visibility timeout is less than the function timeout: AWS refuses that");
    error_hint(r->error, "AWS's advice is six times client.function_timeout");
    return status;
}

void read_stream_lambda(struct reader *r, const struct yaml_node *workload,
                        struct ddbsim_stream_lambda *out) {
    static const char *const keys[] = {"batch_size", "parallelization_factor",
                                       "bisect_batch_on_function_error", "maximum_retry_attempts",
                                       "maximum_record_age"};
    *out = (struct ddbsim_stream_lambda){0};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        out->enabled |= yaml_child(workload, keys[i]) != NULL;
    if (!out->enabled) return;
    out->batch_size = (uint32_t)read_int(r, SECTION_WORKLOAD, workload, keys[0], RECORDS);
    out->parallelization_factor = (uint32_t)read_int(r, SECTION_WORKLOAD, workload, keys[1], 1);
    out->bisects = read_int(r, SECTION_WORKLOAD, workload, keys[2], false);
    out->maximum_retry_attempts = read_int(r, SECTION_WORKLOAD, workload, keys[3], -1);
    out->maximum_record_age_ns =
        read_int(r, SECTION_WORKLOAD, workload, keys[4], DDBSIM_STREAM_RETENTION_NS);
}
