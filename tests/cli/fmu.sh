#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# FMUs: the archive, the sources under strict compilers, calls in any order under sanitizers (fmu/archive.py); and with FMPy, in
# build/fmpy or in this Python, against the standard's schema and against `pfaff run` (fmu/simulate.py).
command -v python3 >/dev/null || { echo "no python3: skipped"; exit 0; }
python3 "$2/tests/cli/fmu/archive.py" "$1" "$2" || exit 1

# Some hundred libraries are made, each to be used for a moment: not optimising them takes a third of the time.
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
printf '#!/bin/sh\nexec cc "$@" -O0\n' >"$place/cc" && chmod +x "$place/cc"
for python in "$2/build/fmpy/bin/python3" python3; do
  "$python" -c 'import fmpy, numpy' 2>/dev/null || continue
  PFAFF_CC=$place/cc "$python" "$2/tests/cli/fmu/switch.py" "$1" "$2" || exit 1
  PFAFF_CC=$place/cc "$python" "$2/tests/cli/fmu/simulate.py" "$1" "$2"
  exit
done
echo "no fmpy: simulations of FMUs are skipped"
