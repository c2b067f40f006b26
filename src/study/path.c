/* SPDX-License-Identifier: Apache-2.0 */
/* Motions of a study by a simulation: steps it to the end of the time span and reports where the motion crosses the
 * section height = 0 upwards, by dense output between steps. */
#include "study/path.h"

#include "runtime/pf_root.h"

#include <math.h>
#include <string.h>

/* The status of a call to the simulation. */
static PfStatus status_of(const PfSim *sim, bool good)
{
  return good ? PF_OK : pf_sim_error(sim)->status;
}

/* Only the end of the run is set: all other options stay those of the simulation. */
PfStatus pf_path_prepare(PfSim *sim, double span)
{
  PfRunOptions options = pf_sim_options(sim);
  options.t_end = pf_sim_values(sim)[pf_system_symbols(pf_sim_system(sim))->time] + span;
  return status_of(sim, pf_sim_set_options(sim, &options));
}

double pf_path_rtol(const PfSim *sim)
{
  const PfRunOptions options = pf_sim_options(sim);
  return pf_run_rtol(&options);
}

/* Heights up to this are on the section: rounding, and a small part of the tolerances. */
static double thickness(const PfPath *p)
{
  double atol = pf_sim_options(p->sim).atol;
  return fmax(1e-12*p->largest, 1e-3*(atol > 0 ? atol : pf_default_atol(1, pf_path_rtol(p->sim))));
}

/* Is a height off the section, by more than its thickness? */
static bool is_off(const PfPath *p, double g)
{
  return fabs(g) > thickness(p);
}

/* Takes note of the present height: the largest so far, and the side of the section unless it is on it. */
static void note_side(PfPath *p)
{
  p->largest = fmax(p->largest, fabs(p->g));
  if (is_off(p, p->g)) p->below = p->g < 0;
}

/* A jump onto the section comes from nowhere. */
static void note_jump(PfPath *p)
{
  double before = p->g;
  p->g = p->height(p->user);
  note_side(p);
  if (is_off(p, before) && !is_off(p, p->g)) p->below = false;
}

/* The simulation starts anew, with the numbers of the field where it is given. */
PfStatus pf_path_begin(PfPath *p, const PfDynamics *field)
{
  if (field) {
    /* Both are of the same model, with their symbols in the same order. */
    const PfSymbols *in = pf_system_symbols(field->system);
    double *values = pf_sim_values(p->sim);
    memcpy(values + in->q, field->full + in->q, (size_t)field->n*sizeof *values);
    memcpy(values + in->v, field->full + in->v, (size_t)field->n*sizeof *values);
  }
  PF_TRY(status_of(p->sim, pf_sim_start(p->sim)));
  p->t = p->from = p->to = pf_sim_time(p->sim);
  p->g = p->height(p->user);
  p->largest = 0;
  p->below = false;
  note_side(p);
  return PF_OK;
}

/* The end of a motion, of any kind, leaves no diagnostics: pf_path_end has the reason. */
PfStatus pf_path_step(PfPath *p, bool *goes)
{
  PfContext *ctx = pf_sim_context(p->sim);
  PF_TRY(pf_check_cancelled(ctx));
  int before = pf_diagnostic_count(ctx);
  *goes = pf_sim_step(p->sim);
  PfStatus status = pf_sim_error(p->sim)->status;
  if (!*goes && pf_is_final(status)) return status;
  if (!*goes) pf_diagnostics_truncate(ctx, before);
  p->t = p->from = p->to;
  p->to = pf_sim_time(p->sim);
  if (p->from == p->to) note_jump(p);
  return PF_OK;
}

/* The height at an instant of the latest step, for pf_root; NaN where the motion has no accelerations. */
static int height_at(void *user, double t, double *g)
{
  const PfPath *p = user;
  *g = pf_sim_interpolate(p->sim, t) ? p->height(p->user) : NAN;
  return 0;
}

/* Between `begin` and the present instant of the path; a motion that rested on the section leaves it at once. */
static bool find_crossing(PfPath *p, double begin, double before, double *t)
{
  if (before < 0) return pf_root(height_at, p, begin, before, p->t, p->g, t) == 0;
  *t = begin;
  return pf_sim_interpolate(p->sim, begin);
}

/* Steps may be long: they are looked at in pieces. */
bool pf_path_pass(PfPath *p, double *t)
{
  enum { PIECES = 4 };
  double piece = (p->to - p->from)/PIECES;
  while (p->t < p->to) {
    double begin = p->t, before = p->g;
    p->t = p->to - begin > 1.5*piece && begin + piece > begin ? begin + piece : p->to; /* steps may be of one ulp */
    (void)height_at(p, p->t, &p->g);
    bool was_below = p->below;
    note_side(p);
    if (was_below && !p->below && find_crossing(p, begin, before, t)) return true;
  }
  return false;
}

/* The message of the simulation, or the condition of the model. */
const char *pf_path_end(const PfPath *p, PfArena *arena)
{
  PfRunResult result = pf_sim_result(p->sim);
  if (p->to >= pf_sim_options(p->sim).t_end || result.end == PF_RUN_DONE) return NULL;
  if (result.end == PF_RUN_UNTIL) return "the condition of 'until' holds";
  const char *message = pf_sim_error(p->sim)->message;
  return pf_arena_text(arena, message, strlen(message));
}

/* A model with events that attach or detach may; otherwise the forces decide. */
PfStatus pf_dynamics_may_jump(const PfDynamics *f, bool *may)
{
  PfArena *scratch = pf_context_scratch(f->ctx);
  PfMark mark = pf_arena_mark(scratch);
  *may = f->model->complete != NULL;
  PfStatus status = *may ? PF_OK : pf_forces_may_jump(f->ctx, scratch, f->eq, may);
  pf_arena_release(scratch, mark);
  return status;
}
