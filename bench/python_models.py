# SPDX-License-Identifier: Apache-2.0
"""Mechanical systems as a user of SymPy writes them, and as a user of Pfaff does, for bench/python_pydy.py.

Each function returns a Case. Speeds are chosen as for Kane's method: components along turning axes, dependent ones
where constraints can always be solved for them.
"""
from dataclasses import dataclass, field

import sympy as sp
from sympy.physics import mechanics as me
from sympy.physics.mechanics.models import n_link_pendulum_on_cart


@dataclass
class Case:
    kane: object        # KanesMethod with its equations formed
    constants: dict     # symbol: name of the parameter in our model
    coordinates: dict   # symbol: (name of our coordinate, what our number is more)
    speeds: dict = field(default_factory=dict)  # symbol: formula in coordinates and their rates


def rates(coordinates):
    return [q.diff(me.dynamicsymbols._t) for q in coordinates]


# ---------------------------------------------------------------- snakeboard


def snakeboard():
    x, y, theta, psi, rear, front = q = me.dynamicsymbols("x y theta psi phi_b phi_f")
    along, across, turn, w, w_rear, w_front = u = me.dynamicsymbols("u1:7")
    m, J, Jr, Jw, L, F, kr, kw = constants = sp.symbols("m J Jr Jw L F kr kw")
    N, board = me.ReferenceFrame("N"), me.ReferenceFrame("board")
    board.orient(N, "Axis", [theta, N.z])
    board.set_ang_vel(N, turn*N.z)
    centre = me.Point("C")
    centre.set_vel(N, along*board.x + across*board.y)
    bodies = [me.RigidBody("hull", centre, board, m, (me.inertia(board, 0, 0, J), centre))]
    loads = [(centre, F*board.x)]
    for name, angle, speed, inertia, stiffness in (("rotor", psi, w, Jr, kr), ("rear", rear, w_rear, Jw, kw),
                                                   ("front", front, w_front, Jw, kw)):
        frame = me.ReferenceFrame(name)
        frame.orient(board, "Axis", [angle, board.z])
        frame.set_ang_vel(board, speed*board.z)
        bodies.append(me.RigidBody(name, centre, frame, 0, (me.inertia(frame, 0, 0, inertia), centre)))
        loads += [(frame, -stiffness*angle*board.z), (board, stiffness*angle*board.z)]
    no_slip = [-sp.sin(rear)*along + sp.cos(rear)*(across - L*turn),
               -sp.sin(front)*along + sp.cos(front)*(across + L*turn)]
    xd, yd, *angle_rates = rates(q)
    meaning = [xd*sp.cos(theta) + yd*sp.sin(theta), yd*sp.cos(theta) - xd*sp.sin(theta), *angle_rates]
    kane = me.KanesMethod(N, q, [along, w, w_rear, w_front], kd_eqs=[a - b for a, b in zip(meaning, u)],
                          u_dependent=[across, turn], velocity_constraints=no_slip)
    kane.kanes_equations(bodies, loads)
    return Case(kane, {c: c.name for c in constants}, {c: (c.func.__name__, 0) for c in q}, dict(zip(u, meaning)))


# ---------------------------------------------------------------- pendulum


def pendulum(n):
    """SymPy's own; its angles begin a right angle later than ours."""
    kane = n_link_pendulum_on_cart(n, cart_force=False, joint_torques=False)
    masses, lengths = sp.symbols(f"m0:{n + 1}"), sp.symbols(f"l0:{n}")
    constants = {sp.Symbol("g"): "g", masses[0]: "m0"}
    constants.update({masses[i]: f"m[{i}]" for i in range(1, n + 1)})
    constants.update({lengths[i - 1]: f"l[{i}]" for i in range(1, n + 1)})
    coordinates = {kane.q[0]: ("x", 0)}
    coordinates.update({kane.q[i]: (f"q[{i}]", sp.pi.evalf()/2) for i in range(1, n + 1)})
    return Case(kane, constants, coordinates, dict(zip(kane.u, rates(kane.q))))


def pendulum_text(n):
    lines = [f"model pendulum{n}", "param g = 9.81 [m/s^2], m0 = 2 [kg]"]
    lines += [f"param m[{n}] = 1 [kg], l[{n}] = 0.5 [m]"]
    lines += ["coord x [m]", f"coord q[{n}] [rad]", "kinetic m0/2*x'^2", f"for i in 1..{n} {{",
              "  let px = x + sum(j in 1..i, l[j]*cos(q[j]))", "  let py = sum(j in 1..i, l[j]*sin(q[j]))",
              "  kinetic m[i]/2*(px'^2 + py'^2)", "  potential m[i]*g*py", "}"]
    lines += [f"start q[{i}] = -pi/2 + {0.02*i:.2f}" for i in range(1, n + 1)]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- bicycle

BICYCLE = "g w c lam rR mR IRxx IRyy xB hB mB IBxx IByy IBzz IBxz xH hH mH IHxx IHyy IHzz IHxz rF mF IFxx IFyy"


