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

# What no run could hold is damage, said by name; so is a table that is gone.
for column in duration_s simulated_s start_unix_s utc_offset_s; do
    for value in -1000000 9223372036854775807; do
        cp small.db damaged.db
        sqlite3 damaged.db "UPDATE run SET $column = $value"
        for verb in explain plot; do
            refused "$verb" damaged.db
            said err 'damaged.db: it is damaged'
        done
    done
done
for table in second metric event partition; do
    cp small.db damaged.db
    sqlite3 damaged.db "DROP TABLE $table"
    for verb in 'explain' 'plot --chart capacity' 'plot --chart heat'; do
        code=0
        # shellcheck disable=SC2086 # the words are arguments
        "$DDBSIM" $verb damaged.db >out 2>err || code=$?
        [ "$code" -eq 0 ] || { [ "$code" -eq 2 ] && said err 'damaged.db'; } ||
            fail "$verb without $table: exit code $code"
        rm -f damaged.png damaged-*.png
    done
done

# Times and loads that nothing could simulate.
refused run small.yaml --set start=1970-01-01T00:00:00+14:00 -o never.db
said err '1970'
refused run small.yaml --set workloads.web.rate=1000000/s --set workloads.web.scale=1001 -o never.db
said err 'workloads.web.rate'
refused check small.yaml --set 'workloads.web.stages=[{duration: 1s, target: 1000000000/s}]' \
    --set workloads.web.scale=2
said err 'target'
{
    sed '/^workloads:/q' small.yaml
    i=0
    while [ $i -lt 1025 ]; do
        echo "  - {name: w$i, rate: 1/s, mix: [{operation: PutItem}]}"
        i=$((i + 1))
    done
} >many.yaml
refused run many.yaml
said err '1025 workloads'

# So many items that placing them one by one would never end; more than there is room for.
sed 's|C#{customer}|C#{uuid}|; s|count: 1000, size|count: 1000000000, size|' small.yaml >vast.yaml
expect 0 run vast.yaml --quiet --set duration=11s -o vast.db
[ "$(ask vast.db 'SELECT min(items) > 10000000 FROM partition_sample')" = 1 ] || fail 'vast items'
[ "$(ask vast.db 'SELECT max(t_s + period_s) FROM partition_sample')" = 11 ] || fail 'the last sample'
refused run vast.yaml --set tables.orders.entities.order.count=1000000000000 \
    --set 'tables.orders.entities.order.size=400 KB' -o never.db
said err 'partitions'
absent never.db

# The longest list is read at once; two entries of one name are found in it.
{
    sed '/rate:/d' small.yaml
    echo '    stages:'
    i=0
    while [ $i -lt 10000 ]; do
        echo '      - {duration: 1s, target: 1/s}'
        i=$((i + 1))
    done
} >stages.yaml
expect 0 check stages.yaml --no-run
sed '$s/duration/name: "7", duration/' stages.yaml >twins.yaml
refused check twins.yaml --no-run
said err 'two entries called "7"'

# A name that begins others; a file that is no scenario is told where to find one.
refused run friday
said err 'the gallery has friday-1820, friday-1820-first-attempts'
refused run empty.yaml
said err 'ddbsim list scenarios'
unsaid err 'ddbsim new'
