/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The zipfian popularity of YCSB (Cooper et al., SoCC 2010), as its CoreWorkload has it: a rank among 10^10 items of
 * theta 0.99, by the quick method of Gray et al. ("Quickly generating billion-record synthetic databases", SIGMOD
 * 1994) and with a zeta of 26.46902820178302 that is written in it, then that rank's FNV-1a hash modulo the key space;
 * what does not exist is drawn again. So it is neither Zipf's law over the records nor a bijection of it: two ranks
 * may meet in one record.
 */
#ifndef WORKLOADS_YCSB_H
#define WORKLOADS_YCSB_H

#include <base/types.h>

#define YCSB_RANKS (UINT64_C(1) << 20) /* each weighed by itself; the others lie evenly */

/* Probability of a rank; of all ranks from YCSB_RANKS on together. */
double ycsb_weight(uint64_t rank);
double ycsb_tail_weight(void);
/* Where a rank lies in a key space of so many keys. */
uint64_t ycsb_place(uint64_t rank, uint64_t keyspace);

#endif
