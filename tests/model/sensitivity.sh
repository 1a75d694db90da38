#!/bin/sh
# How far outcomes hang on the model's assumptions: the tables of docs/model.md, made anew. Each row sets one
# assumption and shows the median over five seeds.
#
#   sh tests/model/sensitivity.sh build/release/ddbsim
set -eu
ddbsim=$1
cases=$(dirname "$0")/cases
gallery=$(dirname "$0")/../../scenarios
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# runs SCENARIO SETTING SQL: what the query finds in the database of each of five seeds, a line each.
runs() {
    for seed in 1 2 3 4 5; do
        "$ddbsim" run "$1" ${2:+--set "$2"} --seed $seed -o "$work/run.db" --force --quiet >/dev/null 2>&1 ||
            [ $? -eq 99 ]
        sqlite3 -separator ' ' "$work/run.db" "$3"
    done >"$work/found"
}
# median COLUMN of them
median() { cut -d ' ' -f "$1" "$work/found" | sort -n | sed -n 3p; }

fill="SELECT printf('%.2f', 100.0 * sum(throttled) / sum(members)),
  (SELECT count(*) FROM partition WHERE retired_ns IS NULL)
  FROM batch_second WHERE operation = 'BatchGetItem'"
stairs="SELECT printf('%.1f', coalesce((SELECT min(t_ns) / 60e9 FROM event WHERE kind = 'split_finished'), 99)),
  printf('%.0f', (SELECT sum(write_units) / 60 FROM second WHERE t_s >= 1440 AND t_s < 1500))"
throttles='SELECT total(first_events) FROM throttle'
rush="SELECT printf('%.1f', 100.0 * sum(throttled_attempts) / sum(attempts)) FROM workload_total"

split_row() {
    runs "$cases/C05.yaml" "$2" "$fill"
    row="| $1 | $(median 1) % | $(median 2) |"
    runs "$cases/C07.yaml" "$2" "$stairs"
    first=$(median 1)
    [ "$first" != 99.0 ] || first=none
    echo "$row $first | $(median 2) |"
}
one_row() {
    runs "$2" "$3" "$4"
    echo "| $1 | $(median 1)$5 |"
}

echo '| assumption | C05: reads refused | C05: partitions | C07: first split, min | C07: W/s in minute 24 |'
echo '|---|---|---|---|---|'
split_row 'as they are' ''
for setting in heat_threshold=50% heat_threshold=100% heat_window=1m heat_window=15m heat_cooldown=0s \
    heat_cooldown=30m split_duration=30s split_duration=30m split_sigma=0% split_sigma=200% \
    split_benefit=60% split_benefit=99% split_sequential=50% split_isolation=50% split_sketch=64 \
    split_sketch=4096 split_parallel_on_demand=1; do
    split_row "\`$setting\`" "model.$setting"
done

echo
echo '| assumption | L2: refusals in 2.1 million writes |'
echo '|---|---|'
for setting in partition_burst=1s partition_burst=2s partition_burst=3s partition_burst=4s; do
    one_row "\`$setting\`" "$cases/L2.yaml" "model.$setting" "$throttles" ''
done

echo
echo '| assumption | black-friday-cold-table: writes refused |'
echo '|---|---|'
one_row 'as they are' "$gallery/black-friday-cold-table.yaml" '' "$rush" ' %'
for setting in peak_window=10s peak_window=5m peak_settle=0s peak_settle=30m double_interval=5m \
    double_interval=60m on_demand_growth=rule30 on_demand_growth=splits split_duration=30s \
    split_duration=30m; do
    one_row "\`$setting\`" "$gallery/black-friday-cold-table.yaml" "model.$setting" "$rush" ' %'
done

# Options that are off by default, on a deployment that outgrows an index and on a credit that runs out.
credit="SELECT printf('%.0f', coalesce((SELECT min(t_ns) / 1e9 FROM event WHERE kind = 'throttling_started'), -1))"
option_row() {
    runs "$gallery/friday-1820.yaml" "$2" "$rush"
    row="| $1 | $(median 1) %"
    runs "$gallery/burst-900s.yaml" "$2" "$credit"
    echo "$row | $(median 1) s |"
}
echo
echo '| assumption | friday-1820: attempts refused | burst-900s: first refusal after |'
echo '|---|---|---|'
option_row 'as they are' ''
for setting in burst_steal_rate=10% burst_steal_rate=20% token_debt=strict token_leak=on gac_refill=5s rw_coupled=on \
    node_limit=50; do
    option_row "\`$setting\`" "model.$setting"
done
