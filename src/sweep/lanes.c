/* SPDX-License-Identifier: Apache-2.0 */
/* Runge-Kutta steps in lanes: dopri5 with the control of time/erk.c, and rk4. A lane that meets trouble is left to a
 * simulation, which begins anew and says what the trouble is. */
#include "sweep/lanes.h"
#include "num/tolerances.h"
#include "time/erk.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Where number i of a lane stands in an array with N of them. */
static size_t at(int lane, int i, int N)
{
  return (size_t)(lane/PF_LANES*N + i)*PF_LANES + (size_t)(lane%PF_LANES);
}

static int groups_of(const PfLaneEngine *e)
{
  return (e->count + PF_LANES - 1)/PF_LANES;
}

static const double *stage_of(const PfLaneEngine *e, int stage)
{
  return e->k + (size_t)stage*PF_LANE_COUNT*2*(size_t)e->n;
}

static void evaluate(PfLaneEngine *e, int stage)
{
  pf_tape_run_groups(e->tapes.flow, groups_of(e), e->rows, e->out, e->work);
  pf_lanes_derive(e, groups_of(e), stage);
}

static void project(PfLaneEngine *e)
{
  const PfTape *tapes[] = {e->tapes.position, e->tapes.velocity};
  for (int i = 0; i < 2; i++) {
    if (!tapes[i]) continue;
    pf_tape_run_groups(tapes[i], groups_of(e), e->rows, e->out, e->work);
    pf_lanes_correct(e, groups_of(e), i*e->n);
  }
}

/* ---------------------------------------------------------------- steps */

static double first_step(const PfLaneEngine *e, int l)
{
  const double *dy = stage_of(e, 0);
  double size = 0, slope = 0;
  for (int i = 0; i < 2*e->n; i++) {
    const size_t k = at(l, i, 2*e->n);
    const double scale = e->atol[l] + e->rtol[l]*fabs(e->y[k]);
    size += e->y[k]/scale*(e->y[k]/scale);
    slope += dy[k]/scale*(dy[k]/scale);
  }
  const double h = size > 1e-10 && slope > 1e-10 ? 0.01*sqrt(size/slope) : 1e-6;
  return fmin(h, e->lane[l].t_end - e->lane[l].t);
}

static double limit_step(const PfLane *lane)
{
  const double left = lane->t_end - lane->t;
  double h = lane->h;
  if (lane->largest_step > 0) h = fmin(h, lane->largest_step);
  return h > left || left - h < 1e-3*h ? left : h;
}

/* All lanes try one step. */
static void try_dopri5(PfLaneEngine *e)
{
  const PfTableau *tb = &pf_dopri5_tableau;
  for (int l = 0; l < e->count; l++) e->tried[l] = limit_step(e->lane + l);
  for (int s = 1; s < tb->stages; s++) {
    const PfLaneStage stage = {tb->c[s], 1, s, tb->a + (size_t)s*(size_t)tb->stages};
    pf_lanes_combine(e, groups_of(e), &stage);
    if (s == tb->stages - 1) project(e);
    evaluate(e, s);
  }
  pf_lanes_errors(e, groups_of(e), pf_dopri5_error);
}

static void try_rk4(PfLaneEngine *e)
{
  static const double a[5][4] = {{0}, {0.5, 0, 0, 0}, {0, 0.5, 0, 0}, {0, 0, 1, 0}, {1, 2, 2, 1}};
  static const PfLaneStage stage[] = {{0}, {0.5, 1, 1, a[1]}, {0.5, 1, 2, a[2]}, {1, 1, 3, a[3]}, {1, 6, 4, a[4]}};
  for (int l = 0; l < e->count; l++) {
    const double left = e->lane[l].t_end - e->now[l], h = e->lane[l].h < left ? e->lane[l].h : left;
    e->tried[l] = left - h < 1e-9*h ? left : h;
  }
  for (int s = 1; s <= 4; s++) {
    pf_lanes_combine(e, groups_of(e), stage + s);
    if (s == 4) project(e);
    evaluate(e, s);
  }
  pf_lanes_look(e, groups_of(e), 4);
}

static int last_stage(const PfLaneEngine *e)
{
  return e->adaptive ? PF_LANE_STAGES - 1 : 4;
}

typedef enum Outcome { REJECTED, ACCEPTED, TROUBLE } Outcome;

