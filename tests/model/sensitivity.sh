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

# median SCENARIO SETTING SQL: of what the query finds in the database of each seed.
median() {
    for seed in 1 2 3 4 5; do
        "$ddbsim" run "$1" ${2:+--set "$2"} --seed $seed -o "$work/run.db" --force --quiet >/dev/null 2>&1
        sqlite3 "$work/run.db" "$3"
    done | sort -n | sed -n 3p
}

refused="SELECT printf('%.2f', 100.0 * sum(throttled_attempts) / sum(attempts)) FROM workload_total WHERE operation = 'GetItem'"
partitions="SELECT count(*) FROM partition WHERE retired_ns IS NULL"
first_split="SELECT coalesce(printf('%.1f', min(t_ns) / 60e9), 99) FROM event WHERE kind = 'split_finished'"
writes="SELECT printf('%.0f', sum(write_units) / 60) FROM second WHERE t_s >= 1440 AND t_s < 1500"
throttles="SELECT total(first_events) FROM throttle"
rush="SELECT printf('%.1f', 100.0 * sum(throttled_attempts) / sum(attempts)) FROM workload_total"

never() { [ "$1" = 99.0 ] || [ "$1" = 99 ] && echo never || echo "$1"; }

split_row() {
    echo "| $1 | $(median "$cases/C05.yaml" "$2" "$refused") % | $(median "$cases/C05.yaml" "$2" "$partitions") |" \
        "$(never "$(median "$cases/C07.yaml" "$2" "$first_split")") | $(median "$cases/C07.yaml" "$2" "$writes") |"
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
    echo "| \`$setting\` | $(median "$cases/L2.yaml" "model.$setting" "$throttles") |"
done

echo
echo '| assumption | black-friday-cold-table: writes refused |'
echo '|---|---|'
echo "| as they are | $(median "$gallery/black-friday-cold-table.yaml" '' "$rush") % |"
for setting in peak_window=10s peak_window=5m peak_settle=0s peak_settle=30m double_interval=5m \
    double_interval=60m on_demand_growth=rule30 on_demand_growth=splits split_duration=30s \
    split_duration=30m; do
    echo "| \`$setting\` | $(median "$gallery/black-friday-cold-table.yaml" "model.$setting" "$rush") % |"
done
