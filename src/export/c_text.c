/* SPDX-License-Identifier: Apache-2.0 */
/* Text with marks, numbers and lists of arguments in C. */
#include "export/c_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Appends the text; every '@' and '$' in it is a mark. */
void pf_c_put(const PfCText *c, const char *marked)
{
  for (const char *at = marked; *at; at++) {
    if (*at == '@') pf_text_add(c->text, c->x->prefix);
    else if (*at == '$') pf_text_add(c->text, c->x->upper);
    else pf_text_put(c->text, at, 1);
  }
}

/* For names and parameter lists that the code generator needs as strings. */
const char *pf_c_marked(const PfCText *c, const char *marked)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(c->x->ctx));
  pf_c_put(&(PfCText){.x = c->x, .text = &text}, marked);
  return pf_export_keep_text(c->x, &text);
}

/* The fewest digits that read back as the same double, with a point, so that C takes it for a floating constant. For
 * float, magnitudes beyond FLT_MAX or below FLT_MIN become FLT_MAX or 0, which compilers would warn about otherwise. */
void pf_c_put_number(const PfCText *c, double value)
{
  char digits[PF_LONGEST_NUMBER + 1];
  if (c->real == PF_REAL_FLOAT && fabs(value) > FLT_MAX) value = copysign(FLT_MAX, value);
  if (c->real == PF_REAL_FLOAT && fabs(value) < FLT_MIN) value = 0;
  digits[pf_put_shortest(digits, value)] = 0;
  pf_text_add(c->text, digits);
  if (!strpbrk(digits, ".e")) pf_text_add(c->text, ".0");
  if (c->real == PF_REAL_FLOAT) pf_text_add(c->text, "f");
}

/* As pf_c_put_number with double, whatever the type of the writer. */
void pf_c_put_time(const PfCText *c, double value)
{
  pf_c_put_number(&(PfCText){.x = c->x, .real = PF_REAL_DOUBLE, .text = c->text}, value);
}

/* With the identifier of the model before it. */
void pf_c_put_function_name(const PfCText *c, const PfExportFunction *f)
{
  pf_text_print(c->text, "%s_", c->x->prefix);
  pf_export_put_function_name(c->x, f, 0, c->text);
}

/* State, parameters and inputs come first, then accelerations and multipliers where the function takes them, then one
 * pointer for each group of results. */
void pf_c_put_arguments(const PfCText *c, const PfExportFunction *f, PfCList list)
{
  bool declared = list == PF_C_DECLARED;
  pf_c_put(c, declared ? "const @_params *p, const @_state *x, const @_input *u" : "p, x, u");
  if (f->takes & PF_TAKES_ACCELERATIONS) pf_c_put(c, declared ? ", const @_real *a" : ", a");
  if (f->takes & PF_TAKES_MULTIPLIERS) pf_c_put(c, declared ? ", const @_real *lambda" : ", lambda");
  for (int i = 0; i < f->group_count; i++) {
    const PfExportGroup *g = f->groups + i;
    pf_text_add(c->text, ", ");
    if (declared) pf_c_put(c, !g->members ? "@_real *" : g->members == &c->x->outputs ? "@_output *" : "@_energy *");
    pf_text_add(c->text, g->name);
  }
}

/* Symbols are numbered in the order parameters, time, inputs, q, v, a, lambda (PfExport.at_time and so on). */
void pf_c_put_symbol(PfText *text, const PfExport *x, int symbol)
{
  if (symbol < x->at_time) pf_text_print(text, "p->%s", x->parameters.at[symbol].id);
  else if (symbol < x->at_inputs) pf_text_add(text, "x->time");
  else if (symbol < x->at_q) pf_text_print(text, "u->%s", x->inputs.at[symbol - x->at_inputs].id);
  else if (symbol < x->at_v) pf_text_print(text, "x->q[%d]", symbol - x->at_q);
  else if (symbol < x->at_a) pf_text_print(text, "x->v[%d]", symbol - x->at_v);
  else if (symbol < x->at_lambda) pf_text_print(text, "a[%d]", symbol - x->at_a);
  else pf_text_print(text, "lambda[%d]", symbol - x->at_lambda);
}
