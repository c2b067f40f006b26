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

static bool is_small(Number c)
{
  return pf_number_is_narrow(c) && c.num > -largest_part && c.num < largest_part && c.den < largest_part;
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

/* Sorts, adds up like terms, and drops what cancels. */
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

static Term product_of_terms(Finder *f, Term a, Term b)
{
  Term product = {.coefficient = pf_number_mul(f->table, a.coefficient, b.coefficient)};
  Number content;
  pf_expr_content(f->table, pf_expr_mul(f->table->ctx, a.term, b.term), &content, &product.term);
  if (is_number(f->table, product.term)) {
    content = number_of(f->table, product.term);
    product.term = f->one;
  }
  product.coefficient = pf_number_mul(f->table, product.coefficient, content);
  if (product.term == PF_EXPR_NONE) f->failed = true;
  return product;
}

static bool multiply(Finder *f, Form *form, Form factor)
{
  if (form->count*factor.count > MOST_PARTS) return false;
  Form product = {pf_arena_array(f->arena, Term, form->count*factor.count), 0};
  if (!product.terms) {
    f->failed = true;
    return false;
  }
  for (int i = 0; i < form->count; i++)
    for (int k = 0; k < factor.count; k++)
      product.terms[product.count++] = product_of_terms(f, form->terms[i], factor.terms[k]);
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

/* The terms of sums, and the bases of products that are multiplied out; both are every other operand. */
static void find_needed(Finder *f)
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
}

static void make_forms(Finder *f)
{
  for (int i = 0; i < f->node_count && !f->failed; i++) {
    if (!f->needed[i]) continue;
    PfOp op = op_of(f->table, f->nodes[i]);
    f->forms[i] = op == PF_OP_SUM       ? form_of_sum(f, f->nodes[i])
                  : op == PF_OP_PRODUCT ? form_of_product(f, f->nodes[i])
                                        : whole(f, f->nodes[i]);
    if (is_number(f->table, f->nodes[i]) && !f->failed)
      *f->forms[i].terms = (Term){f->one, number_of(f->table, f->nodes[i])};
  }
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

static int add_atom(const Finder *f, Angles *angles, PfExpr atom)
{
  int i = find_atom(angles, atom);
  if (i >= 0) return i;
  angles->atoms[angles->atom_count] = atom;
  angles->divisors[angles->atom_count] = 1;
  if (!is_monomial(f->table, atom)) angles->certain = false;
  return angles->atom_count++;
}

static int64_t common_multiple(int64_t a, int64_t b)
{
  return a/pf_gcd(a, b)*b;
}

static bool is_turn(const Finder *f, Term term, int64_t turns)
{
  return turns && term.term == f->pi && turns%term.coefficient.den == 0;
}

/* Are all multiples exact, and small enough to be counted on? */
static bool is_countable(const Angles *angles, const Form *form)
{
  for (int i = 0; i < form->count; i++) {
    Term *term = form->terms + i;
    if (!pf_number_as_narrow(term->coefficient, &term->coefficient) || !is_small(term->coefficient)) return false;
    int atom = find_atom(angles, term->term);
    int64_t divisor = atom < 0 ? 1 : angles->divisors[atom];
    if (common_multiple(divisor, term->coefficient.den) >= largest_part) return false;
  }
  return true;
}

/* Makes the atoms of a form, and their divisors so fine that all multiples are whole. */
static void register_atoms(Finder *f, Angles *angles, const Form *form, int64_t turns)
{
  for (int i = 0; i < form->count; i++) {
    if (is_turn(f, form->terms[i], turns)) continue;
    int64_t *divisor = angles->divisors + add_atom(f, angles, form->terms[i].term);
    *divisor = common_multiple(*divisor, form->terms[i].coefficient.den);
  }
}

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

static bool is_kind(PfOp op, AngleKind kind)
{
  return kind == CIRCULAR ? is_circular(op) : is_hyperbolic(op);
}

/* The arguments, each once, and which node has which. */
static void list_arguments(Finder *f, AngleKind kind, Angles *angles)
{
  for (int i = 0; i < f->node_count; i++) f->angle_at[i] = angles->of_node[i] = -1;
  for (int i = 0; i < f->node_count; i++) {
    if (!is_kind(op_of(f->table, f->nodes[i]), kind)) continue;
    PfExpr argument = args_of(f->table, f->nodes[i])[0];
    int *angle = f->angle_at + f->table->place[argument];
    if (*angle < 0) {
      *angle = angles->count;
      angles->at[angles->count++].argument = argument;
      f->needed[f->table->place[argument]] = true;
    }
    angles->of_node[i] = *angle;
  }
}

static bool has_pi(const Finder *f)
{
  for (int i = 0; i < f->node_count; i++)
    if (f->nodes[i] == f->pi) return true;
  return false;
}

static void analyse(Finder *f, AngleStyle style, int64_t turns, Angles *angles)
{
  if (style == ANGLES_EXPANDED) {
    find_needed(f);
    make_forms(f);
  }
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
    register_atoms(f, angles, forms + i, turns);
  }
  for (int i = 0; i < angles->count && !f->failed; i++)
    take_apart(f, angles, angles->at + i, forms + i, turns);
  /* e^i is transcendental, but nobody knows whether it is so over the rationals with pi */
  if (find_atom(angles, f->one) >= 0 && has_pi(f)) angles->certain = false;
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
    list_arguments(&f, kind, angles);
    analyse(&f, style, turns, angles);
  }
  return f.failed ? pf_no_room(table->ctx, "the parts of angles") : PF_OK;
}

