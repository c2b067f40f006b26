/* SPDX-License-Identifier: Apache-2.0 */
/* A module of Python that needs NumPy. */
#include "export/script.h"
#include "out/out.h"

#include <string.h>

static const PfScript numpy = {.dialect = PF_CODE_PYTHON, .math = "f_", .parameter = "p.", .input = "u.",
                               .brackets = "[]"};

static const char functions[] =
"import numpy as np\n"
"\n"
"f_sqrt, f_pow, f_sin, f_cos, f_tan, f_exp, f_log = np.sqrt, np.power, np.sin, np.cos, np.tan, np.exp, np.log\n"
"f_asin, f_acos, f_atan, f_atan2 = np.arcsin, np.arccos, np.arctan, np.arctan2\n"
"f_sinh, f_cosh, f_tanh, f_fabs, f_sign = np.sinh, np.cosh, np.tanh, np.fabs, np.sign\n"
"f_nan, f_inf = np.nan, np.inf\n"
"\n"
"\n"
"def f_min(a, b): return np.where(a < b, a, b)\n"
"def f_max(a, b): return np.where(a < b, b, a)\n"
"def f_less(a, b): return np.where(a < b, 1.0, 0.0)\n"
"def f_less_equal(a, b): return np.where(a <= b, 1.0, 0.0)\n"
"def f_equal(a, b): return np.where(a == b, 1.0, 0.0)\n"
"def f_and(a, b): return np.where((a != 0) & (b != 0), 1.0, 0.0)\n"
"def f_or(a, b): return np.where((a != 0) | (b != 0), 1.0, 0.0)\n"
"def f_not(a): return np.where(a == 0, 1.0, 0.0)\n"
"def f_if(c, a, b): return np.where(c != 0, a, b)\n"
"\n"
"\n"
"class Singular(ArithmeticError):\n"
"    \"\"\"The accelerations are not determined, or an iteration does not end.\"\"\"\n"
"\n"
"\n"
"class _Numbers:\n"
"    def __init__(self, **changes):\n"
"        for name, value in (*self._defaults, *changes.items()): setattr(self, name, value)\n"
"\n"
"    def __setattr__(self, name, value):\n"
"        if name not in dict(self._defaults): raise AttributeError(f\"there is no {name!r}\")\n"
"        object.__setattr__(self, name, value)\n"
"\n"
"    @classmethod\n"
"    def of(cls, values):\n"
"        \"\"\"From a list, in the order of their names.\"\"\"\n"
"        return cls(**dict(zip((name for name, _ in cls._defaults), values)))\n"
"\n"
"    def __repr__(self): return f\"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n, _ in "
"self._defaults)})\"\n"
"\n"
"\n"
"def _shape(t, q, v): return np.broadcast_shapes(np.shape(t), np.shape(q)[1:], np.shape(v)[1:])\n"
"\n"
"\n"
"def _states(function):\n"
"    \"\"\"A function of one state for arrays of them: the state is the first axis, the others go along.\"\"\"\n"
"    def of_all(p, t, q, v, u, *more, **named):\n"
"        shape = _shape(t, q, v)\n"
"        if not shape: return function(p, t, np.asarray(q, float), np.asarray(v, float), u, *more, **named)\n"
"        t = np.broadcast_to(t, shape)\n"
"        q, v = (np.broadcast_to(z, (N,) + shape) for z in (q, v))\n"
"        def at(z, k): return np.asarray(z)[(slice(None),) + k] if np.shape(z)[1:] == shape else z\n"
"        each = [function(p, t[k], at(q, k), at(v, k), u, *(at(z, k) for z in more), **named) for k in "
"np.ndindex(shape)]\n"
"        single = not isinstance(each[0], tuple)\n"
"        parts = [each] if single else zip(*each)\n"
"        found = tuple(np.moveaxis(np.array(part).reshape(shape + np.shape(part[0])), range(len(shape)), "
"range(-len(shape), 0))\n"
"                      for part in parts)\n"
"        return found[0] if single else found\n"
"    of_all.__doc__ = function.__doc__\n"
"    return of_all\n"
"\n"
"\n";

