/* SPDX-License-Identifier: Apache-2.0 */
/* Which sums of velocities get names, and the equations in them (extended_velocities.h). The sums are found in the
 * shared graph of the expressions, so it does not matter how a chain is written: as bodies on bodies, or by sums that a
 * user has named. The expression core writes short sums flat; the terms that a sum shares with an earlier one are found
 * again term by term. */
#include "mech/extended_velocities.h"

#include "mech/body_rows.h"
#include "mech/mech_impl.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Terms with velocities from which on a sum gets a name even if only one square uses it. */
enum { LEAST_TERMS = 2, LONG_SUM = 4 };
/* Sums that are remembered for each of their terms, the first ones (along a chain the sums up to there) and the latest;
 * how many of them another sum may be made of. */
enum { FIRST_ONES = 2, REMEMBERED = 6, MOST_BASES = 6 };
/* A square holds so many unknowns at most; a longer sum gets a name of its own. */
enum { MOST_IN_SQUARE = 3 };

typedef enum Degree { FREE_OF_VELOCITIES, AFFINE, HIGHER } Degree;

typedef struct Term {
  PfExpr coefficient, what;
  int sum; /* a named sum in the place of `what`, or -1 */
} Term;

/* A sum by its terms, other sums among them. */
typedef struct Sum {
  PfExpr node, constant;
  int first, count;
} Sum;

typedef struct Recent {
  int sum[REMEMBERED];
  int count;
} Recent;

typedef struct Search {
  PfContext *ctx;
  PfArena *arena, *scratch;
  const PfEquations *eq;
  PfExtendedVelocities *extended;
  PfExpr *velocity;      /* m: the constraints, where possible by the velocities of one body */
  PfExpr *nodes;
  int node_count;
  int *place;            /* of a handle among the nodes */
  Degree *degree;
  int *affine, *squared; /* users of a node: those in which it stands as it is, and others; */
  int *multiplied;       /* products among the first */
  PfExpr *coefficient;   /* of a node in the sum that is looked at, or PF_EXPR_NONE */
  PfExpr *tried;         /* per sum with a name: the factor by which it was taken out of that one, to see the gain */
  Recent *recent;        /* for each node: sums that have it as a term */
  Sum *sums, *row_sums;  /* those with names; the constraints, where they are sums */
  Sum *squares;          /* short sums in squares, which get no names */
  int square_count;
  PF_ARRAY(Term) terms;
  PF_ARRAY(PfExpr) touched; /* terms of the sum that is looked at */
  PfExpr *z, *q, *zeros; /* n + count, n, n + count */
  PfExpr kinetic, *rows, *links;
  PfExpr *applied;
} Search;

/* The failure of an allocation here. */
static PfStatus no_room(const Search *l)
{
  return pf_no_room(l->ctx, "sums of velocities");
}

/* ---------------------------------------------------------------- the graph */

/* The degree that was found for a node. */
static Degree degree_of(const Search *l, PfExpr e)
{
  return l->degree[l->place[e]];
}

/* The degree of e in the velocities: 0, 1 or more. */
static Degree find_degree(const Search *l, PfExpr e)
{
  PfOp op = pf_expr_op(l->ctx, e);
  if (op == PF_OP_SUM) {
    Degree most = FREE_OF_VELOCITIES;
    for (int i = 2; i < pf_expr_arg_count(l->ctx, e); i += 2) {
      Degree degree = degree_of(l, pf_expr_arg(l->ctx, e, i));
      if (degree > most) most = degree;
    }
    return most;
  }
  if (op == PF_OP_PRODUCT) {
    int sum = FREE_OF_VELOCITIES;
    for (int i = 0; i < pf_expr_arg_count(l->ctx, e); i += 2) {
      Degree degree = degree_of(l, pf_expr_arg(l->ctx, e, i));
      PfExpr exponent = pf_expr_arg(l->ctx, e, i + 1);
      if (degree_of(l, exponent) != FREE_OF_VELOCITIES) return HIGHER;
      if (degree != FREE_OF_VELOCITIES) sum += pf_expr_is_int(l->ctx, exponent, 1) ? (int)degree : HIGHER;
    }
    return sum < HIGHER ? (Degree)sum : HIGHER;
  }
  for (int i = 0; i < pf_expr_arg_count(l->ctx, e); i++)
    if (degree_of(l, pf_expr_arg(l->ctx, e, i)) != FREE_OF_VELOCITIES) return HIGHER;
  return FREE_OF_VELOCITIES;
}

