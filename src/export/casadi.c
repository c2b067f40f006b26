/* SPDX-License-Identifier: Apache-2.0 */
/* A module of Python that builds functions of CasADi. */
#include "export/script.h"

#include <math.h>

static const PfScript casadi = {.dialect = PF_CODE_PYTHON, .math = "f_", .brackets = "[]"};

static const char functions[] =
"import casadi as ca\n"
"\n"
"f_sqrt, f_pow, f_sin, f_cos, f_tan, f_exp, f_log = ca.sqrt, ca.power, ca.sin, ca.cos, ca.tan, ca.exp, ca.log\n"
"f_asin, f_acos, f_atan, f_atan2 = ca.asin, ca.acos, ca.atan, ca.atan2\n"
"f_sinh, f_cosh, f_tanh, f_fabs, f_sign, f_if = ca.sinh, ca.cosh, ca.tanh, ca.fabs, ca.sign, ca.if_else\n"
"f_min, f_max, f_and, f_or, f_not = ca.fmin, ca.fmax, ca.logic_and, ca.logic_or, ca.logic_not\n"
"f_less, f_less_equal, f_equal = ca.lt, ca.le, ca.eq\n"
"f_nan, f_inf = float(\"nan\"), float(\"inf\")\n"
"\n";

static const char symbols[] =
"\n"
"# What everything is a function of: parameters, time, coordinates, velocities, inputs; some also of accelerations\n"
"# and multipliers.\n"
"p, t = ca.SX.sym(\"p\", len(PARAMETERS)), ca.SX.sym(\"t\")\n"
"q, v, u = ca.SX.sym(\"q\", N), ca.SX.sym(\"v\", N), ca.SX.sym(\"u\", len(INPUTS))\n"
"a, lam = ca.SX.sym(\"a\", N), ca.SX.sym(\"lam\", M_COUNT)\n"
"\n"
"\n";

static const char solve[] =
"def _accelerate():\n"
"    \"\"\"Accelerations and multipliers by the whole system, with the constraints ROWS, which are independent; the\n"
"    multipliers of the others are 0.\"\"\"\n"
"    P, T, Q, V, U = (ca.MX.sym(name, size) for name, size in zip(\"ptqvu\", (len(PARAMETERS), 1, N, N, "
"len(INPUTS))))\n"
"    M, F, A, b = ca.Function(\"matrices\", [p, t, q, v, u], list(matrices(p, t, q, v, u)))(P, T, Q, V, U)\n"
"    lam_ = ca.MX.zeros(M_COUNT, 1)\n"
"    if ROWS:\n"
"        A, b = A[ROWS, :], b[ROWS]\n"
"        K = ca.vertcat(ca.horzcat(M, -A.T), ca.horzcat(A, ca.MX(len(ROWS), len(ROWS))))\n"
"        z = ca.solve(K, ca.vertcat(F, b), \"qr\")\n"
"        lam_[ROWS] = z[N:]\n"
"    else:\n"
"        z = ca.solve(M, F, \"qr\")\n"
"    return ca.Function(\"accelerate\", [P, T, Q, V, U], [z[:N], lam_], [\"p\", \"t\", \"q\", \"v\", \"u\"], [\"a\", "
"\"lam\"])\n"
"\n"
"\n"
"accelerate = _accelerate()\n";

static const char eliminate[] =
"_a, _lam, _ = flow(p, t, q, v, u)\n"
"accelerate = ca.Function(\"accelerate\", [p, t, q, v, u], [_a, _lam], [\"p\", \"t\", \"q\", \"v\", \"u\"], [\"a\", "
"\"lam\"])\n";

static const char rub[] =
"def _accelerate():\n"
"    \"\"\"Forces depend on multipliers: by Newton's method; constraints must be independent.\"\"\"\n"
"    M, F, A, b = matrices(p, t, q, v, u)\n"
"    C, _ = friction(p, t, q, v, u, lam)\n"
"    z = ca.vertcat(a, lam)\n"
"    g = ca.vertcat(ca.mtimes(M, a) - F - C - ca.mtimes(A.T, lam), ca.mtimes(A, a) - b)\n"
"    given = ca.vertcat(p, t, q, v, u)\n"
"    root = ca.rootfinder(\"root\", \"newton\", {\"x\": z, \"p\": given, \"g\": g}, {\"abstol\": 1e-12})\n"
"    P, T, Q, V, U = ca.MX.sym(\"p\", len(PARAMETERS)), ca.MX.sym(\"t\"), ca.MX.sym(\"q\", N), ca.MX.sym(\"v\", N), "
"ca.MX.sym(\"u\", len(INPUTS))\n"
"    found = root(ca.DM.zeros(N + M_COUNT), ca.vertcat(P, T, Q, V, U))\n"
"    return ca.Function(\"accelerate\", [P, T, Q, V, U], [found[:N], found[N:]], [\"p\", \"t\", \"q\", \"v\", "
"\"u\"], [\"a\", \"lam\"])\n"
"\n"
"\n"
"accelerate = _accelerate()\n";

static const char rest[] =
"\n"
"# d(q, v)/dt, for integrators; derivatives by accelerate.jacobian(), ca.jacobian and so on.\n"
"_z = ca.MX.sym(\"z\", 2*N)\n"
"_p, _t, _u = ca.MX.sym(\"p\", len(PARAMETERS)), ca.MX.sym(\"t\"), ca.MX.sym(\"u\", len(INPUTS))\n"
"rates = ca.Function(\"rates\", [_p, _t, _z, _u], [ca.vertcat(_z[N:], accelerate(_p, _t, _z[:N], _z[N:], _u)[0])],\n"
"                    [\"p\", \"t\", \"z\", \"u\"], [\"dz\"])\n"
"\n"
"\n";

