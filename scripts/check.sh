#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Quick tests of one build: those with the label unit or source that are not slow.
#   CASE=name      only cases of unit tests with this in their name, with all their output
#   LABEL=cli      the tests with this label instead: unit, cross, cli, docs, python, page, wasm, gallery, trial, editors, source …
#   TEST=num.rows  the tests whose name matches this regular expression
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
jobs=${JOBS:-2}

grep -qs '^PFAFF_TESTS:BOOL=ON' "$build/CMakeCache.txt" || cmake --preset default -B "$build" -DPFAFF_WERROR=ON -DPFAFF_TESTS=ON >/dev/null

if [ -n "${CASE:-}" ]; then
  files=$(grep -rlE --include='test_*.c' "^static void \w*${CASE}\w*\(" tests/unit tests/cross) || { echo "no unit test has a case '$CASE'" >&2; exit 1; }
  names=$(echo "$files" | sed -E 's,^tests/(unit/)?([^/]*)/test_(.*)\.c$,\2_\3,')
  cmake --build "$build" -j "$jobs" --target $(echo "$names" | sed 's/^/test_/')
  pattern=$(echo "$names" | sed 's/_/[.]/' | paste -sd '|')
  PFAFF_CASE="*$CASE*" exec ctest --test-dir "$build" -R "^($pattern)\$" -V
fi

cmake --build "$build" -j "$jobs"
if [ -n "${TEST:-}" ]; then
  exec ctest --test-dir "$build" -j "$jobs" -R "$TEST" --output-on-failure --no-tests=error
elif [ -n "${LABEL:-}" ]; then
  exec ctest --test-dir "$build" -j "$jobs" -L "^$LABEL\$" --output-on-failure --no-tests=error
else
  exec ctest --test-dir "$build" -j "$jobs" -L '^(unit|source)$' -LE '^slow$' --output-on-failure --no-tests=error
fi
