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
