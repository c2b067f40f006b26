/* SPDX-License-Identifier: Apache-2.0 */
/* Units of columns. Rows and columns of a constraint matrix have units, which the text of a model chooses: decisions
 * about rank must not depend on them. The scales r_i and c_j that bring all |a_ij| r_i c_j as near to 1 as possible
 * take out every change of units: least squares in the logarithms, by turns for rows and columns.
 * Curtis, Reid, On the automatic scaling of matrices for Gaussian elimination, J. Inst. Maths Applics 10 (1972). */
#include "num/num.h"

#include <math.h>
#include <string.h>

/* An element of which cancelled terms may be all that is left is rounding where it is this small in the units found
 * without it; a column of nothing else is no column. */
static const double NOISE = 1e-14;
/* Columns that differ by less keep their units where numbers are computed: they stay as they are. */
static const double ALIKE = 1 << 14;
/* Factors bear more than decisions about rank, and solutions keep their last digits. */
static const double FACTORS_ALIKE = 1 << 20;
/* Logarithms of what does not count are lower by this. */
static const double HIDDEN = 4096;

static bool counts(double logarithm)
{
  return logarithm > -HIDDEN/2;
}

/* Zeros become -infinity, the rest logarithms; hidden is what may be rounding beside the largest of its row. */
static void take_logarithms(const PfSizes *s)
{
  for (int i = 0; i < s->m; i++) {
    double *row = s->size + (size_t)i*(size_t)s->n, largest = pf_largest(row, s->n);
    for (int j = 0; j < s->n; j++) {
      bool clear = row[j] > NOISE*largest || (s->sure && s->sure[(size_t)i*(size_t)s->n + (size_t)j]);
      row[j] = row[j] > 0 && isfinite(row[j]) ? log2(row[j]) - (clear ? 0 : HIDDEN) : -INFINITY;
    }
  }
}

/* The logarithm of the scale of a row that brings it as near to 1 as possible. */
static double scale_of_row(const double *row, int n, const double *column)
{
  double sum = 0, terms = 0;
  for (int j = 0; j < n; j++)
    if (counts(row[j])) sum -= row[j] + column[j], terms++;
  return terms > 0 ? sum/terms : 0;
}

/* Rows, then columns, get the mean that the others leave. Returns the largest change of a column. */
static double improve(const PfSizes *s, double *column, double *sum, double *count)
{
  double change = 0;
  for (int j = 0; j < s->n; j++) sum[j] = count[j] = 0;
  for (int i = 0; i < s->m; i++) {
    const double *row = s->size + (size_t)i*(size_t)s->n, scale = scale_of_row(row, s->n, column);
    for (int j = 0; j < s->n; j++)
      if (counts(row[j])) sum[j] -= row[j] + scale, count[j]++;
  }
  for (int j = 0; j < s->n; j++) {
    double mean = count[j] > 0 ? sum[j]/count[j] : column[j];
    change = fmax(change, fabs(mean - column[j]));
    column[j] = mean;
  }
  return change;
}

/* What is more than rounding in the units of its row and column counts after all. */
static bool bring_back(const PfSizes *s, const double *column, const double *count)
{
  bool any = false;
  for (int i = 0; i < s->m; i++) {
    double *row = s->size + (size_t)i*(size_t)s->n, scale = scale_of_row(row, s->n, column);
    for (int j = 0; j < s->n; j++) {
      if (counts(row[j]) || !(row[j] + HIDDEN + scale + column[j] > log2(NOISE)) || !(count[j] > 0)) continue;
      row[j] += HIDDEN;
      any = true;
    }
  }
  return any;
}

static void balance(const PfSizes *s, double *column, double *sum, double *count)
{
  enum { MOST_ROUNDS = 1000 };
  do {
    for (int k = 0; k < MOST_ROUNDS && improve(s, column, sum, count) > 0.05; k++) {}
  } while (bring_back(s, column, count));
}

