#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What there is, as text and as JSON; the schema.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"

expect 0 list
empty err
for kind in scenarios presets charts metrics reasons assumptions rules causes events formats; do
    said out "$kind"
done
expect 0 list --format json
is_json out
cp out kinds

for kind in scenarios presets charts metrics reasons assumptions rules causes events formats; do
    expect 0 list "$kind"
    empty err
    rows=$(($(wc -l <out) - 1)) # without the header
    [ "$rows" -gt 0 ] || fail "no $kind"
    expect 0 list "$kind" --format json
    is_json out
    counted=$(sqlite3 :memory: "SELECT count(*) FROM json_each(CAST(readfile('out') AS TEXT))")
    [ "$counted" -eq "$rows" ] || fail "$kind: $rows lines, $counted in JSON"
    told=$(sqlite3 :memory: "SELECT json_extract(value, '$.count') FROM
        json_each(CAST(readfile('kinds') AS TEXT)) WHERE json_extract(value, '$.name') = '$kind'")
    [ "$told" -eq "$rows" ] || fail "$kind: $rows lines, $told announced"
    unnamed=$(sqlite3 :memory: "SELECT count(*) FROM json_each(CAST(readfile('out') AS TEXT))
        WHERE coalesce(json_extract(value, '$.name'), '') = ''")
    [ "$unnamed" -eq 0 ] || fail "$kind: $unnamed without a name"
done

expect 0 list reasons
[ "$(wc -l <out)" -eq 17 ] || fail 'DynamoDB has sixteen reasons'
said out 'IndexWriteProvisionedThroughputExceeded'
grep -E '^TableWriteKeyRange.* ProvisionedThroughputExceededException +ThrottlingException$' out >found ||
    fail 'the exception depends on the billing mode'
expect 0 list metrics
said out 'throttled_ratio'
said out 'ThrottledRequests'

refused list chart
said err 'ddbsim list charts'
refused list xyzzy
said err 'xyzzy'

expect 0 schema
empty err
is_json out
[ "$(sqlite3 :memory: "SELECT json_type(CAST(readfile('out') AS TEXT), '$.properties.tables')")" = \
    object ] || fail 'the schema knows no tables'