/* As in time/erk.c: a predictive controller after a step, a shorter one after an attempt in vain. */
static Outcome judge_dopri5(PfLaneEngine *e, int l)
{
  PfLane *lane = e->lane + l;
  const double error = e->error[l], h = e->tried[l], order = pf_dopri5_tableau.order;
  if (error <= 1) { /* all stages are in it: it is finite when they are */
    const double size = fmax(error, 1e-6), factor = 0.9*pow(size, -0.85/order)*pow(lane->last_error, 0.2/order);
    lane->last_error = size;
    const double next = h*fmin(fmax(factor, 0.2), 6);
    lane->h = lane->rejected ? fmin(next, h) : next;
    lane->rejected = false;
    return ACCEPTED;
  }
  lane->rejected = true;
  if (h < PF_SHORTEST_STEP(lane->t)) return TROUBLE;
  const double factor = isfinite(error) ? 0.9*pow(error, -1/order) : 0.2;
  lane->h = h*fmin(fmax(factor, 0.1), 0.9);
  return REJECTED;
}

static Outcome judge(PfLaneEngine *e, int l)
{
  if (e->adaptive) return judge_dopri5(e, l);
  return e->error[l] == 0 ? ACCEPTED : TROUBLE;
}

static bool all_accepted(const PfLaneEngine *e, const Outcome *outcome, int group)
{
  const int end = (group + 1)*PF_LANES < e->count ? (group + 1)*PF_LANES : e->count;
  for (int l = group*PF_LANES; l < end; l++)
    if (outcome[l] != ACCEPTED) return false;
  return true;
}

/* The states of a group, or of one lane, move on. */
static void accept_group(PfLaneEngine *e, int group)
{
  const size_t size = 2*(size_t)e->n*PF_LANES, first = (size_t)group*size;
  const double *rows = e->rows + (size_t)(group*e->width + e->q)*PF_LANES;
  if (e->what->along) memcpy(e->y_old + first, e->y + first, size*sizeof *e->y);
  memcpy(e->y + first, rows, size*sizeof *e->y);
}

static void accept_lane(PfLaneEngine *e, int l)
{
  for (int i = 0; i < 2*e->n; i++) {
    const size_t k = at(l, i, 2*e->n);
    e->y_old[k] = e->y[k];
    e->y[k] = e->rows[at(l, e->q + i, e->width)];
  }
}

/* Steps that are made. (The stages stay as they are until the next ones, for the motion inside.) */
static void accept(PfLaneEngine *e, const Outcome *outcome)
{
  for (int g = 0; g < groups_of(e); g++) {
    const bool all = all_accepted(e, outcome, g);
    if (all) accept_group(e, g);
    for (int l = g*PF_LANES; l < (g + 1)*PF_LANES && l < e->count; l++) {
      PfLane *lane = e->lane + l;
      if (outcome[l] != ACCEPTED) continue;
      if (!all) accept_lane(e, l);
      lane->t_old = lane->t;
      lane->t = lane->t_end - (lane->t + e->tried[l]) < 1e-14*fabs(lane->t_end) ? lane->t_end : lane->t + e->tried[l];
      e->now[l] = lane->t;
      lane->steps++;
    }
  }
}

/* The derivative at the end is that at the start of the next step. */
static void go_on(PfLaneEngine *e, const Outcome *outcome)
{
  const double *last = stage_of(e, last_stage(e));
  const size_t size = 2*(size_t)e->n*PF_LANES;
  for (int g = 0; g < groups_of(e); g++) {
    const bool all = all_accepted(e, outcome, g);
    if (all) memcpy(e->k + (size_t)g*size, last + (size_t)g*size, size*sizeof *last);
    for (int l = g*PF_LANES; l < (g + 1)*PF_LANES && l < e->count && !all; l++)
      for (int i = 0; i < 2*e->n && outcome[l] == ACCEPTED; i++) e->k[at(l, i, 2*e->n)] = last[at(l, i, 2*e->n)];
  }
}

/* ---------------------------------------------------------------- inside a step */

static double inside_dopri5(const PfLaneEngine *e, int l, int i, double t)
{
  const PfLane *lane = e->lane + l;
  const double h = lane->t - lane->t_old, x = (t - lane->t_old)/h, z = 1 - x;
  const size_t k = at(l, i, 2*e->n);
  const double difference = e->y[k] - e->y_old[k], bend = h*stage_of(e, 0)[k] - difference;
  double sum = 0;
  for (int s = 0; s < PF_LANE_STAGES; s++) sum += pf_dopri5_dense[s]*stage_of(e, s)[k];
  const double twist = difference - h*stage_of(e, PF_LANE_STAGES - 1)[k] - bend;
  return e->y_old[k] + x*(difference + z*(bend + x*(twist + z*h*sum)));
}

