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

typedef enum Parameters { BY_NAME, BY_VALUE } Parameters;

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

/* ---------------------------------------------------------------- factors */

static bool is_factor(const Search *s, PfExpr e)
{
  PfOp op = pf_expr_op(s->ctx, e);
  if (op != PF_OP_SIN && op != PF_OP_COS && op != PF_OP_SYMBOL) return false;
  return pf_expr_depends(s->ctx, e, s->d->x, s->d->n);
}

/* 1 first; with `more`, what the forms are made of. */
static PfStatus list_factors(Search *s, bool more)
{
  int size = s->d->m*s->d->n, node_count = 0;
  PfExpr *nodes;
  PF_TRY(pf_expr_reach(s->ctx, s->arena, s->forms, size, &nodes, &node_count));
  s->factors = pf_arena_array(s->arena, PfExpr, node_count + 1);
  if (!s->factors) return pf_no_room(s->ctx, "the search for holonomic combinations");
  s->factors[0] = pf_expr_int(s->ctx, 1);
  s->factor_count = 1;
  for (int i = 0; more && i < node_count; i++)
    if (is_factor(s, nodes[i]) && (s->factor_count + 1)*s->d->m <= MOST_UNKNOWNS)
      s->factors[s->factor_count++] = nodes[i];
  return PF_OK;
}

/* ---------------------------------------------------------------- values */

/* Each root with its derivatives behind it: e, de/dx_1, …, de/dx_n. */
static PfStatus put_with_slopes(Search *s, const PfExpr *e, int count, PfExpr *at)
{
  int n = s->d->n;
  for (int i = 0; i < count; i++, at += n + 1) {
    at[0] = e[i];
    PF_TRY(pf_expr_gradient(s->ctx, e[i], s->d->x, n, at + 1));
  }
  return PF_OK;
}

static PfStatus make_probe(Search *s)
{
  int n = s->d->n, forms = s->d->m*n;
  s->root_count = (forms + s->factor_count)*(n + 1);
  s->roots = pf_arena_array(s->arena, PfExpr, s->root_count);
  s->values = pf_arena_array(s->arena, uint64_t, s->root_count);
  if (!s->roots || !s->values) return pf_no_room(s->ctx, "the search for holonomic combinations");
  PF_TRY(put_with_slopes(s, s->forms, forms, s->roots));
  PF_TRY(put_with_slopes(s, s->factors, s->factor_count, s->roots + (size_t)forms*(size_t)(n + 1)));
  PF_TRY(pf_expr_check(s->ctx));
  return pf_probe_make(s->ctx, s->arena, s->roots, s->root_count, &s->probe);
}

/* d(A_ij)/dx_k; without the derivative for k = -1. */
static uint64_t form_value(const Search *s, int i, int j, int k)
{
  return s->values[(i*s->d->n + j)*(s->d->n + 1) + k + 1];
}

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

/* All equations of one point; how many were new. */
static int add_point(const Search *s, PfRelations *relations, uint64_t *row)
{
  int n = s->d->n, news = 0;
  for (int j = 0; j < n; j++)
    for (int k = j + 1; k < n; k++) {
      for (int i = 0; i < s->d->m; i++)
        for (int b = 0; b < s->factor_count; b++) row[i*s->factor_count + b] = curl(s, i, b, j, k);
      news += pf_relations_add(relations, row);
    }
  return news;
}

/* Points until several in a row say nothing new. */
static PfStatus gather(Search *s, PfRelations *relations, bool *good)
{
  enum { QUIET = 3 };
  uint64_t *row = pf_arena_array(s->arena, uint64_t, relations->unknowns);
  if (!row) return pf_no_room(s->ctx, "the search for holonomic combinations");
  relations->field = pf_probe_field(s->probe);
  *good = false;
  for (int quiet = 0; quiet < QUIET;) {
    if (!pf_probe_somewhere(s->probe, s->root_count, &s->seed, s->values)) return PF_OK;
    quiet = add_point(s, relations, row) ? 0 : quiet + 1;
  }
  *good = true;
  return PF_OK;
}

/* ---------------------------------------------------------------- from constants to forms */

static int64_t greatest_divisor(int64_t a, int64_t b)
{
  while (b) {
    int64_t r = a%b;
    a = b, b = r;
  }
  return a < 0 ? -a : a;
}

/* The constants as whole numbers without a common divisor, the first one positive. False when they are none. */
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

/* The weights sum_b c_ib f_b, and the form they make. */
static PfStatus make_form(const Search *s, const int64_t *c, PfIntegral *out)
{
  PfContext *ctx = s->ctx;
  int m = s->d->m, n = s->d->n;
  *out = (PfIntegral){.for_values = s->parameters == BY_VALUE};
  out->weight = pf_arena_array(s->arena, PfExpr, m);
  out->form = pf_arena_array(s->arena, PfExpr, n);
  if (!out->weight || !out->form) return pf_no_room(ctx, "the search for holonomic combinations");
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
  return pf_expr_check(ctx);
}

