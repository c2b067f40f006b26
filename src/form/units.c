/* SPDX-License-Identifier: Apache-2.0 */
/* Units of coordinates. With q'' = D y the equations of motion are (D M D) y = D F + (A D)^T lambda and (A D) y = b:
 * the units in which a model is written do not decide about rank and pivots. D has powers of two, so nothing is rounded
 * by it, and 1 where the units are alike. */
#include "form/form_impl.h"

#include <math.h>
#include <string.h>

/* The numbers of the tape at a state, with what else the solver is given. `state` is q, then v; A gets the rows and
 * `inertia` the roots of the diagonal of M. False where a number is not finite. */
static bool evaluate_rows(void *user, const double *state, double *A, double *inertia)
{
  PfSolver *s = user;
  const PfSymbols *in = &s->system->symbols;
  const size_t n = (size_t)s->system->n, m = (size_t)s->system->m;
  memcpy(s->unit_values, s->values, (size_t)in->count*sizeof *s->values);
  memcpy(s->unit_values + in->q, state, 2*n*sizeof *state); /* q, then v */
  bool good = pf_tape_run_to_places(s->system->tape, s->unit_values, s->system->place, s->at.all, s->tape_work);
  memcpy(A, s->at.A, m*n*sizeof *A);
  for (size_t j = 0; j < n && !s->system->in_bodies; j++) inertia[j] = sqrt(fabs(s->at.M[j*n + j]));
  return good;
}

/* Room in one piece: pf_units_place cuts it. Nothing without constraints. */
PfStatus pf_units_make(PfSolver *s)
{
  const int n = s->system->n, m = s->system->m;
  if (!m) return PF_OK;
  PfUnits *u = &s->units;
  *u = (PfUnits){.m = m, .n = n, .column = pf_solver_array(s, double, n), .row = pf_solver_array(s, double, m)};
  double *room = pf_solver_scratch(s, double, pf_units_room(m, n) + 3*(size_t)n + (size_t)s->system->symbols.count);
  u->sure = pf_sure_entries(s->ctx, s->arena, s->system->eq->A, (size_t)m*(size_t)n);
  bool good = u->column && u->row && room && u->sure && pf_checkpoint_members(s->arena, &s->checkpoint, s, scaled,
                                                                              measured);
  if (!good) return pf_solver_no_room(s);
  u->spread = pf_units_place(u, room);
  s->unit_home = u->spread + n;
  s->unit_values = s->unit_home + 2*(size_t)n;
  return PF_OK;
}

/* Evaluates the tape at some ten states near the first state of a solver, at most about sixty. The numbers of this
 * state are in solver->at afterwards, as before. */
void pf_units_find(PfSolver *s)
{
  PfUnits *u = &s->units;
  memcpy(s->unit_home, s->values + s->system->symbols.q, 2*(size_t)s->system->n*sizeof *s->unit_home);
  pf_units_measure(u, s->unit_home, evaluate_rows, s);
  (void)pf_tape_run_to_places(s->system->tape, s->values, s->system->place, s->at.all, s->tape_work);
  /* the recursion has accelerations of its own */
  s->scaled = !s->system->in_bodies && s->formulation != &pf_form_recursive && pf_units_matter(u);
  for (int j = 0; j < u->n && !s->scaled; j++) u->column[j] = 1;
  pf_units_rows(u);
  s->measured = true;
}

/* Those of the first state stay. */
const double *pf_solver_units(const PfSolver *s)
{
  return s->scaled ? s->units.column : NULL;
}

/* See solver.h. */
const double *pf_solver_row_sizes(const PfSolver *s)
{
  return s->measured && !s->scaled ? s->units.row : NULL;
}

/* M becomes D M D, F and C become D F and D C, A becomes A D. */
void pf_units_enter(PfSolver *s)
{
  const int n = s->system->n;
  const double *unit = s->units.column;
  if (!s->scaled) return;
  pf_scale_columns(s->at.A, s->system->m, n, unit);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) s->at.M[i*n + j] *= unit[i]*unit[j];
    s->at.F[i] *= unit[i];
    s->at.C[i] *= unit[i];
  }
}

/* Divides by the units; nothing where all are 1. */
void pf_units_into(const PfSolver *s, double *acceleration)
{
  for (int i = 0; s->scaled && i < s->system->n; i++) acceleration[i] /= s->units.column[i];
}

/* Multiplies by the units. */
void pf_units_back(const PfSolver *s, double *acceleration)
{
  for (int i = 0; s->scaled && i < s->system->n; i++) acceleration[i] *= s->units.column[i];
}
