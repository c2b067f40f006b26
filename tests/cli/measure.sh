#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Invariant measures: see measure.py. Without FLINT formulas are not in their shortest form, in which the script expects them.
command -v python3 >/dev/null || { echo "no python3: nothing checked"; exit 0; }
"$1" study invariants "$2/examples/skates/chaplygin_sleigh.pf" | grep -q "normal form" || { echo "no FLINT: nothing checked"; exit 0; }
exec python3 "$(dirname "$0")/measure.py" "$@"
