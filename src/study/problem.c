/* SPDX-License-Identifier: Apache-2.0 */
/* Cyclic coordinates, and the residual of steady motions. */
#include "study/problem.h"

#include <math.h>
#include <string.h>

/* Arbitrary numbers in (-1, 1), the same in every run. */
static double arbitrary(int i, int salt)
{
  double x = sin(12.9898*(i + 1) + 78.233*(salt + 1))*43758.5453;
  return 2*(x - floor(x)) - 1;
}

/* Constraints are satisfied up to less than this. */
static const double SATISFIED = 1e-10;

/* ---------------------------------------------------------------- what depends on what */

/* An arbitrary state near the place; for equilibria the velocities stay zero. */
static void scatter(PfProblem *p, int k)
{
  double reach = k < 6 ? 0.7 : 0.02;
  for (int i = 0; i < p->size; i++) {
    double step = i < p->field->ny ? 1 : 1 + fabs(p->base[i]);
    p->x[i] = p->base[i] + reach*step*arbitrary(i, k);
    if (p->kind == PF_EQUILIBRIA && i >= p->field->ny) p->x[i] = 0;
  }
}

/* Marks pattern[i*size + k] where x'_i depends on x_k, seen by exact derivatives at arbitrary states near the place. */
static PfStatus probe(PfProblem *p, bool *pattern)
{
  enum { PROBES = 3, TRIES = 12 };
  PfDynamics *f = p->field;
  int n = p->size, found = 0;
  memset(pattern, 0, (size_t)n*(size_t)n*sizeof *pattern);
  for (int k = 0; k < TRIES && found < PROBES; k++) {
    int before = pf_diagnostic_count(p->ctx);
    scatter(p, k);
    PfStatus status = pf_dynamics_go(f, p->x);
    if (status == PF_OK) status = pf_dynamics_jacobian(f, p->A, NULL);
    if (status == PF_OK) status = pf_dynamics_clean(f, NULL, n, p->A, p->noise);
    if (pf_is_final(status)) return status;
    pf_diagnostics_cut(p->ctx, before);
    if (status != PF_OK) continue;
    found++;
    for (int i = 0; i < n*n; i++) pattern[i] = pattern[i] || p->A[i] != 0;
  }
  return found ? PF_OK : pf_fail(p->ctx, PF_ERR_NUMBER, "no state near the start satisfies the constraints");
}

/* Adds what depends on what by way of others: ny x ny. */
static void close_pattern(bool *pattern, int ny)
{
  for (int via = 0; via < ny; via++)
    for (int i = 0; i < ny; i++)
      for (int k = 0; k < ny && pattern[i*ny + via]; k++)
        pattern[i*ny + k] = pattern[i*ny + k] || pattern[via*ny + k];
}