/* Columns that rows tie together, directly or by others, get the same number. */
static void find_parts(const PfSizes *s, double *part)
{
  bool change = true;
  for (int j = 0; j < s->n; j++) part[j] = j;
  while (change) {
    change = false;
    for (int i = 0; i < s->m; i++) {
      const double *row = s->size + (size_t)i*(size_t)s->n;
      double least = s->n;
      for (int j = 0; j < s->n; j++)
        if (counts(row[j])) least = fmin(least, part[j]);
      for (int j = 0; j < s->n; j++)
        if (counts(row[j]) && part[j] > least) part[j] = least, change = true;
    }
  }
}

/* The rows say nothing about the unit of a whole part: in it the inertia is 1 in the mean. */
static void tie_parts(const PfSizes *s, double *column, const double *part)
{
  for (int k = 0; k < s->n; k++) {
    double sum = 0, terms = 0, all = 0, members = 0;
    for (int j = 0; j < s->n; j++) {
      if (part[j] < k || part[j] > k) continue;
      all += column[j], members++;
      if (s->inertia && s->inertia[j] > 0) sum += column[j] + log2(s->inertia[j]), terms++;
    }
    double shift = terms > 0 ? sum/terms : members > 0 ? all/members : 0;
    for (int j = 0; j < s->n && members > 0; j++)
      if (!(part[j] < k || part[j] > k)) column[j] -= shift;
  }
}

/* A column of rounding alone stays so, however small the inertia is. */
static void keep_down(const PfSizes *s, double *column, const double *count)
{
  for (int i = 0; i < s->m; i++) {
    const double *row = s->size + (size_t)i*(size_t)s->n, scale = scale_of_row(row, s->n, column);
    for (int j = 0; j < s->n; j++)
      if (!(count[j] > 0) && isfinite(row[j])) column[j] = fmin(column[j], log2(NOISE) - row[j] - HIDDEN - scale);
  }
}

bool pf_column_units(const PfSizes *s, double *unit, double *work)
{
  double *sum = work, *count = work + s->n, least = INFINITY, most = -INFINITY;
  take_logarithms(s);
  for (int j = 0; j < s->n; j++) unit[j] = 0;
  balance(s, unit, sum, count);
  find_parts(s, sum);
  tie_parts(s, unit, sum);
  keep_down(s, unit, count);
  for (int j = 0; j < s->n; j++) least = fmin(least, unit[j]), most = fmax(most, unit[j]);
  double middle = s->n ? round((least + most)/2) : 0;
  for (int j = 0; j < s->n; j++) unit[j] = exp2(fmax(-500, fmin(500, round(unit[j]) - middle)));
  return most - least > log2(ALIKE);
}

/* ---------------------------------------------------------------- measured at a state and beside it */

double *pf_units_place(PfUnits *u, double *room)
{
  const size_t n = (size_t)u->n, size = (size_t)u->m*n;
  double **const places[] = {&u->size, &u->logarithm, &u->A, &u->first, &u->inertia, &u->look_inertia, &u->state,
                             &u->work, &u->scale, &u->change};
  const size_t amount[] = {size, size, size, size, n, n, 2*n, 2*n, (size_t)u->m, size};
  for (size_t k = 0; k < sizeof amount/sizeof *amount; k++) *places[k] = room, room += amount[k];
  return room;
}

size_t pf_units_room(int m, int n)
{
  return 5*(size_t)m*(size_t)n + 6*(size_t)n + (size_t)m;
}

static void clear_sizes(PfUnits *u)
{
  memset(u->size, 0, (size_t)u->m*(size_t)u->n*sizeof *u->size);
  memset(u->inertia, 0, (size_t)u->n*sizeof *u->inertia);
}

static void raise_sizes(PfUnits *u, double part)
{
  for (size_t i = 0; i < (size_t)u->m*(size_t)u->n; i++)
    if (isfinite(u->A[i])) u->size[i] = fmax(u->size[i], part*fabs(u->A[i]));
  for (int j = 0; j < u->n; j++)
    if (isfinite(u->look_inertia[j])) u->inertia[j] = fmax(u->inertia[j], part*u->look_inertia[j]);
}

static void find_columns(PfUnits *u)
{
  memcpy(u->logarithm, u->size, (size_t)u->m*(size_t)u->n*sizeof *u->size);
  u->far = pf_column_units(&(PfSizes){u->m, u->n, u->logarithm, u->sure, u->inertia}, u->column, u->work);
}

