#!/bin/sh
# The digest of every gallery scenario as PROGRAM computes it, against tests/golden/digests.txt.
#   digests.sh PROGRAM           compare; the difference is shown
#   digests.sh PROGRAM --print   print them
#   digests.sh PROGRAM --update  record them: only with a new model version and a line in CHANGELOG.md
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
program=$1
golden=$root/tests/golden/digests.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for scenario in "$root"/scenarios/*.yaml; do
    name=$(basename "$scenario" .yaml)
    # 99 is a threshold that does not hold: the gallery shows some.
    "$program" run "$scenario" -o "$work/run.db" --force --quiet >"$work/said" 2>&1 || [ $? -eq 99 ] || {
        cat "$work/said" >&2
        echo "digests: $name does not run" >&2
        exit 1
    }
    digest=$(sqlite3 "$work/run.db" "SELECT digest FROM run WHERE variant = 'base' AND replication = 0")
    if [ ${#digest} -ne 32 ]; then
        echo "digests: $name has no digest: '$digest'" >&2
        exit 1
    fi
    echo "$name $digest"
done >"$work/digests"

case ${2-} in
--print) cat "$work/digests" ;;
--update) cp "$work/digests" "$golden" ;;
*) diff -u "$golden" "$work/digests" && echo "digests: $(wc -l <"$golden") scenarios as recorded" ;;
esac