/* The degree of every node and how often it is used in sums, products and squares. */
static PfStatus look_at_graph(Search *l)
{
  /* All nodes of the kinetic energy and of the constraints on velocities, with room for the findings about each. */
  const size_t m = (size_t)l->eq->m;
  PfExpr *roots;
  PF_TRY(pf_arrays(l->ctx, l->scratch, "sums of velocities", PF_ROOM(roots, m + 1)));
  l->velocity = roots + 1;
  roots[0] = l->eq->kinetic;
  if (m) memcpy(l->velocity, l->eq->velocity, m*sizeof *roots);
  PF_TRY(pf_body_rows(l->ctx, l->scratch, l->eq, l->velocity));
  PF_TRY(pf_expr_reach(l->ctx, l->scratch, roots, (int)m + 1, &l->nodes, &l->node_count));
  const size_t count = (size_t)l->node_count, table = (size_t)pf_expr_table_size(l->ctx) + 1;
  PF_TRY(pf_arrays(l->ctx, l->scratch, "sums of velocities", PF_ROOM(l->place, table),
                   PF_ROOM(l->degree, count), PF_ROOM(l->affine, count), PF_ROOM(l->squared, count),
                   PF_ROOM(l->multiplied, count), PF_ROOM(l->coefficient, count), PF_ROOM(l->tried, count),
                   PF_ROOM(l->recent, count), PF_ROOM(l->sums, count), PF_ROOM(l->squares, count),
                   PF_ROOM(l->row_sums, m)));
  for (int k = 0; k < l->node_count; k++) l->place[l->nodes[k]] = k;
  for (int i = 0; i < l->eq->n; i++) {
    const PfExpr v = l->eq->model->coordinates[i].v;
    if (l->nodes[l->place[v]] == v) l->degree[l->place[v]] = AFFINE; /* else it occurs nowhere */
  }
  for (int k = 0; k < l->node_count; k++) {
    if (pf_expr_arg_count(l->ctx, l->nodes[k]) > 0) l->degree[k] = find_degree(l, l->nodes[k]);
    int *users = l->degree[k] == AFFINE ? l->affine : l->squared;
    const bool product = l->degree[k] == AFFINE && pf_expr_op(l->ctx, l->nodes[k]) == PF_OP_PRODUCT;
    for (int i = 0; i < pf_expr_arg_count(l->ctx, l->nodes[k]); i++) {
      const int at = l->place[pf_expr_arg(l->ctx, l->nodes[k], i)];
      users[at]++;
      l->multiplied[at] += product;
    }
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- sums */

/* How many terms a sum has, besides its constant. */
static int term_count(const Search *l, PfExpr sum)
{
  return pf_expr_arg_count(l->ctx, sum)/2;
}

/* Term i of a sum: coefficient and what it is multiplied with. */
static Term term_of(const Search *l, PfExpr sum, int i)
{
  return (Term){pf_expr_arg(l->ctx, sum, 1 + 2*i), pf_expr_arg(l->ctx, sum, 2 + 2*i), -1};
}

/* Is it a sum of velocities that is used more than once, or a long one in a product? One long row does no harm. */
static bool deserves_name(const Search *l, int k)
{
  const PfExpr node = l->nodes[k];
  int moving = 0;
  if (pf_expr_op(l->ctx, node) != PF_OP_SUM || l->degree[k] != AFFINE) return false;
  for (int i = 0; i < term_count(l, node); i++) moving += degree_of(l, term_of(l, node, i).what) == AFFINE;
  if (moving < LEAST_TERMS) return false;
  return l->affine[k] > 1 || (moving >= LONG_SUM && l->multiplied[k] + l->squared[k] > 0);
}

/* The remainder of a sum while other sums are taken out of it: coefficients of the terms touched. */
static PfExpr *left_of(const Search *l, PfExpr what)
{
  return l->coefficient + l->place[what];
}

/* Sets what is left of a term, and lists it where it is new. False without memory. */
static bool touch(Search *l, PfExpr what, PfExpr coefficient)
{
  PfExpr *left = left_of(l, what);
  if (*left == PF_EXPR_NONE && !pf_push(pf_context_allocator(l->ctx), &l->touched, what)) return false;
  *left = coefficient;
  return true;
}

/* Is something left of the term? */
static bool is_left(const Search *l, PfExpr what)
{
  PfExpr left = *left_of(l, what);
  return left != PF_EXPR_NONE && !pf_expr_is_int(l->ctx, left, 0);
}

typedef struct Base {
  int sum;
  PfExpr factor;
  int gain; /* terms that go, less those that come */
} Base;

/* The gain when a sum is taken out as often as its term `what` occurs. */
static Base try_base(const Search *l, int sum, PfExpr what)
{
  Base base = {.sum = sum, .factor = PF_EXPR_NONE, .gain = -1};
  PfExpr node = l->sums[sum].node;
  for (int i = 0; i < term_count(l, node) && base.factor == PF_EXPR_NONE; i++) {
    Term term = term_of(l, node, i);
    if (term.what == what) base.factor = pf_expr_div(l->ctx, *left_of(l, what), term.coefficient);
  }
  if (l->tried[sum] == base.factor) return (Base){.sum = -1, .gain = INT_MIN}; /* by another of its terms */
  l->tried[sum] = base.factor;
  for (int i = 0; i < term_count(l, node); i++) {
    Term term = term_of(l, node, i);
    bool goes = *left_of(l, term.what) == pf_expr_mul(l->ctx, base.factor, term.coefficient);
    if (goes) base.gain++;
    else if (!is_left(l, term.what)) base.gain--;
  }
  return base;
}

/* Appends a term to those of the sum that is being written. False without memory. */
static bool add_term(Search *l, Term term)
{
  return pf_push(pf_context_allocator(l->ctx), &l->terms, term);
}

/* Writes a sum by another one: sum = factor*base + the difference, term by term. */
static PfStatus take_out(Search *l, const Base *base, Sum *sum)
{
  PfExpr node = l->sums[base->sum].node;
  for (int i = 0; i < term_count(l, node); i++) {
    Term term = term_of(l, node, i);
    PfExpr less = pf_expr_neg(l->ctx, pf_expr_mul(l->ctx, base->factor, term.coefficient));
    PfExpr left = is_left(l, term.what) ? pf_expr_add(l->ctx, *left_of(l, term.what), less) : less;
    if (!touch(l, term.what, left)) return no_room(l);
  }
  PfExpr constant = pf_expr_mul(l->ctx, base->factor, pf_expr_arg(l->ctx, node, 0));
  sum->constant = pf_expr_sub(l->ctx, sum->constant, constant);
  return add_term(l, (Term){base->factor, PF_EXPR_NONE, base->sum}) ? PF_OK : no_room(l);
}

/* A sum by those that have names. */
static PfStatus split(Search *l, PfExpr node, Sum *sum)
{
  *sum = (Sum){.node = node, .constant = pf_expr_arg(l->ctx, node, 0), .first = (int)l->terms.count};
  l->touched.count = 0;
  for (int i = 0; i < term_count(l, node); i++) {
    Term term = term_of(l, node, i);
    if (!touch(l, term.what, term.coefficient)) return no_room(l);
  }
  for (int k = 0; k < MOST_BASES; k++) {
    /* The sum that takes most away; of equal ones the latest. */
    Base best = {.sum = -1};
    for (int j = 0; j < l->extended->count; j++) l->tried[j] = PF_EXPR_NONE;
    for (size_t j = 0; j < l->touched.count; j++) {
      PfExpr what = l->touched.at[j];
      const Recent *recent = l->recent + l->place[what];
      if (!is_left(l, what)) continue;
      for (int r = 0; r < recent->count && r < REMEMBERED; r++) {
        Base base = try_base(l, recent->sum[r], what);
        if (base.gain > best.gain || (best.sum >= 0 && base.gain == best.gain && base.sum > best.sum)) best = base;
      }
    }
    Base base = best;
    if (base.sum < 0) break;
    PF_TRY(take_out(l, &base, sum));
  }
  for (size_t k = 0; k < l->touched.count; k++) {
    PfExpr what = l->touched.at[k];
    if (is_left(l, what) && !add_term(l, (Term){*left_of(l, what), what, -1})) return no_room(l);
    *left_of(l, what) = PF_EXPR_NONE;
  }
  sum->count = (int)l->terms.count - sum->first;
  return PF_OK;
}

/* Names the sums that deserve one; those in squares with few terms are written out instead. Along chains most sums have
 * the first terms in common: for each term the first sums and the latest are remembered. */
static PfStatus find_sums(Search *l)
{
  const int latest = REMEMBERED - FIRST_ONES;
  for (int k = 0; k < l->node_count; k++) {
    if (!deserves_name(l, k)) continue;
    PF_TRY(pf_check_cancelled(l->ctx));
    PfExpr node = l->nodes[k];
    const int number = l->extended->count;
    Sum sum;
    PF_TRY(split(l, node, &sum));
    if (l->affine[k] == 0 && sum.count <= MOST_IN_SQUARE) {
      l->squares[l->square_count++] = sum;
      continue;
    }
    l->sums[number] = sum;
    for (int i = 0; i < term_count(l, node); i++) {
      Recent *recent = l->recent + l->place[term_of(l, node, i).what];
      const int at = recent->count++;
      recent->sum[at < REMEMBERED ? at : FIRST_ONES + (at - FIRST_ONES)%latest] = number;
    }
    l->extended->count++;
  }
  for (int k = 0; k < l->eq->m; k++) {
    PfExpr row = l->velocity[k];
    if (pf_expr_op(l->ctx, row) == PF_OP_SUM) PF_TRY(split(l, row, l->row_sums + k));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- names in the place of sums */

/* Symbols of the sums z and of the momenta conjugate to them; all velocities as one list (q', z). */
static PfStatus make_names(Search *l)
{
  PfExtendedVelocities *x = l->extended;
  const size_t n = (size_t)x->n, count = (size_t)x->count;
  char name[40]; /* with a blank, which no name of a model contains */
  PF_TRY(pf_arrays(l->ctx, l->arena, "sums of velocities", PF_ROOM(x->sum, count), PF_ROOM(x->momentum, count)));
  PF_TRY(pf_arrays(l->ctx, l->scratch, "sums of velocities", PF_ROOM(l->z, n + count), PF_ROOM(l->zeros, n + count),
                   PF_ROOM(l->q, n)));
  for (int k = 0; k < x->count; k++) {
    snprintf(name, sizeof name, "sum %d", k + 1);
    x->sum[k] = pf_expr_symbol(l->ctx, name);
    snprintf(name, sizeof name, "momentum behind sum %d", k + 1);
    x->momentum[k] = pf_expr_symbol(l->ctx, name);
  }
  for (size_t i = 0; i < n; i++) {
    l->q[i] = l->eq->model->coordinates[i].q;
    l->z[i] = l->eq->model->coordinates[i].v;
  }
  memcpy(l->z + n, x->sum, count*sizeof *l->z);
  for (size_t i = 0; i < n + count; i++) l->zeros[i] = pf_expr_int(l->ctx, 0);
  return PF_OK;
}

/* A sum by names; `image` are the terms. */
static PfExpr write_sum(const Search *l, const Sum *sum, const PfExpr *image, PfExpr *parts)
{
  int count = 0;
  parts[count++] = sum->constant;
  for (int i = sum->first; i < sum->first + sum->count; i++) {
    const Term *term = l->terms.at + i;
    parts[count++] = pf_expr_mul(l->ctx, term->coefficient, term->sum < 0 ? image[i] : l->extended->sum[term->sum]);
  }
  return pf_expr_sum(l->ctx, parts, count);
}

/* Kinetic energy, constraints, applied and non-ideal forces and the definitions of the sums, all written by the names;
 * short sums in squares are written out. */
static PfStatus write_in_names(Search *l)
{
  PfExtendedVelocities *x = l->extended;
  const size_t n = (size_t)x->n, m = (size_t)x->m, whole = 1 + m + 2*n;
  const size_t count = (size_t)x->count, all = count + (size_t)l->square_count, terms = l->terms.count;
  PfExpr *image, *parts, *nodes, *values, *list;
  PF_TRY(pf_arrays(l->ctx, l->scratch, "sums of velocities", PF_ROOM(image, terms), PF_ROOM(parts, terms + 1),
                   PF_ROOM(nodes, all), PF_ROOM(values, all), PF_ROOM(l->links, count), PF_ROOM(list, whole)));
  PF_TRY(pf_arrays(l->ctx, l->arena, "sums of velocities", PF_ROOM(x->nonideal, n)));
  for (size_t k = 0; k < count; k++) nodes[k] = l->sums[k].node, values[k] = x->sum[k];
  const PfExpr none = pf_expr_int(l->ctx, 0); /* terms, written in the names of other sums */
  for (size_t k = 0; k < terms; k++) image[k] = l->terms.at[k].sum < 0 ? l->terms.at[k].what : none;
  PF_TRY(pf_expr_substitute(l->ctx, image, (int)terms, nodes, x->sum, x->count, image));
  for (size_t k = 0; k < count; k++) l->links[k] = write_sum(l, l->sums + k, image, parts);
  for (size_t k = count; k < all; k++) {
    const Sum *square = l->squares + (k - count);
    nodes[k] = square->node, values[k] = write_sum(l, square, image, parts);
  }
  l->rows = list + 1;
  l->applied = l->rows + m;
  list[0] = l->eq->kinetic;
  if (m) memcpy(l->rows, l->velocity, m*sizeof *list);
  memcpy(l->applied, l->eq->applied, n*sizeof *list);
  memcpy(l->applied + n, l->eq->C, n*sizeof *list);
  PF_TRY(pf_expr_substitute(l->ctx, list, (int)whole, nodes, values, (int)all, list));
  l->kinetic = list[0];
  memcpy(x->nonideal, l->applied + n, n*sizeof *list);
  for (int k = 0; k < x->m; k++)
    if (l->row_sums[k].count) l->rows[k] = write_sum(l, l->row_sums + k, image, parts);
  return pf_expr_check(l->ctx);
}

/* ---------------------------------------------------------------- equations */

/* M, in place of its Hessian the lower triangle, and the drift; `good`: M does not depend on velocities; else nothing
 * is lifted. `p`: room for the momenta dT/dz. */
static PfStatus find_mass(Search *l, PfExpr *p, bool *good)
{
  PfExtendedVelocities *x = l->extended;
  const int N = x->n + x->count;
  int kept = 0;
  bool depends = false;
  PF_TRY(pf_arrays(l->ctx, l->arena, "sums of velocities", PF_ROOM(x->drift, N)));
  PF_TRY(pf_expr_gradient(l->ctx, l->kinetic, l->z, N, p));
  PF_TRY(pf_expr_jacobian(l->ctx, l->arena, p, N, l->z, N, &x->mass));
  for (int k = 0; k < x->mass.count; k++) {
    if (x->mass.column[k] > x->mass.row[k]) continue;
    x->mass.row[kept] = x->mass.row[k];
    x->mass.column[kept] = x->mass.column[k];
    x->mass.value[kept++] = x->mass.value[k];
  }
  x->mass.count = kept;
  PF_TRY(pf_expr_substitute(l->ctx, p, N, l->z, l->zeros, N, x->drift));
  PF_TRY(pf_expr_contain(l->ctx, x->mass.value, kept, l->z, N, &depends));
  *good = !depends;
  return PF_OK;
}

/* The right side: forces, dT/dq - dV/dq and the rates of the momenta at constant velocities; then load += (de_l/dq_i -
 * B_li') a_l, entry by entry as they are listed, by rows. For velocities of places both parts are equal, and must
 * cancel before they get a factor. */
static PfStatus find_load(Search *l, PfExpr *p)
{
  PfContext *ctx = l->ctx;
  PfExtendedVelocities *x = l->extended;
  const PfModel *model = l->eq->model;
  const int N = x->n + x->count;
  PfExpr *kinetic, *potential, *rate, *net;
  PF_TRY(pf_arrays(ctx, l->arena, "sums of velocities", PF_ROOM(x->load, N)));
  PF_TRY(pf_arrays(ctx, l->scratch, "sums of velocities", PF_ROOM(kinetic, x->n), PF_ROOM(potential, x->n),
                   PF_ROOM(rate, x->links.count), PF_ROOM(net, N)));
  PF_TRY(pf_expr_gradient(ctx, l->kinetic, l->q, x->n, kinetic));
  PF_TRY(pf_model_gradient(model, l->eq->potential, potential));
  PF_TRY(pf_model_derive_along(model, NULL, p, N, p));
  for (int i = 0; i < N; i++) x->load[i] = pf_expr_neg(ctx, p[i]);
  for (int i = 0; i < x->n; i++) {
    PfExpr parts[] = {l->applied[i], x->nonideal[i], kinetic[i], pf_expr_neg(ctx, potential[i]), x->load[i]};
    x->load[i] = pf_expr_sum(ctx, parts, (int)(sizeof parts/sizeof *parts));
  }
  PfJacobian slope;
  PF_TRY(pf_model_derive_along(model, NULL, x->links.value, x->links.count, rate));
  PF_TRY(pf_expr_jacobian(ctx, l->scratch, l->links, x->count, l->q, x->n, &slope));
  for (int k = 0, s = 0, b = 0; k < x->count; k++) {
    const int first_s = s, first_b = b;
    PF_TRY(pf_check_cancelled(ctx));
    for (; s < slope.count && slope.row[s] == k; s++) net[slope.column[s]] = slope.value[s];
    for (; b < x->links.count && x->links.row[b] == k; b++) {
      PfExpr *at = net + x->links.column[b];
      *at = *at == PF_EXPR_NONE ? pf_expr_neg(ctx, rate[b]) : pf_expr_sub(ctx, *at, rate[b]);
    }
    const int *columns[2] = {slope.column + first_s, x->links.column + first_b};
    const int counts[2] = {s - first_s, b - first_b};
    for (int list = 0; list < 2; list++)
      for (int e = 0; e < counts[list]; e++) {
        const int i = columns[list][e];
        if (net[i] == PF_EXPR_NONE) continue; /* of the first list, too */
        x->load[i] = pf_expr_add(ctx, x->load[i], pf_expr_mul(ctx, net[i], x->momentum[k]));
        net[i] = PF_EXPR_NONE;
      }
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- all together */

/* The equations with additional velocities z, one for each named sum: mass matrix, links z = B(q) (q', z), constraint
 * rows and loads. No sums found means that it does not pay. */
static PfStatus make(Search *l)
{
  bool good = true;
  PfExpr *p;
  PF_TRY(look_at_graph(l));
  PF_TRY(find_sums(l));
  if (!l->extended->count) return PF_OK;
  PF_TRY(pf_arrays(l->ctx, l->scratch, "sums of velocities", PF_ROOM(p, l->extended->n + l->extended->count)));
  PF_TRY(make_names(l));
  PF_TRY(pf_check_cancelled(l->ctx));
  PF_TRY(write_in_names(l));
  PF_TRY(pf_check_cancelled(l->ctx));
  PF_TRY(find_mass(l, p, &good));
  if (!good) {
    l->extended->count = 0;
    return PF_OK;
  }
  PF_TRY(pf_check_cancelled(l->ctx));
  /* The links w' - B z' = turning with their offset, and the rows A z' = b of the constraints. */
  PfExtendedVelocities *x = l->extended;
  const PfModel *model = l->eq->model;
  const int N = x->n + x->count;
  PF_TRY(pf_arrays(l->ctx, l->arena, "sums of velocities", PF_ROOM(x->offset, x->count),
                   PF_ROOM(x->turning, x->count), PF_ROOM(x->b, x->m)));
  PF_TRY(pf_expr_jacobian(l->ctx, l->arena, l->links, x->count, l->z, N, &x->links));
  PF_TRY(pf_expr_substitute(l->ctx, l->links, x->count, l->z, l->zeros, N, x->offset));
  PF_TRY(pf_model_derive_along(model, NULL, l->links, x->count, x->turning));
  PF_TRY(pf_check_cancelled(l->ctx));
  PF_TRY(pf_expr_jacobian(l->ctx, l->arena, l->rows, x->m, l->z, N, &x->rows));
  PF_TRY(pf_model_derive_along(model, NULL, l->rows, x->m, x->b));
  for (int k = 0; k < x->m; k++) x->b[k] = pf_expr_neg(l->ctx, x->b[k]);
  PF_TRY(pf_check_cancelled(l->ctx));
  PF_TRY(find_load(l, p));
  return pf_expr_check(l->ctx);
}

/* Matrix-free equations have no kinetic energy of bodies, those in angular velocities are not made for numbers, and
 * constraints on accelerations have no velocities: there nothing is looked for. */
PfStatus pf_extended_velocities_make(PfContext *ctx, PfArena *arena, const PfEquations *eq,
                                     PfExtendedVelocities *extended)
{
  *extended = (PfExtendedVelocities){.n = eq->n, .m = eq->m};
  if (eq->in_bodies || eq->model->spinning_count || eq->model->auxiliary_count) return PF_OK;
  for (int k = 0; k < eq->m; k++)
    if (eq->velocity[k] == PF_EXPR_NONE) return PF_OK; /* a constraint on accelerations */
  Search look = {.ctx = ctx, .arena = arena, .eq = eq, .extended = extended};
  look.scratch = pf_arena_new(pf_context_allocator(ctx));
  PfStatus status = look.scratch ? make(&look) : no_room(&look);
  pf_array_free(pf_context_allocator(ctx), &look.terms);
  pf_array_free(pf_context_allocator(ctx), &look.touched);
  pf_arena_free(look.scratch);
  return status;
}
