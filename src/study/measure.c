/* SPDX-License-Identifier: Apache-2.0 */
/* Invariant measures of the reduced equations. With x = (q, omega), q' = v(q, omega) and G omega' = g, the measure
 * rho dq domega is kept by the motion where div(rho x') = 0, that is (Liouville)
 *   (ln rho)' = -div x',   div x' = sum dv_i/dq_i + sum domega_a'/domega_a.
 * For rho = prod |f_k|^c_k exp(sum d_k h_k) with given functions f, h of x this is one linear equation for the
 * constants c, d at every state. States are chosen at random in a prime field, as for conserved quantities. */
#include "pfaff/integrals.h"

#include "base/base.h"
#include "form/exact.h"
#include "model/model.h"
#include "study/distribution.h"
#include "study/flow.h"
#include "study/relations.h"

#include <string.h>

enum { MOST_CANDIDATES = 80, MOST_SPEEDS = 8, LONG = 4000 };

/* Which densities a function can belong to, the smoothest first. */
typedef enum Stage {
  POSITIVE,    /* principal minors of G, and exponentials: smooth and positive */
  BY_POSITION, /* of the coordinates alone */
  BY_VELOCITY,
  STAGE_COUNT
} Stage;

/* A function of x, as a factor or (exponential) in the exponent. */
typedef struct Candidate {
  PfExpr f;
  bool exponential;
  Stage stage;
} Candidate;

/* Everything that the parts of the search share; lists are in the arena of the result. */
typedef struct Search {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const double *parameters;
  PfFlow flow;
  const PfKinematics *k;
  PfReducedForm form;
  bool *included;      /* n: coordinates of the reduced equations */
  PfExpr *slope;       /* s x s: dg_b/domega_a */
  PfExpr divergence;   /* of q' alone */
  int count;
  Candidate *at;
  PfProbe *probe;
  uint64_t seed, *roots_at, *work, *rate; /* rate: omega', then domega'/dg . slope */
  PfDensity *result;
} Search;

/* ---------------------------------------------------------------- determinants */

/* The determinant of the principal minor of G (row by row, s columns) of its first `size` rows and columns without row
 * `row` and column `column` (-1: all), by Laplace's expansion along rows: D of each set of columns once, 2^size of
 * them. */
static PfStatus determinant(Search *x, int size, int row, int column, PfExpr *value)
{
  const int s = x->k->count, left = size - (row >= 0), sets = 1 << left;
  PfExpr *D = pf_arena_array(x->arena, PfExpr, sets);
  if (!D) return pf_no_room(x->ctx, "the search for an invariant measure");
  D[0] = pf_expr_int(x->ctx, 1);
  for (int set = 1; set < sets; set++) {
    int members = 0, above = 0;
    for (int j = 0; j < left; j++) members += set >> j & 1;
    const int i = members - 1 + (row >= 0 && members - 1 >= row);
    PfExpr sum = pf_expr_int(x->ctx, 0);
    for (int j = left; j-- > 0;) {
      if (!(set >> j & 1)) continue;
      const int from = j + (column >= 0 && j >= column);
      PfExpr term = pf_expr_mul(x->ctx, x->form.G[i*s + from], D[set ^ 1 << j]);
      sum = above++%2 ? pf_expr_sub(x->ctx, sum, term) : pf_expr_add(x->ctx, sum, term);
    }
    D[set] = sum;
  }
  *value = D[sets - 1];
  return pf_expr_check(x->ctx);
}

/* ---------------------------------------------------------------- the reduced equations */

/* Does e depend on coordinate i? Components of an angular velocity stand for the attitude. */
static bool depends_on(const Search *x, PfExpr e, int i)
{
  enum { COSINES = 9 };
  const PfModel *model = x->eq->model;
  if (!model->coordinates[i].quasi) return pf_expr_depends(x->ctx, e, &model->coordinates[i].q, 1);
  for (int b = 0; b < model->spinning_count; b++) {
    const PfSpinning *spinning = model->spinnings + b;
    if (i < spinning->first || i >= spinning->first + 3) continue;
    for (int c = 0; c < COSINES; c++)
      if (pf_expr_depends(x->ctx, e, &model->auxiliaries[spinning->auxiliary + c].symbol, 1)) return true;
  }
  return false;
}

