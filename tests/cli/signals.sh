#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Signals stop every command soon, and say so.
exec python3 "$2/tests/cli/signals.py" "$1" "$2"
