#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What CloudWatch recorded, as a run: out of a simulated run and in again nothing is lost, and the cause is the same.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"
samples=$(dirname "$0")/../../workloads/samples

# cause FILE: what refused, by an explanation in JSON. That of a storm, of a scaler that came late or of callers that
# gave up lies with who asks, or with who scales: metrics show what is under it.
cause() { sqlite3 :memory: "SELECT coalesce(json_extract(j, '\$.cause_detail.underlying'), json_extract(j, '\$.cause'))
    FROM (SELECT CAST(readfile('$1') AS TEXT) AS j)"; }

# Every provisioned scenario of the gallery.
throttled=0
expect 0 list scenarios --format json
for name in $(gallery friday-1820 hot-key friday-window); do
    code=0
    "$DDBSIM" run "$name" -o run.db --force --quiet >out 2>err || code=$?
    [ "$code" -eq 0 ] || [ "$code" -eq 99 ] || fail "$name: exit code $code"
    expect 0 explain run.db --format json
    simulated=$(cause out)
    formats=cloudwatch
    [ "$name" != friday-1820 ] || formats='cloudwatch metric-stream'
    for format in $formats; do
        expect 0 export run.db --format "$format" -o metrics --force --quiet
        expect 0 import metrics -o observed.db --force --quiet
        empty err
        differ=$(sqlite3 -readonly run.db "ATTACH 'observed.db' AS o" "
            SELECT count(*) FROM (SELECT r.table_name, r.index_name, name, operation, period_s, start_unix_s + t_s,
                sum FROM metric JOIN resource r USING (run_id, resource_id) JOIN run USING (run_id)
                WHERE name NOT LIKE 'Provisioned%' AND unit = 'Count' AND dimension = ''
                AND instr(table_name, '@') = 0
            EXCEPT SELECT r.table_name, r.index_name, name, operation, period_s, start_unix_s + t_s, sum
                FROM o.metric JOIN o.resource r USING (run_id, resource_id) JOIN o.run USING (run_id))")
        [ "$differ" -eq 0 ] || fail "$name, $format: $differ minutes differ"
        expect 0 explain observed.db --format json
        case $(ask run.db "SELECT group_concat(DISTINCT value) FROM setting WHERE path LIKE '%.billing_mode'") in
        PROVISIONED) [ "$(cause out)" = "$simulated" ] || fail "$name, $format: $(cause out), not $simulated" ;;
        esac
        [ "$(json out '$.status')" = observed ] || fail "$name: status"
        [ "$simulated" = none ] || throttled=$((throttled + 1))
    done
done
[ "$throttled" -ge "$([ "${THOROUGH:-0}" = 1 ] && echo 14 || echo 2)" ] || fail "only $throttled explanations had anything to explain"

# The samples, by themselves and with what describes their table.
expect 0 import "$samples/cloudwatch-data.json" "$samples/cloudwatch-queries.json" -o pedidos.db
said err 'wrote pedidos.db; next: ddbsim explain pedidos.db'
expect 0 explain pedidos.db
said out 'index por-estado of pedidos lacks write capacity'
[ "$(ask pedidos.db 'SELECT status, start, duration_s FROM run')" = \
    'observed|2026-08-07T16:15:00+00:00|720' ] || fail 'run'
expect 0 import "$samples/cloudwatch-console.csv" "$samples/metric-stream.jsonl" -o both.db
said err 'datapoints that came twice'
expect 0 import "$samples/pedidos.por-estado.statistics.json" --table pedidos \
    --map 'pedidos.por-estado.statistics.json=pedidos por-estado ConsumedWriteCapacityUnits' -o part.db --quiet
[ "$(ask part.db "SELECT sum(sum) FROM metric JOIN resource USING (run_id, resource_id)
    WHERE index_name = 'por-estado'")" = 49189.0 ] || fail 'map'

# What cannot be.
refused import "$samples/describe-table.json" -o none.db
said err 'a database needs metrics of CloudWatch'
refused import "$samples/metric-stream.jsonl" -o pedidos.db
said err 'exists'
refused import "$samples/cloudwatch-data.json" -o never.db
said err 'nothing says which table'
said err '--map'
refused import "$samples/pedidos.por-estado.statistics.json" -o never.db
said err 'nothing says which table'
refused import "$samples/metric-stream.jsonl" --map m1 -o never.db
said err '--map m1'
head -c 900 "$samples/cloudwatch-data.json" >cut.json
refused import cut.json -o never.db
absent never.db
absent never.db.part
expect 3 import "$samples/metric-stream.jsonl" -o no/folder.db

# A reason that the recording names is taken at its word, the account's too: the capacity would have sufficed.
for minute in 1 2 3 4 5 6 7 8; do
    for metric in 'ConsumedWriteCapacityUnits 6000 600' 'ProvisionedWriteCapacityUnits 4000 1' \
        'WriteThrottleEvents 70 70' 'WriteAccountLimitThrottleEvents 70 70'; do
        # shellcheck disable=SC2086
        set -- $metric
        printf '{"namespace":"AWS/DynamoDB","metric_name":"%s","dimensions":{"TableName":"t"},' "$1"
        printf '"timestamp":%s,"value":{"count":%s,"sum":%s,"max":%s,"min":1},"unit":"Count"}\n' \
            $((1786119600000 + 60000 * minute)) "$3" "$2" "$2"
    done
done >account.jsonl
expect 0 import account.jsonl -o account.db
expect 0 explain account.db --format json
[ "$(cause out)" = account_limit ] || fail "account limit: $(cause out)"

# Where no reason is named and the capacity was hardly used, it is a partition.
grep -v AccountLimit account.jsonl >partition.jsonl
expect 0 import partition.jsonl -o partition.db
expect 0 explain partition.db
said out 'one partition of table t is at its write limit'
unsaid out unknown
