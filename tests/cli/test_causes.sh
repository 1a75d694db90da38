#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The causes that partitions, splits and on-demand tables bring: each from a scenario that has it, run by
# the program, and told apart from its neighbours.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"

# table KEY: the head of a scenario with a table t on demand, and one kind of item with this partition key.
table() {
    cat <<END
version: 1
duration: ${duration-10m}
start: 2026-03-02T12:00:00Z
values:
  many: {count: 20000}
  few: {count: 3}
  one: {distribution: single}
tables:
  - name: t
    billing_mode: PAY_PER_REQUEST
    entities:
      - {name: item, partition_key: "$1", sort_key: "${sort-S#{time\}}", size: 1 KB, count: ${count-0}}
END
}

# load RATE OPERATION...: the workload that ends a scenario.
load() {
    rate=$1
    shift
    printf 'workloads:\n  - name: w\n    arrivals: paced\n    rate: %s/s\n    mix: [{operation: %s}]\n' \
        "$rate" "$*"
}

# cause NAME FILE: explain names it, in both forms.
cause() {
    rm -f run.db
    expect 0 run "$2" -o run.db --quiet
    expect 0 explain run.db --format json
    mv out explained.json
    [ "$(json explained.json '$.cause')" = "$1" ] ||
        fail "$2: cause $(json explained.json '$.cause'), not $1"
    expect 0 explain run.db
    tr '\n' ' ' <out | tr -s ' ' >words
}

# fix SETTING: some fix sets that.
fix() { tr -d "'" <words | grep -q -F -e "--set $1" || fail "no fix sets $1"; }

# Traffic on all keys alike, beyond what a new table serves.
duration=5m
{ table 'K#{many}'; load 5000 PutItem; } >grown.yaml
cause on_demand_growth grown.yaml
said words 'table t, on demand, has not grown to its writes yet'
said words 'serves 4,000 on demand'
said words 'partitions were loaded alike'
unsaid words 'Shard the key'
fix tables.t.warm_throughput.write_units_per_second=5556
expect 0 run grown.yaml -o warm.db --set tables.t.warm_throughput.write_units_per_second=5556 --quiet
[ "$(ask warm.db "SELECT value FROM outcome WHERE name = 'throttled_attempts' AND scope = ''")" = 0.0 ] ||
    fail 'the fix does not fix'

# The same reason, but one key has it all: its partition, not the table.
duration=4m
{ table 'K#{one}'; load 2000 PutItem; } >hot.yaml
cause hot_partition hot.yaml
said words 'one partition of table t is at its write limit'
said words 'No split began: a partition must have been hot for 5m'
fix 'tables.t.entities.item.sort_key=S#{uuid}'
unsaid words warm_throughput

# Both at once, half of the refusals each: the whole is in use, and one key has far more than its part.
{
    table 'K#{many}'
    printf '      - {name: big, partition_key: "B#{one}", sort_key: "S#{time}", size: 1 KB}\n'
    load 6000 'PutItem, entity: item, weight: 55}, {name: to big, operation: PutItem, entity: big, weight: 45'
} >both.yaml
cause hot_partition both.yaml
said words 'Its busiest key, B#0'

# A maximum, a quota.
{ table 'K#{many}' | sed 's/^    billing_mode.*/&\n    on_demand_throughput: {max_write_request_units: 500}/'
    load 800 PutItem; } >maximum.yaml
cause on_demand_maximum maximum.yaml
said words 'the maximum set for table t, 500 WCU/s, is reached'
said words 'has a maximum of 500'
fix tables.t.on_demand_throughput.max_write_request_units=889
{ table 'K#{many}' | sed 's/^version.*/&\nmodel: {quota_write: 600}/'; load 800 PutItem; } >quota.yaml
cause account_limit quota.yaml
said words "the account's quota for table t, 600 WCU/s, is reached"
fix model.quota_write=889

