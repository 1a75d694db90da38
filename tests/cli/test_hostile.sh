#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Input that was made to harm, or by a tired hand: each is refused at once, with its place, and leaves nothing.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"

scenario small
expect 0 run small.yaml --quiet

# at once ddbsim's arguments: refused within 10 s, which is far more than a refusal takes.
at_once() {
    code=0
    timeout 10 "$DDBSIM" "$@" >out 2>err </dev/null || code=$?
    [ "$code" -eq 2 ] || fail "ddbsim $*: exit code $code, not 2"
    empty out
    said err 'ddbsim: '
}

# misread PLACE WORDS: hostile.yaml is refused at that place, in those words, by whatever reads scenarios.
misread() {
    for verb in run check; do
        at_once "$verb" hostile.yaml
        said err "hostile.yaml:$1: "
        said err "$2"
    done
    absent hostile.db
    absent small.db.part
}

# ---- the text ----
edited() { sed "$@" small.yaml >hostile.yaml; }
added() { # TEXT, with printf's escapes
    { cat small.yaml; printf '%b' "$1"; } >hostile.yaml
}

added 'colour: red\n'
misread 22:1 'there is no key "colour"'
added 'seed: 6\n'
misread 22:1 'stands here twice'
added 'description: "a\0000b"\n'
misread 22:16 'NUL'
added 'description: "a\\0b"\n'
misread 22:14 'control character'
added 'description: "a\0377b"\n'
misread 22:16 'UTF-8'
added 'description: "a\0355\0240\0200b"\n'
misread 22:16 'UTF-8'
added '---\nversion: 1\n'
misread 22:1 'second document'
edited 's/^seed: 5/seed: !!int 5/'
misread 6:7 'tags'
edited 's/^seed: 5/seed: \&s 5/'
misread 6:7 'anchors'
edited '1s/^/%YAML 1.1\n---\n/'
misread 1:1 'directives'
: >hostile.yaml
misread 1:1 'empty'
printf '\n# nothing\n' >hostile.yaml
misread 1:1 'empty'
printf -- '- a list\n' >hostile.yaml
misread 1:1 'mapping'
printf '\377\376v\0e\0r\0' >hostile.yaml
misread 1:1 'UTF-8'

# Aliases of aliases, nests, very long texts, a hundred megabytes.
{
    echo 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'
    for i in 1 2 3 4 5 6 7 8 9; do
        echo "a$i: &a$i [*a$((i - 1)), *a$((i - 1)), *a$((i - 1)), *a$((i - 1)), *a$((i - 1))]"
    done
} >hostile.yaml
misread 1:5 'anchors'
for open in '[' '{a: '; do
    { printf 'a: '; yes "$open" | head -n 100000 | tr -d '\n'; } >hostile.yaml
    at_once check hostile.yaml
    said err 'hostile.yaml:1:'
    said err 'nested more than 32 deep'
done
{ printf 'name: '; head -c 900000 /dev/zero | tr '\0' n; } >hostile.yaml
misread 1:7 'longer than'
{ cat small.yaml; yes '# and so on' | head -c 100000000; } >hostile.yaml
misread 1:1 'larger than 1 MiB'
at_once run /dev/zero
said err 'larger than 1 MiB'
rm hostile.yaml

# What an editor of another system writes is a scenario all the same.
sed 's/$/\r/; 1s/^/\xef\xbb\xbf/' small.yaml >dos.yaml
expect 0 check dos.yaml --no-run

# ---- numbers, units, times ----
while read -r key value words; do
    edited "s|^\\( *\\)$key: [^,]*|\\1$key: $value|"
    at_once check hostile.yaml
    said err "$key: "
    said err "$words"
done <<'END'
write_capacity -5 is negative
write_capacity +5 has a sign
write_capacity 0 lies outside
write_capacity 40001 lies outside
write_capacity 5.5 not a whole number
write_capacity 5. junk
write_capacity 1e3 junk
write_capacity 0x10 junk
write_capacity 5WCU junk
write_capacity 1_000 separators
write_capacity NaN does not begin with a number
write_capacity .inf does not begin with a number
write_capacity true does not begin with a number
write_capacity '' does not begin with a number
write_capacity 99999999999999999999 too many digits
write_capacity [1] a list
write_capacity {} a mapping
rate 20 has no unit
rate 20/m unknown unit
rate 20KB unknown unit
rate -20/s is negative
rate nan/s does not begin with a number
rate 1e9/s junk
duration 2 has no unit
duration 2M unknown unit
duration -2m is negative
duration 0s lies outside
duration 1ns lies outside
duration 0.5ns finer than
duration 999999999h longer than
start yesterday is no date
start 2026-02-30T12:00:00Z does not exist
start 2026-01-01 has no valid time
start 2026-01-01T24:00:00Z has no valid time
start 2026-01-01T12:00:60Z has no valid time
start 2026-01-01T12:00:00 no offset
start 2026-01-01T12:00:00+99:00 no valid offset
start 1969-12-31T23:59:59Z before 1970
start 10000-01-01T00:00:00Z is no date
END

# ---- what a file may extend ----
mkfifo pipe.yaml
for base in pipe.yaml /dev/zero /dev/null /dev/stdin; do
    printf 'version: 1\nextends: %s\n' "$base" >hostile.yaml
    misread 2:10 'is a pipe or a device'
done
printf 'version: 1\nextends: .\n' >hostile.yaml
misread 2:10 'is a directory'
printf 'version: 1\nextends: "-"\n' >hostile.yaml
misread 2:10 'there is no file "-"'
printf 'version: 1\nextends: hostile.yaml\n' >hostile.yaml
misread 2:10 'circle'
# A user's own argument may be a pipe: check <(generate).
cat small.yaml >pipe.yaml &
expect 0 check pipe.yaml --no-run
wait

# ---- databases ----
mkfifo pipe.db
for verb in explain plot; do
    at_once "$verb" pipe.db
    said err pipe.db
    for bytes in 1 16 99 100 4096 20000; do
        head -c "$bytes" small.db >cut.db
        at_once "$verb" cut.db
        said err cut.db
    done
    truncate -s 100M zeros.db
    at_once "$verb" zeros.db
    said err 'not an SQLite database'
done
cp small.db wal.db
sqlite3 wal.db 'PRAGMA journal_mode = WAL' >mode
said mode wal
at_once explain wal.db
said err 'wal.db: '
said err 'journal_mode = DELETE'
absent wal.db-wal
absent wal.db-shm
cp small.db none.db
sqlite3 none.db 'DELETE FROM run'
at_once explain none.db
said err 'none.db: it holds no run'
cp small.db view.db
sqlite3 view.db 'ALTER TABLE second RENAME TO t; CREATE VIEW second AS WITH RECURSIVE
    c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT t.* FROM t, c'
for verb in explain 'plot --chart capacity' 'plot --chart heat' 'plot --chart tokens'; do
    # shellcheck disable=SC2086 # the words are arguments
    at_once $verb view.db
    said err "'second' is not a table"
done

# ---- outputs ----
mkfifo pipe.svg
ln -s /dev/null null.svg
for output in pipe.svg null.svg; do
    at_once plot small.db -o "$output" --force
    said err 'is a device or a pipe'
done
[ -p pipe.svg ] || fail 'pipe.svg was replaced'
for output in pipe.db /dev/full; do
    at_once run small.yaml -o "$output" --force
    said err 'is a device or a pipe'
done
