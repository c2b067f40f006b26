/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: handles into a hash-consed table that lives in the context.
 *
 * Two expressions that are built alike are the same handle. Construction is canonical: sums collect like
 * terms, products collect like factors, numbers fold, and the cheap identities of the elementary functions
 * are applied. Expressions are built without checks: PF_EXPR_NONE absorbs, like a NaN, and the context
 * remembers the first cause; check once at the end of a formula with pf_expr_check. */
#ifndef PFAFF_EXPR_H
#define PFAFF_EXPR_H

#include "pfaff/base.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t PfExpr;
#define PF_EXPR_NONE ((PfExpr)0)

/* Kinds of node. A sum is c0 + c1 t1 + c2 t2 + … with numbers c and terms t; a product is b1^e1 b2^e2 …;
 * 3*x*y is a sum of one term, x^2 and sqrt(x) are products of one factor. */
typedef enum PfOp {
  PF_OP_NONE,
  PF_OP_RATIONAL, /* exact: numerator and denominator of up to 1024 bits */
  PF_OP_DOUBLE,   /* the nearest double to what is longer, and what is not rational */
  PF_OP_PI,
  PF_OP_SYMBOL,
  PF_OP_SUM,
  PF_OP_PRODUCT,
#define PF_FUNCTION(op, name, arity) op,
#include "pfaff/functions.def"
#undef PF_FUNCTION
  PF_OP_COUNT
} PfOp;

/* ---------------------------------------------------------------- construction */

/* Everything here returns a handle that lives as long as the context. Equal expressions have equal handles. Nothing
 * checks: PF_EXPR_NONE among the operands, a division by zero or a lack of memory gives PF_EXPR_NONE, and pf_expr_check
 * says why. */

/* A whole number. */
PF_API PfExpr pf_expr_int(PfContext *ctx, int64_t value);
/* den must not be 0. */
PF_API PfExpr pf_expr_rational(PfContext *ctx, int64_t num, int64_t den);
/* A finite double; small integers become rationals. */
PF_API PfExpr pf_expr_double(PfContext *ctx, double value);
/* The text of a decimal number, as 0.016 or -3e8, as an exact rational when it fits; else the double. */
PF_API PfExpr pf_expr_decimal(PfContext *ctx, const char *text);
/* The same for the shortest decimal that reads as this double: what somebody wrote who wrote a decimal. */
PF_API PfExpr pf_expr_shortest(PfContext *ctx, double value);
/* The number pi, exact. */
PF_API PfExpr pf_expr_pi(PfContext *ctx);
/* The symbol of that name; the same name gives the same symbol. */
PF_API PfExpr pf_expr_symbol(PfContext *ctx, const char *name);

/* Arithmetic: like terms and equal factors are collected, numbers worked out exactly; nothing is multiplied out. Sums
 * and products of many operands cost less in one call than one by one. */
PF_API PfExpr pf_expr_add(PfContext *ctx, PfExpr a, PfExpr b);
PF_API PfExpr pf_expr_sub(PfContext *ctx, PfExpr a, PfExpr b);
PF_API PfExpr pf_expr_neg(PfContext *ctx, PfExpr a);
PF_API PfExpr pf_expr_mul(PfContext *ctx, PfExpr a, PfExpr b);
PF_API PfExpr pf_expr_div(PfContext *ctx, PfExpr a, PfExpr b);
PF_API PfExpr pf_expr_pow(PfContext *ctx, PfExpr base, PfExpr exponent);
PF_API PfExpr pf_expr_pow_int(PfContext *ctx, PfExpr base, int exponent);
PF_API PfExpr pf_expr_sqrt(PfContext *ctx, PfExpr a);
PF_API PfExpr pf_expr_sum(PfContext *ctx, const PfExpr *terms, int count);
PF_API PfExpr pf_expr_product(PfContext *ctx, const PfExpr *factors, int count);

/* A function of functions.def; the number of arguments is the function's. */
PF_API PfExpr pf_expr_call(PfContext *ctx, PfOp function, const PfExpr *args);
/* The same for one and two arguments, and for `condition` (1 or 0) ? then : otherwise. */
PF_API PfExpr pf_expr_call1(PfContext *ctx, PfOp function, PfExpr a);
PF_API PfExpr pf_expr_call2(PfContext *ctx, PfOp function, PfExpr a, PfExpr b);
PF_API PfExpr pf_expr_if(PfContext *ctx, PfExpr condition, PfExpr then, PfExpr otherwise);

/* PF_OK unless some construction has failed since the last check: then the failure, recorded. */
PF_API PfStatus pf_expr_check(PfContext *ctx);

/* ---------------------------------------------------------------- looking at an expression */

/* The kind of its node. */
PF_API PfOp pf_expr_op(PfContext *ctx, PfExpr e);
/* Number of operands: of a sum 1 + 2*terms (c0, c1, t1, c2, t2, …), of a product 2*factors
 * (b1, e1, b2, e2, …), of a function its arity, else 0. */
