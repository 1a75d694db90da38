#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings: each sample becomes a scenario that replays it; archives are read as what is in them.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"
samples=$(cd "$(dirname "$0")/../../workloads/samples" && pwd)

# imported FORMAT FILE ROWS REQUESTS: the scenario runs, and has this of the recording.
imported() {
    cp "$samples/$2" .
    expect 0 import "$2" -o "$1.yaml" --force
    said "$1.yaml" "format: $1"
    said err "took: $4 requests"
    cp err "$1.notes"
    expect 0 run "$1.yaml" --force
    got=$(ask "$1.db" 'SELECT format || " " || rows || " " || arrivals FROM recording')
    [ "$got" = "$1 $3 $4" ] || fail "$2: $got"
}
imported csv loans.csv 180 180
imported jsonl turnstiles.jsonl 120 120
imported twitter twitter.csv.zst 400 400
imported cachelib cachelib.csv.gz 150 336
imported oracle-general objects.oracleGeneral 300 300
imported k6 k6.csv 76 76
imported jmeter jmeter.jtl 140 140
imported locust locust_stats_history.csv 120 3857

# Start and duration are the recording's, sizes its mean, operations what its rows have.
said csv.yaml 'start: 2026-09-01T08:20:00Z'
said csv.yaml 'duration: 1m21s'
said csv.yaml 'size: 1310 B' # 235,866 B / 180
said csv.yaml 'operation: UpdateItem, entity: item, weight: 43'
said csv.notes '40 partition keys'
unsaid twitter.yaml 'start:' # it counts from a zero of its own
said twitter.yaml 'duration: 1m26s'
said oracle-general.notes '300 requests that say no operation are eventual reads'
said k6.notes 'missing: the partition keys of 76 of 76 requests'

# What other kinds read they read out of archives too.
gzip -c "$samples/cloudtrail.json" >trail.json.gz
expect 0 import trail.json.gz -o trail.yaml
said trail.yaml 'format: cloudtrail'
gzip -c "$samples/describe-table.json" >table
expect 0 import table
said out 'read_capacity: 200'

# Bad rows are passed over, here and by the scenario, as long as most are good.
sed '5s/^[0-9]*/soon/' "$samples/loans.csv" >some.csv
expect 0 import some.csv -o some.yaml
said err 'passed over: 1 of 180 rows are bad, the first of them: line 5: the time "soon"'
said some.yaml 'on_bad_row: skip'
expect 0 run some.yaml
[ "$(ask some.db 'SELECT bad_rows FROM recording')" = 1 ] || fail 'bad rows of the run'
sed '3,$s/^[0-9]*/soon/' "$samples/loans.csv" >most.csv
refused import most.csv
said err 'most.csv: as csv, 179 of 180 rows are bad: line 3: the time "soon"'

# Archives that are cut off or damaged are refused.
head -c 500 "$samples/cachelib.csv.gz" >cut.gz
refused import cut.gz
said err 'the gzip archive ends in the middle, at its byte 500'
refused import - <"$samples/loans.csv"
