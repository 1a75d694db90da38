#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Where results go: files that are not overwritten, streams that fail loudly, colour, silence.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"

scenario small
cat >>small.yaml <<'END'
variants:
  - {name: "Twice: The Capacity!", set: {tables.orders.write_capacity: 20}}
END

# Default names; talk on standard error, which points to what comes next.
expect 0 run small.yaml
exists small.db
exists out
said err 'ddbsim explain small.db'
expect 0 run small.yaml --variant 'Twice: The Capacity!'
exists small-twice-the-capacity.db
[ "$(ask small-twice-the-capacity.db 'SELECT variant FROM run')" = 'Twice: The Capacity!' ] ||
    fail 'variant'

# Nothing is overwritten, and nothing simulated, without --force.
cp small.db before
refused run small.yaml
said err 'small.db'
said err '--force'
cmp -s small.db before || fail 'small.db changed'
absent small.db.part
expect 0 run small.yaml --force --seed 6 --quiet
empty err
[ "$(ask small.db 'SELECT seed FROM run')" = 6 ] || fail '--force kept the old database'

# Outputs that cannot be.
mkdir directory
for output in - directory /dev/null /dev/full small.db.part ''; do
    refused run small.yaml --output="$output" --force
done
[ -c /dev/null ] || fail '/dev/null is gone'
ln -s nowhere.db link.db
refused run small.yaml -o link.db
said err 'link.db'
absent link.db.part
cp small.yaml before
refused run small.yaml -o small.yaml --force
cmp -s small.yaml before || fail 'the scenario was overwritten'
expect 3 run small.yaml -o nowhere/small.db
empty out
said err 'nowhere'

# Standard output that fails: the database is there all the same.
for arguments in --help --version 'list metrics' schema 'run --help' 'explain small.db'; do
    code=0
    # shellcheck disable=SC2086 # the words are arguments
    "$DDBSIM" $arguments >/dev/full 2>err || code=$?
    [ "$code" -eq 3 ] || fail "ddbsim $arguments >/dev/full: exit code $code"
    said err 'standard output'
done
code=0
"$DDBSIM" run small.yaml -o full.db >/dev/full 2>err || code=$?
[ "$code" -eq 3 ] || fail "run >/dev/full: exit code $code"
[ "$(ask full.db 'SELECT status FROM run')" = complete ] || fail 'full.db'
code=0
"$DDBSIM" run small.yaml -o closed.db >&- 2>err || code=$?
[ "$code" -eq 3 ] || fail "run >&-: exit code $code"
[ "$(ask closed.db 'SELECT status FROM run')" = complete ] || fail 'closed.db'

# A reader that went away is an exit code and no complaint.
{
    code=0
    "$DDBSIM" schema 2>err || code=$?
    echo "$code" >code
} | true
wait_until test -s code
case $(cat code) in
0) ;; # all of it went into the pipe before the reader left
3) empty err ;;
*) fail "schema | true: exit code $(cat code)" ;;
esac

# A limit of the size of files is a full disk, not the program's end.
for blocks in 0 8 64; do
    code=0
    message=$(ulimit -f "$blocks" && exec "$DDBSIM" run small.yaml -o limited.db --quiet 2>&1) ||
        code=$?
    [ "$code" -eq 3 ] || fail "run at the limit: exit code $code"
    absent limited.db
    absent limited.db.part
    case $message in *limited.db*) ;; *) fail "run at the limit: $message" ;; esac
done
code=0
message=$(ulimit -f 1 && exec "$DDBSIM" plot small.db -o limited.png 2>&1) || code=$?
[ "$code" -eq 3 ] || fail "plot at the limit: exit code $code: $message"
absent limited.png

# JSON is one document, with nothing of talk in it.
expect 0 run small.yaml -o json.db --format json
is_json out
expect 0 explain json.db --format json
is_json out

# Colour for a terminal alone, and not where NO_COLOR says so.
escape=$(printf '\033')
expect 0 explain small.db
unsaid out "$escape"
TERM=xterm script -qec "'$DDBSIM' explain small.db" /dev/null >out </dev/null 2>err
said out "${escape}["
NO_COLOR=1 TERM=xterm script -qec "'$DDBSIM' explain small.db" /dev/null >out </dev/null 2>err
unsaid out "${escape}["
TERM=dumb script -qec "'$DDBSIM' explain small.db" /dev/null >out </dev/null 2>err
unsaid out "${escape}["
