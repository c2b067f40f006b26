/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices in units in which rows and columns are alike (pf_units.h), for decisions about rank and for factors. */
#include "num/num.h"

#include <math.h>

/* In place. */
PfStatus pf_make_alike(PfContext *ctx, double *A, const bool *sure, int m, int n)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  const size_t count = (size_t)m*(size_t)n;
  double *size = pf_arena_array(scratch, double, count), *unit = pf_arena_array(scratch, double, n);
  double *work = pf_arena_array(scratch, double, 2*(size_t)n);
  bool room = size && unit && work;
  for (size_t i = 0; room && i < count; i++) size[i] = fabs(A[i]);
  if (room) {
    (void)pf_column_units(&(PfSizes){m, n, size, sure, NULL}, unit, work);
    pf_scale_columns(A, m, n, unit);
    pf_scale_rows(A, m, n, NULL);
  }
  pf_arena_release(scratch, mark);
  return room ? PF_OK : pf_no_room(ctx, "the units of the columns");
}

/* For matrices of up to m x n. */
PfStatus pf_alike_make(PfContext *ctx, PfArena *arena, int m, int n, PfAlike *alike)
{
  *alike = (PfAlike){.row = pf_arena_array(arena, double, m), .column = pf_arena_array(arena, double, n),
                     .size = pf_arena_array(arena, double, ((size_t)m + 2)*(size_t)n)};
  return alike->row && alike->column && alike->size ? PF_OK : pf_no_room(ctx, "the units of the columns");
}

/* Unless the units are given, they are measured by the elements of A. */
PfStatus pf_alike_factor(PfAlike *alike, PfQr *qr, double *A, double tol)
{
  const size_t n = (size_t)qr->n, size = (size_t)qr->m*n;
  if (alike->given) { /* units that the caller has put into `row` and `column` */
    alike->scaled = true;
    pf_scale_columns(A, qr->m, qr->n, alike->column);
    for (size_t i = 0; i < size; i++) A[i] /= alike->row[i/n];
    return pf_qr_factor(qr, A, tol);
  }
  for (size_t i = 0; i < size; i++) alike->size[i] = fabs(A[i]);
  const PfSizes sizes = {qr->m, qr->n, alike->size, NULL, NULL};
  /* columns that factors bear as they are get the unit 1: then nothing is scaled, neither before nor after solving */
  alike->scaled = pf_column_units(&sizes, alike->column, alike->size + size) &&
                  pf_units_differ(alike->column, qr->n, PF_FACTORS_ALIKE);
  for (size_t j = 0; j < n && !alike->scaled; j++) alike->column[j] = 1;
  if (alike->scaled) pf_scale_columns(A, qr->m, qr->n, alike->column);
  alike->scaled = alike->scaled || pf_rows_differ(A, qr->m, qr->n, PF_UNITS_ALIKE);
  if (alike->scaled) pf_scale_rows(A, qr->m, qr->n, alike->row);
  return pf_qr_factor(qr, A, tol);
}

/* x in the units of the caller. */
void pf_alike_solve(const PfAlike *alike, PfQr *qr, double *b, double *x)
{
  for (int i = 0; i < qr->m && alike->scaled; i++) b[i] /= alike->row[i];
  pf_qr_solve(qr, b, x);
  for (int j = 0; j < qr->n && alike->scaled; j++) x[j] *= alike->column[j];
}

/* x in the units of the caller. */
void pf_alike_solve_transposed(const PfAlike *alike, PfQr *qr, double *b, double *x)
{
  for (int j = 0; j < qr->n && alike->scaled; j++) b[j] *= alike->column[j];
  (void)pf_qr_solve_transposed(qr, b, x);
  for (int i = 0; i < qr->m && alike->scaled; i++) x[i] /= alike->row[i];
}
