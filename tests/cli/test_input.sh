#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What is no scenario and no database is refused with its name, whatever verb meets it.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"

scenario small
mkdir directory
: >empty.yaml
head -c 4096 /dev/urandom >noise.yaml
printf 'a\0b\n' >zero.yaml
expect 0 run small.yaml --quiet

for verb in run explain plot check; do
    for input in missing.yaml directory empty.yaml noise.yaml zero.yaml; do
        refused "$verb" "$input"
        said err "$input"
    done
done

# A result database is no scenario.
refused run small.db
said err 'small.db'
said err 'explain'
refused check small.db

# What is no whole result database of ours is refused by name, and says which.
cp small.db copy
head -c 10000 small.db >cut.db
sqlite3 foreign.db 'CREATE TABLE t(x)'
sqlite3 newer.db 'CREATE TABLE t(x); PRAGMA application_id = 0x64647331; PRAGMA user_version = 99'
cp noise.yaml noise.db
cp empty.yaml empty.db
mkdir directory.db
for verb in explain plot; do
    for input in cut.db foreign.db newer.db noise.db empty.db directory.db missing.db; do
        refused "$verb" "$input"
        said err "$input"
    done
done
# Its name does not matter to a whole one.
expect 0 explain copy
for option in --seed=3 --set=tables.orders.write_capacity=20; do
    refused explain small.db "$option"
    said err 'small.db'
done
refused explain small.db --variant nobody
said err 'nobody'

# Standard input and gallery names serve as scenarios.
"$DDBSIM" explain - <small.yaml >out 2>err || fail 'explain -'
exists out
"$DDBSIM" explain - </dev/null >out 2>err && fail 'explain - </dev/null'
[ $? -ne 3 ] || fail 'an empty standard input is bad input'
expect 0 list scenarios --format json
name=$(json out '$[0].name')
expect 0 check "$name" --no-run
said out "$name"

# --set, --seed, --variant.
expect 0 run small.yaml --set tables.orders.write_capacity=500 -o wide.db --quiet
[ "$(ask wide.db 'SELECT throttled_attempts FROM summary')" = 0 ] || fail '--set did nothing'
[ "$(ask small.db 'SELECT throttled_attempts > 0 FROM summary')" = 1 ] || fail 'nothing throttled'
for set in tables.orders.write_capacity tables.orders.write_capacity=many \
    tables.orders.wriet_capacity=5 tables.nobody.write_capacity=5 =5 ''; do
    refused run small.yaml --set "$set" -o never.db
    absent never.db
done
for seed in x -1 1.5 '' 99999999999999999999 1..2 5x; do
    refused run small.yaml --seed="$seed" -o never.db
    said err '--seed'
    absent never.db
done
refused run small.yaml --variant nobody -o never.db
said err 'nobody'
absent never.db

# A name that begins others; a file that is no scenario is told where to find one.
refused run friday
said err 'the gallery has friday-1820, friday-1820-first-attempts'
refused run empty.yaml
said err 'ddbsim list scenarios'
unsaid err 'ddbsim new'
