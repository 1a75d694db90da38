#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What AWS refuses as it stands runs with a warning; a workload of batches is told what to watch.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"

cat >refused.yaml <<'END'
version: 1
name: refused
duration: 1m
values: {k: {count: 100}}
tables:
  - {name: t, read_capacity: 100, write_capacity: 100, entities: [{name: e, partition_key: "K#{k}", count: 100, size: 1 KB}]}
workloads:
  - name: w
    rate: 5/s
    arrivals: paced
    mix: [{name: big, operation: BatchWriteItem, batch_size: 26}]
expect:
  - {metric: UserErrors, is: 300..300}
  - {metric: user_errors, is: 300..300}
  - {metric: write_units, is: 0..0}
  - {metric: throttled_attempts, is: 0..0}
END
expect 0 check refused.yaml
said err 'AWS refuses each call of big in workload w: a batch of more than 25 items'
expect 0 check refused.yaml --no-run
said err 'AWS refuses each call of big'
expect 0 check refused.yaml --quiet
empty err
expect 0 run refused.yaml
said err 'AWS refuses each call of big'
[ "$(ask refused.db "SELECT sum(sum) FROM metric JOIN resource USING (run_id, resource_id)
    WHERE name = 'UserErrors' AND kind = 'account'")" = 300.0 ] || fail 'UserErrors of the account'
expect 0 explain refused.db
expect 0 plot refused.db -o refused.png --force

cat >batches.yaml <<'END'
version: 1
name: batches
duration: 10m
values: {k: {count: 10000}}
tables:
  - {name: t, read_capacity: 1, write_capacity: 100, burst: {initial: 0%}, entities: [{name: e, partition_key: "K#{k}", count: 10000, size: 1 KB}]}
workloads:
  - {name: loader, rate: 5/s, arrivals: paced, mix: [{operation: BatchWriteItem, batch_size: 25}]}
alarms:
  - {name: requests, table: t, metric: ThrottledRequests, comparison: ">", threshold: 0}
expect:
  - {alarm: requests, count: 0..0}
  - {cause: batch_hidden}
END
expect 0 check batches.yaml
expect 0 explain batches.yaml
said out 'watch WriteThrottleEvents of table t'
