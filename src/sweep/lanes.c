/* SPDX-License-Identifier: Apache-2.0 */
/* Runge-Kutta steps in lanes: dopri5 with the control of time/erk.c, and rk4. A lane that meets trouble is left to a
 * simulation, which begins anew and says what the trouble is. */
#include "sweep/lanes.h"
#include "num/tolerances.h"
#include "runtime/pf_runge_kutta.h"

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

/* The derivative at the states in the rows of all lanes, as that stage. */
static void evaluate(PfLaneEngine *e, int stage)
{
  pf_tape_run_groups(e->tapes.flow, groups_of(e), e->rows, e->out, e->work);
  pf_lanes_derive(e, groups_of(e), stage);
}

/* Puts positions, then velocities, of the states in the rows back on the constraints. */
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

static int last_stage(const PfLaneEngine *e)
{
  return e->adaptive ? PF_DOPRI5_STAGES - 1 : 4;
}

/* All lanes try one step, each of its own length. */
static void try_step(PfLaneEngine *e)
{
  for (int l = 0; l < e->count; l++) {
    const PfLane *lane = e->lane + l;
    const double left = lane->t_end - lane->t;
    e->tried[l] = e->adaptive ? pf_rk_limit_step(lane->h, left, lane->largest_step) : pf_rk_fixed_step(lane->h, left);
  }
  for (int s = 1; s <= last_stage(e); s++) {
    pf_lanes_combine(e, groups_of(e), s);
    if (s == last_stage(e)) project(e);
    evaluate(e, s);
  }
  if (e->adaptive) pf_lanes_errors(e, groups_of(e));
  else pf_lanes_check_finite(e, groups_of(e), last_stage(e));
}

typedef enum Outcome { REJECTED, ACCEPTED, TROUBLE } Outcome; /* of the step of a lane */

