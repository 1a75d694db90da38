#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Help, version, and whatever is no proper use of the program.
# shellcheck source=tests/cli/helpers.sh
. "$(dirname "$0")/helpers.sh"

verbs='run explain plot check import export list schema'

for help in --help -h help; do
    expect 0 "$help"
    empty err
    for verb in $verbs; do said out "  $verb "; done
    said out 'Exit codes'
done

expect 0 --version
said out 'ddbsim 0.1.0'
said out 'model version'
said out 'GPL-3.0-or-later'
cp out version
for verb in $verbs; do
    expect 0 "$verb" --version
    cmp -s out version || fail "ddbsim $verb --version differs"
done

for verb in $verbs; do
    expect 0 help "$verb"
    empty err
    said out "Usage: ddbsim $verb"
    cp out help
    for option in --help -h; do
        expect 0 "$verb" $option
        empty err
        cmp -s out help || fail "ddbsim $verb $option differs from ddbsim help $verb"
    done
    refused "$verb" --bogus
    said err '--bogus'
done

# The manual has every option that a verb's help names, and no other.
manual=$(dirname "$0")/../../docs/man/ddbsim.1.scd
for verb in $verbs; do
    expect 0 help "$verb"
    grep -oE -e '--[a-z][a-z-]*' out
done | sort -u >helped
grep -oE -e '--[a-z][a-z-]*' "$manual" | sort -u >written
grep -vxE -e '--(help|usage|version)' helped | diff - written >differ ||
    fail "options of help (<) and manual (>) differ: $(grep '^[<>]' differ)"

refused
said err 'Usage'
for verb in $verbs; do said err "  $verb "; done

refused rnu
said err "'rnu'"
said err 'ddbsim run'
refused xyzzy
said err 'xyzzy'
refused --bogus
said err '--bogus'
refused help xyzzy
said err 'xyzzy'

for verb in report compare sweep solve plan work merge new; do
    refused "$verb" whatever
    said err "ddbsim $verb"
    said err 'not supported yet'
done
for option in --replications=3 --jobs=2; do
    refused run whatever $option
    said err "${option%=*}"
    said err 'not supported yet'
done
refused check whatever --expect=file
said err '--expect is not supported yet'

for verb in run explain plot check export; do
    refused "$verb"
    said err 'is missing'
    refused "$verb" one two
    said err "'two'"
done
refused schema one
refused list charts metrics
for format in xml '' JSON; do
    refused list --format="$format"
    said err 'text or json'
done
