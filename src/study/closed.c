/* SPDX-License-Identifier: Apache-2.0 */
/* Holonomic constraints in disguise: combinations sum_i c_ib f_b(q) a_i of the constraint forms that are closed, with
 * unknown constants c and functions f from a list: 1, then also the sines, cosines and coordinates that occur in
 * the forms. That the curl vanishes is a linear equation for the constants at every point; points are taken in a prime
 * field, and the constants are read back as fractions. */
#include "study/integrability.h"
#include "study/relations.h"

#include "base/base.h"
#include "form/exact.h"

#include <string.h>

enum { MOST_UNKNOWNS = 300 };

/* Parameters stay names, so that a combination holds for all values, or have the values of the model. */
typedef enum Parameters { BY_NAME, BY_VALUE } Parameters;

/* A search by names or by values, with the combinations that it has found so far. */
typedef struct Search {
  const PfDistribution *d;
  PfContext *ctx;
  PfArena *arena;
  const PfExpr *forms; /* by name or by value */
  Parameters parameters;
  int factor_count;
  PfExpr *factors;     /* f_b */
  int wanted;

  /* forms and their derivatives, factors and theirs: as roots, and their values at a point */
  PfExpr *roots;
  int root_count;
  PfProbe *probe;
  uint64_t *values;
  uint64_t seed;

  int count; /* found */
  PfIntegral *found;
} Search;

/* ---------------------------------------------------------------- values */

/* Each root followed by its derivatives: e, de/dx_1, …, de/dx_n. */
static PfStatus put_with_slopes(Search *s, const PfExpr *e, int count, PfExpr *at)
{
  int n = s->d->n;
  for (int i = 0; i < count; i++, at += n + 1) {
    at[0] = e[i];
    PF_TRY(pf_expr_gradient(s->ctx, e[i], s->d->x, n, at + 1));
  }
  return PF_OK;
}

/* d(A_ij)/dx_k; without the derivative for k = -1. */
static uint64_t form_value(const Search *s, int i, int j, int k)
{
  return s->values[(i*s->d->n + j)*(s->d->n + 1) + k + 1];
}

/* df_b/dx_k; without the derivative for k = -1. */
static uint64_t factor_value(const Search *s, int b, int k)
{
  return s->values[(s->d->m*s->d->n + b)*(s->d->n + 1) + k + 1];
}

/* d(f A_ik)/dx_j - d(f A_ij)/dx_k */
static uint64_t curl(const Search *s, int i, int b, int j, int k)
{
  const PfField *f = pf_probe_field(s->probe);
  uint64_t own = pf_field_subtract(f, form_value(s, i, k, j), form_value(s, i, j, k));
  uint64_t sum = pf_field_multiply(f, factor_value(s, b, -1), own);
  sum = pf_field_add(f, sum, pf_field_multiply(f, factor_value(s, b, j), form_value(s, i, k, -1)));
  return pf_field_subtract(f, sum, pf_field_multiply(f, factor_value(s, b, k), form_value(s, i, j, -1)));
}

/* ---------------------------------------------------------------- equations for the constants */

/* Equations for the constants, the curls of all pairs of coordinates, at points until several in a row say nothing
 * new. */
static PfStatus gather(Search *s, PfRelations *relations, bool *good)
{
  enum { QUIET = 3 };
  const int n = s->d->n;
  uint64_t *row;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the search for holonomic combinations", PF_ROOM(row, relations->unknowns)));
  relations->field = pf_probe_field(s->probe);
  *good = false;
  for (int quiet = 0; quiet < QUIET;) {
    int news = 0;
    if (!pf_probe_somewhere(s->probe, s->root_count, &s->seed, s->values)) return PF_OK;
    for (int j = 0; j < n; j++)
      for (int k = j + 1; k < n; k++) {
        for (int i = 0; i < s->d->m; i++)
          for (int b = 0; b < s->factor_count; b++) row[i*s->factor_count + b] = curl(s, i, b, j, k);
        news += pf_relations_add(relations, row);
      }
    quiet = news ? 0 : quiet + 1;
  }
  *good = true;
  return PF_OK;
}

/* ---------------------------------------------------------------- from constants to forms */

/* By Euclid's algorithm; never negative. */
static int64_t greatest_divisor(int64_t a, int64_t b)
{
  while (b) {
    int64_t r = a%b;
    a = b, b = r;
  }
  return a < 0 ? -a : a;
}

