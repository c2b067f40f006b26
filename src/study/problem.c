/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of steady motions, r(z) = 0: finds the cyclic coordinates (those on which no rate depends, by exact
 * derivatives at random states), chooses a chart in which there are most of them, lists unknowns and equations, and
 * gives residual and Jacobian with estimates of their rounding errors. */
#include "study/problem.h"

#include <math.h>
#include <string.h>

/* Constraints are satisfied up to less than this. */
static const double SATISFIED = 1e-10;

/* ---------------------------------------------------------------- what depends on what */

/* Goes to an arbitrary state near the place, the k-th one; the velocities are zero for equilibria, and for `rest`. */
static PfStatus scatter(PfProblem *p, int k, bool rest)
{
  const double reach = k < 6 ? 0.7 : 0.02;
  for (int i = 0; i < p->size; i++) {
    const bool velocity = i >= p->field->ny;
    double step = velocity ? 1 + fabs(p->base[i]) : 1;
    p->x[i] = p->base[i] + reach*step*pf_arbitrary(i, k + 1);
    if (velocity && (rest || p->kind == PF_EQUILIBRIA)) p->x[i] = 0;
  }
  return pf_dynamics_go(p->field, p->x);
}

/* p->A: derivative of x' by x where the field is, without elements that are rounding; p->noise: that of each. */
static PfStatus find_slopes(PfProblem *p)
{
  PF_TRY(pf_dynamics_jacobian(p->field, p->A, NULL));
  return pf_dynamics_clean(p->field, NULL, p->size, p->A, p->noise);
}

/* Marks pattern[i*size + k] where x'_i depends on x_k, seen by exact derivatives at arbitrary states near the place. */
static PfStatus probe(PfProblem *p, bool *pattern)
{
  enum { PROBES = 3, TRIES = 12 };
  const int n = p->size;
  int found = 0;
  memset(pattern, 0, (size_t)n*(size_t)n*sizeof *pattern);
  for (int k = 0; k < TRIES && found < PROBES; k++) {
    int before = pf_diagnostic_count(p->ctx);
    PfStatus status = scatter(p, k, false);
    if (status == PF_OK) status = find_slopes(p);
    PF_TRY(pf_end_attempt(p->ctx, before, status));
    if (status != PF_OK) continue;
    found++;
    for (int i = 0; i < n*n; i++) pattern[i] = pattern[i] || p->A[i] != 0;
  }
  return found ? PF_OK : pf_fail(p->ctx, PF_ERR_NUMBER, "no state near the start satisfies the constraints");
}

/* At arbitrary states with all independent velocities zero: which rates of coordinates depend on which coordinates? */
static PfStatus probe_rest(PfProblem *p, bool *pattern)
{
  enum { TRIES = 6 };
  PfDynamics *f = p->field;
  const int n = p->size, ny = f->ny, before = pf_diagnostic_count(p->ctx);
  for (int k = 0; k < TRIES; k++) {
    PfStatus status = scatter(p, k, true);
    if (status == PF_OK) pf_dynamics_rate(f, p->rate);
    const bool moves = status == PF_OK && pf_largest(p->rate, ny) > SATISFIED;
    if (moves) status = find_slopes(p);
    PF_TRY(pf_end_attempt(p->ctx, before, status));
    for (int i = 0; i < ny && moves && status == PF_OK; i++)
      for (int j = 0; j < ny; j++) pattern[i*ny + j] = pattern[i*ny + j] || p->A[i*n + j] != 0;
  }
  return PF_OK;
}

/* Marks first-order states: coordinates whose rate depends on them, by itself or through others, when all independent
 * velocities are zero. They have a dynamics of their own even where nothing else depends on them. Attitudes follow the
 * angular velocity, and all of them are alike. */
