/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the writers of scripts: statements of straight-line functions, names, numbers.
 *
 * The three languages differ in brackets, in the number of the first element and in comments, all of which is in their
 * PfScript; the straight-line code itself is written by codegen/code.c. */
#include "export/script.h"

#include <string.h>

/* ---------------------------------------------------------------- straight-line functions */

typedef struct Straight {
  const PfExport *x;
  const PfScript *script;
  const PfExportFunction *f;
} Straight;

static void put_element(PfText *text, const PfScript *script, const char *name, int index)
{
  pf_text_print(text, "%s%c%d%c", name, script->brackets[0], index + script->first, script->brackets[1]);
}

static void put_entry(PfText *text, const PfScript *script, const char *name, int row, int column)
{
  pf_text_print(text, "%s%c%d, %d%c", name, script->brackets[0], row + script->first, column + script->first,
                script->brackets[1]);
}

/* p.m, or p[0] */
static void put_member(PfText *text, const PfScript *script, const char *before, const char *list, const char *id,
                       int index)
{
  if (before) pf_text_add(text, before), pf_text_add(text, id);
  else put_element(text, script, list, index);
}

/* An input of a tape: p.m or p[0], t, u.push or u[0], q[0], v[0], a[0], lam[0]. */
static void put_input(PfText *text, const void *user, int k)
{
  const Straight *s = user;
  const PfExport *x = s->x;
  if (k < x->at_time) put_member(text, s->script, s->script->parameter, "p", x->parameters.at[k].id, k);
  else if (k < x->at_inputs) pf_text_add(text, "t");
  else if (k < x->at_q)
    put_member(text, s->script, s->script->input, "u", x->inputs.at[k - x->at_inputs].id, k - x->at_inputs);
  else if (k < x->at_v) put_element(text, s->script, "q", k - x->at_q);
  else if (k < x->at_a) put_element(text, s->script, "v", k - x->at_v);
  else if (k < x->at_lambda) put_element(text, s->script, "a", k - x->at_a);
  else put_element(text, s->script, "lam", k - x->at_lambda);
}

/* The names of groups are those of C otherwise. */
const char *pf_script_group(const PfExportGroup *group)
{
  return !strcmp(group->name, "lambda") ? "lam" : group->name;
}

/* Lists are numbered by one index, matrices by row and column. */
static void put_output(PfText *text, const void *user, int output)
{
  const Straight *s = user;
  int index;
  const PfExportGroup *g = pf_export_group(s->f, s->f->place[output], &index);
  if (g->vector) put_element(text, s->script, pf_script_group(g), index);
  else put_entry(text, s->script, pf_script_group(g), index/g->columns, index%g->columns);
}

/* Cost: a program of the tape in the arena of the export. */
PfStatus pf_script_put_code(const PfWriter *w, const PfExportFunction *f)
{
  const PfExport *x = w->x;
  const PfScript *script = w->user;
  Straight straight = {x, script, f};
  PfCodeStyle style = {.dialect = script->dialect, .math = script->math, .put_input = put_input,
                       .put_output = put_output, .user = &straight};
  PfProgram program;
  PF_TRY(pf_tape_program(x->ctx, x->arena, f->tape, &program));
  return pf_code_write(x->ctx, &program, &style, w->text);
}

/* The same order in all scripts. */
void pf_script_put_arguments(PfText *text, const PfExportFunction *f)
{
  pf_text_print(text, "p, t, q, v, u%s%s", f->takes & PF_TAKES_ACCELERATIONS ? ", a" : "",
                f->takes & PF_TAKES_MULTIPLIERS ? ", lam" : "");
}

/* For docstrings and comments; functions without a sentence are internal ones. */
const char *pf_script_about(const PfExport *x, const PfExportFunction *f)
{
  const size_t kind = (size_t)(f - x->functions);
  static const char *const about[] = {
    [PF_EXPORT_MATRICES] = "M, F, A, b of M a = F + A^T lam, A a = b.",
    [PF_EXPORT_FRICTION] = "Forces that depend on multipliers, and their derivatives by these.",
    [PF_EXPORT_CONSTRAINTS] = "What must vanish, of positions and of velocities.",
    [PF_EXPORT_ENERGY] = "Kinetic and potential energy.",
    [PF_EXPORT_POSES] = "Positions and rotation matrices (by rows) of FRAMES.",
    [PF_EXPORT_CONTACTS] = "Where CONTACTS touch, and the forces there on the bodies.",
    [PF_EXPORT_OUTPUTS] = "What the model plots: OUTPUTS.",
    [PF_EXPORT_SURFACES] = "What changes its sign where forces switch.",
    [PF_EXPORT_RESIDUAL] = "Inverse dynamics: M a - F - A^T lam, the forces besides those of the model."};
  return kind < sizeof about/sizeof *about ? about[kind] : NULL;
}

/* Languages that differentiate by themselves have no slopes. */
bool pf_script_has(const PfWriter *w, int kind)
{
  const bool derived = kind == PF_EXPORT_SLOPES || kind == PF_EXPORT_OUTPUT_SLOPES || kind == PF_EXPORT_INPUT_SLOPES;
  return w->x->functions[kind].tape && !(derived && ((const PfScript *)w->user)->derives);
}