/* Does e really depend on it? A formula may contain what cancels. */
static PfStatus truly_depends_on(const Search *x, PfExpr e, int i, PfExpr *gradient, bool *yes)
{
  *yes = depends_on(x, e, i);
  if (!*yes) return PF_OK;
  PF_TRY(pf_model_gradient(x->eq->model, e, gradient));
  const bool quasi = x->eq->model->coordinates[i].quasi; /* all three directions of a turn */
  for (int k = 0; k < x->eq->n; k++)
    if (k == i || (quasi && x->eq->model->coordinates[k].quasi))
      if (pf_expr_is_probably_zero(x->ctx, gradient[k], 2) != PF_TRUE) return PF_OK;
  *yes = false;
  return PF_OK;
}

/* A short expression in its shortest form. */
static PfExpr tidy(const Search *x, PfExpr e)
{
  return pf_expr_length(x->ctx, e) <= LONG ? pf_expr_simplest(x->ctx, e) : e;
}

/* A coordinate that cancels in G and g gets a value at which they are defined, and so disappears from them. */
static PfStatus drop_coordinate(Search *x, int i)
{
  PfContext *ctx = x->ctx;
  const int s = x->k->count, count = s*s + s;
  const PfCoordinate *c = x->eq->model->coordinates + i;
  const PfExpr eighth = pf_expr_div(ctx, pf_expr_pi(ctx), pf_expr_int(ctx, 4));
  const PfExpr values[] = {pf_expr_int(ctx, 0), eighth, pf_expr_int(ctx, 1)};
  bool occurs = false;
  for (int k = 0; k < s*s; k++) occurs = occurs || depends_on(x, x->form.G[k], i);
  for (int a = 0; a < s; a++) occurs = occurs || depends_on(x, x->form.g[a], i);
  if (c->quasi || !occurs) return PF_OK;
  PfExpr *list;
  PF_TRY(pf_arrays(ctx, x->arena, "the search for an invariant measure", PF_ROOM(list, count)));
  for (size_t v = 0; v < sizeof values/sizeof *values; v++) {
    int before = pf_diagnostic_count(ctx);
    memcpy(list, x->form.G, (size_t)(s*s)*sizeof *list);
    memcpy(list + s*s, x->form.g, (size_t)s*sizeof *list);
    PfStatus status = pf_expr_substitute(ctx, list, count, &c->q, values + v, 1, list);
    if (status == PF_OK) status = pf_expr_check(ctx);
    if (status == PF_OK) {
      for (int k = 0; k < s*s; k++) x->form.G[k] = tidy(x, list[k]);
      for (int a = 0; a < s; a++) x->form.g[a] = tidy(x, list[s*s + a]);
      return pf_expr_check(ctx);
    }
    if (pf_is_final(status)) return status;
    pf_diagnostics_truncate(ctx, before); /* divided by zero there */
  }
  return PF_OK;
}

/* Coordinates on which G and g depend, and those on which the rates of these depend: with omega they move by
 * themselves. Then the divergence of their rates, and dg/domega. */
