#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff derive for papers and pages: documents that LaTeX compiles, lines within the page, names that mean nothing to it; Markdown.
set -u
. "$(dirname "$0")/common.sh"

# compiles <most points that a line may stick out>: $place/out, by pdflatex where there is one
compiles() {
  command -v pdflatex >/dev/null || return 0
  cp "$place/out" "$place/x.tex"
  (cd "$place" && pdflatex -interaction=nonstopmode -halt-on-error -no-shell-escape x.tex >x.out 2>&1 </dev/null) || {
    fail "$last: pdflatex: $(grep -m 1 '^!' "$place/x.out")"
    return 0
  }
  widest=$(sed -n 's/^Overfull .hbox (\([0-9]*\).*/\1/p' "$place/x.out" | sort -n | tail -n 1)
  [ "${widest:-0}" -le "$1" ] || fail "$last: a line sticks out by $widest pt"
}

is_latex() {
  command -v python3 >/dev/null || return 0
  python3 "$source/tests/cli/latex_grammar.py" "$place/out" >"$place/why" || fail "$last: $(head -n 1 "$place/why")"
}

# The shortest forms fit; without FLINT they are longer.
"$program" derive --form laconic "$source/examples/wheels/unicycle.pf" | grep -q "m + Jy/R^2" && most=3 || most=10000
for model in unicycle chaplygin_sleigh leaning_disc snakeboard car_trailer free_floating carriage_mecanum x2 rover_arm; do
  for form in multipliers laconic rosenberg_extended; do
    run 0 derive --form $form --latex --standalone "$(example "$model")"
    is_latex
    compiles $most
  done
done
for model in bicycle capture; do
  run 0 derive --latex --standalone "$(example "$model")"
  is_latex
  compiles 10000
done

# A sum is broken, with one number; what is bracketed is closed and opened again.
run 0 derive --form laconic --latex "$source/examples/classics/cart_pendulum.pf"
says out '\notag \\'
says out '    &\qquad + '
is_latex
run 0 derive --form rosenberg_extended --latex "$source/examples/spacecraft/free_floating.pf"
says out '\right. \notag \\'
is_latex

# Words of the model are words, not commands.
cat >"$place/hostile.pf" <<'END'
model x_y "100% \input{/etc/passwd} $x$ {}}#&^~ <b> Kugel für α"
coord phi_dot, theta_1, psi[2]
param I_xx = 1, write18 = 2, input2 = 3
kinetic I_xx*phi_dot'^2/2 + write18*theta_1'^2 + input2*(psi[1]'^2 + psi[2]'^2)
END
run 0 derive --latex --standalone "$place/hostile.pf"
says out 'section*{x\_y}'
says out '100\% \textbackslash{}input\{/etc/passwd\} \$x\$ \{\}\}\#\&\textasciicircum{}\textasciitilde{}'
says out 'Kugel für ?'
says out '\mathrm{write}_{18}'
says out 'I_{\mathrm{xx}} \dddot{\phi}' # phi_dot is a velocity already
compiles 0
run 0 derive --markdown "$place/hostile.pf"
says out '# x\_y'
says out '\$x\$'

# Symbols by declaration, of velocities too, with exponents, in lists; in every notation of LaTeX, and nowhere else.
cat >"$place/symbols.pf" <<'END'
param mb "m_{\mathrm b}" = 3 [kg], J "\hat{J}^{*}" [kg m^2] = 2, c[2] "\kappa" = 1
coord x "\xi_{\mathrm r}" [m], theta [rad], y[2] "\eta"
speed v "\mathbf v" = x', w = theta'
input drive "\tau_1" = sin(t) [N m]
kinetic mb^2/(2 [kg])*x'^2 + J^2/(2 [kg m^2])*theta'^2 + c[1]*y[1]'^2 + c[2]*y[2]'^2
force theta = drive
END
run 0 derive --latex --standalone "$place/symbols.pf"
says out '{m_{\mathrm b}}^{2} \ddot{\xi_{\mathrm r}}'
says out '\left({\hat{J}^{*}}\right)^{2}'
says out '{\kappa}_{2} \ddot{\eta}_{2}'
says out '{\tau_1}'
compiles 0
run 0 derive --form laconic --latex --standalone "$place/symbols.pf"
says out '\dot{\mathbf v}'
compiles 0
run 0 derive "$place/symbols.pf"
says out "mb^2*x''"
run 0 fmt "$place/symbols.pf"
says out 'speed v "\mathbf v" = '

# Markdown
run 0 derive --form laconic --markdown "$source/examples/wheels/unicycle.pf"
says out '# unicycle'
says out '## Equations of motion (`laconic`)'
says out '## Velocities'
says out '\begin{aligned}'
[ "$(grep -c '^\$\$$' "$place/out")" = 4 ] || fail "$last: dollars"
if grep -q 'notag' "$place/out"; then fail "$last: a number where there is none"; fi

# Files, and what does not go together.
run 0 derive --out "$place/u.md" "$source/examples/wheels/unicycle.pf"
grep -q '^# unicycle' "$place/u.md" || fail "$last: no Markdown"
run 0 derive --standalone --out "$place/u.tex" "$source/examples/wheels/unicycle.pf"
grep -q 'documentclass' "$place/u.tex" || fail "$last: no document"
run 0 derive --latex --standalone --out - "$source/examples/wheels/unicycle.pf"
says out 'documentclass'
run 2 derive --standalone --out "$place/u.txt" "$source/examples/wheels/unicycle.pf"
says err "--standalone and --out"
run 2 derive --markdown --out "$place/u.tex" "$source/examples/wheels/unicycle.pf"
says err "the name must end in .md"
run 2 derive --standalone "$source/examples/wheels/unicycle.pf"
says err "--standalone goes with --latex"
run 2 derive --markdown --latex "$source/examples/wheels/unicycle.pf"
says err "exclude each other"

finish
