/* SPDX-License-Identifier: Apache-2.0 */
/* The length of a coordinate by the equations themselves: below it they look linear, above it like another power of
 * it. Each coordinate is moved away from where the field is by all powers of ten; rows of constraints, masses and
 * stiffnesses change there from one power law to another. The directions along which they are derived have equal
 * energies, so that no unit of the text of a model has a part in it. */
#include "study/problem.h"

#include <math.h>
#include <string.h>

/* Powers of ten, and places within each. */
enum { FIRST = -18, LAST = 18, DECADES = LAST - FIRST + 1, PLACES = 7 };

/* A change this small, in parts of the row, is rounding. */
static const double ROUNDING = 1e-12;

/* The scan along one coordinate. */
typedef struct Scan {
  PfDynamics *f;
  int rows;
  double *mass;      /* n: diagonal of the mass matrix */
  double *direction; /* n: of equal energy in each coordinate, 0 for those without mass */
  double *size, *change; /* rows x DECADES: largest in the decade, of the row and of its difference from here */
  double *here, *there;  /* rows */
  double *out;       /* root_count */
} Scan;

/* Arbitrary numbers in (0.5, 1) of either sign, the same in every run. */
static double arbitrary(int i)
{
  const double x = pf_arbitrary(i, 0);
  return (x < 0 ? -0.5 : 0.5) + 0.5*x;
}

/* The rows where f->seeds begin, derived along coordinates and velocities, followed by those along accelerations. */
static void derive(Scan *s, double *rows)
{
  PfDynamics *f = s->f;
  double *seed = f->seeds + f->count;
  for (int pass = 0; pass < 2; pass++) {
    memset(seed, 0, (size_t)f->count*sizeof *seed);
    for (int j = 0; j < f->n; j++) {
      if (!pass) seed[f->at_q + j] = s->direction[j];
      if (!f->speeds) seed[(pass ? f->at_a : f->at_w) + j] = s->direction[j];
    }
    pf_tape_run(f->first, f->seeds, s->out, f->work);
    if (!pass) memcpy(rows, s->out, (size_t)(f->at_r + f->nr)*sizeof *rows);
    else memcpy(rows + f->at_r + f->nr, s->out + f->at_r, (size_t)f->nr*sizeof *rows);
  }
}

/* Values that are not finite stay so: NaN where an expression ends, as a root does, infinite beyond the largest
 * number. */
static void enlarge(double *size, double value)
{
  *size = isnan(*size) || isnan(value) ? NAN : fmax(*size, fabs(value));
}

/* The decade where sizes go over from one power law to another for the last time, or end; -INFINITY: they never do.
 * Functions that grow beyond all powers, as exp does, bend again and again: there it is the first time. */
static double find_knee(const double *size)
{
  const double clearly = 0.3;
  double slope[DECADES], knee[DECADES + 1] = {0}, found = -INFINITY;
  int top = DECADES - 1, low;
  while (top > 0 && !isfinite(size[top])) top--;
  const bool ends = top < DECADES - 1;
  if (ends && isnan(size[top + 1])) return top;
  for (low = top; low > 0 && size[low - 1] > 0; low--) {}
  for (int d = low; d < top; d++) slope[d] = log10(size[d + 1]/size[d]);
  for (int d = low + 1; d < top; d++) knee[d] = fabs(slope[d] - slope[d - 1]);
  for (int d = low + 1; d < top && !(ends && isfinite(found)); d++)
    if (knee[d] >= clearly) {
      /* The middle of a bend at the decade d. */
      double sum = 0, place = 0;
      for (int k = d > 2 ? d - 2 : 0; k <= d + 1; k++) sum += knee[k], place += knee[k]*k;
      found = place/sum;
    }
  return found;
}

/* The power of ten of the last change by bounds, which stay where a sine goes up and down: of all that is nearer, and
 * of all that is farther. Growth is seen at the end of a decade, decrease at its beginning. */