/* The constants as whole numbers without a common divisor, the first one positive. False when they are not rational. */
static bool read_constants(const PfField *f, const uint64_t *solution, int count, int64_t *c)
{
  int64_t common = 1, divisor = 0, den;
  for (int i = 0; i < count; i++) {
    if (!pf_field_rational(f, solution[i], c + i, &den) || den < 1) return false;
    common = common/greatest_divisor(common, den)*den;
    if (common > 1000000) return false;
  }
  for (int i = 0; i < count; i++) {
    (void)pf_field_rational(f, solution[i], c + i, &den);
    c[i] *= common/den;
    divisor = greatest_divisor(divisor, c[i]);
  }
  int first = 0;
  while (first < count && !c[first]) first++;
  if (first == count) return false;
  if (c[first] < 0) divisor = -divisor;
  for (int i = 0; i < count; i++) c[i] /= divisor;
  return true;
}

/* Numbers other than 1 are what is left of parameters: they weigh as much as a name with its signs. */
static size_t coefficient_length(PfContext *ctx, PfExpr e)
{
  enum { A_NUMBER = 8 };
  if (pf_expr_is_structural_zero(ctx, e)) return 0;
  if (pf_expr_is_int(ctx, e, 1) || pf_expr_is_int(ctx, e, -1)) return 1;
  return pf_expr_is_number(ctx, e, NULL) ? A_NUMBER : pf_expr_length(ctx, e);
}

/* The length in print of the form and of its weights: shorter combinations are kept first. */
static size_t form_length(PfContext *ctx, const PfIntegral *integral, int m, int n)
{
  size_t length = 0;
  for (int j = 0; j < n; j++) length += coefficient_length(ctx, integral->form[j]);
  for (int i = 0; i < m; i++) length += coefficient_length(ctx, integral->weight[i]);
  return length;
}

/* ---------------------------------------------------------------- which ones to keep */

/* Keeps a form that is independent of those found so far, if it has an integral, by the sign that makes that shorter to
 * write. */
static PfStatus keep(Search *s, const PfIntegral *candidate)
{
  PfContext *ctx = s->ctx;
  const size_t n = (size_t)s->d->n;
  PfExpr *rows;
  int rank;
  PF_TRY(pf_arrays(ctx, s->arena, "the search for holonomic combinations", PF_ROOM2(rows, s->count + 1, n)));
  for (int i = 0; i < s->count; i++) memcpy(rows + (size_t)i*n, s->found[i].form, n*sizeof *rows);
  memcpy(rows + (size_t)s->count*n, candidate->form, n*sizeof *rows);
  PF_TRY(pf_rank_at(s->d, &(PfAnchor){0}, rows, s->count + 1, &rank, NULL));
  if (rank <= s->count || s->count >= s->wanted) return PF_OK;
  PfIntegral *own = s->found + s->count;
  *own = *candidate;
  if (!own->declared) {
    PF_TRY(pf_potential_find(ctx, s->d->x, s->d->n, own->form, &own->integral));
    if (own->integral == PF_EXPR_NONE) return pf_expr_check(ctx);
    PfExpr negative = pf_expr_simplest(ctx, pf_expr_neg(ctx, own->integral));
    if (pf_expr_length(ctx, negative) < pf_expr_length(ctx, own->integral)) {
      own->integral = negative;
      for (int j = 0; j < s->d->n; j++) own->form[j] = pf_expr_neg(ctx, own->form[j]);
      for (int k = 0; k < s->d->m; k++) own->weight[k] = pf_expr_neg(ctx, own->weight[k]);
    }
  }
  s->count += own->integral != PF_EXPR_NONE;
  return PF_OK;
}

/* ---------------------------------------------------------------- constants that leave more out */

typedef struct Solutions {
  int count, unknowns;
  uint64_t *at;
  PfIntegral *forms; /* room for all tries */
  int form_count;
} Solutions;

/* Turns solutions over the prime field into integrals with rational weights; those that are not fractions of small
 * numbers are left out. */
