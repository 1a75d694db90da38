#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings as load: a run's own requests give the run again, bad rows are told or counted, and recordings that are
# none are refused with their place.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"

# What an earlier run asked, asked again: every attempt comes at the same moment and fares the same.
cat >several.yaml <<'END'
version: 1
name: several
duration: 1m
values: {user: {count: 5000, distribution: zipfian, theta: 1.1}}
tables: [{name: t, read_capacity: 9000, write_capacity: 4000, new: true,
          entities: [{name: e, partition_key: "U#{user}", sort_key: "E#{n}", count: 50000, size: 1500 B}]}]
workloads:
  - name: app
    rate: 2500/s
    mix: [{operation: UpdateItem}, {operation: GetItem, weight: 2}, {operation: Query, items: 5}]
    client: {preset: js-v3-standard, processes: 20}
END
for what in friday-1820:tienda several.yaml:app; do
    name=${what%:*} workload=${what#*:}
    expect 0 run "$name" --log requests -o first.db --force
    cat >again.yaml <<END
version: 1
name: again
extends: $name
workloads: [{name: $workload, replay: {file: first.db}}]
END
    expect 0 run again.yaml --log requests -o again.db --force
    said out 'Replayed'
    [ "$(ask first.db 'SELECT count(*) > 1000 FROM request')" = 1 ] || fail "$name: no requests"
    [ "$(ask again.db "ATTACH 'first.db' AS o; SELECT (SELECT count(*) FROM o.request) -
        (SELECT count(*) FROM main.request), (SELECT count(*) FROM (SELECT t_ns, attempt, key, outcome, reason
        FROM main.request EXCEPT SELECT t_ns, attempt, key, outcome, reason FROM o.request))")" = '0|0' ] ||
        fail "$name: the replay differs"
done
[ "$(ask first.db "SELECT count(DISTINCT partition_id) > 2, count(DISTINCT outcome) > 1 FROM request")" = '1|1' ] ||
    fail 'several.yaml shows too little' 

# The log of requests changes nothing else.
scenario small
expect 0 run small.yaml -o with.db --log requests
expect 0 run small.yaml -o without.db
for table in second workload_total throttle; do
    [ "$(ask with.db "SELECT * FROM $table ORDER BY 1, 2, 3, 4, 5")" = \
        "$(ask without.db "SELECT * FROM $table ORDER BY 1, 2, 3, 4, 5")" ] || fail "$table differs"
done
[ "$(ask with.db 'SELECT count(*) FROM request')" = "$(ask with.db 'SELECT sum(attempts) FROM workload_total')" ] ||
    fail 'not every attempt is a row'
refused run small.yaml --log everything
said err 'only requests can be logged'

cat >trace.yaml <<'END'
version: 1
name: trace
start: 2026-09-25T10:00:00Z
duration: 1m
values: {user: {count: 10}}
tables: [{name: t, read_capacity: 100, write_capacity: 100,
          entities: [{name: e, partition_key: "U#{user}", count: 10, size: 1 KB}]}]
workloads: [{name: w, replay: {file: trace.csv}, mix: [{operation: GetItem}, {operation: PutItem}]}]
END
cat >trace.csv <<'END'
time,key,operation,size
2026-09-25T10:00:01Z,anna,GetItem,5000
2026-09-25T10:00:02Z,berta,PutItem,2049
2026-09-25T10:00:03Z,anna,DeleteItem,
END
expect 0 run trace.yaml -o trace.db
said out '3 rows, 2 arrivals, 1 of operations that the mix does not have'
tr '\n' ' ' <out | tr -s ' ' >line
said line '(csv: time=time, key=key, operation=operation, size=size)'
[ "$(ask trace.db "SELECT key, read_units, write_units FROM top_key WHERE kind = 'accessed' AND period_s = 0
    ORDER BY rank")" = "$(printf 'berta|0.0|3.0\nanna|1.0|0.0')" ] || fail 'keys and sizes of the rows'

# Bad rows: the line, or a count.
printf '2026-09-25T09:00:00Z,carla,GetItem,1\n' >>trace.csv
refused run trace.yaml -o bad.db
said err 'trace.csv:5'
absent bad.db
expect 0 run trace.yaml --set workloads.w.replay.on_bad_row=skip -o bad.db
said out '1 bad rows passed over'
said out 'line 5'

refused run trace.yaml -o trace.csv --force
said err 'a recording that is replayed'
refused run trace.yaml --set workloads.w.replay.file=missing.csv
said err 'missing.csv'
refused run trace.yaml --set workloads.w.replay.file=.
refused run trace.yaml --set workloads.w.replay.file='"-"'
said err 'a recording is a file'
refused run trace.yaml --set workloads.w.replay.format=xls
said err 'xls'
refused run trace.yaml --set 'workloads.w.replay.window=["10:00"]'
said err 'two moments'
refused run trace.yaml --set 'workloads.w.replay.window=["10:01", "10:00"]'
said err 'empty'
refused run trace.yaml --set workloads.w.replay.delimiter=xx
said err 'one character'
refused run trace.yaml --set 'workloads.w.replay.columns={time: nowhere}'
said err 'nowhere'
refused run trace.yaml --set workloads.w.replay.speed=0
refused run trace.yaml --set workloads.w.rate=5/s --set workloads.w.replay.speed=2
refused run trace.yaml --set workloads.w.replay.file=without.db
said err 'run SCENARIO --log requests'

# A row without a key says how large the item is that is drawn (M-125): 30 writes of 3 KB and 10 of 7 KB.
printf 'time,period,operation,count,size\n0,60,PutItem,30,3072\n60,60,PutItem,10,7168\n' >rates.csv
scenario sized 3m
sed -i 's|    rate: 20/s|    replay: {file: rates.csv}|; s|write_capacity: 10|write_capacity: 100|' sized.yaml
expect 0 run sized.yaml -o sized.db --quiet
[ "$(ask sized.db "SELECT group_concat(sum, ' ') FROM metric WHERE name = 'ConsumedWriteCapacityUnits'")" = '90.0 70.0' ] ||
    fail 'sizes of rows without keys'
