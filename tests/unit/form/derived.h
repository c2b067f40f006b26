/* SPDX-License-Identifier: Apache-2.0 */
/* Derived equations against numbers: whatever they are written in, they hold for the accelerations and multipliers that
 * the matrices of the model give. */
#ifndef PF_TESTS_DERIVED_H
#define PF_TESTS_DERIVED_H

#include "form/formulations.h"

static inline void derive(const System *s, const char *form, PfDerivation *d)
{
  if (pf_derive_form(s->ctx, s->arena, &s->eq, form, d) != PF_OK) fail_msg("%s: %s", form, pf_context_message(s->ctx));
}

static inline const PfEquation *equation(const PfDerivation *d, const char *name)
{
  for (int i = 0; i < d->equation_count; i++)
    if (!strcmp(d->equations[i].name, name)) return d->equations + i;
  fail_msg("no equation of '%s'", name);
  return NULL;
}

static inline void replace(const System *s, PfExpr *e, PfExpr from, PfExpr to)
{
  assert_int_equal(pf_expr_substitute(s->ctx, e, 1, &from, &to, 1, e), PF_OK);
}

/* Pseudo-velocities and their rates by what they are defined as. */
static inline void write_out_speeds(const System *s, const PfDerivation *d, PfExpr *e)
{
  PfExpr *by_rates = pf_arena_array(s->arena, PfExpr, s->model->speed_count);
  if (s->model->speed_count) assert_int_equal(pf_model_speeds(s->model, s->arena, by_rates), PF_OK);
  for (int i = 0; d->speeds && i < d->unknown_count; i++) {
    PfExpr value = PF_EXPR_NONE, rate;
    for (int k = d->motion_count; k < d->equation_count; k++)
      if (d->equations[k].left == d->speeds[i]) value = d->equations[k].right;
    for (int k = 0; k < s->model->speed_count; k++)
      if (s->model->speeds[k].symbol == d->speeds[i]) value = by_rates[k];
    if (value == PF_EXPR_NONE) continue; /* a velocity */
    assert_int_equal(pf_derivation_expand(s->ctx, s->arena, d, &value, 1), PF_OK);
    assert_int_equal(pf_model_time_derivative(d->model, &value, 1, &rate), PF_OK);
    replace(s, e, d->unknowns[i], rate);
    replace(s, e, d->speeds[i], value);
  }
}

/* Momenta of Hamilton's equations and their rates, which come after the velocities among the unknowns. */
static inline void write_out_momenta(const System *s, const PfDerivation *d, PfExpr *e)
{
  for (int i = 0; i < d->momentum_count; i++) {
    PfExpr rate;
    assert_int_equal(pf_model_time_derivative(s->model, s->eq.momentum + i, 1, &rate), PF_OK);
    replace(s, e, d->unknowns[d->momentum_count + i], rate);
    replace(s, e, d->momenta[i], s->eq.momentum[i]);
  }
}

/* Angular velocities, their rates and direction cosines by quaternions. */
static inline void write_out_attitudes(const System *s, const PfDerivation *d, PfExpr *e)
{
  for (int i = 0; i < d->model->spinning_count; i++) {
    const PfSpinning *spinning = d->model->spinnings + i;
    PfExpr rate[3];
    assert_int_equal(pf_model_time_derivative(s->model, spinning->value, 3, rate), PF_OK);
    for (int k = 0; k < 3; k++) {
      replace(s, e, d->model->coordinates[spinning->first + k].a, rate[k]);
      replace(s, e, d->model->coordinates[spinning->first + k].v, spinning->value[k]);
    }
  }
  for (int i = 0; i < d->model->auxiliary_count; i++) {
    const PfAuxiliary *f = d->model->auxiliaries + i;
    char primed[200];
    PfExpr rate;
    assert_int_equal(pf_model_time_derivative(s->model, &f->value, 1, &rate), PF_OK);
    snprintf(primed, sizeof primed, "%s'", pf_expr_symbol_name(s->ctx, f->symbol));
    if (f->value != f->symbol) replace(s, e, f->symbol, f->value);
    if (f->value != f->symbol) replace(s, e, pf_expr_symbol(s->ctx, primed), rate);
  }
}

/* An equation in coordinates, velocities and accelerations of the model. */
static inline PfExpr in_coordinates(const System *s, const PfDerivation *d, PfExpr e)
{
  assert_int_equal(pf_derivation_expand(s->ctx, s->arena, d, &e, 1), PF_OK);
  write_out_speeds(s, d, &e);
  write_out_momenta(s, d, &e);
  write_out_attitudes(s, d, &e);
  return e;
}