class Bicycle:
    """The Whipple bicycle with the names of examples/wheels/bicycle.pf. The place of the rear contact is left out,
    since nothing depends on it; ours has it, and the height of the rear wheel."""

    def __init__(self):
        self.N = me.ReferenceFrame("N")
        self.q = me.dynamicsymbols("psi phi theta delta spin_r spin_f")
        self.u = me.dynamicsymbols("u1:7")  # of the rear frame along its own axes, then of steering and wheels
        self.constants = sp.symbols(BICYCLE)
        self.k = dict(zip(BICYCLE.split(), self.constants))
        self.turn()
        self.place()

    def turn(self):
        psi, phi, theta, delta, spin_r, spin_f = self.q
        u1, u2, u3, steering, rolling_r, rolling_f = self.u
        yawed = self.N.orientnew("yawed", "Axis", [psi, self.N.z])
        self.leant = yawed.orientnew("leant", "Axis", [phi, yawed.x])
        self.rear = rear = self.leant.orientnew("rear", "Axis", [theta, self.leant.y])
        turning = rear.ang_vel_in(self.N)
        self.meaning = [turning.dot(axis) for axis in (rear.x, rear.y, rear.z)] + rates([delta, spin_r, spin_f])
        tilted = rear.orientnew("tilted", "Axis", [-self.k["lam"], rear.y])
        steered = tilted.orientnew("steered", "Axis", [delta, tilted.z])
        self.front = steered.orientnew("front", "Axis", [self.k["lam"], steered.y])
        self.wheel_r = rear.orientnew("wheel_r", "Axis", [spin_r, rear.y])
        self.wheel_f = self.front.orientnew("wheel_f", "Axis", [spin_f, self.front.y])
        rear.set_ang_vel(self.N, u1*rear.x + u2*rear.y + u3*rear.z)
        for frame, base, rate in ((self.wheel_r, rear, rolling_r*rear.y), (self.front, rear, steering*tilted.z),
                                  (self.wheel_f, self.front, rolling_f*self.front.y)):
            frame.set_ang_vel(base, rate)
            frame.set_ang_vel(self.N, base.ang_vel_in(self.N) + rate)

    def place(self):
        """Points from the rear contact on, with the velocities that rolling gives."""
        k, rear, front = self.k, self.rear, self.front
        self.contact_r = me.Point("contact_r")
        self.hub_r = self.contact_r.locatenew("hub_r", k["rR"]*self.leant.z)
        self.hub_r.set_vel(self.N, self.wheel_r.ang_vel_in(self.N).cross(k["rR"]*self.leant.z.express(rear)))
        self.com_rear = self.hub_r.locatenew("com_rear", k["xB"]*rear.x + (k["hB"] - k["rR"])*rear.z)
        self.com_rear.v2pt_theory(self.hub_r, self.N, rear)
        hinge = self.hub_r.locatenew("hinge", (k["w"] + k["c"])*rear.x - k["rR"]*rear.z)
        hinge.v2pt_theory(self.hub_r, self.N, rear)
        self.com_front = hinge.locatenew("com_front", (k["xH"] - k["w"] - k["c"])*front.x + k["hH"]*front.z)
        self.com_front.v2pt_theory(hinge, self.N, front)
        self.hub_f = hinge.locatenew("hub_f", -k["c"]*front.x + k["rF"]*front.z)
        self.hub_f.v2pt_theory(hinge, self.N, front)
        up = self.N.z - self.N.z.dot(front.y)*front.y
        self.contact_f = self.hub_f.locatenew("contact_f", -k["rF"]*up.express(front).normalize())
        self.contact_f.v2pt_theory(self.hub_f, self.N, self.wheel_f)

    def bodies(self):
        k, rear, front = self.k, self.rear, self.front
        parts = (("rear", self.com_rear, rear, rear, k["mB"], (k["IBxx"], k["IByy"], k["IBzz"], 0, 0, k["IBxz"])),
                 ("wheel_r", self.hub_r, self.wheel_r, rear, k["mR"], (k["IRxx"], k["IRyy"], k["IRxx"])),
                 ("front", self.com_front, front, front, k["mH"], (k["IHxx"], k["IHyy"], k["IHzz"], 0, 0, k["IHxz"])),
                 ("wheel_f", self.hub_f, self.wheel_f, front, k["mF"], (k["IFxx"], k["IFyy"], k["IFxx"])))
        return [me.RigidBody(name, point, frame, mass, (me.inertia(axes, *moments), point))
                for name, point, frame, axes, mass, moments in parts]


def bicycle():
    """SymPy eliminates without looking for pivots: speeds and equations are in an order that has them when upright."""
    b = Bicycle()
    bodies = b.bodies()
    psi, phi, theta, delta, spin_r, spin_f = b.q
    u1, u2, u3, steering, rolling_r, rolling_f = b.u
    speeds = dict(zip(b.u, b.meaning))
    velocity = b.contact_f.vel(b.N)
    kane = me.KanesMethod(
        b.N, [psi, phi, delta, spin_r, spin_f], [u1, steering, rolling_r],
        kd_eqs=[speeds[u] - u for u in (u3, u1, steering, rolling_r, rolling_f, u2)],
        q_dependent=[theta], configuration_constraints=[b.contact_f.pos_from(b.contact_r).dot(b.N.z)],
        u_dependent=[rolling_f, u3, u2],
        velocity_constraints=[velocity.dot(axis) for axis in (b.front.x, b.front.y, b.front.z)])
    kane.kanes_equations(bodies, [(body.masscenter, -body.mass*b.k["g"]*b.N.z) for body in bodies])
    return Case(kane, {c: c.name for c in b.constants}, {c: (c.func.__name__, 0) for c in b.q}, speeds)
