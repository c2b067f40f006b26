/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of straight-line functions in scripts. */
#include "export/script.h"

#include <string.h>

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

const char *pf_script_group(const PfExportGroup *group)
{
  return !strcmp(group->name, "lambda") ? "lam" : group->name;
}

static void put_output(PfText *text, const void *user, int output)
{
  const Straight *s = user;
  int index;
  const PfExportGroup *g = pf_export_group(s->f, s->f->place[output], &index);
  if (g->vector) put_element(text, s->script, pf_script_group(g), index);
  else put_entry(text, s->script, pf_script_group(g), index/g->columns, index%g->columns);
}

PfStatus pf_script_put(const PfExport *x, const PfScript *script, const PfExportFunction *f, PfText *text)
{
  Straight straight = {x, script, f};
  PfCodeStyle style = {.dialect = script->dialect, .math = script->math, .put_input = put_input,
                       .put_output = put_output, .user = &straight};
  PfProgram program;
  PF_TRY(pf_tape_program(x->ctx, x->arena, f->tape, &program));
  return pf_code_write(x->ctx, &program, &style, text);
}

void pf_script_put_usual(const PfExport *x, PfText *text)
{
  for (int i = 0; i < x->m; i++) {
    pf_text_add(text, i ? ", " : "");
    const double usual = x->redundant ? x->usual[i] : 0;
    pf_script_put_numbers(text, &usual, 1);
  }
}

void pf_script_put_names(PfText *text, const PfNamedList *list, void (*put)(PfText *text, const char *string))
{
  for (int i = 0; i < list->count; i++) {
    if (i) pf_text_add(text, ", ");
    put(text, list->at[i].name);
  }
}

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

void pf_script_lists(const PfExport *x, const PfReference *r, int k, PfNumbers *lists)
{
  const double *s = r->symbols[k];
  const PfNumbers all[PF_SCRIPT_LISTS] = {{s + x->at_time, 1}, {s + x->at_q, x->n}, {s + x->at_v, x->n},
                                          {s + x->at_inputs, x->inputs.count}, {s + x->at_a, x->n},
                                          {s + x->at_lambda, x->m}, {r->energy[k], 2},
                                          {r->outputs[k], x->outputs.count}};
  memcpy(lists, all, sizeof all);
}