PF_API int pf_expr_arg_count(PfContext *ctx, PfExpr e);
/* Operand i, counted from 0. */
PF_API PfExpr pf_expr_arg(PfContext *ctx, PfExpr e, int i);
/* The name of a symbol, which the context owns. */
PF_API const char *pf_expr_symbol_name(PfContext *ctx, PfExpr e);

/* What PF_LATEX prints for the symbol instead of what follows from its name; NULL: its name again. The text is copied
 * as it is: it must be one symbol with braces that fit. False when there is no memory. */
PF_API bool pf_expr_symbol_notation(PfContext *ctx, PfExpr symbol, const char *latex);
/* Says that nine symbols are the entries of a rotation matrix, by rows: zero tests and short forms know it from then
 * on. False when there is no memory. */
PF_API bool pf_expr_rotation(PfContext *ctx, const PfExpr entries[9]);
/* True for rationals whose numerator and denominator fit 64 bits; gives them (denominator > 0) unless NULL. */
PF_API bool pf_expr_is_rational(PfContext *ctx, PfExpr e, int64_t *num, int64_t *den);
/* True for rationals and doubles; gives the value unless NULL. */
PF_API bool pf_expr_is_number(PfContext *ctx, PfExpr e, double *value);
/* Is e this whole number? */
PF_API bool pf_expr_is_int(PfContext *ctx, PfExpr e, int64_t value);
/* Is e written as 0? Expressions that are zero for all values without looking so need pf_expr_is_zero. */
PF_API bool pf_expr_is_structural_zero(PfContext *ctx, PfExpr e);
/* Number of nodes in the table: handles run from 1 to this, and operands come before what uses them. */
PF_API uint32_t pf_expr_table_size(PfContext *ctx);
/* The name of a function as the language writes it, or NULL. */
PF_API const char *pf_function_name(PfOp function);
/* How many arguments the function has. */
PF_API int pf_function_arity(PfOp function);

/* ---------------------------------------------------------------- calculus */

/* All nodes that the roots are made of, operands first, in creation order. The list lives in `arena`. */
PF_API PfStatus pf_expr_reach(PfContext *ctx, PfArena *arena, const PfExpr *roots, int count,
                              PfExpr **nodes, int *node_count);

/* Does any of the expressions contain any of the symbols? One walk over all of them. */
PF_API PfStatus pf_expr_contain(PfContext *ctx, const PfExpr *list, int list_count, const PfExpr *symbols, int count,
                                bool *found);
/* Does e contain any of the symbols? */
PF_API bool pf_expr_depends(PfContext *ctx, PfExpr e, const PfExpr *symbols, int count);

/* out[j] = sum_i d roots[j]/d symbols[i] * seeds[i]: one sweep however many symbols. With seeds = rates
 * it is the total time derivative. `out` may be `roots`. */
PF_API PfStatus pf_expr_derive_along(PfContext *ctx, const PfExpr *roots, int root_count,
                                     const PfExpr *symbols, const PfExpr *seeds, int count, PfExpr *out);

/* d e/d symbol. PF_EXPR_NONE (cause recorded) on failure. */
PF_API PfExpr pf_expr_diff(PfContext *ctx, PfExpr e, PfExpr symbol);

/* out[i] = d root/d symbols[i], by one backward sweep. */
PF_API PfStatus pf_expr_gradient(PfContext *ctx, PfExpr root, const PfExpr *symbols, int count,
                                 PfExpr *out);

/* The entries of a Jacobian that are not structurally zero, by rows. */
typedef struct PfJacobian {
  int rows, columns, count;
  int *row, *column;
  PfExpr *value;
} PfJacobian;
/* d roots/d symbols, one backward sweep for each root; the lists live in `arena`. */
PF_API PfStatus pf_expr_jacobian(PfContext *ctx, PfArena *arena, const PfExpr *roots, int root_count,
                                 const PfExpr *symbols, int symbol_count, PfJacobian *jacobian);

/* Replaces symbols[i] by values[i], all at once, in every root. Other parts than symbols are replaced where they stand
 * as they are: a sum is no part of a longer one. `out` may be `roots`. */
PF_API PfStatus pf_expr_substitute(PfContext *ctx, const PfExpr *roots, int root_count,
                                   const PfExpr *symbols, const PfExpr *values, int count, PfExpr *out);

/* Rewrites every root from its operands up: each node, made again from the images of its operands, is handed to
 * `image_of`, which gives what stands in its place (often the node itself). `out` may be `roots`. */
typedef PfExpr (*PfExprMap)(void *user, PfExpr e);
PF_API PfStatus pf_expr_map(PfContext *ctx, const PfExpr *roots, int root_count, PfExprMap image_of, void *user,
                            PfExpr *out);