static const char solver[] =
"class _Factors:\n"
"    \"\"\"M a = F + A^T lam, A a = b, along the null space of A; redundant rows have the shortest lam.\"\"\"\n"
"    def __init__(self, M, A, rows=slice(None)):\n"
"        if not (np.isfinite(M).all() and np.isfinite(A).all()): raise Singular(\"a number is not finite\")\n"
"        self.M, self.A = M, A\n"
"        self.unit = np.ones(len(A))\n"
"        if len(A):\n"
"            largest = np.maximum(np.abs(A).max(axis=1), USUAL[rows])\n"
"            self.unit = np.where(largest > 0, np.exp2(np.ceil(np.log2(np.where(largest > 0, largest, 1)))), 1)\n"
"            U, s, Vt = np.linalg.svd(A/self.unit[:, None])\n"
"            self.rank = int((s > LEAST*max(1, s.max(initial=0))).sum())\n"
"            self.U, self.s, self.V = U[:, :self.rank], s[:self.rank], Vt[:self.rank].T\n"
"            self.N = Vt[self.rank:].T\n"
"        else:\n"
"            self.rank, self.U, self.s, self.V = 0, np.zeros((0, 0)), np.zeros(0), np.zeros((len(M), 0))\n"
"            self.N = np.eye(len(M))\n"
"        self.G = self.N.T@M@self.N\n"
"        size = np.sqrt(np.abs(np.diag(self.G)))\n"
"        if len(size):\n"
"            if not size.min() > 0: raise Singular(\"constraints and inertia leave an acceleration open\")\n"
"            scaled = self.G/np.outer(size, size)\n"
"            if not np.linalg.eigvalsh(scaled).min() > 1e-13:\n"
"                raise Singular(\"constraints and inertia leave an acceleration open\")\n"
"\n"
"    def solve(self, F, b):\n"
"        b = (b.T/self.unit).T\n"
"        a = self.V@((self.U.T@b).T/self.s).T\n"
"        if self.N.shape[1]: a = a + self.N@np.linalg.solve(self.G, self.N.T@(F - self.M@a))\n"
"        w = self.M@a - F\n"
"        lam = ((self.U@((self.V.T@w).T/self.s).T).T/self.unit).T\n"
"        if self.rank < len(self.unit): lam = np.linalg.lstsq(self.A.T, w, rcond=1e-2*LEAST)[0]\n"
"        return a, lam\n"
"\n"
"\n";

static const char friction_solver[] =
"def _feedback(f, C_lambda): return np.eye(M_COUNT) - f.solve(C_lambda, np.zeros((M_COUNT, M_COUNT)))[1]\n"
"\n"
"\n"
"def _rub(p, t, q, v, u, f, F, b):\n"
"    \"\"\"Newton's method for forces that depend on multipliers.\"\"\"\n"
"    lam, last = np.zeros(M_COUNT), False\n"
"    for _ in range(60):\n"
"        C, C_lambda = friction(p, t, q, v, u, lam)\n"
"        a, found = f.solve(F + C, b)\n"
"        if last: return a, found\n"
"        step = found - lam\n"
"        scale = np.abs(found).max() + np.abs(F + C).max()/(1e-300 + np.abs(f.A).max())\n"
"        last = np.abs(step).max() <= 1e-12*scale\n"
"        try: lam = lam + np.linalg.solve(_feedback(f, C_lambda), step)\n"
"        except np.linalg.LinAlgError: lam = found\n"
"    raise Singular(\"forces by multipliers were not found\")\n"
"\n"
"\n";

