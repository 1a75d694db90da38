#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Expectations: of the base and of variants, over one seed and over several.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"

scenario small
expect 0 check small.yaml
said out 'no expectations'
absent small.db

cat >>small.yaml <<'END'
variants:
  - name: plenty
    set: {tables.orders.write_capacity: 500}
    expect:
      - {metric: throttled_ratio, is: 0%..0%}
      - {cause: none}
  - {name: untested, set: {tables.orders.write_capacity: 1}}
expect:
  - {reason: TableWriteProvisionedThroughputExceeded, share: 100%..100%}
  - {cause: table_capacity}
  - {event: throttling_started, first: "12:00..12:02"}
  - {metric: requests, is: 2000..2800, of: mean}
END
expect 0 check small.yaml
said out 'ok'
said out 'table_capacity'
said out 'plenty'
unsaid out 'untested'
unsaid out 'FAIL'
said out 'needs --seeds'
absent small.db

expect 0 check small.yaml --seeds 1..4
said out 'seeds 1..4'
said out 'mean'
unsaid out 'needs --seeds'
expect 0 check small.yaml --variant plenty
unsaid out 'table_capacity'
expect 0 check small.yaml --no-run
said out 'valid'
unsaid out 'FAIL'
"$DDBSIM" check - --seeds 3 <small.yaml >out 2>err || fail 'check -'
said out 'plenty'

# One that does not hold.
sed 's/{cause: none}/{cause: hot_partition}/; s/2000..2800/1..2/' small.yaml >broken.yaml
expect 99 check broken.yaml
said out 'FAIL'
said out 'hot_partition'
said out '1 failed'
expect 99 check broken.yaml --seeds 1..2
said out '2 failed'
said out '2 of 2 seeds'
expect 0 check broken.yaml --no-run

# What no run can hold is said without one.
sed 's/^values:/values:\n  a: {count: 1000000000000}\n  b: {count: 1000000000000}/' small.yaml >wide.yaml
expect 0 check wide.yaml --no-run
sed 's/"C#{customer}"/"C#{a}{b}"/' wide.yaml >wider.yaml
refused check wider.yaml --no-run
said err '2^64'

expect 99 check broken.yaml --format json --seeds 1..2
is_json out
[ "$(json out '$.passed')" = 0 ] || fail 'passed'
[ "$(json out '$.seeds')" = 2 ] || fail 'seeds'
expect 0 check small.yaml --format json
is_json out
[ "$(json out '$.passed')" = 1 ] || fail 'passed'
expect 0 check small.yaml --format json --no-run
is_json out

# Kept runs, and what was judged.
expect 99 check broken.yaml --seeds 1..2 --keep kept.db
[ "$(ask kept.db 'SELECT count(*), count(DISTINCT seed), count(DISTINCT variant) FROM run')" = \
    '4|2|2' ] || fail 'the runs'
[ "$(ask kept.db "SELECT count(*) FROM verdict WHERE kind = 'expect' AND NOT passed")" = 2 ] ||
    fail 'the verdicts'
expect 0 run small.yaml --seed 2 -o two.db --quiet
[ "$(ask two.db 'SELECT digest FROM run')" = \
    "$(ask kept.db "SELECT digest FROM run WHERE seed = 2 AND variant = 'base'")" ] ||
    fail 'check and run differ'
refused check small.yaml --keep kept.db
said err 'kept.db'
expect 0 check small.yaml --keep kept.db --force

for seeds in x 3..1 1.. ..3 1..99999999 1-3 ''; do
    refused check small.yaml --seeds="$seeds"
    said err '--seeds'
done
refused check small.yaml --variant nobody
said err 'nobody'
sed 's/cause: none/cause: nonne/' small.yaml >wrong.yaml
refused check wrong.yaml
said err 'wrong.yaml'

# Thresholds are another verb's.
scenario bounded
printf 'thresholds:\n  - "attempts > 0"\n' >>bounded.yaml
expect 0 check bounded.yaml
said out "1 threshold: \`ddbsim run' judges them"
expect 0 check bounded.yaml --format json
[ "$(json out '$.thresholds_not_judged')" = 1 ] || fail 'thresholds_not_judged'

# What a workload without a queue cannot have is not held to be none; samples are a count, of latencies too.
scenario counted
printf 'expect:\n  - {metric: dead_letters, from: +0s, to: +1s, is: 0..0}\n' >>counted.yaml
expect 99 check counted.yaml
said out 'nothing observed'
scenario sampled
printf 'expect:\n  - {metric: SuccessfulRequestLatency, statistic: SampleCount, is: 0..1}\n' >>sampled.yaml
expect 99 check sampled.yaml
unsaid out ' ms'
