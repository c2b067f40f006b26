/* SPDX-License-Identifier: Apache-2.0 */
/* A model with its equations and the numbers of one state: what the tests of mechanics and the cross tests share. */
#ifndef PF_TESTS_SYSTEM_H
#define PF_TESTS_SYSTEM_H

#include "support.h"

#include "expr/formula.h"
#include "model/model.h"
#include "num/num.h"
#include "pfaff/lang.h"
#include "pfaff/mech.h"

typedef struct System {
  PfContext *ctx;
  PfArena *arena;
  PfModel *model;
  PfEquations eq;
  PfSymbols symbols;
  double *given;  /* parameters that differ from the model, NaN elsewhere */
  double *values; /* of all symbols */
} System;

/* ---------------------------------------------------------------- life */

/* Gives the parameters their values; those without one get arbitrary ones. */
static inline void use_parameters(System *s)
{
  assert_int_equal(pf_model_parameter_values(s->model, s->given, PF_MISSING_GENERIC, s->values), PF_OK);
}

static inline void set_time(System *s, double t)
{
  s->values[s->symbols.time] = t;
  for (int i = 0; i < s->model->input_count; i++) {
    const PfInput *input = s->model->inputs + i;
    double *value = s->values + s->symbols.inputs + i;
    if (input->value)
      assert_int_equal(pf_expr_evaluate(s->ctx, &input->value, 1, s->symbols.symbol, s->values, s->symbols.inputs,
                                        value), PF_OK);
  }
}

static inline void prepare(Fixture *f, System *s)
{
  s->ctx = f->ctx;
  s->arena = f->arena;
  if (pf_equations_derive(f->ctx, f->arena, s->model, &s->eq) != PF_OK)
    fail_msg("no equations: %s", pf_context_message(f->ctx));
  assert_int_equal(pf_equations_symbols(f->ctx, f->arena, s->model, &s->symbols), PF_OK);
  s->given = pf_arena_array(f->arena, double, s->model->parameter_count);
  s->values = pf_arena_array(f->arena, double, s->symbols.count);
  assert_non_null(s->given);
  assert_non_null(s->values);
  for (int i = 0; i < s->model->parameter_count; i++) s->given[i] = NAN;
  use_parameters(s);
  set_time(s, 0);
}

/* Reads a model text and derives its equations; the model is to be freed with pf_model_free(s->model). */
static inline void read_system(Fixture *f, const char *text, System *s)
{
  if (pf_model_read(f->ctx, "test.pf", text, strlen(text), &s->model) != PF_OK)
    fail_msg("%s\nis refused: %s", text, pf_context_message(f->ctx));
  prepare(f, s);
}

/* The same with a file of the examples. */
static inline void load_system(Fixture *f, const char *name, System *s)
{
  char path[EXAMPLE_PATH];
  find_example(name, path);
  if (pf_model_load(f->ctx, path, &s->model) != PF_OK)
    fail_msg("%s is refused: %s", path, pf_context_message(f->ctx));
  prepare(f, s);
}

/* ---------------------------------------------------------------- names and numbers */

static inline int coordinate(const System *s, const char *name)
{
  int i = pf_model_find_coordinate(s->model, name);
  if (i < 0) fail_msg("no coordinate '%s'", name);
  return i;
}

static inline int constraint(const System *s, const char *name)
{
  for (int i = 0; i < s->eq.m; i++)
    if (!strcmp(s->model->constraints[i].name, name)) return i;
  fail_msg("no constraint '%s'", name);
  return -1;
}

static inline double *q_of(const System *s)
{
  return s->values + s->symbols.q;
}

static inline double *v_of(const System *s)
{
  return s->values + s->symbols.v;
}

static inline void set_parameter(System *s, const char *name, double value)
{
  int i = pf_model_find_parameter(s->model, name);
  if (i < 0) fail_msg("no parameter '%s'", name);
  s->given[i] = value;
  use_parameters(s);
}

static inline void set_state(System *s, const char *name, double q, double v)
{
  int i = coordinate(s, name);
  q_of(s)[i] = q;
  v_of(s)[i] = v;
}

/* Numbers between -1 and 1 for all coordinates and velocities, and a time. */
static inline void set_random_state(System *s, uint64_t *seed)
{
  for (int i = 0; i < s->eq.n; i++) q_of(s)[i] = draw_number(seed);
  for (int i = 0; i < s->eq.n; i++) v_of(s)[i] = draw_number(seed);
  set_time(s, draw_number(seed));
}

