# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by every tests/cli/test_*.sh: an empty directory to work in, and words to test with.
# Needs DDBSIM, the program's path, and SCRATCH, a directory that the test may empty.
set -eu

: "${DDBSIM:?the program to test}" "${SCRATCH:?a directory to work in}"
rm -rf "$SCRATCH"
mkdir -p "$SCRATCH"
cd "$SCRATCH"
unset NO_COLOR

show() {
    for stream in out err; do
        [ ! -s "$stream" ] || sed "s/^/  $stream: /" "$stream" >&2
    done
}

fail() {
    echo "FAIL: $*" >&2
    show
    exit 1
}

# expect CODE ddbsim's arguments: its streams go to the files out and err.
expect() {
    wanted=$1
    shift
    code=0
    "$DDBSIM" "$@" >out 2>err || code=$?
    [ "$code" -eq "$wanted" ] || fail "ddbsim $*: exit code $code, not $wanted"
}

# said FILE TEXT: the file has that text, as it stands.
said() { grep -q -F -e "$2" "$1" || fail "'$2' is not in $1"; }
unsaid() { ! grep -q -F -e "$2" "$1" || fail "'$2' is in $1"; }
empty() { [ ! -s "$1" ] || fail "$1 is not empty: $(head -3 "$1")"; }
absent() { [ ! -e "$1" ] || fail "$1 exists"; }
exists() { [ -s "$1" ] || fail "$1 does not exist, or is empty"; }

# refused ddbsim's arguments: bad input or usage, said on standard error and nowhere else.
refused() {
    expect 2 "$@"
    empty out
    said err 'ddbsim'
}

# ask DATABASE SQL
ask() { sqlite3 -readonly "$1" "$2"; }

# gallery FEW: the names of all scenarios, or, where tests are not thorough, of these few. After `list scenarios
# --format json`, whose words are in the file out.
gallery() {
    if [ "${THOROUGH:-0}" = 1 ]; then
        sqlite3 :memory: "SELECT json_extract(value, '\$.name') FROM json_each(CAST(readfile('out') AS TEXT))"
    else
        printf '%s\n' "$@"
    fi
}

# is_json FILE
is_json() {
    [ "$(sqlite3 :memory: "SELECT json_valid(CAST(readfile('$1') AS TEXT))")" = 1 ] ||
        fail "$1 is not JSON"
}

# json FILE PATH: one value of a JSON file, such as '$.passed'.
json() { sqlite3 :memory: "SELECT json_extract(CAST(readfile('$1') AS TEXT), '$2')"; }

# Waits up to a minute for a condition.
wait_until() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || fail "waited in vain: $*"
        sleep 0.1
    done
}

# scenario NAME [DURATION]: a new table that lacks write capacity, in NAME.yaml; more keys may follow.
scenario() {
    cat >"$1.yaml" <<END
version: 1
name: $1
title: A table that lacks write capacity
start: 2026-09-25T12:00:00+02:00
duration: ${2-2m}
seed: 5
values:
  customer: {count: 1000}
tables:
  - name: orders
    read_capacity: 10
    write_capacity: 10
    new: true
    entities:
      - {name: order, partition_key: "C#{customer}", count: 1000, size: 1 KB}
workloads:
  - name: web
    table: orders
    rate: 20/s
    mix:
      - {operation: PutItem, entity: order, weight: 1}
END
}
