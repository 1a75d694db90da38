#!/bin/sh
# Installs what is missing, builds, runs every test; ends with ctest's summary. Takes ctest's options:
# sh tests/run.sh -L unit
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
.ci/build release
exec ctest --preset release "$@"