static inline void evaluate(const System *s, const PfExpr *e, int count, double *out)
{
  assert_int_equal(pf_expr_evaluate(s->ctx, e, count, s->symbols.symbol, s->values, s->symbols.count, out), PF_OK);
}

static inline double value_of(const System *s, PfExpr e)
{
  double value = NAN;
  evaluate(s, &e, 1, &value);
  return value;
}

static inline PfExpr mass_entry(const System *s, const char *row, const char *column)
{
  return s->eq.M[coordinate(s, row)*s->eq.n + coordinate(s, column)];
}

static inline PfExpr force_on(const System *s, const char *name)
{
  return s->eq.F[coordinate(s, name)];
}

static inline PfExpr row_entry(const System *s, const char *row, const char *column)
{
  return s->eq.A[constraint(s, row)*s->eq.n + coordinate(s, column)];
}

/* ---------------------------------------------------------------- algebra */

typedef enum Proof { PROOF, LIKELY } Proof;

/* Both zero tests: the exact one and the one in a prime field; assert_likely is for roots of sums, which the exact one
 * does not always recognise. */
#define assert_equal(s, a, b) assert_equal_at((s), (a), (b), PROOF, #a, __FILE__, __LINE__)
#define assert_likely(s, a, b) assert_equal_at((s), (a), (b), LIKELY, #a, __FILE__, __LINE__)
static inline void assert_equal_at(const System *s, PfExpr a, PfExpr b, Proof proof, const char *what, const char *file,
                                   int line)
{
  PfExpr difference = pf_expr_sub(s->ctx, a, b);
  PfTruth exact = pf_expr_is_zero(s->ctx, difference), likely = pf_expr_is_probably_zero(s->ctx, difference, 2);
  bool needed = proof == PROOF;
#ifndef PF_HAVE_FLINT
  needed = false;
#endif
  if (likely == PF_TRUE && (exact == PF_TRUE || (exact == PF_UNKNOWN && !needed))) return;
  const char *left = pf_expr_print(s->ctx, s->arena, a, PF_TEXT), *right = pf_expr_print(s->ctx, s->arena, b, PF_TEXT);
  print_error("%s is\n  %s\nand not\n  %s\n(exactly: %d, in a field: %d)\n", what, left ? left : "?",
              right ? right : "?", (int)exact, (int)likely);
  _fail(file, line);
}

/* The expression against a formula by hand. */
#define assert_formula(s, e, text) \
  assert_equal_at((s), (e), formula((s)->ctx, (text)), PROOF, text, __FILE__, __LINE__)

/* ---------------------------------------------------------------- solving */

/* Accelerations and multipliers of M q'' = F + C + A^T lambda, A q'' = b at the state: least squares of least length,
 * so that redundant rows do no harm. Rows are scaled to length one. */
static inline void solve(const System *s, double *acceleration, double *lambda)
{
  int n = s->eq.n, m = s->eq.m, size = n + m;
  double *M = pf_arena_array(s->arena, double, n*n), *A = pf_arena_array(s->arena, double, m*n + 1);
  double *F = pf_arena_array(s->arena, double, n), *C = pf_arena_array(s->arena, double, n);
  double *K = pf_arena_array(s->arena, double, size*size), *x = pf_arena_array(s->arena, double, 2*size), *r = x + size;
  PfQr qr;
  assert_true(M && A && F && C && K && x);
  evaluate(s, s->eq.M, n*n, M);
  evaluate(s, s->eq.A, m*n, A);
  evaluate(s, s->eq.F, n, F);
  evaluate(s, s->eq.C, n, C);
  evaluate(s, s->eq.b, m, r + n);
  for (int i = 0; i < n; i++) {
    r[i] = F[i] + C[i];
    for (int j = 0; j < n; j++) K[i*size + j] = M[i*n + j];
    for (int k = 0; k < m; k++) K[i*size + n + k] = -A[k*n + i];
  }
  for (int k = 0; k < m; k++)
    for (int j = 0; j < n; j++) K[(n + k)*size + j] = A[k*n + j];
  for (int i = 0; i < size; i++) {
    double length = pf_norm(K + i*size, size);
    for (int j = 0; j < size && length > 0; j++) K[i*size + j] /= length;
    if (length > 0) r[i] /= length;
  }
  assert_int_equal(pf_qr_make(s->ctx, s->arena, size, size, &qr), PF_OK);
  assert_int_equal(pf_qr_factor(&qr, K, 0), PF_OK);
  pf_qr_solve(&qr, r, x);
  memcpy(acceleration, x, (size_t)n*sizeof *x);
  if (m) memcpy(lambda, x + n, (size_t)m*sizeof *x);
}

#endif