static PfStatus add_forms(const Search *s, Solutions *all, const uint64_t *rows, size_t stride)
{
  int64_t *c = pf_arena_array(s->arena, int64_t, all->unknowns);
  if (!c) return pf_no_room(s->ctx, "the search for holonomic combinations");
  for (int k = 0; k < all->count; k++) {
    if (!read_constants(pf_probe_field(s->probe), rows + (size_t)k*stride, all->unknowns, c)) continue;
    /* The weights sum_b c_ib f_b, and the form they make. */
    PfIntegral *out = all->forms + all->form_count;
    PfContext *ctx = s->ctx;
    int m = s->d->m, n = s->d->n;
    *out = (PfIntegral){.for_values = s->parameters == BY_VALUE};
    PF_TRY(pf_arrays(ctx, s->arena, "the search for holonomic combinations", PF_ROOM(out->weight, m),
                     PF_ROOM(out->form, n)));
    for (int i = 0; i < m; i++) {
      out->weight[i] = pf_expr_int(ctx, 0);
      for (int b = 0; b < s->factor_count; b++) {
        PfExpr term = pf_expr_mul(ctx, pf_expr_int(ctx, c[i*s->factor_count + b]), s->factors[b]);
        out->weight[i] = pf_expr_add(ctx, out->weight[i], term);
      }
    }
    for (int j = 0; j < n; j++) {
      PfExpr sum = pf_expr_int(ctx, 0);
      for (int i = 0; i < m; i++) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, out->weight[i], s->forms[i*n + j]));
      out->form[j] = pf_expr_simplest(ctx, sum);
    }
    PF_TRY(pf_expr_check(ctx));
    all->form_count++;
  }
  return PF_OK;
}

/* Adds solutions combined so that coordinates drop out, by Gauss and Jordan on the constant forms they make, beginning
 * with each coordinate in turn. Only forms with constant coefficients can be combined by constants without becoming
 * longer. A row is [form at the present point | constants]. */
static PfStatus add_shortened(const Search *s, Solutions *all)
{
  const PfField *f = pf_probe_field(s->probe);
  const int n = s->d->n, unknowns = all->unknowns, width = n + unknowns;
  uint64_t *rows;
  int *order, *pivot;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the search for holonomic combinations", PF_ROOM2(rows, all->count, width),
                   PF_ROOM(order, n), PF_ROOM(pivot, width)));
  for (int first = 0; first < n; first++) {
    for (int k = 0; k < all->count; k++) {
      uint64_t *row = rows + (size_t)k*(size_t)width;
      memcpy(row + n, all->at + (size_t)k*(size_t)unknowns, (size_t)unknowns*sizeof *row);
      for (int j = 0; j < n; j++) {
        row[j] = 0;
        for (int i = 0; i < s->d->m; i++)
          for (int b = 0; b < s->factor_count; b++) {
            uint64_t weight = pf_field_multiply(f, row[n + i*s->factor_count + b], factor_value(s, b, -1));
            row[j] = pf_field_add(f, row[j], pf_field_multiply(f, weight, form_value(s, i, j, -1)));
          }
      }
    }
    for (int j = 0; j < n; j++) order[j] = (first + j)%n;
    pf_exact_reduce(f, rows, all->count, width, order, n, pivot);
    PF_TRY(add_forms(s, all, rows + n, (size_t)width));
  }
  return PF_OK;
}

/* From the solutions of the linear equations to integrals: all forms that they make, the shortest ones kept first, of
 * equal ones as they come. */
