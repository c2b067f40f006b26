#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs each fuzzer of tests/fuzz (or FUZZER alone: model, run, expr, urdf, csv, options, names, export) for SECONDS_EACH seconds, from
# the kept corpus; with RUNS_EACH so many inputs instead. New inputs go to build-fuzz/corpus/<name>; an input that breaks
# something is kept in build-fuzz/findings/<name> and ends the run with an error. `scripts/corpus.py <name> <input>` adds
# it to tests/fuzz/corpus/<name>.zip, which the tests replay.
set -eu
cd "$(dirname "$0")/.."
seconds=${SECONDS_EACH:-60}
amount="-max_total_time=$seconds"
said="$seconds s"
if [ -n "${RUNS_EACH:-}" ]; then
  amount="-runs=$RUNS_EACH"
  said="$RUNS_EACH inputs"
fi
jobs=${JOBS:-2}

set -- tests/fuzz/fuzz_${FUZZER:-*}.c
[ -e "$1" ] || { echo "no fuzzers in tests/fuzz"; exit 0; }
command -v clang >/dev/null || { echo "fuzzing needs clang, which is not installed"; exit 1; }

echo "== build the fuzzers in build-fuzz/"
cmake --preset fuzz >/dev/null
cmake --build build-fuzz -j "$jobs"

export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1:intercept_tls_get_addr=0
export UBSAN_OPTIONS=print_stacktrace=1 OPENBLAS_NUM_THREADS=1
for source in "$@"; do
  program=$(basename "$source" .c)
  name=${program#fuzz_}
  new=build-fuzz/corpus/$name
  findings=build-fuzz/findings/$name
  mkdir -p "$new" "$findings"

  # a newly found input goes to the first folder, the other is only read
  folders=$new
  kept=build-fuzz/kept/$name
  if [ -e "tests/fuzz/corpus/$name.zip" ]; then
    rm -rf "$kept"
    mkdir -p "$kept"
    (cd "$kept" && cmake -E tar xf "../../../tests/fuzz/corpus/$name.zip")
    folders="$new $kept"
  fi
  dictionary=tests/fuzz/$name.dict
  [ "$name" != run ] || dictionary=tests/fuzz/model.dict # models, too
  options=
  [ ! -e "$dictionary" ] || options=-dict=$dictionary

  [ -z "${RUNS_EACH:-}" ] || options="$options -seed=1" # the same inputs every time
  limit=20
  [ "$name" != run ] || limit=120 # a run may take many steps, and sanitizers make each slow
  echo "== $program, $said"
  if ! "build-fuzz/fuzz/$program" $amount -timeout=$limit -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$findings/" $options $folders >"build-fuzz/$name.log" 2>&1; then
    tail -n 60 "build-fuzz/$name.log"
    exit 1
  fi
  grep -E 'stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)' "build-fuzz/$name.log"
done
