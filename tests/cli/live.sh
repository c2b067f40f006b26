#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff run --watch, on terminals of several sizes.
exec python3 "$2/tests/cli/live.py" "$1" "$2"