/* A state beside this one, and what is there: by the spread and by this part of the numbers themselves. */
static bool look_beside(PfUnits *u, const double *home, double own, unsigned noise, PfLook *look, void *user)
{
  for (int i = 0; i < 2*u->n; i++) {
    noise = noise*1664525u + 1013904223u;
    u->state[i] = home[i] + 0.02*((noise >> 16)/65536.0 - 0.5)*(u->spread[i%u->n] + own*fabs(home[i]));
  }
  return look(user, u->state, u->A, u->look_inertia);
}

/* How much the rows have changed from u->first to u->A in the mean, each relative to its length, in units. */
static double change_of_rows(const PfUnits *u)
{
  double sum = 0;
  for (int i = 0; i < u->m; i++) {
    double length = 0, change = 0;
    for (int j = 0; j < u->n; j++) {
      const size_t at = (size_t)i*(size_t)u->n + (size_t)j;
      length = fmax(length, fmax(fabs(u->first[at]), fabs(u->A[at]))*u->column[j]);
      change = fmax(change, fabs(u->A[at] - u->first[at])*u->column[j]);
    }
    if (!isfinite(change)) return INFINITY;
    sum += length > 0 ? change/length : 0;
  }
  return sum/u->m;
}

static void begin_spread(PfUnits *u)
{
  for (int j = 0; j < u->n; j++) u->spread[j] = u->far ? u->column[j] : 1;
}

/* Are the spreads of all coordinates next to nothing beside their numbers? Then what changes there is rounding. */
static bool is_rounding(const PfUnits *u, const double *home)
{
  const double next_to_nothing = 1e-9;
  bool any = false;
  for (int j = 0; j < u->n; j++) {
    if (u->spread[j] > next_to_nothing*fabs(home[j]) && fabs(home[j]) > 0) return false;
    any = any || fabs(home[j]) > 0;
  }
  return any;
}

/* Beside is where the rows have changed by a little: lengths may be of any size. Rows that vanish here change by all
 * they are however near it is: where most of them do, nothing is known. What the numbers themselves change does not
 * become less with the spread: a spread that shrinks is judged alone. */
static void find_spread(PfUnits *u, const double *home, PfLook *look, void *user)
{
  const double much = 0.5, usual = 0.02, nothing = 1e-13, little = 1e-5;
  enum { MOST_TRIALS = 40 };
  double factor = 1;
  begin_spread(u);
  for (int k = 0; k < MOST_TRIALS; k++) {
    double change = look_beside(u, home, factor < 1 ? 0 : 1, 5, look, user) ? change_of_rows(u) : INFINITY;
    bool grow = change > nothing && change < (factor > 1 ? 0.1*usual : little) && factor >= 1;
    bool shrink = change > (factor < 1 || u->far ? usual : much) && factor <= 1;
    if (factor < 1 && (!(change > nothing) || is_rounding(u, home))) break;
    if (!grow && !shrink) return;
    factor = grow ? 8 : 0.125;
    for (int j = 0; j < u->n; j++) u->spread[j] *= factor;
  }
  begin_spread(u);
}

static void keep_changes(PfUnits *u)
{
  for (size_t i = 0; i < (size_t)u->m*(size_t)u->n; i++)
    u->change[i] = fmax(u->change[i], fabs(u->A[i] - u->first[i]));
}

/* What changes by a little where the state does is no rounding: that changes by about all of itself, or not at all. */
static void make_sure(PfUnits *u)
{
  const double little = 0.1;
  for (size_t i = 0; u->sure && i < (size_t)u->m*(size_t)u->n; i++)
    if (u->change[i] > 0 && u->change[i] < little*fabs(u->first[i])) u->sure[i] = true;
}

/* Is there an element that may be rounding? */
static bool is_any_unsure(const PfUnits *u)
{
  for (int i = 0; u->sure && i < u->m; i++) {
    const double *row = u->first + (size_t)i*(size_t)u->n, noise = NOISE*pf_largest(row, u->n);
    for (int j = 0; j < u->n; j++)
      if (fabs(row[j]) > 0 && fabs(row[j]) < noise && !u->sure[(size_t)i*(size_t)u->n + (size_t)j]) return true;
  }
  return false;
}

