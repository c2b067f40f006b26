/* SPDX-License-Identifier: Apache-2.0 */
/* robot_test.c (text/model_test.c.in): a program that compares the exported functions with numbers of the program. */
#include "export/c_impl.h"

#include <float.h>
#include <math.h>

/* One element of the array of expected states: time, then the arrays that the struct has. Empty arrays are not
 * members. */
static void put_state(const PfCText *c, const PfReference *r, int k)
{
  const PfExport *x = c->x;
  const double *s = r->symbols[k];
  const struct {
    const double *values;
    int count;
  } lists[] = {{s + x->at_q, x->n}, {s + x->at_v, x->n}, {s + x->at_a, x->n}, {r->energy[k], 2},
               {s + x->at_inputs, x->inputs.count}, {s + x->at_lambda, x->m}, {r->outputs[k], x->outputs.count}};
  pf_text_add(c->text, "  {");
  pf_c_put_time(c, s[x->at_time]);
  for (size_t i = 0; i < sizeof lists/sizeof *lists; i++) {
    if (!lists[i].count) continue;
    pf_text_add(c->text, ",\n    ");
    /* Numbers in braces, six in a line. */
    pf_text_add(c->text, "{");
    for (int j = 0; j < lists[i].count; j++) {
      pf_text_add(c->text, !j ? "" : j%6 ? ", " : ",\n     ");
      pf_c_put_number(c, lists[i].values[j]);
    }
    pf_text_add(c->text, "}");
  }
  pf_text_print(c->text, "}%s\n", k + 1 < r->count ? "," : "");
}

/* Without any state there is one that is not looked at: C has no empty arrays. The elements are those of a struct whose
 * members are written in the template. */
static void put_expected(const PfCText *c, const char *words)
{
  (void)words;
  for (int k = 0; k < c->reference->count; k++) put_state(c, c->reference, k);
  if (!c->reference->count) pf_text_add(c->text, "  {0}");
}

/* What two formulations differ by in doubles tells how many digits the model costs. The numbers of the test are
 * relative to the largest of a list: 1e-9 for double, or 100 times the difference of two formulations; for float as
 * many times more as its rounding is coarser. */
static void put_tolerance(const PfCText *c, const char *words)
{
  const bool single = c->real == PF_REAL_FLOAT;
  const double usual = single ? 2e-3 : 1e-9, hard = c->reference->spread*(single ? 20*(FLT_EPSILON/DBL_EPSILON) : 100);
  (void)words;
  pf_text_print(c->text, "%.0e%s", fmax(usual, hard), single ? "f" : "");
}

/* Sets the inputs of a state from the array of expected numbers. */
static void put_inputs(const PfCText *c, const char *words)
{
  const PfNamedList *inputs = &c->x->inputs;
  (void)words;
  for (int i = 0; i < inputs->count; i++) pf_text_print(c->text, "  u.%s = e->u[%d];\n", inputs->at[i].id, i);
}

/* Compares the outputs, which are members, one by one. */
static void put_outputs(const PfCText *c, const char *words)
{
  const PfNamedList *outputs = &c->x->outputs;
  (void)words;
  for (int i = 0; i < outputs->count; i++)
    pf_text_print(c->text, "  compare(\"output\", k, &y.%s, &e->y[%d], 1, 1);\n", outputs->at[i].id, i);
}

/* robot_test.c from its template, with the states of the reference. */
PfStatus pf_c_put_test(const PfCText *c)
{
  static const PfPlaceholder own[] = {{"expected", .put = put_expected}, {"tolerance", .put = put_tolerance},
                                      {"set_inputs", .put = put_inputs}, {"compare_outputs", .put = put_outputs},
                                      {0}};
  return pf_template_put(c, "model_test.c.in", own);
}