/* Numbers other than 1 are what is left of parameters: they weigh as much as a name with its signs. */
static size_t coefficient_length(PfContext *ctx, PfExpr e)
{
  enum { A_NUMBER = 8 };
  if (pf_expr_is_structural_zero(ctx, e)) return 0;
  if (pf_expr_is_int(ctx, e, 1) || pf_expr_is_int(ctx, e, -1)) return 1;
  return pf_expr_is_number(ctx, e, NULL) ? A_NUMBER : pf_expr_length(ctx, e);
}

static size_t form_length(PfContext *ctx, const PfIntegral *integral, int m, int n)
{
  size_t length = 0;
  for (int j = 0; j < n; j++) length += coefficient_length(ctx, integral->form[j]);
  for (int i = 0; i < m; i++) length += coefficient_length(ctx, integral->weight[i]);
  return length;
}

/* ---------------------------------------------------------------- which ones to keep */

/* Rank of what was found and one form more. */
static PfStatus raises_rank(const Search *s, const PfExpr *form, bool *yes)
{
  size_t n = (size_t)s->d->n;
  int rank;
  PfExpr *rows = pf_arena_array(s->arena, PfExpr, (size_t)(s->count + 1)*n);
  if (!rows) return pf_no_room(s->ctx, "the search for holonomic combinations");
  for (int i = 0; i < s->count; i++) memcpy(rows + (size_t)i*n, s->found[i].form, n*sizeof *rows);
  memcpy(rows + (size_t)s->count*n, form, n*sizeof *rows);
  PF_TRY(pf_rank_at(s->d, &(PfAnchor){0}, rows, s->count + 1, &rank, NULL));
  *yes = rank > s->count;
  return PF_OK;
}

/* The sign that makes the integral shorter to write. */
static void choose_sign(const Search *s, PfIntegral *i)
{
  PfExpr negative = pf_expr_simplest(s->ctx, pf_expr_neg(s->ctx, i->integral));
  if (i->integral == PF_EXPR_NONE || pf_expr_length(s->ctx, negative) >= pf_expr_length(s->ctx, i->integral)) return;
  i->integral = negative;
  for (int j = 0; j < s->d->n; j++) i->form[j] = pf_expr_neg(s->ctx, i->form[j]);
  for (int k = 0; k < s->d->m; k++) i->weight[k] = pf_expr_neg(s->ctx, i->weight[k]);
}

static PfStatus keep(Search *s, const PfIntegral *candidate)
{
  bool new_one = false;
  PF_TRY(raises_rank(s, candidate->form, &new_one));
  if (!new_one || s->count >= s->wanted) return PF_OK;
  s->found[s->count] = *candidate;
  if (!candidate->declared) {
    PF_TRY(pf_potential_find(s->ctx, s->d->x, s->d->n, candidate->form, &s->found[s->count].integral));
    choose_sign(s, s->found + s->count);
  }
  s->count += s->found[s->count].integral != PF_EXPR_NONE;
  return PF_OK;
}

