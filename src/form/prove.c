/* SPDX-License-Identifier: Apache-2.0 */
/* An algebraic proof that the formulations are the same rational functions of the state: their
 * accelerations, each by its own algebra, are compared at random points of prime fields in exact
 * arithmetic. If two rational functions differ, the numerator of their difference is a polynomial of some
 * degree d that is not zero, and it vanishes at a random point of a field of p elements with a probability
 * of at most d/p (Schwartz, J. ACM 27 (1980) 701-717). Rounds with fresh points are repeated until the
 * product of these is below 2^-100. */
#include "form/prove.h"

#include "base/base.h"
#include "form/form_impl.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static const double wanted_log2_error = -100;

typedef struct Prover {
  PfContext *ctx;
  PfArena *arena;  /* of the result */
  PfArena *work;
  const PfEquations *eq;
  const double *parameters;
  const PfExactForm *forms;
  int form_count;
  PfProof *proof;
  int expected_rank; /* of A in admissible states, by numbers; -1: not known */
  int rank;          /* of A at the points; -1 before there is one */
  bool decided;

  PfStates states;
  PfExpr *roots;
  PfProbe *probe;
  int root_count;
  uint64_t *values, *independent; /* of the roots; independent rows of A, then of b */
  int *rows;
  uint64_t seed;
  PfExactSystem at;
  uint64_t *reference, *other;
  double degree;
} Prover;

/* ---------------------------------------------------------------- words */

