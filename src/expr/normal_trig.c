/* SPDX-License-Identifier: Apache-2.0 */
/* Sines and cosines in polynomials: fewer terms by angle sums, sums instead of products. */
#include "expr/normal.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- sines and cosines as terms */

/* sin or cos of an argument as number times letter. False when it is no such thing, as for cos(pi/4). */
static bool trig_term(Letters *letters, PfOp op, PfExpr argument, Monomial *term)
{
  PfExpr e = pf_expr_call1(letters->table->ctx, op, argument), rest;
  Number c;
  if (e == PF_EXPR_NONE) {
    letters->failed = true;
    return false;
  }
  pf_expr_content(letters->table, e, &c, &rest);
  if (is_number(letters->table, rest)) {
    c = number_of(letters->table, rest);
    *term = (Monomial){c, 0, NULL};
  } else {
    LetterPower *power = pf_arena_array(letters->arena, LetterPower, 1);
    if (!power) {
      letters->failed = true;
      return false;
    }
    *power = (LetterPower){pf_letter(letters, rest), 1};
    *term = (Monomial){c, 1, power};
  }
  return pf_number_is_whole(c);
}

static PfExpr angle_of(const Letters *letters, int letter)
{
  return letters->angles[letters->at[letter].angle];
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

/* The letter for the other function of the same angle, -1 if it does not occur. */
static int partner_of(const Letters *letters, int letter)
{
  Letter a = letters->at[letter];
  LetterKind other = a.kind == LETTER_SINE ? LETTER_COSINE : LETTER_SINE;
  for (int i = 0; i < letters->count; i++)
    if (letters->at[i].kind == other && letters->at[i].angle == a.angle) return i;
  return -1;
}

/* term*product of to/product of from, for letters. */
static Monomial exchange(Letters *letters, Monomial term, const int *from, const int *to, int count)
{
  for (int i = 0; i < count; i++) {
    LetterPower out = {from[i], 1}, in = {to[i], 1};
    term = pf_monomial_over(letters, term, (Monomial){pf_number_int(1), 1, &out});
    term = pf_monomial_times(letters, term, (Monomial){pf_number_int(1), 1, &in});
  }
  return term;
}

/* ---------------------------------------------------------------- contraction */

/* Two terms that are one: a*m*f(p)*g(q) and its partner, with both letters exchanged. */
typedef struct Match {
  int term, partner; /* numbers of the terms */
  int letters[2];    /* of the term: sin p, and sin q or cos q */
  bool plus;         /* the coefficients are equal, otherwise they are opposite */
} Match;

static bool find_match(Letters *letters, const Poly *poly, int i, const int pair[2], Match *match)
{
  int others[2] = {partner_of(letters, pair[0]), partner_of(letters, pair[1])};
  if (others[0] < 0 || others[1] < 0) return false;
  pf_letters_spend(letters, 4);
  PfMark mark = pf_arena_mark(letters->arena);
  Monomial key = exchange(letters, poly->terms[i], pair, others, 2);
  int partner = letters->failed ? -1 : find_term(poly, &key);
  pf_arena_release(letters->arena, mark);
  if (partner < 0) return false;
  Number a = poly->terms[i].coefficient, b = poly->terms[partner].coefficient;
  *match = (Match){i, partner, {pair[0], pair[1]}, pf_number_is_same(a, b)};
  return match->plus || pf_number_is_same(a, pf_number_negative(b));
}

/* Calls for every pair of a sine and another function of another angle in the term. */
typedef void Visit(void *user, Letters *letters, const Poly *poly, const Match *match);

static void visit_matches(Letters *letters, const Poly *poly, int i, Visit *visit, void *user)
{
  const Monomial *term = poly->terms + i;
  for (int j = 0; j < term->count; j++)
    for (int k = 0; k < term->count; k++) {
      int pair[2] = {term->powers[j].letter, term->powers[k].letter};
      Letter p = letters->at[pair[0]], q = letters->at[pair[1]];
      if (p.kind != LETTER_SINE || q.kind == LETTER_PLAIN || p.angle == q.angle) continue;
      if (term->powers[j].exponent < 1 || term->powers[k].exponent < 1) continue;
      if (q.kind == LETTER_SINE && k < j) continue;                  /* seen already */
      if (q.kind == LETTER_COSINE && p.angle > q.angle) continue;    /* its partner will be seen */
      Match match;
      if (find_match(letters, poly, i, pair, &match)) visit(user, letters, poly, &match);
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

static void count_gain(void *user, Letters *letters, const Poly *poly, const Match *match)
{
  (void)poly;
  Gains *gains = user;
  int p = letters->at[match->letters[0]].angle, q = letters->at[match->letters[1]].angle;
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
  Monomial *added; /* instead of what is gone */
  int added_count;
} Contraction;

/* sin p sin q + cos p cos q = cos(p - q),  sin p cos q + cos p sin q = sin(p + q), and with minus. */
static void contract_match(void *user, Letters *letters, const Poly *poly, const Match *match)
{
  Contraction *c = user;
  int p = match->letters[0], q = match->letters[1];
  int low = letters->at[p].angle, high = letters->at[q].angle;
  if (low > high) low = high, high = letters->at[p].angle;
  if (c->pair.angles[0] != low || c->pair.angles[1] != high) return;
  if (c->gone[match->term] || c->gone[match->partner]) return;
  bool both_sines = letters->at[q].kind == LETTER_SINE;
  PfContext *ctx = letters->table->ctx;
  PfExpr sum = both_sines == match->plus ? pf_expr_sub(ctx, angle_of(letters, p), angle_of(letters, q))
                                         : pf_expr_add(ctx, angle_of(letters, p), angle_of(letters, q));
  Monomial trig, rest = poly->terms[match->term];
  if (sum == PF_EXPR_NONE || !trig_term(letters, both_sines ? PF_OP_COS : PF_OP_SIN, sum, &trig)) return;
  LetterPower powers[2] = {{p, 1}, {q, 1}}, swap = powers[0];
  if (p > q) powers[0] = powers[1], powers[1] = swap;
  rest = pf_monomial_over(letters, rest, (Monomial){pf_number_int(1), 2, powers});
  /* cos cos leads in cos(p + q) */
  if (both_sines && !match->plus) rest.coefficient = pf_number_negative(rest.coefficient);
  c->added[c->added_count++] = pf_monomial_times(letters, rest, trig);
  c->gone[match->term] = c->gone[match->partner] = true;
}

/* Contracts one pair of angles wherever it can be. */
static bool contract_pair(Letters *letters, Poly *poly, Gain pair)
{
  Contraction c = {pair, pf_arena_array(letters->arena, bool, poly->count),
                   pf_arena_array(letters->arena, Monomial, poly->count), 0};
  Poly shorter = pf_poly_make(letters, poly->count);
  if (!c.gone || !c.added || letters->failed) {
    letters->failed = true;
    return false;
  }
  for (int i = 0; i < poly->count && !letters->failed; i++)
    if (!c.gone[i]) visit_matches(letters, poly, i, contract_match, &c);
  for (int i = 0; i < poly->count && !letters->failed; i++)
    if (!c.gone[i]) shorter.terms[shorter.count++] = poly->terms[i];
  for (int i = 0; i < c.added_count && !letters->failed; i++) shorter.terms[shorter.count++] = c.added[i];
  pf_poly_tidy(letters, &shorter);
  if (letters->failed || shorter.count >= poly->count) return false;
  *poly = shorter;
  return true;
}

bool pf_poly_contract(Letters *letters, Poly *poly)
{
  enum { MOST_ROUNDS = 40 };
  bool any = false;
  for (int round = 0; round < MOST_ROUNDS && !letters->failed; round++) {
    Gains gains = {.count = 0};
    for (int i = 0; i < poly->count; i++) visit_matches(letters, poly, i, count_gain, &gains);
    Gain best = {{0, 0}, 0};
    for (int i = 0; i < gains.count; i++)
      if (gains.at[i].count > best.count) best = gains.at[i];
    if (best.count == 0 || !contract_pair(letters, poly, best)) return any;
    any = true;
  }
  return any;
}

/* ---------------------------------------------------------------- squares */

/* 1 - f(p)^2 = g(p)^2, where f and g are sine and cosine. */
static bool other_square(Letters *letters, int letter, Monomial *square)
{
  PfOp op = letters->at[letter].kind == LETTER_SINE ? PF_OP_COS : PF_OP_SIN;
  if (!trig_term(letters, op, angle_of(letters, letter), square) || square->count != 1) return false;
  *square = pf_monomial_times(letters, *square, *square);
  return true;
}

/* 1 - 2 f(p)^2 = cos 2p for the sine, -cos 2p for the cosine. */
static bool double_angle(Letters *letters, int letter, Monomial *cosine)
{
  PfExpr twice = pf_expr_scale(letters->table, pf_number_int(2), angle_of(letters, letter));
  if (twice == PF_EXPR_NONE || !trig_term(letters, PF_OP_COS, twice, cosine)) return false;
  if (letters->at[letter].kind == LETTER_COSINE) cosine->coefficient = pf_number_negative(cosine->coefficient);
  return true;
}

/* Makes one of a*m*f(p)^2 and b*m, where both are there. */
static bool shorten_square(Letters *letters, const Poly *poly, int i, int letter, bool *gone, Monomial *made)
{
  LetterPower square = {letter, 2};
  Monomial key = pf_monomial_over(letters, poly->terms[i], (Monomial){pf_number_int(1), 1, &square}), factor;
  pf_letters_spend(letters, 4);
  int partner = letters->failed ? -1 : find_term(poly, &key);
  if (partner < 0 || gone[partner]) return false;
  Number a = poly->terms[i].coefficient, b = pf_number_negative(poly->terms[partner].coefficient);
  bool good = pf_number_is_same(a, b) ? other_square(letters, letter, &factor)
                                      : pf_number_is_same(a, pf_number_add(letters->table, b, b)) &&
                                            double_angle(letters, letter, &factor);
  if (!good) return false;
  *made = pf_monomial_times(letters, poly->terms[partner], factor);
  gone[partner] = true;
  return true;
}

/* One pass over all terms; the numbers of terms do not change meanwhile. */
static bool shorten_some_squares(Letters *letters, Poly *poly)
{
  Poly shorter = pf_poly_make(letters, poly->count);
  bool *gone = pf_arena_array(letters->arena, bool, poly->count);
  if (!gone) letters->failed = true;
  for (int i = 0; i < poly->count && !letters->failed; i++)
    for (int k = 0; k < poly->terms[i].count && !gone[i] && !letters->failed; k++) {
      LetterPower power = poly->terms[i].powers[k];
      if (letters->at[power.letter].kind == LETTER_PLAIN || power.exponent < 2) continue;
      gone[i] = shorten_square(letters, poly, i, power.letter, gone, shorter.terms + shorter.count);
      shorter.count += gone[i];
    }
  if (letters->failed || shorter.count == 0) return false;
  for (int i = 0; i < poly->count; i++)
    if (!gone[i]) shorter.terms[shorter.count++] = poly->terms[i];
  pf_poly_tidy(letters, &shorter);
  *poly = shorter;
  return !letters->failed;
}

bool pf_poly_shorten_squares(Letters *letters, Poly *poly)
{
  int before = poly->count;
  while (!letters->failed && shorten_some_squares(letters, poly)) continue; /* each time fewer terms */
  return poly->count < before;
}

/* Replaces one even power of a cosine: c^2k = (1 - s^2)^k, one factor at a time. */
static Poly replace_cosine(Letters *letters, const Poly *poly, int cosine)
{
  Monomial sine;
  Poly result = pf_poly_make(letters, 2*poly->count);
  bool good = trig_term(letters, PF_OP_SIN, angle_of(letters, cosine), &sine) && sine.count == 1;
  for (int i = 0; i < poly->count && !letters->failed; i++) {
    Monomial term = poly->terms[i];
    if (good && pf_monomial_exponent(&term, cosine) >= 2) {
      LetterPower square = {cosine, 2};
      term = pf_monomial_over(letters, term, (Monomial){pf_number_int(1), 1, &square});
      Monomial minus = pf_monomial_times(letters, term, pf_monomial_times(letters, sine, sine));
      minus.coefficient = pf_number_negative(minus.coefficient);
      result.terms[result.count++] = minus;
    }
    result.terms[result.count++] = term;
  }
  pf_poly_tidy(letters, &result);
  return result;
}

static bool has_square(const Poly *poly, int letter)
{
  for (int i = 0; i < poly->count; i++)
    if (pf_monomial_exponent(poly->terms + i, letter) >= 2) return true;
  return false;
}

void pf_poly_prefer_sines(Letters *letters, Poly *poly)
{
  enum { MOST_STEPS = 8 };
  int count = letters->count;
  for (int letter = 0; letter < count && !letters->failed; letter++) {
    if (letters->at[letter].kind != LETTER_COSINE || !has_square(poly, letter)) continue;
    Poly replaced = *poly;
    for (int step = 0; step < MOST_STEPS && has_square(&replaced, letter) && !letters->failed; step++)
      replaced = replace_cosine(letters, &replaced, letter);
    if (replaced.count < poly->count && !has_square(&replaced, letter)) *poly = replaced;
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

static int trig_degree(const Letters *letters, const Monomial *term)
{
  int degree = 0;
  for (int k = 0; k < term->count; k++) {
    if (letters->at[term->powers[k].letter].kind == LETTER_PLAIN) continue;
    int exponent = term->powers[k].exponent;
    if (exponent < 0 || exponent > HIGHEST_PRODUCT) return HIGHEST_PRODUCT + 1;
    degree += exponent;
  }
  return degree;
}

/* 2 cos a cos b = cos(a - b) + cos(a + b),  2 sin a sin b = cos(a - b) - cos(a + b),
 * 2 sin a cos b = sin(a + b) + sin(a - b),  2 cos a sin b = sin(a + b) - sin(a - b). */
static int multiply_waves(Letters *letters, Wave *waves, int count, PfOp op, PfExpr angle)
{
  PfContext *ctx = letters->table->ctx;
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
static int find_waves(Letters *letters, const Monomial *term, Wave *waves)
{
  int count = 0;
  for (int k = 0; k < term->count; k++) {
    Letter letter = letters->at[term->powers[k].letter];
    if (letter.kind == LETTER_PLAIN) continue;
    PfOp op = letter.kind == LETTER_SINE ? PF_OP_SIN : PF_OP_COS;
    PfExpr angle = letters->angles[letter.angle];
    for (int n = term->powers[k].exponent; n > 0; n--) {
      if (count) count = multiply_waves(letters, waves, count, op, angle);
      else waves[count++] = (Wave){1, op, angle};
    }
  }
  return count;
}

static Monomial plain_part(Letters *letters, const Monomial *term)
{
  LetterPower *powers = pf_arena_array(letters->arena, LetterPower, term->count);
  Monomial plain = {term->coefficient, 0, powers};
  if (!powers) letters->failed = true;
  for (int k = 0; k < term->count && powers; k++)
    if (letters->at[term->powers[k].letter].kind == LETTER_PLAIN) powers[plain.count++] = term->powers[k];
  return plain;
}

static bool add_waves(Letters *letters, const Monomial *term, int halvings, Poly *sums)
{
  Wave waves[1 << (HIGHEST_PRODUCT - 1)];
  int degree = trig_degree(letters, term), count = find_waves(letters, term, waves);
  Monomial plain = plain_part(letters, term), trig;
  int missing = halvings - (degree > 1 ? degree - 1 : 0);
  plain = pf_monomial_times(letters, plain, (Monomial){pf_number_int((int64_t)1 << missing), 0, NULL});
  if (!count) sums->terms[sums->count++] = plain;
  for (int i = 0; i < count && !letters->failed; i++) {
    Wave wave = waves[i];
    if (wave.angle == PF_EXPR_NONE || !trig_term(letters, wave.op, wave.angle, &trig)) return false;
    if (pf_number_is(trig.coefficient, 0)) continue;
    if (wave.factor < 0) trig.coefficient = pf_number_negative(trig.coefficient);
    sums->terms[sums->count++] = pf_monomial_times(letters, plain, trig);
  }
  return !letters->failed;
}

bool pf_poly_fourier(Letters *letters, const Poly *poly, Poly *sums, int *halvings)
{
  int room = 0, highest = 0;
  for (int i = 0; i < poly->count && room <= MOST_SUMS; i++) {
    int degree = trig_degree(letters, poly->terms + i);
    if (degree > HIGHEST_PRODUCT) return false;
    if (degree > highest) highest = degree;
    room += degree > 1 ? 1 << (degree - 1) : 1;
  }
  if (highest < 2 || room > MOST_SUMS) return false;
  *halvings = highest - 1;
  *sums = pf_poly_make(letters, room);
  for (int i = 0; i < poly->count && !letters->failed; i++)
    if (!add_waves(letters, poly->terms + i, *halvings, sums)) return false;
  pf_poly_tidy(letters, sums);
  return !letters->failed;
}
