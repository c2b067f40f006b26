/* SPDX-License-Identifier: Apache-2.0 */
/* A state on a surface of switching: the formula says sign(0) = 0 there, a run finds out whether the motion stays. */
#include "task/task.h"

#include <math.h>
#include <string.h>

/* The first surface on which the state lies, or NULL. */
static PfStatus find_surface(const Session *s, const PfSystem *system, const double *values, const char **name)
{
  const PfSymbols *from = pf_system_symbols(system);
  PfSwitches switches;
  PfSymbols to;
  *name = NULL;
  PF_TRY(pf_switches_find(s->ctx, s->arena, &s->equations, &switches));
  if (switches.count == 0) return PF_OK;
  PF_TRY(pf_equations_symbols(s->ctx, s->arena, &switches.model, &to));
  double *at = pf_arena_array(s->arena, double, to.count);
  if (!at) return pf_no_room(s->ctx, "the surfaces");
  memcpy(at, values, (size_t)from->q*sizeof *at);
  memcpy(at + to.q, values + from->q, (size_t)(from->count - from->q)*sizeof *at);
  for (int k = 0; k < switches.count; k++) {
    double g, *side = at + to.q - switches.count + k;
    PF_TRY(pf_expr_evaluate(s->ctx, &switches.at[k].surface, 1, to.symbol, at, to.count, &g));
    *side = g > 0 ? 1 : -1;
    if (fabs(g) > 1e-13 || switches.at[k].timed) continue;
    *name = pf_expr_print(s->ctx, s->arena, switches.at[k].surface, PF_TEXT);
    return *name ? PF_OK : PF_ERR_MEMORY;
  }
  return PF_OK;
}

PfStatus pf_task_warn_switching(const Session *s, const char *what)
{
  bool may;
  PF_TRY(pf_forces_may_jump(s->ctx, s->arena, &s->equations, &may));
  if (!may) return PF_OK;
  pf_warn_at(s->ctx, (PfPlace){0}, "forces switch (sign, if, …): %s by this study", what);
  pf_hint(s->ctx, "@task{run} finds where a motion switches, sticks and comes to rest");
  return PF_OK;
}

PfStatus pf_task_warn_surface(const Session *s, const PfSystem *system, const double *values)
{
  const char *name;
  PF_TRY(find_surface(s, system, values, &name));
  if (!name) return PF_OK;
  pf_warn_at(s->ctx, (PfPlace){0}, "the state lies where a force switches, %s = 0: shown is what the formulas give "
             "there, with sign(0) = 0", name);
  pf_hint(s->ctx, "whether the motion sticks there or goes on is found by @task{run}");
  return PF_OK;
}
