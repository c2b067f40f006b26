#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every reference trajectory by CVODE: formulas of lower order need tighter tolerances.
exec python3 "$2/tests/cli/trajectories.py" "$1" "$2" cvode_adams=1e-13 cvode_bdf=1e-14
