/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine that runs out of memory at the n-th allocation. The program's own malloc and its
 * relatives take the place of libc's for every library in the process, so that SQLite, cairo, libyaml
 * and jansson are short of memory too.
 */
#ifndef TESTS_FAULTS_SHORT_MEMORY_H
#define TESTS_FAULTS_SHORT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Allocations are counted from here on, and the n-th fails; n 0: none. `on`: all after it fail too. */
void short_memory_start(uint64_t n, bool on);
/* Nothing fails any more; how many were counted. */
uint64_t short_memory_stop(void);
/* How many failed since start. */
uint64_t short_memory_refused(void);

#endif
