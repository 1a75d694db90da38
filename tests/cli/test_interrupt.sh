#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A run that is stopped keeps what it computed; a run that is killed leaves a .part that nobody reads.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"

# Two hundred million requests: more than any machine gets through before the signal comes.
scenario long 11h
sed -i 's|rate: 20/s|rate: 5000/s|' long.yaml

child=
trap '[ -z "$child" ] || kill -9 "$child" 2>/dev/null || :' EXIT

# An older .part may lie there: the run has begun once it is written to.
touch -d 2001-01-01 marker
start() {
    [ ! -e long.db.part ] || touch -d 2000-01-01 long.db.part
    "$DDBSIM" run long.yaml --quiet >out 2>err &
    child=$!
    wait_until test long.db.part -nt marker
    wait_until test -s long.db.part
}

ended() {
    code=0
    wait "$child" || code=$?
    child=
    [ "$code" -eq "$1" ] || fail "exit code $code, not $1"
}

for signal in INT TERM; do
    start
    kill -"$signal" "$child"
    ended 130
    absent long.db.part
    [ "$(ask long.db 'SELECT status FROM run')" = interrupted ] || fail "status after $signal"
    [ "$(ask long.db 'PRAGMA integrity_check')" = ok ] || fail 'integrity'
    exists out
    expect 0 explain long.db
    expect 0 explain long.db --format json
    is_json out
    rm long.db
done

start
kill -9 "$child"
ended 137
absent long.db
for verb in explain plot; do
    refused "$verb" long.db.part
    said err 'long.db.part'
    refused "$verb" long.db
    said err 'long.db'
done

# What a killed run left is no obstacle.
start
kill -INT "$child"
ended 130
absent long.db.part
expect 0 explain long.db

# However many requests come in a second: the next look at the flag is soon.
rm -f long.db
sed -i 's|rate: 5000/s|rate: 1000000000/s|' long.yaml
start
kill -TERM "$child"
ended 130
[ "$(ask long.db 'SELECT status FROM run')" = interrupted ] || fail 'status under an absurd load'