static PfStatus reduce(Search *x)
{
  PfContext *ctx = x->ctx;
  const PfModel *model = x->eq->model;
  const int n = x->eq->n, s = x->k->count;
  PfExpr *gradient;
  PF_TRY(pf_reduce_maggi(ctx, x->arena, x->eq, x->k, &x->form));
  PF_TRY(pf_arrays(ctx, x->arena, "the search for an invariant measure", PF_ROOM(x->included, n),
                   PF_ROOM2(x->slope, s, s), PF_ROOM(gradient, n)));
  PF_TRY(pf_put_zeros(ctx, model, x->parameters, x->form.G, s*s));
  PF_TRY(pf_put_zeros(ctx, model, x->parameters, x->form.g, s));
  for (int i = 0; i < s*s; i++) x->form.G[i] = tidy(x, x->form.G[i]);
  for (int a = 0; a < s; a++) x->form.g[a] = tidy(x, x->form.g[a]);
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < n; i++) {
      bool needed = x->included[i];
      for (int k = 0; k < s*s && !needed; k++) PF_TRY(truly_depends_on(x, x->form.G[k], i, gradient, &needed));
      for (int a = 0; a < s && !needed; a++) PF_TRY(truly_depends_on(x, x->form.g[a], i, gradient, &needed));
      for (int j = 0; j < n && !needed; j++)
        if (x->included[j]) PF_TRY(truly_depends_on(x, x->k->v[j], i, gradient, &needed));
      changed = changed || needed != x->included[i];
      x->included[i] = needed;
    }
  }
  for (int i = 0; i < n; i++)
    if (!x->included[i]) PF_TRY(drop_coordinate(x, i));
  x->divergence = pf_expr_int(ctx, 0);
  for (int i = 0; i < n; i++) {
    if (!x->included[i]) continue;
    PF_TRY(pf_model_gradient(model, x->k->v[i], gradient));
    x->divergence = pf_expr_add(ctx, x->divergence, gradient[i]);
  }
  for (int b = 0; b < s; b++) PF_TRY(pf_expr_gradient(ctx, x->form.g[b], x->k->omega, s, x->slope + b*s));
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- candidates */

/* Once each, as far as it is a function of the reduced state that changes, and as long as there is room. */
static void add(Search *x, PfExpr f, bool exponential, Stage stage)
{
  PfContext *ctx = x->ctx;
  const PfModel *model = x->eq->model;
  bool moves = pf_expr_depends(ctx, f, x->k->omega, x->k->count);
  if (f == PF_EXPR_NONE || x->count == MOST_CANDIDATES || pf_expr_length(ctx, f) > LONG) return;
  if (stage != POSITIVE) stage = moves ? BY_VELOCITY : BY_POSITION;
  if (pf_expr_depends(ctx, f, &model->time, 1)) return;
  for (int i = 0; i < model->input_count; i++)
    if (pf_expr_depends(ctx, f, &model->inputs[i].symbol, 1)) return;
  for (int i = 0; i < x->eq->n; i++)
    if (depends_on(x, f, i)) {
      if (!x->included[i]) return;
      moves = true;
    }
  for (int i = 0; i < x->count && moves; i++) moves = x->at[i].f != f || x->at[i].exponential != exponential;
  if (moves) x->at[x->count++] = (Candidate){f, exponential, stage};
}

/* The factors of e that are sums or symbols, and their reciprocals. */
static void add_factors(Search *x, PfExpr e)
{
  PfContext *ctx = x->ctx;
  if (pf_expr_length(ctx, e) > LONG) return;
  e = pf_expr_simplest(ctx, e);
  bool one_term = pf_expr_op(ctx, e) == PF_OP_SUM && pf_expr_arg_count(ctx, e) == 3 &&
                  pf_expr_is_int(ctx, pf_expr_arg(ctx, e, 0), 0);
  if (one_term) e = pf_expr_arg(ctx, e, 2);
  if (pf_expr_op(ctx, e) != PF_OP_PRODUCT) {
    add(x, e, false, BY_VELOCITY);
    return;
  }
  for (int i = 0; i < pf_expr_arg_count(ctx, e); i += 2) add(x, pf_expr_arg(ctx, e, i), false, BY_VELOCITY);
}