static const char by_elimination[] =
"def accelerate(p, t, q, v, u):\n"
"    \"\"\"Accelerations (N) and multipliers; states may have further axes.\"\"\"\n"
"    try: a, lam, pivot = flow(p, t, q, v, u)\n"
"    except ZeroDivisionError: raise Singular(\"a pivot vanishes\") from None\n"
"    least = np.array([1e-12]*MASS_PAIRS + [1e-4]*(len(pivot) - MASS_PAIRS))\n"
"    if not (pivot[:, 0] > (least*pivot[:, 1].T).T).all(): raise Singular(\"a pivot vanishes\")\n"
"    if not (np.isfinite(a).all() and np.isfinite(lam).all()): raise Singular(\"a number is not finite\")\n"
"    return a, lam\n"
"\n"
"\n";

static const char by_matrices[] =
"@_states\n"
"def accelerate(p, t, q, v, u):\n"
"    \"\"\"Accelerations (N) and multipliers; states may have further axes.\"\"\"\n"
"    M, F, A, b = matrices(p, t, q, v, u)\n";

static const char motion[] =
"@_states\n"
"def project(p, t, q, v, u):\n"
"    \"\"\"q and v moved onto the constraints, by the smallest changes in the metric of M.\"\"\"\n"
"    q, v = np.array(q, float), np.array(v, float)\n"
"    for z, rows, level in ((q, POSITION_ROWS, 0), (v, VELOCITY_ROWS, 1)):\n"
"        before, most, enough = np.inf, 0.0, 1e-9\n"
"        for _ in range(40 if rows else 0):\n"
"            miss = violations(p, t, q, v, u)[level][rows]\n"
"            most = np.abs(miss).max()\n"
"            if most <= 1e-14 or before/2 <= most <= enough or most > 2*before: break\n"
"            before = most\n"
"            M, _, A, _ = matrices(p, t, q, v, u)\n"
"            try: f = _Factors(M, A[rows], rows)\n"
"            except Singular: f = _Factors(M + (1e-10*np.diag(M).max() or 1)*np.eye(N), A[rows], rows)  # no mass\n"
"            enough = max(enough, 1e-13*(np.abs(A[rows])@np.abs(z)).max())  # no more digits in terms as large\n"
"            z += f.solve(np.zeros(N), -miss)[0]\n"
"        if not most <= enough: raise Singular(\"no state on the constraints was found\")\n"
"    return q, v\n"
"\n"
"\n"
"def step(p, t, q, v, u, h):\n"
"    \"\"\"One step of the method of Runge and Kutta of order 4 with the inputs held; gives t, q, v.\"\"\"\n"
"    q, v = np.asarray(q, float), np.asarray(v, float)\n"
"    k1, _ = accelerate(p, t, q, v, u)\n"
"    v2 = v + h/2*k1\n"
"    k2, _ = accelerate(p, t + h/2, q + h/2*v, v2, u)\n"
"    v3 = v + h/2*k2\n"
"    k3, _ = accelerate(p, t + h/2, q + h/2*v2, v3, u)\n"
"    v4 = v + h*k3\n"
"    k4, _ = accelerate(p, t + h, q + h*v3, v4, u)\n"
"    q, v = q + h/6*(v + 2*v2 + 2*v3 + v4), v + h/6*(k1 + 2*k2 + 2*k3 + k4)\n"
"    return (t + h, *project(p, t + h, q, v, u))\n"
"\n"
"\n";

static const char responding[] =
"def _respond(p, t, q, v, u, lam, D):\n"
"    \"\"\"What accelerations and multipliers do when the residuals have the slopes D.\"\"\"\n"
"    M, _, A, _ = matrices(p, t, q, v, u)\n"
"    f, right, b = _Factors(M, A), -D[:N], -D[N:]\n"
"    da, dlam = f.solve(right, b)\n";

static const char derived[] =
"    return np.vstack((da, dlam))\n"
"\n"
"\n"
"@_states\n"
"def derivatives(p, t, q, v, u, a=None, lam=None):\n"
"    \"\"\"Exact derivatives of accelerations and multipliers by q, v, inputs, parameters, time: (N + M) x "
"COLUMNS.\"\"\"\n"
"    if a is None or lam is None: a, lam = accelerate(p, t, q, v, u)\n"
"    return _respond(p, t, q, v, u, lam, slopes(p, t, q, v, u, a, lam)[0])\n"
"\n"
"\n";

