/* SPDX-License-Identifier: Apache-2.0 */
/* A system by every formulation: what the tests of form and the cross tests share. */
#ifndef PF_TESTS_FORMULATIONS_H
#define PF_TESTS_FORMULATIONS_H

#include "mech/system.h"
#include "num/pseudo_inverse.h"

#include "pfaff/form.h"

enum { MOST_FORMULATIONS = 32 };

typedef struct Forms {
  System *s;
  PfSystem *system;
  int count;                           /* of formulations */
  PfSolver *solver[MOST_FORMULATIONS]; /* NULL where the formulation does not apply */
} Forms;

/* What one formulation says; the arrays live in the arena of the system. */
typedef struct Answer {
  PfTrouble trouble;
  int row;
  double *a, *lambda, *force;
} Answer;

static inline int form_index(const char *name)
{
  for (int k = 0; pf_formulation(k); k++)
    if (!strcmp(pf_formulation_name(pf_formulation(k)), name)) return k;
  fail_msg("no formulation '%s'", name);
  return -1;
}

/* All formulations for a system that start from its matrices; the recursion over bodies has tests of its own
 * (test_recursive.c). One that does not apply says why; this is not a failure here. */
static inline void forms_open(System *s, Forms *forms)
{
  *forms = (Forms){.s = s};
  if (pf_system_new(s->ctx, &s->eq, &forms->system) != PF_OK) fail_msg("%s", pf_context_message(s->ctx));
  for (int k = 0; pf_formulation(k) && strcmp(pf_formulation_name(pf_formulation(k)), "recursive"); k++,
       forms->count++) {
    assert_true(k < MOST_FORMULATIONS);
    PfStatus status = pf_solver_new(s->ctx, forms->system, pf_formulation(k), &forms->solver[k]);
    if (status == PF_OK) continue;
    assert_int_equal(status, PF_ERR_MODEL);
    assert_null(forms->solver[k]);
    assert_true(strlen(pf_context_message(s->ctx)) > 20);
    pf_diagnostics_clear(s->ctx);
  }
}

static inline void forms_close(Forms *forms)
{
  for (int k = 0; k < forms->count; k++) pf_solver_free(forms->solver[k]);
  pf_system_free(forms->system);
}

/* The system, its formulations and the model. */
static inline void close_all(Forms *forms)
{
  forms_close(forms);
  pf_model_free(forms->s->model);
}

static inline Answer answer_of(const Forms *forms, PfSolver *solver)
{
  const System *s = forms->s;
  Answer x = {.a = pf_arena_array(s->arena, double, s->eq.n), .lambda = pf_arena_array(s->arena, double, s->eq.m + 1),
              .force = pf_arena_array(s->arena, double, s->eq.n)};
  assert_true(x.a && x.lambda && x.force);
  PfMotion motion = {x.a, x.lambda, x.force};
  x.trouble = pf_solver_accelerate(solver, s->values, &motion, &x.row);
  return x;
}

static inline Answer answer(const Forms *forms, const char *name)
{
  PfSolver *solver = forms->solver[form_index(name)];
  if (!solver) fail_msg("'%s' does not apply", name);
  return answer_of(forms, solver);
}

/* The words for a trouble. */
static inline const char *words(const Forms *forms, const Answer *x)
{
  const PfContext *ctx = forms->s->ctx;
  pf_diagnostics_clear(forms->s->ctx);
  assert_int_not_equal(pf_trouble_report(forms->s->ctx, forms->system, x->trouble, x->row), PF_OK);
  return pf_context_message(ctx);
}

static inline double largest(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Velocities that satisfy the constraints: those of the state, corrected by least squares until nothing is
 * missed (one step when the constraints are linear in them). */
static inline void make_consistent(System *s)
{
  enum { MOST_NUMBERS = 1024 };
  int n = s->eq.n, m = s->eq.m;
  double A[MOST_NUMBERS], inverse[MOST_NUMBERS], miss[64];
  assert_true(n*m <= MOST_NUMBERS && m <= 64);
  for (int round = 0; round < 40 && m; round++) {
    evaluate(s, s->eq.A, m*n, A);
    evaluate(s, s->eq.velocity, m, miss);
    for (int i = 0; i < m; i++)
      if (s->eq.velocity[i] == PF_EXPR_NONE) miss[i] = 0;
    if (round && largest(miss, m) < 1e-15) return;
    pseudo_inverse(s->ctx, A, m, n, 1e-9, inverse);
    for (int j = 0; j < n; j++) v_of(s)[j] -= pf_dot(inverse + j*m, miss, m);
  }
}

/* Fails, naming the formulation, unless all |x_i - y_i| <= tolerance*size. */
static inline void assert_vectors(const char *form, const char *what, const double *x, const double *y, int n,
                                  double tolerance, double size)
{
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i] - y[i]) <= tolerance*size))
      fail_msg("%s: %s %d is %.17g, expected %.17g (difference %.3g, allowed %.3g)", form, what, i, x[i], y[i],
               x[i] - y[i], tolerance*size);
}

#endif
