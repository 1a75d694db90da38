/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ddbsim: a discrete-event simulator of DynamoDB's partitions and throttling.
 *
 * The life of a run. A scenario (scenario.h) is loaded from YAML or built in code: plain data, checked.
 * A run (run.h) is created from it with a seed and a sink (log.h). Advancing the run lets workloads
 * (workload.h) bring requests to tables; each is admitted or refused for one of sixteen reasons
 * (names.h), and what happens is handed to the sink as rows: usually the SQLite log. Whoever wants to
 * know what it means opens that database. Whatever fails says so in a struct ddbsim_error (error.h).
 */
#ifndef DDBSIM_DDBSIM_H
#define DDBSIM_DDBSIM_H

#include <ddbsim/assumptions.h>
#include <ddbsim/error.h>
#include <ddbsim/export.h>
#include <ddbsim/log.h>
#include <ddbsim/names.h>
#include <ddbsim/presets.h>
#include <ddbsim/run.h>
#include <ddbsim/scenario.h>
#include <ddbsim/workload.h>

#define DDBSIM_VERSION "0.1.0"

DDBSIM_API const char *ddbsim_version(void);

#endif
