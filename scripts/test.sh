#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All tests: with the system's compiler, with clang and sanitizers, and the quick ones under valgrind.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
jobs=${JOBS:-2}
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT

heading() { printf '\n== %s\n' "$*"; }

# cmocka says at the end of each program how many tests it ran, and so do Node and pytest.
count_cases() {
  sed -n -e 's/^\[==========\] .*\b\([0-9][0-9]*\) test(s) run\..*/\1/p' -e 's/^ℹ pass \([0-9]*\)$/\1/p' -e 's/^\([0-9]*\) passed.* in [0-9.]*s$/\1/p' "$1/Testing/Temporary/LastTest.log" |
    awk '{n += $1} END {print n + 0}'
}

run_tests() { # <directory> <name for the summary> [label of tests that are left out]
  ctest --test-dir "$1" -j "$jobs" -LE "^${3:-none}\$" --output-on-failure --no-tests=error --output-log "$1/ctest.log"
  programs=$(sed -n 's/.* tests failed out of \([0-9]*\)/\1/p' "$1/ctest.log")
  printf '  %-28s %s tests passed, %s cases in them\n' "$2" "$programs" "$(count_cases "$1")" >>"$summary"
}

configure() { # quiet unless it fails, but for what is missing
  cmake "$@" >"$summary.log" 2>&1 || { cat "$summary.log"; rm -f "$summary.log"; return 1; }
  grep 'without:' "$summary.log" || true
  rm -f "$summary.log"
}

# Pages need the packages of npm; their tests say so where those cannot be had.
if command -v npm >/dev/null; then
  heading "packages for the page, in page/node_modules/"
  scripts/npm.sh || echo "going on without them"
fi

# Simulations of FMUs need FMPy; their test says so where it cannot be had.
if command -v python3 >/dev/null && ! build/fmpy/bin/python3 -c 'import fmpy' 2>/dev/null; then
  heading "FMPy, in build/fmpy/"
  { python3 -m venv build/fmpy && build/fmpy/bin/pip install -q --disable-pip-version-check fmpy; } >/dev/null 2>&1 ||
    { rm -rf build/fmpy; echo "going on without it"; }
fi

# The Python package is built with cffi and tested with pytest; other packages are used where they can be had.
python=build/python-env/bin/python
if command -v python3 >/dev/null && ! "$python" -c 'import cffi, numpy, pytest, hypothesis, scipy' 2>/dev/null; then
  heading "packages for Python, in build/python-env/"
  pip="$python -m pip install -q --disable-pip-version-check"
  { python3 -m venv build/python-env && $pip cffi numpy pytest hypothesis scipy; } >/dev/null 2>&1 ||
    { rm -rf build/python-env; echo "going on without them"; }
fi
# one by one: what can be had of them is used
if [ -x "$python" ] && ! [ scripts/test.sh -ot build/python-env/extras ]; then
  heading "more packages for Python, in build/python-env/"
  for package in sympy control pandas xarray zarr h5py matplotlib gymnasium casadi "nbclient ipykernel" mypy pyright; do
    "$python" -m pip install -q --disable-pip-version-check $package >/dev/null 2>&1 || echo "going on without $package"
  done
  touch build/python-env/extras
fi
with_python=
! "$python" -c 'import cffi, os, sys, sysconfig
sys.exit(sys.version_info < (3, 10) or not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' 2>/dev/null ||
  with_python="-DPFAFF_PYTHON=ON -DPFAFF_PYTHON_EXECUTABLE=$PWD/$python"

heading "build with warnings as errors, in $build/"
configure --preset default -B "$build" -DPFAFF_WERROR=ON -DPFAFF_TESTS=ON $with_python
cmake --build "$build" -j "$jobs"
heading "run the tests in $build/"
run_tests "$build" "optimised build"

if command -v clang >/dev/null; then
  heading "build with clang, address and undefined-behaviour sanitizers, in build-asan/"
  configure --preset asan
  cmake --build build-asan -j "$jobs"
  heading "run the tests in build-asan/"
  run_tests build-asan "clang, ASan, UBSan" optimised
  heading "simulations and sweeps in threads under the thread sanitizer, in build-tsan/"
  configure --preset tsan
  cmake --build build-tsan -j "$jobs" --target test_machine_machine test_sim_sim test_sweep_sweep test_sweep_communicator
  ctest --test-dir build-tsan -j "$jobs" -R '^(machine.machine|sim.sim|sweep.sweep|sweep.communicator)$' --output-on-failure --no-tests=error
  printf '  %-28s the tests of simulations and sweeps are clean\n' "clang, TSan" >>"$summary"
else
  echo '  clang is not installed: the sanitizers were left out' >>"$summary"
fi

# Interpreted a hundred times slower: modules without heavy computation are enough, the sanitizers see the rest.
if command -v valgrind >/dev/null; then
  heading "run some of the tests under valgrind"
  # test_check refuses every allocation in turn: minutes
  programs=$(find "$build"/tests/base "$build"/tests/model "$build"/tests/lang -name 'test_*' -perm -u+x -type f ! -name test_check | LC_ALL=C sort)
  echo "$programs" | xargs -P "$jobs" -I '{}' sh -c 'log=$(mktemp) && trap "rm -f $log" EXIT && echo "  {}" &&
    { valgrind -q --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=99 "{}" >"$log" 2>&1 || { cat "$log"; exit 255; }; }'
  printf '  %-28s %s programs clean\n' "valgrind" "$(echo "$programs" | wc -l)" >>"$summary"
else
  echo '  valgrind is not installed: it was left out' >>"$summary"
fi

heading "all tests passed"
cat "$summary"