static double inside_rk4(const PfLaneEngine *e, int l, int i, double t)
{
  const PfLane *lane = e->lane + l;
  const double h = lane->t - lane->t_old, x = (t - lane->t_old)/h, z = 1 - x;
  const size_t k = at(l, i, 2*e->n);
  return (1 + 2*x)*z*z*e->y_old[k] + x*z*z*h*stage_of(e, 0)[k] + x*x*(3 - 2*x)*e->y[k] - x*x*z*h*stage_of(e, 4)[k];
}

/* Into the row of the lane. */
static void show(PfLaneEngine *e, int l, double t)
{
  const bool end = t == e->lane[l].t;
  e->rows[at(l, e->time, e->width)] = t;
  for (int i = 0; i < 2*e->n; i++)
    e->rows[at(l, e->q + i, e->width)] = end ? e->y[at(l, i, 2*e->n)] : e->adaptive ? inside_dopri5(e, l, i, t)
                                                                                     : inside_rk4(e, l, i, t);
}

/* ---------------------------------------------------------------- what is taken */

typedef struct Looker {
  PfLaneEngine *e;
  int lane;
} Looker;

/* What is taken, of one group, at what its rows say. */
static void read_group(PfLaneEngine *e, int group)
{
  pf_tape_run_groups(e->tapes.take, 1, e->rows + (size_t)group*(size_t)e->width*PF_LANES, e->out, e->work);
}

static double look(void *user, int item, double t)
{
  const Looker *x = user;
  PfLaneEngine *e = x->e;
  show(e, x->lane, t);
  read_group(e, x->lane/PF_LANES);
  return e->out[at(x->lane%PF_LANES, e->root[item], e->roots)];
}

static double *node_of(const PfLaneEngine *e, int l, int item)
{
  return e->node + ((size_t)l*(size_t)e->what->count + (size_t)item)*PF_TAKE_NODES;
}

static double *value_of(const PfLaneEngine *e, int l, int item)
{
  return e->value + (size_t)l*(size_t)e->what->count + (size_t)item;
}

/* The quantities of all lanes at what their rows say, as node j. */
static void read_nodes(PfLaneEngine *e, int j)
{
  if (!e->tapes.take) return;
  pf_tape_run_groups(e->tapes.take, groups_of(e), e->rows, e->out, e->work);
  for (int l = 0; l < e->count; l++)
    for (int i = 0; i < e->what->count; i++)
      if (e->root[i] >= 0) node_of(e, l, i)[j] = e->out[at(l, e->root[i], e->roots)];
}

/* The same of one lane. */
static void read_lane(PfLaneEngine *e, int l, int j)
{
  if (!e->tapes.take) return;
  read_group(e, l/PF_LANES);
  for (int i = 0; i < e->what->count; i++)
    if (e->root[i] >= 0) node_of(e, l, i)[j] = e->out[at(l%PF_LANES, e->root[i], e->roots)];
}

static void start_taking(PfLaneEngine *e, int l)
{
  if (e->what->along) read_lane(e, l, 0);
  for (int i = 0; i < e->what->count; i++)
    *value_of(e, l, i) = pf_taken_first(e->what->items + i, e->root[i] >= 0 ? node_of(e, l, i)[0] : NAN, e->lane[l].t);
}

/* Lanes that were rejected are looked at in vain, and left as they are. */
static void take_steps(PfLaneEngine *e, const Outcome *outcome)
{
  if (!e->what->along) return;
  for (int j = 1; j < PF_TAKE_NODES; j++) {
    for (int l = 0; l < e->count; l++) {
      const PfLane *lane = e->lane + l;
      if (outcome[l] == ACCEPTED) show(e, l, j == 4 ? lane->t : lane->t_old + 0.25*(lane->t - lane->t_old)*j);
    }
    read_nodes(e, j);
  }
  for (int l = 0; l < e->count; l++) {
    Looker looker = {e, l};
    for (int i = 0; i < e->what->count && outcome[l] == ACCEPTED; i++) {
      const PfTaken *item = e->what->items + i;
      const PfGlance at = {look, &looker, i};
      double *node = node_of(e, l, i), *value = value_of(e, l, i);
      if (!pf_taken_is_along(item)) continue;
      *value = pf_taken_step(item, &at, node, e->lane[l].t_old, e->lane[l].t, *value);
      node[0] = node[4];
    }
  }
}

