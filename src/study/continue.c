/* SPDX-License-Identifier: Apache-2.0 */
/* Continuation: branches of steady motions against a parameter, beginning with the motions found at one value of it. */
#include "study/walk.h"

#include <math.h>
#include <string.h>

static PfStatus make_here(PfWalk *w, PfWalkPoint *h)
{
  *h = (PfWalkPoint){.u = pf_arena_array(w->arena, double, w->m), .t = pf_arena_array(w->arena, double, w->m)};
  return h->u && h->t ? PF_OK : pf_no_room(w->ctx, "the continuation");
}

static PfStatus make_room(PfWalk *w)
{
  PfContinuation *r = w->result;
  w->n = w->problem.unknowns, w->m = w->n + 1;
  w->trial = pf_arena_array(w->arena, double, w->m), w->p = pf_arena_array(w->arena, double, w->m);
  w->first = pf_arena_array(w->arena, double, w->m), w->second = pf_arena_array(w->arena, double, w->m);
  w->third = pf_arena_array(w->arena, double, w->m);
  w->special_u = pf_arena_array(w->arena, double, PF_MOST_SPECIALS*(size_t)w->m);
  r->branches = pf_arena_array(w->arena, PfTrace, PF_MOST_BRANCHES);
  r->specials = pf_arena_array(w->arena, PfSpecial, PF_MOST_SPECIALS);
  if (!w->trial || !w->p || !w->first || !w->second || !w->third || !w->special_u || !r->branches || !r->specials)
    return pf_no_room(w->ctx, "the continuation");
  PF_TRY(make_here(w, &w->here));
  return make_here(w, &w->next);
}

/* Scales: the range for the parameter, the size of the solutions for the others. */
static void choose_scales(PfWalk *w)
{
  const PfContinueOptions *o = w->options;
  const PfSteady *found = &w->result->found;
  double *scale = w->tracer.scale;
  scale[w->n] = fabs(o->to - o->from);
  w->low = fmin(o->from, o->to)/scale[w->n], w->high = fmax(o->from, o->to)/scale[w->n];
  for (int k = 0; k < w->n; k++) {
    scale[k] = 1;
    for (int i = 0; i < found->count; i++) scale[k] = fmax(scale[k], fabs(found->points[i].x[w->problem.unknown[k]]));
  }
}

/* Goes to a solution, on its sheet of the constraints; `good`: in the chart of the problem it can be followed. */
static PfStatus go_to(PfWalk *w, const PfSteadyPoint *point, bool *good)
{
  PfDynamics *f = w->problem.field;
  int before = pf_diagnostic_count(w->ctx);
  memcpy(f->full + f->at_q, point->q, (size_t)f->n*sizeof *point->q);
  PfStatus status = pf_dynamics_go(f, point->x);
  if (pf_is_final(status)) return status;
  pf_diagnostics_cut(w->ctx, before);
  *good = status == PF_OK && (!f->np || f->hold[0] > 1e-2*f->chosen_hold[0]) &&
          (!f->nv || f->speeds || f->hold[1] > 1e-2*f->chosen_hold[1]);
  return PF_OK;
}

/* No solution can be followed: why, and what to do. */
static PfStatus nothing_to_follow(const PfWalk *w, int families)
{
  const char *sought = pf_problem_sought(w->problem.kind);
  const char *parameter = w->problem.field->model->parameters[w->options->parameter].name;
  if (w->result->skipped) {
    pf_fail(w->ctx, PF_ERR_NUMBER, "the independent coordinates of the start fail at all %d isolated %s that were "
            "found at %s = %.6g", w->result->skipped, sought, parameter, w->result->start);
    pf_hint(w->ctx, "start near one of them");
  } else if (families) {
    pf_fail(w->ctx, PF_ERR_NUMBER, "the %s are not isolated: they form families, which are not followed", sought);
    pf_hint(w->ctx, "conserved quantities make families; friction, a drive or a constraint would single out motions");
  } else {
    pf_fail(w->ctx, PF_ERR_NUMBER, "there is nothing to follow: no %s were found at %s = %.6g", sought, parameter,
            w->result->start);
    pf_hint(w->ctx, "look elsewhere: another value by -p, --within, more --starts");
  }
  return PF_ERR_NUMBER;
}

