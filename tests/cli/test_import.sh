#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# From files that people have to a scenario that runs: what it says, what it writes, what it refuses.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"
samples=$(dirname "$0")/../../workloads/samples

refused import
refused import nowhere.json
said err 'there is no file "nowhere.json"'
refused import .
said err 'is a directory'

# A table as AWS prints it.
expect 0 import "$samples/describe-table.json"
said out 'read_capacity: 200'
said out 'size: 1152 B' # 1,880,064,000 B / 1,632,000
said out 'present: 50%'
said out 'entry_size: 180 B'
said out 'stream: NEW_IMAGE'
said out 'decreases_a_day: 3'
said err 'took: table trips'
said err 'passed over: table trips is of class STANDARD_INFREQUENT_ACCESS'
said err 'missing: who calls table trips'
cp out printed
expect 0 run - --quiet -o trips.db <printed

# -o writes the same, and never over a file.
expect 0 import "$samples/describe-table.json" -o trips.yaml
empty out
cmp printed trips.yaml || fail "-o writes something else"
refused import "$samples/describe-table.json" -o trips.yaml
said err 'trips.yaml is there already'
expect 0 import "$samples/describe-table.json" -o trips.yaml --force --quiet
empty err
expect 3 import "$samples/describe-table.json" -o no/folder.yaml

# Wrong documents: place and path.
printf '' >nothing.json
refused import nothing.json
said err 'is empty'
printf '{"Table": {"TableName": "t", "KeySchema": [' >cut.json
refused import cut.json
said err 'cut.json:1:43'
said err 'was it cut off?'
cat >wrong.json <<END
{"Table": {
  "TableName": "t",
  "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
  "ProvisionedThroughput": {"ReadCapacityUnits": "many"}}}
END
refused import wrong.json
said err 'wrong.json:4:29: Table.ProvisionedThroughput.ReadCapacityUnits'
printf 'no JSON at all\n' >words.txt
refused import words.txt
said err 'is of no kind that is known'

# Two states of one table that differ.
sed 's/"WriteCapacityUnits": 150/"WriteCapacityUnits": 90/' "$samples/describe-table.json" >later.json
refused import "$samples/describe-table.json" later.json
said err 'the write capacity is 150 in'
said err 'later.json'

# A template: parameters, conditions, functions; its own tags.
expect 0 import "$samples/template.yaml" -o docks.yaml
said docks.yaml 'name: docks-test'
said docks.yaml 'name: by-bike'
said docks.yaml 'write: {min_capacity: 40, max_capacity: 200, target_value: 65%, scale_in_cooldown: 120s}'
said docks.yaml 'schedule: cron(30 6 ? * MON-FRI *)'
said docks.yaml 'threshold: 10'
unsaid docks.yaml 'name: Backup'
said err 'assumed: a scheduled action in the time zone Europe/Berlin'
said err 'passed over: alarm ReadShare'
said err 'missing: table docks-test: items expire by the attribute freeUntil'
expect 0 run docks.yaml --quiet -o docks.db
expect 0 import "$samples/template.yaml" --parameter Stage=live --parameter WriteUnits=300
said out 'name: docks-live'
said out 'write_capacity: 300'
said out 'max_capacity: 4000'
said out 'name: Backup'
said out 'name: bikes'
unsaid out 'alarms:'
refused import "$samples/template.yaml" --parameter Stage
said err 'NAME=VALUE'

# What the CLI prints of scaling and alarms joins its table, in whatever order.
expect 0 import "$samples/describe-alarms.json" "$samples/scheduled-actions.json" "$samples/scaling-policies.json" \
    "$samples/scalable-targets.json" "$samples/describe-table.json" -o all.yaml
said all.yaml 'target_value: 60%'
said all.yaml 'schedule: "cron(15 20 ? * FRI,SAT *)"'
said all.yaml 'disable_scale_in: true'
said all.yaml 'statistic: p99'
said err 'alarm a queue is long: its metric is none of AWS/DynamoDB'
said err 'alarm trips: nobody deletes: TimeToLiveDeletedItemCount has no statistic "p50"'
unsaid err 'took: alarm trips: nobody deletes'
expect 0 run all.yaml --quiet -o all.db

# Alarms alone tell the policy that made them, and the year.
expect 0 import "$samples/put-metric-alarm.json"
said out 'alarms: 2017'
said err 'by-zone: read capacity 50 (39..175)'
sed 's/by-zone-AlarmHigh/AlarmHigh/; s|/index||; /GlobalSecondary/d; s/"depots"},/"depots"}/' \
    "$samples/put-metric-alarm.json" >table-alarm.json
expect 0 import table-alarm.json
said out 'read_capacity: 50'
said out 'target_value: 70%'

# Terraform's words.
expect 0 import "$samples/terraform-show.json" -o parking.yaml
said parking.yaml 'read: {min_capacity: 50, max_capacity: 500, target_value: 55%, scale_in_cooldown: 240s}'
said parking.yaml 'replicas: [eu-west-3]'
said parking.yaml 'name: "parking: refused reads"'
expect 0 run parking.yaml --quiet -o parking.db

