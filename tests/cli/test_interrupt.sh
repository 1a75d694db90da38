#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A run that is stopped keeps what it computed; a run that is killed leaves a .part that nobody reads.
. "$(dirname "$0")/helpers.sh"

scenario endless 3650d
sed -i 's|rate: 20/s|rate: 5000/s|' endless.yaml

child=
trap '[ -z "$child" ] || kill -9 "$child" 2>/dev/null || :' EXIT

start() {
    "$DDBSIM" run endless.yaml --quiet >out 2>err &
    child=$!
    wait_until test -s endless.db.part
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
    absent endless.db.part
    [ "$(ask endless.db 'SELECT status FROM run')" = interrupted ] || fail "status after $signal"
    [ "$(ask endless.db 'PRAGMA integrity_check')" = ok ] || fail 'integrity'
    exists out
    expect 0 explain endless.db
    expect 0 explain endless.db --format json
    is_json out
    rm endless.db
done

start
kill -9 "$child"
ended 137
absent endless.db
for verb in explain plot; do
    refused "$verb" endless.db.part
    said err 'endless.db.part'
    refused "$verb" endless.db
    said err 'endless.db'
done

# What a killed run left is no obstacle.
start
kill -INT "$child"
ended 130
absent endless.db.part
expect 0 explain endless.db