# A switch of the mode in the middle: before it the capacity is short, after it the table is cold.
duration=16m
{
    table 'K#{many}' | sed 's/^    billing_mode.*/    read_capacity: 100\n    write_capacity: 4000/'
    load 5000 PutItem
    printf 'changes:\n  - {at: +1m, name: on demand, set: {tables.t.billing_mode: PAY_PER_REQUEST,'
    printf ' tables.t.write_capacity: null, tables.t.read_capacity: null}}\n'
} >switch.yaml
cause on_demand_growth switch.yaml
said words 'Callers get ThrottlingException'
# And one that ends the shortage: what on-demand serves is no capacity to provision.
{
    table 'K#{many}' | sed 's/^    billing_mode.*/    read_capacity: 10\n    write_capacity: 100\n    partitions: 4/'
    load 400 PutItem
    printf 'changes:\n  - {at: +5m, name: on demand, set: {tables.t.billing_mode: PAY_PER_REQUEST,'
    printf ' tables.t.write_capacity: null, tables.t.read_capacity: null}}\n'
} >relieved.yaml
cause table_capacity relieved.yaml
said words 'when table t went on demand and served 4,000 WCU/s instead of 100'
unsaid words 'from 100 to 4,000'

# Indexes: written and outgrown, read and hot.
duration=3m
index() {
    printf '    indexes:\n      - {name: by, partition_key: "%s", projection: ALL}\n' "$1"
}
{ table 'K#{many}' | sed 's/^    billing_mode.*/&\n    warm_throughput: {write_units_per_second: 9000}/'
    index 'I#{many}'; load 5000 PutItem; } >index.yaml
cause on_demand_growth index.yaml
said words 'index by of t, on demand, has not grown to its writes yet'
fix tables.t.indexes.by.warm_throughput.write_units_per_second=5556
{ table 'K#{many}' | sed 's/^    billing_mode.*/&\n    warm_throughput: {write_units_per_second: 9000}/'
    index 'I#{one}'; load 1500 PutItem; } >hotindex.yaml
cause hot_index_partition hotindex.yaml
{ count=20000; table 'K#{many}'; index 'I#{one}'
    load 4000 'Query, index: by, items: 50'; } >reads.yaml
cause hot_index_partition reads.yaml
said words 'one partition of index by of t is at its read limit'
said words 'A read costs 6.5 RCU on the index'
said words 'Put a cache before the key'
unsaid words 'eventually consistent where'
unset count

# What became of the hot partition.
duration=25m
sort='S#{uuid}'
{ table 'K#{one}'; load 1600 PutItem; } >healed.yaml
cause hot_partition healed.yaml
said words 'healed by a split at 12:'
unsaid words 'that does not increase'
[ "$(ask run.db "SELECT count(*) FROM event WHERE kind = 'throttling_ended'")" = 1 ] || fail 'not healed'
duration=6m
{ table 'K#{one}'; load 1600 PutItem; } >pending.yaml
cause hot_partition pending.yaml
said words 'A split is pending at the end, begun at 12:05'
sort='S#{time}'
duration=8m
{ table 'K#{one}'; load 1600 PutItem; } >rising.yaml
cause hot_partition rising.yaml
said words 'The hot partition was not split at 12:05: its keys only rise'
fix 'tables.t.entities.item.sort_key=S#{uuid}'
sort=A
{ count=1; table 'K#{one}'; load 1600 UpdateItem; } >single.yaml
cause hot_partition single.yaml
said words 'nearly all of its traffic is one item'
unsaid words 'that does not increase'
sort='S#{uuid}'
unset count
{ table 'K#{one}'; printf '    indexes:\n      - {name: loc, type: LOCAL, sort_key: "L#{many}", projection: KEYS_ONLY}\n'
    load 900 PutItem; } >local.yaml
cause hot_partition local.yaml
said words 'a local index keeps the items of a key together'
said words 'Make the table anew without local indexes'

