#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pdflatex compiles what derive --latex --standalone writes.
exec python3 "$2/tests/cli/latex.py" "$1" "$2"