static PfStatus find_first_order(PfProblem *p, bool *first_order)
{
  const PfDynamics *f = p->field;
  const int ny = f->ny;
  PfMark mark = pf_arena_mark(p->arena);
  bool *pattern;
  PfStatus status = pf_arrays(p->ctx, p->arena, "steady motions", PF_ROOM2(pattern, ny, ny));
  if (status == PF_OK) status = probe_rest(p, pattern);
  if (status == PF_OK) {
    for (int via = 0; via < ny; via++) /* the transitive closure: indirect dependences, too */
      for (int i = 0; i < ny; i++)
        for (int k = 0; k < ny && pattern[i*ny + via]; k++)
          pattern[i*ny + k] = pattern[i*ny + k] || pattern[via*ny + k];
    for (int k = 0; k < ny; k++) {
      first_order[k] = pattern[k*ny + k];
      for (int b = 0; b < f->model->ball_count; b++)
        if (f->y[k] >= f->model->balls[b].q && f->y[k] < f->model->balls[b].q + 4) first_order[k] = false;
    }
  }
  pf_arena_release(p->arena, mark);
  return status;
}

/* Marks coordinates that decide in a switch of the equations, on which its argument g depends at arbitrary states:
 * beyond it other things may depend on them, as the force of the floor on the height of a ball above it. */
static PfStatus mark_decisive(PfProblem *p, PfExpr *slope, double *numbers, bool *decisive)
{
  PfDynamics *f = p->field;
  for (int g = 0; g < f->decides.count; g++) {
    PF_TRY(pf_expr_gradient(p->ctx, f->decides.g[g], f->symbol, f->count, slope));
    PF_TRY(pf_expr_evaluate(p->ctx, slope, f->count, f->symbol, f->full, f->count, numbers));
    for (int k = 0; k < f->ny; k++) {
      double sum = 0, size = 0;
      pf_dynamics_unit(f, k, p->s);
      PF_TRY(pf_dynamics_complete(f, p->s, NULL, f->derived));
      for (int i = 0; i < f->count; i++) sum += numbers[i]*p->s[i], size += fabs(numbers[i]*p->s[i]);
      if (fabs(sum) > 1e-9*size) decisive[k] = true;
    }
  }
  return PF_OK;
}

/* mark_decisive at several states; those that cannot be reached are passed over. */
static PfStatus find_decisive(PfProblem *p, bool *decisive)
{
  enum { PROBES = 3, TRIES = 12 };
  PfDynamics *f = p->field;
  PF_TRY(pf_dynamics_deciders(f));
  if (!f->decides.count) return PF_OK;
  PfMark mark = pf_arena_mark(p->arena);
  PfExpr *slope;
  double *numbers;
  PfStatus end = pf_arrays(p->ctx, p->arena, "steady motions", PF_ROOM(slope, f->count), PF_ROOM(numbers, f->count));
  for (int k = 0, found = 0; k < TRIES && found < PROBES && end == PF_OK; k++) {
    int before = pf_diagnostic_count(p->ctx);
    PfStatus status = scatter(p, k, false);
    if (status == PF_OK) status = mark_decisive(p, slope, numbers, decisive);
    end = pf_end_attempt(p->ctx, before, status);
    found += status == PF_OK;
  }
  pf_arena_release(p->arena, mark);
  return end;
}

/* Back to where the problem was made, on the same sheet of the constraints. */
static PfStatus go_home(PfProblem *p)
{
  memcpy(p->field->full, p->home, (size_t)p->field->count*sizeof *p->home);
  return pf_dynamics_go(p->field, p->base);
}

/* Finds the cyclic components in the present chart, and how many there are: the largest set of coordinates, those aside
 * that are first-order states or decide in switches, on which nothing outside the set depends. The field is at home
 * then. */
static PfStatus look(PfProblem *p, bool *pattern, int *count)
{
  const int n = p->size;
  PF_TRY(probe(p, pattern));
  PfMark mark = pf_arena_mark(p->arena);
  bool *apart;
  PfStatus status = pf_arrays(p->ctx, p->arena, "steady motions", PF_ROOM(apart, n));
  if (status == PF_OK) status = find_first_order(p, apart);
  if (status == PF_OK) status = find_decisive(p, apart);
  if (status == PF_OK) {
    *count = 0;
    for (int k = 0; k < n; k++) p->cyclic[k] = k < p->field->ny && !apart[k], *count += p->cyclic[k];
    for (bool changed = true; changed;) {
      changed = false;
      for (int k = 0; k < n; k++)
        for (int i = 0; i < n && p->cyclic[k]; i++)
          if (!p->cyclic[i] && pattern[i*n + k]) p->cyclic[k] = false, changed = true, --*count;
    }
  }
  pf_arena_release(p->arena, mark);
  return status == PF_OK ? go_home(p) : status;
}