# Before 2018: a partition has its share of the capacity, and says so.
duration=10m
{
    table 'K#{one}' | sed 's/^    billing_mode.*/    read_capacity: 10\n    write_capacity: 200\n    partitions: 10\n    new: true/
        s/^version.*/&\nrules: 2017/'
    load 30 PutItem
} >dilution.yaml
cause hot_partition dilution.yaml
said words 'is at its share of the write capacity, 20 of 200 WCU/s'
said words 'by the rules of 2017: each of 10 has 20 of 200'
said words 'No partition is split for heat under the rules'
fix tables.t.write_capacity=320
expect 0 run dilution.yaml -o fixed.db --set tables.t.write_capacity=320 --quiet
[ "$(ask fixed.db "SELECT value FROM outcome WHERE name = 'throttled_attempts' AND scope = ''")" = 0.0 ] ||
    fail 'the fix does not fix'

# All of the shares are used up alike: it is the whole capacity that is short.
for year in 2012 2017 2018; do
    {
        table 'K#{many}' | sed "s/^    billing_mode.*/    read_capacity: 10\n    write_capacity: 2000\n    new: true/
            s/^version.*/&\nrules: $year/"
        load 3000 PutItem
    } >shares.yaml
    cause table_capacity shares.yaml
    said words 'table t lacks write capacity'
    unsaid words 'is at its share'
    fix tables.t.write_capacity=3000
done

# Shares at first, on demand later: each time is judged, and measured, by what held then.
duration=16m
{
    table 'K#{many}' | sed "s/^    billing_mode.*/    read_capacity: 10\n    write_capacity: 2000\n    new: true/
        s/^version.*/&\nrules: 2017/"
    load 5000 PutItem
    printf 'changes:\n  - {at: +5m, name: on demand, set: {tables.t.billing_mode: PAY_PER_REQUEST,'
    printf ' tables.t.write_capacity: null, tables.t.read_capacity: null}}\n'
} >late.yaml
cause table_capacity late.yaml
said words 'is asked for 5,00'
said words 'and has 2,000.'
said words 'with all that it serves on demand in use'
unsaid words 'partition of table t is at its'

# One table lives on shares, another on demand: neither is judged by the other's rules.
duration=4m
{
    table 'K#{many}' | sed 's/^version.*/&\nrules: 2017/'
    printf '  - name: s\n    read_capacity: 10\n    write_capacity: 2000\n    new: true\n'
    printf '    entities:\n      - {name: item, partition_key: "K#{many}", size: 1 KB, count: 20000}\n'
    load 5000 'PutItem, table: t'
    printf '  - {name: v, table: s, rate: 2500/s, mix: [{operation: PutItem}]}\n'
} >two.yaml
sed -i 's/    arrivals: paced/&\n    table: t/' two.yaml
cause on_demand_growth two.yaml
[ "$(json explained.json '$.cause_detail.resource.table')" = t ] || fail 'not table t'
unsaid words 'partition of table'
said words 'Callers of v and w do not retry (preset none)'

# Shards come with the partitions that carry them: with the four of today some partition is over its limit for
# certain. What is proposed serves all.
duration=3m
{ table 'K#{one}' | sed 's/^    billing_mode.*/    read_capacity: 10\n    write_capacity: 4400\n    partitions: 4/'
    load 4000 PutItem; } >shards.yaml
cause hot_partition shards.yaml
said words 'and 4 cannot carry them, wherever they fall'
eval "set -- $(json explained.json '$.fixes[0].command')"
shift
expect 0 "$@"
[ "$(ask shards-fix-1.db "SELECT value FROM outcome WHERE name = 'throttled_attempts' AND scope = ''")" = 0.0 ] ||
    fail 'the shards do not fix'
# An assumption that refuses below every limit that is shown says that it acts; at its default it says nothing.
explained() {
    expect 0 explain "$1" --quiet
    tr '\n' ' ' <out | tr -s ' ' >words
}
{
    table 'K#{many}' | sed 's/^    billing_mode.*/    read_capacity: 10\n    write_capacity: 10\n    new: true/'
    load 30 PutItem
} >plain.yaml
explained plain.yaml
unsaid words 'The scenario sets'
for option in 'node_limit: 8' 'gac_refill: 10s' 'token_debt: strict' 'token_leak: on' 'rw_coupled: on' \
    'burst_steal_rate: 20%'; do
    sed "s/^version.*/&\nmodel: {$option}/" plain.yaml >option.yaml
    explained option.yaml
    said words "The scenario sets ${option%: *} to ${option#*: }"
