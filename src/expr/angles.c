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

bool pf_number_exact(Number number, Number *rational)
{
  *rational = number;
  if (number.exact) return true;
  int exponent;
  double mantissa = frexp(number.value, &exponent);
  int64_t whole = (int64_t)ldexp(mantissa, 53);
  for (exponent -= 53; whole && whole%2 == 0; exponent++) whole /= 2;
  if (exponent < -62 || exponent > 9) return false;
  *rational = exponent < 0 ? pf_number_rational(whole, (int64_t)1 << -exponent)
                           : pf_number_mul(pf_number_int(whole), pf_number_int((int64_t)1 << exponent));
  return rational->exact;
}

static bool is_small(Number c)
{
  return c.exact && c.num > -largest_part && c.num < largest_part && c.den < largest_part;
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
      term.coefficient = pf_number_add(term.coefficient, form->terms[i++].coefficient);
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
      form.terms[form.count++] = (Term){part.terms[k].term, pf_number_mul(factor, part.terms[k].coefficient)};
  }
  tidy(f, &form);
  return form;
}

static Term product_of_terms(Finder *f, Term a, Term b)
{
  Term product = {.coefficient = pf_number_mul(a.coefficient, b.coefficient)};
  Number content;
  pf_expr_content(f->table, pf_expr_mul(f->table->ctx, a.term, b.term), &content, &product.term);
  if (is_number(f->table, product.term)) {
    content = number_of(f->table, product.term);
    product.term = f->one;
  }
  product.coefficient = pf_number_mul(product.coefficient, content);
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
    if (!pf_number_exact(term->coefficient, &term->coefficient) || !is_small(term->coefficient)) return false;
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
  return f.failed ? pf_fail(table->ctx, PF_ERR_MEMORY, "no room to take angles apart") : PF_OK;
}

/* ---------------------------------------------------------------- independence */

static const int64_t rank_prime = 2147483647; /* products of two residues fit 63 bits */

static int64_t inverse_modulo(int64_t a, int64_t p)
{
  int64_t power = 1;
  for (int64_t n = p - 2; n; n >>= 1) {
    if (n & 1) power = power*a%p;
    a = a*a%p;
  }
  return power;
}

/* Clears column k below the pivot row. */
static void eliminate(int64_t *rows, int row_count, int width, int pivot, int k)
{
  const int64_t *from = rows + (size_t)pivot*(size_t)width;
  int64_t scale = inverse_modulo(from[k], rank_prime);
  for (int i = pivot + 1; i < row_count; i++) {
    int64_t *row = rows + (size_t)i*(size_t)width;
    int64_t factor = row[k]*scale%rank_prime;
    for (int j = k; j < width && factor; j++)
      row[j] = (row[j] + (rank_prime - factor)*from[j])%rank_prime;
  }
}

static void swap_rows(int64_t *rows, int width, int a, int b)
{
  int64_t *x = rows + (size_t)a*(size_t)width, *y = rows + (size_t)b*(size_t)width;
  for (int j = 0; j < width; j++) {
    int64_t swap = x[j];
    x[j] = y[j];
    y[j] = swap;
  }
}

static int rank_of(int64_t *rows, int row_count, int width)
{
  int rank = 0;
  for (int k = 0; k < width && rank < row_count; k++) {
    int pivot = rank;
    while (pivot < row_count && !rows[(size_t)pivot*(size_t)width + (size_t)k]) pivot++;
    if (pivot == row_count) continue;
    swap_rows(rows, width, pivot, rank);
    eliminate(rows, row_count, width, rank++, k);
  }
  return rank;
}

bool pf_angles_are_free(PfArena *arena, const Angles *angles)
{
  if (angles->count > angles->atom_count) return false;
  size_t width = (size_t)angles->atom_count;
  int64_t *rows = pf_arena_array(arena, int64_t, (size_t)angles->count*width);
  if (!rows) return false;
  for (int i = 0; i < angles->count; i++)
    for (int k = 0; k < angles->at[i].part_count; k++) {
      AnglePart part = angles->at[i].parts[k];
      rows[(size_t)i*width + (size_t)part.atom] = (part.multiple%rank_prime + rank_prime)%rank_prime;
    }
  return rank_of(rows, angles->count, angles->atom_count) == angles->count;
}