/* ---------------------------------------------------------------- independence */

/* Angles as rows of multiples, reduced modulo a prime: what is found there is checked with whole numbers. */
typedef struct Span {
  int count;        /* of angles that were found independent so far */
  int width;        /* atoms */
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

static int64_t inverse(int64_t a)
{
  int64_t power = 1;
  for (int64_t n = prime - 2; n; n >>= 1) {
    if (n & 1) power = power*a%prime;
    a = a*a%prime;
  }
  return power;
}

/* row -= factor*other */
static void subtract(int64_t *row, const int64_t *other, int64_t factor, int count)
{
  for (int i = 0; i < count && factor; i++) row[i] = (row[i] + (prime - factor)*other[i])%prime;
}

static bool make_span(PfArena *arena, const Angles *angles, Span *span)
{
  size_t width = (size_t)angles->atom_count, rows = (size_t)angles->count;
  if (rows > width) rows = width;
  *span = (Span){.width = angles->atom_count,
                 .chosen = pf_arena_array(arena, int, rows),
                 .pivots = pf_arena_array(arena, int, rows),
                 .reduced = pf_arena_array(arena, int64_t, rows*width),
                 .sources = pf_arena_array(arena, int64_t, rows*rows)};
  return span->chosen && span->pivots && span->reduced && span->sources;
}

static void set_row(int64_t *row, int width, const Angle *angle)
{
  for (int k = 0; k < width; k++) row[k] = 0;
  for (int k = 0; k < angle->part_count; k++) row[angle->parts[k].atom] = residue(angle->parts[k].multiple);
}

/* Takes everything out of the row that the chosen angles can explain; minus the factors go to `factors`. */
static void explain(const Span *span, int rows, int64_t *row, int64_t *factors)
{
  for (int k = 0; k < rows; k++) factors[k] = 0;
  for (int i = 0; i < span->count; i++) {
    int64_t factor = row[span->pivots[i]];
    subtract(row, span->reduced + (size_t)i*(size_t)span->width, factor, span->width);
    subtract(factors, span->sources + (size_t)i*(size_t)rows, factor, rows);
  }
}

/* Adds an angle of which this row is left. False when nothing is left. */
static bool choose(Span *span, int rows, int angle, int64_t *row, int64_t *factors)
{
  int pivot = 0;
  while (pivot < span->width && !row[pivot]) pivot++;
  if (pivot == span->width) return false;
  factors[span->count] = 1;
  int64_t scale = inverse(row[pivot]);
  int64_t *reduced = span->reduced + (size_t)span->count*(size_t)span->width;
  int64_t *sources = span->sources + (size_t)span->count*(size_t)rows;
  for (int k = 0; k < span->width; k++) reduced[k] = row[k]*scale%prime;
  for (int k = 0; k < rows; k++) sources[k] = factors[k]*scale%prime;
  span->pivots[span->count] = pivot;
  span->chosen[span->count++] = angle;
  return true;
}

bool pf_angles_are_free(PfArena *arena, const Angles *angles)
{
  Span span;
  int rows = angles->atom_count < angles->count ? angles->atom_count : angles->count;
  int64_t *row = pf_arena_array(arena, int64_t, angles->atom_count);
  int64_t *factors = pf_arena_array(arena, int64_t, rows);
  if (rows < angles->count || !row || !factors || !make_span(arena, angles, &span)) return false;
  for (int i = 0; i < angles->count; i++) {
    set_row(row, span.width, angles->at + i);
    explain(&span, rows, row, factors);
    if (!choose(&span, rows, i, row, factors)) return false;
  }
  return true;
}

/* ---------------------------------------------------------------- a better basis */

/* Coordinates of every angle in terms of the chosen angles, one row each. */
static bool find_coordinates(const Angles *angles, Span *span, int rows, int64_t *row, int64_t *coordinates)
{
  const int64_t largest = 1000;
  for (int i = 0; i < angles->count; i++) {
    int64_t *x = coordinates + (size_t)i*(size_t)rows;
    set_row(row, span->width, angles->at + i);
    explain(span, rows, row, x);
    if (choose(span, rows, i, row, x)) {
      for (int k = 0; k < rows; k++) x[k] = k == span->count - 1;
      continue;
    }
    for (int k = 0; k < rows; k++) {
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

/* What angle sums cost: the sum of all multiples. */
static int64_t cost_of_parts(const Angles *angles)
{
  int64_t cost = 0;
  for (int i = 0; i < angles->count; i++)
    for (int k = 0; k < angles->at[i].part_count; k++) {
      int64_t n = angles->at[i].parts[k].multiple;
      if (n > 1000 || n < -1000) return -1; /* not for such numbers */
      cost += n < 0 ? -n : n;
    }
  return cost;
}

/* The chosen angles, without their multiples of pi, become the atoms. */
static bool set_atoms(PfExprTable *table, PfArena *arena, Angles *angles, const Span *span)
{
  PfExpr *atoms = pf_arena_array(arena, PfExpr, span->count);
  if (!atoms) return false;
  PfExpr pi = pf_expr_pi(table->ctx);
  for (int j = 0; j < span->count; j++) {
    const Angle *angle = angles->at + span->chosen[j];
    atoms[j] = pf_expr_sub(table->ctx, angle->argument, pf_expr_scale(table, angle->turn, pi));
    if (atoms[j] == PF_EXPR_NONE) return false;
  }
  for (int j = 0; j < span->count; j++) angles->divisors[j] = 1;
  angles->atoms = atoms;
  angles->atom_count = span->count;
  return true;
}

static bool set_parts(PfArena *arena, Angles *angles, const int64_t *coordinates, int rows, int count)
{
  AnglePart *parts = pf_arena_array(arena, AnglePart, (size_t)angles->count*(size_t)count);
  if (!parts) return false;
  for (int i = 0; i < angles->count; i++) {
    Angle *angle = angles->at + i;
    angle->parts = parts + (size_t)i*(size_t)count;
    angle->part_count = 0;
    for (int j = 0; j < count; j++) {
      int64_t x = coordinates[(size_t)i*(size_t)rows + (size_t)j];
      if (x) angle->parts[angle->part_count++] = (AnglePart){j, x};
    }
  }
  return true;
}

bool pf_angles_rebase(PfExprTable *table, PfArena *arena, Angles *angles)
{
  Span span;
  int rows = angles->atom_count < angles->count ? angles->atom_count : angles->count;
  int64_t *row = pf_arena_array(arena, int64_t, angles->atom_count), cost = 0;
  int64_t *coordinates = pf_arena_array(arena, int64_t, (size_t)angles->count*(size_t)rows);
  int64_t cost_before = cost_of_parts(angles);
  if (!row || !coordinates || !make_span(arena, angles, &span)) return false;
  if (cost_before < 0 || !find_coordinates(angles, &span, rows, row, coordinates)) return true;
  for (int i = 0; i < angles->count; i++) {
    const int64_t *x = coordinates + (size_t)i*(size_t)rows;
    if (!is_combination(angles, &span, i, x, row)) return true;
    for (int k = 0; k < rows; k++) cost += x[k] < 0 ? -x[k] : x[k];
  }
  if (cost >= cost_before) return true;
  return set_atoms(table, arena, angles, &span) && set_parts(arena, angles, coordinates, rows, span.count);
}
