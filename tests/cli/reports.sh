#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tables of fields of the reports: documents and types are made of them, and reports are as they say.
exec python3 "$2/tests/cli/reports.py" "$1" "$2"