static double find_change(const double *size)
{
  double nearer[DECADES], farther[DECADES];
  memcpy(nearer, size, sizeof nearer);
  memcpy(farther, size, sizeof farther);
  for (int d = 1; d < DECADES; d++)
    if (nearer[d] < nearer[d - 1]) nearer[d] = nearer[d - 1];
  for (int d = DECADES - 2; d >= 0; d--)
    if (isfinite(farther[d + 1]) && farther[d] < farther[d + 1]) farther[d] = farther[d + 1];
  return FIRST + fmax(find_knee(nearer) + 1, find_knee(farther));
}

/* ---------------------------------------------------------------- units of coordinates */

/* Lengths up to these powers of ten from 1 are usual: coordinates keep their unit. So do those about which the
 * equations say nothing but by the energies of others, up to the second one. */
static const double USUAL = 1.6, TIED_TYPICAL = 3;

/* Of the powers of ten that are known the one that so many of all are below; NaN: none is known. */
static double quantile(const double *list, int count, double share, double *room)
{
  int known = 0;
  for (int i = 0; i < count; i++)
    if (isfinite(list[i])) room[known++] = list[i];
  for (int i = 1; i < known; i++) {
    const double one = room[i];
    int k = i;
    for (; k > 0 && room[k - 1] > one; k--) room[k] = room[k - 1];
    room[k] = one;
  }
  return known ? room[(int)((known - 1)*share)] : NAN;
}

/* The power of ten of the length of a coordinate, by all rows that show one; NaN: none does. */
static double find_length(Scan *s, int coordinate)
{
  /* Fills s->size and s->change for the coordinate. */
  PfDynamics *f = s->f;
  memset(s->size, 0, (size_t)s->rows*DECADES*sizeof *s->size);
  memset(s->change, 0, (size_t)s->rows*DECADES*sizeof *s->change);
  memcpy(f->seeds, f->full, (size_t)f->count*sizeof *f->full);
  derive(s, s->here);
  for (int k = 0; k < DECADES*PLACES; k++) {
    double step = pow(10, FIRST + k/(double)PLACES);
    f->seeds[f->at_q + coordinate] = f->full[f->at_q + coordinate] + (k%2 ? -step : step);
    derive(s, s->there);
    for (int i = 0; i < s->rows; i++) {
      const double change = s->there[i] - s->here[i];
      const size_t at = (size_t)i*DECADES + (size_t)(k/PLACES);
      enlarge(s->size + at, s->there[i]);
      if (!(fabs(change) <= ROUNDING*fabs(s->here[i]))) enlarge(s->change + at, change);
    }
  }
  for (int i = 0; i < s->rows; i++) {
    const size_t at = (size_t)i*DECADES;
    s->here[i] = fmax(find_change(s->size + at), find_change(s->change + at));
  }
  return quantile(s->here, s->rows, 0.25, s->there); /* weak couplings bend far away */
}

/* Is the coordinate a pure number: an angle, or a component of a quaternion? Then its unit is 1. */
static bool is_pure(const PfDynamics *f, int j)
{
  for (int b = 0; b < f->model->ball_count; b++)
    if (j >= f->model->balls[b].q && j < f->model->balls[b].q + 4) return true;
  return pf_coordinate_is_angle(f->model, j);
}

/* Coordinates that are declared in the same unit have a length in common; those without a unit, too, where their
 * lengths are not far from each other: a place is as near in one direction as in the other. */
static void share_lengths(const PfDynamics *f, double *length, double *group, double *room)
{
  const double far = 1;
  memcpy(group, length, (size_t)f->n*sizeof *group);
  for (int j = 0; j < f->n; j++) {
    const char *unit = f->model->coordinates[j].unit;
    if (is_pure(f, j) || (!unit[0] && isnan(length[j]))) continue;
    for (int i = 0; i < f->n; i++) {
      const bool same = !strcmp(f->model->coordinates[i].unit, unit) && !is_pure(f, i);
      room[i] = same && (unit[0] || fabs(group[i] - group[j]) < far) ? group[i] : NAN;
    }
    length[j] = quantile(room, f->n, 0.5, room + f->n);
  }
}