static void end_taking(PfLaneEngine *e, int l, double *row)
{
  const PfLane *lane = e->lane + l;
  show(e, l, lane->t);
  read_lane(e, l, 4);
  for (int i = 0; i < e->what->count; i++) {
    const PfTaken *item = e->what->items + i;
    const double now = e->root[i] >= 0 ? node_of(e, l, i)[4] : NAN, value = *value_of(e, l, i);
    e->end[i] = item->kind == PF_TAKE_END ? now : pf_taken_end(item, value, now, lane->t0, lane->t);
  }
  pf_take_row(e->what, e->end, e->room, row);
}

/* ---------------------------------------------------------------- members */

typedef struct Work {
  PfMember *m;
  PfLaneEngine *e;
  const PfMemberFlow *flow;
  double *row;
} Work;

/* One that lanes are not for, or had trouble in. */
static bool run_alone(Work *w, long long number)
{
  char reason[PF_REASON];
  int end;
  return pf_member_run(w->m, number, w->row, &end, reason) && w->flow->take(w->flow->user, number, w->row, end, reason);
}

static bool give_row(Work *w, int l)
{
  static const char no_reason[PF_REASON];
  const PfSweep *sweep = w->m->sweep;
  const int varied = sweep->plan.variable_count;
  const long long number = w->e->lane[l].member;
  pf_plan_member(&sweep->plan, number, w->m->values);
  for (int i = 0; i < varied; i++) w->row[i] = w->m->values[i]/sweep->scales[i];
  end_taking(w->e, l, w->row + varied);
  return w->flow->take(w->flow->user, number, w->row, PF_MEMBER_DONE, no_reason);
}

/* The derivative where the lane begins; the others of its group keep theirs. */
static void derive_start(PfLaneEngine *e, int l)
{
  const int n = e->n, group = l/PF_LANES;
  pf_tape_run_groups(e->tapes.flow, 1, e->rows + (size_t)group*(size_t)e->width*PF_LANES, e->out, e->work);
  double mark = 0;
  for (int i = 0; i < e->tapes.pairs; i++) {
    const double pivot = e->out[at(l%PF_LANES, n + 2*i, e->tapes.outputs)];
    const double start = e->out[at(l%PF_LANES, n + 2*i + 1, e->tapes.outputs)];
    if (!(pivot > (i < e->tapes.mass_pairs ? PF_MASS_TOLERANCE : PF_SCHUR_MARGIN)*start)) mark = NAN;
  }
  for (int i = 0; i < n; i++) {
    const double a = e->out[at(l%PF_LANES, i, e->tapes.outputs)];
    e->k[at(l, i, 2*n)] = e->y[at(l, n + i, 2*n)];
    e->k[at(l, n + i, 2*n)] = a + mark;
    if (!isfinite(a)) mark = NAN;
  }
  if (isnan(mark)) e->k[at(l, n, 2*n)] = NAN;
}

static double state_size(const PfSim *sim, const double *values, double t_end)
{
  return pf_state_size(pf_sim_context(sim), pf_sim_system(sim), values, t_end);
}

/* A lane begins with its member; false when that one is not for lanes. */
static bool begin_lane(Work *w, int l, long long number)
{
  PfLaneEngine *e = w->e;
  PfLane *lane = e->lane + l;
  PfRunOptions o;
  if (pf_member_place(w->m, number, &o) != PF_OK) return false;
  if (o.until != PF_EXPR_NONE || o.formulation || (!e->adaptive && !(o.step > 0))) return false;
  const double *values = pf_sim_values(w->m->sim);
  for (int i = 0; i < e->width; i++) e->rows[at(l, i, e->width)] = values[i];
  for (int i = 0; i < 2*e->n; i++) e->y[at(l, i, 2*e->n)] = values[e->q + i];
  e->rtol[l] = o.rtol > 0 ? o.rtol : PF_USUAL_RTOL;
  e->atol[l] = o.atol;
  if (!(o.atol > 0)) e->atol[l] = state_size(w->m->sim, values, o.t_end)*e->rtol[l]/100;
  *lane = (PfLane){.member = number, .t0 = values[e->time], .t = values[e->time], .t_end = o.t_end, .last_error = 1,
                   .looked_t = values[e->time],
                   .largest_step = o.largest_step,
                   .most_steps = o.most_steps > 0 ? o.most_steps : 100000000};
  e->now[l] = lane->t;
  derive_start(e, l);
  const double span = lane->t_end - lane->t;
  const bool resolved = span > 0 && span >= 1e4*DBL_EPSILON*fabs(lane->t); /* else the member alone tells */
  if (!isfinite(e->k[at(l, e->n, 2*e->n)]) || !resolved) return false;
  lane->h = o.step > 0 ? o.step : first_step(e, l);
  start_taking(e, l);
  return true;
}

