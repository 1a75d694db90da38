/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UpdateTable: what people (changes of the scenario) and scalers (scaling.h) ask of a table while it runs, new
 * capacity or another capacity mode. Rules M-40, M-41, M-46, M-47.
 */
#ifndef MODEL_CONTROL_H
#define MODEL_CONTROL_H

#include <model/model.h>

/* Takes the loop's events of it. */
void control_handle(struct model *model);
/* Somebody makes a change of the scenario: its calls begin, or wait for the one under way. */
void control_change(struct model *model, uint32_t change);
/* A scaler asks for new capacity of a provisioned resource. It waits while the table is being updated; of two that wait
 * the later holds. `by` names the scaler, as a JSON word; it is kept. */
void control_scale(struct model *model, struct resource *resource, enum direction direction,
                   int64_t capacity, const char *by, int64_t now_ns);
/* Something of it is due: it is looked at between events. */
void control_request(struct model *model);
/* Is a capacity of this resource asked for, or about to act? */
bool control_is_busy(const struct model *model, const struct resource *resource,
                     enum direction direction);
/* What changes and scalers asked for begins, and what is under way goes on. Between events; false when memory is
 * short. */
bool control_apply(struct model *model);
/* The decreases that were made on the UTC day of now_ns. */
int64_t control_decreases(const struct model *model, struct resource *resource, int64_t now_ns);

#endif
