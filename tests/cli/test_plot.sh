#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every chart in every format, from a database and from a scenario; what cannot be drawn is refused.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"

# starts FILE BYTES
starts() {
    [ "$(head -c "${#2}" "$1" | LC_ALL=C tr -d '\0')" = "$2" ] || fail "$1 does not start with $2"
}

scenario small
cat >>small.yaml <<'END'
model: {metric_delay: 0s, alarm_delay: 0s}      # two minutes are too short for CloudWatch's own
alarms:
  - {name: writes-80, table: orders, metric: ConsumedWriteCapacityUnits, statistic: Sum, comparison: ">", threshold: 80%}
END
expect 0 run small.yaml --quiet

expect 0 list charts --format json
charts=$(sqlite3 :memory: "SELECT json_extract(value, '$.name') FROM
    json_each(CAST(readfile('out') AS TEXT))")
for chart in $charts; do
    expect 0 plot small.db --chart "$chart"
    empty out
    said err "small-$chart.png"
    [ "$(head -c 4 "small-$chart.png" | tail -c 3)" = PNG ] || fail "small-$chart.png"
    expect 0 plot small.db --chart "$chart" -o "$chart.svg" --dark --lang es --quiet
    empty err
    said "$chart.svg" '<svg'
    expect 0 plot small.db --chart "$chart" -o "$chart.pdf" --size 640x400
    starts "$chart.pdf" %PDF
done
exists small-heat.png

# The same run draws the same picture, from a database or from its scenario.
expect 0 plot small.db -o one.svg
expect 0 plot small.yaml -o two.svg
cmp -s one.svg two.svg || fail 'one.svg and two.svg differ'
expect 0 plot small.yaml --set tables.orders.write_capacity=500 -o other.svg
cmp -s one.svg other.svg && fail 'another run, the same picture'

# Without alarms there is nothing to draw: why, and what to write.
expect 0 run small.yaml --set 'alarms=[]' -o calm.db --quiet
refused plot calm.db --chart alarms
said err 'this run has no alarms'
said err 'alarms: [{name: writes-80, table: orders,'
expect 0 run small.yaml --set model.metric_delay=5m -o short.db --quiet
refused plot short.db --chart alarms
said err 'no alarm was evaluated'
[ ! -e calm-alarms.png ] || fail 'calm-alarms.png'

refused plot small.db
said err 'small-heat.png'
expect 0 plot small.db --force
expect 0 plot small.db --from 12:00:30 --to +1m30s -o part.svg
cmp -s one.svg part.svg && fail '--from and --to did nothing'

refused plot small.db --chart heta -o never.png
said err 'heat'
refused plot small.db -o never.bmp
refused plot small.db --table nobody -o never.png
said err 'nobody'
said err 'the tables are: orders'
refused plot small.db --chart calor -o never.png
said err 'the charts are: heat'
refused plot small.db --from 11:00 -o never.png
said err 'it goes from 12:00:00 to 12:02:00'
for size in 3 960 960x 0x0 960x600x3 -5x600 ''; do
    refused plot small.db --size="$size" -o never.png
    said err '--size'
done
refused plot small.db --size=99999x600 -o never.png
for time in 25:00 noon +5 '' 12:00:61; do
    refused plot small.db --from="$time" -o never.png
    said err '--from'
done
refused plot small.db --from 12:02 --to 12:01 -o never.png
refused plot small.db --lang fr -o never.png
said err '--lang'
absent never.png
absent never.bmp
expect 3 plot small.db -o nowhere/picture.png
said err 'mkdir -p nowhere'

# An index is no table.
sed 's/^workloads:/    indexes:\n      - {name: by-day, partition_key: "D", sort_key: "{time}", projection: ALL, read_capacity: 5, write_capacity: 5}\n&/' \
    small.yaml >indexed.yaml
refused plot indexed.yaml --table by-day -o never.png
said err "'by-day' is an index of table orders"