done

# Nothing refused: what came closest is judged by the capacity of its minute, not by the most units.
duration=10m
{
    table 'K#{many}' | sed 's/^    billing_mode.*/    read_capacity: 10\n    write_capacity: 40/'
    load 60 PutItem | sed 's/rate: 60.*/start_rate: 60\/s\n    stages: [{duration: 5m, target: 60\/s}, {duration: 0s, target: 100\/s}]/'
    printf 'changes:\n  - {at: +2m, set: {tables.t.write_capacity: 400}}\n'
} >calm.yaml
cause none calm.yaml
said words 'table t with 60 of 40 WCU/s (150 %)'

# An index is replaced while it refuses: explain names what is built beside it, and what ended it.
cause index_capacity index-replaced-live
said words 'Index gsi-lite was built from 18:30 to 18:37 (40,000 items).'
said words 'while index gsi-estado-fecha stands: every write goes to both'
said words 'It ended at 18:38, when index gsi-estado-fecha was deleted.'
fix tables.mercadofresco-carritos.indexes.gsi-estado-fecha.write_capacity=157

# Who reads an index that is gone is told so, and what it lacked is advised for its time alone. What it ended on is no
# reason to raise it.
cat >gone.yaml <<'END'
version: 1
duration: 20m
start: 2026-03-02T12:00:00Z
values: {many: {count: 20000}}
tables:
  - name: t
    read_capacity: 50
    write_capacity: 200
    entities: [{name: item, partition_key: "K#{many}", count: 20000, size: 1 KB}]
    indexes: [{name: i, partition_key: "I#{many}", read_capacity: 100, write_capacity: 200}]
workloads:
  - {name: w, arrivals: paced, rate: 60/s, mix: [{operation: Query, index: i, items: 1}]}
changes:
  - {at: +17m, table: t, delete_index: i}
END
cause none gone.yaml
said words '7,200 calls of w as invalid (UserErrors): index i of t is read, and was deleted at 12:18'
unsaid words 'would fix it'
sed 's/read_capacity: 100/read_capacity: 10/; s/rate: 60/start_time: +16m, rate: 60/' \
    gone.yaml >saved.yaml
cause none saved.yaml
unsaid words 'would fix it'
sed 's/read_capacity: 100/read_capacity: 10/' gone.yaml >short.yaml
cause index_capacity short.yaml
said words 'Only until 12:18: then the index is deleted.'
said words 'calls of w as invalid (UserErrors): index i of t is read'

# A new index that lacks capacity holds its table back while it is built, and the fix sets it where it is written.
cat >built.yaml <<'END'
version: 1
duration: 20m
start: 2026-03-02T12:00:00Z
values: {many: {count: 20000}}
tables:
  - name: t
    read_capacity: 50
    write_capacity: 200
    entities: [{name: item, partition_key: "K#{many}", count: 20000, size: 1 KB}]
workloads:
  - {name: w, arrivals: paced, rate: 60/s, mix: [{operation: UpdateItem}]}
changes:
  - {at: +1m, table: t, create_index: {name: i, partition_key: "I#{many}", read_capacity: 5, write_capacity: 30}}
END
cause index_capacity built.yaml
said words 'Index i is being built from 12:06 on'
fix changes.1.create_index.write_capacity=61
expect 0 run built.yaml -o built.db --set changes.1.create_index.write_capacity=100 --quiet
[ "$(ask built.db "SELECT value FROM outcome WHERE name = 'throttled_attempts' AND scope = ''")" = 0.0 ] ||
    fail 'an index with more capacity holds its table back'

# A table that serves a third of its capacity for two minutes, and one that answers with HTTP 500.
cat >cut.yaml <<'END'
version: 1
duration: 20m
start: 2026-03-02T12:00:00Z
values: {k: {count: 10000}}
tables:
  - {name: t, read_capacity: 5, write_capacity: 90, entities: [{name: e, partition_key: "K#{k}", count: 10000, size: 1 KB}]}
workloads:
  - {name: w, rate: 60/s, mix: [{operation: PutItem}]}
faults:
  - {at: "12:10", for: 2m, kind: capacity, to: 30%}