/* Goes home, chooses independent coordinates and velocities there, and takes over its components. */
static PfStatus chart(PfProblem *p, const bool *avoid)
{
  PF_TRY(go_home(p));
  PF_TRY(pf_dynamics_chart(p->field, avoid));
  p->size = pf_dynamics_size(p->field);
  pf_dynamics_get(p->field, p->base);
  return PF_OK;
}

/* Velocities in body axes see more symmetry than those in the axes of the ground: with the spin of a wheel instead of
 * x' as independent velocity the heading is cyclic. So each velocity is tried as a dependent one. */
static PfStatus improve_chart(PfProblem *p, bool *pattern, bool *avoid, int *count)
{
  PfDynamics *f = p->field;
  int trials = f->speeds || !f->nv ? 0 : f->n;
  for (int j = 0; j < trials; j++) {
    bool independent = false;
    for (int k = 0; k < f->nj; k++) independent = independent || f->w[k] == j;
    if (!independent || avoid[j]) continue;
    int now, before = pf_diagnostic_count(p->ctx);
    avoid[j] = true;
    PfStatus status = chart(p, avoid);
    if (status == PF_OK) status = look(p, pattern, &now);
    if (status == PF_OK && now > *count) {
      *count = now;
      continue;
    }
    PF_TRY(pf_end_attempt(p->ctx, before, status));
    avoid[j] = false;
    PF_TRY(chart(p, avoid));
  }
  return look(p, pattern, count);
}

/* ---------------------------------------------------------------- full turns */

static const double turn = 6.283185307179586;

/* By its declared unit: rad, mrad, deg or rev. */
bool pf_coordinate_is_angle(const PfModel *model, int coordinate)
{
  static const char *const units[] = {"rad", "mrad", "deg", "rev"};
  for (size_t k = 0; k < sizeof units/sizeof *units; k++)
    if (!strcmp(model->coordinates[coordinate].unit, units[k])) return true;
  return false;
}

/* Only of coordinates after whose full turn all is the same; others as they are. */
double pf_problem_turned_coordinate(const PfProblem *p, int coordinate, double d)
{
  return p->turns[coordinate] ? d - turn*round(d/turn) : d;
}

/* Of a velocity d itself. */
double pf_problem_turned(const PfProblem *p, int component, double d)
{
  return component < p->field->ny ? pf_problem_turned_coordinate(p, p->field->y[component], d) : d;
}

/* How much the rates of components that are not cyclic differ, in parts of the largest rate, between the k-th arbitrary
 * state and the same with the coordinate j turned by an angle; *stays: the constraints allow that. `first`: room for
 * the rates before. */
static PfStatus turned_difference(PfProblem *p, int k, int j, double by, double *first, bool *stays, double *found)
{
  PfDynamics *f = p->field;
  PF_TRY(scatter(p, k, false));
  pf_dynamics_rate(f, first);
  double *angle = f->full + f->at_q + j, there = *angle + by;
  *angle = there;
  pf_dynamics_get(f, p->x);
  PF_TRY(pf_dynamics_go(f, p->x));
  *stays = fabs(*angle - there) < 1e-6;
  pf_dynamics_rate(f, p->rate);
  double most = fmax(pf_largest(first, p->size), pf_largest(p->rate, p->size)), worst = 0;
  for (int i = 0; i < p->size; i++)
    if (!p->cyclic[i] && !(fabs(first[i] - p->rate[i]) <= worst*most)) worst = fabs(first[i] - p->rate[i])/most;
  *found = worst;
  return PF_OK;
}

/* Are the rates of components that are not cyclic the same after a full turn of the coordinate j, though they are not
 * after a part of it? A spring that is wound up rules it out, and so does a length that is very large compared with a
 * turn. A coordinate that is declared as an angle need not pass the test of parts. */
