#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Options: help, the table of docs/commands.md and what the program takes agree; errors for programs.
exec python3 "$2/tests/cli/options.py" "$1" "$2"
