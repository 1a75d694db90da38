#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The samples called other-*, by somebody who had not seen the readers: figures that are known from writing them.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"
samples=$(cd "$(dirname "$0")/../../workloads/samples" && pwd)
for file in "$samples"/other-*; do
    cp "$file" "./${file##*/other-}"
done

# taken NAME FILE...: NAME.yaml of these files; what was said of them stays in NAME.notes.
taken() {
    name=$1
    shift
    expect 0 import "$@" -o "$name.yaml"
    cp err "$name.notes"
}

# is NAME VALUE SQL: what the database NAME.db answers.
is() {
    answer=$(ask "$1.db" "$3")
    [ "$answer" = "$2" ] || fail "$1: $3: $answer, not $2"
}

# sum NAME VALUE TABLE INDEX METRIC: all that a metric came to.
sum() {
    is "$1" "$2" "SELECT CAST(sum(sum) AS INT) FROM metric JOIN resource USING (run_id, resource_id)
        WHERE table_name = '$3' AND coalesce(index_name, '') = '$4' AND name = '$5'"
}

# ---- CloudWatch ----

taken data get-metric-data.json get-metric-data-queries.json
said data.notes 'table bk-orders: 21330 writes served, 2 WCU each, 1207 attempts refused'
said data.notes 'table bk-orders: 71400 reads served, 0.5 RCU each, 0 attempts refused'
said data.notes 'table bk-stock: 4800 writes served, 3 WCU each'
said data.yaml 'start: 2026-05-11T09:00:00Z'
said data.yaml 'at: 2026-05-11T09:15:00Z'
said data.notes 'read_capacity 35 (1..40000), so much it served at most'
expect 0 run data.yaml
is data 35700 'SELECT CAST(sum(sum) AS INT) FROM metric WHERE name = "ConsumedReadCapacityUnits"'
is data 0 'SELECT count(*) FROM throttle'
expect 0 import get-metric-data.json get-metric-data-queries.json -o observed.db
sum observed 42660 bk-orders '' ConsumedWriteCapacityUnits
sum observed 7110 bk-orders byStatus ConsumedWriteCapacityUnits
sum observed 1207 bk-orders '' WriteThrottleEvents
sum observed 14400 bk-stock '' ConsumedWriteCapacityUnits
expect 0 explain observed.db
said out 'table bk-orders lacks write capacity: 1,207 refusals over 3'
refused import get-metric-data.json -o none.yaml
said err 'the result util'

# Few items are in the index, and those are written often; the local index's units are the table's.
taken joined get-metric-data.json get-metric-data-queries.json describe-table-provisioned.json
said joined.notes 'local index byTotal of bk-orders'
said joined.yaml 'present: 33.33%'
said joined.yaml 'index_effect: {byStatus: {rewrite: 100%}, byTotal: {untouched: 100%}}'

taken statistics --table bk-orders get-metric-statistics.json
said statistics.notes 'table bk-orders: 4068 writes served, 2.5 WCU each'
said statistics.yaml 'duration: 16m'
expect 0 import --table bk-orders get-metric-statistics.json -o statistics.db
sum statistics 10170 bk-orders '' ConsumedWriteCapacityUnits
expect 0 explain statistics.db
unsaid out 'made no request'

taken stream metric-stream.jsonl
said stream.notes 'table bk-orders: 10000 writes served, 2 WCU each, 300 attempts refused'
said stream.notes 'table bk-stock: 8400 reads served, 0.5 RCU each'
said stream.notes 'AccountProvisionedWriteCapacityUtilization'
said stream.yaml 'write_capacity: 50'
gzip -c metric-stream.jsonl >packed.gz
taken packed packed.gz
said packed.notes 'table bk-orders: 10000 writes served'