/* Values of the roots where symbols[i] = values[i]; a symbol without a value makes NaN. */
PF_API PfStatus pf_expr_evaluate(PfContext *ctx, const PfExpr *roots, int root_count,
                                 const PfExpr *symbols, const double *values, int count, double *out);

/* Is a value of e right to the last digits however small it is? So are products of numbers and symbols. Sums may
 * cancel, and functions may be zeros that were rounded. */
PF_API bool pf_expr_keeps_digits(PfContext *ctx, PfExpr e);

/* Operations after sharing: what a straight-line evaluation of all roots together costs. */
typedef struct PfCount {
  int additions, multiplications, divisions, functions;
  int nodes;
} PfCount;
/* Counts them for all roots together. */
PF_API PfStatus pf_expr_operations(PfContext *ctx, const PfExpr *roots, int count, PfCount *operations);

/* ---------------------------------------------------------------- algebra */

typedef enum PfTruth { PF_FALSE, PF_TRUE, PF_UNKNOWN } PfTruth;

/* Is e zero for all values of its symbols? By the exact normal form: polynomials in the symbols and in
 * sines and cosines, reduced by sin^2 + cos^2 = 1 and the angle sums. PF_TRUE is a proof. PF_FALSE is one
 * for rational functions of symbols, sines and cosines; with other functions the answer is PF_TRUE or
 * PF_UNKNOWN. PF_UNKNOWN also when the form grows over its limit or FLINT is missing. */
PF_API PfTruth pf_expr_is_zero(PfContext *ctx, PfExpr e);

/* The same question by evaluation at `rounds` random points of a field of about 2^61 elements, sine and
 * cosine on the unit circle of the field. PF_TRUE is wrong with a probability of less than
 * (degree/2^61)^rounds; PF_FALSE is certain for rational functions of symbols, sines and cosines. */
PF_API PfTruth pf_expr_is_probably_zero(PfContext *ctx, PfExpr e, int rounds);

/* Are there normal forms: was FLINT found when the library was built, and is it there now? Without it expressions are
 * correct, but not always as short as they can be. */
PF_API bool pf_expr_has_normal_forms(PfContext *ctx);

/* The same expression in the shortest form that could be found within reason, for people to read. Without
 * FLINT, or when the expression is too large, e itself. */
PF_API PfExpr pf_expr_simplest(PfContext *ctx, PfExpr e);

/* Limits what all calls of pf_expr_simplest until pf_expr_unlimit may take together; past that they give e itself. An
 * budget of 1e7 is about half a second, and the same on every machine. A limit inside another one is left to that. True
 * when this call set the limit: then it must be ended. */
PF_API bool pf_expr_limit(PfContext *ctx, double budget);
/* Gives a limit that is set another budget, for what comes next. */
PF_API void pf_expr_set_budget(PfContext *ctx, double budget);
/* Is nothing left of it? */
PF_API bool pf_expr_is_exhausted(PfContext *ctx);
/* Ends it; true when there was not enough. */
PF_API bool pf_expr_unlimit(PfContext *ctx);

/* ---------------------------------------------------------------- printing */

typedef enum PfNotation { PF_TEXT, PF_LATEX, PF_C } PfNotation;

/* e in a notation, in the arena; NULL (cause recorded) when there is no memory or the text would be longer
 * than 16 MB, which happens when shared parts are written out again and again. */
PF_API const char *pf_expr_print(PfContext *ctx, PfArena *arena, PfExpr e, PfNotation notation);

/* How many letters, numbers and signs the text form has, without writing it; saturates at SIZE_MAX. */
PF_API size_t pf_expr_length(PfContext *ctx, PfExpr e);
/* The same in words: every name (with its primes), number, function and operator is one, brackets are none. */
PF_API size_t pf_expr_token_count(PfContext *ctx, PfExpr e);

/* Takes shared parts out of large expressions: the roots are rewritten in terms of new symbols named
 * prefix1, prefix2, …, defined in order by parts[i]. For roots shorter than `limit` (pf_expr_length) in
 * sum nothing is taken out. Lists live in `arena`. */
typedef struct PfParts {
  int count;
  PfExpr *names, *values;
} PfParts;
PF_API PfStatus pf_expr_share(PfContext *ctx, PfArena *arena, PfExpr *roots, int count,
                              const char *prefix, size_t limit, PfParts *parts);

/* Symbols that some of the roots show: there no part that contains one of them gets a name. */
typedef struct PfShown {
  const PfExpr *symbols;
  int count;
  const bool *roots; /* for each root */
} PfShown;
/* The same with such symbols; NULL: none. */
PF_API PfStatus pf_expr_share_around(PfContext *ctx, PfArena *arena, PfExpr *roots, int count, const PfShown *shown,
                                     const char *prefix, size_t limit, PfParts *parts);

#ifdef __cplusplus
}
#endif
#endif
