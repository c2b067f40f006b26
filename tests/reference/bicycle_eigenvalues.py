#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes bicycle-eigenvalues.csv: eigenvalues of the benchmark bicycle (bicycle.py) against its speed, with 50 digits. The
matrices are compared with the printed ones first. Needs mpmath."""
from mpmath import mp, mpf, pi, sin, cos, polyroots

from bicycle import matrices

mp.dps = 50
g = mpf("9.81")
M, C1, K0, K2 = matrices(number=mpf, pi=pi, sin=sin, cos=cos)

PRINTED = [(M, "80.81722 2.31941332208709 2.31941332208709 0.29784188199686"),
           (K0, "-80.95 -2.59951685249872 -2.59951685249872 -0.80329488458618"),
           (K2, "0 76.59734589573222 0 2.65431523794604"),
           (C1, "0 33.86641391492494 -0.85035641456978 1.68540397397560")]
for ours, printed in PRINTED:
    for value, text in zip(sum(ours, []), printed.split()):
        assert abs(value - mpf(text)) < mpf("6e-15")*max(1, abs(value)), (value, text)


def eigenvalues(v):
    """Roots of det(M s^2 + v C1 s + g K0 + v^2 K2)."""
    entry = [[(M[i][k], v*C1[i][k], g*K0[i][k] + v*v*K2[i][k]) for k in range(2)] for i in range(2)]

    def product(a, b):
        out = [mpf(0)]*5
        for i, x in enumerate(a):
            for k, y in enumerate(b):
                out[i + k] += x*y
        return out
    poly = [x - y for x, y in zip(product(entry[0][0], entry[1][1]), product(entry[0][1], entry[1][0]))]
    roots = polyroots(poly, maxsteps=500, extraprec=200)
    return sorted(roots, key=lambda z: (-z.real, -z.imag))


with open(__file__.rsplit("/", 1)[0] + "/bicycle-eigenvalues.csv", "w") as out:
    out.write("# Whipple bicycle, benchmark parameters: eigenvalues against the speed, rightmost first (bicycle_eigenvalues.py)\n")
    out.write("v,re1,im1,re2,im2,re3,im3,re4,im4\n")
    for v in [mpf(k)/2 for k in range(0, 21)]:
        roots = eigenvalues(v)
        numbers = [mp.nstr(part if abs(part) > mpf("1e-30") else mpf(0), 17) for z in roots for part in (z.real, z.imag)]
        out.write(mp.nstr(v, 4) + "," + ",".join(numbers) + "\n")