END
cause fault cut.yaml
said words 'a fault left table t 30% of its capacity from 12:10 to 12:12'
said words 'no setting of the table mends a fault'
unsaid words '--set tables.t.write_capacity'
expect 0 plot run.db --chart capacity -o cut.svg
grep -q 'a fault leaves it 27 WCU/s' cut.svg || fail 'the chart does not name the fault'
sed 's/kind: capacity, to: 30%/kind: errors, to: 5%/' cut.yaml >errors.yaml
cause fault errors.yaml
said words 'It fails because a fault turned 5% of the attempts on table t into HTTP 500'
# Too small to matter: what is short all the time is the cause.
sed 's/rate: 60/rate: 200/' cut.yaml >short.yaml
cause table_capacity short.yaml
said words 'refusals fell into it'

# What a queue lost is said whatever the cause is.
sed 's/rate: 60\/s, /rate: 120\/s, queue: {batch_size: 1, visibility_timeout: 5s, max_receive_count: 2}, /' cut.yaml >queue.yaml
cause table_capacity queue.yaml
said words 'became dead letters'

# Two minutes with less, and workers that a queue gives the same work twice: it goes on when the fault is over.
cat >storm.yaml <<'END'
version: 1
duration: 25m
start: 2026-03-02T12:00:00Z
tables:
  - {name: t, read_capacity: 5, write_capacity: 100, burst: {window: 10s}, entities: [{name: e, partition_key: "K#{uuid}", size: 1 KB}]}
workloads:
  - name: w
    rate: 10/s
    queue: {batch_size: 1, visibility_timeout: 6s, max_receive_count: 1000, concurrency: {minimum: 5, maximum: 100, per_minute: 300}}
    sequence: [{name: puts, operation: PutItem, times: 8}]
    client: {preset: boto3-legacy}
faults:
  - {at: "12:05", for: 2m, kind: capacity, to: 30%}
END
cause retry_storm storm.yaml
said words 'retries keep the shortage going after its cause is over'
said words 'with nothing changed'
fix workloads.w.queue.concurrency.maximum=5
fix workloads.w.client.preset=sdk-standard-2026
late='SELECT sum(throttled_attempts) FROM workload_second WHERE t_s >= 1200'
stormy=$(ask run.db "$late")
expect 0 run storm.yaml --set workloads.w.queue.concurrency.maximum=5 -o cured.db --quiet
[ "$(ask cured.db "$late")" = 0 ] || fail 'fewer workers do not end the storm'
expect 0 run storm.yaml --set workloads.w.client.preset=sdk-standard-2026 -o calmer.db --quiet
[ "$(ask calmer.db "$late")" -lt $((stormy * 2 / 3)) ] || fail 'fewer retries do not help'
# With no more workers than the table serves in time the backlog is worked off, and the fault was what was the matter.
sed 's/maximum: 100/maximum: 10/' storm.yaml >calm.yaml
cause fault calm.yaml
said words 'and what that left undone came on top of the rest'
# More demand than before is no storm.
cat >grown.yaml <<'END'
version: 1
duration: 25m
start: 2026-03-02T12:00:00Z
tables:
  - {name: t, read_capacity: 5, write_capacity: 100, burst: {window: 10s}, entities: [{name: e, partition_key: "K#{uuid}", size: 1 KB}]}
workloads:
  - {name: w, start_rate: 80/s, stages: [{duration: 6m, target: 80/s}, {duration: 1m, target: 130/s}], mix: [{operation: PutItem}], client: {preset: boto3-legacy}}
faults:
  - {at: "12:05", for: 2m, kind: capacity, to: 30%}
END
cause table_capacity grown.yaml

# What batches lost is said, too.
sed -e 's/rate: 60\/s, mix: .*/rate: 6\/s, mix: [{operation: BatchWriteItem, batch_size: 25}]}/' cut.yaml >lost.yaml
cause table_capacity lost.yaml
said words 'came back unprocessed: they are lost'

