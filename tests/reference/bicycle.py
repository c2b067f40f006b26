# SPDX-License-Identifier: Apache-2.0
"""The linearized bicycle M q'' + v C1 q' + (g K0 + v^2 K2) q = 0, q = (lean, steer), by the formulas of appendix A of
J.P. Meijaard, J.M. Papadopoulos, A. Ruina, A.L. Schwab, "Linearized dynamics equations for the balance and steer of a
bicycle: a benchmark and review", Proc. R. Soc. A 463 (2007) 1955-1982, for the parameters of its Table 1."""
import math


def matrices(w="1.02", c="0.08", number=float, pi=math.pi, sin=math.sin, cos=math.cos):
    """M, C1, K0, K2 as lists of rows, with wheelbase w and trail c, in numbers of the given kind."""
    def table(text):
        return map(number, text.split())
    w, c, lam = number(w), number(c), pi/10
    rR, mR, IRxx, IRyy = table("0.3 2 0.0603 0.12")
    xB, zB, mB, IBxx, IBzz, IBxz = table("0.3 -0.9 85 9.2 2.8 2.4")
    xH, zH, mH, IHxx, IHzz, IHxz = table("0.9 -0.7 4 0.05892 0.00708 -0.00756")
    rF, mF, IFxx, IFyy = table("0.35 3 0.1405 0.28")

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
    M = [[ITxx, IAlx + mu*ITxz], [IAlx + mu*ITxz, IAll + 2*mu*IAlz + mu**2*ITzz]]
    K0 = [[mT*zT, -SA], [-SA, -SA*sin(lam)]]
    K2 = [[0, (ST - mT*zT)/w*cos(lam)], [0, (SA + SF*sin(lam))/w*cos(lam)]]
    C1 = [[0, mu*ST + SF*cos(lam) + ITxz/w*cos(lam) - mu*mT*zT],
          [-(mu*ST + SF*cos(lam)), IAlz/w*cos(lam) + mu*(SA + ITzz/w*cos(lam))]]
    return M, C1, K0, K2
