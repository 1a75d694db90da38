#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What CloudWatch would show of a run: the same figures as the database, from it or from its scenario.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"

scenario small 6m
expect 0 run small.yaml --quiet

expect 0 export small.db
empty err
is_json out
cp out metrics.json
expect 0 export small.yaml -o again.json
said err 'wrote again.json'
cmp -s metrics.json again.json || fail 'the scenario exports something else than its database'

# Every result has its query, under the same Id and label, and as many times as values, the newest first.
results=$(json metrics.json '$.MetricDataResults')
queries=$(json metrics.json '$.MetricDataQueries')
[ "$(sqlite3 :memory: "SELECT group_concat(json_extract(r.value, '\$.Id') = json_extract(q.value, '\$.Id')
        AND json_extract(r.value, '\$.Label') = json_extract(q.value, '\$.Label')
        AND json_array_length(r.value, '\$.Timestamps') = json_array_length(r.value, '\$.Values')
        AND json_extract(r.value, '\$.Timestamps[0]') >= json_extract(r.value, '\$.Timestamps[#-1]'), '')
    FROM json_each('$results') r JOIN json_each('$queries') q USING (key)" | tr -d 1)" = '' ] ||
    fail 'results and queries differ'

# sum METRIC STATISTIC: over all values of one result of the table.
sum() {
    sqlite3 :memory: "SELECT sum(v.value) FROM json_each('$results') r, json_each(r.value, '\$.Values') v
        WHERE json_extract(r.value, '\$.Label') = 'orders $1 $2'"
}
for metric in ConsumedWriteCapacityUnits WriteThrottleEvents 'PutItem ThrottledRequests'; do
    for statistic in Sum:sum SampleCount:sample_count; do
        wanted=$(ask small.db "SELECT sum(${statistic#*:}) * 1.0 FROM metric WHERE name = '${metric#* }'")
        got=$(sum "$metric" "${statistic%:*}")
        [ "$wanted" = "$got" ] || fail "$metric ${statistic%:*}: $got, not $wanted"
    done
done
[ "$(sum ProvisionedWriteCapacityUnits Maximum)" = "$(ask small.db "SELECT sum(maximum)
    FROM metric WHERE name = 'ProvisionedWriteCapacityUnits'")" ] || fail 'capacity'
[ -z "$(sum ProvisionedWriteCapacityUnits Sum)" ] || fail 'capacity has no sum that means anything'

# A metric stream: as many lines as rows, in milliseconds, with the same sum.
expect 0 export small.db --format metric-stream -o stream.jsonl --quiet
empty err
empty out
[ "$(wc -l <stream.jsonl)" = "$(ask small.db 'SELECT count(*) FROM metric')" ] || fail 'lines'
{
    printf '['
    sed '$!s/$/,/' stream.jsonl
    printf ']'
} >stream.json
sqlite3 :memory: "SELECT sum(json_extract(value, '\$.value.sum')), min(json_extract(value, '\$.timestamp'))
    FROM json_each(CAST(readfile('stream.json') AS TEXT))
    WHERE json_extract(value, '\$.metric_name') = 'ConsumedWriteCapacityUnits'" >got
ask small.db "SELECT sum(sum), 1000 * (start_unix_s + min(t_s)) FROM metric JOIN run
    USING (run_id) WHERE name = 'ConsumedWriteCapacityUnits'" >wanted
cmp -s got wanted || fail "stream: $(cat got), not $(cat wanted)"

# A part of it.
expect 0 export small.db --metrics ConsumedWriteCapacityUnits,WriteThrottleEvents --from +2m --to 12:04
[ "$(json out '$.MetricDataResults[0].Timestamps')" = \
    '["2026-09-25T10:03:00+00:00","2026-09-25T10:02:00+00:00"]' ] || fail 'window'
[ "$(json out '$.MetricDataResults[3].Label')" = 'orders WriteThrottleEvents SampleCount' ] || fail 'choice'
[ -z "$(json out '$.MetricDataResults[4]')" ] || fail 'more than was asked for'

# A Region's answer has no other Region's replica; a stream has.
sed 's/^    new: true/    replicas: [us-east-1]\n&/' small.yaml >global.yaml
expect 0 export global.yaml -o global.json
said err 'left out'
[ "$(json global.json "$(printf '%s' '$.MetricDataResults[0].Values[0]')")" = \
    "$(ask small.db "SELECT sum FROM metric WHERE name = 'ConsumedWriteCapacityUnits' ORDER BY t_s DESC LIMIT 1")" ] ||
    fail 'another table than the one at home'
expect 0 export global.yaml --format metric-stream --quiet
said out '"region":"us-east-1","namespace":"AWS/DynamoDB","metric_name":"ConsumedWriteCapacityUnits","dimensions":{"TableName":"orders"}'

# What cannot be.
expect 0 list formats
said out metric-stream
refused export small.db --format cloudwach
said err "did you mean 'cloudwatch'?"
refused export small.db --metrics ConsumedWriteCapacityUnit
said err "did you mean 'ConsumedWriteCapacityUnits'?"
refused export small.db --metrics ,
refused export small.db --metrics UserErrors
said err 'no such metric'
refused export small.db --from 12:03 --to 12:02
refused export small.db -o metrics.json
said err '--force replaces it'
expect 0 export small.db -o metrics.json --force --quiet
refused export small.db -o .
expect 3 export small.db -o nowhere/metrics.json
said err 'mkdir -p nowhere'
absent metrics.json.part
refused export
if [ -e /dev/full ]; then
    code=0
    "$DDBSIM" export small.db >/dev/full 2>err || code=$?
    [ "$code" -eq 3 ] || fail "a full disk: exit code $code"
fi