# A model's samples: half of them are in the index.
expect 0 import "$samples/nosql-workbench.json" -o loaves.yaml
said loaves.yaml 'size: 39 B' # (53 + 24 + 54 + 22) / 4
said loaves.yaml 'entries: {item: {present: 50%, entry_size: 36 B}}'
said loaves.yaml 'auto_scaling: {write: {min_capacity: 6, max_capacity: 40, target_value: 75%}}'
expect 0 run loaves.yaml --quiet -o loaves.db

# What nothing reads is named on demand.
expect 0 import "$samples/describe-table.json" --verbose
said err 'unread keys: 12: Table.AttributeDefinitions'
expect 0 import "$samples/describe-table.json"
unsaid err 'unread keys'

# A scenario's table starts from a document; what stands beside it counts more.
cp "$samples/describe-table.json" ./described.json
cat >from.yaml <<END
version: 1
duration: 2m
values:
  trips/city: {count: 3}
tables:
  - name: trips
    import: described.json
    write_capacity: 400
    indexes: [{name: by-city, write_capacity: 77}]
workloads:
  - {name: riders, rate: 5/s, mix: [{operation: UpdateItem}]}
END
expect 0 run from.yaml --quiet -o from.db
[ "$(ask from.db "SELECT group_concat(value, ' ') FROM (SELECT value FROM setting WHERE path IN
    ('tables.trips.write_capacity', 'tables.trips.read_capacity', 'tables.trips.indexes.by-city.write_capacity',
     'values.trips/city.count', 'values.trips/riderId.count') ORDER BY path)")" = '77 200 400 3 1632000' ] ||
    fail "what stands beside import does not count: $(ask from.db 'SELECT * FROM setting')"
refused check --no-run from.yaml --set tables.trips.import=other.json
sed 's/described/missing/' from.yaml >gone.yaml
refused check --no-run gone.yaml
said err 'gone.yaml:7:13: there is no file "missing.json"'
printf '[%s, %s]' "$(cat described.json)" "$(sed 's/"trips"/"rides"/' described.json)" >two.json
sed 's/described/two/' from.yaml >chosen.yaml
expect 0 check --no-run chosen.yaml
sed 's/described/two/; s/name: trips/name: walks/' from.yaml >neither.yaml
refused check --no-run neither.yaml
said err 'the document describes no table "walks"'
said err 'it has trips, rides'

# The commands that fetch all of it, run against an AWS that has the samples.
expect 0 import --commands trips --from 2026-09-25T18:00:00Z --to 2026-09-25T19:00:00Z
cp out commands.sh
mkdir fake
cat >fake/aws <<'END'
#!/bin/sh
echo "$*" >>"$CALLS"
case "$*" in
*--query\ Table.GlobalSecondaryIndexes*) echo by-city ;;
*describe-table*) cat "$SAMPLES/describe-table.json" ;;
*describe-scalable-targets*) cat "$SAMPLES/scalable-targets.json" ;;
*describe-scaling-policies*) cat "$SAMPLES/scaling-policies.json" ;;
*describe-scheduled-actions*) cat "$SAMPLES/scheduled-actions.json" ;;
*describe-alarms*) cat "$SAMPLES/describe-alarms.json" ;;
*get-metric-data*) echo '{"MetricDataResults": []}' ;;
*) echo None ;;
esac
END
chmod +x fake/aws
SAMPLES=$(cd "$samples" && pwd)
CALLS=$PWD/calls
export SAMPLES CALLS
PATH=$PWD/fake:$PATH sh commands.sh || fail "the commands do not run"
is_json trips-aws/queries.json
[ "$(sqlite3 :memory: "SELECT count(*) FROM json_each(CAST(readfile('trips-aws/queries.json') AS TEXT))")" -eq 72 ] ||
    fail "queries: not 16 of the table, 16 of its index and 4 of each of ten calls"
[ "$(json trips-aws/queries.json '$[16].Label')" = 'trips by-city ConsumedReadCapacityUnits Sum' ] ||
    fail "the index's first query is called otherwise"
said calls '--start-time 2026-09-25T18:00:00Z --end-time 2026-09-25T19:00:00Z'
expect 0 import trips-aws/table.json trips-aws/targets.json trips-aws/policies.json trips-aws/actions.json trips-aws/alarms.json
said out 'target_value: 60%'
expect 0 import --commands trips
said out 'from=20'
refused import --commands 'a b'
refused import --commands trips --from 2026-09-25T18:00:00Z
refused import --commands trips --from yesterday --to 2026-09-25T18:00:00Z
refused import --commands trips "$samples/describe-table.json"
refused import "$samples/describe-table.json" --from 2026-09-25T18:00:00Z

# A preset reaches the workload that is assumed, and what is written loads.
expect 0 import "$samples/describe-table.json" --client js-v3-standard -o preset.yaml
said preset.yaml 'preset: js-v3-standard'
expect 0 check --no-run preset.yaml