static const char linear[] =
"@_states\n"
"def linear(p, t, q, v, u):\n"
"    \"\"\"A, B, C, D of the full state (q, v), as deviations; motions off the constraints are among its modes.\"\"\"\n"
"    a, lam = accelerate(p, t, q, v, u)\n"
"    D, (Y,) = derivatives(p, t, q, v, u, a, lam), output_slopes(p, t, q, v, u, a, lam)\n"
"    A = np.vstack((np.hstack((np.zeros((N, N)), np.eye(N))), D[:N, :2*N]))\n"
"    B = np.vstack((np.zeros((N, BY_P - BY_U)), D[:N, BY_U:BY_P]))\n"
"    all = Y[:, :BY_P] + Y[:, BY_P:]@D[:, :BY_P]\n"
"    return A, B, all[:, :2*N], all[:, 2*N:]\n"
"\n"
"\n";

static const char actuate[] =
"@_states\n"
"def actuate(p, t, q, v, u, a):\n"
"    \"\"\"Inverse dynamics by the inputs: from u on, by the shortest changes, the list of them (see Input.of) for "
"the\n"
"    accelerations a, as far as they can be made so, and the length of what is left of them.\"\"\"\n"
"    at = np.array([getattr(u, name) for name, _ in Input._defaults], float)\n"
"    before, change, halved = np.inf, 0.0, 0\n"
"    for _ in range(30):\n"
"        u = Input.of(at)\n"
"        now, lam = accelerate(p, t, q, v, u)\n"
"        r = np.asarray(a, float) - now\n"
"        missed = np.linalg.norm(r)\n"
"        if missed <= 1e-13*(1 + np.linalg.norm(a)): break\n"
"        if not missed < 0.999*before:  # too far: half of the step, or none\n"
"            halved += 1\n"
"            if halved > 8: return at - change, before\n"
"            change = change/2\n"
"            at = at - change\n"
"            continue\n"
"        before, halved = missed, 0\n"
"        R = _respond(p, t, q, v, u, lam, input_slopes(p, t, q, v, u, now, lam)[0])[:N]\n"
"        change = np.linalg.lstsq(R, r, rcond=1e-10)[0]\n"
"        if not np.linalg.norm(R@change) > 1e-3*missed: break  # the rest is for no input to give\n"
"        at = at + change\n"
"    return at, missed\n"
"\n"
"\n";

static const char jacobian[] =
"@_states\n"
"def jacobian(p, t, q, v, u, frame, point=(0, 0, 0)):\n"
"    \"\"\"J (6 x N) of a point fixed in a frame, given in its axes: rows of its velocity, rows of the angular "
"velocity.\"\"\"\n"
"    if isinstance(frame, str): frame = FRAMES.index(frame)\n"
"    J, R = JACOBIANS[frame](p, t, q, v, u)\n"
"    x, y, z = R@np.asarray(point, float)\n"
"    J[:3] += np.array(((0, z, -y), (-z, 0, x), (y, -x, 0)))@J[3:]\n"
"    return J\n"
"\n"
"\n";

static const char test[] =
"    p = Params()\n"
"    for t, q, v, inputs, a, lam, e, y in _EXPECTED:\n"
"        u = Input.of(inputs)\n"
"        q, v = np.array(q), np.array(v)\n"
"        got = accelerate(p, t, q, v, u)\n"
"        lists = [(got[0], a), (got[1], lam), (energies(p, t, q, v, u)[0], e), (outputs(p, t, q, v, u, *got)[0], y)]\n"
"        for have, want in lists:\n"
"            if len(want): worst = max(worst, np.abs(have - np.array(want)).max()/max(1, np.abs(want).max()))\n"
"        many = accelerate(p, t, np.stack([q, q], 1), np.stack([v, v], 1), u)[0]\n"
"        if not np.allclose(many.T, got[0], rtol=1e-12, atol=1e-12): worst = np.inf\n"
"        derivatives(p, t, q, v, u)\n"
"        linear(p, t, q, v, u)\n"
"        step(p, t, q, v, u, 1e-4)\n"
"        if INPUTS and not actuate(p, t, q, v, Input.of(0.9*np.array(inputs) + 0.1), got[0])[1] < "
"1e-6*(1 + np.abs(got[0]).max()): worst = np.inf\n";