/* The error has all stages in it: it is finite when they are. */
static Outcome judge_dopri5(PfLaneEngine *e, int l)
{
  PfLane *lane = e->lane + l;
  const double error = e->error[l], h = e->tried[l];
  lane->h = pf_rk_next_step(&lane->control, pf_dopri5_tableau()->order, h, error);
  if (error <= 1) return ACCEPTED;
  return h < PF_SHORTEST_STEP(lane->t) ? TROUBLE : REJECTED;
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
  if (e->what->followed) memcpy(e->y_old + first, e->y + first, size*sizeof *e->y);
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
      lane->t = pf_rk_end(lane->t, e->tried[l], lane->t_end);
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

/* Number i of the state of a lane at an instant of its last step, by the continuous extension of the method. */
static double inside(const PfLaneEngine *e, int l, int i, double t)
{
  const PfLane *lane = e->lane + l;
  const double h = lane->t - lane->t_old, x = (t - lane->t_old)/h;
  const size_t k = at(l, i, 2*e->n);
  double r[PF_DOPRI5_DENSE];
  if (e->adaptive) {
    pf_dopri5_dense(e->k + k, (size_t)(stage_of(e, 1) - stage_of(e, 0)), h, e->y_old[k], e->y[k], r);
    return pf_dopri5_at(r, x);
  }
  pf_rk_hermite(x, h, 1, e->y_old + k, stage_of(e, 0) + k, e->y + k, stage_of(e, last_stage(e)) + k, r);
  return r[0];
}

/* Puts time and state of a lane at an instant of its last step into its row. */
static void show(PfLaneEngine *e, int l, double t)
{
  const bool end = t == e->lane[l].t;
  e->rows[at(l, e->time, e->width)] = t;
  for (int i = 0; i < 2*e->n; i++)
    e->rows[at(l, e->q + i, e->width)] = end ? e->y[at(l, i, 2*e->n)] : inside(e, l, i, t);
}

/* ---------------------------------------------------------------- the outputs */

typedef struct LaneView {
  PfLaneEngine *e;
  int lane;
} LaneView;

/* The quantity of an item at an instant of the last step of a lane, for PfQuantityAt. */
static double quantity_at(void *user, int item, double t)
{
  const LaneView *x = user;
  PfLaneEngine *e = x->e;
  const size_t group = (size_t)(x->lane/PF_LANES);
  show(e, x->lane, t);
  pf_tape_run_groups(e->tapes.output, 1, e->rows + group*(size_t)e->width*PF_LANES, e->out, e->work);
  return e->out[at(x->lane%PF_LANES, e->root[item], e->roots)];
}

static double *node_of(const PfLaneEngine *e, int l, int item)
{
  return e->node + ((size_t)l*(size_t)e->what->count + (size_t)item)*PF_OUTPUT_NODES;
}

static double *value_of(const PfLaneEngine *e, int l, int item)
{
  return e->value + (size_t)l*(size_t)e->what->count + (size_t)item;
}

/* Reads the quantities of the lanes from `first` to before `end` at the states in their rows, as node j. */
static void read_nodes(PfLaneEngine *e, int first, int end, int j)
{
  const int group = first/PF_LANES, groups = (end + PF_LANES - 1)/PF_LANES - group;
  if (!e->tapes.output) return;
  pf_tape_run_groups(e->tapes.output, groups, e->rows + (size_t)group*(size_t)e->width*PF_LANES, e->out, e->work);
  for (int l = first; l < end; l++)
    for (int i = 0; i < e->what->count; i++)
      if (e->root[i] >= 0) node_of(e, l, i)[j] = e->out[at(l - group*PF_LANES, e->root[i], e->roots)];
}

/* Updates the accumulators of all lanes whose step was accepted. The others are evaluated without effect, and left as
 * they are. */
static void take_steps(PfLaneEngine *e, const Outcome *outcome)
{
  if (!e->what->followed) return;
  for (int j = 1; j < PF_OUTPUT_NODES; j++) {
    for (int l = 0; l < e->count; l++) {
      const PfLane *lane = e->lane + l;
      if (outcome[l] == ACCEPTED) show(e, l, j == 4 ? lane->t : lane->t_old + 0.25*(lane->t - lane->t_old)*j);
    }
    read_nodes(e, 0, e->count, j);
  }
  for (int l = 0; l < e->count; l++) {
    LaneView view = {e, l};
    for (int i = 0; i < e->what->count && outcome[l] == ACCEPTED; i++) {
      const PfOutput *item = e->what->items + i;
      const PfQuantityAt at = {quantity_at, &view, i};
      double *node = node_of(e, l, i), *value = value_of(e, l, i);
      if (!pf_output_is_followed(item)) continue;
      *value = pf_output_step(item, &at, node, e->lane[l].t_old, e->lane[l].t, *value);
      node[0] = node[4];
    }
  }
}

/* ---------------------------------------------------------------- members */

typedef struct Work {
  PfMember *m;
  PfLaneEngine *e;
  const PfMemberFlow *flow;
  double *row;
} Work;

/* Runs a member on the simulation: one that lanes are not for, or had trouble in. False after a request to stop. */
static bool run_alone(Work *w, long long number)
{
  char reason[PF_REASON];
  int end;
  return pf_member_run(w->m, number, w->row, &end, reason) && w->flow->sink(w->flow->user, number, w->row, end, reason);
}

/* Gives the row of a lane that has come to its end to the sink. */
static bool give_row(Work *w, int l)
{
  static const char no_reason[PF_REASON];
  const PfSweep *sweep = w->m->sweep;
  const int varied = sweep->plan.variable_count;
  PfLaneEngine *e = w->e;
  const PfLane *lane = e->lane + l;
  const long long number = lane->member;
  pf_plan_member(&sweep->plan, number, w->m->values);
  for (int i = 0; i < varied; i++) w->row[i] = w->m->values[i]/sweep->scales[i];
  show(e, l, lane->t);
  read_nodes(e, l, l + 1, 4);
  for (int i = 0; i < e->what->count; i++) {
    const PfOutput *item = e->what->items + i;
    const double now = e->root[i] >= 0 ? node_of(e, l, i)[4] : NAN, value = *value_of(e, l, i);
    e->end[i] = item->kind == PF_OUTPUT_END ? now : pf_output_end(item, value, now, lane->t0, lane->t);
  }
  pf_output_set_row(e->what, e->end, e->room, w->row + varied);
  return w->flow->sink(w->flow->user, number, w->row, PF_MEMBER_DONE, no_reason);
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
  e->rtol[l] = pf_run_rtol(&o);
  e->atol[l] = o.atol;
  if (!(o.atol > 0)) {
    const double size = pf_state_size(pf_sim_context(w->m->sim), pf_sim_system(w->m->sim), values, o.t_end);
    e->atol[l] = pf_default_atol(size, e->rtol[l]);
  }
  *lane = (PfLane){.member = number, .t0 = values[e->time], .t = values[e->time], .t_end = o.t_end,
                   .control = {.last_error = 1},
                   .checked_t = values[e->time],
                   .largest_step = o.largest_step,
                   .most_steps = o.most_steps > 0 ? o.most_steps : PF_DEFAULT_MOST_STEPS};
  e->now[l] = lane->t;
  derive_start(e, l);
  const double span = lane->t_end - lane->t;
  const bool resolved = span > 0 && span >= 1e4*DBL_EPSILON*fabs(lane->t); /* else the member is run alone */
  if (!isfinite(e->k[at(l, e->n, 2*e->n)]) || !resolved) return false;
  const size_t first = at(l, 0, 2*e->n);
  lane->h = o.step > 0 ? o.step : fmin(pf_rk_first_step(e->y + first, e->k + first, 2*e->n, PF_LANES, e->atol[l],
                                                        e->rtol[l]), span);
  if (e->what->followed) read_nodes(e, l, l + 1, 0);
  for (int i = 0; i < e->what->count; i++)
    *value_of(e, l, i) = pf_output_first(e->what->items + i, e->root[i] >= 0 ? node_of(e, l, i)[0] : NAN, lane->t);
  return true;
}

/* Moves a lane with all that it has to another place. */
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
  memcpy(node_of(e, to, 0), node_of(e, from, 0), items*PF_OUTPUT_NODES*sizeof(double));
}

/* The next member that lanes are for takes the lane; false after a request to stop. *filled: there was one. */
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
  const double gained = lane->t - lane->checked_t;
  lane->checked_t = lane->t;
  return (lane->t_end - lane->t)*WINDOW > many*gained;
}

/* Members that are done, or are given up, make room for the next ones; without any, the last lane moves up. False after
 * a request to stop. */
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

/* All lanes step together until they are empty; a lane that is done takes the next member. */
bool pf_lanes_run(PfMember *m, const PfMemberFlow *flow)
{
  PfLaneEngine *e = m->lanes;
  Work w = {.m = m, .e = e, .flow = flow, .row = m->row};
  Outcome outcome[PF_LANE_COUNT] = {0};
  bool filled = true;
  for (e->count = 0; e->count < PF_LANE_COUNT && filled; e->count += filled)
    if (!fill_lane(&w, e->count, &filled)) return false;
  while (e->count) {
    try_step(e);
    for (int l = 0; l < e->count; l++) outcome[l] = judge(e, l);
    accept(e, outcome);
    take_steps(e, outcome);
    if (!clear_lanes(&w, outcome)) return false;
    if (pf_context_is_cancelled(pf_sim_context(m->sim))) return false;
  }
  return true;
}
