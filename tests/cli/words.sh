#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Words of the language in the place of names: see words.py.
command -v python3 >/dev/null || { echo "no python3: nothing checked"; exit 0; }
exec python3 "$(dirname "$0")/words.py" "$@"
