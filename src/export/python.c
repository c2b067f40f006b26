/* SPDX-License-Identifier: Apache-2.0 */
/* A module of Python that needs NumPy (text/model.py.in).
 *
 * Functions take the state as the first axis of arrays, so that one call serves many states; straight-line code does so
 * by itself, the others state by state. */
#include "export/script.h"
#include "out/out.h"

/* A function of NumPy: groups of zeros, statements that fill them, and a tuple of the groups. Branches of piecewise
 * formulas are all evaluated, so that warnings of those that do not count are left out. */
static PfStatus put_function(const PfWriter *w, const PfExportFunction *f)
{
  PfText *text = w->text;
  bool may;
  PF_TRY(pf_may_switch(w->x->ctx, w->x->arena, f->roots, f->count, &may));
  if (may) pf_text_add(text, "@np.errstate(all=\"ignore\")  # of the cases that do not count\n");
  pf_python_put_head(w, f);
  pf_text_add(text, "    shape = _shape(t, q, v)\n");
  for (int i = 0; i < f->group_count; i++) {
    const PfExportGroup *g = f->groups + i;
    pf_text_print(text, "    %s = np.zeros((%d,", pf_script_group(g), g->rows);
    if (!g->vector) pf_text_print(text, " %d", g->columns);
    pf_text_add(text, ") + shape)\n");
  }
  PF_TRY(pf_script_put_code(w, f));
  for (int i = 0; i < f->group_count; i++)
    pf_text_print(text, "%s%s,", i ? " " : "    return (", pf_script_group(f->groups + i));
  pf_text_add(text, ")\n\n\n");
  return PF_OK;
}

static const PfScript numpy = {.dialect = PF_CODE_PYTHON, .math = "f_", .parameter = "p.", .input = "u.",
                               .brackets = "[]", .separator = ", ", .comment = "  # ",
                               .put_string = pf_put_quoted, .put_function = put_function};

/* The members of Params or Input with their numbers at the start: pairs, one a line. */
static void put_defaults(const PfWriter *w, const char *name)
{
  const PfNamedList *list = pf_export_list(w->x, name);
  const double *values = pf_export_start(w->x, name).values;
  for (int i = 0; i < list->count; i++) {
    pf_text_print(w->text, "\n        (\"%s\", ", list->at[i].id);
    pf_script_put_numbers(w->text, values + i, 1);
    pf_text_add(w->text, "),");
    pf_script_put_remark(w, list->at + i);
  }
  if (list->count) pf_text_add(w->text, "\n    ");
}

/* The names of the functions, one for each frame. */
static void put_jacobians(const PfWriter *w, const char *words)
{
  (void)words;
  for (int i = 0; i < w->x->frames.count; i++) pf_text_print(w->text, "%sjacobian_of_%d", i ? ", " : "", i);
}

/* robot.py: one module, which works on arrays of states. */
PfStatus pf_export_python(const PfExport *x, const PfReference *r, PfExportFiles *files)
{
  static const PfPlaceholder own[] = {PF_SCRIPT_PLACEHOLDERS, {"defaults", .put = put_defaults},
                                      {"jacobians", .put = put_jacobians}, {"expected", .put = pf_python_expected},
                                      {0}};
  return pf_script_export(x, r, &numpy, ".py", "model.py.in", own, files);
}
