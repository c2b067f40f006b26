/* SPDX-License-Identifier: Apache-2.0 */
/* Which sums of velocities get names, and the equations in them (lift.h). The sums are found in the shared graph of the
 * expressions, so it does not matter how a chain is written: as bodies on bodies, or by sums that a user has named. The
 * expression core writes short sums flat; what one has in common with one before is found again term by term. */
#include "mech/lift.h"

#include "mech/local.h"
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

typedef struct Look {
  PfContext *ctx;
  PfArena *arena, *scratch;
  const PfEquations *eq;
  PfLift *lift;
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
  PfExpr *moving, *rates;
  int moving_count;
  PfExpr kinetic, *rows, *links;
  PfExpr *applied;
} Look;

static PfStatus no_room(const Look *l)
{
  return pf_no_room(l->ctx, "sums of velocities");
}

/* ---------------------------------------------------------------- the graph */

static Degree degree_of(const Look *l, PfExpr e)
{
  return l->degree[l->place[e]];
}

static Degree degree_of_sum(const Look *l, PfExpr e)
{
  Degree most = FREE_OF_VELOCITIES;
  for (int i = 2; i < pf_expr_arg_count(l->ctx, e); i += 2) {
    Degree degree = degree_of(l, pf_expr_arg(l->ctx, e, i));
    if (degree > most) most = degree;
  }
  return most;
}

static Degree degree_of_product(const Look *l, PfExpr e)
{
  int sum = FREE_OF_VELOCITIES;
  for (int i = 0; i < pf_expr_arg_count(l->ctx, e); i += 2) {
    Degree degree = degree_of(l, pf_expr_arg(l->ctx, e, i));
    PfExpr exponent = pf_expr_arg(l->ctx, e, i + 1);
    if (degree_of(l, exponent) != FREE_OF_VELOCITIES) return HIGHER;
    if (degree != FREE_OF_VELOCITIES) sum += pf_expr_is_int(l->ctx, exponent, 1) ? (int)degree : HIGHER;
  }
  return sum < HIGHER ? (Degree)sum : HIGHER;
}

static Degree find_degree(const Look *l, PfExpr e)
{
  PfOp op = pf_expr_op(l->ctx, e);
  if (op == PF_OP_SUM) return degree_of_sum(l, e);
  if (op == PF_OP_PRODUCT) return degree_of_product(l, e);
  for (int i = 0; i < pf_expr_arg_count(l->ctx, e); i++)
    if (degree_of(l, pf_expr_arg(l->ctx, e, i)) != FREE_OF_VELOCITIES) return HIGHER;
  return FREE_OF_VELOCITIES;
}

static void count_users(const Look *l, int k)
{
  int *users = l->degree[k] == AFFINE ? l->affine : l->squared;
  const bool product = l->degree[k] == AFFINE && pf_expr_op(l->ctx, l->nodes[k]) == PF_OP_PRODUCT;
  for (int i = 0; i < pf_expr_arg_count(l->ctx, l->nodes[k]); i++) {
    const int at = l->place[pf_expr_arg(l->ctx, l->nodes[k], i)];
    users[at]++;
    l->multiplied[at] += product;
  }
}

static PfStatus make_room(Look *l)
{
  const size_t count = (size_t)l->node_count;
  l->degree = pf_arena_array(l->scratch, Degree, count);
  l->affine = pf_arena_array(l->scratch, int, count);
  l->squared = pf_arena_array(l->scratch, int, count);
  l->multiplied = pf_arena_array(l->scratch, int, count);
  l->coefficient = pf_arena_array(l->scratch, PfExpr, count);
  l->tried = pf_arena_array(l->scratch, PfExpr, count);
  l->recent = pf_arena_array(l->scratch, Recent, count);
  l->sums = pf_arena_array(l->scratch, Sum, count);
  l->squares = pf_arena_array(l->scratch, Sum, count);
  l->row_sums = pf_arena_array(l->scratch, Sum, l->eq->m);
  if (!l->degree || !l->affine || !l->squared || !l->multiplied || !l->coefficient || !l->tried) return no_room(l);
  return l->recent && l->sums && l->squares && l->row_sums ? PF_OK : no_room(l);
}

