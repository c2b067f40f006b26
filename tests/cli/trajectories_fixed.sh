#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every reference trajectory by the methods with a fixed step: errors fall as their order says.
exec python3 "$2/tests/cli/trajectories.py" "$1" "$2" rk4:4 generalized_alpha:2 rattle:2