/* The shortest first; equal ones as they come. */
static PfStatus keep_shortest(Search *s, PfIntegral *candidates, int count)
{
  size_t *length = pf_arena_array(s->arena, size_t, count);
  if (!length) return pf_no_room(s->ctx, "the search for holonomic combinations");
  for (int i = 0; i < count; i++) length[i] = form_length(s->ctx, candidates + i, s->d->m, s->d->n);
  for (int k = 0; k < count && s->count < s->wanted; k++) {
    int best = -1;
    for (int i = 0; i < count; i++)
      if (length[i] != SIZE_MAX && (best < 0 || length[i] < length[best])) best = i;
    if (best < 0) break;
    length[best] = SIZE_MAX;
    PF_TRY(keep(s, candidates + best));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- constants that leave more out */

/* Solutions combined so that coordinates drop out: Gauss and Jordan on the constant forms they make, beginning with the
 * coordinate `first`. `rows` holds [form | constants] and is left reduced. */
static void shorten(const PfField *f, uint64_t *rows, int count, int n, int unknowns, int first, int *order, int *pivot)
{
  for (int j = 0; j < n; j++) order[j] = (first + j)%n;
  pf_exact_reduce(f, rows, count, n + unknowns, order, n, pivot);
}

/* The forms that solutions make, at the present point. */
static void form_values(const Search *s, const uint64_t *solution, uint64_t *form)
{
  const PfField *f = pf_probe_field(s->probe);
  for (int j = 0; j < s->d->n; j++) {
    form[j] = 0;
    for (int i = 0; i < s->d->m; i++)
      for (int b = 0; b < s->factor_count; b++) {
        uint64_t weight = pf_field_multiply(f, solution[i*s->factor_count + b], factor_value(s, b, -1));
        form[j] = pf_field_add(f, form[j], pf_field_multiply(f, weight, form_value(s, i, j, -1)));
      }
  }
}

typedef struct Solutions {
  int count, unknowns;
  uint64_t *at;
  PfIntegral *forms; /* room for all tries */
  int form_count;
} Solutions;

static PfStatus add_forms(const Search *s, Solutions *all, const uint64_t *rows, size_t stride)
{
  int64_t *c = pf_arena_array(s->arena, int64_t, all->unknowns);
  if (!c) return pf_no_room(s->ctx, "the search for holonomic combinations");
  for (int k = 0; k < all->count; k++) {
    if (!read_constants(pf_probe_field(s->probe), rows + (size_t)k*stride, all->unknowns, c)) continue;
    PF_TRY(make_form(s, c, all->forms + all->form_count));
    all->form_count++;
  }
  return PF_OK;
}

/* Only forms with constant coefficients can be combined by constants without becoming longer. */
static PfStatus add_shortened(const Search *s, Solutions *all)
{
  int n = s->d->n, width = n + all->unknowns;
  size_t size = (size_t)all->count*(size_t)width;
  uint64_t *rows = pf_arena_array(s->arena, uint64_t, size);
  int *order = pf_arena_array(s->arena, int, n), *pivot = pf_arena_array(s->arena, int, width);
  if (!rows || !order || !pivot) return pf_no_room(s->ctx, "the search for holonomic combinations");
  for (int first = 0; first < n; first++) {
    for (int k = 0; k < all->count; k++) {
      uint64_t *row = rows + (size_t)k*(size_t)width;
      memcpy(row + n, all->at + (size_t)k*(size_t)all->unknowns, (size_t)all->unknowns*sizeof *row);
      form_values(s, row + n, row);
    }
    shorten(pf_probe_field(s->probe), rows, all->count, n, all->unknowns, first, order, pivot);
    PF_TRY(add_forms(s, all, rows + n, (size_t)width));
  }
  return PF_OK;
}

static bool all_constant(const Search *s, const Solutions *all)
{
  for (int k = 0; k < all->form_count; k++)
    for (int j = 0; j < s->d->n; j++)
      if (pf_expr_depends(s->ctx, all->forms[k].form[j], s->d->x, s->d->n)) return false;
  return true;
}

static PfStatus use_solutions(Search *s, const PfRelations *relations)
{
  Solutions all = {.unknowns = relations->unknowns, .count = relations->unknowns - relations->rank};
  all.at = pf_arena_array(s->arena, uint64_t, (size_t)all.count*(size_t)all.unknowns);
  all.forms = pf_arena_array(s->arena, PfIntegral, (size_t)all.count*(size_t)(s->d->n + 1));
  if (!all.at || !all.forms) return pf_no_room(s->ctx, "the search for holonomic combinations");
  pf_relations_solve(relations, all.at);
  PF_TRY(add_forms(s, &all, all.at, (size_t)all.unknowns));
  if (all.count > 1 && s->factor_count == 1 && all_constant(s, &all)) PF_TRY(add_shortened(s, &all));
  return keep_shortest(s, all.forms, all.form_count);
}

/* ---------------------------------------------------------------- the search */

static PfStatus search(Search *s, Parameters parameters, bool more)
{
  PfRelations relations;
  bool good = false;
  s->parameters = parameters;
  s->forms = parameters == BY_NAME ? s->d->forms : s->d->valued;
  PF_TRY(list_factors(s, more));
  int unknowns = s->d->m*s->factor_count;
  if (unknowns == 0 || unknowns > MOST_UNKNOWNS) return PF_OK;
  PF_TRY(make_probe(s));
  if (!pf_probe_next_field(s->probe)) return PF_OK;
  PF_TRY(pf_relations_make(s->ctx, s->arena, unknowns, &relations));
  PF_TRY(gather(s, &relations, &good));
  return good ? use_solutions(s, &relations) : PF_OK;
}

/* What the user has written as a holonomic constraint. */
static PfStatus take_declared(Search *s)
{
  const PfEquations *eq = s->d->eq;
  for (int i = 0; i < s->d->m && s->count < s->wanted; i++) {
    if (eq->position[i] == PF_EXPR_NONE) continue;
    PfIntegral one = {.declared = true, .integral = eq->position[i], .form = s->d->forms + (size_t)i*(size_t)s->d->n};
    one.weight = pf_arena_array(s->arena, PfExpr, s->d->m);
    if (!one.weight) return pf_no_room(s->ctx, "the search for holonomic combinations");
    for (int k = 0; k < s->d->m; k++) one.weight[k] = pf_expr_int(s->ctx, k == i);
    PF_TRY(keep(s, &one));
  }
  return PF_OK;
}

static size_t total_length(const Search *s)
{
  size_t length = 0;
  for (int k = 0; k < s->count; k++) length += form_length(s->ctx, s->found + k, s->d->m, s->d->n);
  return length;
}

static PfStatus begin(const PfDistribution *d, int wanted, Search *s)
{
  *s = (Search){.d = d, .ctx = d->ctx, .arena = d->arena, .wanted = wanted, .seed = 1, .forms = d->forms};
  s->found = pf_arena_array(d->arena, PfIntegral, wanted + 1);
  if (!s->found) return pf_no_room(d->ctx, "the search for holonomic combinations");
  return take_declared(s);
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
