/* SPDX-License-Identifier: Apache-2.0 */
/* Angles: arguments as combinations of independent atoms with integer multiples, so that angle sums become
 * products of complex numbers, and exponentials of sums products of exponentials. */
#include "expr/normal.h"

#include <math.h>

enum { MOST_PARTS = 256, HIGHEST_POWER = 8 };

/* A node as a sum of numbers times monomials, sorted by handle. */
typedef struct Form {
  Term *terms;
  int count;
} Form;

typedef struct Finder {
  PfExprTable *table;
  PfArena *arena;
  const PfExpr *nodes;
  int node_count;
  PfExpr one, pi;
  bool *needed;  /* per node: is its form wanted? */
  Form *forms;   /* per node */
  int *angle_at; /* per node: the angle with this argument, -1 for none */
  bool failed;
} Finder;

/* ---------------------------------------------------------------- numbers */

static const int64_t largest_part = (int64_t)1 << 31;

bool pf_number_as_narrow(Number number, Number *rational)
{
  *rational = number;
  if (pf_number_is_exact(number)) return pf_number_is_narrow(number);
  int exponent;
  double mantissa = frexp(number.value, &exponent);
  int64_t whole = (int64_t)ldexp(mantissa, 53);
  for (exponent -= 53; whole && whole%2 == 0; exponent++) whole /= 2;
  if (exponent < -62 || exponent > 9) return false;
  /* in lowest terms: the whole number is odd */
  *rational = exponent < 0 ? (Number){.num = whole, .den = (int64_t)1 << -exponent}
                           : pf_number_int(whole*((int64_t)1 << exponent));
  return true;
}

/* ---------------------------------------------------------------- forms */

static Form whole(Finder *f, PfExpr e)
{
  Term *term = pf_arena_array(f->arena, Term, 1);
  if (!term) {
    f->failed = true;
    return (Form){0};
  }
  *term = (Term){e, pf_number_int(1)};
  return (Form){term, 1};
}

/* Sorts, adds up like terms, and drops terms that cancel. */
static void tidy(Finder *f, Form *form)
{
  if (!pf_sort_by_handle(f->table, form->terms, (size_t)form->count, sizeof(Term))) f->failed = true;
  int kept = 0;
  for (int i = 0; i < form->count;) {
    Term term = form->terms[i++];
    while (i < form->count && form->terms[i].term == term.term)
      term.coefficient = pf_number_add(f->table, term.coefficient, form->terms[i++].coefficient);
    if (pf_number_sign(term.coefficient) != 0) form->terms[kept++] = term;
  }
  form->count = kept;
}

/* A sum of expressions as a form: the forms of its terms times their coefficients, like terms collected. */
static Form form_of_sum(Finder *f, PfExpr e)
{
  const PfExprTable *table = f->table;
  uint32_t count = node_of(table, e)->count;
  int total = 1;
  for (uint32_t i = 2; i < count && total <= MOST_PARTS; i += 2)
    total += f->forms[table->place[args_of(table, e)[i]]].count;
  if (total > MOST_PARTS) return whole(f, e);
  Form form = {pf_arena_array(f->arena, Term, total), 0};
  if (!form.terms) {
    f->failed = true;
    return form;
  }
  form.terms[form.count++] = (Term){f->one, number_of(table, args_of(table, e)[0])};
  for (uint32_t i = 1; i < count; i += 2) {
    Number factor = number_of(table, args_of(table, e)[i]);
    Form part = f->forms[table->place[args_of(table, e)[i + 1]]];
    for (int k = 0; k < part.count; k++)
      form.terms[form.count++] = (Term){part.terms[k].term, pf_number_mul(f->table, factor, part.terms[k].coefficient)};
  }
  tidy(f, &form);
  return form;
}

/* form *= factor, multiplied out; the number in a product of two monomials goes to the coefficient. False when the
 * result is too long, and without memory. */
static bool multiply(Finder *f, Form *form, Form factor)
{
  PfExprTable *table = f->table;
  if (form->count*factor.count > MOST_PARTS) return false;
  Form product = {pf_arena_array(f->arena, Term, form->count*factor.count), 0};
  if (!product.terms) f->failed = true;
  for (int i = 0; i < form->count && product.terms; i++)
    for (int k = 0; k < factor.count; k++) {
      Term a = form->terms[i], b = factor.terms[k], *term = product.terms + product.count++;
      Number content;
      term->coefficient = pf_number_mul(table, a.coefficient, b.coefficient);
      pf_expr_content(table, pf_expr_mul(table->ctx, a.term, b.term), &content, &term->term);
      if (is_number(table, term->term)) {
        content = number_of(table, term->term);
        term->term = f->one;
      }
      term->coefficient = pf_number_mul(table, term->coefficient, content);
      if (term->term == PF_EXPR_NONE) f->failed = true;
    }
  if (!product.terms) return false;
  *form = product;
  tidy(f, form);
  return !f->failed;
}

