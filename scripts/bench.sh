#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the programs of bench/ and runs bench/run with the build directory, or else each program.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
jobs=${JOBS:-2}

cmake --preset default -B "$build" -DPFAFF_BENCH=ON -DPFAFF_TESTS=OFF >/dev/null
cmake --build "$build" -j "$jobs"
if [ -x bench/run ]; then
  exec bench/run "$build"
fi
found=
for program in "$build"/bench/bench_*; do
  [ -x "$program" ] || continue
  found=yes
  echo "== $(basename "$program")"
  "$program"
done
[ -n "$found" ] || echo "no benchmarks in bench/"