/* The power of two next to 10^power, which changes no digits of the numbers; 3.32 = log2(10). */
static double binary_power(double power)
{
  return exp2(round(fmax(-300, fmin(300, power))*3.321928094887362));
}

/* Units of the coordinates (n), powers of two. */
static void find_units(Scan *s, double *unit, double *room)
{
  const PfDynamics *f = s->f;
  double *length = room, *group = room + f->n;
  for (int j = 0; j < f->n; j++) length[j] = is_pure(f, j) ? 0 : find_length(s, j);
  share_lengths(f, length, group, group + f->n);
  /* Where nothing is known the energy of a motion by the unit is that of the other coordinates. */
  for (int j = 0; j < f->n; j++) group[j] = s->mass[j] > 0 ? log10(s->mass[j]) + 2*length[j] : NAN;
  const double energy = quantile(group, f->n, 0.5, group + f->n);
  for (int j = 0; j < f->n; j++) {
    const double typical = isnan(length[j]) ? TIED_TYPICAL : USUAL;
    if (isnan(length[j]) && s->mass[j] > 0) length[j] = (energy - log10(s->mass[j]))/2;
    if (isnan(length[j]) || fabs(length[j]) <= typical) length[j] = 0;
  }
  for (int j = 0; j < f->n; j++) unit[j] = binary_power(length[j]);
}

/* ---------------------------------------------------------------- units of the rest */

/* A power of two next to the size, or 1 where the size is usual. */
static double unit_of(double size, double typical)
{
  const double power = size > 0 && isfinite(size) ? log10(size) : 0;
  return fabs(power) <= typical ? 1 : binary_power(power);
}

/* ---------------------------------------------------------------- the same system in these units */

/* Owned by the field in SI units: its equations in other units, with a system and a field of their own. */
struct PfNatural {
  PfArena *arena;
  double *q, *w, *row; /* units: of coordinates and their velocities, of velocities or speeds, of constraints */
  double energy;       /* unit of it, in J; generalized forces have energy/q[i] */
  PfEquations equations;
  PfSystem *system;
  PfDynamics *field;
};

/* factor*e, with the expression itself where nothing changes. */
static PfExpr times(PfContext *ctx, PfExpr e, double factor)
{
  if (e == PF_EXPR_NONE || !(factor < 1 || factor > 1) || pf_expr_is_structural_zero(ctx, e)) return e;
  return pf_expr_mul(ctx, pf_expr_double(ctx, factor), e);
}

/* Every symbol by that of the same name in the units, as a list for substitutions. */
typedef struct Exchange {
  PfExpr *from, *to;
  int count;
} Exchange;

/* Adds a symbol and the product unit*symbol that takes its place, unless the unit is 1. */
static void exchange(PfContext *ctx, Exchange *x, PfExpr symbol, double unit)
{
  if (!(unit < 1 || unit > 1)) return;
  x->from[x->count] = symbol, x->to[x->count++] = times(ctx, symbol, unit);
}

/* A copy of the list in the units; PF_EXPR_NONE stays. */
static PfStatus convert(const PfDynamics *f, const struct PfNatural *u, const Exchange *x, const PfExpr *list,
                        size_t count, PfExpr **copy)
{
  PF_TRY(pf_arrays(f->ctx, u->arena, "the vector field", PF_ROOM(*copy, count)));
  const PfExpr zero = pf_expr_int(f->ctx, 0);
  for (size_t i = 0; i < count; i++) (*copy)[i] = list[i] != PF_EXPR_NONE ? list[i] : zero;
  PF_TRY(pf_expr_substitute(f->ctx, *copy, (int)count, x->from, x->to, x->count, *copy));
  for (size_t i = 0; i < count; i++)
    if (list[i] == PF_EXPR_NONE) (*copy)[i] = PF_EXPR_NONE;
  return PF_OK;
}

