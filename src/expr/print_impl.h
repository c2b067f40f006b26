/* SPDX-License-Identifier: Apache-2.0 */
/* Inside printing: every node is laid out once, as a list of texts and operands; the text of a formula is
 * a walk over these lists, and its length a sum over them. */
#ifndef PF_PRINT_IMPL_H
#define PF_PRINT_IMPL_H

#include "expr/expr_impl.h"

/* A text, or, where text is NULL, the text of another node of the walk. */
typedef struct Piece {
  const char *text;
  uint32_t place;
} Piece;

/* The sort key of a node among others. */
typedef struct Key {
  int order;             /* most primes of a symbol in it: 1 for velocities, 2 for accelerations */
  int rank;              /* place in a product: numbers, symbols, sums, functions, velocities, … */
  const char *lead;      /* name of its first symbol, NULL without symbols */
  const Factor *factors; /* of a product, in the order of people */
  uint32_t factor_count; /* 1 when it is not a product */
} Key;

typedef struct Printer {
  PfExprTable *table;
  PfArena *arena;   /* holds everything of one print */
  PfExpr one;
  PfExpr *nodes;    /* of the walk */
  int node_count;
  Key *keys;        /* per node of the walk */
  size_t *first;    /* the pieces of node i are first[i] … first[i + 1] - 1 */
  size_t *length;   /* of the text of node i, in letters or in words */
  bool words;
  bool measures;    /* only the length in letters is wanted */
  PF_ARRAY(Piece) pieces;
  bool failed;      /* no memory */
} Printer;

/* ---------------------------------------------------------------- order for people */

/* The key of a node whose operands have theirs. */
void pf_print_key(Printer *p, int i);

static inline const Key *key_of(const Printer *p, PfExpr e)
{
  return p->keys + p->table->place[e];
}

/* A factor with its exponent, which is positive if it is a number. */
typedef struct Power {
  PfExpr base, exponent;
  Number number; /* the exponent, if it is a number, else 0 */
} Power;

/* |coefficient| times a term as one fraction. */
typedef struct Fraction {
  Number size; /* the absolute value of the coefficient */
  Power *above, *below;
  uint32_t above_count, below_count;
} Fraction;

/* A sum or product: the signs, and each term by `put`; a positive term first if there is one. */
void pf_put_terms(Printer *p, PfExpr e, void (*put)(Printer *p, const Fraction *fraction));

/* A square root has this exponent. */
static inline bool is_half(Number exponent)
{
  return exponent.num == 1 && exponent.den == 2;
}

/* ---------------------------------------------------------------- pieces */

void pf_put(Printer *p, const char *text); /* lives as long as the printer */
void pf_put_expr(Printer *p, PfExpr e);
void pf_put_copy(Printer *p, const char *text);
void pf_put_format(Printer *p, const char *format, ...) PF_PRINTF(2, 3);
void pf_put_all(Printer *p, const char *before, PfExpr e, const char *after);

/* The fewest digits that read back as the same double. */
enum { DOUBLE_TEXT = 32 };
void pf_double_text(double value, char text[DOUBLE_TEXT]);

/* A number as it is written, without its sign: a rational that fits 64 bits as a fraction; a wide one as a decimal that
 * is exact, or as a fraction, when that has at most 64 digits; else as the nearest double. */
enum { NUMBER_TEXT = 72 };
typedef struct NumberText {
  char above[NUMBER_TEXT], below[NUMBER_TEXT]; /* below is empty unless it is a fraction */
} NumberText;
void pf_number_text(Number value, NumberText *text);
bool pf_number_is_fraction(Number value); /* is it written as one? */

/* Is it written as an operator between its arguments, so that it needs brackets? */
static inline bool is_infix(PfOp op)
{
  return op >= PF_OP_LESS && op <= PF_OP_NOT;
}

/* ---------------------------------------------------------------- notations */

/* Each puts the pieces of one node. */
void pf_lay_out_text(Printer *p, PfExpr e);
void pf_lay_out_latex(Printer *p, PfExpr e);
void pf_lay_out_c(Printer *p, PfExpr e);

#endif
