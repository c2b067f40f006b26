#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Laws of friction in which one surface stands more than once, surfaces that depend on each other, friction by forces of
# constraints: against closed forms, by methods of every kind.
set -u
. "$(dirname "$0")/common.sh"
model=$place/model.pf
helpers='
from math import *
def near(a, b, e=1e-6): return abs(a - b) <= e*max(1, abs(b))
def column(d, name): return [c.split(" [")[0] for c in d["columns"]].index(name)
def at(d, row, name): return d["rows"][row][column(d, name)]
'
methods="dopri5 dop853 rk4 cvode_bdf ida ida2 rattle generalized_alpha"
by_every_method() { # times, what holds: rows are all there
  for method in $methods; do
    case $method in rk4 | rattle | generalized_alpha) step="--step 1e-3" ;; *) step= ;; esac
    run 0 run --json --by "$method" $step --at "$1" "$model"
    holds "{$1} <= {r[0] for r in d[\"rows\"]} and ($2)"
  done
}

# Unequal friction, 3 N to the right and 0.5 N to the left: the load of 0.4 N - 0.2 N/s t makes it slip at t = 4.5 s.
# Between both sides the force is their convex combination, not what the product of both switches makes of it.
cat >"$model" <<'END'
param F1 = 3, F2 = 0.5
coord x
let friction = -if(x' > 0, F1, F2)*sign(x')
kinetic x'^2/2
force x = 0.4 - 0.2*t + friction
run 6
plot friction
END
by_every_method 0,1,3,4.4,5,6 \
  'near(at(d, 3, "x"), 0) and near(at(d, 4, "x"), -0.1/3*0.5**3) and near(at(d, 5, "x'"'"'"), -0.225) and near(at(d, 3, "friction"), 0.48) and near(at(d, 5, "friction"), 0.5)'
cat >"$model" <<'END'
coord x
kinetic x'^2/2
force x = 0.6*t + if(x' > 0, -1, if(x' < 0, 1, 0))
start x' = -0.5
run 3
END
by_every_method 0,0.5,1,1.5,2,3 \
  'near(at(d, 1, "x"), (lambda s: -s/2 + s**2/2 + s**3/10)((sqrt(1.6) - 1)/0.6)) and near(at(d, 3, "x"), at(d, 1, "x"), 1e-9) and near(at(d, 5, "x'"'"'"), 8/15)'

# A clamped law: 1.2 N against sliding to the right, 0.8 N to the left. Clamped by a limit that moves as well: 0.8 N at
# t = 1.6 s, where the load of 0.5 N/s t begins to exceed what holds.
for law in "max(1.2*sign(x'), -0.8)" "max(1.2*sign(x'), -0.4 - 0.25*t)" "min(max(1.2*sign(2*x'), -0.8), 5)"; do
  printf '%s\n' "coord x" "kinetic x'^2/2" "force x = -0.5*t - $law" "start x' = 0.5" "run 1.7" >"$model"
  by_every_method 1,1.5,1.7 'near(at(d, 1, "x'"'"'"), 0, 1e-9)'
done
printf '%s\n' "coord x" "kinetic x'^2/2" "force x = -0.5*t - max(1.2*sign(x'), -0.8)" "start x' = 0.5" "run 3" >"$model"
by_every_method 1,1.5,2,3 'near(at(d, 2, "x'"'"'"), -0.04) and near(at(d, 3, "x'"'"'"), -0.49)'

# The same surface by other words: of parameters of either sign, of fractions, of absolute values.
for law in "-F*sign(c*x')" "-F*x'/abs(x')" "-F*sign(c*x' - c*b*x')" "-F*if(0 < c*x', 1, -1)" \
  "-F*(if(0 < x', 1, 0) - if(c*x' < 0, 1, 0))" "-F*sign(x')*abs(sign(c*x'))" "-F*sign(x'*exp(x))" \
  "-F*if(x' > 0, 1, 0) + F*if(x' >= 0, 0, 1)"; do
  printf '%s\n' "param F = 1, c = 2, b = 0.5" "coord x" "kinetic x'^2/2" "force x = t + $law" "start x' = 1.5" "run 4" >"$model"
  run 0 run --json --at 1,2,4 "$model"
  holds 'near(at(d, 2, "x'"'"'"), 2 + 8 - 4 - 0.5)' # never at rest: v = 1.5 - t + t^2/2 > 0
  run 0 run --json --at 0.5,0.9,4 -s "x'=0" "$model"
  holds 'near(at(d, 1, "x"), 0) and near(at(d, 2, "x'"'"'"), 4.5)'
done

# Friction of two bodies that a constraint ties, on three velocities of which one decides; three surfaces of two
# velocities, of which the load slips x at t = 0.7 s, y at t = 3.75 s.
cat >"$model" <<'END'
coord x, y
kinetic (x'^2 + y'^2)/2
constraint tie: x = y
force x = t - 0.3*sign(x') - 0.2*sign(2*x' + y'), y = -0.4*sign(y')
start x' = 0.2, y' = 0.2
run 5
END
by_every_method 0.8,0.85,2,5 \
  'near(at(d, 1, "x"), at(d, 0, "x")) and near(at(d, 2, "x'"'"'"), 1.1**2/4) and near(at(d, 3, "y'"'"'"), 4.1**2/4)'
