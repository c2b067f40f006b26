/* SPDX-License-Identifier: Apache-2.0 */
/* Text with marks, numbers and lists of arguments in C. */
#include "export/c_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ~1e-12~1e-5~: the number for double, or for float. Returns the last mark. */
static const char *put_choice(const PfCText *c, const char *at)
{
  const char *second = strchr(at + 1, '~'), *end = strchr(second + 1, '~');
  if (c->real == PF_REAL_FLOAT) {
    pf_text_put(c->text, second + 1, (size_t)(end - second - 1));
    pf_text_add(c->text, "f");
  } else {
    pf_text_put(c->text, at + 1, (size_t)(second - at - 1));
  }
  return end;
}

/* `sqrt(: a function of <math.h>. Other such marks are plain. Returns the last letter of it. */
static const char *put_function(const PfCText *c, const char *at)
{
  static const char *const functions[] = {"fabs(", "fmax(", "sqrt(", "frexp(", "ldexp("};
  size_t length = 0;
  for (size_t i = 0; i < sizeof functions/sizeof *functions; i++)
    if (!strncmp(at + 1, functions[i], strlen(functions[i]))) length = strlen(functions[i]) - 1;
  if (!length) {
    pf_text_add(c->text, "`");
    return at;
  }
  pf_text_put(c->text, at + 1, length);
  if (c->real == PF_REAL_FLOAT) pf_text_add(c->text, "f");
  return at + length;
}

void pf_c_put(const PfCText *c, const char *marked)
{
  for (const char *at = marked; *at; at++) {
    size_t plain = strcspn(at, "@$`~");
    pf_text_put(c->text, at, plain);
    at += plain;
    if (*at == '@') pf_text_add(c->text, c->x->prefix);
    else if (*at == '$') pf_text_add(c->text, c->x->upper);
    else if (*at == '~') at = put_choice(c, at);
    else if (*at == '`') at = put_function(c, at);
    else return;
  }
}

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

void pf_c_put_time(const PfCText *c, double value)
{
  pf_c_put_number(&(PfCText){c->x, PF_REAL_DOUBLE, c->text}, value);
}

void pf_c_put_function_name(const PfCText *c, const PfExportFunction *f)
{
  int kind = (int)(f - c->x->functions);
  pf_text_print(c->text, "%s_%s", c->x->prefix, f->name);
  if (kind >= PF_EXPORT_JACOBIANS) pf_text_print(c->text, "_of_%d", kind - PF_EXPORT_JACOBIANS);
}

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