# A stream's Lambda whose table is down for a while falls behind.
cat >behind.yaml <<'END'
version: 1
duration: 20m
start: 2026-03-02T12:00:00Z
values: {k: {count: 10000}}
tables:
  - {name: t, stream: KEYS_ONLY, read_capacity: 5, write_capacity: 90, entities: [{name: e, partition_key: "K#{k}", count: 10000, size: 1 KB}]}
  - {name: copy, read_capacity: 5, write_capacity: 90, entities: [{name: c, partition_key: "C#{uuid}", size: 1 KB}]}
workloads:
  - {name: w, table: t, rate: 20/s, mix: [{operation: PutItem}]}
  - {name: reader, stream_of: t, table: copy, batch_size: 100, mix: [{operation: PutItem}]}
faults:
  - {at: "12:10", for: 2m, table: copy, kind: errors, to: 100%}
END
cause fault behind.yaml
said words 'The Lambda of reader fell behind its stream'


# What a fault left undone comes on top of the rest: work that a queue gives out again, calls that a pause held back. The
# table has what is asked for, and no capacity is advised.
cat >aftermath.yaml <<'END'
version: 1
duration: 40m
start: 2026-03-02T12:00:00Z
values: {k: {count: 10000}}
tables:
  - {name: t, read_capacity: 5, write_capacity: 60, burst: {initial: 0%, window: 10s}, entities: [{name: e, partition_key: "K#{k}", count: 10000, size: 1 KB}]}
workloads:
  - name: v
    rate: 30/s
    mix: [{operation: PutItem}]
    client: {preset: js-v3-standard}
    queue: {batch_size: 10, visibility_timeout: 30s, max_receive_count: 20, concurrency: {maximum: 500}}
faults:
  - {at: +10m, for: 2m, kind: errors, to: 90%}
END
for fault in 'errors, to: 90%' 'capacity, to: 20%' clients_pause; do
    sed "s/kind: errors, to: 90%/kind: $fault/" aftermath.yaml >one.yaml
    cause fault one.yaml
    unsaid words '--set tables.t.write_capacity'
    unsaid words lacks
    expect 0 run one.yaml --set 'faults=[]' -o none.db --quiet --force
    [ "$(ask none.db "SELECT value FROM outcome WHERE name = 'throttled_attempts' AND scope = ''")" = 0.0 ] ||
        fail 'without the fault something is refused'
done
said words 'the callers sent nothing from 12:10 to 12:12, and what that left undone came on top of the rest'
# Where more is asked for than there is, that is the cause, however often it is given out.
sed 's/rate: 30/rate: 70/' aftermath.yaml >more.yaml
cause table_capacity more.yaml
first=$(json explained.json '$.chain[1].numbers.requests_per_s')
awk "BEGIN { exit !($first > 60 && $first < 80) }" || fail "work that is done again counts: $first/s"

# Another reason than the fault's: a key's partition was at its limit before, and is in it, and after.
cat >hotter.yaml <<'END'
version: 1
duration: 20m
start: 2026-03-02T12:00:00Z
values: {k: {count: 10}, one: {distribution: single}}
tables:
  - {name: t, read_capacity: 5, write_capacity: 20000, partitions: 20, entities: [{name: e, partition_key: "K#{one}", count: 1, size: 1 KB}]}
workloads:
  - {name: w, rate: 1200/s, arrivals: paced, mix: [{operation: PutItem}]}
faults:
  - {at: +5m, for: 14m, kind: capacity, to: 90%}
END
cause hot_partition hotter.yaml
# Requests that failed of another reason are not the fault's, and where callers tried again none is.
sed 's/{operation: PutItem}/{operation: PutItem, invalid: 10%}/; s/rate: 60/rate: 20/' errors.yaml >invalid.yaml
cause fault invalid.yaml
said words 'requests that failed.'
tr -d ',' <words | grep -Eq 'attempts [0-9]+ of the [0-9]+ requests that failed' || fail 'all failures are the fault''s'
sed 's/mix:/client: {preset: java-v2-2026, max_attempts: 9}, mix:/' errors.yaml >outlasted.yaml
cause fault outlasted.yaml
said words 'It outlasts a fault'
said words 'callers tried again until all were served'

