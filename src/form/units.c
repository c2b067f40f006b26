/* SPDX-License-Identifier: Apache-2.0 */
/* Units of coordinates. With q'' = D y the equations of motion are (D M D) y = D F + (A D)^T lambda and (A D) y = b:
 * the units in which a model is written do not decide about rank and pivots. D has powers of two, so nothing is rounded
 * by it, and 1 where the units are alike. */
#include "form/form_impl.h"

#include <math.h>
#include <string.h>

/* Sizes of A, and in one row more the roots of the masses: they tie together what no constraint does. */
static void raise_sizes(const PfSolver *s, double *size, double part)
{
  const size_t n = (size_t)s->system->n, m = (size_t)s->system->m;
  for (size_t i = 0; i < m*n; i++)
    if (isfinite(s->at.A[i])) size[i] = fmax(size[i], part*fabs(s->at.A[i]));
  for (size_t j = 0; j < n; j++) {
    double root = sqrt(fabs(s->at.M[j*n + j]));
    if (isfinite(root)) size[m*n + j] = fmax(size[m*n + j], part*root);
  }
}

PfStatus pf_units_make(PfSolver *s)
{
  if (s->system->in_bodies || !s->system->m || s->formulation == &pf_form_recursive) return PF_OK;
  s->column = pf_solver_array(s, double, s->system->n);
  if (!s->column || !pf_keep_members(s->arena, &s->kept, s, scaled, measured)) return pf_solver_no_room(s);
  size_t n = (size_t)s->system->n, m = (size_t)s->system->m;
  s->unit_room = pf_solver_scratch(s, double, (m + 3)*n + (size_t)s->system->symbols.count);
  return s->unit_room ? PF_OK : pf_solver_no_room(s);
}

/* A state beside this one: what vanishes here by chance has its usual size there. */
static void go_beside(const PfSolver *s, unsigned *noise, double *values)
{
  const PfSymbols *in = &s->system->symbols;
  memcpy(values, s->values, (size_t)in->count*sizeof *values);
  for (int i = 0; i < 2*s->system->n; i++) {
    double *x = values + in->q + i;
    *noise = *noise*1664525u + 1013904223u;
    *x += 0.02*((*noise >> 16)/65536.0 - 0.5)*(s->column[i%s->system->n] + fabs(*x));
  }
}

void pf_units_find(PfSolver *s)
{
  enum { STATES_BESIDE = 2 };
  const size_t n = (size_t)s->system->n, m = (size_t)s->system->m;
  double *size = s->unit_room, *work = size + (m + 1)*n, *values = work + 2*n;
  unsigned noise = 5;
  memset(size, 0, (m + 1)*n*sizeof *size);
  raise_sizes(s, size, 1);
  (void)pf_column_units(size, (int)m + 1, (int)n, s->column, work); /* by this state alone: to know what is beside */
  memset(size, 0, (m + 1)*n*sizeof *size);
  raise_sizes(s, size, 1);
  for (int k = 0; k < STATES_BESIDE; k++) {
    go_beside(s, &noise, values);
    if (pf_tape_run_to_places(s->system->tape, values, s->system->place, s->at.all, s->tape_work))
      raise_sizes(s, size, 0.1);
  }
  (void)pf_tape_run_to_places(s->system->tape, s->values, s->system->place, s->at.all, s->tape_work);
  s->scaled = pf_column_units(size, (int)m + 1, (int)n, s->column, work);
  s->measured = true;
}

const double *pf_solver_units(const PfSolver *s)
{
  return s->scaled ? s->column : NULL;
}

void pf_units_enter(PfSolver *s)
{
  const int n = s->system->n;
  const double *unit = s->column;
  if (!s->scaled) return;
  pf_scale_columns(s->at.A, s->system->m, n, unit);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) s->at.M[i*n + j] *= unit[i]*unit[j];
    s->at.F[i] *= unit[i];
    s->at.C[i] *= unit[i];
  }
}

void pf_units_into(const PfSolver *s, double *acceleration)
{
  for (int i = 0; s->scaled && i < s->system->n; i++) acceleration[i] /= s->column[i];
}

void pf_units_back(const PfSolver *s, double *acceleration)
{
  for (int i = 0; s->scaled && i < s->system->n; i++) acceleration[i] *= s->column[i];
}
