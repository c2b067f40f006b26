/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the expression module: the table, exact numbers, builders of sums and products. */
#ifndef PF_EXPR_IMPL_H
#define PF_EXPR_IMPL_H

#include "base/base.h"
#include "expr/prime.h"
#include "pfaff/expr.h"

/* ---------------------------------------------------------------- numbers */

/* Numbers are rational as long as numerator and denominator have at most WIDE_BITS bits each, which is about the range
 * of doubles; a longer result is rounded to the nearest double. Nearly all are narrow: both parts fit 64 bits and stand
 * in the Number. A wide one is kept in the table (wide.c); functions that make numbers take the table for that, and
 * poison it when there is no memory. Two numbers are the same if and only if num and den are. */
enum { WIDE_BITS = 1024 };
enum { NUMBER_DOUBLE = 0, NUMBER_WIDE = -1, NUMBER_WIDE_NEGATIVE = -2 };

typedef struct Wide Wide; /* a positive rational */

typedef struct Number {
  union {
    int64_t num;
    double value;     /* of NUMBER_DOUBLE */
    const Wide *wide; /* of NUMBER_WIDE, NUMBER_WIDE_NEGATIVE */
  };
  int64_t den; /* > 0: num/den in lowest terms; otherwise one of the kinds above */
} Number;

static inline bool pf_number_is_narrow(Number a)
{
  return a.den > 0;
}
static inline bool pf_number_is_wide(Number a)
{
  return a.den < 0;
}
static inline bool pf_number_is_exact(Number a)
{
  return a.den != NUMBER_DOUBLE;
}
static inline bool pf_number_is_same(Number a, Number b)
{
  return a.num == b.num && a.den == b.den;
}
static inline Number pf_number_int(int64_t value) /* not for INT64_MIN */
{
  return (Number){.num = value, .den = 1};
}
static inline bool pf_number_is(Number a, int64_t value)
{
  return a.den == 1 && a.num == value;
}
bool pf_number_is_whole(Number a); /* wide or not */
/* A whole number that fits 64 bits: its value is num. */
static inline bool pf_number_is_integer(Number a)
{
  return a.den == 1;
}

Number pf_number_rational(PfExprTable *table, int64_t num, int64_t den);
Number pf_number_double(double value);
Number pf_number_negative(Number a);
Number pf_number_add(PfExprTable *table, Number a, Number b);
Number pf_number_mul(PfExprTable *table, Number a, Number b);
Number pf_number_div(PfExprTable *table, Number a, Number b);
Number pf_number_inverse(PfExprTable *table, Number a);
Number pf_number_pow(PfExprTable *table, Number a, int64_t exponent);
/* Of exact numbers: gcd of the numerators over the least common multiple of the denominators, not negative. */
Number pf_number_gcd(PfExprTable *table, Number a, Number b);
double pf_number_value(Number a); /* the nearest double */
int pf_number_sign(Number a);
int pf_number_compare(PfExprTable *table, Number a, Number b); /* the sign of a - b */
/* sqrt(a) = outside*sqrt(inside), a positive rational, with squares taken out of the whole number inside. */
void pf_number_root(PfExprTable *table, Number a, Number *outside, Number *inside);
uint32_t pf_number_modulo(Number whole, uint32_t prime);
int pf_number_digits(Number whole); /* decimal ones, without the sign */
int64_t pf_gcd(int64_t a, int64_t b);

/* When a result may not be narrow: the same for all exact numbers (wide.c). */
typedef struct Big Big;
Number pf_wide_add(PfExprTable *table, Number a, Number b);
Number pf_wide_mul(PfExprTable *table, Number a, Number b);
Number pf_wide_inverse(PfExprTable *table, Number a);
Number pf_wide_gcd(PfExprTable *table, Number a, Number b);
double pf_wide_value(const Wide *a);
uint32_t pf_wide_hash(const Wide *a);
/* Numerator and denominator of |a|, and the number of these parts, which are cancelled on the way. */
void pf_number_parts(Number a, Big *num, Big *den);
Number pf_number_ratio(PfExprTable *table, int sign, Big *num, Big *den);

/* ---------------------------------------------------------------- table */

typedef struct Node {
  uint32_t first; /* operands: start in `args`; numbers: index in `numbers`; symbols: in `names` */
  uint32_t count; /* number of operands */
  uint32_t hash;
  uint32_t op;
} Node;

