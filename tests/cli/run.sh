#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What 'pfaff run' promises.
exec python3 "$2/tests/cli/run.py" "$1" "$2"
