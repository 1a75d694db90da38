#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# YCSB's property files become scenarios that run, with its own popularity and its own way to load.
# shellcheck source=tests/cli/helpers.sh
samples=$(dirname "$0")/../../workloads/samples
. "$(dirname "$0")/helpers.sh"

expect 0 import "$samples/ycsb-insert.properties" -o orders.yaml
said orders.yaml 'distribution: ycsb_zipfian'
said orders.yaml 'keyspace: 28001' # twice the 4,000 inserts are expected, and one more
said orders.yaml 'rate: 200/s'
said orders.yaml 'end_time: +200s' # 40,000 operations
said orders.yaml 'consistent_read: true'
said err '20000 records of 848 B in table orders'
expect 0 run orders.yaml --set duration=200s --set workloads.ycsb-insert.end_time=+2m -o orders.db
[ "$(ask orders.db "SELECT sum(requests) BETWEEN 23000 AND 25000 FROM workload_total")" = 1 ] || fail 'the rate'
[ "$(ask orders.db "SELECT 100 * sum(requests) FILTER (WHERE operation = 'PutItem') / sum(requests) BETWEEN 8 AND 12
    FROM workload_total")" = 1 ] || fail 'the proportions'
# The most popular record has about 1 / zeta of the reads: its rank is the first of 10^10 that is there.
[ "$(ask orders.db "SELECT max(read_units) / (SELECT sum(units) FROM workload_total WHERE operation = 'GetItem')
    BETWEEN 0.02 AND 0.08 FROM top_key WHERE period_s = 0 AND kind = 'accessed'")" = 1 ] || fail 'the popularity'

expect 0 import "$samples/ycsb-insert.properties" --client boto3-standard -o client.yaml
said client.yaml 'preset: boto3-standard'
refused import "$samples/ycsb-insert.properties" --client nonsense
said err "no preset 'nonsense'"
cp "$samples/ycsb-insert.properties" own.properties
refused import own.properties -o own.properties --force
said err 'one of the files to read'

# Without a target: clients in a closed loop, and as many operations as it says.
cat >closed.properties <<'END'
! a comment in the other manner
workload=site.ycsb.workloads.CoreWorkload
recordcount=500
operationcount=3000
readproportion=0.5
updateproportion=0
scanproportion=0.25
readmodifywriteproportion=0.25
maxscanlength=100
requestdistribution=hotspot
threadcount=4
END
expect 0 import closed.properties -o closed.yaml
said closed.yaml 'vus: 4'
said closed.yaml 'items: 50'
said closed.yaml 'keys: 20%'
said err 'a read-modify-write is a read and an update'
expect 0 run closed.yaml --set duration=5m -o closed.db
[ "$(ask closed.db 'SELECT sum(requests) FROM workload_total')" = 3000 ] || fail 'operations'

for words in 'recordcount=many' 'readproportion=-1' 'requestdistribution=gaussian' 'fieldcount=1e99' \
    'operationcount=nan' 'recordcount='; do
    printf 'workload=site.ycsb.workloads.CoreWorkload\n%s\n' "$words" >bad.properties
    refused import bad.properties
    said err 'bad.properties:2'
done
printf 'workload=a.CoreWorkload\nreadproportion=0\nupdateproportion=0\n' >nothing.properties
refused import nothing.properties
said err 'nothing would be done'