/* The spread of a coordinate that moves small elements alone may be wrong by powers of ten. What changes by a little
 * at one distance, and in proportion at the next one, is no rounding: that has steps of its last digit. */
static void make_sure_afar(PfUnits *u, const double *home, PfLook *look, void *user)
{
  enum { FARTHEST = 8 };
  const double closer = 0x1p-8, little = 0.1, in_proportion = 0x1p-4;
  if (!is_any_unsure(u)) return;
  for (int j = 0; j < u->n; j++) u->spread[j] *= 0x1p64;
  for (int k = -FARTHEST; k <= FARTHEST; k++) {
    bool good = look_beside(u, home, 0, 5, look, user);
    for (size_t i = 0; i < (size_t)u->m*(size_t)u->n; i++) {
      double change = good ? fabs(u->A[i] - u->first[i]) : INFINITY, before = u->change[i];
      if (before < little*fabs(u->first[i]) && change > 0 && change < in_proportion*before && k > -FARTHEST)
        u->sure[i] = true;
      u->change[i] = change;
    }
    for (int j = 0; j < u->n; j++) u->spread[j] *= closer;
  }
  for (int j = 0; j < u->n; j++) u->spread[j] *= 0x1p72;
}

/* What a change of the coordinates by their spread makes of the residual. */
static double scale_of_residual(const PfUnits *u, int i)
{
  const double usual = 1 << 10;
  double most = 0;
  for (int j = 0; j < u->n; j++) most = fmax(most, u->size[(size_t)i*(size_t)u->n + (size_t)j]*u->spread[j]);
  return !(most > 0) || (most < usual && most > 1/usual) ? 1 : pf_binary_scale(&most, 1);
}

void pf_units_measure(PfUnits *u, const double *home, PfLook *look, void *user)
{
  enum { STATES_BESIDE = 2 };
  clear_sizes(u);
  (void)look(user, home, u->A, u->look_inertia);
  raise_sizes(u, 1);
  memcpy(u->first, u->A, (size_t)u->m*(size_t)u->n*sizeof *u->A);
  find_columns(u); /* by this state alone, to know what is beside */
  find_spread(u, home, look, user);
  memset(u->change, 0, (size_t)u->m*(size_t)u->n*sizeof *u->change);
  for (unsigned k = 0; k < STATES_BESIDE; k++) {
    if (!look_beside(u, home, 1, 5 + 7*k, look, user)) continue;
    raise_sizes(u, 0.1);
    keep_changes(u);
  }
  make_sure(u);
  make_sure_afar(u, home, look, user);
  find_columns(u);
  pf_units_rows(u);
  for (int i = 0; i < u->m; i++) u->scale[i] = scale_of_residual(u, i);
}

void pf_units_rows(PfUnits *u)
{
  for (int i = 0; i < u->m; i++) {
    u->row[i] = 0;
    for (int j = 0; j < u->n; j++)
      u->row[i] = fmax(u->row[i], u->size[(size_t)i*(size_t)u->n + (size_t)j]*u->column[j]);
  }
}

/* How many rows of A (m x n, overwritten) are independent by more than tol. */
static int count_independent(double *A, int m, int n, double tol)
{
  int rank = 0;
  for (int i = 0; i < m; i++) {
    double *row = A + (size_t)i*(size_t)n, scale = pf_binary_scale(row, (size_t)n);
    for (int j = 0; j < n; j++) row[j] /= scale;
    double length = pf_norm(row, n);
    for (int j = 0; j < n; j++) row[j] /= length > 0 ? length : 1;
  }
  for (; rank < m && rank < n; rank++) {
    int best = rank;
    for (int i = rank + 1; i < m; i++)
      if (pf_norm(A + (size_t)i*(size_t)n, n) > pf_norm(A + (size_t)best*(size_t)n, n)) best = i;
    double *row = A + (size_t)rank*(size_t)n, *other = A + (size_t)best*(size_t)n, left = pf_norm(other, n);
    if (!(left > tol)) break;
    for (int j = 0; j < n; j++) {
      double x = other[j]/left;
      other[j] = row[j];
      row[j] = x;
    }
    for (int i = rank + 1; i < m; i++) (void)pf_remove_part(A + (size_t)i*(size_t)n, row, n);
  }
  return rank;
}

