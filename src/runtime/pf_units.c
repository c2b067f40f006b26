/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Units of columns. Rows and columns of a constraint matrix have units, which the text of a model chooses: decisions
 * about rank must not depend on them. The scales r_i and c_j that bring all |a_ij| r_i c_j as near to 1 as possible
 * take out every change of units: least squares in the logarithms, by turns for rows and columns.
 * Curtis, Reid, On the automatic scaling of matrices for Gaussian elimination, J. Inst. Maths Applics 10 (1972). */
#include "pf_units.h"

#ifndef PF_SINGLE

#include <string.h>

/* An element that may consist of the remains of cancelled terms is rounding where it is this small in the units found
 * without it; a column of nothing else does not count as a column. */
static const double PF_UNITS_NOISE = 1e-14;
/* Logarithms of elements that do not count are lower by this. */
static const double PF_UNITS_HIDDEN = 4096;

static bool pf_units_count(double logarithm)
{
  return logarithm > -PF_UNITS_HIDDEN/2;
}

/* The logarithm of the scale of a row that brings it as near to 1 as possible. */
static double pf_units_row_scale(const double *row, int n, const double *column)
{
  double sum = 0, terms = 0;
  for (int j = 0; j < n; j++)
    if (pf_units_count(row[j])) sum -= row[j] + column[j], terms++;
  return terms > 0 ? sum/terms : 0;
}

/* Rows, then columns, get the mean that the others leave. Returns the largest change of a column. */
static double pf_units_improve(const PfSizes *s, double *column, double *sum, double *count)
{
  double change = 0;
  for (int j = 0; j < s->n; j++) sum[j] = count[j] = 0;
  for (int i = 0; i < s->m; i++) {
    const double *row = s->size + (size_t)i*(size_t)s->n, scale = pf_units_row_scale(row, s->n, column);
    for (int j = 0; j < s->n; j++)
      if (pf_units_count(row[j])) sum[j] -= row[j] + scale, count[j]++;
  }
  for (int j = 0; j < s->n; j++) {
    double mean = count[j] > 0 ? sum[j]/count[j] : column[j];
    change = fmax(change, fabs(mean - column[j]));
    column[j] = mean;
  }
  return change;
}

/* Elements that are more than rounding in the units of their row and column count after all. */
static bool pf_units_bring_back(const PfSizes *s, const double *column, const double *count)
{
  bool any = false;
  for (int i = 0; i < s->m; i++) {
    double *row = s->size + (size_t)i*(size_t)s->n, scale = pf_units_row_scale(row, s->n, column);
    for (int j = 0; j < s->n; j++) {
      const double shown = row[j] + PF_UNITS_HIDDEN + scale + column[j];
      if (pf_units_count(row[j]) || !(shown > log2(PF_UNITS_NOISE)) || !(count[j] > 0)) continue;
      row[j] += PF_UNITS_HIDDEN;
      any = true;
    }
  }
  return any;
}

/* The rows say nothing about the unit of a whole part, which are columns that rows tie together, directly or by others:
 * in it the inertia is 1 in the mean. `part` is room for n numbers: the least column of its part for each column. */