static void move_lane(PfLaneEngine *e, int from, int to)
{
  const size_t items = (size_t)e->what->count;
  const int N = 2*e->n;
  if (from == to) return;
  e->lane[to] = e->lane[from];
  e->now[to] = e->now[from];
  e->rtol[to] = e->rtol[from];
  e->atol[to] = e->atol[from];
  for (int i = 0; i < e->width; i++) e->rows[at(to, i, e->width)] = e->rows[at(from, i, e->width)];
  for (int i = 0; i < N; i++) e->y[at(to, i, N)] = e->y[at(from, i, N)];
  for (int i = 0; i < N; i++) e->k[at(to, i, N)] = e->k[at(from, i, N)];
  memcpy(value_of(e, to, 0), value_of(e, from, 0), items*sizeof(double));
  memcpy(node_of(e, to, 0), node_of(e, from, 0), items*PF_TAKE_NODES*sizeof(double));
}

/* The next member that lanes are for takes the lane; false when it was told to stop. *filled: there was one. */
static bool fill_lane(Work *w, int l, bool *filled)
{
  long long number;
  *filled = false;
  while (w->flow->next(w->flow->user, &number)) {
    w->m->since++;
    *filled = begin_lane(w, l, number);
    if (*filled) return true;
    if (!run_alone(w, number)) return false;
  }
  return true;
}

/* Is the end so far away that an implicit method might take over? That is for a simulation to judge (time/motion.c): it
 * looks after as many steps. */
static bool is_slow(const PfLaneEngine *e, PfLane *lane, Outcome outcome)
{
  enum { WINDOW = 1000 };
  const double many = PF_MOST_STIFF_STEPS;
  if (!e->by_default || outcome != ACCEPTED || lane->steps%WINDOW) return false;
  const double gained = lane->t - lane->looked_t;
  lane->looked_t = lane->t;
  return (lane->t_end - lane->t)*WINDOW > many*gained;
}

/* What is done, or will not be, makes room. */
static bool clear_lanes(Work *w, const Outcome *outcome)
{
  PfLaneEngine *e = w->e;
  go_on(e, outcome);
  for (int l = e->count - 1; l >= 0; l--) {
    PfLane *lane = e->lane + l;
    const bool trouble = outcome[l] == TROUBLE || lane->steps >= lane->most_steps || is_slow(e, lane, outcome[l]);
    bool filled;
    if (lane->t < lane->t_end && !trouble) continue;
    if (lane->t >= lane->t_end && !trouble ? !give_row(w, l) : !run_alone(w, lane->member)) return false;
    if (!fill_lane(w, l, &filled)) return false;
    if (!filled) move_lane(e, --e->count, l);
  }
  return true;
}

static bool run_all(Work *w)
{
  PfLaneEngine *e = w->e;
  Outcome outcome[PF_LANE_COUNT] = {0};
  bool filled = true;
  for (e->count = 0; e->count < PF_LANE_COUNT && filled; e->count += filled)
    if (!fill_lane(w, e->count, &filled)) return false;
  while (e->count) {
    if (e->adaptive) try_dopri5(e);
    else try_rk4(e);
    for (int l = 0; l < e->count; l++) outcome[l] = judge(e, l);
    accept(e, outcome);
    take_steps(e, outcome);
    if (!clear_lanes(w, outcome)) return false;
    if (pf_context_is_cancelled(pf_sim_context(w->m->sim))) return false;
  }
  return true;
}

bool pf_lanes_run(PfMember *m, const PfMemberFlow *flow)
{
  Work w = {.m = m, .e = m->lanes, .flow = flow, .row = m->row};
  return run_all(&w);
}