/* ---------------------------------------------------------------- functions */

static void put_shape(PfText *text, const PfExportGroup *g)
{
  if (g->vector) pf_text_print(text, "(%d,)", g->rows);
  else pf_text_print(text, "(%d, %d)", g->rows, g->columns);
}

static void put_results(PfText *text, const PfExportFunction *f)
{
  pf_text_add(text, "    return (");
  for (int i = 0; i < f->group_count; i++) pf_text_print(text, "%s,%s", pf_script_group(f->groups + i),
                                                         i + 1 < f->group_count ? " " : "");
  pf_text_add(text, ")\n\n\n");
}

static PfStatus put_function(const PfExport *x, const PfExportFunction *f, const char *about, PfText *text)
{
  int kind = (int)(f - x->functions);
  bool may;
  PF_TRY(pf_may_switch(x->ctx, x->arena, f->roots, f->count, &may));
  if (may) pf_text_add(text, "@np.errstate(all=\"ignore\")  # of the cases that do not count\n");
  pf_text_print(text, "def %s", f->name);
  if (kind >= PF_EXPORT_JACOBIANS) pf_text_print(text, "_of_%d", kind - PF_EXPORT_JACOBIANS);
  pf_text_print(text, "(p, t, q, v, u%s%s):\n", f->takes & PF_TAKES_ACCELERATIONS ? ", a" : "",
                f->takes & PF_TAKES_MULTIPLIERS ? ", lam" : "");
  if (about) pf_text_print(text, "    \"\"\"%s\"\"\"\n", about);
  pf_text_add(text, "    shape = _shape(t, q, v)\n");
  for (int i = 0; i < f->group_count; i++) {
    pf_text_print(text, "    %s = np.zeros(", pf_script_group(f->groups + i));
    put_shape(text, f->groups + i);
    pf_text_add(text, " + shape)\n");
  }
  PF_TRY(pf_script_put(x, &numpy, f, text));
  put_results(text, f);
  return PF_OK;
}

const char *pf_script_about(int kind)
{
  switch (kind) {
  case PF_EXPORT_MATRICES: return "M, F, A, b of M a = F + A^T lam, A a = b.";
  case PF_EXPORT_FRICTION: return "Forces that depend on multipliers, and their derivatives by these.";
  case PF_EXPORT_CONSTRAINTS: return "What must vanish, of positions and of velocities.";
  case PF_EXPORT_ENERGY: return "Kinetic and potential energy.";
  case PF_EXPORT_POSES: return "Positions and rotation matrices (by rows) of FRAMES.";
  case PF_EXPORT_CONTACTS: return "Where CONTACTS touch, and the forces there on the bodies.";
  case PF_EXPORT_OUTPUTS: return "What the model plots: OUTPUTS.";
  case PF_EXPORT_SURFACES: return "What changes its sign where forces switch.";
  case PF_EXPORT_RESIDUAL: return "Inverse dynamics: M a - F - A^T lam, the forces besides those of the model.";
  default: return NULL;
  }
}

static PfStatus put_functions(const PfExport *x, PfText *text)
{
  for (int i = 0; i < x->function_count; i++)
    if (x->functions[i].tape) PF_TRY(put_function(x, x->functions + i, pf_script_about(i), text));
  return PF_OK;
}

/* ---------------------------------------------------------------- names and numbers */

