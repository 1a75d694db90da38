/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What people ask of a table while it runs: UpdateTable with new capacity or another capacity mode. Rules
 * M-40, M-41, M-46.
 */
#ifndef MODEL_CONTROL_H
#define MODEL_CONTROL_H

#include <model/model.h>

/* Changes are known beforehand, so their UpdateTables are scheduled at once. */
void control_schedule(struct model *model);
/* Takes the loop's events of it. */
void control_handle(struct model *model);
/* Updates whose partitions are there act. Between events; false when memory is short. */
bool control_apply(struct model *model);

#endif