/* A product is multiplied out when a factor is a power of a sum. */
static bool is_multiplied_out(const PfExprTable *table, PfExpr e)
{
  bool sum = false;
  for (uint32_t i = 0; i < node_of(table, e)->count; i += 2) {
    PfExpr base = args_of(table, e)[i], exponent = args_of(table, e)[i + 1];
    if (op_of(table, base) != PF_OP_SUM) continue;
    if (!is_integer(table, exponent)) return false;
    Number power = number_of(table, exponent);
    if (power.num < 1 || power.num > HIGHEST_POWER) return false;
    sum = true;
  }
  return sum;
}

/* A product as a form. Sums of which whole powers are taken are multiplied out while that stays short; everything else
 * is one atom. */
static Form form_of_product(Finder *f, PfExpr e)
{
  PfExprTable *table = f->table;
  if (!is_multiplied_out(table, e)) return whole(f, e);
  Form form = whole(f, f->one);
  for (uint32_t i = 0; i < node_of(table, e)->count && !f->failed; i += 2) {
    PfExpr base = args_of(table, e)[i], exponent = args_of(table, e)[i + 1];
    bool sum = op_of(table, base) == PF_OP_SUM;
    Form factor = sum ? f->forms[table->place[base]] : whole(f, pf_expr_pow(table->ctx, base, exponent));
    for (int64_t k = sum ? number_of(table, exponent).num : 1; k > 0; k--)
      if (!multiply(f, &form, factor)) return whole(f, e);
  }
  return form;
}

/* ---------------------------------------------------------------- atoms */

/* Monomials in symbols are independent of each other, whatever the symbols stand for. */
static bool is_monomial(const PfExprTable *table, PfExpr e)
{
  if (op_of(table, e) == PF_OP_SYMBOL || pf_expr_is_int(table->ctx, e, 1)) return true;
  if (op_of(table, e) != PF_OP_PRODUCT) return false;
  for (uint32_t i = 0; i < node_of(table, e)->count; i += 2) {
    PfExpr base = args_of(table, e)[i], exponent = args_of(table, e)[i + 1];
    if (op_of(table, base) != PF_OP_SYMBOL || !is_integer(table, exponent)) return false;
  }
  return true;
}

static int find_atom(const Angles *angles, PfExpr atom)
{
  for (int i = 0; i < angles->atom_count; i++)
    if (angles->atoms[i] == atom) return i;
  return -1;
}

static int64_t common_multiple(int64_t a, int64_t b)
{
  return a/pf_gcd(a, b)*b;
}

static bool is_turn(const Finder *f, Term term, int64_t turns)
{
  return turns && term.term == f->pi && turns%term.coefficient.den == 0;
}

/* Are all multiples exact, and small enough that no product of two of them overflows? */
static bool is_countable(const Angles *angles, const Form *form)
{
  for (int i = 0; i < form->count; i++) {
    Number *c = &form->terms[i].coefficient;
    if (!pf_number_as_narrow(*c, c)) return false;
    if (c->num <= -largest_part || c->num >= largest_part || c->den >= largest_part) return false;
    int atom = find_atom(angles, form->terms[i].term);
    int64_t divisor = atom < 0 ? 1 : angles->divisors[atom];
    if (common_multiple(divisor, c->den) >= largest_part) return false;
  }
  return true;
}

/* Writes an angle, whose atoms are known, as integer multiples of them; a multiple of pi is its turn. */
static void take_apart(Finder *f, const Angles *angles, Angle *angle, const Form *form, int64_t turns)
{
  angle->turn = pf_number_int(0);
  angle->parts = pf_arena_array(f->arena, AnglePart, form->count);
  if (!angle->parts) f->failed = true;
  for (int i = 0; i < form->count && !f->failed; i++) {
    Number c = form->terms[i].coefficient;
    if (is_turn(f, form->terms[i], turns)) {
      angle->turn = c;
    } else {
      int atom = find_atom(angles, form->terms[i].term);
      angle->parts[angle->part_count++] = (AnglePart){atom, c.num*(angles->divisors[atom]/c.den)};
    }
  }
}

