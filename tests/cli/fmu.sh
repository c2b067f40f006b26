#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# FMUs: the archive, the sources under strict compilers, calls in any order under sanitizers (fmu/archive.py); and with FMPy, in
# build/fmpy or in this Python, against the standard's schema and against `pfaff run` (fmu/simulate.py).
command -v python3 >/dev/null || { echo "no python3: skipped"; exit 0; }
python3 "$2/tests/cli/fmu/archive.py" "$1" "$2" || exit 1
for python in "$2/build/fmpy/bin/python3" python3; do
  "$python" -c 'import fmpy, numpy' 2>/dev/null || continue
  "$python" "$2/tests/cli/fmu/switch.py" "$1" "$2" || exit 1
  exec "$python" "$2/tests/cli/fmu/simulate.py" "$1" "$2"
done
echo "no fmpy: simulations of FMUs are skipped"
