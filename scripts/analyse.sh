#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang-tidy (checks: .clang-tidy) and cppcheck on the sources of the library and the program. A finding is an
# error.
#   analyse.sh [source …]      all of src/ and python/glue/ unless named, but for the code of models in src/export/c/
#   DEPTH=225000 analyse.sh    as many states for each function as the analyser takes by itself: three times as long
set -eu
cd "$(dirname "$0")/.."
jobs=${JOBS:-2}
depth=${DEPTH:-50000}
failed=
cmake --preset asan >/dev/null # for compile_commands.json
[ $# -gt 0 ] || set -- $(find src python/glue -name '*.c' ! -path 'src/export/c/*' | LC_ALL=C sort)

# src/base/context.c defines what analyser.h wraps, so it goes without it.
tidy() { # <sources on standard input> <extra options>
  xargs -r -P "$jobs" -n 4 clang-tidy --quiet -p build-asan --warnings-as-errors='*' --extra-arg=-Xclang \
    --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes="$depth" "$@" 2>build-asan/tidy.log || {
    grep -v 'warnings\{0,1\} generated' build-asan/tidy.log
    return 1
  }
}

if command -v clang-tidy >/dev/null; then
  # sources that passed before, and whose text and headers are the same, are not analysed again
  changed=$(scripts/unanalysed.py build-asan "$depth" "$@")
  echo "== clang-tidy on $(printf '%s' "$changed" | grep -c .) of $# files"
  printf '%s\n' "$changed" | grep -v base/context.c | tidy --extra-arg=-include --extra-arg=scripts/analyser.h \
    --extra-arg-before=-I"$PWD" || failed=yes
  printf '%s\n' "$changed" | grep base/context.c | tidy || failed=yes
  [ -n "$failed" ] || scripts/unanalysed.py --passed build-asan "$depth" "$@"
else
  echo "== clang-tidy is not installed: left out"
fi

if command -v cppcheck >/dev/null; then
  echo "== cppcheck on $# files"
  mkdir -p build-asan/cppcheck
  cppcheck --quiet --std=c11 -j "$jobs" --cppcheck-build-dir=build-asan/cppcheck --error-exitcode=1 \
    --enable=warning,performance,portability --inline-suppr --suppress=missingIncludeSystem \
    -D_POSIX_C_SOURCE=200809L -DPF_VERSION='"0"' -DPF_HAVE_LAPACK=1 -DPF_HAVE_FLINT=1 -DPF_HAVE_EXPAT=1 -Iinclude -Isrc "$@" || failed=yes
else
  echo "== cppcheck is not installed: left out"
fi
[ -z "$failed" ]
