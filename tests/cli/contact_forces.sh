#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Forces of contact in scenes are what Newton's law asks for (contact_forces.py).
set -u
. "$(dirname "$0")/common.sh"
if command -v python3 >/dev/null; then
  python3 "$(dirname "$0")/contact_forces.py" "$program" >"$place/out" 2>"$place/err" || fail "contact_forces.py: $(tail -n 5 "$place/out" "$place/err")"
fi
finish