/* ---------------------------------------------------------------- all angles */

/* Finds the forms of the nodes that are needed: those of arguments, of the terms of sums, and of the bases of products
 * that are multiplied out. Both kinds are every other operand. */
static void expand(Finder *f)
{
  const PfExprTable *table = f->table;
  for (int i = f->node_count - 1; i >= 0; i--) {
    PfExpr e = f->nodes[i];
    bool sum = op_of(table, e) == PF_OP_SUM;
    bool product = op_of(table, e) == PF_OP_PRODUCT && is_multiplied_out(table, e);
    if (!f->needed[i] || !(sum || product)) continue;
    for (uint32_t k = sum ? 2 : 0; k < node_of(table, e)->count; k += 2)
      f->needed[table->place[args_of(table, e)[k]]] = true;
  }
  for (int i = 0; i < f->node_count && !f->failed; i++) {
    if (!f->needed[i]) continue;
    PfExpr e = f->nodes[i];
    PfOp op = op_of(table, e);
    f->forms[i] = op == PF_OP_SUM       ? form_of_sum(f, e)
                  : op == PF_OP_PRODUCT ? form_of_product(f, e)
                                        : whole(f, e);
    if (is_number(table, e) && !f->failed) *f->forms[i].terms = (Term){f->one, number_of(table, e)};
  }
}

/* Writes every angle as an integer combination of atoms: with ANGLES_EXPANDED the arguments are multiplied out into
 * linear forms first, then a common divisor is found for each atom, so that all multiples are whole. */
static void analyse(Finder *f, AngleStyle style, int64_t turns, Angles *angles)
{
  if (style == ANGLES_EXPANDED) expand(f);
  Form *forms = pf_arena_array(f->arena, Form, angles->count);
  size_t most_atoms = 0;
  for (int i = 0; i < angles->count && forms; i++) {
    PfExpr argument = angles->at[i].argument;
    forms[i] = style == ANGLES_EXPANDED ? f->forms[f->table->place[argument]] : whole(f, argument);
    most_atoms += (size_t)forms[i].count + 1;
  }
  angles->atoms = pf_arena_array(f->arena, PfExpr, most_atoms);
  angles->divisors = pf_arena_array(f->arena, int64_t, most_atoms);
  if (!forms || !angles->atoms || !angles->divisors) f->failed = true;
  angles->certain = true;
  for (int i = 0; i < angles->count && !f->failed; i++) {
    if (!is_countable(angles, forms + i)) forms[i] = whole(f, angles->at[i].argument);
    for (int k = 0; k < forms[i].count; k++) {
      Term term = forms[i].terms[k];
      if (is_turn(f, term, turns)) continue;
      int atom = find_atom(angles, term.term);
      if (atom < 0) {
        atom = angles->atom_count++;
        angles->atoms[atom] = term.term;
        angles->divisors[atom] = 1;
        if (!is_monomial(f->table, term.term)) angles->certain = false;
      }
      angles->divisors[atom] = common_multiple(angles->divisors[atom], term.coefficient.den);
    }
  }
  for (int i = 0; i < angles->count && !f->failed; i++)
    take_apart(f, angles, angles->at + i, forms + i, turns);
  /* e^i is transcendental, but it is not known whether it is so over the rationals with pi */
  bool one = find_atom(angles, f->one) >= 0;
  for (int i = 0; i < f->node_count && one; i++)
    if (f->nodes[i] == f->pi) angles->certain = false;
}

PfStatus pf_angles_find(PfExprTable *table, PfArena *arena, const PfExpr *nodes, int node_count,
                        AngleKind kind, AngleStyle style, int64_t turns, Angles *angles)
{
  Finder f = {.table = table, .arena = arena, .nodes = nodes, .node_count = node_count};
  f.one = pf_expr_int(table->ctx, 1);
  f.pi = pf_expr_pi(table->ctx);
  f.needed = pf_arena_array(arena, bool, node_count);
  f.forms = pf_arena_array(arena, Form, node_count);
  f.angle_at = pf_arena_array(arena, int, node_count);
  *angles = (Angles){.at = pf_arena_array(arena, Angle, node_count),
                     .of_node = pf_arena_array(arena, int, node_count)};
  f.failed = !f.one || !f.pi || !f.needed || !f.forms || !f.angle_at || !angles->at || !angles->of_node;
  if (!f.failed) {
    /* The arguments, each once, and which node has which. */
    for (int i = 0; i < f.node_count; i++) f.angle_at[i] = angles->of_node[i] = -1;
    for (int i = 0; i < f.node_count; i++) {
      PfOp op = op_of(f.table, f.nodes[i]);
      if (!(kind == CIRCULAR ? is_circular(op) : is_hyperbolic(op))) continue;
      PfExpr argument = args_of(f.table, f.nodes[i])[0];
      int *angle = f.angle_at + f.table->place[argument];
      if (*angle < 0) {
        *angle = angles->count;
        angles->at[angles->count++].argument = argument;
        f.needed[f.table->place[argument]] = true;
      }
      angles->of_node[i] = *angle;
    }
    analyse(&f, style, turns, angles);
  }
  return f.failed ? pf_no_room(table->ctx, "the parts of angles") : PF_OK;
}

