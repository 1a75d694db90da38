#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# AWS's event documents: each sample becomes a scenario that runs, and its notes say what was taken of it.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"
samples=$(cd "$(dirname "$0")/../../workloads/samples" && pwd)
cp "$samples"/*.json "$samples"/*.jsonl .

# imported NAME FILE...: NAME.yaml of these files; what was said of them stays in NAME.notes.
imported() {
    name=$1
    shift
    expect 0 import "$@" -o "$name.yaml"
    cp err "$name.notes"
    expect 0 run "$name.yaml"
}

# replayed NAME ROWS: so many rows of its recordings became arrivals.
replayed() {
    [ "$(ask "$1.db" 'SELECT sum(arrivals) FROM recording')" = "$2" ] ||
        fail "$1: $(ask "$1.db" 'SELECT * FROM recording')"
}

# 36 requests; without a client each refused attempt is one.
imported trail cloudtrail.json
replayed trail 36
said trail.notes 'took: 36 requests to carritos, 5 of them throttled'
said trail.notes 'passed over: 1 events of other services'
said trail.notes 'assumed: 1 tables whose partition key is guessed'
said trail.notes 'an UpdateTable of table carritos'
said trail.yaml 'format: cloudtrail'
said trail.yaml 'columns: {key: PK}'
[ "$(ask trail.db 'SELECT start FROM run')" = 2026-08-07T16:20:07Z ] || fail 'start'

imported stream streams.json
replayed stream 22
said stream.notes 'passed over: 2 deletes by TTL'
said stream.yaml 'size: 113 B'

imported kinesis streams-kinesis.jsonl
replayed kinesis 8

imported export s3-export-incremental.jsonl
replayed export 12
said export.notes 'an export holds no others'

imported xray xray.json
replayed xray 12
said xray.notes 'took: 18 attempts of 12 calls, 1.5 a call'
said xray.notes 'spans are sampled'

imported otel otel.jsonl
replayed otel 12
said otel.notes 'took: 6 attempts of 3 calls, 2 a call'

# The report's keys are the table's where the recording says that it is its key, in any order of the files.
imported popular insights.json cloudtrail.json
said popular.yaml 'CLIENTE#4471: 40%'
said popular.yaml 'theta: 1.10588'
imported same cloudtrail.json insights.json --client boto3-standard
said same.yaml 'preset: boto3-standard'
said same.yaml 'CLIENTE#4471: 40%'
imported masked cloudtrail.json insights.json --mask-keys
unsaid masked.yaml 'CLIENTE#'
unsaid masked.notes 'CLIENTE#'
said masked.notes 'the recording keeps its keys'

# With the table's description: its key is known, the change of its index is one, the export counts its partitions.
sed -e 's/"trips"/"carritos"/; s/riderId/PK/; s/tripId/SK/; s/by-city/gsi-estado-fecha/' \
    describe-table.json >table.json
imported whole table.json cloudtrail.json s3-export-manifest-summary.json \
    s3-export-manifest-files.json s3-export-data.jsonl
said whole.yaml 'at: 2026-08-07T16:21:01Z'
said whole.yaml 'write_capacity": 300'
said whole.yaml 'write_capacity: 100'
unsaid whole.notes 'the capacities before the changes'
said whole.yaml 'partitions: 3'
said whole.notes 'took: an UpdateTable of carritos, index gsi-estado-fecha as a change'
said whole.notes '40 items, counted by size'
said whole.notes 'requests are to partition keys of carritos as often as items have them'
said whole.yaml 'CLIENTE#4471:'
[ "$(ask whole.db "SELECT count(*) FROM event WHERE kind = 'change'")" = 1 ] || fail 'no change'

# A recording whose keys are not the table's.
sed -e 's/"trips"/"carritos"/' describe-table.json >other.json
refused import other.json cloudtrail.json
said err 'the keys of table carritos have the attribute PK; its description says riderId'

# A report of a key that nobody has, an export alone, standard input, what is cut off.
expect 0 import describe-table.json insights.json
said err 'missing: whose key "PK" is: no table and no index'
refused import s3-export-data.jsonl
said err 'which table this is of'
code=0
"$DDBSIM" import - <cloudtrail.json >out 2>err || code=$?
[ "$code" -eq 2 ] || fail 'standard input'
head -c 5000 cloudtrail.json >cut.json
refused import cut.json
said err 'cut.json:'

# A popularity beside the scenario.
scenario popular-file
sed -i 's/customer: {count: 1000}/customer: {file: insights.json}/' popular-file.yaml
expect 0 run popular-file.yaml --force
printf 'value,weight\nana,3\nbo,1\n' >weights.csv
sed -i 's/insights.json/weights.csv/' popular-file.yaml
expect 0 run popular-file.yaml --force
printf 'value,weight\nana,3\nbo,-1\n' >weights.csv
refused run popular-file.yaml --force
said err 'weights.csv:3'
