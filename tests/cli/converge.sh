#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What 'pfaff converge' promises, with the comparison of docs/integrators.md as written there.
exec python3 "$2/tests/cli/converge.py" "$1" "$2"
