#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Manual pages and completions for shells, as the program writes them.
#   manual.sh PFAFF FOLDER     makes FOLDER/man1 and FOLDER/completion
set -eu
pfaff=$1
folder=$2
mkdir -p "$folder/man1" "$folder/completion"
"$pfaff" --man >"$folder/man1/pfaff.1"
sed -n 's/^\.BR pfaff\\-\(.*\) (1)$/\1/p' "$folder/man1/pfaff.1" | while read -r page; do
  page=$(printf '%s' "$page" | tr -d '\\')
  "$pfaff" --man $(printf '%s' "$page" | tr '-' ' ') >"$folder/man1/pfaff-$page.1"
done
"$pfaff" --completion bash >"$folder/completion/pfaff"
"$pfaff" --completion zsh >"$folder/completion/_pfaff"
"$pfaff" --completion fish >"$folder/completion/pfaff.fish"