/* At arbitrary states with all independent velocities zero: which rates of coordinates depend on which coordinates? */
static PfStatus probe_rest(PfProblem *p, bool *pattern)
{
  enum { TRIES = 6 };
  PfDynamics *f = p->field;
  const int n = p->size, ny = f->ny, before = pf_diagnostic_count(p->ctx);
  for (int k = 0; k < TRIES; k++) {
    scatter(p, k);
    for (int i = ny; i < n; i++) p->x[i] = 0;
    PfStatus status = pf_dynamics_go(f, p->x);
    if (status == PF_OK) pf_dynamics_rate(f, p->rate);
    const bool moves = status == PF_OK && pf_largest(p->rate, ny) > SATISFIED;
    if (moves) status = pf_dynamics_jacobian(f, p->A, NULL);
    if (moves && status == PF_OK) status = pf_dynamics_clean(f, NULL, n, p->A, p->noise);
    if (pf_is_final(status)) return status;
    pf_diagnostics_cut(p->ctx, before);
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
  const size_t ny = (size_t)f->ny;
  PfMark mark = pf_arena_mark(p->arena);
  bool *pattern = pf_arena_array(p->arena, bool, ny*ny);
  PfStatus status = pattern ? probe_rest(p, pattern) : pf_no_room(p->ctx, "steady motions");
  if (status == PF_OK) {
    close_pattern(pattern, f->ny);
    for (int k = 0; k < f->ny; k++) {
      first_order[k] = pattern[k*f->ny + k];
      for (int b = 0; b < f->model->ball_count; b++)
        if (f->y[k] >= f->model->balls[b].q && f->y[k] < f->model->balls[b].q + 4) first_order[k] = false;
    }
  }
  pf_arena_release(p->arena, mark);
  return status;
}

/* How the argument g that decides changes with each component of x where the field is: marks coordinates on which it
 * depends. */
static PfStatus mark_decisive(PfProblem *p, PfExpr g, PfExpr *slope, double *numbers, bool *decisive)
{
  PfDynamics *f = p->field;
  PF_TRY(pf_expr_gradient(p->ctx, g, f->symbol, f->count, slope));
  PF_TRY(pf_expr_evaluate(p->ctx, slope, f->count, f->symbol, f->full, f->count, numbers));
  for (int k = 0; k < f->ny; k++) {
    double sum = 0, size = 0;
    pf_dynamics_unit(f, k, p->s);
    PF_TRY(pf_dynamics_complete(f, p->s, NULL, f->derived));
    for (int i = 0; i < f->count; i++) sum += numbers[i]*p->s[i], size += fabs(numbers[i]*p->s[i]);
    if (fabs(sum) > 1e-9*size) decisive[k] = true;
  }
  return PF_OK;
}

/* Marks coordinates that decide in a switch of the equations: beyond it other things may depend on them, as the force
 * of the floor on the height of a ball above it. */
static PfStatus find_decisive(PfProblem *p, bool *decisive)
{
  enum { PROBES = 3, TRIES = 12 };
  PfDynamics *f = p->field;
  PF_TRY(pf_dynamics_deciders(f));
  if (!f->decides.count) return PF_OK;
  PfMark mark = pf_arena_mark(p->arena);
  PfExpr *slope = pf_arena_array(p->arena, PfExpr, f->count);
  double *numbers = pf_arena_array(p->arena, double, f->count);
  PfStatus status = slope && numbers ? PF_OK : pf_no_room(p->ctx, "steady motions");
  for (int k = 0, found = 0; k < TRIES && found < PROBES && !pf_is_final(status); k++) {
    int before = pf_diagnostic_count(p->ctx);
    scatter(p, k);
    status = pf_dynamics_go(f, p->x);
    for (int i = 0; i < f->decides.count && status == PF_OK; i++)
      status = mark_decisive(p, f->decides.g[i], slope, numbers, decisive);
    if (!pf_is_final(status)) pf_diagnostics_cut(p->ctx, before);
    found += status == PF_OK;
  }
  pf_arena_release(p->arena, mark);
  return pf_is_final(status) ? status : PF_OK;
}

/* The largest set of coordinates, those aside that have a part of their own, on which nothing outside the set depends.
 * Returns its size. */
static int find_cyclic(PfProblem *p, const bool *pattern, const bool *apart)
{
  int n = p->size, count = 0;
  for (int k = 0; k < n; k++) p->cyclic[k] = k < p->field->ny && !apart[k], count += p->cyclic[k];
  for (bool changed = true; changed;) {
    changed = false;
    for (int k = 0; k < n; k++)
      for (int i = 0; i < n && p->cyclic[k]; i++)
        if (!p->cyclic[i] && pattern[i*n + k]) p->cyclic[k] = false, changed = true, count--;
  }
  return count;
}

/* Back to where the problem was made, on the same sheet of the constraints. */
static PfStatus go_home(PfProblem *p)
{
  memcpy(p->field->full, p->home, (size_t)p->field->count*sizeof *p->home);
  return pf_dynamics_go(p->field, p->base);
}

static PfStatus look(PfProblem *p, bool *pattern, int *count)
{
  PF_TRY(probe(p, pattern));
  PfMark mark = pf_arena_mark(p->arena);
  bool *apart = pf_arena_array(p->arena, bool, p->size);
  PfStatus status = apart ? find_first_order(p, apart) : pf_no_room(p->ctx, "steady motions");
  if (status == PF_OK) status = find_decisive(p, apart);
  if (status == PF_OK) *count = find_cyclic(p, pattern, apart);
  pf_arena_release(p->arena, mark);
  return status == PF_OK ? go_home(p) : status;
}

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
    if (pf_is_final(status)) return status;
    pf_diagnostics_cut(p->ctx, before);
    avoid[j] = false;
    PF_TRY(chart(p, avoid));
  }
  return look(p, pattern, count);
}

/* ---------------------------------------------------------------- full turns */

static const double turn = 6.283185307179586;

