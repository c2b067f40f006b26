#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lanes.sh DIR PROGRAM…: all programs must print the same.
set -eu
dir=$1
shift
first=
for program; do
  "$program" >"$dir/$(basename "$program").txt"
  [ -n "$first" ] || first=$dir/$(basename "$program").txt
  [ -s "$first" ]
  cmp "$first" "$dir/$(basename "$program").txt"
done
