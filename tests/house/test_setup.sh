#!/bin/sh
# .ci/setup: silent and offline when nothing is missing; installs as root or through sudo; otherwise
# prints the line that would and exits 3. The system's programs are stood in for by stubs on PATH.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"

stub() { # NAME BODY
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
fail() {
    echo "FAILED: $1" >&2
    cat "$work/said" >&2
    exit 1
}
setup() { # runs it; leaves what it said in $work/said, apt-get's calls in $work/calls, its exit in $status
    : >"$work/calls"
    status=0
    PATH="$work/bin:$PATH" sh "$root/.ci/setup" "$work/list" >"$work/said" 2>&1 || status=$?
}
said() { grep -qF -e "$1" "$work/said"; }

printf '# a comment\nalpha\nbeta\ngamma\n' >"$work/list"
stub apt-get "echo \"\$DEBIAN_FRONTEND \$*\" >>'$work/calls'"
stub id 'echo 1000'
stub sudo 'exit 1'

stub dpkg-query 'printf "alpha installed\nbeta installed\ngamma installed\n"'
setup
[ "$status" -eq 0 ] || fail "all there: exit $status"
[ ! -s "$work/said" ] || fail "all there: it talks"
[ ! -s "$work/calls" ] || fail "all there: it calls apt-get"

stub dpkg-query 'printf "alpha installed\nbeta config-files\n"; exit 1'
setup
[ "$status" -eq 3 ] || fail "no root, no sudo: exit $status, not 3"
said 'apt-get install -y --no-install-recommends beta gamma' || fail "no root: the line to run is not shown"
[ ! -s "$work/calls" ] || fail "no root: it calls apt-get"

stub sudo 'shift; exec "$@"'
setup
[ "$status" -eq 0 ] || fail "sudo: exit $status"
[ "$(sed -n 1p "$work/calls")" = 'noninteractive -qq update' ] || fail "sudo: no update first"
[ "$(sed -n 2p "$work/calls")" = 'noninteractive -qq install -y --no-install-recommends beta gamma' ] ||
    fail "sudo: installs something else: $(cat "$work/calls")"

stub id 'echo 0'
stub sudo 'exit 1'
setup
[ "$status" -eq 0 ] || fail "root: exit $status"
[ "$(wc -l <"$work/calls")" -eq 2 ] || fail "root: apt-get not called twice"

stub apt-get 'exit 100'
setup
[ "$status" -eq 3 ] || fail "apt-get fails: exit $status, not 3"