bool pf_coordinate_is_angle(const PfModel *model, int coordinate)
{
  static const char *const units[] = {"rad", "mrad", "deg", "rev"};
  for (size_t k = 0; k < sizeof units/sizeof *units; k++)
    if (!strcmp(model->coordinates[coordinate].unit, units[k])) return true;
  return false;
}

double pf_problem_turned_coordinate(const PfProblem *p, int coordinate, double d)
{
  return p->turns[coordinate] ? d - turn*round(d/turn) : d;
}

double pf_problem_turned(const PfProblem *p, int component, double d)
{
  return component < p->field->ny ? pf_problem_turned_coordinate(p, p->field->y[component], d) : d;
}

/* A full turn of the coordinate j where the field is: the field goes there, unless the constraints do not allow it. */
static PfStatus turn_by(PfProblem *p, int j, double by, bool *stays)
{
  PfDynamics *f = p->field;
  double *angle = f->full + f->at_q + j, there = *angle + by;
  *angle = there;
  pf_dynamics_get(f, p->x);
  PF_TRY(pf_dynamics_go(f, p->x));
  *stays = fabs(*angle - there) < 1e-6;
  return PF_OK;
}

/* How much the rates of what is not cyclic differ from `first`, in parts of the largest rate. */
static double difference(const PfProblem *p, const double *first)
{
  double most = fmax(pf_largest(first, p->size), pf_largest(p->rate, p->size)), worst = 0;
  for (int i = 0; i < p->size; i++)
    if (!p->cyclic[i] && !(fabs(first[i] - p->rate[i]) <= worst*most)) worst = fabs(first[i] - p->rate[i])/most;
  return worst;
}

/* At the state x: the difference of the rates after the coordinate j has turned; *stays says whether it can. */
static PfStatus turned_difference(PfProblem *p, int j, double by, double *first, bool *stays, double *found)
{
  PF_TRY(pf_dynamics_go(p->field, p->x));
  pf_dynamics_rate(p->field, first);
  PF_TRY(turn_by(p, j, by, stays));
  pf_dynamics_rate(p->field, p->rate);
  *found = difference(p, first);
  return PF_OK;
}

/* Are the rates of what is not cyclic the same after a full turn of the coordinate j, though they are not after a part
 * of it? A spring that is wound up says no, and so does a length beside which a turn is nothing. A coordinate that is
 * declared as an angle need not show by parts that it is one. */
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
    scatter(p, k);
    PfStatus status = turned_difference(p, j, turn, first, &stays, &whole);
    if (status == PF_OK && !shown) {
      scatter(p, k);
      status = turned_difference(p, j, part, first, &turns, &some);
    }
    if (pf_is_final(status)) return status;
    pf_diagnostics_cut(p->ctx, before);
    if (status != PF_OK) continue;
    good++;
    *yes = stays && whole <= same;
    shown = shown || (turns && some > other);
  }
  *yes = *yes && good && shown;
  return go_home(p);
}

/* Of a model without units, angles are known by what they do alone. */
static bool may_be_angle(const PfModel *model, int coordinate)
{
  return pf_coordinate_is_angle(model, coordinate) || !model->coordinates[coordinate].unit[0];
}

static PfStatus find_turns(PfProblem *p)
{
  double *first = pf_arena_array(p->arena, double, p->size);
  if (!first) return pf_no_room(p->ctx, "steady motions");
  for (int j = 0; j < p->field->n; j++)
    if (!p->held[j] && may_be_angle(p->field->model, j))
      PF_TRY(comes_round(p, j, first, p->turns + j));
  return PF_OK;
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

PfStatus pf_problem_rechart(PfProblem *p)
{
  PfDynamics *f = p->field;
  int before = p->unknowns;
  if (p->bound || !(f->np || f->nv)) return PF_OK;
  PF_TRY(pf_dynamics_chart(f, NULL));
  list_unknowns(p);
  return p->unknowns == before ? PF_OK : pf_fail(p->ctx, PF_ERR_NUMBER, "the constraints lose rank here");
}

void pf_problem_use_chart(PfProblem *p, const PfChartChoice *chart)
{
  pf_dynamics_use_chart(p->field, chart);
  list_unknowns(p);
}

void pf_problem_get(const PfProblem *p, double *z)
{
  const PfDynamics *f = p->field;
  for (int k = 0; k < p->unknowns; k++) {
    int c = p->unknown[k];
    z[k] = f->full[c < f->ny ? f->at_q + f->y[c] : f->at_w + f->w[c - f->ny]];
  }
}

const char *pf_problem_sought(PfSteadyKind kind)
{
  return kind == PF_EQUILIBRIA ? "equilibria" : "steady motions";
}

/* Steady motions are those of a system that does not change in time. */
static PfStatus check_autonomous(PfProblem *p)
{
  const PfModel *model = p->field->model;
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value && pf_expr_depends(p->ctx, model->inputs[i].value, &model->time, 1))
      return pf_fail_at(p->ctx, PF_ERR_MODEL, model->inputs[i].place,
                        "the input '%s' changes in time, so there are no %s", model->inputs[i].name,
                        pf_problem_sought(p->kind));
  for (int i = 0; i < p->field->at_out; i++)
    if (pf_expr_depends(p->ctx, p->field->roots[i], &model->time, 1))
      return pf_fail(p->ctx, PF_ERR_MODEL, "the equations of motion depend on time, so there are no %s",
                     pf_problem_sought(p->kind));
  return PF_OK;
}

