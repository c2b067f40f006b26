#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every reference trajectory by two integrators, to the tolerance its index gives.
exec python3 "$2/tests/cli/trajectories.py" "$1" "$2" dopri5 dop853
