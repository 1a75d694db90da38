#!/bin/sh
# The Friday 18:20 incident from nothing: installs what is missing, builds, simulates, says why the table
# throttles, draws three charts, tries a fix. Everything it makes is in build/demo.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
.ci/build release ddbsim_cli

PATH=$root/build/release:$PATH
scenario=scenarios/friday-1820.yaml
fix='index at 300'
out=build/demo
mkdir -p "$out"

heading() { printf '\n== %s\n\n' "$1"; }
# A threshold that does not hold is a finding, not a failure of this script.
simulate() {
    status=0
    ddbsim run "$@" --force || status=$?
    case $status in 0 | 99) ;; *) exit "$status" ;; esac
}

heading 'The incident: a table with room to spare, and callers that are refused'
simulate "$scenario" -o "$out/friday-1820.db"

heading 'Why'
ddbsim explain "$out/friday-1820.db"

heading "The fix that suggests itself: $fix"
simulate "$scenario" --variant "$fix" -o "$out/friday-1820-fixed.db"

heading 'What is left'
ddbsim explain "$out/friday-1820-fixed.db"

for chart in heat capacity tokens; do
    ddbsim plot "$out/friday-1820.db" --chart "$chart" -o "$out/friday-1820-$chart.png" --force
done

heading "To look at next, in $root"
cat <<END
  $out/friday-1820-heat.png      which partition burned, and when
  $out/friday-1820-capacity.png  what was consumed, what was provisioned, what was refused
  $out/friday-1820-tokens.png    the saved burst, until it ran out
  $out/friday-1820.db            every number behind them; sqlite3 opens it, docs/log.md explains it

  build/release/ddbsim list scenarios           the other scenarios
  build/release/ddbsim run $scenario --set 'workloads.*.scale=2' -o build/demo/double.db
END