static PfStatus comes_round(PfProblem *p, int j, double *first, bool *yes)
{
  enum { PROBES = 2, TRIES = 12 };
  const double part = 0.16*turn, same = 1e-8, other = 1e-4;
  int good = 0, before = pf_diagnostic_count(p->ctx);
  bool shown = pf_coordinate_is_angle(p->field->model, j);
  *yes = true;
  for (int k = 0; k < TRIES && good < PROBES && *yes; k++) {
    bool stays = true, turns = true;
    double whole = 0, some = 0;
    PfStatus status = turned_difference(p, k, j, turn, first, &stays, &whole);
    if (status == PF_OK && !shown) status = turned_difference(p, k, j, part, first, &turns, &some);
    PF_TRY(pf_end_attempt(p->ctx, before, status));
    if (status != PF_OK) continue;
    good++;
    *yes = stays && whole <= same;
    shown = shown || (turns && some > other);
  }
  *yes = *yes && good && shown;
  return go_home(p);
}

/* ---------------------------------------------------------------- making */

/* Unknowns are the components that are not cyclic; of equilibria only coordinates. Equations: the rates of these; of
 * equilibria those of all velocities, and of all coordinates where some move by themselves, as first-order states and
 * whatever rows with a term free of velocities move: which ones do hangs on the velocities that are independent. */
static void list_unknowns(PfProblem *p)
{
  const PfDynamics *f = p->field;
  bool rest = p->kind == PF_EQUILIBRIA;
  p->size = pf_dynamics_size(f);
  p->unknowns = p->equations = 0;
  for (int k = 0; k < p->size; k++) {
    bool velocity = k >= f->ny;
    p->cyclic[k] = !velocity && p->held[f->y[k]];
    p->base[k] = !velocity ? p->home[f->at_q + f->y[k]] : rest ? 0 : p->home[f->at_w + f->w[k - f->ny]];
    if (!p->cyclic[k] && !(rest && velocity)) p->unknown[p->unknowns++] = k;
    if (rest ? velocity || p->flowing : !p->cyclic[k]) p->equation[p->equations++] = k;
  }
}

/* The number of unknowns stays, since the rank of the constraints does. */
PfStatus pf_problem_rechart(PfProblem *p)
{
  PfDynamics *f = p->field;
  int before = p->unknowns;
  if (p->bound || !(f->np || f->nv)) return PF_OK;
  PF_TRY(pf_dynamics_chart(f, NULL));
  list_unknowns(p);
  return p->unknowns == before ? PF_OK : pf_fail(p->ctx, PF_ERR_NUMBER, "the constraints lose rank here");
}

/* The unknowns are those of the chart then; the field must go somewhere first. */
void pf_problem_use_chart(PfProblem *p, const PfChartChoice *chart)
{
  pf_dynamics_use_chart(p->field, chart);
  list_unknowns(p);
}

/* The unknown components of x, in their order. */
void pf_problem_get(const PfProblem *p, double *z)
{
  const PfDynamics *f = p->field;
  for (int k = 0; k < p->unknowns; k++) {
    int c = p->unknown[k];
    z[k] = f->full[c < f->ny ? f->at_q + f->y[c] : f->at_w + f->w[c - f->ny]];
  }
}

/* The text is static. */
const char *pf_problem_sought(PfSteadyKind kind)
{
  return kind == PF_EQUILIBRIA ? "equilibria" : "steady motions";
}

/* Marks the coordinates that move when all independent velocities are zero. Where a row gives one a velocity wherever
 * the others are, there are no equilibria: then it fails. */
static PfStatus find_flows(PfProblem *p, const bool *pattern)
{
  enum { TRIES = 6 };
  PfDynamics *f = p->field;
  int before = pf_diagnostic_count(p->ctx);
  for (int k = 0; k < TRIES; k++) {
    PfStatus status = scatter(p, k, true);
    PF_TRY(pf_end_attempt(p->ctx, before, status));
    pf_dynamics_rate(f, p->rate);
    for (int c = 0; c < f->ny && status == PF_OK; c++)
      if (fabs(p->rate[c]) > SATISFIED) p->flows[f->y[c]] = p->flowing = true;
  }
  PF_TRY(go_home(p));
  pf_dynamics_rate(f, p->rate);
  for (int c = 0; c < f->ny; c++) {
    bool depends = false;
    for (int k = 0; k < f->ny; k++) depends = depends || pattern[c*p->size + k];
    if (p->flows[f->y[c]] && !depends)
      return pf_fail(p->ctx, PF_ERR_MODEL, "the constraints forbid rest (%s' = %.6g): there are no equilibria",
                     f->model->coordinates[f->y[c]].name, p->rate[c]*pf_dynamics_unit_of(f, c));
  }
  return PF_OK;
}

