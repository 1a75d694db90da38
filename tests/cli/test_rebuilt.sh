#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A scenario made of what CloudWatch recorded and of what describe-table says of the tables, and of nothing else, shows
# the same cause as the run that was recorded: every provisioned scenario of the gallery that throttles.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"
samples=$(dirname "$0")/../../workloads/samples

# What metrics cannot tell: the rules of 2017, and that something failed for a while.
skipped='dilution retry-storm-cured'

cause() { sqlite3 :memory: "SELECT coalesce(json_extract(j, '\$.cause_detail.underlying'), json_extract(j, '\$.cause'))
    FROM (SELECT CAST(readfile('$1') AS TEXT) AS j)"; }

# describe DATABASE: its tables as describe-table prints them, with capacities, keys and projections.
describe() {
    sqlite3 -readonly "$1" "
        WITH s AS (SELECT path, value FROM setting), r AS (SELECT table_name AS t, index_name AS i, kind FROM resource),
        names AS (SELECT t, i, 'tables.' || t || iif(i IS NULL, '', '.indexes.' || i) AS p, kind FROM r)
        SELECT json_group_array(json_object('Table', json_object('TableName', n.t,
            'KeySchema', json(iif(EXISTS (SELECT 1 FROM s WHERE path LIKE n.p || '.entities.%.sort_key'),
                '[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"sk\",\"KeyType\":\"RANGE\"}]',
                '[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}]')),
            'ItemCount', (SELECT sum(value) FROM s WHERE path LIKE n.p || '.entities.%.count'),
            'ProvisionedThroughput', json_object(
                'ReadCapacityUnits', (SELECT CAST(value AS INTEGER) FROM s WHERE path = n.p || '.read_capacity'),
                'WriteCapacityUnits', (SELECT CAST(value AS INTEGER) FROM s WHERE path = n.p || '.write_capacity')),
            'GlobalSecondaryIndexes', (SELECT json_group_array(json_object('IndexName', x.i,
                'KeySchema', json('[{\"AttributeName\":\"' || x.i || '-key\",\"KeyType\":\"HASH\"}]'),
                'Projection', json_object('ProjectionType',
                    coalesce((SELECT value FROM s WHERE path = x.p || '.projection'), 'ALL')),
                'ProvisionedThroughput', json_object(
                    'ReadCapacityUnits', (SELECT CAST(value AS INTEGER) FROM s WHERE path = x.p || '.read_capacity'),
                    'WriteCapacityUnits', (SELECT CAST(value AS INTEGER) FROM s WHERE path = x.p || '.write_capacity'))))
                FROM names x WHERE x.t = n.t AND x.i IS NOT NULL
                AND EXISTS (SELECT 1 FROM s WHERE path = x.p || '.write_capacity')))))
        FROM names n WHERE n.kind = 'table'"
}

rebuilt=0
expect 0 list scenarios --format json
for name in $(gallery friday-1820 hot-key friday-window); do
    case " $skipped " in *" $name "*) continue ;; esac
    code=0
    "$DDBSIM" run "$name" -o run.db --force --quiet >out 2>err || code=$?
    [ "$code" -eq 0 ] || [ "$code" -eq 99 ] || fail "$name: exit code $code"
    [ "$(ask run.db "SELECT group_concat(DISTINCT value) FROM setting WHERE path LIKE '%.billing_mode'")" = PROVISIONED ] ||
        continue
    expect 0 explain run.db --format json
    simulated=$(cause out)
    [ "$simulated" != none ] || continue
    expect 0 export run.db -o metrics.json --force --quiet
    describe run.db >describe.json
    expect 0 import metrics.json describe.json -o rebuilt.yaml --force --quiet
    expect 0 explain rebuilt.yaml --quiet --format json
    [ "$(cause out)" = "$simulated" ] || fail "$name: $(cause out), not $simulated"
    rebuilt=$((rebuilt + 1))
    [ "$name" = friday-1820 ] || continue
    cp out friday.json
    # Laid over the recording: what the table consumed is the same within a percent, in each minute on the mean.
    expect 0 import metrics.json -o real.db --quiet
    expect 0 explain rebuilt.yaml --against real.db --quiet --format json
    [ "$(sqlite3 :memory: "SELECT group_concat(json_extract(value, '\$.minute_error') < 0.15, '') ||
        (json_extract(j, '\$[0].minute_error') < 0.01) FROM (SELECT CAST(readfile('out') AS TEXT) AS j), json_each(j)")" = \
        11111 ] || fail "$name: far from what was recorded"
    expect 0 explain rebuilt.yaml --against real.db --quiet
    said out 'mercadofresco-carritos ConsumedWriteCapacityUnits'
    said out '% less'
    expect 0 explain real.db --against real.db
    said out 'the same'
done
[ "$rebuilt" -ge "$([ "${THOROUGH:-0}" = 1 ] && echo 13 || echo 2)" ] || fail "only $rebuilt were rebuilt"

# The Friday of the README: as many requests as there were, within half a percent, and as many refusals within 15 %.
[ "$(sqlite3 :memory: "SELECT abs(json_extract(j, '\$.verdict.requests') - 138057) < 690
    AND abs(json_extract(j, '\$.verdict.throttled_attempts') - 35091) < 5264
    FROM (SELECT CAST(readfile('friday.json') AS TEXT) AS j)")" = 1 ] || fail "$(json friday.json '$.verdict.text')"

expect 0 import "$samples/metric-stream.jsonl" -o pedidos.db --quiet
refused explain real.db --against pedidos.db
said err 'no minute of the clock in common'
refused explain real.db --against rebuilt.yaml

# What it says, and what it writes beside the scenario.
expect 0 import "$samples/metric-stream.jsonl" -o pedidos.yaml
said err 'callers retry as boto3-standard does, up to 3 attempts'
said err '40 % move its key'
said err 'wrote pedidos-pedidos.csv: the load'
said pedidos.yaml 'por-estado: {move: 40'
said pedidos.yaml 'size: 5 KB'
[ "$(head -2 pedidos-pedidos.csv | tail -1)" = 1786119300,60,UpdateItem,480.000,5120 ] || fail 'load'
expect 0 import "$samples/metric-stream.jsonl" --client js-v3-standard -o other.yaml
said other.yaml 'preset: js-v3-standard'
refused import "$samples/metric-stream.jsonl" -o pedidos.yaml
said err 'pedidos-pedidos.csv'
refused import "$samples/metric-stream.jsonl"
said err 'needs a name'
refused import "$samples/metric-stream.jsonl" --client nobody -o never.yaml
said err "there is no preset 'nobody'"
absent never.yaml
absent never-pedidos.csv
