#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes bicycle-eigenvalues.csv: eigenvalues of the benchmark bicycle against its speed, with 50 digits.

The linearized equations M q'' + v C1 q' + (g K0 + v^2 K2) q = 0, q = (lean, steer), by the formulas of appendix A of
J.P. Meijaard, J.M. Papadopoulos, A. Ruina, A.L. Schwab, "Linearized dynamics equations for the balance and steer of a
bicycle: a benchmark and review", Proc. R. Soc. A 463 (2007) 1955-1982, for the parameters of its Table 1. The matrices are
compared with the printed ones first. Needs mpmath.
"""
from mpmath import mp, mpf, pi, sin, cos, polyroots, matrix

mp.dps = 50
w, c, lam, g = mpf("1.02"), mpf("0.08"), pi/10, mpf("9.81")
rR, mR, IRxx, IRyy = mpf("0.3"), mpf(2), mpf("0.0603"), mpf("0.12")
xB, zB, mB = mpf("0.3"), mpf("-0.9"), mpf(85)
IBxx, IBzz, IBxz = mpf("9.2"), mpf("2.8"), mpf("2.4")
xH, zH, mH = mpf("0.9"), mpf("-0.7"), mpf(4)
IHxx, IHzz, IHxz = mpf("0.05892"), mpf("0.00708"), mpf("-0.00756")
rF, mF, IFxx, IFyy = mpf("0.35"), mpf(3), mpf("0.1405"), mpf("0.28")

mT = mR + mB + mH + mF
xT = (xB*mB + xH*mH + w*mF)/mT
zT = (-rR*mR + zB*mB + zH*mH - rF*mF)/mT
ITxx = IRxx + IBxx + IHxx + IFxx + mR*rR**2 + mB*zB**2 + mH*zH**2 + mF*rF**2
ITxz = IBxz + IHxz - mB*xB*zB - mH*xH*zH + mF*w*rF
ITzz = IRxx + IBzz + IHzz + IFxx + mB*xB**2 + mH*xH**2 + mF*w**2
mA = mH + mF
xA, zA = (xH*mH + w*mF)/mA, (zH*mH - rF*mF)/mA
IAxx = IHxx + IFxx + mH*(zH - zA)**2 + mF*(rF + zA)**2
IAxz = IHxz - mH*(xH - xA)*(zH - zA) + mF*(w - xA)*(rF + zA)
IAzz = IHzz + IFxx + mH*(xH - xA)**2 + mF*(w - xA)**2
uA = (xA - w - c)*cos(lam) - zA*sin(lam)
IAll = mA*uA**2 + IAxx*sin(lam)**2 + 2*IAxz*sin(lam)*cos(lam) + IAzz*cos(lam)**2
IAlx = -mA*uA*zA + IAxx*sin(lam) + IAxz*cos(lam)
IAlz = mA*uA*xA + IAxz*sin(lam) + IAzz*cos(lam)
mu = c/w*cos(lam)
SR, SF = IRyy/rR, IFyy/rF
ST = SR + SF
SA = mA*uA + mu*mT*xT
M = matrix([[ITxx, IAlx + mu*ITxz], [IAlx + mu*ITxz, IAll + 2*mu*IAlz + mu**2*ITzz]])
K0 = matrix([[mT*zT, -SA], [-SA, -SA*sin(lam)]])
K2 = matrix([[0, (ST - mT*zT)/w*cos(lam)], [0, (SA + SF*sin(lam))/w*cos(lam)]])
C1 = matrix([[0, mu*ST + SF*cos(lam) + ITxz/w*cos(lam) - mu*mT*zT],
             [-(mu*ST + SF*cos(lam)), IAlz/w*cos(lam) + mu*(SA + ITzz/w*cos(lam))]])

PRINTED = [(M, "80.81722 2.31941332208709 2.31941332208709 0.29784188199686"),
           (K0, "-80.95 -2.59951685249872 -2.59951685249872 -0.80329488458618"),
           (K2, "0 76.59734589573222 0 2.65431523794604"),
           (C1, "0 33.86641391492494 -0.85035641456978 1.68540397397560")]
for ours, printed in PRINTED:
    for value, text in zip(ours, printed.split()):
        assert abs(value - mpf(text)) < mpf("6e-15")*max(1, abs(value)), (value, text)


def eigenvalues(v):
    """Roots of det(M s^2 + v C1 s + g K0 + v^2 K2)."""
    entry = [[(M[i, k], v*C1[i, k], g*K0[i, k] + v*v*K2[i, k]) for k in range(2)] for i in range(2)]

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