/* Symbols that are the entries of a rotation matrix, by rows. */
typedef struct Rotation {
  PfExpr entry[9];
} Rotation;

/* A prime field that was found below `asked`, with its root of unity once that was needed. */
typedef struct KnownField {
  int asked, number;
  PfField field;
  bool has_unity;
  PfCirclePoint unity;
} KnownField;

enum { LARGEST_KEPT = 8 };

/* The short form of an expression, the work spent to find it, and the budget needed to find it again. */
typedef struct Shortened {
  PfExpr best; /* PF_EXPR_NONE: not known */
  double work, need;
} Shortened;

typedef struct Factored Factored;
enum { PF_FACTORED_LISTS = 1024 };

struct PfExprTable {
  PfContext *ctx;
  const PfAllocator *allocator;
  PfArena *names_arena; /* also of wide numbers */
  PF_ARRAY(Node) nodes; /* nodes.at[0] is PF_EXPR_NONE */
  PF_ARRAY(PfExpr) args;
  PF_ARRAY(Number) numbers;
  const Wide **wides; /* hash table, NULL = free */
  size_t wide_room, wide_count;
  PF_ARRAY(const char *) names;
  PF_ARRAY(const char *) notations; /* of the first names, as far as one has a notation; NULL: by the name */
  PF_ARRAY(Rotation) rotations;
  /* of the first nodes: their shortest form, once it was found with the whole budget; else NONE */
  PF_ARRAY(PfExpr) simplest;
  PF_ARRAY(Shortened) shortened; /* of the first nodes, without looking into functions */
  PF_ARRAY(uint32_t) lengths; /* of the first nodes: that of their text, once it was measured; else 0 */
  Factored **factored; /* polynomials and their factors, lists by hash; see normal_factor.c */
  PF_ARRAY(KnownField) fields; /* finding a prime and its roots takes longer than a zero test in it */
  bool limited;  /* short forms are looked for with a budget that is limited in all */
  double budget; /* the remaining part */
  bool gave_up;  /* there was not enough since the limit was set */
  uint32_t *slots; /* hash table of handles, 0 = free */
  size_t slot_count;
  PfExpr small[2*LARGEST_KEPT + 1]; /* the handles of -8 … 8, as far as they exist */
  PfStatus failure; /* first failure since the last check */
  const char *cause;

  /* Marks of a walk: node i was seen in this walk when stamp[i] == epoch, and is number place[i] of it. */
  uint32_t *stamp, *place;
  size_t mark_room;
  uint32_t epoch;
};

PfExprTable *pf_expr_table(PfContext *ctx); /* makes it at first use; NULL without memory */
/* A table without anything in it, not even the handle PF_EXPR_NONE, as the one of the context; NULL without memory. */
PfExprTable *pf_expr_table_empty(PfContext *ctx);

/* Absorbs: remembers the first cause and gives PF_EXPR_NONE. */
PfExpr pf_expr_poison(PfExprTable *table, PfStatus status, const char *cause);

/* The number of the rotation that the symbol is an entry of (rotation.c), or -1; *entry unless NULL. */
int pf_rotation_of(const PfExprTable *table, PfExpr symbol, int *entry);

PfExpr pf_intern_number(PfExprTable *table, Number value);
PfExpr pf_intern(PfExprTable *table, PfOp op, const PfExpr *args, uint32_t count);

static inline const Node *node_of(const PfExprTable *table, PfExpr e)
{
  return table->nodes.at + e;
}
static inline const PfExpr *args_of(const PfExprTable *table, PfExpr e)
{
  return table->args.at + table->nodes.at[e].first;
}
static inline PfOp op_of(const PfExprTable *table, PfExpr e)
{
  return (PfOp)table->nodes.at[e].op;
}
static inline bool is_number(const PfExprTable *table, PfExpr e)
{
  PfOp op = op_of(table, e);
  return op == PF_OP_RATIONAL || op == PF_OP_DOUBLE;
}
/* The value of a number node. */
static inline Number number_of(const PfExprTable *table, PfExpr e)
{
  return table->numbers.at[table->nodes.at[e].first];
}
static inline bool is_integer(const PfExprTable *table, PfExpr e)
{
  return is_number(table, e) && pf_number_is_integer(number_of(table, e));
}

