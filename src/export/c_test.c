/* SPDX-License-Identifier: Apache-2.0 */
/* robot_test.c: a program that compares the exported functions with numbers of the program. */
#include "export/c_impl.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static const char beginning[] =
"/* Compares @.c with numbers that pfaff has computed. Ends with 0 when they agree. */\n"
"#include \"@.h\"\n\n"
"#include <math.h>\n#include <stdio.h>\n\n"
"enum { FAULTS_SHOWN = 20 };\n\n"
"/* At most so much beside the largest number of a list. */\n"
"static const @_real tolerance = ";

static const char state_members[] =
"typedef struct expected_state {\n"
"  double time;\n  @_real q[$_N], v[$_N];\n";

static const char members[] =
"  @_real a[$_N], energy[2];\n";

static const char compare[] =
"static int faults;\n"
"static @_real worst; /* difference beside the largest number of its list, or 1 */\n\n"
"static void compare(const char *what, int state, const @_real *got, const @_real *wanted, int count,\n"
"                    @_real size)\n"
"{\n"
"  int i;\n"
"  for (i = 0; i < count; i++)\n"
"    if (`fabs(wanted[i]) > size) size = `fabs(wanted[i]);\n"
"  for (i = 0; i < count; i++) {\n"
"    const @_real miss = `fabs(got[i] - wanted[i])/(size > 0 ? size : 1);\n"
"    if (miss > worst) worst = miss;\n"
"    if (miss <= tolerance) continue;\n"
"    if (faults++ < FAULTS_SHOWN)\n"
"      printf(\"state %d, %s %d: %.9g instead of %.9g\\n\", state, what, i, (double)got[i], (double)wanted[i]);\n"
"  }\n"
"}\n\n"
"static void check(int condition, int state, const char *what)\n"
"{\n"
"  if (condition) return;\n"
"  if (faults++ < FAULTS_SHOWN) printf(\"state %d: %s\\n\", state, what);\n"
"}\n\n"
"static @_real largest(const @_real *x, int count)\n"
"{\n"
"  @_real most = 0;\n"
"  int i;\n"
"  for (i = 0; i < count; i++)\n"
"    if (`fabs(x[i]) > most) most = `fabs(x[i]);\n"
"  return most;\n"
"}\n\n";

static const char motion[] =
"/* What is put in gives nothing over. */\n"
"static void test_inverse(int state, const @_params *p, const @_state *x, const @_input *u, const @_real *a,\n"
"                         const @_real *lambda)\n"
"{\n"
"  @_real tau[$_N], none[$_N], F[$_N], M[$_N*$_N], A[$_N*$_N + $_M*$_N], b[$_M + 1];\n"
"  int i;\n"
"  for (i = 0; i < $_N; i++) none[i] = 0;\n"
"  @_matrices(p, x, u, M, F, A, b);\n"
"  @_inverse(p, x, u, a, lambda, tau);\n"
"  compare(\"inverse dynamics\", state, tau, none, $_N,\n"
"          largest(F, $_N) + largest(M, $_N*$_N)*(1 + largest(a, $_N)) +\n"
"          largest(A, $_M*$_N)*largest(lambda, $_M));\n"
"}\n\n"
"/* Derivatives by q and v against differences. */\n"
"static void test_derivatives(int state, const @_params *p, const @_state *x, const @_input *u, const @_real *a,\n"
"                             const @_real *lambda)\n"
"{\n"
"  static @_real D[($_N + $_M)*$_COLUMNS]; /* static: stacks of small machines are short */\n"
"  @_real before[$_N], after[$_N], other[$_M + 1], size = 1, h = ~1e-6~1e-2~;\n"
"  int i, k;\n"
"  check(@_derivatives(p, x, u, a, lambda, D) == $_OK, state, \"no derivatives\");\n"
"  for (k = 0; k < 2*$_N; k++) {\n"
"    @_state y = *x;\n"
"    @_real *z = k < $_N ? &y.q[k] : &y.v[k - $_N], middle = *z;\n"
"    int good;\n"
"    *z = middle + h;\n"
"    good = @_accelerate(p, &y, u, after, other) == $_OK;\n"
"    *z = middle - h;\n"
"    good = good && @_accelerate(p, &y, u, before, other) == $_OK;\n"
"    if (!good || !DIFFERENCES) continue;\n"
"    for (i = 0; i < $_N; i++)\n"
"      if (`fabs(D[i*$_COLUMNS + k]) > size) size = `fabs(D[i*$_COLUMNS + k]);\n"
"    for (i = 0; i < $_N; i++)\n"
"      check(`fabs((after[i] - before[i])/(2*h) - D[i*$_COLUMNS + k]) <= ~1e-4~1e9~*(size + largest(a, $_N)), state,\n"
"            \"a derivative differs from a difference\");\n"
"  }\n"
"}\n\n";