/* Coordinates, and sines and cosines of them in the equations: in the exponent, and as factors. */
static PfStatus add_functions_of_position(Search *x, bool exponential)
{
  PfContext *ctx = x->ctx;
  const PfCoordinate *c = x->eq->model->coordinates;
  const int s = x->k->count;
  PfExpr *roots, *nodes;
  int count;
  PF_TRY(pf_arrays(ctx, x->arena, "the search for an invariant measure", PF_ROOM(roots, s*s + s)));
  memcpy(roots, x->form.G, (size_t)(s*s)*sizeof *roots);
  memcpy(roots + s*s, x->form.g, (size_t)s*sizeof *roots);
  PF_TRY(pf_expr_reach(ctx, x->arena, roots, s*s + s, &nodes, &count));
  const Stage stage = exponential ? POSITIVE : BY_POSITION;
  for (int i = 0; i < x->eq->n; i++)
    if (x->included[i] && !c[i].quasi) add(x, c[i].q, exponential, stage);
  for (int i = 0; i < count; i++) {
    PfOp op = pf_expr_op(ctx, nodes[i]);
    if ((op != PF_OP_SIN && op != PF_OP_COS) || pf_expr_depends(ctx, nodes[i], x->k->omega, s)) continue;
    PfExpr angle = pf_expr_arg(ctx, nodes[i], 0);
    add(x, pf_expr_call1(ctx, PF_OP_COS, angle), exponential, stage);
    add(x, pf_expr_call1(ctx, PF_OP_SIN, angle), exponential, stage);
  }
  return pf_expr_check(ctx);
}

/* The components of det(G) omega' = adj(G) g; of more than three pseudo-velocities they would be long. */
static PfStatus solved_rates(Search *x, PfExpr rate[3])
{
  const int s = x->k->count;
  for (int a = 0; a < s; a++) {
    rate[a] = pf_expr_int(x->ctx, 0);
    for (int b = 0; b < s; b++) {
      PfExpr minor;
      PF_TRY(determinant(x, s, b, a, &minor));
      PfExpr part = pf_expr_mul(x->ctx, minor, x->form.g[b]);
      rate[a] = (a + b)%2 ? pf_expr_sub(x->ctx, rate[a], part) : pf_expr_add(x->ctx, rate[a], part);
    }
  }
  return pf_expr_check(x->ctx);
}

/* Principal minors of G (positive where there is inertia), exponentials; then factors of G, of the divisors and of the
 * rates, coordinates, sines and cosines; then pseudo-velocities, velocities and momenta. */