/* The equations of motion, energies and constraints of the model in its own units. */
static PfStatus convert_equations(const PfDynamics *f, struct PfNatural *u, const Exchange *x)
{
  PfContext *ctx = f->ctx;
  const PfEquations *from = f->eq;
  PfEquations *to = &u->equations;
  const size_t n = (size_t)f->n, m = (size_t)f->m;
  *to = *from;
  PF_TRY(convert(f, u, x, from->M, n*n, &to->M));
  PF_TRY(convert(f, u, x, from->F, n, &to->F));
  PF_TRY(convert(f, u, x, from->C, n, &to->C));
  PF_TRY(convert(f, u, x, from->A, m*n, &to->A));
  PF_TRY(convert(f, u, x, from->b, m, &to->b));
  PF_TRY(convert(f, u, x, from->position, m, &to->position));
  PF_TRY(convert(f, u, x, from->velocity, m, &to->velocity));
  PF_TRY(convert(f, u, x, from->rate, n, &to->rate));
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) to->M[i*n + j] = times(ctx, to->M[i*n + j], u->q[i]*u->q[j]/u->energy);
    to->F[i] = times(ctx, to->F[i], u->q[i]/u->energy);
    to->C[i] = times(ctx, to->C[i], u->q[i]/u->energy);
    to->rate[i] = f->speeds ? times(ctx, to->rate[i], 1/u->q[i]) : from->rate[i];
  }
  for (size_t k = 0; k < m; k++) {
    for (size_t j = 0; j < n; j++) to->A[k*n + j] = times(ctx, to->A[k*n + j], u->q[j]/u->row[k]);
    to->b[k] = times(ctx, to->b[k], 1/u->row[k]);
    to->position[k] = times(ctx, to->position[k], 1/u->row[k]);
    to->velocity[k] = times(ctx, to->velocity[k], 1/u->row[k]);
  }
  return pf_expr_check(ctx);
}

/* The field is then used in SI units. */
void pf_dynamics_free_natural(PfDynamics *f)
{
  struct PfNatural *u = f->natural;
  f->natural = NULL;
  if (!u) return;
  pf_dynamics_free(u->field);
  pf_system_free(u->system);
  pf_arena_free(u->arena);
}

/* ---------------------------------------------------------------- all */

/* Units of coordinates, speeds, energy and rows from the scales at which the equations bend. A speed has the value that
 * moves one of the coordinates by its unit. */