/* Are coordinates cyclic by the velocities that were chosen only? Not those that stand nowhere in the equations. */
static bool is_bound(const PfProblem *p)
{
  const PfDynamics *f = p->field;
  for (int j = 0; j < f->n && p->kind == PF_STEADY; j++)
    for (int i = 0; i < f->at_out && p->held[j]; i++)
      if (pf_expr_depends(p->ctx, f->roots[i], &f->model->coordinates[j].q, 1)) return true;
  return false;
}

/* Finds cyclic coordinates and the best chart, lists unknowns and equations, finds out which coordinates are angles (in
 * a model without units by their effect alone), and prepares the derivative by the parameter. */
static PfStatus prepare(PfProblem *p, bool *pattern, bool *avoid)
{
  int cyclic;
  double *first;
  PfDynamics *f = p->field;
  const PfModel *model = f->model;
  /* Steady motions are those of a system that does not change in time. */
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value && pf_expr_depends(p->ctx, model->inputs[i].value, &model->time, 1))
      return pf_fail_at(p->ctx, PF_ERR_MODEL, model->inputs[i].place,
                        "the input '%s' changes in time, so there are no %s", model->inputs[i].name,
                        pf_problem_sought(p->kind));
  for (int i = 0; i < p->field->at_out; i++)
    if (pf_expr_depends(p->ctx, p->field->roots[i], &model->time, 1))
      return pf_fail(p->ctx, PF_ERR_MODEL, "the equations of motion depend on time, so there are no %s",
                     pf_problem_sought(p->kind));
  p->size = pf_dynamics_size(f);
  pf_dynamics_get(f, p->base);
  if (p->kind == PF_EQUILIBRIA) { /* all independent velocities are zero */
    for (int k = f->ny; k < p->size; k++) p->base[k] = 0;
    memset(f->full + f->at_w, 0, (size_t)f->nw*sizeof *f->full);
    PF_TRY(pf_dynamics_go(f, p->base));
  }
  memcpy(p->home, f->full, (size_t)f->count*sizeof *p->home);
  PF_TRY(look(p, pattern, &cyclic));
  PF_TRY(improve_chart(p, pattern, avoid, &cyclic));
  if (p->kind == PF_EQUILIBRIA) PF_TRY(find_flows(p, pattern));
  for (int k = 0; k < f->ny; k++) p->held[f->y[k]] = p->cyclic[k];
  f->held = p->held;
  p->bound = is_bound(p);
  list_unknowns(p);
  PF_TRY(pf_arrays(p->ctx, p->arena, "steady motions", PF_ROOM(first, p->size)));
  for (int j = 0; j < f->n; j++)
    if (!p->held[j] && (pf_coordinate_is_angle(model, j) || !model->coordinates[j].unit[0]))
      PF_TRY(comes_round(p, j, first, p->turns + j));
  if (p->parameter < 0) return PF_OK;
  PF_TRY(pf_dynamics_parameter_tape(f, p->parameter, &p->chain));
  p->mu = f->full[f->at_parameters + p->parameter];
  return pf_arrays(p->ctx, p->arena, "steady motions", PF_ROOM(p->work, pf_tape_work_size(p->chain)),
                   PF_ROOM(p->slope, model->parameter_count + model->input_count));
}

/* Arrays for the largest chart, in the arena; then `prepare`. After a failure pf_problem_release is due all the
 * same. */
PfStatus pf_problem_make(PfContext *ctx, PfArena *arena, PfDynamics *field, PfSteadyKind kind, int parameter,
                         PfProblem *p)
{
  *p = (PfProblem){.ctx = ctx, .arena = arena, .field = field, .kind = kind, .parameter = parameter, .mu = NAN};
  const size_t n = (size_t)(field->n + field->nw), count = (size_t)field->count; /* no chart is larger than n */
  bool *pattern, *avoid;
  PF_TRY(pf_arrays(ctx, arena, "steady motions", PF_ROOM(p->unknown, n), PF_ROOM(p->equation, n),
                   PF_ROOM(p->cyclic, n), PF_ROOM(p->turns, n), PF_ROOM(p->held, n), PF_ROOM(p->flows, n),
                   PF_ROOM(p->home, count), PF_ROOM(p->x, n), PF_ROOM(p->base, n), PF_ROOM(p->rate, n),
                   PF_ROOM2(p->A, n, n), PF_ROOM2(p->noise, n, n), PF_ROOM(p->s, count), PF_ROOM2(pattern, n, n),
                   PF_ROOM(avoid, n)));
  return prepare(p, pattern, avoid);
}

