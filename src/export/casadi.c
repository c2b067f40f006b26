/* SPDX-License-Identifier: Apache-2.0 */
/* A module of Python that builds functions of CasADi (text/model_casadi.py.in). */
#include "export/script.h"
#include "out/out.h"

#include <math.h>

/* A function of Python on symbols: groups of zeros, statements that fill them, and a tuple of the groups. Expressions
 * are assigned to elements of SX matrices, whose other elements are structural zeros. */
static PfStatus put_function(const PfWriter *w, const PfExportFunction *f)
{
  PfText *text = w->text;
  pf_python_put_head(w, f);
  for (int i = 0; i < f->group_count; i++)
    pf_text_print(text, "    %s = ca.SX.zeros(%d, %d)\n", pf_script_group(f->groups + i), f->groups[i].rows,
                  f->groups[i].columns);
  PF_TRY(pf_script_put_code(w, f));
  pf_text_add(text, "    return (");
  for (int i = 0; i < f->group_count; i++) pf_text_print(text, "%s, ", pf_script_group(f->groups + i));
  pf_text_add(text, ")\n\n\n");
  return PF_OK;
}

static const PfScript casadi = {.dialect = PF_CODE_PYTHON, .math = "f_", .brackets = "[]", .put_string = pf_put_quoted,
                                .put_function = put_function, .derives = true};

/* functions["energies"] = ca.Function("energies", [p, t, q, v, u], list(energies(p, t, q, v, u))) Each function of
 * Python becomes a ca.Function of the symbols. */
static void put_built(const PfWriter *w, const char *words)
{
  PfText *text = w->text;
  (void)words;
  for (int i = 0; i < w->x->function_count; i++) {
    const PfExportFunction *f = w->x->functions + i;
    if (!pf_script_has(w, i)) continue;
    pf_text_add(text, "functions[\"");
    pf_export_put_function_name(w->x, f, 0, text);
    pf_text_add(text, "\"] = ca.Function(\"");
    pf_export_put_function_name(w->x, f, 0, text);
    pf_text_add(text, "\", [");
    pf_script_put_arguments(text, f);
    pf_text_add(text, "], list(");
    pf_export_put_function_name(w->x, f, 0, text);
    pf_text_add(text, "(");
    pf_script_put_arguments(text, f);
    pf_text_add(text, ")))\n");
  }
}

/* The constraints that do not follow from others, with the parameters of the start. CasADi solves the whole saddle
 * point system, which must be regular; the rank is that of pf_diagnose near the start. */
static PfStatus put_independent(const PfWriter *w, const char *words)
{
  const PfExport *x = w->x;
  PfDiagnosis d = {0};
  bool any = false;
  (void)words;
  double *given = pf_arena_array(x->arena, double, x->model->parameter_count);
  if (!given) return pf_no_room(x->ctx, "the export");
  for (int i = 0; i < x->model->parameter_count; i++) given[i] = NAN;
  for (int i = 0; i < x->parameters.count; i++) given[x->parameter[i]] = x->start[i];
  if (x->m) PF_TRY(pf_diagnose(x->ctx, x->arena, x->equations, given, &d));
  for (int k = 0; k < x->m; k++) {
    bool redundant = false;
    for (int i = 0; i < d.redundant_count; i++) redundant = redundant || d.redundant[i] == k;
    if (redundant) continue;
    pf_text_print(w->text, "%s%d", any ? ", " : "", k);
    any = true;
  }
  return PF_OK;
}

/* robot_casadi.py: one file, in SX expressions; accelerations without a straight-line form are a linear solve in MX, or
 * a root finder where forces depend on multipliers. */
PfStatus pf_export_casadi(const PfExport *x, const PfReference *r, PfExportFiles *files)
{
  static const PfPlaceholder own[] = {PF_SCRIPT_PLACEHOLDERS, {"built", .put = put_built},
                                      {"independent", .make = put_independent},
                                      {"expected", .put = pf_python_expected}, {0}};
  return pf_script_export(x, r, &casadi, "_casadi.py", "model_casadi.py.in", own, files);
}