cat >"$model" <<'END'
coord x, y
kinetic (x'^2 + y'^2)/2
force x = t - 0.3*sign(x') - 0.4*sign(x' + y'), y = 0.2*t - 0.4*sign(x' + y') - 0.35*sign(y')
run 5
END
by_every_method 0.6,2,5 \
  'near(at(d, 0, "x"), 0) and near(at(d, 1, "x'"'"'"), 1.3**2/2) and near(at(d, 1, "y"), 0) and near(at(d, 2, "y'"'"'"), 0.1*1.25**2)'
# A lock makes two surfaces one.
cat >"$model" <<'END'
coord x, y
kinetic (x'^2 + y'^2)/2
force x = 1 - 0.25*t - 0.3*sign(x') - 0.4*sign(x' - y'), y = 0.4*sign(x' - y')
start x' = 1
when t = 0 { lock y }
run 8
END
# v = 1 + 0.3 t - t^2/8 = 0 at 4.27 s; it rests until 0.25 t = 1.7
by_every_method 4.4,6.7,8 'near(at(d, -3, "x"), at(d, -2, "x")) and near(at(d, -1, "x'"'"'"), -0.18)'

# Friction of a pin by its force, as books write it: no slope where the iteration begins. Without friction it is the
# pendulum; with it the first half-swing is integrated here.
cat >"$model" <<'END'
param mu = 0.5, r = 0.05, L = 1, m = 1, g = 9.81, J = 0.02
coord x, y, a
kinetic m/2*(x'^2 + y'^2) + J/2*a'^2
potential m*g*y
constraint px: x = L*sin(a)
constraint py: y = -L*cos(a)
nonideal a = -mu*r*sqrt(lambda[px]^2 + lambda[py]^2)*sign(a')
start a = 0.5!, y = -0.9
run 0.9
END
helpers="$helpers"'
def half_swing(mu, t):
    def rate(a, w):
        b = 0
        for _ in range(60): b = -(9.81*sin(a) - mu*0.05*hypot(w*w + 9.81*cos(a), b + 9.81*sin(a)))/1.02
        return b
    a, w, n = 0.5, 0.0, 2000
    h = t/n
    for _ in range(n):
        k1 = rate(a, w); k2 = rate(a + h/2*w, w + h/2*k1); k3 = rate(a + h/2*(w + h/2*k1), w + h/2*k2)
        k4 = rate(a + h*(w + h/2*k2), w + h*k3)
        a, w = a + h*w + h*h/6*(k1 + k2 + k3), w + h/6*(k1 + 2*k2 + 2*k3 + k4)
    return a
'
by_every_method 0.45,0.9 'near(at(d, 0, "a"), half_swing(0.5, 0.45)) and near(at(d, 1, "a"), half_swing(0.5, 0.9))'
run 0 run --json --at 0.9 -p mu=0 "$model"
holds 'near(at(d, 0, "a"), half_swing(0, 0.9))'
run 0 run --json --at 3 --for 3 -p mu=1 -s a=0.045 "$model" # sin(0.045) < 0.05: it stays
holds 'near(at(d, 0, "a"), 0.045, 1e-9)'

# A surface that a constraint holds is none: friction between blocks that are tied does nothing.
cat >"$model" <<'END'
coord x, y
kinetic x'^2 + y'^2/2
constraint tie: x = y
force x = 0.75 - 0.3*t - sign(x') - 2*sign(x' - y'), y = 2*sign(x' - y')
run 8
END
by_every_method 3,5.8,8 'near(at(d, 1, "x"), 0) and near(at(d, 2, "x'"'"'"), -0.05*(8 - 1.75/0.3)**2)'
# The load of a block that sticks passes zero at the end of a step: nothing is left but rounding.
printf '%s\n' "param F = 2.06" "input l = -0.36 + 0.4*t" "coord x" "kinetic 1.27/2*x'^2" "force x = l - F*sign(x')" "run 5" >"$model"
for step in 2e-3 1e-3 1e-4; do
  run 0 run --json --no-rows --by generalized_alpha --step $step "$model"
  run 0 run --json --no-rows --by rattle --step $step "$model"
done

# Units of forces and constraints decide nothing. X: sliding by the load 1.4 sin t beside a friction of 1 from t0 on; it
# ends at t1, the way back half a period later at X = 0.
helpers=$helpers'
t0 = asin(1/1.4)
def X(t): return 1.4*(cos(t0)*(t - t0) - sin(t) + sin(t0)) - (t - t0)**2/2
t1 = 3
for k in range(9): t1 -= (1.4*(cos(t0) - cos(t1)) - t1 + t0)/(1.4*sin(t1) - 1)
'
slides() { # unit of x, tolerance in it
  holds "all(near(at(d, k, \"x\")/$1, x, $2) for k, x in enumerate((X(2), X(t1), X(8 - 2*pi))))"
}
printf '%s\n' "coord x, i" "kinetic x'^2/2" "force x = 1.4e-10*sin(1e-5*t) - 1e-10*sign(x')" \
  "constraint c: 1e5*i' = x - i" "run 8e5" >"$model"
for by in dopri5 dop853 "rk4 --step 1e3" cvode_bdf ida ida2 "generalized_alpha --step 2e2"; do
  run 0 run --json --by $by --at 2e5,3.5e5,8e5 "$model"
  slides 1 1e-5
done
for form in multipliers rosenberg maggi laconic cascade; do
  run 0 run --json --form $form --at 2e5,3.5e5,8e5 "$model"
  slides 1 1e-6
done
printf '%s\n' "coord x, i" "kinetic x'^2/2" "force x = 1e-10*(1.4*sin(t) - sign(x'))" "constraint c: 1e5*i' = x - i" \
  "run 8" >"$model"
run 0 run --json --atol 1e-18 --at 2,3.5,8 "$model"
slides 1e-10 1e-6
printf '%s\n' "coord y, x" "kinetic (x'^2 + y'^2)/2" "run 8" \
  "force y = 1e10*(1.4*sin(t) - sign(y')), x = 1e-5*(1.4*sin(t) - sign(x'))" >"$model"
run 0 run --json --at 2,3.5,8 "$model"
slides 1e-5 1e-6
# A brake that is strong beside the constraint: x = T - T^2/2 up to T = 1e5 t = 1, and i follows.
printf '%s\n' "coord x, i" "kinetic x'^2/2" "force x = -1e10*sign(x')" "constraint c: 1e-5*i' = x - i" \
  "start x' = 1e5" "run 3e-5" >"$model"
for by in dopri5 cvode_bdf ida "generalized_alpha --step 1e-8"; do
  run 0 run --json --by $by --at 1e-5,3e-5 "$model"
  holds 'near(at(d, 1, "x"), 0.5) and near(at(d, 0, "i"), 2/e - 0.5) and near(at(d, 1, "i"), 0.5 + (2/e - 1)/e**2)'
done

# The time has no digits for the run: an error by every method, in sweeps too; clocks of computers have.
printf '%s\n' "coord x" "kinetic x'^2/2" "force x = -x" "start x = 1" "run 1" >"$model"
for method in dopri5 dop853 "rk4 --step 0.1" cvode_adams cvode_bdf ida ida2 rattle generalized_alpha; do
  run 2 run --by $method --time 1e17 "$model"
  says err "at t = 1e+17 the time moves by 22 s at least: a run to t = 1e+17 cannot be resolved"
done
run 2 run --time 1e16 --for 100 "$model"
run 0 run --time 1.7e9 --at 1700000001 --json "$model"
holds 'near(at(d, 0, "x"), cos(1))'

# Changes that are too many for a step are told; those of a slower surface are all found.
printf '%s\n' "coord x" "kinetic x'^2/2" "force x = -sign(sin(w*x))" "param w = 1e5" "start x' = 30" "run 0.1" >"$model"
run 0 run "$model"
says err "'sin(w*x)' changes its sign too often to be followed in a step"
run 0 run --json --for 1 -p w=1000 -s "x'=1" "$model"
holds 'd["switches"] == floor(1/(1 - sqrt(1 - 2*pi/1000)))'
says_nothing err

# a quotient that is a sign has a value at rest: exported code computes what 'run' does, 0.2 m from where the spring
# pulls with 0.02 N and friction holds with up to 1 N
if command -v cc >/dev/null; then
  for law in "-x'/abs(x')" "-x'/sqrt(x'^2)" "-abs(x')/x'" "-x'^3/abs(x')^3" "-sign(x')"; do
    printf "coord x\nkinetic x'^2/2\npotential x^2/20\nforce x = $law\nstart x = 0.2\n" > "$place/held.pf"
    run 0 run --json --at 1 "$place/held.pf"
    holds 'abs(d["rows"][-1][1] - 0.2) < 1e-12'
    run 0 export --to c -o "$place/held" "$place/held.pf"
    cat > "$place/held/rest.c" <<'END'
#include "held.h"
#include <math.h>
int main(void)
{
  held_params p;
  held_state x;
  held_input u;
  double a[HELD_N], lambda[1];
  held_init(&p, &x, &u);
  return held_accelerate(&p, &x, &u, a, lambda) == 0 && fabs(a[0] + 0.02) < 1e-15 ? 0 : 1;
}
END
    cc -I "$place/held" -o "$place/held/rest" "$place/held/rest.c" "$place/held/held.c" -lm 2>"$place/err" && "$place/held/rest" || fail "the force of $law at rest"
  done
fi
finish
