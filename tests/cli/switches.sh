#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Switches, dry friction, events, singular passages, starts and units against exact answers, at two tolerances.
exec python3 "$2/tests/cli/switches.py" "$1" "$2/tests/reference/switches.json"
