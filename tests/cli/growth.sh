#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Equations grow linearly with the number of trailers and wheels, and stay right: see growth.py.
command -v python3 >/dev/null || { echo "no python3: nothing compared"; exit 0; }
exec python3 "$(dirname "$0")/growth.py" "$1"