/* ---------------------------------------------------------------- independence */

/* Angles as rows of multiples, reduced modulo a prime: relations found there are checked with whole numbers. */
typedef struct Span {
  int count;        /* of angles that were found independent so far */
  int width, rows;  /* atoms, and the largest possible count */
  int *chosen;      /* these angles */
  int *pivots;      /* where the reduced rows begin */
  int64_t *reduced; /* rows, combinations of the chosen angles … */
  int64_t *sources; /* … with these factors */
} Span;

static const int64_t prime = 2147483647; /* products of two residues fit 63 bits */

static int64_t residue(int64_t a)
{
  return (a%prime + prime)%prime;
}

/* row -= factor*other */
static void subtract(int64_t *row, const int64_t *other, int64_t factor, int count)
{
  for (int i = 0; i < count && factor; i++) row[i] = (row[i] + (prime - factor)*other[i])%prime;
}

static bool make_span(PfArena *arena, const Angles *angles, Span *span)
{
  int rows = angles->atom_count < angles->count ? angles->atom_count : angles->count;
  size_t width = (size_t)angles->atom_count, height = (size_t)rows;
  *span = (Span){.width = angles->atom_count, .rows = rows,
                 .chosen = pf_arena_array(arena, int, height),
                 .pivots = pf_arena_array(arena, int, height),
                 .reduced = pf_arena_array(arena, int64_t, height*width),
                 .sources = pf_arena_array(arena, int64_t, height*height)};
  return span->chosen && span->pivots && span->reduced && span->sources;
}

/* The multiples of an angle modulo the prime, less everything that the chosen angles can explain, as a row; minus the
 * factors of these go to `factors`. */
static void explain(const Span *span, const Angle *angle, int64_t *row, int64_t *factors)
{
  for (int k = 0; k < span->width; k++) row[k] = 0;
  for (int k = 0; k < angle->part_count; k++) row[angle->parts[k].atom] = residue(angle->parts[k].multiple);
  for (int k = 0; k < span->rows; k++) factors[k] = 0;
  for (int i = 0; i < span->count; i++) {
    int64_t factor = row[span->pivots[i]];
    subtract(row, span->reduced + (size_t)i*(size_t)span->width, factor, span->width);
    subtract(factors, span->sources + (size_t)i*(size_t)span->rows, factor, span->rows);
  }
}

/* Adds an angle of which this row is left. False when nothing is left. */
static bool choose(Span *span, int angle, const int64_t *row, int64_t *factors)
{
  int pivot = 0;
  while (pivot < span->width && !row[pivot]) pivot++;
  if (pivot == span->width) return false;
  factors[span->count] = 1;
  int64_t scale = 1, a = row[pivot]; /* 1/a = a^(prime - 2) */
  for (int64_t n = prime - 2; n; n >>= 1) {
    if (n & 1) scale = scale*a%prime;
    a = a*a%prime;
  }
  int64_t *reduced = span->reduced + (size_t)span->count*(size_t)span->width;
  int64_t *sources = span->sources + (size_t)span->count*(size_t)span->rows;
  for (int k = 0; k < span->width; k++) reduced[k] = row[k]*scale%prime;
  for (int k = 0; k < span->rows; k++) sources[k] = factors[k]*scale%prime;
  span->pivots[span->count] = pivot;
  span->chosen[span->count++] = angle;
  return true;
}

bool pf_angles_are_free(PfArena *arena, const Angles *angles)
{
  Span span;
  int64_t *row = pf_arena_array(arena, int64_t, angles->atom_count);
  int64_t *factors = pf_arena_array(arena, int64_t, angles->count);
  if (angles->atom_count < angles->count || !row || !factors || !make_span(arena, angles, &span)) return false;
  for (int i = 0; i < angles->count; i++) {
    explain(&span, angles->at + i, row, factors);
    if (!choose(&span, i, row, factors)) return false;
  }
  return true;
}

