/* SPDX-License-Identifier: Apache-2.0 */
/* Sines and cosines in polynomials: fewer terms by angle sums, sums instead of products. */
#include "expr/normal.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- sines and cosines as terms */

/* sin or cos of an argument as number times variable. False when it is no such thing, as for cos(pi/4). */
static bool trig_term(Vars *vars, PfOp op, PfExpr argument, Monomial *term)
{
  PfExpr e = pf_expr_call1(vars->table->ctx, op, argument), rest;
  Number c;
  if (e == PF_EXPR_NONE) {
    vars->failed = true;
    return false;
  }
  pf_expr_content(vars->table, e, &c, &rest);
  if (is_number(vars->table, rest)) {
    c = number_of(vars->table, rest);
    *term = (Monomial){c, 0, NULL};
  } else {
    VarPower *power = pf_arena_array(vars->arena, VarPower, 1);
    if (!power) {
      vars->failed = true;
      return false;
    }
    *power = (VarPower){pf_var(vars, rest), 1};
    *term = (Monomial){c, 1, power};
  }
  return pf_number_is_whole(c);
}

static PfExpr angle_of(const Vars *vars, int var)
{
  return vars->angles[vars->at[var].angle];
}

static int find_term(const Poly *poly, const Monomial *key)
{
  int low = 0, high = poly->count;
  while (low < high) {
    int middle = (low + high)/2;
    int order = pf_monomial_compare(poly->terms + middle, key);
    if (order == 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1;
}

/* The variable for the other function of the same angle, -1 if it does not occur. */
static int partner_of(const Vars *vars, int var)
{
  Var a = vars->at[var];
  VarKind other = a.kind == VAR_SINE ? VAR_COSINE : VAR_SINE;
  for (int i = 0; i < vars->count; i++)
    if (vars->at[i].kind == other && vars->at[i].angle == a.angle) return i;
  return -1;
}

/* ---------------------------------------------------------------- contraction */

/* Two terms that are one: a*m*f(p)*g(q) and its partner, with both variables exchanged. */
typedef struct Match {
  int term, partner; /* numbers of the terms */
  int vars[2];       /* of the term: sin p, and sin q or cos q */
  bool plus;         /* the coefficients are equal, otherwise they are opposite */
} Match;

/* The term that has the other function of the angle in the place of each variable of the pair: false when it does not
 * occur, or has another coefficient up to the sign. */
static bool find_match(Vars *vars, const Poly *poly, int i, const int pair[2], Match *match)
{
  int others[2] = {partner_of(vars, pair[0]), partner_of(vars, pair[1])};
  if (others[0] < 0 || others[1] < 0) return false;
  pf_vars_spend(vars, 4);
  PfMark mark = pf_arena_mark(vars->arena);
  Monomial key = poly->terms[i];
  for (int k = 0; k < 2; k++) {
    VarPower out = {pair[k], 1}, in = {others[k], 1};
    key = pf_monomial_over(vars, key, (Monomial){pf_number_int(1), 1, &out});
    key = pf_monomial_times(vars, key, (Monomial){pf_number_int(1), 1, &in});
  }
  int partner = vars->failed ? -1 : find_term(poly, &key);
  pf_arena_release(vars->arena, mark);
  if (partner < 0) return false;
  Number a = poly->terms[i].coefficient, b = poly->terms[partner].coefficient;
  *match = (Match){i, partner, {pair[0], pair[1]}, pf_number_is_same(a, b)};
  return match->plus || pf_number_is_same(a, pf_number_negative(b));
}

/* Calls for every pair of a sine and another function of another angle in the term. */
typedef void Visit(void *user, Vars *vars, const Poly *poly, const Match *match);

static void visit_matches(Vars *vars, const Poly *poly, int i, Visit *visit, void *user)
{
  const Monomial *term = poly->terms + i;
  for (int j = 0; j < term->count; j++)
    for (int k = 0; k < term->count; k++) {
      int pair[2] = {term->powers[j].var, term->powers[k].var};
      Var p = vars->at[pair[0]], q = vars->at[pair[1]];
      if (p.kind != VAR_SINE || q.kind == VAR_PLAIN || p.angle == q.angle) continue;
      if (term->powers[j].exponent < 1 || term->powers[k].exponent < 1) continue;
      if (q.kind == VAR_SINE && k < j) continue;                     /* seen already */
      if (q.kind == VAR_COSINE && p.angle > q.angle) continue;       /* its partner will be seen */
      Match match;
      if (find_match(vars, poly, i, pair, &match)) visit(user, vars, poly, &match);
    }
}

/* How many terms a pair of angles would save. */
typedef struct Gain {
  int angles[2], count;
} Gain;

typedef struct Gains {
  Gain at[64];
  int count;
} Gains;

static void count_gain(void *user, Vars *vars, const Poly *poly, const Match *match)
{
  (void)poly;
  Gains *gains = user;
  int p = vars->at[match->vars[0]].angle, q = vars->at[match->vars[1]].angle;
  if (p > q) {
    int swap = p;
    p = q;
    q = swap;
  }
  int i = 0;
  while (i < gains->count && (gains->at[i].angles[0] != p || gains->at[i].angles[1] != q)) i++;
  if (i == 64) return;
  if (i == gains->count) gains->at[gains->count++] = (Gain){{p, q}, 0};
  gains->at[i].count++;
}

typedef struct Contraction {
  Gain pair;
  bool *gone;      /* per term */
  Monomial *added; /* in place of removed terms */
  int added_count;
} Contraction;

/* sin p sin q + cos p cos q = cos(p - q),  sin p cos q + cos p sin q = sin(p + q), and with minus. */
static void contract_match(void *user, Vars *vars, const Poly *poly, const Match *match)
{
  Contraction *c = user;
  int p = match->vars[0], q = match->vars[1];
  int low = vars->at[p].angle, high = vars->at[q].angle;
  if (low > high) low = high, high = vars->at[p].angle;
  if (c->pair.angles[0] != low || c->pair.angles[1] != high) return;
  if (c->gone[match->term] || c->gone[match->partner]) return;
  bool both_sines = vars->at[q].kind == VAR_SINE;
  PfContext *ctx = vars->table->ctx;
  PfExpr sum = both_sines == match->plus ? pf_expr_sub(ctx, angle_of(vars, p), angle_of(vars, q))
                                         : pf_expr_add(ctx, angle_of(vars, p), angle_of(vars, q));
  Monomial trig, rest = poly->terms[match->term];
  if (sum == PF_EXPR_NONE || !trig_term(vars, both_sines ? PF_OP_COS : PF_OP_SIN, sum, &trig)) return;
  VarPower powers[2] = {{p, 1}, {q, 1}}, swap = powers[0];
  if (p > q) powers[0] = powers[1], powers[1] = swap;
  rest = pf_monomial_over(vars, rest, (Monomial){pf_number_int(1), 2, powers});
  /* cos cos leads in cos(p + q) */
  if (both_sines && !match->plus) rest.coefficient = pf_number_negative(rest.coefficient);
  c->added[c->added_count++] = pf_monomial_times(vars, rest, trig);
  c->gone[match->term] = c->gone[match->partner] = true;
}

/* Contracts one pair of angles wherever it can be. */
static bool contract_pair(Vars *vars, Poly *poly, Gain pair)
{
  Contraction c = {pair, pf_arena_array(vars->arena, bool, poly->count),
                   pf_arena_array(vars->arena, Monomial, poly->count), 0};
  Poly shorter = pf_poly_make(vars, poly->count);
  if (!c.gone || !c.added || vars->failed) {
    vars->failed = true;
    return false;
  }
  for (int i = 0; i < poly->count && !vars->failed; i++)
    if (!c.gone[i]) visit_matches(vars, poly, i, contract_match, &c);
  for (int i = 0; i < poly->count && !vars->failed; i++)
    if (!c.gone[i]) shorter.terms[shorter.count++] = poly->terms[i];
  for (int i = 0; i < c.added_count && !vars->failed; i++) shorter.terms[shorter.count++] = c.added[i];
  pf_poly_tidy(vars, &shorter);
  if (vars->failed || shorter.count >= poly->count) return false;
  *poly = shorter;
  return true;
}

bool pf_poly_contract(Vars *vars, Poly *poly)
{
  enum { MOST_ROUNDS = 40 };
  bool any = false;
  for (int round = 0; round < MOST_ROUNDS && !vars->failed; round++) {
    Gains gains = {.count = 0};
    for (int i = 0; i < poly->count; i++) visit_matches(vars, poly, i, count_gain, &gains);
    Gain best = {{0, 0}, 0};
    for (int i = 0; i < gains.count; i++)
      if (gains.at[i].count > best.count) best = gains.at[i];
    if (best.count == 0 || !contract_pair(vars, poly, best)) return any;
    any = true;
  }
  return any;
}

/* ---------------------------------------------------------------- squares */

/* Makes one of a*m*f(p)^2 and b*m, where both are there: 1 - f(p)^2 = g(p)^2, where f and g are sine and cosine, and
 * 1 - 2 f(p)^2 = cos 2p for the sine, -cos 2p for the cosine. */
static bool shorten_square(Vars *vars, const Poly *poly, int i, int var, bool *gone, Monomial *made)
{
  VarPower square = {var, 2};
  Monomial key = pf_monomial_over(vars, poly->terms[i], (Monomial){pf_number_int(1), 1, &square}), factor;
  pf_vars_spend(vars, 4);
  int partner = vars->failed ? -1 : find_term(poly, &key);
  if (partner < 0 || gone[partner]) return false;
  Number a = poly->terms[i].coefficient, b = pf_number_negative(poly->terms[partner].coefficient);
  bool sine = vars->at[var].kind == VAR_SINE;
  if (pf_number_is_same(a, b)) {
    if (!trig_term(vars, sine ? PF_OP_COS : PF_OP_SIN, angle_of(vars, var), &factor) || factor.count != 1) return false;
    factor = pf_monomial_times(vars, factor, factor);
  } else {
    if (!pf_number_is_same(a, pf_number_add(vars->table, b, b))) return false;
    PfExpr twice = pf_expr_scale(vars->table, pf_number_int(2), angle_of(vars, var));
    if (twice == PF_EXPR_NONE || !trig_term(vars, PF_OP_COS, twice, &factor)) return false;
    if (!sine) factor.coefficient = pf_number_negative(factor.coefficient);
  }
  *made = pf_monomial_times(vars, poly->terms[partner], factor);
  gone[partner] = true;
  return true;
}

/* One pass over all terms; the numbers of terms do not change meanwhile. */
static bool shorten_some_squares(Vars *vars, Poly *poly)
{
  Poly shorter = pf_poly_make(vars, poly->count);
  bool *gone = pf_arena_array(vars->arena, bool, poly->count);
  if (!gone) vars->failed = true;
  for (int i = 0; i < poly->count && !vars->failed; i++)
    for (int k = 0; k < poly->terms[i].count && !gone[i] && !vars->failed; k++) {
      VarPower power = poly->terms[i].powers[k];
      if (vars->at[power.var].kind == VAR_PLAIN || power.exponent < 2) continue;
      gone[i] = shorten_square(vars, poly, i, power.var, gone, shorter.terms + shorter.count);
      shorter.count += gone[i];
    }
  if (vars->failed || shorter.count == 0) return false;
  for (int i = 0; i < poly->count; i++)
    if (!gone[i]) shorter.terms[shorter.count++] = poly->terms[i];
  pf_poly_tidy(vars, &shorter);
  *poly = shorter;
  return !vars->failed;
}

bool pf_poly_shorten_squares(Vars *vars, Poly *poly)
{
  int before = poly->count;
  while (!vars->failed && shorten_some_squares(vars, poly)) continue; /* each time fewer terms */
  return poly->count < before;
}

/* Replaces one even power of a cosine: c^2k = (1 - s^2)^k, one factor at a time. */
static Poly replace_cosine(Vars *vars, const Poly *poly, int cosine)
{
  Monomial sine;
  Poly result = pf_poly_make(vars, 2*poly->count);
  bool good = trig_term(vars, PF_OP_SIN, angle_of(vars, cosine), &sine) && sine.count == 1;
  for (int i = 0; i < poly->count && !vars->failed; i++) {
    Monomial term = poly->terms[i];
    if (good && pf_monomial_exponent(&term, cosine) >= 2) {
      VarPower square = {cosine, 2};
      term = pf_monomial_over(vars, term, (Monomial){pf_number_int(1), 1, &square});
      Monomial minus = pf_monomial_times(vars, term, pf_monomial_times(vars, sine, sine));
      minus.coefficient = pf_number_negative(minus.coefficient);
      result.terms[result.count++] = minus;
    }
    result.terms[result.count++] = term;
  }
  pf_poly_tidy(vars, &result);
  return result;
}

static bool has_square(const Poly *poly, int var)
{
  for (int i = 0; i < poly->count; i++)
    if (pf_monomial_exponent(poly->terms + i, var) >= 2) return true;
  return false;
}

void pf_poly_prefer_sines(Vars *vars, Poly *poly)
{
  enum { MOST_STEPS = 8 };
  int count = vars->count;
  for (int var = 0; var < count && !vars->failed; var++) {
    if (vars->at[var].kind != VAR_COSINE || !has_square(poly, var)) continue;
    Poly replaced = *poly;
    for (int step = 0; step < MOST_STEPS && has_square(&replaced, var) && !vars->failed; step++)
      replaced = replace_cosine(vars, &replaced, var);
    if (replaced.count < poly->count && !has_square(&replaced, var)) *poly = replaced;
  }
}

/* ---------------------------------------------------------------- sums instead of products */

enum { HIGHEST_PRODUCT = 8, MOST_SUMS = 3000 };

/* factor*cos(angle) or factor*sin(angle) */
typedef struct Wave {
  int64_t factor;
  PfOp op;
  PfExpr angle;
} Wave;

static int trig_degree(const Vars *vars, const Monomial *term)
{
  int degree = 0;
  for (int k = 0; k < term->count; k++) {
    if (vars->at[term->powers[k].var].kind == VAR_PLAIN) continue;
    int exponent = term->powers[k].exponent;
    if (exponent < 0 || exponent > HIGHEST_PRODUCT) return HIGHEST_PRODUCT + 1;
    degree += exponent;
  }
  return degree;
}

/* 2 cos a cos b = cos(a - b) + cos(a + b),  2 sin a sin b = cos(a - b) - cos(a + b),
 * 2 sin a cos b = sin(a + b) + sin(a - b),  2 cos a sin b = sin(a + b) - sin(a - b). */
static int multiply_waves(Vars *vars, Wave *waves, int count, PfOp op, PfExpr angle)
{
  PfContext *ctx = vars->table->ctx;
  for (int i = 0; i < count; i++) {
    Wave a = waves[i], *plus = waves + i, *minus = waves + count + i;
    bool same = a.op == op;
    *plus = (Wave){a.factor, same ? PF_OP_COS : PF_OP_SIN, pf_expr_add(ctx, a.angle, angle)};
    *minus = (Wave){a.factor, plus->op, pf_expr_sub(ctx, a.angle, angle)};
    if (op == PF_OP_SIN && same) plus->factor = -a.factor;
    if (op == PF_OP_SIN && !same) minus->factor = -a.factor;
  }
  return 2*count;
}

/* The trigonometric part of the term as waves, times 2^(degree - 1). */
static int find_waves(Vars *vars, const Monomial *term, Wave *waves)
{
  int count = 0;
  for (int k = 0; k < term->count; k++) {
    Var var = vars->at[term->powers[k].var];
    if (var.kind == VAR_PLAIN) continue;
    PfOp op = var.kind == VAR_SINE ? PF_OP_SIN : PF_OP_COS;
    PfExpr angle = vars->angles[var.angle];
    for (int n = term->powers[k].exponent; n > 0; n--) {
      if (count) count = multiply_waves(vars, waves, count, op, angle);
      else waves[count++] = (Wave){1, op, angle};
    }
  }
  return count;
}

/* sums += term*2^halvings, written with one sine or cosine in every term. */
static bool add_waves(Vars *vars, const Monomial *term, int halvings, Poly *sums)
{
  Wave waves[1 << (HIGHEST_PRODUCT - 1)];
  int degree = trig_degree(vars, term), count = find_waves(vars, term, waves);
  VarPower *powers = pf_arena_array(vars->arena, VarPower, term->count);
  Monomial plain = {term->coefficient, 0, powers}, trig;
  if (!powers) vars->failed = true;
  for (int k = 0; k < term->count && powers; k++)
    if (vars->at[term->powers[k].var].kind == VAR_PLAIN) powers[plain.count++] = term->powers[k];
  int missing = halvings - (degree > 1 ? degree - 1 : 0);
  plain = pf_monomial_times(vars, plain, (Monomial){pf_number_int((int64_t)1 << missing), 0, NULL});
  if (!count) sums->terms[sums->count++] = plain;
  for (int i = 0; i < count && !vars->failed; i++) {
    Wave wave = waves[i];
    if (wave.angle == PF_EXPR_NONE || !trig_term(vars, wave.op, wave.angle, &trig)) return false;
    if (pf_number_is(trig.coefficient, 0)) continue;
    if (wave.factor < 0) trig.coefficient = pf_number_negative(trig.coefficient);
    sums->terms[sums->count++] = pf_monomial_times(vars, plain, trig);
  }
  return !vars->failed;
}

bool pf_poly_fourier(Vars *vars, const Poly *poly, Poly *sums, int *halvings)
{
  int room = 0, highest = 0;
  for (int i = 0; i < poly->count && room <= MOST_SUMS; i++) {
    int degree = trig_degree(vars, poly->terms + i);
    if (degree > HIGHEST_PRODUCT) return false;
    if (degree > highest) highest = degree;
    room += degree > 1 ? 1 << (degree - 1) : 1;
  }
  if (highest < 2 || room > MOST_SUMS) return false;
  *halvings = highest - 1;
  *sums = pf_poly_make(vars, room);
  for (int i = 0; i < poly->count && !vars->failed; i++)
    if (!add_waves(vars, poly->terms + i, *halvings, sums)) return false;
  pf_poly_tidy(vars, sums);
  return !vars->failed;
}
