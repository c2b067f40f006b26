#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# States where a force or a constraint has no derivative: they are listed as states of rest or steady motions, and no
# study gives eigenvalues there. States where abs or max stand in the equations and a derivative exists have them.
set -u
. "$2/tests/cli/common.sh"
command -v python3 >/dev/null || exit 0
model() { cat > "$place/$1.pf"; }

# a kink of a force, of a law of speed, of constraints, dry friction at rest: x = 0 (x' = 1) is a solution of each
model floor <<'END'
coord x
kinetic x'^2/2
force x = -x + 3*max(0, -x) - x'
start x = 1
END
model speed_law <<'END'
coord x
kinetic x'^2/2
force x = max(1 - x', 3*(1 - x'))
END
model row <<'END'
coord x, z
kinetic (x'^2 + 3*z'^2)/2
potential x^2/2
constraint c: z' = abs(x')
END
model speeds <<'END'
coord x, z
speed u
rate x' = u, z' = abs(u)
kinetic (x'^2 + 3*z'^2)/2
potential x^2/2
END
model groove <<'END'
coord x, z
kinetic (x'^2 + z'^2)/2
potential z*9.81
constraint c: z = abs(x)
start x = 1
END
model held <<'END'
coord x
kinetic x'^2/2
potential -x^2/2
force x = -0.5*sign(x')
start x = 0.3
END
for name in floor row speeds groove held; do
  run 0 study equilibria --json "$place/$name.pf"
  holds 'len(d["points"]) == 1 and abs(d["points"][0]["q"][0]) < 1e-9'
  holds 'd["points"][0]["kink"] and d["points"][0]["stability"] == "neutral" and d["points"][0]["eigenvalues"] == []'
  run 1 study linearize --near equilibrium "$place/$name.pf"
  [ $name = groove ] || says err "kink"
done
for name in floor row speeds held speed_law; do
  run 0 study steady --json "$place/$name.pf"
  holds 'len(d["points"]) == 1 and d["points"][0]["kink"] and not d["points"][0]["eigenvalues"]'
done
run 0 study equilibria "$place/floor.pf"
says out "neutral (the equations have a kink here, x = 0: there is no linear model)"
printf 'x\n0.5\n1\n' > "$place/starts.csv"
run 0 sweep --study equilibria --take "stable, found" --table "$place/starts.csv" --out - "$place/floor.pf"
grep -q '^0,0.5,nan,1,1,' "$place/out" || fail "$last: other rows"

# a ball falls onto an elastic floor: its height is not cyclic, though nothing depends on it where it starts
model ball <<'END'
param k = 1000
coord z
kinetic z'^2/2
force z = -9.81 + k*max(0, -z) - z'
start z = 1
END
for study in equilibria steady; do
  run 0 study $study --json "$place/ball.pf"
  holds 'len(d["points"]) == 1 and abs(d["points"][0]["q"][0] + 9.81/1000) < 1e-12 and d["points"][0]["kink"] is None'
  holds 'abs(d["points"][0]["eigenvalues"][0][0] + 0.5) < 1e-9 and abs(d["points"][0]["eigenvalues"][0][1]**2 - 999.75) < 1e-6'
done

# a derivative exists: drag at rest, a condition of a parameter alone, a plot of abs(x)
model drag <<'END'
param mode = 1
coord x
kinetic x'^2/2
potential x^2/2
force x = -0.5*x'*abs(x') - if(mode <= 1, x', 2*x')
END
run 0 study linearize --json "$place/drag.pf"
holds 'd["points"][0]["A"] == [[0, 1], [-1, -1]]'
run 0 study equilibria --json "$place/drag.pf"
holds 'd["points"][0]["stability"] == "stable" and d["points"][0]["kink"] is None'
model shown <<'END'
coord x
kinetic x'^2/2
potential x^2/2
plot abs(x)
END
run 0 study equilibria --json "$place/shown.pf"
holds 'd["points"][0]["kink"] is None and abs(d["points"][0]["eigenvalues"][0][1] - 1) < 1e-12'
run 0 study linearize --json "$place/shown.pf"
says err "the output 'abs(x)' has no finite value or no derivative here"
holds 'd["points"][0]["C"] == [[None, None]] and abs(d["points"][0]["eigenvalues"][0]["im"] - 1) < 1e-12'

# along a branch a kink is passed without a verdict: x = max(0, a) has one at a = 0
model branch <<'END'
param a = 1
coord x
kinetic x'^2/2
force x = max(0, a) - x - 0.1*max(0, x) - x'
END
run 0 study continue --equilibria --json "a=-1..1:20" "$place/branch.pf"
holds 'all(p["stability"] != "unstable" for b in d["branches"] for p in b["points"])'

# a load driven by the faster of two stays on the kink of its constraint from t = 2/3, where x' = y', to 5/6, where the
# share of y in its force vanishes; by hand: x' = 2/3 + (t^2 - 4/9) - 2/3 (t - 2/3) between, lambda = 5 + x''
model faster <<'END'
param k = 6
coord x, y, z
kinetic (x'^2 + y'^2 + z'^2)/2
force x = 2 + k*t, y = 1, z = -5
constraint driven: z' = max(x', y')
start x' = 1, y' = 0
run 2
END
for form in multipliers elimination udwadia_kalaba maggi cascade; do
  run 0 run --json --form $form --at 0.75,2 --show "x',y',z',lambda[driven]" "$place/faster.pf"
  holds 'all(abs(a - b) < 1e-8 for r, w in zip(d["rows"], [[35/48, 35/48, 35/48, 35/6], [289/72, 71/36, 289/72, 9.5]])
             for a, b in zip(r[1:], w)) and len(d["rows"]) == 2'
done
# with constant forces it stays there from t = 0.4 on: x'' = -2/3, lambda = 13/3
for method in dopri5 rk4 generalized_alpha rattle; do
  run 0 run --json -p k=0 --by $method --step 0.01 --at 2 --show "x',y',z',lambda[driven]" "$place/faster.pf"
  holds 'all(abs(a - b) < 1e-6 for a, b in zip(d["rows"][0][1:], [-2/3, -2/3, -2/3, 13/3])) and d["energy"]["drift"] < 1e-6'
done
finish
