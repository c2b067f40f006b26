#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs that are killed at random moments leave a file that can be read; 'kill.py --n 50' by hand.
PYTHONDONTWRITEBYTECODE=1 exec python3 "$2/tests/cli/kill.py" "$1" "$2" --n 5
