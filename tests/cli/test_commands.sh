#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The commands that explain prints run as they stand, from where explain was called.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"

command_of() { json "$1" '$.fixes[0].command'; }

# The first command of what explain said last works, and is for that file.
runs() {
    [ "$(json explained.json '$.commands_note')" = '' ] || fail "a note: $(json explained.json '$.commands_note')"
    command_runs "$(command_of explained.json)"
}

command_runs() {
    eval "set -- $1"
    [ "$1 $2" = 'ddbsim run' ] || fail "no command: $*"
    [ "$3" = "$named" ] || fail "the command names $3, not $named"
    shift
    expect 0 "$@"
    rm -f ./*-fix-1.db
}

explain() {
    expect 0 explain --format json "$@"
    mv out explained.json
}

scenario small
mkdir -p 'a folder'
mv small.yaml 'a folder/its file.yaml'
named='a folder/its file.yaml'
explain "$named" --quiet
runs
# A database remembers the file that it was made from, whatever else stood on the line.
expect 0 run --quiet --set tables.orders.write_capacity=9 "$named" -o small.db --seed=3
explain small.db
runs
cp "$named" ./-odd.yaml
named=./-odd.yaml
explain --quiet -- -odd.yaml
runs
# A name of the gallery stays one, although no file is called so.
named=dilution
expect 0 run $named -o gallery.db --quiet
explain gallery.db
runs

# Elsewhere, the file is not there; a pipe is not there again; another program says nothing.
mkdir elsewhere
cd elsewhere
explain ../small.db
json explained.json '$.commands_note' >note
said note 'The run read a folder/its file.yaml, which is not here'
cd ..
"$DDBSIM" run - -o pipe.db --quiet <"a folder/its file.yaml" >out 2>err || fail 'run -'
explain pipe.db
json explained.json '$.commands_note' >note
said note 'standard input'
[ "$(command_of explained.json | cut -d' ' -f3)" = - ] || fail 'not from standard input'
cp pipe.db foreign.db
sqlite3 foreign.db "UPDATE study SET command = 'my program'"
explain foreign.db
json explained.json '$.commands_note' >note
said note 'does not say which file the scenario small was read from'
expect 0 explain foreign.db
said out 'ddbsim run small.yaml'
echo 'commands: run as they stand'