static PfStatus measure(PfDynamics *f, PfArena *scratch, struct PfNatural *u)
{
  const size_t n = (size_t)f->n, nw = (size_t)f->nw;
  const double typical = 4; /* factors of equations bear masses of many sizes */
  Scan s = {.f = f, .rows = f->at_r + 2*f->nr};
  double *room, *A, most = 0;
  PfExpr *diagonal;
  PF_TRY(pf_arrays(f->ctx, scratch, "the vector field", PF_ROOM(s.mass, n), PF_ROOM(s.direction, n),
                   PF_ROOM2(s.size, s.rows, DECADES), PF_ROOM2(s.change, s.rows, DECADES), PF_ROOM(s.here, s.rows),
                   PF_ROOM(s.there, s.rows), PF_ROOM(s.out, f->root_count), PF_ROOM(room, 4*n), PF_ROOM2(A, f->m, n),
                   PF_ROOM(diagonal, n)));
  for (size_t j = 0; j < n; j++) diagonal[j] = f->eq->M[j*n + j];
  PF_TRY(pf_expr_evaluate(f->ctx, diagonal, f->n, f->symbol, f->full, f->count, s.mass));
  for (int j = 0; j < f->n; j++) {
    if (!(s.mass[j] > 0) || !isfinite(s.mass[j])) s.mass[j] = 0;
    s.direction[j] = s.mass[j] > 0 ? arbitrary(j)/sqrt(s.mass[j]) : 0;
  }
  find_units(&s, u->q, room);
  for (size_t j = 0; j < n; j++) most = fmax(most, s.mass[j]*u->q[j]*u->q[j]);
  u->energy = unit_of(most, typical);
  for (size_t k = 0; k < nw; k++) {
    u->w[k] = f->speeds ? 1 : u->q[k];
    most = 0;
    for (size_t i = 0; i < n && f->speeds; i++) most = fmax(most, fabs(f->N[i*nw + k])/u->q[i]);
    if (most > 0) u->w[k] = 1/unit_of(most, 2);
  }
  /* Rows of constraints by their elements here and nearby, in the units of the coordinates. `A` (m x n): room. */
  double *row = u->row;
  enum { STATES = 3 };
  const size_t count = (size_t)f->n;
  memset(row, 0, (size_t)f->m*sizeof *row);
  for (int k = 0; k < STATES; k++) {
    memcpy(f->seeds, f->full, (size_t)f->count*sizeof *f->full);
    for (int j = 0; j < f->n; j++) f->seeds[f->at_q + j] += 0.1*k*arbitrary(f->n*k + j)*u->q[j];
    PF_TRY(pf_expr_evaluate(f->ctx, f->eq->A, (int)(count*(size_t)f->m), f->symbol, f->seeds, f->count, A));
    for (size_t i = 0; i < count*(size_t)f->m; i++)
      if (isfinite(A[i])) row[i/count] = fmax(row[i/count], fabs(A[i])*u->q[i%count]);
  }
  for (int k = 0; k < f->m; k++) row[k] = unit_of(row[k], 2);
  return PF_OK;
}

/* Do the units in a list differ much from others, or (NULL) at all from 1? */
static bool is_far(const double *a, const double *b, int count)
{
  const double most = 100;
  for (int i = 0; i < count; i++) {
    const double ratio = a[i]/(b ? b[i] : 1);
    if (b ? ratio > most || ratio*most < 1 : ratio < 1 || ratio > 1) return true;
  }
  return false;
}

/* The same for all units of a system. */
static bool differ(const PfDynamics *f, const struct PfNatural *a, const struct PfNatural *b)
{
  return is_far(a->q, b ? b->q : NULL, f->n) || is_far(a->w, b ? b->w : NULL, f->nw) ||
         is_far(a->row, b ? b->row : NULL, f->m) || is_far(&a->energy, b ? &b->energy : NULL, 1);
}

/* The system in the units of `u`, which the field owns from now on. */
static PfStatus make_natural(PfDynamics *f, struct PfNatural *u)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  const PfModel *model = f->model;
  const size_t most = 4*(size_t)f->n + (size_t)f->m + (size_t)f->nw;
  Exchange x = {0};
  PfExpr *outputs;
  f->natural = u;
  PF_TRY(pf_arrays(f->ctx, u->arena, "the vector field", PF_ROOM(x.from, most), PF_ROOM(x.to, most)));
  for (int j = 0; j < f->n; j++) {
    exchange(f->ctx, &x, in->symbol[in->q + j], u->q[j]);
    exchange(f->ctx, &x, in->symbol[in->v + j], u->q[j]);
    exchange(f->ctx, &x, model->coordinates[j].a, u->q[j]);
  }
  for (int k = 0; k < f->m; k++) exchange(f->ctx, &x, in->symbol[in->lambda + k], u->energy/u->row[k]);
  for (int k = 0; k < f->nw && f->speeds; k++) exchange(f->ctx, &x, model->speeds[k].symbol, u->w[k]);
  PF_TRY(convert_equations(f, u, &x));
  PF_TRY(convert(f, u, &x, f->output_values, (size_t)f->no, &outputs));
  PF_TRY(pf_system_new(f->ctx, &u->equations, &u->system));
  PF_TRY(pf_dynamics_new(f->ctx, u->system, f->given, &(PfOutputs){f->no, outputs}, &u->field));
  u->field->in_units = true;
  u->field->unit_q = u->q, u->field->unit_w = u->w;
  return PF_OK;
}

