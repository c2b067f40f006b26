#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What can be a column of a run (columns.py).
exec python3 "$2/tests/cli/columns.py" "$1" "$2"