static const char test[] =
"    for T, Q, V, U, A, LAM, E, Y in _EXPECTED:\n"
"        got = accelerate(P0, T, Q, V, U)\n"
"        if len(ROWS) < M_COUNT: got = (got[0], LAM)\n"
"        lists = [(got[0], A), (got[1], LAM), (functions[\"energies\"](P0, T, Q, V, U), E), "
"(functions[\"outputs\"](P0, T, Q, V, U, *got), Y)]\n"
"        for have, want in lists:\n"
"            if want: worst = max(worst, float(ca.mmax(ca.fabs(have - ca.DM(want))))/max(1, max(map(abs, want))))\n";

static void put_arguments(PfText *text, const PfExportFunction *f)
{
  pf_text_print(text, "p, t, q, v, u%s%s", f->takes & PF_TAKES_ACCELERATIONS ? ", a" : "",
                f->takes & PF_TAKES_MULTIPLIERS ? ", lam" : "");
}

static void put_name(const PfExport *x, const PfExportFunction *f, PfText *text)
{
  int kind = (int)(f - x->functions);
  pf_text_add(text, f->name);
  if (kind >= PF_EXPORT_JACOBIANS) pf_text_print(text, "_of_%d", kind - PF_EXPORT_JACOBIANS);
}

static PfStatus put_function(const PfExport *x, const PfExportFunction *f, PfText *text)
{
  const char *about = pf_script_about((int)(f - x->functions));
  pf_text_add(text, "def ");
  put_name(x, f, text);
  pf_text_add(text, "(");
  put_arguments(text, f);
  pf_text_add(text, "):\n");
  if (about) pf_text_print(text, "    \"\"\"%s\"\"\"\n", about);
  for (int i = 0; i < f->group_count; i++)
    pf_text_print(text, "    %s = ca.SX.zeros(%d, %d)\n", pf_script_group(f->groups + i), f->groups[i].rows,
                  f->groups[i].columns);
  PF_TRY(pf_script_put(x, &casadi, f, text));
  pf_text_add(text, "    return (");
  for (int i = 0; i < f->group_count; i++) pf_text_print(text, "%s%s", pf_script_group(f->groups + i), ", ");
  pf_text_add(text, ")\n\n\n");
  return PF_OK;
}

/* Slopes are CasADi's own affair. */
static bool is_wanted(int kind)
{
  return kind != PF_EXPORT_SLOPES && kind != PF_EXPORT_OUTPUT_SLOPES && kind != PF_EXPORT_INPUT_SLOPES;
}

static void put_built(const PfExport *x, PfText *text)
{
  pf_text_add(text, "functions = {\"accelerate\": accelerate, \"rates\": rates}\n");
  for (int i = 0; i < x->function_count; i++) {
    const PfExportFunction *f = x->functions + i;
    if (!f->tape || !is_wanted(i)) continue;
    pf_text_add(text, "functions[\"");
    put_name(x, f, text);
    pf_text_add(text, "\"] = ca.Function(\"");
    put_name(x, f, text);
    pf_text_add(text, "\", [");
    put_arguments(text, f);
    pf_text_add(text, "], list(");
    put_name(x, f, text);
    pf_text_add(text, "(");
    put_arguments(text, f);
    pf_text_add(text, ")))\n");
  }
  pf_text_add(text, "\n\n");
}

static void put_list(PfText *text, const char *name, const double *values, int count)
{
  pf_text_print(text, "%s = ca.DM([", name);
  pf_script_put_numbers(text, values, count);
  pf_text_add(text, "])\n");
}

/* The constraints that do not follow from others. */
static PfStatus put_rows(const PfExport *x, PfText *text)
{
  PfDiagnosis d = {0};
  double *given = pf_arena_array(x->arena, double, x->model->parameter_count);
  if (!given) return pf_no_room(x->ctx, "the export");
  for (int i = 0; i < x->model->parameter_count; i++) given[i] = NAN;
  for (int i = 0; i < x->parameters.count; i++) given[x->parameter[i]] = x->start[i];
  if (x->m) PF_TRY(pf_diagnose(x->ctx, x->arena, x->equations, given, &d));
  pf_text_add(text, "ROWS = [");
  bool any = false;
  for (int k = 0; k < x->m; k++) {
    bool redundant = false;
    for (int i = 0; i < d.redundant_count; i++) redundant = redundant || d.redundant[i] == k;
    if (redundant) continue;
    pf_text_print(text, "%s%d", any ? ", " : "", k);
    any = true;
  }
  pf_text_add(text, "]  # constraints that do not follow from others\n");
  return PF_OK;
}

PfStatus pf_export_casadi(const PfExport *x, const PfReference *r, PfExportFiles *files)
{
  PfText *text = pf_export_add_file(x, files, x->prefix, "_casadi.py");
  pf_python_put_title(x, text, "# accelerate and what is in functions are ca.Function; P0, Q0, V0 are parameters and "
                               "start.\n");
  pf_text_add(text, functions);
  pf_python_put_lists(x, text);
  PF_TRY(put_rows(x, text));
  put_list(text, "P0", x->start, x->parameters.count);
  put_list(text, "Q0", x->start + x->at_q, x->n);
  put_list(text, "V0", x->start + x->at_v, x->n);
  pf_text_add(text, symbols);
  for (int i = 0; i < x->function_count; i++)
    if (x->functions[i].tape && is_wanted(i)) PF_TRY(put_function(x, x->functions + i, text));
  pf_text_add(text, pf_export_function(x, PF_EXPORT_FLOW) ? eliminate : x->friction ? rub : solve);
  pf_text_add(text, rest);
  put_built(x, text);
  pf_python_put_expected(x, r, text);
  pf_python_put_test(text, test);
  return pf_export_check_files(x, files);
}