static void put_class(PfText *text, const char *name, const char *about, const PfNamedList *list,
                      const double *values)
{
  pf_text_print(text, "class %s(_Numbers):\n    \"\"\"%s\"\"\"\n    _defaults = (", name, about);
  for (int i = 0; i < list->count; i++) {
    pf_text_print(text, "\n        (\"%s\", ", list->at[i].id);
    pf_script_put_numbers(text, values + i, 1);
    pf_text_add(text, "),");
    bool other = strcmp(list->at[i].id, list->at[i].name) != 0;
    if (!other && !list->at[i].measure.unit[0]) continue;
    pf_text_add(text, "  # ");
    if (other) pf_put_comment(text, list->at[i].name);
    if (list->at[i].measure.unit[0]) {
      pf_text_add(text, other ? " [" : "[");
      pf_put_comment(text, list->at[i].measure.unit);
      pf_text_add(text, list->at[i].measure.scale != 1 ? "] in the model, here SI" : "]");
    }
  }
  pf_text_add(text, list->count ? "\n    )\n\n\n" : ")\n\n\n");
}

void pf_python_put_lists(const PfExport *x, PfText *text)
{
  const struct {
    const char *name;
    const PfNamedList *list;
  } lists[] = {{"COORDINATES", &x->coordinates}, {"PARAMETERS", &x->parameters}, {"INPUTS", &x->inputs},
               {"OUTPUTS", &x->outputs}, {"CONSTRAINTS", &x->constraints}, {"FRAMES", &x->frames},
               {"CONTACTS", &x->contacts}};
  pf_text_print(text, "N, M_COUNT, MASS_PAIRS = %d, %d, %d  # coordinates, constraints, pivots of M\n", x->n, x->m,
                x->mass_pairs);
  for (size_t i = 0; i < sizeof lists/sizeof *lists; i++) {
    pf_text_print(text, "%s = [", lists[i].name);
    pf_script_put_names(text, lists[i].list, pf_put_quoted);
    pf_text_add(text, "]\n");
  }
  pf_text_add(text, "# columns of derivatives\nBY_Q, BY_V, BY_U, BY_P, BY_T, COLUMNS = ");
  pf_text_print(text, "0, %d, %d, %d, %d, %d\n", x->n, 2*x->n, 2*x->n + x->inputs.count, pf_export_columns(x) - 1,
                pf_export_columns(x));
}

static void put_rows(PfText *text, const char *name, const int *row, int count)
{
  pf_text_print(text, "%s = [", name);
  for (int i = 0; i < count; i++) pf_text_print(text, "%s%d", i ? ", " : "", row[i]);
  pf_text_add(text, "]\n");
}

/* Rows that follow from others do so on the constraints only (c_solver.c). */
static void put_judgement(const PfExport *x, PfText *text)
{
  pf_text_print(text, "# sizes of the rows of A along the motion; rows of which no more is left follow from others\n"
                      "LEAST = %s\nUSUAL = np.array([", x->redundant ? "1e-3" : "1e-7");
  pf_script_put_usual(x, text);
  pf_text_add(text, "])\n");
}

static void put_start(const PfExport *x, PfText *text)
{
  pf_text_add(text, "# a start that satisfies the constraints\nSTART_TIME = ");
  pf_script_put_numbers(text, x->start + x->at_time, 1);
  pf_text_add(text, "\nSTART_Q = np.array([");
  pf_script_put_numbers(text, x->start + x->at_q, x->n);
  pf_text_add(text, "])\nSTART_V = np.array([");
  pf_script_put_numbers(text, x->start + x->at_v, x->n);
  pf_text_add(text, "])\n\n\n");
}

void pf_python_put_expected(const PfExport *x, const PfReference *r, PfText *text)
{
  pf_text_add(text, "# t, q, v, inputs, accelerations, multipliers, energies, outputs\n_EXPECTED = [\n");
  for (int k = 0; k < r->count; k++) {
    PfNumbers lists[PF_SCRIPT_LISTS];
    pf_script_lists(x, r, k, lists);
    pf_text_add(text, "    (");
    pf_script_put_numbers(text, lists[0].values, 1);
    for (int i = 1; i < PF_SCRIPT_LISTS; i++) {
      pf_text_add(text, ",\n     [");
      pf_script_put_numbers(text, lists[i].values, lists[i].count);
      pf_text_add(text, "]");
    }
    pf_text_add(text, "),\n");
  }
  pf_text_add(text, "]\n\n\n");
}