static PfStatus make_room(PfProblem *p)
{
  size_t n = (size_t)(p->field->n + p->field->nw); /* no chart is larger */
  p->unknown = pf_arena_array(p->arena, int, n), p->equation = pf_arena_array(p->arena, int, n);
  p->cyclic = pf_arena_array(p->arena, bool, n), p->turns = pf_arena_array(p->arena, bool, n);
  p->held = pf_arena_array(p->arena, bool, n), p->flows = pf_arena_array(p->arena, bool, n);
  p->home = pf_arena_array(p->arena, double, p->field->count);
  p->x = pf_arena_array(p->arena, double, n), p->base = pf_arena_array(p->arena, double, n);
  p->rate = pf_arena_array(p->arena, double, n), p->A = pf_arena_array(p->arena, double, n*n);
  p->noise = pf_arena_array(p->arena, double, n*n);
  p->s = pf_arena_array(p->arena, double, p->field->count);
  bool good = p->unknown && p->equation && p->cyclic && p->turns && p->x && p->base && p->rate && p->A && p->noise &&
              p->s && p->held && p->flows && p->home;
  return good ? PF_OK : pf_no_room(p->ctx, "steady motions");
}

static PfStatus make_chain(PfProblem *p)
{
  const PfModel *model = p->field->model;
  if (p->parameter < 0) return PF_OK;
  PF_TRY(pf_dynamics_parameter_tape(p->field, p->parameter, &p->chain));
  p->work = pf_arena_array(p->arena, double, pf_tape_work_size(p->chain));
  p->slope = pf_arena_array(p->arena, double, model->parameter_count + model->input_count);
  p->mu = p->field->full[p->field->at_parameters + p->parameter];
  return p->work && p->slope ? PF_OK : pf_no_room(p->ctx, "steady motions");
}

/* Equilibria: all independent velocities are zero. */
static PfStatus stop(PfProblem *p)
{
  PfDynamics *f = p->field;
  for (int k = f->ny; k < p->size; k++) p->base[k] = 0;
  memset(f->full + f->at_w, 0, (size_t)f->nw*sizeof *f->full);
  return pf_dynamics_go(f, p->base);
}