static const char *say(Prover *p, const char *format, ...) PF_PRINTF(2, 3);
static const char *say(Prover *p, const char *format, ...)
{
  char text[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return pf_arena_text(p->arena, text, strlen(text));
}

/* The first decision ends the proof. */
static PfStatus decide(Prover *p, PfVerdict verdict, const char *text)
{
  p->decided = true;
  p->proof->verdict = verdict;
  p->proof->text = text;
  return text ? PF_OK : pf_no_room(p->ctx, "a proof");
}

static PfStatus refuse(Prover *p, const char *format, ...) PF_PRINTF(2, 3);
static PfStatus refuse(Prover *p, const char *format, ...)
{
  char text[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return decide(p, PF_NOT_PROVABLE, say(p, "cannot be proven: %s", text));
}

/* ---------------------------------------------------------------- a point */

/* Arrays for one point of a field. The pool is shared by the formulations, one after the other. */
static PfStatus make_room(Prover *p)
{
  size_t n = (size_t)p->eq->n, m = (size_t)p->eq->m;
  PfExactSystem *at = &p->at;
  at->n = p->eq->n;
  at->m = p->eq->m;
  at->pool_room = pf_exact_pool_size(at->n, at->m);
  at->pool = pf_arena_array(p->work, uint64_t, at->pool_room);
  at->pivot = pf_arena_array(p->work, int, n + m);
  at->order = pf_arena_array(p->work, int, n);
  at->columns = pf_arena_array(p->work, int, n);
  p->roots = pf_arena_array(p->work, PfExpr, p->states.count);
  p->values = pf_arena_array(p->work, uint64_t, p->states.count);
  p->independent = pf_arena_array(p->work, uint64_t, m*n + m);
  p->rows = pf_arena_array(p->work, int, m);
  int *level_rows = pf_arena_array(p->work, int, m), *level_first = pf_arena_array(p->work, int, m + 1);
  p->reference = pf_arena_array(p->work, uint64_t, n);
  p->other = pf_arena_array(p->work, uint64_t, n);
  bool good = at->pool && at->pivot && at->order && at->columns && p->roots && p->values && p->independent &&
              p->rows && p->reference && p->other && level_rows && level_first;
  if (!good) return pf_no_room(p->ctx, "a proof");
  at->levels = pf_cascade_levels(p->eq->model, level_rows, level_first);
  at->level_rows = level_rows;
  at->level_first = level_first;
  return PF_OK;
}

/* Independent rows; false when the others contradict them. */
static bool choose_rows(Prover *p)
{
  PfExactSystem *at = &p->at;
  const PfField *f = at->field;
  int n = at->n, m = at->m;
  at->pool_used = 0;
  uint64_t *work = pf_exact_take(at, m*(n + 1)), *N = pf_exact_take(at, n*n), *a = pf_exact_take(at, n);
  if (pf_exact_solutions(f, at->all_A, at->all_b, m, n, NULL, work, at->pivot, N, a) < 0) return false;
  at->rank = pf_exact_independent_rows(f, at->all_A, m, n, work, p->rows);
  uint64_t *A = p->independent, *b = A + (size_t)at->rank*(size_t)n;
  for (int i = 0; i < at->rank; i++) {
    memcpy(A + (size_t)i*(size_t)n, at->all_A + (size_t)p->rows[i]*(size_t)n, (size_t)n*sizeof *A);
    b[i] = at->all_b[p->rows[i]];
  }
  at->A = A;
  at->b = b;
  return true;
}

typedef enum PointKind { POINT_GOOD, POINT_UNDEFINED, POINT_CONTRADICTION } PointKind;

/* A fresh point of the field. One where the rank is lower than elsewhere does not count. */
static PointKind next_point(Prover *p)
{
  pf_probe_evaluate(p->probe, p->seed++, p->values);
  /* Where the numbers of the roots go. */
  PfExactSystem *at = &p->at;
  int n = at->n, m = at->m, s = p->states.kinematics.count;
  bool laconic = p->root_count > p->states.base_count;
  at->field = pf_probe_field(p->probe);
  at->M = p->values;
  at->load = at->M + n*n;
  at->all_A = at->load + n;
  at->all_b = at->all_A + m*n;
  at->speeds = laconic ? s : 0;
  at->user_speeds = laconic && !p->states.kinematics.chosen && !p->states.kinematics.combined;
  at->G = laconic ? at->all_b + m : NULL;
  at->g = laconic ? at->G + s*s : NULL;
  at->N = laconic ? at->g + s : NULL;
  at->drift = laconic ? at->N + n*s : NULL;
  for (int i = 0; i < p->states.base_count; i++)
    if (p->values[i] == PF_UNDEFINED) return POINT_UNDEFINED;
  if (!choose_rows(p)) return POINT_CONTRADICTION;
  return p->at.rank < p->rank ? POINT_UNDEFINED : POINT_GOOD;
}

/* A point where everything is defined. With k square roots there is one among 2^k. */
static PointKind find_point(Prover *p)
{
  enum { TRIES = 64 };
  int roots = pf_probe_square_roots(p->probe);
  long tries = (long)TRIES << (roots < 12 ? roots : 12);
  PointKind kind = POINT_UNDEFINED;
  while (tries-- > 0 && kind == POINT_UNDEFINED && !pf_context_is_cancelled(p->ctx)) kind = next_point(p);
  return kind;
}

/* ---------------------------------------------------------------- states that are like those of the model */

typedef struct Trial {
  bool fits;
  PointKind point;
  const char *refused; /* a constraint that could not be solved, or NULL */
} Trial;

/* Do points of this kind have the rank that admissible states have, and no contradiction? */
static PfStatus try_states(Prover *p, int kind, Trial *trial)
{
  *trial = (Trial){.point = POINT_UNDEFINED};
  p->rank = -1;
  PF_TRY(pf_states_write(&p->states, kind, p->roots, &p->root_count, &trial->refused));
  if (trial->refused) return PF_OK;
  PF_TRY(pf_probe_make(p->ctx, p->work, p->roots, p->root_count, &p->probe));
  if (!pf_probe_next_field(p->probe)) return PF_OK;
  trial->point = find_point(p);
  PF_TRY(pf_check_cancelled(p->ctx));
  if (trial->point != POINT_GOOD) return PF_OK;
  p->rank = p->at.rank;
  trial->fits = p->expected_rank < 0 || p->at.rank <= p->expected_rank;
  return PF_OK;
}

/* The more general, the better: first all positions and parameters, then only those where the constraints
 * hold, then only the values of the parameters. */
static PfStatus choose_states(Prover *p)
{
  static const int kinds[] = {PF_STATES_ALL, PF_STATES_ON_POSITIONS, PF_STATES_GIVEN,
                              PF_STATES_GIVEN | PF_STATES_ON_POSITIONS};
  Trial first = {0};
  const char *refused = NULL;
  for (size_t i = 0; i < sizeof kinds/sizeof *kinds; i++) {
    Trial trial;
    PF_TRY(try_states(p, kinds[i], &trial));
    p->proof->given_parameters = kinds[i] & PF_STATES_GIVEN;
    p->proof->on_positions = kinds[i] & PF_STATES_ON_POSITIONS;
    if (trial.fits) return PF_OK;
    if (i == 0) first = trial;
    if (!refused) refused = trial.refused;
  }
  if (first.point == POINT_UNDEFINED)
    return refuse(p, "the equations divide by zero, or take a root of what has none, at every point that was tried");
  const char *what = first.point == POINT_CONTRADICTION ? "the constraints agree with each other"
                                                        : "some constraints are redundant";
  if (refused)
    return refuse(p, "%s only where the position constraints hold, and '%s' cannot be solved rationally", what,
                  refused);
  return refuse(p, "%s only in special states or for special parameters", what);
}

/* ---------------------------------------------------------------- which formulations take part */

static PfExactAnswer accelerate(Prover *p, int form, uint64_t *q2)
{
  p->at.pool_used = 0;
  return p->forms[form].accelerate(&p->at, q2);
}

static int count_compared(const Prover *p)
{
  int count = 0;
  for (int i = 0; i < p->form_count; i++) count += p->proof->rows[i].compared;
  return count;
}

/* ---------------------------------------------------------------- rounds */

/* All formulations at the point. True when all have an answer; *form and *coordinate are the first difference. The
 * first formulation that takes part is the reference. */
static bool compare(Prover *p, int *form, int *coordinate)
{
  int first = -1;
  *form = -1;
  for (int i = 0; i < p->form_count; i++) {
    if (!p->proof->rows[i].compared) continue;
    if (accelerate(p, i, first < 0 ? p->reference : p->other) != PF_EXACT_DONE) return false;
    if (first < 0) {
      first = i;
      continue;
    }
    for (int k = 0; k < p->at.n && *form < 0; k++)
      if (p->reference[k] != p->other[k]) *form = i, *coordinate = k;
  }
  return true;
}

/* How many rounds are needed; 0: too many. In a round an element comes up with a probability of at most 1/p + 2^-64;
 * one bit more is for points that were left out because something vanished there. With the degree of the difference
 * that bounds the probability that the round misses it. Signs of square roots may make cases, as many as there are
 * signs: a difference in one of them only is seen as rarely. */
static int count_rounds(Prover *p)
{
  enum { MOST_ROUNDS = 2000 };
  const double log2_element = log2(ldexp(1, -60) + ldexp(1, -64));
  const int roots = pf_probe_square_roots(p->probe);
  double first = -1, most = 0;
  for (int i = 0; i < p->form_count; i++) {
    if (!p->proof->rows[i].compared) continue;
    double growth = p->forms[i].growth(p->at.n, p->at.rank, p->at.speeds);
    if (first < 0) first = growth;
    most = fmax(most, growth);
  }
  p->proof->degree = ldexp((first + most)*fmax(p->degree, 1), roots);
  double log2_error = log2_element + log2(p->proof->degree) + 1;
  if (roots) log2_error = fmax(log2_error, log2(1 - ldexp(1, -roots)));
  double rounds = ceil(wanted_log2_error/log2_error);
  if (!(log2_error < 0) || rounds > MOST_ROUNDS) return 0;
  if (rounds*log2_error >= wanted_log2_error) rounds++;
  p->proof->log2_error = rounds*log2_error;
  return (int)rounds;
}

/* Compares all formulations at one random point of as many prime fields as the bound of the error asks for. One round
 * in each of as many primes as the bound needs; a difference ends it at once. */
static PfStatus run_rounds(Prover *p)
{
  enum { TRIES = 16 };
  PfProof *proof = p->proof;
  int rounds = count_rounds(p), form, coordinate;
  if (!rounds)
    return refuse(p, "the degree %.3g is too large%s", proof->degree,
                  pf_probe_square_roots(p->probe) ? ", with square roots" : "");
  proof->primes = pf_arena_array(p->arena, uint64_t, rounds);
  if (!proof->primes) return pf_no_room(p->ctx, "a proof");
  for (int i = 0; i < rounds; i++) {
    PF_TRY(pf_check_cancelled(p->ctx));
    bool done = false; /* a point in the next field where all formulations have an answer */
    if (pf_probe_next_field(p->probe))
      for (int k = 0; k < TRIES && !done; k++) done = find_point(p) == POINT_GOOD && compare(p, &form, &coordinate);
    if (!done)
      return refuse(p, "no more points where all formulations have an answer");
    proof->primes[i] = p->at.field->p;
    proof->rounds = i + 1;
    if (form >= 0) {
      int first = 0;
      while (!proof->rows[first].compared) first++;
      const char *name = p->eq->model->coordinates[coordinate].name;
      proof->formulation = form;
      proof->coordinate = coordinate;
      if (proof->function)
        return refuse(p, "%s in %s is not a rational function, and nothing is known about it here", proof->function,
                      proof->where);
      return decide(p, PF_DISPROVED, say(p, "disproved: %s and %s give different accelerations of '%s'",
                                         proof->rows[first].formulation, proof->rows[form].formulation, name));
    }
  }
  if (proof->function)
    return refuse(p, "%s in %s is not a rational function; the formulations agree whatever function stands there",
                  proof->function, proof->where);
  return decide(p, PF_PROVED,
                say(p, "proved: %d formulations give the same rational functions of the state%s%s (%d random points "
                       "in as many prime fields, degree at most %.3g, probability of an error below 2^%.0f)",
                    count_compared(p), proof->on_positions ? " where the position constraints hold" : "",
                    proof->given_parameters ? " for these parameters" : "", proof->rounds, proof->degree,
                    ceil(proof->log2_error)));
}

/* ---------------------------------------------------------------- all together */

/* Chooses states, formulations and the number of rounds; the decision is in p->proof. Forces that depend on multipliers
 * are refused; then the rank in numbers, the states, the points, and the formulations that have an answer there. */
static PfStatus prove(Prover *p)
{
  static const char *const answers[] = {
#define PF_EXACT_ENTRY(code, text) text,
    PF_EXACT_ANSWERS(PF_EXACT_ENTRY)
#undef PF_EXACT_ENTRY
  };
  const PfEquations *eq = p->eq;
  for (int i = 0; i < eq->n; i++)
    for (int k = 0; k < eq->m; k++) {
      /* with forces that depend on the multipliers the accelerations are not rational */
      const PfExpr force = pf_expr_add(p->ctx, eq->F[i], eq->C[i]);
      if (pf_expr_depends(p->ctx, force, &eq->model->constraints[k].multiplier, 1))
        return refuse(p, "the force on '%s' depends on the constraint force of '%s'",
                      eq->model->coordinates[i].name, eq->model->constraints[k].name);
    }
  PfDiagnosis d;
  PF_TRY(pf_diagnose(p->ctx, p->work, p->eq, p->parameters, &d));
  p->expected_rank = d.reached ? d.rank : -1;
  PF_TRY(pf_states_make(p->ctx, p->work, p->eq, p->parameters, &p->states));
  PF_TRY(make_room(p));
  PF_TRY(choose_states(p));
  if (p->decided) return PF_OK;
  PfProof *proof = p->proof;
  for (int i = 0; i < p->root_count && !proof->function; i++) {
    proof->function = pf_probe_outside(p->probe, i);
    if (proof->function) proof->where = pf_states_place(&p->states, p->arena, i);
  }
  if (proof->function && !proof->where) return pf_no_room(p->ctx, "a proof");
  PF_TRY(pf_probe_degree(p->probe, p->work, &p->degree));
  /* A formulation that has no answer at several points has none at all. */
  enum { POINTS = 3 };
  PfProofRow *rows = p->proof->rows;
  for (int k = 0; k < POINTS; k++) {
    if (find_point(p) != POINT_GOOD) continue;
    PF_TRY(pf_check_cancelled(p->ctx));
    for (int i = 0; i < p->form_count; i++) {
      if (rows[i].compared) continue;
      PfExactAnswer answer = accelerate(p, i, p->other);
      rows[i].compared = answer == PF_EXACT_DONE;
      const char *why_not = answer == PF_EXACT_ABSENT && p->states.why_not ? p->states.why_not : answers[answer];
      rows[i].why_not = rows[i].compared ? NULL : say(p, "%s", why_not);
      if (!rows[i].compared && !rows[i].why_not) return pf_no_room(p->ctx, "a proof");
    }
  }
  if (count_compared(p) == 0) {
    /* A coordinate that neither inertia nor constraints hold: [M; A] has no pivot there. */
    PfExactSystem *at = &p->at;
    int n = at->n, r = at->rank;
    at->pool_used = 0;
    uint64_t *W = pf_exact_take(at, (n + r)*n);
    memcpy(W, at->M, (size_t)n*(size_t)n*sizeof *W);
    memcpy(W + (size_t)n*(size_t)n, at->A, (size_t)r*(size_t)n*sizeof *W);
    int rank = pf_exact_reduce(at->field, W, n + r, n, NULL, n, at->pivot), open = 0;
    while (open < rank && at->pivot[open] == open) open++;
    if (open >= n) return refuse(p, "the accelerations are not determined");
    return refuse(p, "the accelerations are not determined; inertia and constraints leave '%s' free",
                  p->eq->model->coordinates[open].name);
  }
  return run_rounds(p);
}

/* Rows of the proof are made first, so that a failure leaves a proof that says that nothing was compared. */
PfStatus pf_prove_forms(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                        const PfExactForm *forms, int form_count, PfProof *proof)
{
  *proof = (PfProof){.formulation = -1, .coordinate = -1, .row_count = form_count};
  proof->rows = pf_arena_array(arena, PfProofRow, form_count);
  PfArena *work = pf_arena_new(pf_context_allocator(ctx));
  Prover p = {.ctx = ctx, .arena = arena, .work = work, .eq = equations, .parameters = parameters, .forms = forms,
              .form_count = form_count, .proof = proof, .seed = 1};
  if (!proof->rows || !work) {
    pf_arena_free(work);
    return pf_no_room(ctx, "a proof");
  }
  for (int i = 0; i < form_count; i++) proof->rows[i] = (PfProofRow){forms[i].name, false, "nothing was compared"};
  PfStatus status = prove(&p);
  pf_arena_free(work);
  return status == PF_OK ? pf_check_cancelled(ctx) : status; /* the last values may be missing by that alone */
}

/* With all formulations of the library. `parameters` are numbers or NAN for those that stay free; proof->verdict and
 * proof->text give the result. Texts live in `arena`. */
PfStatus pf_prove(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                  PfProof *proof)
{
  return pf_prove_forms(ctx, arena, equations, parameters, pf_exact_forms, pf_exact_form_count, proof);
}
