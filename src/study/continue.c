/* SPDX-License-Identifier: Apache-2.0 */
/* Continuation: branches of steady motions against a parameter, beginning with the motions found at one value of it. */
#include "study/walk.h"

#include <math.h>
#include <string.h>

/* Room for a point of a branch. */
static PfStatus make_here(PfWalk *w, PfWalkPoint *h)
{
  *h = (PfWalkPoint){0};
  return pf_arrays(w->ctx, w->arena, "the continuation", PF_ROOM(h->u, w->m), PF_ROOM(h->t, w->m));
}

/* No solution can be followed: the reason and a hint. */
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
    pf_hint(w->ctx, "look elsewhere: another value by @p, @within, more @starts");
  }
  return PF_ERR_NUMBER;
}

/* Puts the isolated solutions on the list of branches to be followed. Families are not curves: with a parameter they
 * are surfaces. */
static PfStatus take_solutions(PfWalk *w)
{
  const PfSteady *found = &w->result->found;
  const double *scale = w->tracer.scale;
  int families = 0;
  for (int i = 0; i < found->count; i++) {
    bool good = false;
    families += found->points[i].family > 0;
    if (found->points[i].family) continue;
    /* Goes to a solution, on its sheet of the constraints; `good`: in the chart of the problem it can be
     * followed. */
    const PfSteadyPoint *point = found->points + i;
    PfDynamics *f = w->problem.field;
    int before = pf_diagnostic_count(w->ctx);
    memcpy(f->full + f->at_q, point->q, (size_t)f->n*sizeof *point->q);
    PfStatus status = pf_dynamics_go(f, point->x);
    PF_TRY(pf_end_attempt(w->ctx, before, status));
    good = status == PF_OK && (!f->np || f->hold[0] > 1e-2*f->chosen_hold[0]) &&
            (!f->nv || f->speeds || f->hold[1] > 1e-2*f->chosen_hold[1]);
    w->result->skipped += !good;
    if (!good) continue;
    for (int k = 0; k < w->n; k++) w->here.u[k] = found->points[i].x[w->problem.unknown[k]]/scale[k];
    w->here.u[w->n] = w->result->start/scale[w->n];
    PF_TRY(pf_walk_add_seed(w, w->here.u, NULL, -1));
  }
  return w->seed_count ? PF_OK : nothing_to_follow(w, families);
}

/* The whole study: sets the start value of the parameter (the present one when it is in the range, else the beginning
 * of the range), finds the steady motions there, and follows the branches through them, and those that branch off,
 * within the range. Scales are the range for the parameter, the size of the solutions for the others. */
static PfStatus continue_all(PfWalk *w, PfDynamics *field, PfWalkPoint *spare)
{
  const PfContinueOptions *o = w->options;
  PfContinuation *r = w->result;
  const double now = field->full[field->at_parameters + o->parameter], low = fmin(o->from, o->to);
  const double high = fmax(o->from, o->to);
  const int points = o->points > 0 ? o->points : 200;
  double *x;
  r->start = now >= low && now <= high ? now : o->from;
  PF_TRY(pf_dynamics_set_parameter(field, o->parameter, r->start));
  PF_TRY(pf_arrays(w->ctx, w->arena, "the continuation", PF_ROOM(x, pf_dynamics_size(field))));
  pf_dynamics_get(field, x);
  PF_TRY(pf_dynamics_go(field, x));
  PF_TRY(pf_problem_make(w->ctx, w->arena, field, o->steady.kind, o->parameter, &w->problem));
  if (w->problem.unknowns != w->problem.equations) {
    pf_fail(w->ctx, PF_ERR_MODEL, "%d conditions for %d unknowns: equilibria of this system are not isolated",
            w->problem.equations, w->problem.unknowns);
    pf_hint(w->ctx, "follow its steady motions instead");
    return PF_ERR_MODEL;
  }
  PF_TRY(pf_steady_search(w->ctx, w->arena, &w->problem, &o->steady, &r->found));
  r->size = r->found.size, r->names = r->found.names, r->cyclic = r->found.cyclic;
  w->n = w->problem.unknowns, w->m = w->n + 1;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the continuation", PF_ROOM(w->trial, w->m), PF_ROOM(w->p, w->m),
                   PF_ROOM(w->first, w->m), PF_ROOM(w->second, w->m), PF_ROOM(w->third, w->m),
                   PF_ROOM2(w->special_u, PF_MOST_SPECIALS, w->m), PF_ROOM(r->branches, PF_MOST_BRANCHES),
                   PF_ROOM(r->specials, PF_MOST_SPECIALS)));
  PF_TRY(make_here(w, &w->here));
  PF_TRY(make_here(w, &w->next));
  PF_TRY(make_here(w, spare));
  PF_TRY(pf_tracer_make(w->ctx, w->arena, &w->problem, &w->tracer));
  w->longest = 1.0/points;
  w->most = o->most > 0 ? o->most : 20*points;
  double *scale = w->tracer.scale;
  scale[w->n] = fabs(o->to - o->from);
  w->low = low/scale[w->n], w->high = high/scale[w->n];
  for (int k = 0; k < w->n; k++) {
    scale[k] = 1;
    for (int i = 0; i < r->found.count; i++)
      scale[k] = fmax(scale[k], fabs(r->found.points[i].x[w->problem.unknown[k]]));
  }
  PF_TRY(take_solutions(w));
  for (int i = 0; i < w->seed_count; i++) PF_TRY(pf_walk_trace(w, w->seeds + i, spare));
  return PF_OK;
}

/* All results are in the arena, with the workspace of the walk. The field has another value of the parameter, and
 * another place and chart, after that. */
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