static PfStatus list_nodes(Look *l)
{
  const size_t m = (size_t)l->eq->m;
  PfExpr *roots = pf_arena_array(l->scratch, PfExpr, m + 1);
  if (!roots) return no_room(l);
  l->velocity = roots + 1;
  roots[0] = l->eq->kinetic;
  if (m) memcpy(l->velocity, l->eq->velocity, m*sizeof *roots);
  PF_TRY(pf_local_rows(l->ctx, l->scratch, l->eq, l->velocity));
  PF_TRY(pf_expr_reach(l->ctx, l->scratch, roots, (int)m + 1, &l->nodes, &l->node_count));
  l->place = pf_arena_array(l->scratch, int, (size_t)pf_expr_table_size(l->ctx) + 1);
  if (!l->place) return no_room(l);
  for (int k = 0; k < l->node_count; k++) l->place[l->nodes[k]] = k;
  return make_room(l);
}

static PfStatus look_at_graph(Look *l)
{
  PF_TRY(list_nodes(l));
  for (int i = 0; i < l->eq->n; i++) {
    const PfExpr v = l->eq->model->coordinates[i].v;
    if (l->nodes[l->place[v]] == v) l->degree[l->place[v]] = AFFINE; /* else it occurs nowhere */
  }
  for (int k = 0; k < l->node_count; k++) {
    if (pf_expr_arg_count(l->ctx, l->nodes[k]) > 0) l->degree[k] = find_degree(l, l->nodes[k]);
    count_users(l, k);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- sums */

static int term_count(const Look *l, PfExpr sum)
{
  return pf_expr_arg_count(l->ctx, sum)/2;
}

static Term term_of(const Look *l, PfExpr sum, int i)
{
  return (Term){pf_expr_arg(l->ctx, sum, 1 + 2*i), pf_expr_arg(l->ctx, sum, 2 + 2*i), -1};
}

static int count_moving(const Look *l, PfExpr sum)
{
  int moving = 0;
  for (int i = 0; i < term_count(l, sum); i++) moving += degree_of(l, term_of(l, sum, i).what) == AFFINE;
  return moving;
}

/* Is it a sum of velocities that is used more than once, or a long one in a product? One long row is no harm. */
static bool deserves_name(const Look *l, int k)
{
  if (pf_expr_op(l->ctx, l->nodes[k]) != PF_OP_SUM || l->degree[k] != AFFINE) return false;
  int moving = count_moving(l, l->nodes[k]);
  if (moving < LEAST_TERMS) return false;
  return l->affine[k] > 1 || (moving >= LONG_SUM && l->multiplied[k] + l->squared[k] > 0);
}

/* What is left of a sum while other sums are taken out of it: coefficients of the terms touched. */
static PfExpr *left_of(const Look *l, PfExpr what)
{
  return l->coefficient + l->place[what];
}

static bool touch(Look *l, PfExpr what, PfExpr coefficient)
{
  PfExpr *left = left_of(l, what);
  if (*left == PF_EXPR_NONE && !pf_push(pf_context_allocator(l->ctx), &l->touched, what)) return false;
  *left = coefficient;
  return true;
}

static bool is_left(const Look *l, PfExpr what)
{
  PfExpr left = *left_of(l, what);
  return left != PF_EXPR_NONE && !pf_expr_is_int(l->ctx, left, 0);
}

typedef struct Base {
  int sum;
  PfExpr factor;
  int gain; /* terms that go, less those that come */
} Base;

/* What is gained when a sum is taken out as often as its term `what` is there. */
static Base try_base(const Look *l, int sum, PfExpr what)
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

/* The sum that takes most away; of equal ones the latest. */
static Base find_base(const Look *l)
{
  Base best = {.sum = -1};
  for (int k = 0; k < l->lift->count; k++) l->tried[k] = PF_EXPR_NONE;
  for (size_t k = 0; k < l->touched.count; k++) {
    PfExpr what = l->touched.at[k];
    const Recent *recent = l->recent + l->place[what];
    if (!is_left(l, what)) continue;
    for (int r = 0; r < recent->count && r < REMEMBERED; r++) {
      Base base = try_base(l, recent->sum[r], what);
      if (base.gain > best.gain || (best.sum >= 0 && base.gain == best.gain && base.sum > best.sum)) best = base;
    }
  }
  return best;
}

static bool add_term(Look *l, Term term)
{
  return pf_push(pf_context_allocator(l->ctx), &l->terms, term);
}

static PfStatus take_out(Look *l, const Base *base, Sum *sum)
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
static PfStatus split(Look *l, PfExpr node, Sum *sum)
{
  *sum = (Sum){.node = node, .constant = pf_expr_arg(l->ctx, node, 0), .first = (int)l->terms.count};
  l->touched.count = 0;
  for (int i = 0; i < term_count(l, node); i++) {
    Term term = term_of(l, node, i);
    if (!touch(l, term.what, term.coefficient)) return no_room(l);
  }
  for (int k = 0; k < MOST_BASES; k++) {
    Base base = find_base(l);
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

/* Along chains most sums have the first terms in common: what is remembered of those is what came last. */
static void remember(Recent *recent, int sum)
{
  const int latest = REMEMBERED - FIRST_ONES, k = recent->count++;
  recent->sum[k < REMEMBERED ? k : FIRST_ONES + (k - FIRST_ONES)%latest] = sum;
}

static PfStatus add_sum(Look *l, int k)
{
  PfExpr node = l->nodes[k];
  const int number = l->lift->count;
  Sum sum;
  PF_TRY(split(l, node, &sum));
  if (l->affine[k] == 0 && sum.count <= MOST_IN_SQUARE) {
    l->squares[l->square_count++] = sum;
    return PF_OK;
  }
  l->sums[number] = sum;
  for (int i = 0; i < term_count(l, node); i++) remember(l->recent + l->place[term_of(l, node, i).what], number);
  l->lift->count++;
  return PF_OK;
}

static PfStatus find_sums(Look *l)
{
  for (int k = 0; k < l->node_count; k++) {
    if (!deserves_name(l, k)) continue;
    PF_TRY(pf_check_cancelled(l->ctx));
    PF_TRY(add_sum(l, k));
  }
  for (int k = 0; k < l->eq->m; k++) {
    PfExpr row = l->velocity[k];
    if (pf_expr_op(l->ctx, row) == PF_OP_SUM) PF_TRY(split(l, row, l->row_sums + k));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- names in the place of sums */

static PfExpr name_symbol(PfContext *ctx, const char *what, int k)
{
  char name[32];
  snprintf(name, sizeof name, "%s %d", what, k + 1); /* with a blank: nobody else has such a name */
  return pf_expr_symbol(ctx, name);
}

static PfStatus make_names(Look *l)
{
  PfLift *x = l->lift;
  const size_t n = (size_t)x->n, count = (size_t)x->count;
  x->sum = pf_arena_array(l->arena, PfExpr, count);
  x->momentum = pf_arena_array(l->arena, PfExpr, count);
  l->z = pf_arena_array(l->scratch, PfExpr, n + count);
  l->zeros = pf_arena_array(l->scratch, PfExpr, n + count);
  l->q = pf_arena_array(l->scratch, PfExpr, n);
  if (!x->sum || !x->momentum || !l->z || !l->zeros || !l->q) return no_room(l);
  for (int k = 0; k < x->count; k++) {
    x->sum[k] = name_symbol(l->ctx, "sum", k);
    x->momentum[k] = name_symbol(l->ctx, "momentum behind sum", k);
  }
  for (size_t i = 0; i < n; i++) {
    l->q[i] = l->eq->model->coordinates[i].q;
    l->z[i] = l->eq->model->coordinates[i].v;
  }
  memcpy(l->z + n, x->sum, count*sizeof *l->z);
  for (size_t i = 0; i < n + count; i++) l->zeros[i] = pf_expr_int(l->ctx, 0);
  return PF_OK;
}

static PfStatus list_rates(Look *l)
{
  const PfModel *model = l->eq->model;
  const size_t most = (size_t)l->eq->n + 1 + (size_t)model->input_count;
  int k = 0;
  l->moving = pf_arena_array(l->scratch, PfExpr, most);
  l->rates = pf_arena_array(l->scratch, PfExpr, most);
  if (!l->moving || !l->rates) return no_room(l);
  for (int i = 0; i < l->eq->n; i++) l->moving[k] = l->q[i], l->rates[k++] = l->z[i];
  l->moving[k] = model->time, l->rates[k++] = pf_expr_int(l->ctx, 1);
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value) {
      l->moving[k] = model->inputs[i].symbol;
      l->rates[k++] = pf_expr_diff(l->ctx, model->inputs[i].value, model->time);
    }
  l->moving_count = k;
  return PF_OK;
}

/* A sum by names; `image` are the terms. */
static PfExpr write_sum(const Look *l, const Sum *sum, const PfExpr *image, PfExpr *parts)
{
  int count = 0;
  parts[count++] = sum->constant;
  for (int i = sum->first; i < sum->first + sum->count; i++) {
    const Term *term = l->terms.at + i;
    parts[count++] = pf_expr_mul(l->ctx, term->coefficient, term->sum < 0 ? image[i] : l->lift->sum[term->sum]);
  }
  return pf_expr_sum(l->ctx, parts, count);
}

/* Terms of all sums by the names. */
static PfStatus write_terms(const Look *l, const PfExpr *nodes, PfExpr *image)
{
  const PfExpr none = pf_expr_int(l->ctx, 0);
  for (size_t k = 0; k < l->terms.count; k++) image[k] = l->terms.at[k].sum < 0 ? l->terms.at[k].what : none;
  return pf_expr_substitute(l->ctx, image, (int)l->terms.count, nodes, l->lift->sum, l->lift->count, image);
}

/* Kinetic energy, constraints, applied and non-ideal forces by the names, short sums in squares written out. */
static PfStatus write_equations(Look *l, PfExpr *nodes, PfExpr *values)
{
  PfLift *x = l->lift;
  const size_t n = (size_t)x->n, m = (size_t)x->m, all = 1 + m + 2*n;
  PfExpr *list = pf_arena_array(l->scratch, PfExpr, all);
  x->nonideal = pf_arena_array(l->arena, PfExpr, n);
  if (!list || !x->nonideal) return no_room(l);
  l->rows = list + 1;
  l->applied = l->rows + m;
  list[0] = l->eq->kinetic;
  if (m) memcpy(l->rows, l->velocity, m*sizeof *list);
  memcpy(l->applied, l->eq->applied, n*sizeof *list);
  memcpy(l->applied + n, l->eq->C, n*sizeof *list);
  PF_TRY(pf_expr_substitute(l->ctx, list, (int)all, nodes, values, x->count + l->square_count, list));
  l->kinetic = list[0];
  memcpy(x->nonideal, l->applied + n, n*sizeof *list);
  return PF_OK;
}

static PfStatus write_in_names(Look *l)
{
  PfLift *x = l->lift;
  const size_t count = (size_t)x->count, all = count + (size_t)l->square_count;
  PfExpr *image = pf_arena_array(l->scratch, PfExpr, l->terms.count);
  PfExpr *parts = pf_arena_array(l->scratch, PfExpr, l->terms.count + 1);
  PfExpr *nodes = pf_arena_array(l->scratch, PfExpr, all), *values = pf_arena_array(l->scratch, PfExpr, all);
  l->links = pf_arena_array(l->scratch, PfExpr, count);
  if (!image || !parts || !nodes || !values || !l->links) return no_room(l);
  for (size_t k = 0; k < count; k++) nodes[k] = l->sums[k].node, values[k] = x->sum[k];
  PF_TRY(write_terms(l, nodes, image));
  for (size_t k = 0; k < count; k++) l->links[k] = write_sum(l, l->sums + k, image, parts);
  for (size_t k = count; k < all; k++) {
    const Sum *square = l->squares + (k - count);
    nodes[k] = square->node, values[k] = write_sum(l, square, image, parts);
  }
  PF_TRY(write_equations(l, nodes, values));
  for (int k = 0; k < x->m; k++)
    if (l->row_sums[k].count) l->rows[k] = write_sum(l, l->row_sums + k, image, parts);
  return pf_expr_check(l->ctx);
}

/* ---------------------------------------------------------------- equations */

/* M must not depend on velocities; else nothing is lifted. */
static PfStatus find_mass(Look *l, PfExpr *p, bool *good)
{
  PfLift *x = l->lift;
  const int N = x->n + x->count;
  int kept = 0;
  x->drift = pf_arena_array(l->arena, PfExpr, N);
  if (!x->drift) return no_room(l);
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
  bool depends = false;
  PF_TRY(pf_expr_contain(l->ctx, x->mass.value, kept, l->z, N, &depends));
  *good = !depends;
  return PF_OK;
}

static PfStatus derive_along(const Look *l, const PfExpr *what, int count, PfExpr *out)
{
  return pf_expr_derive_along(l->ctx, what, count, l->moving, l->rates, l->moving_count, out);
}

static PfStatus find_links(Look *l)
{
  PfLift *x = l->lift;
  const int N = x->n + x->count;
  x->offset = pf_arena_array(l->arena, PfExpr, x->count);
  x->turning = pf_arena_array(l->arena, PfExpr, x->count);
  if (!x->offset || !x->turning) return no_room(l);
  PF_TRY(pf_expr_jacobian(l->ctx, l->arena, l->links, x->count, l->z, N, &x->links));
  PF_TRY(pf_expr_substitute(l->ctx, l->links, x->count, l->z, l->zeros, N, x->offset));
  return derive_along(l, l->links, x->count, x->turning);
}

static PfStatus find_rows(Look *l)
{
  PfLift *x = l->lift;
  x->b = pf_arena_array(l->arena, PfExpr, x->m);
  if (!x->b) return no_room(l);
  PF_TRY(pf_expr_jacobian(l->ctx, l->arena, l->rows, x->m, l->z, x->n + x->count, &x->rows));
  PF_TRY(derive_along(l, l->rows, x->m, x->b));
  for (int k = 0; k < x->m; k++) x->b[k] = pf_expr_neg(l->ctx, x->b[k]);
  return PF_OK;
}

/* Adds net_i a_k to the loads of the unknowns in `column`, and clears net. */
static void add_momentum(Look *l, int k, PfExpr *net, const int *column, int count)
{
  for (int e = 0; e < count; e++) {
    const int i = column[e];
    if (net[i] == PF_EXPR_NONE) continue;
    PfExpr part = pf_expr_mul(l->ctx, net[i], l->lift->momentum[k]);
    l->lift->load[i] = pf_expr_add(l->ctx, l->lift->load[i], part);
    net[i] = PF_EXPR_NONE;
  }
}

/* load += (de_l/dq_i - B_li') a_l, entry by entry as they are listed, by rows. For velocities of places both parts are
 * equal, and must cancel before they get a factor. */
static PfStatus add_momenta(Look *l)
{
  PfLift *x = l->lift;
  PfJacobian slope;
  PfExpr *rate = pf_arena_array(l->scratch, PfExpr, x->links.count);
  PfExpr *net = pf_arena_array(l->scratch, PfExpr, x->n + x->count);
  if (!rate || !net) return no_room(l);
  PF_TRY(derive_along(l, x->links.value, x->links.count, rate));
  PF_TRY(pf_expr_jacobian(l->ctx, l->scratch, l->links, x->count, l->q, x->n, &slope));
  for (int k = 0, s = 0, b = 0; k < x->count; k++) {
    const int first_s = s, first_b = b;
    PF_TRY(pf_check_cancelled(l->ctx));
    for (; s < slope.count && slope.row[s] == k; s++) net[slope.column[s]] = slope.value[s];
    for (; b < x->links.count && x->links.row[b] == k; b++) {
      PfExpr *at = net + x->links.column[b];
      *at = *at == PF_EXPR_NONE ? pf_expr_neg(l->ctx, rate[b]) : pf_expr_sub(l->ctx, *at, rate[b]);
    }
    add_momentum(l, k, net, slope.column + first_s, s - first_s);
    add_momentum(l, k, net, x->links.column + first_b, b - first_b);
  }
  return PF_OK;
}

static PfStatus find_load(Look *l, PfExpr *p)
{
  PfLift *x = l->lift;
  const PfModel *model = l->eq->model;
  const int N = x->n + x->count;
  x->load = pf_arena_array(l->arena, PfExpr, N);
  PfExpr *kinetic = pf_arena_array(l->scratch, PfExpr, x->n), *potential = pf_arena_array(l->scratch, PfExpr, x->n);
  if (!x->load || !kinetic || !potential) return no_room(l);
  PF_TRY(pf_expr_gradient(l->ctx, l->kinetic, l->q, x->n, kinetic));
  PF_TRY(pf_model_gradient(model, l->eq->potential, potential));
  PF_TRY(derive_along(l, p, N, p));
  for (int i = 0; i < N; i++) x->load[i] = pf_expr_neg(l->ctx, p[i]);
  for (int i = 0; i < x->n; i++) {
    PfExpr parts[] = {l->applied[i], x->nonideal[i], kinetic[i], pf_expr_neg(l->ctx, potential[i]), x->load[i]};
    x->load[i] = pf_expr_sum(l->ctx, parts, (int)(sizeof parts/sizeof *parts));
  }
  return add_momenta(l);
}

/* ---------------------------------------------------------------- all together */

static bool applies(const PfEquations *eq)
{
  if (eq->in_bodies || eq->model->spinning_count || eq->model->follower_count) return false;
  for (int k = 0; k < eq->m; k++)
    if (eq->velocity[k] == PF_EXPR_NONE) return false; /* a constraint on accelerations */
  return true;
}

static PfStatus make(Look *l)
{
  bool good = true;
  PF_TRY(look_at_graph(l));
  PF_TRY(find_sums(l));
  if (!l->lift->count) return PF_OK;
  PfExpr *p = pf_arena_array(l->scratch, PfExpr, l->lift->n + l->lift->count);
  if (!p) return no_room(l);
  PF_TRY(make_names(l));
  PF_TRY(list_rates(l));
  PF_TRY(pf_check_cancelled(l->ctx));
  PF_TRY(write_in_names(l));
  PF_TRY(pf_check_cancelled(l->ctx));
  PF_TRY(find_mass(l, p, &good));
  if (!good) {
    l->lift->count = 0;
    return PF_OK;
  }
  PF_TRY(pf_check_cancelled(l->ctx));
  PF_TRY(find_links(l));
  PF_TRY(pf_check_cancelled(l->ctx));
  PF_TRY(find_rows(l));
  PF_TRY(pf_check_cancelled(l->ctx));
  PF_TRY(find_load(l, p));
  return pf_expr_check(l->ctx);
}

PfStatus pf_lift_make(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfLift *lift)
{
  *lift = (PfLift){.n = eq->n, .m = eq->m};
  if (!applies(eq)) return PF_OK;
  Look look = {.ctx = ctx, .arena = arena, .eq = eq, .lift = lift};
  look.scratch = pf_arena_new(pf_context_allocator(ctx));
  PfStatus status = look.scratch ? make(&look) : no_room(&look);
  pf_array_free(pf_context_allocator(ctx), &look.terms);
  pf_array_free(pf_context_allocator(ctx), &look.touched);
  pf_arena_free(look.scratch);
  return status;
}
