#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff export: places, options, names and texts, other languages, motions.
exec python3 "$2/tests/cli/export.py" "$1" "$2"