/* Marks the coordinates that move when all independent velocities are zero. */
static PfStatus find_flows(PfProblem *p)
{
  enum { TRIES = 6 };
  PfDynamics *f = p->field;
  int before = pf_diagnostic_count(p->ctx);
  for (int k = 0; k < TRIES; k++) {
    scatter(p, k);
    PfStatus status = pf_dynamics_go(f, p->x);
    if (pf_is_final(status)) return status;
    pf_diagnostics_cut(p->ctx, before);
    pf_dynamics_rate(f, p->rate);
    for (int c = 0; c < f->ny && status == PF_OK; c++)
      if (fabs(p->rate[c]) > SATISFIED) p->flows[f->y[c]] = p->flowing = true;
  }
  return go_home(p);
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

/* Is there a row that gives a coordinate a velocity, wherever the others are? */
static PfStatus check_rest(PfProblem *p, const bool *pattern)
{
  const PfDynamics *f = p->field;
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

static PfStatus prepare(PfProblem *p, bool *pattern, bool *avoid)
{
  int cyclic;
  PfDynamics *f = p->field;
  PF_TRY(check_autonomous(p));
  p->size = pf_dynamics_size(f);
  pf_dynamics_get(f, p->base);
  if (p->kind == PF_EQUILIBRIA) PF_TRY(stop(p));
  memcpy(p->home, f->full, (size_t)f->count*sizeof *p->home);
  PF_TRY(look(p, pattern, &cyclic));
  PF_TRY(improve_chart(p, pattern, avoid, &cyclic));
  if (p->kind == PF_EQUILIBRIA) PF_TRY(find_flows(p));
  if (p->kind == PF_EQUILIBRIA) PF_TRY(check_rest(p, pattern));
  for (int k = 0; k < f->ny; k++) p->held[f->y[k]] = p->cyclic[k];
  f->held = p->held;
  p->bound = is_bound(p);
  list_unknowns(p);
  PF_TRY(find_turns(p));
  return make_chain(p);
}

PfStatus pf_problem_make(PfContext *ctx, PfArena *arena, PfDynamics *field, PfSteadyKind kind, int parameter,
                         PfProblem *p)
{
  *p = (PfProblem){.ctx = ctx, .arena = arena, .field = field, .kind = kind, .parameter = parameter, .mu = NAN};
  size_t n = (size_t)(field->n + field->nw);
  PF_TRY(make_room(p));
  bool *pattern = pf_arena_array(arena, bool, n*n), *avoid = pf_arena_array(arena, bool, n);
  return pattern && avoid ? prepare(p, pattern, avoid) : pf_no_room(ctx, "steady motions");
}

void pf_problem_release(PfProblem *p)
{
  pf_tape_free(p->chain);
  if (p->field) p->field->held = NULL;
}

/* ---------------------------------------------------------------- residual and slopes */

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

static PfStatus parameter_slope(PfProblem *p, double *J_mu)
{
  PfDynamics *f = p->field;
  int np = f->model->parameter_count, ni = f->model->input_count;
  pf_tape_run(p->chain, f->full, p->slope, p->work);
  memset(p->s, 0, (size_t)f->count*sizeof *p->s);
  memcpy(p->s + f->at_parameters, p->slope, (size_t)np*sizeof *p->s);
  if (ni) memcpy(p->s + f->at_inputs, p->slope + np, (size_t)ni*sizeof *p->s);
  PF_TRY(pf_dynamics_complete(f, p->s, NULL, f->derived));
  pf_dynamics_rate_of(f, p->s, f->derived, p->rate);
  for (int i = 0; i < p->equations; i++) J_mu[i] = p->rate[p->equation[i]];
  return PF_OK;
}

PfStatus pf_problem_slope(PfProblem *p, double *J, double *J_mu)
{
  int columns = p->unknowns;
  PF_TRY(pf_dynamics_slopes(p->field, p->unknown, columns, p->A, NULL));
  for (int i = 0; i < p->equations; i++)
    for (int k = 0; k < columns; k++) J[i*columns + k] = p->A[p->equation[i]*columns + k];
  return J_mu ? parameter_slope(p, J_mu) : PF_OK;
}

PfStatus pf_problem_rounding(PfProblem *p, double *noise)
{
  PF_TRY(pf_dynamics_rounding(p->field, NULL, 0, p->noise, NULL));
  for (int i = 0; i < p->equations; i++) noise[i] = p->noise[p->equation[i]];
  return PF_OK;
}

PfStatus pf_problem_clean_slope(PfProblem *p, double *J)
{
  int columns = p->unknowns;
  PF_TRY(pf_dynamics_slopes(p->field, p->unknown, columns, p->A, NULL));
  PF_TRY(pf_dynamics_clean(p->field, p->unknown, columns, p->A, p->noise));
  for (int i = 0; i < p->equations; i++)
    for (int k = 0; k < columns; k++) J[i*columns + k] = p->A[p->equation[i]*columns + k];
  return PF_OK;
}

PfStatus pf_problem_matrix(PfProblem *p, double *matrix, double *noise, int *count)
{
  int n = p->size, m = 0, row = 0;
  PF_TRY(pf_dynamics_jacobian(p->field, p->A, NULL));
  PF_TRY(pf_dynamics_clean(p->field, NULL, n, p->A, p->noise));
  for (int k = 0; k < n; k++) m += !p->cyclic[k];
  for (int i = 0; i < n; i++) {
    int column = 0;
    if (p->cyclic[i]) continue;
    for (int k = 0; k < n; k++) {
      if (p->cyclic[k]) continue;
      if (noise) noise[row*m + column] = p->noise[i*n + k];
      matrix[row*m + column++] = p->A[i*n + k];
    }
    row++;
  }
  *count = m;
  return PF_OK;
}
