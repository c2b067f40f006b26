/* SPDX-License-Identifier: Apache-2.0 */
/* Units of columns. Rows and columns of a constraint matrix have units, which the text of a model chooses: decisions
 * about rank must not depend on them. The scales r_i and c_j that bring all |a_ij| r_i c_j as near to 1 as possible
 * take out every change of units: least squares in the logarithms, by turns for rows and columns.
 * Curtis, Reid, On the automatic scaling of matrices for Gaussian elimination, J. Inst. Maths Applics 10 (1972). */
#include "num/num.h"

#include <math.h>

/* An element this small beside its row is rounding, unless its column has others that are not, of which it is no such
 * small part. */
static const double NOISE = 1e-14;
/* Columns that differ by less keep their units: decisions bear it, and numbers stay as they are. */
static const double ALIKE = 1 << 14;
/* Factors bear more than decisions about rank, and solutions keep their last digits. */
static const double FACTORS_ALIKE = 1 << 20;

/* What is zero or rounding becomes -infinity, the rest its logarithm. `most` (n) is scratch. */
static void take_logarithms(double *size, int m, int n, double *most)
{
  for (int j = 0; j < n; j++) most[j] = 0;
  for (int i = 0; i < m; i++) {
    const double *row = size + (size_t)i*(size_t)n, largest = pf_largest(row, n);
    for (int j = 0; j < n; j++)
      if (row[j] > NOISE*largest) most[j] = fmax(most[j], row[j]);
  }
  for (int i = 0; i < m; i++) {
    double *row = size + (size_t)i*(size_t)n, largest = pf_largest(row, n);
    for (int j = 0; j < n; j++) {
      bool large = row[j] > NOISE*largest || (most[j] > 0 && row[j] > NOISE*most[j]);
      bool counts = row[j] > 0 && isfinite(row[j]) && large;
      row[j] = counts ? log2(row[j]) : -INFINITY;
    }
  }
}

/* Rows, then columns, get the mean that the others leave. Returns the largest change of a column. */
static double improve(const double *size, int m, int n, double *column, double *sum, double *count)
{
  double change = 0;
  for (int j = 0; j < n; j++) sum[j] = count[j] = 0;
  for (int i = 0; i < m; i++) {
    const double *row = size + (size_t)i*(size_t)n;
    double mean = 0, terms = 0;
    for (int j = 0; j < n; j++)
      if (isfinite(row[j])) mean -= row[j] + column[j], terms++;
    for (int j = 0; j < n; j++)
      if (isfinite(row[j])) sum[j] -= row[j] + mean/terms, count[j]++;
  }
  for (int j = 0; j < n; j++) {
    double mean = count[j] > 0 ? sum[j]/count[j] : column[j];
    change = fmax(change, fabs(mean - column[j]));
    column[j] = mean;
  }
  return change;
}

bool pf_column_units(double *size, int m, int n, double *unit, double *work)
{
  enum { MOST_ROUNDS = 100 };
  double *sum = work, *count = work + n, least = INFINITY, most = -INFINITY;
  take_logarithms(size, m, n, sum);
  for (int j = 0; j < n; j++) unit[j] = 0;
  for (int k = 0; k < MOST_ROUNDS && improve(size, m, n, unit, sum, count) > 0.1; k++) {}
  for (int j = 0; j < n; j++)
    if (count[j] > 0) least = fmin(least, unit[j]), most = fmax(most, unit[j]);
  bool alike = !(most - least > log2(ALIKE));
  double middle = alike ? 0 : round((least + most)/2);
  for (int j = 0; j < n; j++)
    unit[j] = alike || !(count[j] > 0) ? 1 : exp2(fmax(-500, fmin(500, round(unit[j]) - middle)));
  return !alike;
}

void pf_scale_columns(double *A, int m, int n, const double *unit)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) *A++ *= unit[j];
}

/* Do the sizes of the rows differ by much? */
static bool rows_differ(const double *A, int m, int n)
{
  double least = INFINITY, most = 0;
  for (int i = 0; i < m; i++) {
    double size = pf_largest(A + (size_t)i*(size_t)n, n);
    if (size > 0) least = fmin(least, size), most = fmax(most, size);
  }
  return most > ALIKE*least;
}

/* Rows in units of their own; `unit` (m) may be NULL. */
static void scale_rows(double *A, int m, int n, double *unit)
{
  for (int i = 0; i < m; i++) {
    double *row = A + (size_t)i*(size_t)n, size = pf_binary_scale(row, (size_t)n);
    for (int j = 0; j < n; j++) row[j] /= size;
    if (unit) unit[i] = size;
  }
}

PfStatus pf_make_alike(PfContext *ctx, double *A, int m, int n)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  const size_t count = (size_t)m*(size_t)n;
  double *size = pf_arena_array(scratch, double, count), *unit = pf_arena_array(scratch, double, n);
  double *work = pf_arena_array(scratch, double, 2*(size_t)n);
  bool room = size && unit && work;
  for (size_t i = 0; room && i < count; i++) size[i] = fabs(A[i]);
  if (room && pf_column_units(size, m, n, unit, work)) pf_scale_columns(A, m, n, unit);
  if (room && rows_differ(A, m, n)) scale_rows(A, m, n, NULL);
  pf_arena_release(scratch, mark);
  return room ? PF_OK : pf_no_room(ctx, "the units of the columns");
}

PfStatus pf_alike_make(PfContext *ctx, PfArena *arena, int m, int n, PfAlike *alike)
{
  *alike = (PfAlike){.row = pf_arena_array(arena, double, m), .column = pf_arena_array(arena, double, n),
                     .size = pf_arena_array(arena, double, ((size_t)m + 2)*(size_t)n)};
  return alike->row && alike->column && alike->size ? PF_OK : pf_no_room(ctx, "the units of the columns");
}

/* Columns that factors bear as they are get the unit 1. */
static bool keep_if_large(double *unit, int n)
{
  double least = INFINITY, most = 0;
  for (int j = 0; j < n; j++) least = fmin(least, unit[j]), most = fmax(most, unit[j]);
  if (most > FACTORS_ALIKE*least) return true;
  for (int j = 0; j < n; j++) unit[j] = 1;
  return false;
}

PfStatus pf_alike_factor(PfAlike *alike, PfQr *qr, double *A, double tol)
{
  const size_t n = (size_t)qr->n, size = (size_t)qr->m*n;
  for (size_t i = 0; i < size; i++) alike->size[i] = fabs(A[i]);
  alike->scaled = pf_column_units(alike->size, qr->m, qr->n, alike->column, alike->size + size) &&
                  keep_if_large(alike->column, qr->n);
  if (alike->scaled) pf_scale_columns(A, qr->m, qr->n, alike->column);
  alike->scaled = alike->scaled || rows_differ(A, qr->m, qr->n);
  if (alike->scaled) scale_rows(A, qr->m, qr->n, alike->row);
  return pf_qr_factor(qr, A, tol);
}

void pf_alike_solve(const PfAlike *alike, PfQr *qr, double *b, double *x)
{
  for (int i = 0; i < qr->m && alike->scaled; i++) b[i] /= alike->row[i];
  pf_qr_solve(qr, b, x);
  for (int j = 0; j < qr->n && alike->scaled; j++) x[j] *= alike->column[j];
}