static inline double numeric(const System *s, const Answer *x, PfExpr e)
{
  int n = s->eq.n, count = s->symbols.lambda + s->eq.m + n;
  PfExpr *symbol = pf_arena_array(s->arena, PfExpr, count);
  double *number = pf_arena_array(s->arena, double, count), value;
  memcpy(symbol, s->symbols.symbol, (size_t)(s->symbols.lambda + s->eq.m)*sizeof *symbol);
  memcpy(number, s->values, (size_t)s->symbols.lambda*sizeof *number);
  for (int i = 0; i < s->eq.m; i++) number[s->symbols.lambda + i] = x->lambda[i];
  for (int i = 0; i < n; i++) {
    symbol[s->symbols.lambda + s->eq.m + i] = s->model->coordinates[i].a;
    number[s->symbols.lambda + s->eq.m + i] = x->a[i];
  }
  assert_int_equal(pf_expr_evaluate(s->ctx, &e, 1, symbol, number, count, &value), PF_OK);
  PfExpr *nodes;
  int node_count;
  assert_int_equal(pf_expr_reach(s->ctx, s->arena, &e, 1, &nodes, &node_count), PF_OK);
  for (int i = 0; i < node_count && isnan(value); i++) {
    bool known = pf_expr_op(s->ctx, nodes[i]) != PF_OP_SYMBOL;
    for (int k = 0; k < count; k++) known = known || symbol[k] == nodes[i];
    if (!known) print_error("%s has no value\n", pf_expr_symbol_name(s->ctx, nodes[i]));
  }
  return value;
}

/* The force that an equation Fc[x] = … is about; false for angular velocities, which the numbers do not know. */
static inline bool is_force(const System *s, const Answer *x, PfExpr left, double *force)
{
  for (int i = 0; i < s->eq.n; i++) {
    char name[300];
    snprintf(name, sizeof name, "Fc[%s]", s->model->coordinates[i].name);
    *force = x->force[i];
    if (left == pf_expr_symbol(s->ctx, name)) return true;
  }
  return false;
}

/* Forces on angular velocities, and multipliers that redundant constraints leave open, have no numbers to compare. */
static inline bool is_comparable(const System *s, const PfDerivation *d, PfExpr left, int redundant)
{
  const char *name = pf_expr_op(s->ctx, left) == PF_OP_SYMBOL ? pf_expr_symbol_name(s->ctx, left) : "";
  if (redundant && !strncmp(name, "lambda[", 7)) return false;
  for (int i = 0; i < d->model->spinning_count; i++)
    for (int k = 0; k < 3; k++) {
      char force[300];
      snprintf(force, sizeof force, "Fc[%s]", d->model->coordinates[d->model->spinnings[i].first + k].name);
      if (!strcmp(name, force)) return false;
    }
  return true;
}

/* Forms that do not exist for every model that has reduced equations. */
static inline bool has_conditions(const char *form)
{
  static const char *const names[] = {"chaplygin", "voronets", "boltzmann_hamel", "hamilton"};
  for (size_t i = 0; i < sizeof names/sizeof *names; i++)
    if (!strcmp(form, names[i])) return true;
  return false;
}

/* Every derived equation holds for the accelerations that the multipliers give; false when the form says that it does
 * not exist for the model. */
static inline bool assert_holds(const System *s, const char *name, const char *form, const Answer *x)
{
  PfDerivation d;
  PfDiagnosis diagnosis;
  assert_int_equal(pf_diagnose(s->ctx, s->arena, &s->eq, s->given, &diagnosis), PF_OK);
  int before = pf_diagnostic_count(s->ctx);
  if (has_conditions(form) && pf_derive_form(s->ctx, s->arena, &s->eq, form, &d) == PF_ERR_MODEL) {
    pf_diagnostics_truncate(s->ctx, before);
    return false;
  }
  derive(s, form, &d);
  for (int i = 0; i < d.equation_count; i++) {
    double left;
    if (!is_comparable(s, &d, d.equations[i].left, diagnosis.redundant_count)) continue;
    if (!is_force(s, x, d.equations[i].left, &left)) left = numeric(s, x, in_coordinates(s, &d, d.equations[i].left));
    double right = numeric(s, x, in_coordinates(s, &d, d.equations[i].right));
    double size = 1 + fabs(left) + fabs(right) + largest(x->a, s->eq.n);
    if (!(fabs(left - right) <= 1e-9*size))
      fail_msg("%s, %s, %s: %.15g = %.15g does not hold", name, form, d.equations[i].name, left, right);
  }
  return true;
}