/* Families are not curves: with a parameter they are surfaces. */
static PfStatus take_solutions(PfWalk *w)
{
  const PfSteady *found = &w->result->found;
  const double *scale = w->tracer.scale;
  int families = 0;
  for (int i = 0; i < found->count; i++) {
    if (found->points[i].family) {
      families++;
      continue;
    }
    bool good;
    PF_TRY(go_to(w, found->points + i, &good));
    if (!good) {
      w->result->skipped++;
      continue;
    }
    for (int k = 0; k < w->n; k++) w->here.u[k] = found->points[i].x[w->problem.unknown[k]]/scale[k];
    w->here.u[w->n] = w->result->start/scale[w->n];
    PF_TRY(pf_walk_add_seed(w, w->here.u, NULL, -1));
  }
  return w->seed_count ? PF_OK : nothing_to_follow(w, families);
}

/* The present value of the parameter when it is in the range, else the beginning of the range. */
static PfStatus go_to_start(PfWalk *w, PfDynamics *field)
{
  const PfContinueOptions *o = w->options;
  double now = field->full[field->at_parameters + o->parameter];
  bool inside = now >= fmin(o->from, o->to) && now <= fmax(o->from, o->to);
  w->result->start = inside ? now : o->from;
  PF_TRY(pf_dynamics_set_parameter(field, o->parameter, w->result->start));
  double *x = pf_arena_array(w->arena, double, pf_dynamics_size(field));
  if (!x) return pf_no_room(w->ctx, "the continuation");
  pf_dynamics_get(field, x);
  return pf_dynamics_go(field, x);
}

static PfStatus check_square(const PfWalk *w)
{
  if (w->problem.unknowns == w->problem.equations) return PF_OK;
  pf_fail(w->ctx, PF_ERR_MODEL, "%d conditions for %d unknowns: equilibria of this system are not isolated",
          w->problem.equations, w->problem.unknowns);
  pf_hint(w->ctx, "follow its steady motions instead");
  return PF_ERR_MODEL;
}

static PfStatus continue_all(PfWalk *w, PfDynamics *field, PfWalkPoint *spare)
{
  const PfContinueOptions *o = w->options;
  PfContinuation *r = w->result;
  PF_TRY(go_to_start(w, field));
  PF_TRY(pf_problem_make(w->ctx, w->arena, field, o->steady.kind, o->parameter, &w->problem));
  PF_TRY(check_square(w));
  PF_TRY(pf_steady_search(w->ctx, w->arena, &w->problem, &o->steady, &r->found));
  r->size = r->found.size, r->names = r->found.names, r->cyclic = r->found.cyclic;
  PF_TRY(make_room(w));
  PF_TRY(make_here(w, spare));
  PF_TRY(pf_tracer_make(w->ctx, w->arena, &w->problem, &w->tracer));
  w->longest = 1.0/(o->points > 0 ? o->points : 200);
  w->most = o->most > 0 ? o->most : 20*(o->points > 0 ? o->points : 200);
  choose_scales(w);
  PF_TRY(take_solutions(w));
  for (int i = 0; i < w->seed_count; i++) PF_TRY(pf_walk_trace(w, w->seeds + i, spare));
  return PF_OK;
}

PfStatus pf_continue(PfContext *ctx, PfArena *arena, PfDynamics *field, const PfContinueOptions *options,
                     PfContinuation *continuation)
{
  *continuation = (PfContinuation){0};
  if (!(fabs(options->to - options->from) > 0) || !isfinite(options->to - options->from))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "a range needs two different numbers");
  PfWalk *w = pf_arena_array(arena, PfWalk, 1);
  PfWalkPoint spare;
  if (!w) return pf_no_room(ctx, "the continuation");
  *w = (PfWalk){.ctx = ctx, .arena = arena, .options = options, .result = continuation};
  PfStatus status = continue_all(w, field, &spare);
  pf_problem_release(&w->problem);
  return status;
}
