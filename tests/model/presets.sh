#!/bin/sh
# The Friday incident under every retry preset: the table of docs/clients.md, made anew. The index is raised at 18:40, which acts a
# minute later. Each row is the median over three seeds.
#
#   sh tests/model/presets.sh build/release/ddbsim            prints the table
#   sh tests/model/presets.sh build/release/ddbsim --update   and puts it into docs/clients.md
set -eu
ddbsim=$1
root=$(dirname "$0")/../..
page=$root/docs/clients.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Refused attempts; requests given up; the 99th percentile of the time to success between 18:20 and 18:40, in seconds; units of
# work that nobody waited for; seconds from the moment when the index has its capacity to the last retry.
facts="WITH fix AS (SELECT min(t_ns) / 1000000000 AS t_s FROM event WHERE kind = 'capacity_changed'),
  told AS (SELECT low_us, high_us, sum(sum(count)) OVER (ORDER BY low_us) AS below, sum(sum(count)) OVER () AS number
    FROM latency WHERE kind = 'caller' AND outcome = 'success' AND t_s >= 37200 AND t_s < 38400 GROUP BY low_us)
SELECT sum(throttled_attempts), sum(failed),
  (SELECT printf('%.1f', (low_us + high_us) / 2e6) FROM told WHERE below >= 0.99 * number ORDER BY low_us LIMIT 1),
  (SELECT printf('%.0f', total(units_wasted)) FROM workload_total),
  (SELECT max(t_s) + 1 - (SELECT t_s FROM fix) FROM workload_second WHERE retries > 0)
  FROM workload_total"

# runs PRESET PROCESSES: a line for each of three seeds.
runs() {
    for seed in 1 2 3; do
        "$ddbsim" run "$root/scenarios/friday-1820.yaml" --variant 'index raised at 18:40' --seed $seed \
            --set "workloads.tienda.client={preset: $1, processes: $2}" -o "$work/run.db" --force --quiet >/dev/null 2>&1 ||
            [ $? -eq 99 ]
        sqlite3 -separator ' ' "$work/run.db" "$facts"
    done >"$work/found"
}
median() { cut -d ' ' -f "$1" "$work/found" | sort -n | sed -n 2p; }

row() {
    runs "$1" "$2"
    printf '| %s | %s | %s | %s | %s | %s |\n' "$3" "$(median 1)" "$(median 2)" "$(median 3) s" "$(median 4)" "$(after "$(median 5)")"
}
after() { if [ "${1:-0}" -gt 0 ]; then echo "$1 s"; else echo 'at once'; fi; }

table() {
    "$ddbsim" --version | sed -n 's/^model version \([0-9]*\),.*/Model version \1./p'
    echo
    echo '| preset | throttled requests | given up | p99 to success | wasted units | recovered after the fix |'
    echo '|---|---|---|---|---|---|'
    "$ddbsim" list presets --format json | grep -o '"name": *"[^"]*"' | cut -d '"' -f 4 | while read -r preset; do
        row "$preset" 400 "\`$preset\`"
    done
    echo
    echo '| preset, one process | throttled requests | given up | p99 to success | wasted units | recovered after the fix |'
    echo '|---|---|---|---|---|---|'
    for preset in boto3-standard boto3-adaptive boto3-standard-2026 sdk-adaptive-2026; do
        row "$preset" 1 "\`$preset\`"
    done
}

if [ "${2:-}" != --update ]; then
    table
    exit
fi
table >"$work/table"
awk -v table="$work/table" '
    /^<!-- presets.sh -->$/ { print; while ((getline line < table) > 0) print line; inside = 1; next }
    /^<!-- end -->$/ { inside = 0 }
    !inside' "$page" >"$work/page"
mv "$work/page" "$page"
