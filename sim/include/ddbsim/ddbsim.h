/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ddbsim: a discrete-event simulator of DynamoDB's partitions and throttling.
 *
 * The life of a run. A scenario (scenario.h) is loaded from YAML or built in code (build.h): plain data,
 * checked. A run (run.h) is created from it with a seed and a sink (log.h). Advancing the run lets
 * workloads (workload.h) bring requests to tables; a program may bring its own (inject.h); each is admitted
 * or refused for one of sixteen reasons (names.h), and what happens is handed to the sink as rows: usually
 * the SQLite log. Whoever wants to know what it means opens that database; how things stand meanwhile can
 * be read off the run (state.h). Whatever fails says so in a struct ddbsim_error (error.h).
 *
 * Everywhere: what a function creates belongs to the caller and has a destroy function, which takes NULL;
 * what it is given it borrows for the call, unless it says for longer; names it returns belong to the
 * library or the scenario. One run is used by one thread at a time; several runs may go on at once, also
 * over one scenario. Structs may grow at their end with a new minor version, never within one.
 */
#ifndef DDBSIM_DDBSIM_H
#define DDBSIM_DDBSIM_H

#include <ddbsim/assumptions.h>
#include <ddbsim/build.h>
#include <ddbsim/error.h>
#include <ddbsim/export.h>
#include <ddbsim/inject.h>
#include <ddbsim/log.h>
#include <ddbsim/names.h>
#include <ddbsim/presets.h>
#include <ddbsim/run.h>
#include <ddbsim/scenario.h>
#include <ddbsim/state.h>
#include <ddbsim/workload.h>

#define DDBSIM_VERSION "0.1.0"

DDBSIM_API const char *ddbsim_version(void);

#endif