static const char all[] =
"static void test_state(int k)\n"
"{\n"
"  const expected_state *e = &expected[k];\n"
"  @_params p;\n"
"  @_state x;\n"
"  @_input u;\n"
"  @_real a[$_N], lambda[$_M + 1];\n"
"  @_energy energy;\n"
"  @_output y;\n"
"  @_real both[2];\n"
"  int i;\n"
"  @_init(&p, &x, &u);\n"
"  x.time = e->time;\n"
"  for (i = 0; i < $_N; i++) {\n"
"    x.q[i] = e->q[i];\n"
"    x.v[i] = e->v[i];\n"
"  }\n";

static const char rest[] =
"  check(@_accelerate(&p, &x, &u, a, lambda) == $_OK, k, \"no accelerations\");\n"
"  compare(\"acceleration\", k, a, e->a, $_N, 1);\n";

static const char constrained[] =
"  compare(\"multiplier\", k, lambda, e->lambda, $_M, 1);\n";

static const char energies[] =
"  @_energies(&p, &x, &u, &energy);\n"
"  both[0] = energy.kinetic;\n"
"  both[1] = energy.potential;\n"
"  compare(\"energy\", k, both, e->energy, 2, 1);\n"
"  @_outputs(&p, &x, &u, a, lambda, &y);\n";

static const char moving[] =
"  test_inverse(k, &p, &x, &u, a, lambda);\n"
"  test_derivatives(k, &p, &x, &u, a, lambda);\n"
"  check(@_project(&p, &x, &u) == $_OK, k, \"no projection\");\n"
"  for (i = 0; i < $_N; i++)\n"
"    check(`fabs(x.q[i] - e->q[i]) <= ~1e-9~1e-3~*(1 + largest(e->q, $_N)), k, \"moved by the projection\");\n"
"  check(@_step(&p, &x, &u, ~1e-4~1e-3~) == $_OK, k, \"no step\");\n"
"}\n\n"
"int main(void)\n"
"{\n"
"  int k;\n"
"  for (k = 0; k < STATES; k++) test_state(k);\n"
"  if (faults) printf(\"%d numbers are wrong\\n\", faults);\n"
"  else printf(\"@: %d states agree with pfaff to %.1e\\n\", (int)STATES, (double)worst);\n"
"  return faults != 0;\n"
"}\n";

static void put_list(const PfCText *c, const double *values, int count)
{
  pf_text_add(c->text, "{");
  for (int i = 0; i < count; i++) {
    pf_text_add(c->text, !i ? "" : i%6 ? ", " : ",\n     ");
    pf_c_put_number(c, values[i]);
  }
  pf_text_add(c->text, "}");
}

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
    put_list(c, lists[i].values, lists[i].count);
  }
  pf_text_print(c->text, "}%s\n", k + 1 < r->count ? "," : "");
}

/* What two formulations differ by in doubles tells how many digits the model costs. */
static void put_tolerance(const PfCText *c, const PfReference *r)
{
  bool single = c->real == PF_REAL_FLOAT;
  double usual = single ? 2e-3 : 1e-9, hard = r->spread*(single ? 20*(FLT_EPSILON/DBL_EPSILON) : 100);
  char digits[32];
  snprintf(digits, sizeof digits, "%.0e%s;\n\n", fmax(usual, hard), single ? "f" : "");
  pf_text_add(c->text, digits);
}

/* Without any state there is one that is not looked at: C has no empty arrays. */
static void put_states(const PfCText *c, const PfReference *r)
{
  const PfExport *x = c->x;
  pf_c_put(c, beginning);
  put_tolerance(c, r);
  pf_c_put(c, state_members);
  pf_c_put(c, members);
  if (x->inputs.count) pf_c_put(c, "  @_real u[$_INPUTS];\n");
  if (x->m) pf_c_put(c, "  @_real lambda[$_M];\n");
  if (x->outputs.count) pf_c_put(c, "  @_real y[$_OUTPUTS];\n");
  pf_text_add(c->text, "} expected_state;\n\n");
  /* differences leave the constraints, which only independent ones allow */
  bool smooth = !x->surface_count && pf_export_function(x, PF_EXPORT_FLOW);
  pf_text_print(c->text, "enum { STATES = %d, DIFFERENCES = %d };\n\n"
                         "static const expected_state expected[] = {\n", r->count,
                smooth && c->real == PF_REAL_DOUBLE);
  for (int k = 0; k < r->count; k++) put_state(c, r, k);
  pf_text_add(c->text, r->count ? "};\n\n" : "  {0}};\n\n");
}

void pf_c_put_test(const PfCText *c, const PfReference *r)
{
  const PfExport *x = c->x;
  put_states(c, r);
  pf_c_put(c, compare);
  pf_c_put(c, motion);
  pf_c_put(c, all);
  for (int i = 0; i < x->inputs.count; i++)
    pf_text_print(c->text, "  u.%s = e->u[%d];\n", x->inputs.at[i].id, i);
  pf_c_put(c, rest);
  pf_c_put(c, x->m ? constrained : "");
  pf_c_put(c, energies);
  for (int i = 0; i < x->outputs.count; i++)
    pf_text_print(c->text, "  compare(\"output\", k, &y.%s, &e->y[%d], 1, 1);\n", x->outputs.at[i].id, i);
  pf_c_put(c, moving);
}