/* The field may be used as before after that. */
void pf_problem_release(PfProblem *p)
{
  pf_tape_free(p->chain);
  if (p->field) p->field->held = NULL;
}

/* ---------------------------------------------------------------- residual and slopes */

/* Cyclic components stay at their base; of equilibria all independent velocities do, at 0. The parameter is set only
 * when it is another one. */
PfStatus pf_problem_go(PfProblem *p, const double *z, double mu, double *r)
{
  if (p->parameter >= 0 && !isnan(mu) && mu != p->mu) {
    PF_TRY(pf_dynamics_set_parameter(p->field, p->parameter, mu));
    p->mu = mu;
  }
  memcpy(p->x, p->base, (size_t)p->size*sizeof *p->x);
  for (int k = 0; k < p->unknowns; k++) p->x[p->unknown[k]] = z[k];
  PF_TRY(pf_dynamics_go(p->field, p->x));
  pf_dynamics_rate(p->field, p->rate);
  for (int i = 0; r && i < p->equations; i++) r[i] = p->rate[p->equation[i]];
  return PF_OK;
}

/* J from p->A: the rows of the equations. */
static void take_equations(const PfProblem *p, double *J)
{
  const size_t columns = (size_t)p->unknowns;
  for (size_t i = 0; i < (size_t)p->equations; i++)
    memcpy(J + i*columns, p->A + (size_t)p->equation[i]*columns, columns*sizeof *J);
}

/* dr/dz by pf_dynamics_slopes; dr/dmu by one more direction, along which parameters and inputs move. */
PfStatus pf_problem_slope(PfProblem *p, double *J, double *J_mu)
{
  PfDynamics *f = p->field;
  PF_TRY(pf_dynamics_slopes(f, p->unknown, p->unknowns, p->A, NULL));
  take_equations(p, J);
  if (!J_mu) return PF_OK;
  pf_dynamics_seed_parameter(f, p->chain, p->slope, p->work, p->s);
  PF_TRY(pf_dynamics_complete(f, p->s, NULL, f->derived));
  pf_dynamics_rate_of(f, p->s, f->derived, p->rate);
  for (int i = 0; i < p->equations; i++) J_mu[i] = p->rate[p->equation[i]];
  return PF_OK;
}

/* As many numbers as r has. */
PfStatus pf_problem_rounding(PfProblem *p, double *noise)
{
  PF_TRY(pf_dynamics_rounding(p->field, NULL, 0, p->noise, NULL));
  for (int i = 0; i < p->equations; i++) noise[i] = p->noise[p->equation[i]];
  return PF_OK;
}

/* It costs several Jacobians: for kernels and ranks, not for steps of Newton's method. */
PfStatus pf_problem_clean_slope(PfProblem *p, double *J)
{
  PF_TRY(pf_dynamics_slopes(p->field, p->unknown, p->unknowns, p->A, NULL));
  PF_TRY(pf_dynamics_clean(p->field, p->unknown, p->unknowns, p->A, p->noise));
  take_equations(p, J);
  return PF_OK;
}

/* The linear part of the motion next to a steady one: its eigenvalues decide about stability. */
PfStatus pf_problem_matrix(PfProblem *p, double *matrix, double *noise, int *count)
{
  const int n = p->size;
  int m = 0, at = 0;
  PF_TRY(find_slopes(p));
  for (int k = 0; k < n; k++) m += !p->cyclic[k];
  for (int i = 0; i < n*n; i++) {
    if (p->cyclic[i/n] || p->cyclic[i%n]) continue;
    if (noise) noise[at] = p->noise[i];
    matrix[at++] = p->A[i];
  }
  *count = m;
  return PF_OK;
}
