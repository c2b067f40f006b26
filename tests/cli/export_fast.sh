#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff export --to c: robot_fast.c gives the numbers of robot.c, and eight states at once the bits of one.
exec python3 "$2/tests/cli/export_fast.py" "$1" "$2"