/* Those that are not zero. */
static bool differ_by_more(const double *unit, int n, double factor)
{
  double least = INFINITY, most = 0;
  for (int j = 0; j < n; j++)
    if (unit[j] > 0) least = fmin(least, unit[j]), most = fmax(most, unit[j]);
  return most > factor*least;
}

bool pf_units_matter(PfUnits *u)
{
  /* independent in any case, and by more than rows that are redundant may drift inside a step, all along a motion */
  const double clearly = 0.03;
  const size_t count = (size_t)u->m*(size_t)u->n;
  const double masses_alike = 1 << 7; /* of the roots: directions that mix coordinates keep the light ones */
  if (differ_by_more(u->column, u->n, FACTORS_ALIKE)) return true;
  if (u->far && differ_by_more(u->inertia, u->n, masses_alike)) return true;
  memcpy(u->A, u->first, count*sizeof *u->A);
  memcpy(u->logarithm, u->first, count*sizeof *u->A);
  pf_scale_columns(u->logarithm, u->m, u->n, u->column);
  if (pf_first_not_finite(u->A, count) >= 0) return false;
  return count_independent(u->A, u->m, u->n, clearly) !=
         count_independent(u->logarithm, u->m, u->n, PF_RANK_TOLERANCE);
}

/* ---------------------------------------------------------------- scaling */

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
    scale_rows(A, m, n, NULL);
  }
  pf_arena_release(scratch, mark);
  return room ? PF_OK : pf_no_room(ctx, "the units of the columns");
}

PfStatus pf_alike_make(PfContext *ctx, PfArena *arena, int m, int n, PfAlike *alike)
{
  *alike = (PfAlike){.row = pf_arena_array(arena, double, m), .column = pf_arena_array(arena, double, n),
                     .size = pf_arena_array(arena, double, ((size_t)m + 2)*(size_t)n)};
  return alike->row && alike->column && alike->size ? PF_OK : pf_no_room(ctx, "the units of the columns");
}

/* Columns that factors bear as they are get the unit 1: then nothing is scaled, neither before nor after solving. */
static bool find_factor_units(const PfSizes *sizes, double *unit, double *work)
{
  if (pf_column_units(sizes, unit, work) && differ_by_more(unit, sizes->n, FACTORS_ALIKE)) return true;
  for (int j = 0; j < sizes->n; j++) unit[j] = 1;
  return false;
}

/* In units that the caller has put into `row` and `column`. */
static PfStatus factor_as_given(PfAlike *alike, PfQr *qr, double *A, double tol)
{
  alike->scaled = true;
  pf_scale_columns(A, qr->m, qr->n, alike->column);
  for (int i = 0; i < qr->m; i++)
    for (int j = 0; j < qr->n; j++) A[(size_t)i*(size_t)qr->n + (size_t)j] /= alike->row[i];
  return pf_qr_factor(qr, A, tol);
}

PfStatus pf_alike_factor(PfAlike *alike, PfQr *qr, double *A, double tol)
{
  if (alike->given) return factor_as_given(alike, qr, A, tol);
  const size_t n = (size_t)qr->n, size = (size_t)qr->m*n;
  for (size_t i = 0; i < size; i++) alike->size[i] = fabs(A[i]);
  const PfSizes sizes = {qr->m, qr->n, alike->size, NULL, NULL};
  alike->scaled = find_factor_units(&sizes, alike->column, alike->size + size);
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

void pf_alike_solve_transposed(const PfAlike *alike, PfQr *qr, double *b, double *x)
{
  for (int j = 0; j < qr->n && alike->scaled; j++) b[j] *= alike->column[j];
  (void)pf_qr_solve_transposed(qr, b, x);
  for (int i = 0; i < qr->m && alike->scaled; i++) x[i] /= alike->row[i];
}
