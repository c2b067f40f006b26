#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Manual pages and completions for shells: one of each command, with all its options, as man and the shells read them.
set -u
. "$(dirname "$0")/common.sh"

"$source/scripts/manual.sh" "$program" "$place/made" || fail "scripts/manual.sh"
for command in $("$program" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
  page=$place/made/man1/pfaff-$command.1
  [ -s "$page" ] || { fail "no page of $command"; continue; }
  for option in $("$program" "$command" --help | sed -n 's/^  *\(-., \)\{0,1\}--\([a-z-]*\).*/\2/p'); do
    grep -qF "\\fB\\-\\-$(printf '%s' "$option" | sed 's/-/\\-/g')\\fR" "$page" || fail "$command: --$option is not in its page"
  done
done
if command -v man >/dev/null; then
  for page in "$place"/made/man1/*.1; do
    words=$(LC_ALL=C.UTF-8 MANROFFSEQ= MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$words" ] || fail "$page: $words"
  done
fi
run 0 --man study steady
says out "pfaff\\-study\\-steady"
run 2 --man nonsense
says err "there is no command 'nonsense'"

# complete <word>…: what bash offers for the last one
complete() {
  bash -c 'source "$1"; shift; COMP_WORDS=(pfaff "$@"); COMP_CWORD=$#; _pfaff; echo "${COMPREPLY[@]}"' - \
    "$place/made/completion/pfaff" "$@" 2>&1
}
offers() { # <wanted> <word>…
  wanted=$1
  shift
  commands=$((commands + 1))
  found=$(complete "$@")
  [ "$found" = "$wanted" ] || fail "pfaff $*: '$found', not '$wanted'"
}
if command -v bash >/dev/null; then
  offers run ru
  offers "--to --time" export --t
  offers "dopri5 dop853" run --by dop
  offers "steady" study s
  offers "--starts --state" study steady --sta
  offers "check" help ch
  offers "snakeboard_drive" new mine --from snakeboard_d
  touch "$place/robot.pf"; offers "$place/robot.pf" run "$place/robo"
fi
if command -v zsh >/dev/null; then zsh -n "$place/made/completion/_pfaff" || fail "zsh"; fi
if command -v fish >/dev/null; then fish -n "$place/made/completion/pfaff.fish" || fail "fish"; fi
run 2 --completion ksh
says err "there are bash, zsh and fish"
run 2 --completion
says err "the shell is missing"
finish
