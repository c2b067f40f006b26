#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names that 'derive' prints can be shown: the equations that it prints with them hold along the motion that is shown.
set -u
. "$(dirname "$0")/common.sh"
helpers='
def near(a, b, e=1e-7): return abs(a - b) <= e*max(1, abs(b))
def columns(d): return [c.split(" [")[0] for c in d["columns"]]
'
# derive --form maggi of the snakeboard: x'"'" and psi'"'" by the pseudo-velocities, and the equations of w_psi and w_phi_b
board=$(example snakeboard)
shown="u, u', w_psi, w_psi', x' - u*(cos(phi_b)*cos(theta + phi_f) + cos(theta + phi_b)*cos(phi_f)), psi' - w_psi + theta', Jr*w_psi' + kr*psi, Jw*w_phi_b' + kw*phi_b"
run 0 run --json --by dop853 --for 2 --at 0.5,1,2 --show "$shown" "$board"
holds 'columns(d)[1:5] == ["u", "u'"'"'", "w_psi", "w_psi'"'"'"] and all(abs(v) < 1e-9 for r in d["rows"] for v in r[5:]) and all(abs(r[2]) > 0.001 for r in d["rows"])'
run 0 run --for 1 --at 1 -o - --show "u,u'" "$board"
says out "t [s],u,u'"
run 0 plot --for 1 --show "u; w_psi'" -o "$place/u.svg" "$board"
run 0 sweep --for 1 -p m=5,6 --take "u, max(u) - min(u)" -o "$place/u.csv" "$board"
cp "$place/u.csv" "$place/out"
says out "member,m [kg],u,max(u) - min(u)"

# Angular velocities in lists, of carriages, of joints; a coordinate of a contact.
run 0 run --json --for 1 --at 1 --show "w_q[2] - q[1]' - q[2]'" "$(example cart_pendulum)"
run 0 run --json --for 0.1 --at 0.1 --show "contact.u, contact.u'" "$(example ball_on_surface)"
holds 'columns(d)[1:] == ["contact.u", "contact.u'"'"'"]'
run 0 run --json --for 0.1 --at 0.1 --show "c' + sin(b)*a' - w_c" "$(example rolling_ball)"
holds 'abs(d["rows"][0][1]) < 1e-12'

# Rates keep the names of speeds and definitions, also where they are one symbol.
cat >"$place/model.pf" <<'END'
coord x, y, th
speed u1 = x'*cos(th) + y'*sin(th), u2 = th'
let spin = th'
kinetic (x'^2 + y'^2 + th'^2)/2
constraint c: -sin(th)*x' + cos(th)*y' = 0
force th = 0.1
start x' = 1, th' = 0.3
run 1
plot u2', spin'
END
run 0 run --json --at 1 --show "u2', u1', spin', th''" "$place/model.pf"
holds 'columns(d)[1:] == ["u2'"'"'", "u1'"'"'", "spin'"'"'", "th'"''"'"] and all(near(v, w) for v, w in zip(d["rows"][0][1:], [0.1, 0, 0.1, 0.1]))'
run 0 run --json --at 1 "$place/model.pf"
holds '{"u2'"'"'", "spin'"'"'"} <= set(columns(d))'

# What is no velocity is refused, in words.
run 2 run --for 1 --show "mu" "$board"
says err "what other names of 'derive' stand for is written out"
finish