static void pf_units_tie_parts(const PfSizes *s, double *column, double *part)
{
  for (int j = 0; j < s->n; j++) part[j] = j;
  for (bool change = true; change;) {
    change = false;
    for (int i = 0; i < s->m; i++) {
      const double *row = s->size + (size_t)i*(size_t)s->n;
      double least = s->n;
      for (int j = 0; j < s->n; j++)
        if (pf_units_count(row[j])) least = fmin(least, part[j]);
      for (int j = 0; j < s->n; j++)
        if (pf_units_count(row[j]) && part[j] > least) part[j] = least, change = true;
    }
  }
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

/* Scales rows and columns in turn until nothing changes by much, at most a thousand times for each set of elements that
 * count. */
PF_RUNTIME bool pf_column_units(const PfSizes *s, double *unit, double *work)
{
  enum { MOST_ROUNDS = 1000 };
  const size_t n = (size_t)s->n;
  double *sum = work, *count = work + n, least = INFINITY, most = -INFINITY;
  /* Zeros become -infinity, the rest logarithms; elements that may be rounding relative to the largest of their row are
   * hidden. */
  for (size_t i = 0; i < (size_t)s->m; i++) {
    double *row = s->size + i*n, largest = pf_largest(row, s->n);
    for (size_t j = 0; j < n; j++) {
      bool clear = row[j] > PF_UNITS_NOISE*largest || (s->sure && s->sure[i*n + j]);
      row[j] = row[j] > 0 && isfinite(row[j]) ? log2(row[j]) - (clear ? 0 : PF_UNITS_HIDDEN) : -INFINITY;
    }
  }
  for (size_t j = 0; j < n; j++) unit[j] = 0;
  do {
    for (int k = 0; k < MOST_ROUNDS && pf_units_improve(s, unit, sum, count) > 0.05; k++) {}
  } while (pf_units_bring_back(s, unit, count));
  pf_units_tie_parts(s, unit, sum);
  for (size_t i = 0; i < (size_t)s->m; i++) { /* a column of rounding alone stays so, however small the inertia is */
    const double *row = s->size + i*n, scale = pf_units_row_scale(row, s->n, unit);
    for (size_t j = 0; j < n; j++)
      if (!(count[j] > 0) && isfinite(row[j]))
        unit[j] = fmin(unit[j], log2(PF_UNITS_NOISE) - row[j] - PF_UNITS_HIDDEN - scale);
  }
  for (size_t j = 0; j < n; j++) least = fmin(least, unit[j]), most = fmax(most, unit[j]);
  double middle = n ? round((least + most)/2) : 0;
  for (size_t j = 0; j < n; j++) unit[j] = exp2(fmax(-500, fmin(500, round(unit[j]) - middle)));
  return most - least > log2(PF_UNITS_ALIKE);
}

/* ---------------------------------------------------------------- measured at a state and near it */

/* Cuts `room`, of pf_units_room numbers, into the arrays. */
PF_RUNTIME double *pf_units_place(PfUnits *u, double *room)
{
  const size_t n = (size_t)u->n, size = (size_t)u->m*n;
  double **const places[] = {&u->size, &u->logarithm, &u->A, &u->first, &u->inertia, &u->trial_inertia, &u->state,
                             &u->work, &u->scale, &u->change};
  const size_t amount[] = {size, size, size, size, n, n, 2*n, 2*n, (size_t)u->m, size};
  for (size_t k = 0; k < sizeof amount/sizeof *amount; k++) *places[k] = room, room += amount[k];
  return room;
}

/* In doubles. */
PF_RUNTIME size_t pf_units_room(int m, int n)
{
  return PF_UNITS_REALS((size_t)m, (size_t)n);
}

static void pf_units_raise(PfUnits *u, double part)
{
  for (size_t i = 0; i < (size_t)u->m*(size_t)u->n; i++)
    if (isfinite(u->A[i])) u->size[i] = fmax(u->size[i], part*fabs(u->A[i]));
  for (int j = 0; j < u->n; j++)
    if (isfinite(u->trial_inertia[j])) u->inertia[j] = fmax(u->inertia[j], part*u->trial_inertia[j]);
}

static void pf_units_find_columns(PfUnits *u)
{
  memcpy(u->logarithm, u->size, (size_t)u->m*(size_t)u->n*sizeof *u->size);
  u->far = pf_column_units(&(PfSizes){u->m, u->n, u->logarithm, u->sure, u->inertia}, u->column, u->work);
}

PF_RUNTIME double pf_blur(double x, double unit, unsigned *noise)
{
  *noise = *noise*1664525u + 1013904223u;
  return x + 0.02*((*noise >> 16)/65536.0 - 0.5)*(unit + fabs(x));
}

/* A state near this one, and the rows there: by the spread and by this part of the numbers themselves. */
static bool pf_units_sample(PfUnits *u, const double *home, double own, unsigned noise, PfEvaluateRows *evaluate,
                            void *user)
{
  for (int i = 0; i < 2*u->n; i++) {
    noise = noise*1664525u + 1013904223u;
    u->state[i] = home[i] + 0.02*((noise >> 16)/65536.0 - 0.5)*(u->spread[i%u->n] + own*fabs(home[i]));
  }
  return evaluate(user, u->state, u->A, u->trial_inertia);
}

/* How much the rows have changed from u->first to u->A in the mean, each relative to its length, in units. */
static double pf_units_change(const PfUnits *u)
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

static void pf_units_begin_spread(PfUnits *u)
{
  for (int j = 0; j < u->n; j++) u->spread[j] = u->far ? u->column[j] : 1;
}

/* A state is near where the rows have changed by a little: lengths may be of any size. Rows that vanish here change by
 * all they are however near it is: where most of them do, nothing is known. The change by the numbers themselves does
 * not become less with the spread: a spread that shrinks is judged alone, and ends where the spreads of all coordinates
 * are negligible against their numbers: the changes there are rounding. */
static void pf_units_find_spread(PfUnits *u, const double *home, PfEvaluateRows *evaluate, void *user)
{
  const double much = 0.5, typical = 0.02, nothing = 1e-13, little = 1e-5, next_to_nothing = 1e-9;
  enum { MOST_TRIALS = 40 };
  double factor = 1;
  pf_units_begin_spread(u);
  for (int k = 0; k < MOST_TRIALS; k++) {
    double change = pf_units_sample(u, home, factor < 1 ? 0 : 1, 5, evaluate, user) ? pf_units_change(u) : INFINITY;
    bool grow = change > nothing && change < (factor > 1 ? 0.1*typical : little) && factor >= 1;
    bool shrink = change > (factor < 1 || u->far ? typical : much) && factor <= 1, any = false, large = false;
    for (int j = 0; j < u->n; j++) {
      any = any || fabs(home[j]) > 0;
      large = large || (u->spread[j] > next_to_nothing*fabs(home[j]) && fabs(home[j]) > 0);
    }
    if (factor < 1 && (!(change > nothing) || (any && !large))) break;
    if (!grow && !shrink) return;
    factor = grow ? 8 : 0.125;
    for (int j = 0; j < u->n; j++) u->spread[j] *= factor;
  }
  pf_units_begin_spread(u);
}

/* The spread of a coordinate that moves small elements alone may be wrong by powers of ten. An element that changes by
 * a little at one distance, and in proportion at the next one, is not rounding: that has steps of its last digit.
 * Nothing is done where no element may be rounding. */
static void pf_units_make_sure(PfUnits *u, const double *home, PfEvaluateRows *evaluate, void *user)
{
  enum { FARTHEST = 8 };
  const double closer = 0x1p-8, little = 0.1, in_proportion = 0x1p-4;
  bool unsure = false;
  for (int i = 0; u->sure && i < u->m; i++) {
    const double *row = u->first + (size_t)i*(size_t)u->n, noise = PF_UNITS_NOISE*pf_largest(row, u->n);
    for (int j = 0; j < u->n; j++)
      if (fabs(row[j]) > 0 && fabs(row[j]) < noise && !u->sure[(size_t)i*(size_t)u->n + (size_t)j]) unsure = true;
  }
  if (!unsure) return;
  for (int j = 0; j < u->n; j++) u->spread[j] *= 0x1p64;
  for (int k = -FARTHEST; k <= FARTHEST; k++) {
    bool good = pf_units_sample(u, home, 0, 5, evaluate, user);
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

/* Evaluates at the state, at two states near it, and at more to find out how near that is: about ten, at most some
 * sixty evaluations. */
PF_RUNTIME void pf_units_measure(PfUnits *u, const double *home, PfEvaluateRows *evaluate, void *user)
{
  enum { STATES_BESIDE = 2 };
  const double little = 0.1, usual = 1 << 10;
  const size_t n = (size_t)u->n, size = (size_t)u->m*n;
  memset(u->size, 0, size*sizeof *u->size);
  memset(u->inertia, 0, n*sizeof *u->inertia);
  (void)evaluate(user, home, u->A, u->trial_inertia);
  pf_units_raise(u, 1);
  memcpy(u->first, u->A, size*sizeof *u->A);
  pf_units_find_columns(u); /* by this state alone, to find states near it */
  pf_units_find_spread(u, home, evaluate, user);
  memset(u->change, 0, size*sizeof *u->change);
  for (unsigned k = 0; k < STATES_BESIDE; k++) {
    if (!pf_units_sample(u, home, 1, 5 + 7*k, evaluate, user)) continue;
    pf_units_raise(u, 0.1);
    for (size_t i = 0; i < size; i++) u->change[i] = fmax(u->change[i], fabs(u->A[i] - u->first[i]));
  }
  /* an element that changes by a little where the state does is not rounding: that changes by about all of itself, or
   * not at all */
  for (size_t i = 0; u->sure && i < size; i++)
    if (u->change[i] > 0 && u->change[i] < little*fabs(u->first[i])) u->sure[i] = true;
  pf_units_make_sure(u, home, evaluate, user);
  pf_units_find_columns(u);
  pf_units_rows(u);
  /* the change of the residual by that of the coordinates by their spread */
  for (size_t i = 0; i < (size_t)u->m; i++) {
    double most = 0;
    for (size_t j = 0; j < n; j++) most = fmax(most, u->size[i*n + j]*u->spread[j]);
    u->scale[i] = !(most > 0) || (most < usual && most > 1/usual) ? 1 : pf_binary_scale(&most, 1);
  }
}

/* The largest element of each row in the units of the columns. */
PF_RUNTIME void pf_units_rows(PfUnits *u)
{
  for (int i = 0; i < u->m; i++) {
    u->row[i] = 0;
    for (int j = 0; j < u->n; j++)
      u->row[i] = fmax(u->row[i], u->size[(size_t)i*(size_t)u->n + (size_t)j]*u->column[j]);
  }
}

/* How many rows of A (m x n, overwritten) are independent by more than tol. */
static int pf_units_independent(double *A, int m, int n, double tol)
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
PF_RUNTIME bool pf_units_differ(const double *unit, int n, double factor)
{
  double least = INFINITY, most = 0;
  for (int j = 0; j < n; j++)
    if (unit[j] > 0) least = fmin(least, unit[j]), most = fmax(most, unit[j]);
  return most > factor*least;
}

/* True where ranks differ with and without units, or columns differ by more than factors bear. */
PF_RUNTIME bool pf_units_matter(PfUnits *u)
{
  /* independent in any case, and by more than rows that are redundant may drift inside a step, all along a motion */
  const double clearly = 0.03;
  const size_t count = (size_t)u->m*(size_t)u->n;
  const double masses_alike = 1 << 7; /* of the roots: directions that mix coordinates keep the light ones */
  if (pf_units_differ(u->column, u->n, PF_FACTORS_ALIKE)) return true;
  if (u->far && pf_units_differ(u->inertia, u->n, masses_alike)) return true;
  memcpy(u->A, u->first, count*sizeof *u->A);
  memcpy(u->logarithm, u->first, count*sizeof *u->A);
  pf_scale_columns(u->logarithm, u->m, u->n, u->column);
  if (pf_first_not_finite(u->A, count) >= 0) return false;
  return pf_units_independent(u->A, u->m, u->n, clearly) !=
         pf_units_independent(u->logarithm, u->m, u->n, PF_RANK_TOLERANCE);
}

/* ---------------------------------------------------------------- scaling */

/* In place. */
PF_RUNTIME void pf_scale_columns(double *A, int m, int n, const double *unit)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) *A++ *= unit[j];
}

/* Rows of zeros do not count. */
PF_RUNTIME bool pf_rows_differ(const double *A, int m, int n, double factor)
{
  double least = INFINITY, most = 0;
  for (int i = 0; i < m; i++) {
    double size = pf_largest(A + (size_t)i*(size_t)n, n);
    if (size > 0) least = fmin(least, size), most = fmax(most, size);
  }
  return most > factor*least;
}

/* In place; powers of two, so that nothing is rounded. */
PF_RUNTIME void pf_scale_rows(double *A, int m, int n, double *unit)
{
  for (int i = 0; i < m; i++) {
    double *row = A + (size_t)i*(size_t)n, size = pf_binary_scale(row, (size_t)n);
    for (int j = 0; j < n; j++) row[j] /= size;
    if (unit) unit[i] = size;
  }
}

#endif
