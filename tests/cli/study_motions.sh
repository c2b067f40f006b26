#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Motions of portraits and sections (study_motions.py).
exec python3 "$2/tests/cli/study_motions.py" "$1" "$2"