/* ---------------------------------------------------------------- a better basis */

/* Coordinates of every angle in terms of the chosen angles, one row each. False when one of them is large. */
static bool find_coordinates(const Angles *angles, Span *span, int64_t *row, int64_t *coordinates)
{
  const int64_t largest = 1000;
  for (int i = 0; i < angles->count; i++) {
    int64_t *x = coordinates + (size_t)i*(size_t)span->rows;
    explain(span, angles->at + i, row, x);
    if (choose(span, i, row, x)) {
      for (int k = 0; k < span->rows; k++) x[k] = k == span->count - 1;
      continue;
    }
    for (int k = 0; k < span->rows; k++) {
      x[k] = residue(-x[k]);
      if (x[k] > prime/2) x[k] -= prime;
      if (x[k] > largest || x[k] < -largest) return false;
    }
  }
  return true;
}

/* Is the angle this combination of chosen angles, with whole numbers? */
static bool is_combination(const Angles *angles, const Span *span, int i, const int64_t *x, int64_t *row)
{
  for (int k = 0; k < span->width; k++) row[k] = 0;
  for (int j = 0; j < span->count; j++) {
    const Angle *angle = angles->at + span->chosen[j];
    for (int k = 0; k < angle->part_count; k++) row[angle->parts[k].atom] += x[j]*angle->parts[k].multiple;
  }
  const Angle *angle = angles->at + i;
  for (int k = 0; k < angle->part_count; k++) row[angle->parts[k].atom] -= angle->parts[k].multiple;
  for (int k = 0; k < span->width; k++)
    if (row[k]) return false;
  return true;
}

/* The chosen angles, without their multiples of pi, become the atoms, and the coordinates that are not zero the parts
 * of all angles. False without memory. */
static bool change_basis(PfExprTable *table, PfArena *arena, Angles *angles, const Span *span,
                         const int64_t *coordinates)
{
  PfExpr *atoms = pf_arena_array(arena, PfExpr, span->count), pi = pf_expr_pi(table->ctx);
  AnglePart *parts = pf_arena_array(arena, AnglePart, (size_t)angles->count*(size_t)span->count);
  if (!atoms || !parts) return false;
  for (int j = 0; j < span->count; j++) {
    const Angle *angle = angles->at + span->chosen[j];
    atoms[j] = pf_expr_sub(table->ctx, angle->argument, pf_expr_scale(table, angle->turn, pi));
    if (atoms[j] == PF_EXPR_NONE) return false;
    angles->divisors[j] = 1;
  }
  angles->atoms = atoms;
  angles->atom_count = span->count;
  for (int i = 0; i < angles->count; i++) {
    Angle *angle = angles->at + i;
    angle->parts = parts + (size_t)i*(size_t)span->count;
    angle->part_count = 0;
    for (int j = 0; j < span->count; j++) {
      int64_t x = coordinates[(size_t)i*(size_t)span->rows + (size_t)j];
      if (x) angle->parts[angle->part_count++] = (AnglePart){j, x};
    }
  }
  return true;
}

bool pf_angles_rebase(PfExprTable *table, PfArena *arena, Angles *angles)
{
  Span span;
  if (!make_span(arena, angles, &span)) return false;
  int64_t *row = pf_arena_array(arena, int64_t, span.width), cost_before = 0, cost = 0;
  int64_t *coordinates = pf_arena_array(arena, int64_t, (size_t)angles->count*(size_t)span.rows);
  if (!row || !coordinates) return false;
  /* The cost of angle sums is the sum of all multiples. */
  for (int i = 0; i < angles->count; i++)
    for (int k = 0; k < angles->at[i].part_count; k++) {
      int64_t n = angles->at[i].parts[k].multiple;
      if (n > 1000 || n < -1000) return true; /* not for such numbers */
      cost_before += n < 0 ? -n : n;
    }
  if (!find_coordinates(angles, &span, row, coordinates)) return true;
  for (int i = 0; i < angles->count; i++) {
    const int64_t *x = coordinates + (size_t)i*(size_t)span.rows;
    if (!is_combination(angles, &span, i, x, row)) return true;
    for (int k = 0; k < span.rows; k++) cost += x[k] < 0 ? -x[k] : x[k];
  }
  return cost >= cost_before || change_basis(table, arena, angles, &span, coordinates);
}