/* ---------------------------------------------------------------- sums and products */

typedef struct Term {
  PfExpr term;
  Number coefficient;
} Term;

typedef struct Factor {
  PfExpr base, exponent;
} Factor;

/* Builders live on the scratch arena of the context between a begin and an end of the caller. */
typedef struct SumBuilder {
  PfExprTable *table;
  Number constant;
  PF_ARRAY(Term) terms;
  Term few[8];
  bool failed;
} SumBuilder;

typedef struct ProductBuilder {
  PfExprTable *table;
  Number coefficient;
  PF_ARRAY(Factor) factors;
  Factor few[8];
  bool failed, zero_division;
} ProductBuilder;

/* Stable sort of items that start with a handle, by the handle; false without memory. */
bool pf_sort_by_handle(PfExprTable *table, void *items, size_t count, size_t size);

/* Stable merge sort of `count` items of `size` bytes, in which runs of `width` items are sorted already (1: none).
 * Unlike qsort it hands `user` to the comparison, and gives the same order everywhere. False without memory for a copy,
 * which is taken from the arena. */
typedef int PfCompare(const void *user, const void *a, const void *b);
bool pf_merge_sort(PfArena *arena, void *items, size_t count, size_t size, size_t width, PfCompare *compare,
                   const void *user);

void pf_sum_begin(SumBuilder *sum, PfExprTable *table);
void pf_sum_push(SumBuilder *sum, Number coefficient, PfExpr e);
PfExpr pf_sum_end(SumBuilder *sum);
void pf_product_begin(ProductBuilder *product, PfExprTable *table);
void pf_product_push(ProductBuilder *product, PfExpr base, PfExpr exponent);
PfExpr pf_product_end(ProductBuilder *product);
PfExpr pf_expr_scale(PfExprTable *table, Number factor, PfExpr e);

/* Splits e into number * rest, where rest has a positive leading coefficient and content 1. */
void pf_expr_content(PfExprTable *table, PfExpr e, Number *content, PfExpr *primitive);

/* A long sum stays whole in other sums and is taken as it is everywhere, like a symbol. A long product stays
 * whole in other products: the derivative of a deep chain of functions would be of quadratic size. */
enum { LONGEST_FLATTENED = 24 };
static inline bool is_long_sum(const PfExprTable *table, PfExpr e)
{
  return op_of(table, e) == PF_OP_SUM && node_of(table, e)->count > 2*LONGEST_FLATTENED;
}

static inline bool is_long_product(const PfExprTable *table, PfExpr e)
{
  return op_of(table, e) == PF_OP_PRODUCT && node_of(table, e)->count > 2*LONGEST_FLATTENED;
}

/* Is the leading coefficient of e negative (so that -e is the simpler one)? */
bool pf_expr_is_negative(const PfExprTable *table, PfExpr e);

/* ---------------------------------------------------------------- walks */

/* Nodes of the roots in creation order, in the arena; afterwards place[node] is its index in the list
 * until the next walk. */
PfStatus pf_walk(PfExprTable *table, PfArena *arena, const PfExpr *roots, int count, PfExpr **nodes,
                 int *node_count);

/* A walk over the roots on the scratch arena, with room for one value of `size` bytes per node, all bytes 0. */
typedef struct Sweep {
  PfExprTable *table;
  PfArena *scratch;
  PfMark mark;
  PfExpr *nodes; /* in creation order */
  int count;
  void *values;
} Sweep;

/* Begins a sweep. `purpose` is for the message when there is no memory; then nothing needs to be released. */
PfStatus pf_sweep_begin(PfContext *ctx, const PfExpr *roots, int root_count, size_t size, const char *purpose,
                        Sweep *sweep);
/* Releases nodes and values. */
void pf_sweep_end(const Sweep *sweep);

/* A node of the latest walk again, its operands replaced by images[place]. Uses the scratch arena. */
PfExpr pf_rebuild(PfExprTable *table, PfExpr e, const PfExpr *images);

/* The value in doubles of a function of one or two arguments; conditions are 1 or 0. NAN for other operations. */
double pf_function_value(PfOp op, double a, double b);

/* d f/d args[i] of a function node. */
PfExpr pf_function_partial(PfContext *ctx, PfExpr e, int i);

#endif