# One fault ends as the next of its kind begins, or later: each has its own end.
sed 's/^faults:/&\n  - {at: "12:02", for: 3m, kind: errors, to: 5%}\n  - {at: "12:05", for: 1m, kind: errors, to: 5%}/' \
    errors.yaml >three.yaml
cause fault three.yaml
for times in '12:02 to 12:05' '12:05 to 12:06' '12:10 to 12:12'; do
    said words "A fault turned 5% of the attempts on table t into HTTP 500 from $times"
done

# What their own breaker did not let pass is said, in the summary too.
sed 's/mix:/client: {circuit_breaker: {failures: 20%, window: 10s, minimum: 5, open_for: 10s}}, mix:/; s/to: 5%/to: 60%/' \
    errors.yaml >breaker.yaml
cause fault breaker.yaml
said words 'The circuit breaker of callers of w did not let'
expect 0 run breaker.yaml -o run.db --force
said out 'Breaker '
expect 0 run breaker.yaml -o run.db --force --format json
[ "$(json out '$.breaker_refused')" -gt 100 ] || fail 'no calls were refused by the breaker'

# A stream has no receives and no visibility timeout.
cat >stream.yaml <<'END'
version: 1
duration: 10m
values: {k: {count: 10000}}
tables:
  - {name: t, read_capacity: 5, write_capacity: 100, stream: NEW_IMAGE, entities: [{name: e, partition_key: "K#{k}", count: 10000, size: 1 KB}]}
  - {name: copy, read_capacity: 5, write_capacity: 100, entities: [{name: c, partition_key: "C#{k}", count: 10000, size: 1 KB}]}
workloads:
  - {name: w, table: t, rate: 20/s, mix: [{operation: PutItem}]}
  - {name: r, stream_of: t, table: copy, batch_size: 10, maximum_retry_attempts: 1, mix: [{operation: PutItem, invalid: 2%}]}
END
cause none stream.yaml
said words 'records of r were given up'
said words 'maximum_record_age'
unsaid words 'visibility timeout'
unsaid words 'dead letters'

# Reads and writes of one table are told apart, and no command asks for more than the account has.
cat >both.yaml <<'END'
version: 1
duration: 10m
values: {k: {count: 10000}}
tables:
  - {name: t, read_capacity: 10, write_capacity: 20, burst: {initial: 0%}, entities: [{name: e, partition_key: "K#{k}", count: 10000, size: 1 KB}]}
workloads:
  - {name: w, rate: 40/s, mix: [{operation: PutItem}, {operation: GetItem, consistent_read: true}]}
END
cause table_capacity both.yaml
grep -Eq 'asks for [0-9]+ (WCU|RCU) for table t, [0-9]+ (WCU|RCU) for table t' words || fail 'reads and writes look alike'
sed 's/^duration.*/&\nmodel: {quota_write: 20}/' both.yaml >quota.yaml
cause table_capacity quota.yaml
said words "The account's quota is 20 units a table or index"
unsaid words '--set tables.t.write_capacity'

# Three workloads' empty quotas are one paragraph.
cat >quotas3.yaml <<'END'
version: 1
duration: 10m
values: {k: {count: 10000}}
tables:
  - {name: t, read_capacity: 10, write_capacity: 20, burst: {initial: 0%}, entities: [{name: e, partition_key: "K#{k}", count: 10000, size: 1 KB}]}
workloads:
  - {name: a, rate: 100/s, client: {preset: boto3-standard}, mix: [{operation: PutItem}]}
  - {name: b, rate: 120/s, client: {preset: boto3-standard}, mix: [{operation: PutItem}]}
  - {name: c, rate: 90/s, client: {preset: boto3-standard}, mix: [{operation: PutItem}]}
END
cause retry_quota_empty quotas3.yaml
[ "$(grep -o 'emptied their retry quota' words | wc -l)" = 1 ] || fail 'it is said more than once'
said words 'Callers of b (preset boto3-standard'
said words 'So did those of a, c:'
[ "$(grep -o 'Each process has a retry quota' words | wc -l)" = 1 ] || fail 'processes are said more than once'

echo 'causes: named and told apart'