taken console console.csv
said console.notes 'table bk-orders: 18360 writes served, 1 WCU each, 180 attempts refused'
said console.notes 'index byStatus of bk-orders: 33 % of the writes touch it'
said console.yaml 'write_capacity: 40'
expect 0 import console.csv -o console.db
sum console 5640 bk-orders byStatus ConsumedWriteCapacityUnits
taken short --table bk-orders console-short.csv
said short.notes 'table bk-orders: 51750 reads served, 1 RCU each, 12 attempts refused'
said short.yaml 'duration: 50m'

# ---- events ----

taken trail cloudtrail.json describe-table-provisioned.json
said trail.notes '13 requests to bk-orders, 2 of them throttled'
said trail.notes '10 requests to bk-stock, 1 of them throttled'
said trail.notes '11 members of batches and transactions'
said trail.notes 'the busiest, c-7, has 54.5%'
said trail.yaml 'start: 2026-05-11T09:00:01Z'
said trail.yaml 'at: 2026-05-11T09:00:08Z'
said trail.yaml '"tables.\"bk-orders\".write_capacity": 60'
expect 0 run trail.yaml
is trail 23 'SELECT sum(arrivals) FROM recording'

taken event stream-event.json
said event.notes '7 requests to bk-orders'
said event.notes '4 partition keys; the busiest, c-1, has 57.1%'
said event.notes '1 deletes by TTL'
said event.yaml '{operation: PutItem, entity: item, weight: 4}'

taken export export-manifest-summary.json export-data.json.gz export-manifest-files.json
said export.notes 'items of 358 B in the mean'
said export.notes '46 items, counted by size'
said export.notes '3 files with items'
said export.yaml 'count: 165'
taken keyed describe-table-provisioned.json export-data.json.gz
said keyed.notes '10 partition keys; the fullest, c-03, has 6 of 46 items'

taken insights contributor-insights.json describe-table-provisioned.json
said insights.yaml 'list: {c-7: 40%, c-19: 12%, c-3: 4%, c-88: 2%, c-41: 1%}'
said insights.yaml 'count: 640'

taken xray xray.json
said xray.notes '4 requests to bk-orders, 1 of them throttled'
said xray.notes '2 requests to bk-stock, 0 of them throttled'
said xray.notes '7 spans that X-Ray adds'
said xray.notes '1 calls that name no table: the others name several'
said xray.notes '6 attempts of 2 calls'
expect 0 run xray.yaml
is xray 6 'SELECT sum(arrivals) FROM recording'

taken spans otlp.jsonl
said spans.notes '5 requests to bk-orders, 1 of them throttled'
said spans.notes '2 requests to bk-stock, 0 of them throttled'
said spans.notes '1 spans of other things'
expect 0 run spans.yaml
is spans 7 'SELECT sum(arrivals) FROM recording'

# ---- recordings ----

# replayed NAME FILE ROWS ARRIVALS
replayed() {
    taken "$1" "$2"
    expect 0 run "$1.yaml" --log requests
    is "$1" "$3|$4|0" 'SELECT rows, arrivals, bad_rows FROM recording'
}

# did NAME OPERATION REQUESTS [BYTES]
did() {
    is "$1" "$3${4:+|$4}" "SELECT count(*)${4:+, sum(item_bytes)} FROM request WHERE operation = '$2'"
}

replayed k6 k6.csv 7 7
did k6 PutItem 3
did k6 GetItem 3
did k6 DeleteItem 1
replayed jmeter jmeter.csv 30 30
did jmeter PutItem 8 9600
did jmeter GetItem 8 2520
did jmeter UpdateItem 7 2170
did jmeter Query 7
said jmeter.notes '3 of them throttled'
replayed locust locust_stats_history.csv 19 270
said locust.notes '90 requests that say no operation'
replayed twitter twitter-cache.csv 50 50
did twitter GetItem 25
did twitter PutItem 18
did twitter UpdateItem 6
did twitter DeleteItem 1
is twitter 8 'SELECT count(DISTINCT key) FROM request'
replayed cachelib cachelib-kv.csv 40 87
did cachelib GetItem 29
did cachelib PutItem 49
did cachelib DeleteItem 9
replayed oracle oracleGeneral.bin 60 60
is oracle '7|19' 'SELECT count(DISTINCT key), max(t_ns) / 1000000000 FROM request'
is oracle 256999 'SELECT sum(item_bytes) FROM request'
is oracle 26 "SELECT count(*) FROM request WHERE key = '11'"

