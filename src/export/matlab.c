/* SPDX-License-Identifier: Apache-2.0 */
/* A function of MATLAB or Octave that gives a struct of functions, start and names (text/model.m.in).
 *
 * Everything is in one file, as local functions, since MATLAB finds one function for each file; the struct hands them
 * out. */
#include "export/script.h"

#include <string.h>

/* A local function: groups of zeros and statements that fill them. MATLAB counts frames from 1. */
static PfStatus put_function(const PfWriter *w, const PfExportFunction *f)
{
  PfText *text = w->text;
  const char *about = pf_script_about(w->x, f);
  if (about) pf_text_print(text, "%% %s\n", about);
  pf_text_add(text, "function [");
  for (int i = 0; i < f->group_count; i++) pf_text_print(text, "%s%s", i ? ", " : "", pf_script_group(f->groups + i));
  pf_text_add(text, "] = ");
  pf_export_put_function_name(w->x, f, 1, text);
  pf_text_add(text, "(");
  pf_script_put_arguments(text, f);
  pf_text_add(text, ")\n");
  for (int i = 0; i < f->group_count; i++)
    pf_text_print(text, "  %s = zeros(%d, %d);\n", pf_script_group(f->groups + i), f->groups[i].rows,
                  f->groups[i].columns);
  PF_TRY(pf_script_put_code(w, f));
  pf_text_add(text, "end\n");
  return PF_OK;
}

static const PfScript matlab = {.dialect = PF_CODE_MATLAB, .math = "f_", .parameter = "p.", .input = "u.",
                                .brackets = "()", .first = 1, .separator = " ", .comment = " % ",
                                .put_string = pf_put_matlab_string, .put_function = put_function};

/* m.params.mass = 2.0; % mass [kg]. The name of the struct is that of the list but for "params". */
static void put_members(const PfWriter *w, const char *name)
{
  const PfNamedList *list = pf_export_list(w->x, name);
  const char *of = strcmp(name, "inputs") != 0 ? "params" : "input";
  for (int i = 0; i < list->count; i++) {
    pf_text_print(w->text, "  m.%s.%s = ", of, list->at[i].id);
    pf_script_put_numbers(w->text, pf_export_start(w->x, name).values + i, 1);
    pf_text_add(w->text, ";");
    pf_script_put_remark(w, list->at + i);
    pf_text_add(w->text, "\n");
  }
}

/* A column vector; empty ones need their size. */
static void put_column(PfText *text, const PfNumbers *numbers)
{
  pf_text_add(text, numbers->count ? "[" : "zeros(0, 1)");
  pf_script_put_numbers(text, numbers->values, numbers->count);
  pf_text_add(text, numbers->count ? "]'" : "");
}

/* <<column q>>: part of the start. */
static void put_start_column(const PfWriter *w, const char *array)
{
  const PfNumbers start = pf_export_start(w->x, array);
  put_column(w->text, &start);
}

/* A cell for each state with its lists as columns. */
static void put_expected(const PfWriter *w, const char *words)
{
  (void)words;
  for (int k = 0; k < w->reference->count; k++) {
    PfNumbers lists[PF_SCRIPT_LISTS];
    pf_script_lists(w, k, lists);
    pf_text_print(w->text, "  m.expected{%d} = {", k + 1);
    for (int i = 0; i < PF_SCRIPT_LISTS; i++) {
      pf_text_add(w->text, i ? ", ...\n    " : "");
      put_column(w->text, lists + i);
    }
    pf_text_add(w->text, "};\n");
  }
}

/* Members of the struct that are straight-line functions. */
static void put_handles(const PfWriter *w, const char *words)
{
  const PfExport *x = w->x;
  (void)words;
  for (int i = 0; i < PF_EXPORT_JACOBIANS; i++)
    if (x->functions[i].tape && pf_script_about(x, x->functions + i))
      pf_text_print(w->text, "  m.%s = @%s;\n", x->functions[i].name, x->functions[i].name);
  for (int i = 1; i <= x->frames.count; i++) pf_text_print(w->text, "  m.jacobian{%d} = @jacobian_of_%d;\n", i, i);
}

/* robot.m: a function that returns a struct of functions, with local functions for the rest. */
PfStatus pf_export_matlab(const PfExport *x, const PfReference *r, PfExportFiles *files)
{
  static const PfPlaceholder own[] = {PF_SCRIPT_PLACEHOLDERS, {"members", .put = put_members},
                                      {"column", .put = put_start_column}, {"handles", .put = put_handles},
                                      {"expected", .put = put_expected}, {0}};
  return pf_script_export(x, r, &matlab, ".m", "model.m.in", own, files);
}