/* Measures units where the field is, and makes the system in these units unless it exists or SI units do. */
static PfStatus find(PfDynamics *f, PfArena *scratch)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(f->ctx));
  struct PfNatural *u = arena ? pf_arena_array(arena, struct PfNatural, 1) : NULL;
  PfStatus status = u ? PF_OK : pf_no_room(f->ctx, "the vector field");
  if (u) u->arena = arena;
  if (u)
    status = pf_arrays(f->ctx, arena, "the vector field", PF_ROOM(u->q, f->n), PF_ROOM(u->w, f->nw),
                       PF_ROOM(u->row, f->m));
  if (status == PF_OK) status = measure(f, scratch, u);
  const bool known = status == PF_OK && f->natural && !differ(f, u, f->natural);
  if (status == PF_OK && !known) {
    pf_dynamics_free_natural(f);
    if (differ(f, u, NULL)) return make_natural(f, u);
  }
  pf_arena_free(arena);
  return status;
}

/* Not for equations without a mass matrix, nor for those that were derived by quaternions and angular velocities, whose
 * numbers have fixed units. */
PfStatus pf_dynamics_find_units(PfDynamics *f)
{
  if (f->in_units || !f->eq->M || f->eq->by_quaternions) return PF_OK;
  PfArena *scratch = pf_arena_new(pf_context_allocator(f->ctx));
  PfStatus status = scratch ? find(f, scratch) : pf_no_room(f->ctx, "the vector field");
  pf_arena_free(scratch);
  PF_TRY(status);
  if (!f->natural) return PF_OK;
  /* The numbers of the place of f. */
  const struct PfNatural *u = f->natural;
  const PfSymbols *in = pf_system_symbols(f->system);
  double *values = f->seeds;
  memcpy(values, f->full, (size_t)in->count*sizeof *values);
  for (int j = 0; j < f->n; j++) values[in->q + j] /= u->q[j], values[in->v + j] /= u->q[j];
  for (int k = 0; k < f->m; k++) values[in->lambda + k] /= u->energy/u->row[k];
  return pf_dynamics_place(u->field, values);
}

/* Only where there is such a system. */
PfStatus pf_dynamics_chart_natural(PfDynamics *f, const bool *avoid)
{
  return pf_dynamics_chart(f->natural->field, avoid);
}

/* A chart is chosen here if there is none. */
PfStatus pf_dynamics_natural(PfDynamics *f, PfDynamics **natural)
{
  *natural = f->natural ? f->natural->field : f;
  return pf_dynamics_size(*natural) ? PF_OK : pf_dynamics_chart(*natural, NULL);
}

/* That of a coordinate, then of a velocity or speed, by the chart. */
double pf_dynamics_unit_of(const PfDynamics *f, int k)
{
  if (!f->in_units) return 1;
  return k < f->ny ? f->unit_q[f->y[k]] : f->unit_w[f->w[k - f->ny]];
}

/* The largest of a few values at arbitrary places a unit away; also 1 when all are zero or not finite. */
double pf_dynamics_typical_size(PfDynamics *f, PfExpr e)
{
  enum { STATES = 4 };
  double most = 0, value;
  for (int k = 0; k < STATES && f->in_units; k++) {
    memcpy(f->seeds, f->full, (size_t)f->count*sizeof *f->full);
    for (int j = 0; j < f->n; j++) f->seeds[f->at_q + j] += arbitrary(f->n*k + j);
    for (int j = 0; j < f->nw; j++) f->seeds[f->at_w + j] += arbitrary(f->n*k + j);
    if (pf_expr_evaluate(f->ctx, &e, 1, f->symbol, f->seeds, f->count, &value) == PF_OK && isfinite(value))
      most = fmax(most, fabs(value));
  }
  return most > 0 ? most : 1;
}