/* Coordinates that satisfy the position constraints, near those of the state: equations for people use these. */
static inline void put_on_positions(System *s)
{
  enum { MOST_NUMBERS = 1024 };
  int n = s->eq.n, m = s->eq.m;
  double A[MOST_NUMBERS], inverse[MOST_NUMBERS], miss[64];
  assert_true(n*m <= MOST_NUMBERS && m <= 64);
  for (int round = 0; round < 60 && m; round++) {
    evaluate(s, s->eq.A, m*n, A);
    evaluate(s, s->eq.position, m, miss);
    for (int i = 0; i < m; i++) {
      if (s->eq.position[i] != PF_EXPR_NONE) continue;
      miss[i] = 0;
      for (int j = 0; j < n; j++) A[i*n + j] = 0;
    }
    if (largest(miss, m) < 1e-15) return;
    pseudo_inverse(s->ctx, A, m, n, 1e-9, inverse);
    for (int j = 0; j < n; j++) s->values[s->symbols.q + j] -= pf_dot(inverse + j*m, miss, m);
  }
}

/* At a random state on the constraints, in all forms that can be printed and exist for the model; hamel_wrong does not
 * claim to hold. */
static inline void assert_all_hold(System *s, const char *name, uint64_t seed)
{
  const char *form, *summary;
  Forms forms;
  set_random_state(s, &seed);
  put_on_positions(s);
  make_consistent(s);
  forms_open(s, &forms);
  Answer x = answer(&forms, "multipliers");
  assert_int_equal(x.trouble, PF_TROUBLE_NONE);
  for (int i = 0; (form = pf_derived_form(i, &summary)); i++)
    if (strcmp(form, "hamel_wrong")) (void)assert_holds(s, name, form, &x);
  forms_close(&forms);
}

/* ---------------------------------------------------------------- the same equation, up to a factor */

/* left = right and the derived equation are the same but for a common factor. */
static inline void assert_same_equation(const System *s, const PfDerivation *d, const PfEquation *e, PfExpr left,
                                        PfExpr right)
{
  PfContext *ctx = s->ctx;
  PfExpr own = pf_expr_sub(ctx, e->left, e->right), by_hand = pf_expr_sub(ctx, left, right);
  PfExpr a = pf_expr_int(ctx, 1), b = a;
  assert_int_equal(pf_derivation_expand(ctx, s->arena, d, &own, 1), PF_OK);
  for (int i = d->motion_count; i < d->equation_count && d->speeds && e < d->equations + d->motion_count; i++) {
    for (int k = 0; k < d->model->coordinate_count; k++) { /* velocities by pseudo-velocities */
      if (d->equations[i].left != d->model->coordinates[k].v) continue;
      replace(s, &own, d->equations[i].left, d->equations[i].right);
      replace(s, &by_hand, d->equations[i].left, d->equations[i].right);
    }
  }
  for (int i = 0; i < d->unknown_count; i++) {
    PfExpr x = pf_expr_diff(ctx, own, d->unknowns[i]), y = pf_expr_diff(ctx, by_hand, d->unknowns[i]);
    if (pf_expr_is_structural_zero(ctx, x) || pf_expr_is_structural_zero(ctx, y)) continue;
    a = x, b = y;
    break;
  }
  PfExpr difference = pf_expr_sub(ctx, pf_expr_mul(ctx, own, b), pf_expr_mul(ctx, by_hand, a));
  assert_int_equal(pf_model_expand(s->model, &difference, 1, &difference), PF_OK);
  if (pf_expr_is_zero(ctx, difference) != PF_TRUE)
    fail_msg("%s is %s = %s, not %s = %s", e->name, pf_expr_print(ctx, s->arena, e->left, PF_TEXT),
             pf_expr_print(ctx, s->arena, e->right, PF_TEXT), pf_expr_print(ctx, s->arena, left, PF_TEXT),
             pf_expr_print(ctx, s->arena, right, PF_TEXT));
}

static inline void assert_equation(const System *s, const PfDerivation *d, const char *name, const char *left,
                                   const char *right)
{
  assert_same_equation(s, d, equation(d, name), formula(s->ctx, left), formula(s->ctx, right));
}

#endif
