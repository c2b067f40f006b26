#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exports of models with two features each move as `pfaff run` does: C, Python, FMUs (with FMPy, in build/fmpy or in this Python).
command -v python3 >/dev/null || { echo "no python3: skipped"; exit 0; }
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
printf '#!/bin/sh\nexec cc "$@" -O0\n' >"$place/cc" && chmod +x "$place/cc"
for python in "$2/build/fmpy/bin/python3" python3; do
  "$python" -c 'import fmpy, numpy' 2>/dev/null && break
done
PFAFF_CC=$place/cc "$python" "$2/tests/cli/export_pairs.py" "$1" "$2"
