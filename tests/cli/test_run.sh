#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs: the same seed gives the same digest, thresholds are judged after everything is written.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"

digest() { ask "$1" 'SELECT digest FROM run'; }

scenario small
expect 0 run small.yaml -o one.db
expect 0 run small.yaml -o two.db
expect 0 run small.yaml --seed 5 -o five.db
expect 0 run small.yaml --seed 6 -o six.db
"$DDBSIM" run - -o stdin.db <small.yaml >out 2>err || fail 'run -'
[ "$(digest one.db | wc -c)" -eq 33 ] || fail "digest: $(digest one.db)"
for other in two five stdin; do
    [ "$(digest one.db)" = "$(digest "$other.db")" ] || fail "one.db and $other.db differ"
done
[ "$(digest one.db)" != "$(digest six.db)" ] || fail 'another seed, the same digest'

[ "$(ask one.db 'SELECT status, variant, replication, seed FROM run')" = 'complete|base|0|5' ] ||
    fail 'the run'
[ "$(ask one.db 'SELECT kind FROM study')" = run ] || fail 'the study'
[ "$(ask one.db 'SELECT command FROM study')" = 'ddbsim run small.yaml -o one.db' ] ||
    fail 'the command'
absent one.db.part

# A threshold that does not hold: 99, after the database stands.
cat >>small.yaml <<'END'
thresholds:
  - "throttled_ratio < 0.1%"
  - "attempts > 0"
END
expect 99 run small.yaml -o unmet.db
said out 'threshold not met: throttled_ratio < 0.1%'
said out 'threshold met: attempts > 0'
[ "$(ask unmet.db "SELECT count(*), sum(passed) FROM verdict WHERE kind = 'threshold'")" = '2|1' ] ||
    fail 'the verdicts'
[ "$(ask unmet.db 'SELECT status FROM run')" = complete ] || fail 'unmet.db'
expect 99 run small.yaml -o unmet.json.db --format json
is_json out
said err 'throttled_ratio < 0.1%'
unsaid err 'attempts > 0'
[ "$(json out '$.thresholds[0].expression') $(json out '$.thresholds[0].passed')" = 'attempts > 0 1' ] ||
    fail 'the thresholds in JSON'
expect 0 run small.yaml --set tables.orders.write_capacity=500 -o met.db
expect 0 explain unmet.db

# What --set did is said, and the fixes repeat it.
scenario base
expect 0 run base.yaml --set workloads.web.scale=2 -o double.db
said out 'variant base + workloads.web.scale=2'
[ "$(ask double.db 'SELECT path, value, by_option FROM varied')" = 'workloads.web.scale|2|1' ] ||
    fail 'varied'
expect 0 explain double.db
said out 'What ran: variant base + workloads.web.scale=2.'
said out '--set workloads.web.scale=2'
said out '-o base-fix-1.db'
"$DDBSIM" explain - <base.yaml >out 2>err || fail 'explain -'
said out 'ddbsim run - '

# A database by another name, and a folder that is not there.
expect 0 run base.yaml -o result.txt
said err 'SQLite'
expect 3 run base.yaml -o nowhere/result.db
said err 'mkdir -p nowhere'