void pf_python_put_test(PfText *text, const char *body)
{
  pf_text_add(text, "def self_test():\n"
                    "    \"\"\"Compares with numbers that pfaff has computed; the largest difference beside the "
                    "largest number of a list, or 1.\"\"\"\n"
                    "    worst = 0.0\n");
  pf_text_add(text, body);
  pf_text_add(text, "    return worst\n\n\n"
                    "if __name__ == \"__main__\":\n"
                    "    worst = self_test()\n"
                    "    print(f\"{len(_EXPECTED)} states agree with pfaff to {worst:.1e}\")\n"
                    "    raise SystemExit(not worst < 1e-9)\n");
}

/* ---------------------------------------------------------------- the module */

void pf_python_put_title(const PfExport *x, PfText *text, const char *about)
{
  pf_text_add(text, "# ");
  pf_put_comment(text, x->title);
  pf_text_print(text, "\n# Made by pfaff %s%s%s. All numbers are in SI units, angles in radians.\n", pf_version(),
                x->form ? "; accelerations by " : "", x->form ? x->form : "");
  pf_text_print(text, "%s", about);
}

static void put_motion(const PfExport *x, PfText *text)
{
  pf_text_add(text, solver);
  pf_text_add(text, x->friction ? friction_solver : "");
  if (pf_export_function(x, PF_EXPORT_FLOW)) {
    pf_text_add(text, by_elimination);
  } else {
    pf_text_add(text, by_matrices);
    pf_text_add(text, x->friction ? "    return _rub(p, t, q, v, u, _Factors(M, A), F, b)\n\n\n"
                                  : "    return _Factors(M, A).solve(F, b)\n\n\n");
  }
  pf_text_add(text, motion);
  pf_text_add(text, responding);
  if (x->friction)
    pf_text_add(text, "    _, C_lambda = friction(p, t, q, v, u, lam)\n"
                      "    dlam = np.linalg.solve(_feedback(f, C_lambda), dlam)\n"
                      "    da, dlam = f.solve(right + C_lambda@dlam, b)\n");
  pf_text_add(text, derived);
  pf_text_add(text, linear);
  if (x->inputs.count) pf_text_add(text, actuate);
}

static void put_jacobians(const PfExport *x, PfText *text)
{
  if (!x->frames.count) return;
  pf_text_add(text, "JACOBIANS = [");
  for (int i = 0; i < x->frames.count; i++) pf_text_print(text, "%sjacobian_of_%d", i ? ", " : "", i);
  pf_text_add(text, "]\n\n\n");
  pf_text_add(text, jacobian);
}

PfStatus pf_export_python(const PfExport *x, const PfReference *r, PfExportFiles *files)
{
  PfText *text = pf_export_add_file(x, files, x->prefix, ".py");
  pf_python_put_title(x, text, "# p is Params(), u Input(); q and v have the state as their first axis, and any "
                               "others: "
                               "each is a state.\n");
  pf_text_add(text, functions);
  pf_python_put_lists(x, text);
  put_rows(text, "POSITION_ROWS", x->position_row, x->position_count);
  put_rows(text, "VELOCITY_ROWS", x->velocity_row, x->velocity_count);
  put_judgement(x, text);
  put_start(x, text);
  put_class(text, "Params", "Parameters with the values of the model.", &x->parameters, x->start);
  put_class(text, "Input", "Inputs: those of the model that are no functions of time.", &x->inputs,
            x->start + x->at_inputs);
  PF_TRY(put_functions(x, text));
  put_motion(x, text);
  put_jacobians(x, text);
  pf_python_put_expected(x, r, text);
  pf_python_put_test(text, test);
  return pf_export_check_files(x, files);
}
