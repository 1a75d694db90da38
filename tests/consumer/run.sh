#!/bin/sh
# The installed library, as somebody else's program finds it: run.sh BUILD_DIR SCRATCH
# Installs BUILD_DIR into SCRATCH, builds the programs here against it by find_package and by pkg-config,
# runs them, compares what they say with what must come out.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build=$1
rm -rf "$2"
mkdir -p "$2"
scratch=$(CDPATH='' cd -- "$2" && pwd)
prefix=$scratch/prefix
# A build under sanitizers can be linked under the same ones alone.
sanitize=$(sed -n 's/^DDBSIM_SANITIZE:STRING=//p' "$build/CMakeCache.txt")
flags=${sanitize:+-fsanitize=$sanitize}

# README.md shows the example as it is compiled here.
awk '$0 == "```" { inside = 0 } inside { print } $0 == "```c" { inside = 1 }' "$here/../../README.md" \
    >"$scratch/readme.c"
tail -n +4 "$here/readme_example.c" | diff -u "$scratch/readme.c" - || {
    echo "consumer: README.md shows another program than readme_example.c" >&2
    exit 1
}

cmake --install "$build" --prefix "$prefix" >"$scratch/install.log"
cmake -S "$here" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_C_FLAGS="$flags" >"$scratch/cmake.log"
cmake --build "$scratch/cmake" >>"$scratch/cmake.log" || {
    tail -n 40 "$scratch/cmake.log" >&2
    exit 1
}

lib=$(dirname "$(find "$prefix" -name ddbsim.pc)")
PKG_CONFIG_PATH=$lib${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
mkdir "$scratch/pkg-config"
for program in consumer readme_example; do
    # shellcheck disable=SC2046,SC2086 # options are words
    cc -std=c17 -Wall -Wextra -Wpedantic -Werror $flags "$here/$program.c" \
        -o "$scratch/pkg-config/$program" $(pkg-config --cflags --libs ddbsim) \
        "-Wl,-rpath,$(dirname "$lib")"
done

for route in cmake pkg-config; do
    "$scratch/$route/consumer" >"$scratch/$route.txt"
    "$scratch/$route/readme_example" >>"$scratch/$route.txt"
    diff -u "$here/expected.txt" "$scratch/$route.txt" || {
        echo "consumer: by $route it says something else" >&2
        exit 1
    }
done
echo "consumer: by find_package and by pkg-config as expected"