taken ycsb ycsb.properties
said ycsb.notes '20000 records of 2072 B in table bk_catalogue, popular as hotspot'
said ycsb.yaml '400/s'

# ---- descriptions ----

taken tables describe-table-provisioned.json describe-table-on-demand.json describe-scaling-policies.json \
    describe-scalable-targets.json describe-scheduled-actions.json describe-alarms.json
said tables.yaml 'write_capacity: 1200'
said tables.yaml 'size: 1500 B'
said tables.yaml 'decreases_a_day: 1'
said tables.yaml 'entries: {item: {present: 20%, entry_size: 150 B}}'
said tables.yaml 'entries: {item: {entry_size: 80 B}}'
said tables.yaml 'on_demand_throughput: {max_read_request_units: 30000, max_write_request_units: 9000}'
said tables.yaml 'warm_throughput: {read_units_per_second: 30000, write_units_per_second: 12000}'
said tables.yaml 'max_capacity: 5000'
said tables.yaml 'target_value: 65%'
said tables.yaml 'cron(30 17 * * ? *)'
said tables.yaml 'at(2026-11-27T07:45:00)'
said tables.yaml 'statistic: p99'
said tables.yaml 'threshold: 54000'
said tables.notes 'alarms of alarms'
unsaid tables.notes 'alarm orders-bad'
expect 0 run tables.yaml --set duration=1m
taken actions describe-scheduled-actions.json
said actions.yaml 'billing_mode: PROVISIONED'

taken cfn cloudformation.yaml
said cfn.yaml 'name: bk-orders-prod'
said cfn.yaml 'read_capacity: 80'
said cfn.yaml 'write_capacity: 60'
said cfn.yaml 'partition_key: "{bk-orders-prod/customerId}"'
said cfn.yaml 'max_capacity: 900'
said cfn.yaml 'cron(0 17 * * ? *), write: {min_capacity: 400}'
said cfn.yaml 'warm_throughput: {read_units_per_second: 15000, write_units_per_second: 8000}'
taken dev cloudformation.yaml --parameter Stage=dev --parameter OrdersWcu=9
said dev.yaml 'name: bk-orders-dev'
said dev.yaml 'write_capacity: 9'

taken cdk cdk-synth.template.json --parameter AWS::Region=eu-central-1
said cdk.yaml 'write_capacity: 110'
said cdk.yaml 'read_capacity: 90'
said cdk.yaml 'read_capacity: 15'
said cdk.yaml 'auto_scaling: {write: {min_capacity: 35, max_capacity: 350, target_value: 75%}}'
said cdk.yaml 'replicas:'

taken serverless sam.yaml
said serverless.yaml 'write_capacity: 18'
said serverless.yaml 'partition_key: "{bk-carts/cartId}"'
said serverless.yaml 'partition_key: "{Sessions/id}"'
said serverless.yaml 'stream: NEW_IMAGE'

taken terraform terraform-show.json
said terraform.yaml 'write_capacity: 130'
said terraform.yaml 'write_capacity: 45'
said terraform.yaml 'name: bk-audit'
said terraform.yaml 'max_capacity: 1500'
said terraform.yaml 'scale_out_cooldown: 15s'
said terraform.yaml '{name: byTotal, type: LOCAL'

taken model nosql-workbench.json
said model.yaml 'write_capacity: 45'
said model.yaml 'size: 47 B'
said model.yaml 'present: 66.6666666%'

# None was left out.
for file in *; do
    [ ! -e "$samples/other-$file" ] || grep -q -F -e "$file" "$0" || fail "$file is not tested"
done