static PfStatus list_candidates(Search *x)
{
  PfContext *ctx = x->ctx;
  const int s = x->k->count;
  PfExpr minor = PF_EXPR_NONE, det = PF_EXPR_NONE, rate[3];
  PF_TRY(pf_arrays(ctx, x->arena, "the search for an invariant measure", PF_ROOM(x->at, MOST_CANDIDATES)));
  for (int size = s <= MOST_SPEEDS ? s : 0; size > 0; size--) {
    PF_TRY(determinant(x, size, -1, -1, &minor));
    add(x, tidy(x, minor), false, POSITIVE);
    if (size == s) det = minor;
  }
  for (int a = 0; a < s; a++) add(x, x->form.G[a*s + a], false, POSITIVE);
  PF_TRY(add_functions_of_position(x, true));
  if (det != PF_EXPR_NONE) add_factors(x, det);
  for (int i = 0; i < x->k->divisor_count; i++) add_factors(x, x->k->divisors[i]);
  PF_TRY(add_functions_of_position(x, false));
  for (int a = 0; a < s; a++) add(x, x->k->omega[a], false, BY_VELOCITY);
  for (int a = 0; a < s; a++) add_factors(x, x->form.g[a]);
  if (s <= 3) {
    PF_TRY(solved_rates(x, rate));
    for (int a = 0; a < s; a++) add_factors(x, rate[a]);
  }
  for (int i = 0; i < x->eq->n; i++) add_factors(x, x->k->v[i]);
  for (int a = 0; a < s; a++) add_factors(x, pf_combination(ctx, x->form.G + a*s, 1, x->k->omega, s));
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- at random states */

/* G, dg/domega, g and the divergence of q'; then for each candidate its value, its rate at constant omega, and its
 * derivatives by omega. Written by symbols that are free. */
static PfStatus make_probe(Search *x, PfFlowParameters parameters, bool *good)
{
  PfContext *ctx = x->ctx;
  const PfModel *model = x->eq->model;
  const int s = x->k->count, count = 2*s*s + s + 1 + x->count*(s + 2);
  const size_t room = (size_t)(s*(2*s + 2) + 2*s);
  const char *refused = NULL;
  PfExpr *roots, *at;
  int written;
  PF_TRY(pf_arrays(ctx, x->arena, "the search for an invariant measure", PF_ROOM(roots, count), PF_ROOM(at, count),
                   PF_ROOM(x->roots_at, count), PF_ROOM(x->work, room), PF_ROOM(x->rate, s*(s + 1))));
  PfStates states = x->flow.states;
  states.roots = at;
  states.count = states.base_count = count;
  memcpy(at, x->form.G, (size_t)(s*s)*sizeof *at), at += s*s;
  for (int b = 0; b < s; b++) { /* the columns of the right side: g, then dg/domega */
    *at++ = x->form.g[b];
    memcpy(at, x->slope + b*s, (size_t)s*sizeof *at), at += s;
  }
  *at++ = x->divergence;
  for (int k = 0; k < x->count; k++, at += s + 2) {
    at[0] = x->at[k].f;
    PF_TRY(pf_model_derive_along(model, x->k->v, &x->at[k].f, 1, at + 1));
    PF_TRY(pf_expr_gradient(ctx, x->at[k].f, x->k->omega, s, at + 2));
  }
  PF_TRY(pf_insert_inputs(ctx, model, states.roots, (size_t)count));
  PF_TRY(pf_put_zeros(ctx, model, x->parameters, states.roots, count));
  PF_TRY(pf_states_write(&states, parameters == PF_FLOW_BY_VALUE ? PF_STATES_GIVEN : PF_STATES_ALL, roots, &written,
                         &refused));
  PF_TRY(pf_probe_make(ctx, x->arena, roots, count, &x->probe));
  *good = !refused && pf_probe_next_field(x->probe);
  return PF_OK;
}

/* Rates of ln f (of f in the exponent) for all candidates, and last div x', at one more random state. False when none
 * is found. */
static bool next_row(Search *x, uint64_t *row)
{
  enum { TRIES = 32 };
  const PfField *f = pf_probe_field(x->probe);
  const int s = x->k->count, first = 2*s*s + s + 1;
  for (int tries = 0; tries < TRIES; tries++) {
    if (!pf_probe_somewhere(x->probe, first + x->count*(s + 2), &x->seed, x->roots_at)) return false;
    const uint64_t *G = x->roots_at, *right = G + s*s, *candidate = x->roots_at + first;
    if (!pf_exact_solve(f, G, s, right, s + 1, x->work, x->rate)) continue;
    row[x->count] = x->roots_at[first - 1];
    for (int a = 0; a < s; a++) row[x->count] = pf_field_add(f, row[x->count], x->rate[a*(s + 1) + 1 + a]);
    bool good = true;
    for (int k = 0; k < x->count && good; k++, candidate += s + 2) {
      uint64_t sum = candidate[1];
      for (int a = 0; a < s; a++)
        sum = pf_field_add(f, sum, pf_field_multiply(f, candidate[2 + a], x->rate[a*(s + 1)]));
      good = x->at[k].exponential || candidate[0];
      row[k] = x->at[k].exponential ? sum : pf_field_multiply(f, sum, pf_field_invert(f, candidate[0]));
    }
    if (good) return true;
  }
  return false;
}

/* ---------------------------------------------------------------- the search */

/* At fresh states of another field: is div x' + sum c_k (ln f_k)' zero? */
static bool confirm(Search *x, const int64_t (*c)[2], uint64_t *row)
{
  enum { POINTS = 4 };
  if (!pf_probe_next_field(x->probe)) return false;
  const PfField *f = pf_probe_field(x->probe);
  for (int i = 0; i < POINTS; i++) {
    if (!next_row(x, row)) return false;
    uint64_t sum = row[x->count];
    for (int k = 0; k < x->count; k++) {
      if (!c[k][0]) continue;
      uint64_t below = pf_field_invert(f, pf_field_enter(f, c[k][1]));
      uint64_t factor = pf_field_multiply(f, pf_field_enter(f, c[k][0]), below);
      sum = pf_field_add(f, sum, pf_field_multiply(f, factor, row[k]));
    }
    if (sum) return false;
  }
  return true;
}

/* Does e change along a motion? */
static bool moves(const Search *x, PfExpr e)
{
  bool yes = pf_expr_depends(x->ctx, e, x->k->omega, x->k->count);
  for (int i = 0; i < x->eq->n; i++) yes = yes || depends_on(x, e, i);
  return yes;
}

/* A product without its constant factors, which do not matter to a measure. */
static PfExpr without_constants(const Search *x, PfExpr e)
{
  PfContext *ctx = x->ctx;
  bool one_term = pf_expr_op(ctx, e) == PF_OP_SUM && pf_expr_arg_count(ctx, e) == 3 &&
                  pf_expr_is_int(ctx, pf_expr_arg(ctx, e, 0), 0);
  if (one_term) e = pf_expr_arg(ctx, e, 2);
  if (pf_expr_op(ctx, e) != PF_OP_PRODUCT) return moves(x, e) ? e : pf_expr_int(ctx, 1);
  PfExpr product = pf_expr_int(ctx, 1);
  for (int i = 0; i < pf_expr_arg_count(ctx, e); i += 2) {
    PfExpr power = pf_expr_pow(ctx, pf_expr_arg(ctx, e, i), pf_expr_arg(ctx, e, i + 1));
    if (moves(x, power)) product = pf_expr_mul(ctx, product, power);
  }
  return product;
}

/* Chaplygin's theorem: with two coordinates whose velocities are the pseudo-velocities, on which alone the equations
 * depend, a density f(q) of dq dP (P = dL star/domega, dP = det(G) domega) makes the time dtau = f dt with which the
 * equations are Hamilton's. */
static PfStatus find_multiplier(Search *x)
{
  PfContext *ctx = x->ctx;
  PfDensity *d = x->result;
  const PfKinematics *k = x->k;
  PfExpr det;
  if (k->count != 2 || pf_expr_depends(ctx, d->density, k->omega, k->count)) return PF_OK;
  for (int i = 0; i < x->eq->n; i++) {
    const PfExpr v = x->eq->model->coordinates[i].v;
    if (x->included[i] && v != k->omega[0] && v != k->omega[1]) return PF_OK;
  }
  for (int a = 0; a < 2; a++) {
    bool velocity = false;
    for (int i = 0; i < x->eq->n; i++) velocity = velocity || x->eq->model->coordinates[i].v == k->omega[a];
    if (!velocity) return PF_OK;
  }
  PF_TRY(determinant(x, 2, -1, -1, &det));
  if (!d->general) PF_TRY(pf_put_parameters(ctx, x->eq->model, x->parameters, &det, 1));
  d->multiplier = without_constants(x, pf_expr_simplest(ctx, pf_expr_div(ctx, d->density, det)));
  return pf_expr_check(ctx);
}

/* Puts the density together: factors whose sign is open between bars. */
static PfStatus keep(Search *x, const int64_t (*c)[2], PfFlowParameters parameters)
{
  PfContext *ctx = x->ctx;
  PfDensity *d = x->result;
  PfExpr product = pf_expr_int(ctx, 1);
  PF_TRY(pf_arrays(ctx, x->arena, "the density", PF_ROOM(d->factors, x->count)));
  d->found = d->smooth = true;
  d->general = parameters == PF_FLOW_BY_NAME;
  d->factor_count = 0;
  for (int k = 0; k < x->count; k++) {
    if (!c[k][0]) continue;
    const Candidate *one = x->at + k;
    PfExpr power = pf_expr_rational(ctx, c[k][0], c[k][1]), f = one->f;
    if (!d->general) PF_TRY(pf_put_parameters(ctx, x->eq->model, x->parameters, &f, 1));
    if (!one->exponential) f = without_constants(x, pf_expr_simplest(ctx, f));
    d->smooth = d->smooth && one->stage == POSITIVE;
    d->factors[d->factor_count++] = (PfDensityFactor){f, (double)c[k][0]/(double)c[k][1], one->exponential,
                                                      one->stage == POSITIVE};
    PfExpr size = one->stage == POSITIVE ? f : pf_expr_call1(ctx, PF_OP_ABS, f);
    PfExpr factor = one->exponential ? pf_expr_call1(ctx, PF_OP_EXP, pf_expr_mul(ctx, power, f))
                                     : pf_expr_pow(ctx, size, power);
    product = pf_expr_mul(ctx, product, factor);
  }
  d->density = product;
  return find_multiplier(x);
}

/* The first stage at which there is a density; `stages` of them are tried. */
static PfStatus search(Search *x, PfFlowParameters parameters, int stages)
{
  enum { QUIET = 4 };
  const int all = x->count;
  for (int stage = 0; stage < stages && !x->result->found; stage++) {
    PfRelations relations;
    uint64_t *row, *solutions;
    int64_t(*c)[2];
    bool good;
    x->count = 0;
    while (x->count < all && (int)x->at[x->count].stage <= stage) x->count++;
    const int unknowns = x->count + 1;
    PF_TRY(make_probe(x, parameters, &good));
    PF_TRY(pf_relations_make(x->ctx, x->arena, unknowns, &relations));
    PF_TRY(pf_arrays(x->ctx, x->arena, "the search for an invariant measure", PF_ROOM(row, unknowns),
                     PF_ROOM(c, unknowns), PF_ROOM2(solutions, unknowns, unknowns)));
    if (good) relations.field = pf_probe_field(x->probe);
    for (int quiet = 0; good && quiet < QUIET;) {
      PF_TRY(pf_check_cancelled(x->ctx));
      good = next_row(x, row);
      if (good) quiet = pf_relations_add(&relations, row) ? 0 : quiet + 1;
    }
    if (!good) x->result->why_not = "no states with exact coordinates and unique accelerations were found";
    if (good && !relations.taken[x->count]) {
      /* The last solution has a 1 at div x', and zeros at the other free unknowns. */
      pf_relations_solve(&relations, solutions);
      const uint64_t *last = solutions + (size_t)(unknowns - relations.rank - 1)*(size_t)unknowns;
      for (int k = 0; k < x->count && good; k++) good = pf_field_rational(relations.field, last[k], &c[k][0], &c[k][1]);
      if (good && confirm(x, (const int64_t(*)[2])c, row)) PF_TRY(keep(x, (const int64_t(*)[2])c, parameters));
    }
    x->count = all;
    if (x->result->why_not) return PF_OK;
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- a proof */

/* det(G) (div x' + sum c_k (ln f_k)') by the normal form, with omega' = adj(G) g/det(G); up to three
 * pseudo-velocities. */
static PfStatus prove(Search *x)
{
  PfContext *ctx = x->ctx;
  const PfModel *model = x->eq->model;
  PfDensity *d = x->result;
  const int s = x->k->count;
  PfExpr det, sum, held, slope[3], rate[3];
  if (s > 3) return PF_OK;
  PF_TRY(determinant(x, s, -1, -1, &det));
  PF_TRY(solved_rates(x, rate));
  sum = pf_expr_mul(ctx, det, x->divergence);
  for (int a = 0; a < s; a++)
    for (int b = 0; b < s; b++) {
      PfExpr minor;
      PF_TRY(determinant(x, s, b, a, &minor));
      PfExpr part = pf_expr_mul(ctx, minor, x->slope[b*s + a]);
      sum = (a + b)%2 ? pf_expr_sub(ctx, sum, part) : pf_expr_add(ctx, sum, part);
    }
  for (int k = 0; k < d->factor_count; k++) {
    const PfDensityFactor *factor = d->factors + k;
    PF_TRY(pf_model_derive_along(model, x->k->v, &factor->f, 1, &held));
    PF_TRY(pf_expr_gradient(ctx, factor->f, x->k->omega, s, slope));
    PfExpr part = pf_expr_mul(ctx, det, held);
    for (int a = 0; a < s; a++) part = pf_expr_add(ctx, part, pf_expr_mul(ctx, slope[a], rate[a]));
    part = pf_expr_mul(ctx, pf_expr_double(ctx, factor->power), part);
    sum = pf_expr_add(ctx, sum, factor->exponential ? part : pf_expr_div(ctx, part, factor->f));
  }
  PF_TRY(pf_insert_inputs(ctx, model, &sum, 1));
  if (d->general) {
    PF_TRY(pf_put_zeros(ctx, model, x->parameters, &sum, 1));
    PF_TRY(pf_model_expand(model, &sum, 1, &sum));
  } else PF_TRY(pf_put_parameters(ctx, model, x->parameters, &sum, 1));
  if (pf_expr_length(ctx, sum) <= 20*LONG) d->proof = pf_expr_is_zero(ctx, sum);
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- all */

/* The variables of the volume element, and the functions that were tried. */
static PfStatus describe(Search *x)
{
  PfDensity *d = x->result;
  PF_TRY(pf_arrays(x->ctx, x->arena, "the density", PF_ROOM(d->variables, x->eq->n + x->k->count),
                   PF_ROOM(d->tried, x->count)));
  for (int i = 0; i < x->eq->n; i++)
    if (x->included[i] && !x->eq->model->coordinates[i].quasi)
      d->variables[d->variable_count++] = pf_expr_symbol_name(x->ctx, x->eq->model->coordinates[i].q);
    else if (x->included[i]) d->attitudes = true;
  for (int a = 0; a < x->k->count; a++)
    d->variables[d->variable_count++] = pf_expr_symbol_name(x->ctx, x->k->omega[a]);
  for (int k = 0; k < x->count; k++) d->tried[d->tried_count++] = x->at[k].f;
  return PF_OK;
}

static PfStatus find(Search *x)
{
  PfContext *ctx = x->ctx;
  PF_TRY(pf_flow_make(ctx, x->arena, x->eq, x->parameters, &x->flow));
  x->k = &x->flow.states.kinematics;
  x->result->why_not = x->flow.trouble ? x->flow.trouble : x->flow.states.why_not;
  if (x->result->why_not) return PF_OK;
  for (int i = 0; i < x->eq->n*x->k->count; i++)
    if (pf_expr_depends(ctx, x->k->N[i], x->k->omega, x->k->count)) {
      x->result->why_not = "the velocities are not linear in the pseudo-velocities";
      return PF_OK;
    }
  if (!x->k->count) x->result->why_not = "the constraints leave no motion";
  if (x->result->why_not) return PF_OK;
  PF_TRY(reduce(x));
  PF_TRY(list_candidates(x));
  PF_TRY(describe(x));
  bool parameters = false;
  for (int i = 0; i < x->eq->model->parameter_count; i++)
    parameters = parameters || !x->eq->model->parameters[i].derived;
  /* A smooth density for these values is worth more than one with poles for all. */
  PF_TRY(search(x, PF_FLOW_BY_NAME, POSITIVE + 1));
  if (!x->result->found && parameters) PF_TRY(search(x, PF_FLOW_BY_VALUE, POSITIVE + 1));
  if (!x->result->found) PF_TRY(search(x, PF_FLOW_BY_NAME, STAGE_COUNT));
  if (!x->result->found && parameters) PF_TRY(search(x, PF_FLOW_BY_VALUE, STAGE_COUNT));
  return x->result->found ? prove(x) : PF_OK;
}

/* With free and ball joints the equations are those in angular velocities. */
PfStatus pf_measure_find(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                         PfDensity *density)
{
  *density = (PfDensity){.proof = PF_UNKNOWN};
  Search x = {.ctx = ctx, .arena = arena, .eq = equations, .parameters = parameters, .seed = 1, .result = density};
  if (equations->model->ball_count) {
    PfQuasi *quasi = pf_arena_array(arena, PfQuasi, 1);
    if (!quasi) return pf_no_room(ctx, "the search for an invariant measure");
    PF_TRY(pf_quasi_make(ctx, arena, equations, quasi));
    x.eq = &quasi->equations;
  }
  return find(&x);
}
