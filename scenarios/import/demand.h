/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who asked for what, as far as CloudWatch's metrics tell it: a workload for each table that they are of. */
#ifndef IMPORT_DEMAND_H
#define IMPORT_DEMAND_H

#include "metrics.h"

/* How callers retry where nobody says it: what the SDK for Python does in its standard mode. */
#define DEMAND_CLIENT "boto3-standard"

/* When the series are there: workloads, files of their load, what moves an index's key, who is popular, and what was
 * provisioned when. */
DDBSIM_MUST_CHECK enum ddbsim_status demand_join(struct import *import, struct ddbsim_error *error);

#endif