static PfStatus use_solutions(Search *s, const PfRelations *relations)
{
  const int unknowns = relations->unknowns, solutions = unknowns - relations->rank;
  Solutions all = {.unknowns = unknowns, .count = solutions};
  size_t *length;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the search for holonomic combinations", PF_ROOM2(all.at, solutions, unknowns),
                   PF_ROOM2(all.forms, solutions, s->d->n + 1)));
  pf_relations_solve(relations, all.at);
  PF_TRY(add_forms(s, &all, all.at, (size_t)unknowns));
  bool constant = all.count > 1 && s->factor_count == 1;
  for (int k = 0; k < all.form_count; k++)
    for (int j = 0; j < s->d->n; j++)
      constant = constant && !pf_expr_depends(s->ctx, all.forms[k].form[j], s->d->x, s->d->n);
  if (constant) PF_TRY(add_shortened(s, &all));
  const int count = all.form_count;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the search for holonomic combinations", PF_ROOM(length, count)));
  for (int i = 0; i < count; i++) length[i] = form_length(s->ctx, all.forms + i, s->d->m, s->d->n);
  for (int k = 0; k < count && s->count < s->wanted; k++) {
    int best = -1;
    for (int i = 0; i < count; i++)
      if (length[i] != SIZE_MAX && (best < 0 || length[i] < length[best])) best = i;
    if (best < 0) break;
    length[best] = SIZE_MAX;
    PF_TRY(keep(s, all.forms + best));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the search */

/* Looks for closed combinations sum_i w_i A_i with weights w_i = sum_b c_ib f_b: d(form) = 0 at random points of a
 * prime field gives linear equations for the constants c. The factors f are 1; with `more`, also the sines, cosines and
 * coordinates among the subexpressions of the forms. */
static PfStatus search(Search *s, Parameters parameters, bool more)
{
  PfContext *ctx = s->ctx;
  const int m = s->d->m, n = s->d->n, forms = m*n;
  PfRelations relations;
  bool good = false;
  int node_count = 0;
  PfExpr *nodes;
  s->parameters = parameters;
  s->forms = parameters == BY_NAME ? s->d->forms : s->d->valued;
  PF_TRY(pf_expr_reach(ctx, s->arena, s->forms, forms, &nodes, &node_count));
  PF_TRY(pf_arrays(ctx, s->arena, "the search for holonomic combinations", PF_ROOM(s->factors, node_count + 1)));
  s->factors[0] = pf_expr_int(ctx, 1);
  s->factor_count = 1;
  for (int i = 0; more && i < node_count && (s->factor_count + 1)*m <= MOST_UNKNOWNS; i++) {
    PfOp op = pf_expr_op(ctx, nodes[i]);
    if ((op == PF_OP_SIN || op == PF_OP_COS || op == PF_OP_SYMBOL) && pf_expr_depends(ctx, nodes[i], s->d->x, n))
      s->factors[s->factor_count++] = nodes[i];
  }
  int unknowns = m*s->factor_count;
  if (unknowns == 0 || unknowns > MOST_UNKNOWNS) return PF_OK;
  s->root_count = (forms + s->factor_count)*(n + 1);
  PF_TRY(pf_arrays(ctx, s->arena, "the search for holonomic combinations", PF_ROOM(s->roots, s->root_count),
                   PF_ROOM(s->values, s->root_count)));
  PF_TRY(put_with_slopes(s, s->forms, forms, s->roots));
  PF_TRY(put_with_slopes(s, s->factors, s->factor_count, s->roots + (size_t)forms*(size_t)(n + 1)));
  PF_TRY(pf_expr_check(ctx));
  PF_TRY(pf_probe_make(ctx, s->arena, s->roots, s->root_count, &s->probe));
  if (!pf_probe_next_field(s->probe)) return PF_OK;
  PF_TRY(pf_relations_make(ctx, s->arena, unknowns, &relations));
  PF_TRY(gather(s, &relations, &good));
  return good ? use_solutions(s, &relations) : PF_OK;
}

/* The length of everything that was found. */
static size_t total_length(const Search *s)
{
  size_t length = 0;
  for (int k = 0; k < s->count; k++) length += form_length(s->ctx, s->found + k, s->d->m, s->d->n);
  return length;
}

/* An empty search, for `wanted` combinations, which begins with the constraints that were declared as holonomic: they
 * are integrals as they stand. */
static PfStatus begin(const PfDistribution *d, int wanted, Search *s)
{
  *s = (Search){.d = d, .ctx = d->ctx, .arena = d->arena, .wanted = wanted, .seed = 1, .forms = d->forms};
  PF_TRY(pf_arrays(d->ctx, d->arena, "the search for holonomic combinations", PF_ROOM(s->found, wanted + 1)));

  const PfEquations *eq = s->d->eq;
  for (int i = 0; i < s->d->m && s->count < s->wanted; i++) {
    if (eq->position[i] == PF_EXPR_NONE) continue;
    PfIntegral one = {.declared = true, .integral = eq->position[i], .form = s->d->forms + (size_t)i*(size_t)s->d->n};
    PF_TRY(pf_arrays(s->ctx, s->arena, "the search for holonomic combinations", PF_ROOM(one.weight, s->d->m)));
    for (int k = 0; k < s->d->m; k++) one.weight[k] = pf_expr_int(s->ctx, k == i);
    PF_TRY(keep(s, &one));
  }
  return PF_OK;
}

/* By names if that finds all and is not much longer: it holds for all values then. */
PfStatus pf_closed_forms_find(const PfDistribution *d, int wanted, PfIntegral **integrals, int *count)
{
  Search by_name, by_value;
  PF_TRY(begin(d, wanted, &by_name));
  PF_TRY(begin(d, wanted, &by_value));
  if (by_name.count < wanted) {
    PF_TRY(search(&by_name, BY_NAME, false));
    PF_TRY(search(&by_value, BY_VALUE, false));
  }
  Search *best = by_value.count > by_name.count || (by_value.count == by_name.count &&
                 2*total_length(&by_value) < total_length(&by_name)) ? &by_value : &by_name;
  if (best->count < wanted) PF_TRY(search(best, BY_NAME, true));
  if (best->count < wanted) PF_TRY(search(best, BY_VALUE, true));
  *integrals = best->found;
  *count = best->count;
  return PF_OK;
}