/* In the order of PfExportKind, then the Jacobians of the frames. */
PfStatus pf_script_functions(const PfWriter *w, const char *words)
{
  (void)words;
  for (int i = 0; i < w->x->function_count; i++)
    if (pf_script_has(w, i)) PF_TRY(((const PfScript *)w->user)->put_function(w, w->x->functions + i));
  return PF_OK;
}

/* The head of a function of Python, for NumPy and for CasADi. */
void pf_python_put_head(const PfWriter *w, const PfExportFunction *f)
{
  const char *about = pf_script_about(w->x, f);
  pf_text_add(w->text, "def ");
  pf_export_put_function_name(w->x, f, 0, w->text);
  pf_text_add(w->text, "(");
  pf_script_put_arguments(w->text, f);
  pf_text_add(w->text, "):\n");
  if (about) pf_text_print(w->text, "    \"\"\"%s\"\"\"\n", about);
}

/* ---------------------------------------------------------------- names and numbers */

/* The fewest digits that read back as the same double, with a point or an exponent. */
void pf_script_put_numbers(PfText *text, const double *values, int count)
{
  for (int i = 0; i < count; i++) {
    char digits[PF_LONGEST_NUMBER + 1];
    if (i) pf_text_add(text, ", ");
    digits[pf_put_shortest(digits, values[i])] = 0;
    pf_text_add(text, digits);
    if (!strpbrk(digits, ".e")) pf_text_add(text, ".0");
  }
}

/* Nothing where name and identifier agree and there is no unit. */
void pf_script_put_remark(const PfWriter *w, const PfNamed *named)
{
  const bool other = strcmp(named->id, named->name) != 0, unit = named->measure.unit[0];
  if (other || unit) pf_text_add(w->text, ((const PfScript *)w->user)->comment);
  if (other) pf_put_comment(w->text, named->name);
  if (!unit) return;
  pf_text_add(w->text, other ? " [" : "[");
  pf_put_comment(w->text, named->measure.unit);
  pf_text_add(w->text, named->measure.scale != 1 ? "] in the model, here SI" : "]");
}

/* Strings of the language, separated by commas. */
void pf_script_names(const PfWriter *w, const char *name)
{
  const PfNamedList *list = pf_export_list(w->x, name);
  for (int i = 0; i < list->count; i++) {
    if (i) pf_text_add(w->text, ", ");
    ((const PfScript *)w->user)->put_string(w->text, list->at[i].name);
  }
}

/* `array` is one of those of pf_export_start. */
void pf_script_start(const PfWriter *w, const char *array)
{
  const PfNumbers start = pf_export_start(w->x, array);
  pf_script_put_numbers(w->text, start.values, start.count);
}

/* Numbers begin at that of the first element in the language. */
void pf_script_rows(const PfWriter *w, const char *which)
{
  const PfScript *script = w->user;
  pf_export_put_rows(w->x, which, script->first, script->separator, w->text);
}

/* Where no row follows from others sizes do not matter, and 0 stands for each. */
void pf_script_typical(const PfWriter *w, const char *words)
{
  (void)words;
  for (int i = 0; i < w->x->m; i++) {
    const double typical = w->x->redundant ? w->x->typical[i] : 0;
    pf_text_add(w->text, i ? ", " : "");
    pf_script_put_numbers(w->text, &typical, 1);
  }
}

/* The arrays belong to the reference. */
void pf_script_lists(const PfWriter *w, int k, PfNumbers *lists)
{
  const PfExport *x = w->x;
  const PfReference *r = w->reference;
  const double *s = r->symbols[k];
  const PfNumbers all[PF_SCRIPT_LISTS] = {{s + x->at_time, 1}, {s + x->at_q, x->n}, {s + x->at_v, x->n},
                                          {s + x->at_inputs, x->inputs.count}, {s + x->at_a, x->n},
                                          {s + x->at_lambda, x->m}, {r->energy[k], 2},
                                          {r->outputs[k], x->outputs.count}};
  memcpy(lists, all, sizeof all);
}

/* One tuple for each state, in the order of pf_script_lists. */
void pf_python_expected(const PfWriter *w, const char *words)
{
  (void)words;
  for (int k = 0; k < w->reference->count; k++) {
    PfNumbers lists[PF_SCRIPT_LISTS];
    pf_script_lists(w, k, lists);
    pf_text_add(w->text, "    (");
    pf_script_put_numbers(w->text, lists[0].values, 1);
    for (int i = 1; i < PF_SCRIPT_LISTS; i++) {
      pf_text_add(w->text, ",\n     [");
      pf_script_put_numbers(w->text, lists[i].values, lists[i].count);
      pf_text_add(w->text, "]");
    }
    pf_text_add(w->text, "),\n");
  }
}

/* The file is added to `files`; fails as the template does, or without memory. */
PfStatus pf_script_export(const PfExport *x, const PfReference *reference, const PfScript *script, const char *ending,
                          const char *template, const PfPlaceholder *placeholders, PfExportFiles *files)
{
  const PfWriter writer = {.x = x, .text = pf_export_add_file(x, files, x->prefix, ending), .reference = reference,
                           .user = script};
  PF_TRY(pf_template_put(&writer, template, placeholders));
  return pf_export_check_files(x, files);
}
