/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the expression module: the building blocks of zero tests and short forms. */
#ifndef PF_EXPR_NORMAL_H
#define PF_EXPR_NORMAL_H

#include "expr/expr_impl.h"

/* ---------------------------------------------------------------- angles */

/* An argument of functions that turn sums into products, taken apart:
 * argument = sum_i multiple_i*atom_i/divisor_i + turn*pi. */
typedef struct AnglePart {
  int atom;
  int64_t multiple;
} AnglePart;

typedef struct Angle {
  PfExpr argument;
  AnglePart *parts;
  int part_count;
  Number turn;
} Angle;

typedef struct Angles {
  Angle *at;
  int count;
  int *of_node; /* per node of the walk: the angle of its argument, -1 for other nodes */
  PfExpr *atoms;
  int64_t *divisors;
  int atom_count;
  bool certain; /* the atoms are known to be independent over the rational numbers */
} Angles;

typedef enum AngleKind {
  CIRCULAR,   /* sin, cos, tan */
  HYPERBOLIC, /* exp, sinh, cosh, tanh */
} AngleKind;

typedef enum AngleStyle {
  ANGLES_EXPANDED,   /* sums and products are multiplied out; the atoms are monomials */
  ANGLES_AS_WRITTEN, /* every argument is an atom */
} AngleStyle;

/* Takes the arguments of all functions of one kind apart, among the nodes of the latest walk. Multiples of
 * pi whose denominator divides `turns` are kept apart as turns, unless turns is 0. Everything lives in the
 * arena. */
PfStatus pf_angles_find(PfExprTable *table, PfArena *arena, const PfExpr *nodes, int node_count,
                        AngleKind kind, AngleStyle style, int64_t turns, Angles *angles);

/* Could every angle be chosen freely, whatever the others are? */
bool pf_angles_are_free(PfArena *arena, const Angles *angles);

/* Takes some of the angles for the atoms if that makes the multiples smaller: with q1, q1 + q2, q1 + q2 + q3
 * the sums are better atoms than the q. False without memory. */
bool pf_angles_rebase(PfExprTable *table, PfArena *arena, Angles *angles);

static inline bool is_circular(PfOp op)
{
  return op == PF_OP_SIN || op == PF_OP_COS || op == PF_OP_TAN;
}
static inline bool is_hyperbolic(PfOp op)
{
  return op == PF_OP_SINH || op == PF_OP_COSH || op == PF_OP_TANH || op == PF_OP_EXP;
}

/* The narrow rational that a number is exactly: every double is rational, but not all fit 64 bits. */
bool pf_number_as_narrow(Number number, Number *rational);

/* ---------------------------------------------------------------- polynomials in variables */

/* Variables of polynomials: expressions that are not looked into. */
typedef enum VarKind { VAR_PLAIN, VAR_SINE, VAR_COSINE } VarKind;

typedef struct Var {
  PfExpr expr;
  VarKind kind;
  int angle; /* of a sine or cosine, else -1 */
  int cost;  /* length of its text, in brackets if it is a sum */
} Var;

typedef struct Collected Collected; /* a polynomial and its short form, see normal_collect.c */

typedef struct Vars {
  PfExprTable *table;
  PfArena *arena; /* of everything that is made from these variables */
  Var *at;
  int count, room;
  PfExpr *angles;
  int angle_count, angle_room;
  Collected **collected; /* lists by hash, NULL before the first */
  int factorings; /* how many polynomials may still be factored */
  double work;    /* how many terms may still be looked at, or multiplied */
  double need;    /* with how much at the start the same normal form is found */
  bool failed;    /* no memory, too much work, a number that does not fit: results are worthless */
} Vars;

typedef struct VarPower {
  int var, exponent; /* not 0, may be negative */
} VarPower;

typedef struct Monomial {
  Number coefficient; /* whole, may be wide */
  int count;
  const VarPower *powers; /* sorted by variable */
} Monomial;

/* Terms are sorted, and no two are alike. */
typedef struct Poly {
  int count;
  Monomial *terms;
} Poly;

void pf_vars_init(Vars *vars, PfExprTable *table, PfArena *arena, double work);
/* Takes from the work that is left; with nothing left, the variables have failed. */
void pf_vars_spend(Vars *vars, int terms);
/* The variable for an expression that is not a number. One that is new is paid for. */
enum { PF_COST_OF_VAR = 100 };
int pf_var(Vars *vars, PfExpr e);

/* Room for some terms. */
Poly pf_poly_make(Vars *vars, int room);
Monomial pf_monomial_times(Vars *vars, Monomial a, Monomial b);
/* Divides by variables: exponents may become negative. */
Monomial pf_monomial_over(Vars *vars, Monomial a, Monomial b);
int pf_monomial_compare(const Monomial *a, const Monomial *b); /* without the coefficients */
static inline int pf_monomial_exponent(const Monomial *a, int var)
{
  int i = 0;
  while (i < a->count && a->powers[i].var < var) i++;
  return i < a->count && a->powers[i].var == var ? a->powers[i].exponent : 0;
}
/* Sorts and collects like terms. */
void pf_poly_tidy(Vars *vars, Poly *poly);

/* ---------------------------------------------------------------- normal form */

typedef struct NormalStyle {
  AngleStyle angles;
  bool inverse_vars; /* 1/f is a variable, so that nothing is brought to a common denominator */
  int rotation; /* entries of rotation matrices are reduced, preferring columns from this one (1, 2, 3) on; 0: not */
  bool first_row;       /* where there is a choice, the first row is written rather than the second */
  bool readable;        /* doubles (but short binary fractions) and roots of fractions are variables */
} NormalStyle;

/* The variables of the polynomial ring. */
typedef enum GeneratorKind {
  GENERATOR_VAR,     /* key: a symbol, pi, a double, a call of a function, a power */
  GENERATOR_SINE,    /* key: an angle; s^2 = 1 - c^2 with the generator after it */
  GENERATOR_COSINE,
  GENERATOR_ROOT,    /* key: a base; its power `degree` is the base, up to a denominator */
  GENERATOR_GROWTH,  /* key: an exponent, of e */
  GENERATOR_COSH,    /* key: an argument; C^2 = 1 + S^2 with the generator after it */
  GENERATOR_SINH,
  GENERATOR_INVERSE, /* key: a base, to the power -1 */
} GeneratorKind;

typedef struct Generator {
  GeneratorKind kind;
  PfExpr key;
  int degree;
} Generator;

/* The expressions to convert, and the variables to convert them into. */
typedef struct NormalPlan {
  PfExprTable *table;
  PfArena *arena;
  NormalStyle style;
  PfExpr *nodes; /* of the walk; the root is the last one */
  int node_count;
  bool *needed;  /* per node: is its own form wanted? */
  Angles circular, hyperbolic;
  Generator *generators;
  int generator_count;
  int *rotations, rotation_count; /* the first of nine generators of each rotation that occurs */
} NormalPlan;

enum { MOST_GENERATORS = 250 };

/* False when there are too many variables, or no memory. */
bool pf_normal_plan(PfExprTable *table, PfArena *arena, PfExpr e, NormalStyle style, NormalPlan *plan);
/* The number of a generator, -1 if there is none. */
int pf_generator_find(const NormalPlan *plan, GeneratorKind kind, PfExpr key);
/* Exponents m/n that make a root with a relation; n is 1 for whole numbers. */
bool pf_is_root_exponent(const PfExprTable *table, PfExpr exponent, Number *rational);
/* Is base^exponent a root of a positive whole number, which is made of roots of primes? */
bool pf_is_number_root(const PfExprTable *table, PfExpr base, Number exponent);
/* The base or root whose inverse is a variable, for a negative exponent. */
PfExpr pf_inverse_key(PfExprTable *table, PfExpr base, Number exponent);
/* atom/divisor of an angle. */
PfExpr pf_angle_unit(PfExprTable *table, const Angles *angles, int atom);

/* numerator*scale/product of divisors^powers */
typedef struct NormalForm {
  Number scale;
  Poly numerator;
  int divisor_count;
  Poly *divisors;
  int *powers;
} NormalForm;

/* Is the normal form of e zero? PF_UNKNOWN when it would take more than a few tenths of a second, or without
 * FLINT. */
PfTruth pf_normal_is_zero(PfContext *ctx, PfExpr e);

/* The normal form in variables; false when there is none for half of the work that is left, and without
 * FLINT. */
bool pf_normal_form(Vars *vars, PfExpr e, NormalStyle style, NormalForm *form);

/* A generator is sign*variable^exponent. */
typedef struct Shown {
  int var, exponent, sign;
} Shown;
Shown pf_generator_show(Vars *vars, const Generator *generator);

/* ---------------------------------------------------------------- arithmetic, by FLINT */

/* Ratios of polynomials in the generators of a plan; they live as long as their ring. A function that returns NULL or
 * false has given up: no memory, too much work, or a division by zero. */
typedef struct Ring Ring;
typedef struct Ratio Ratio;

Ring *pf_ring_new(const NormalPlan *plan, double work);
void pf_ring_free(Ring *ring);
double pf_ring_work(const Ring *ring);           /* the remaining budget */
double pf_ring_need(const Ring *ring);           /* with how much all would be the same; INFINITY: it was not enough */
bool pf_ring_is_related(const Ring *ring, int g); /* is something known about powers of the generator? */

Ratio *pf_ratio_number(Ring *ring, Number number);
Ratio *pf_ratio_generator(Ring *ring, int g);
/* sum += a, and sum += sign*a*b */
bool pf_ratio_add(Ring *ring, Ratio *sum, const Ratio *a);
bool pf_ratio_add_product(Ring *ring, Ratio *sum, const Ratio *a, const Ratio *b, int sign);
/* product *= factor^n */
bool pf_ratio_multiply(Ring *ring, Ratio *product, const Ratio *factor, int64_t n);
/* product *= base^(n/degree), where g is the generator of that root. */
bool pf_ratio_multiply_root(Ring *ring, Ratio *product, int g, const Ratio *base, int64_t n);
bool pf_ratio_is_zero(const Ring *ring, const Ratio *a);
bool pf_ratio_is_equal(Ring *ring, const Ratio *a, const Ratio *b);
/* Tidies what is to be kept; false when too many terms are kept. */
bool pf_ratio_keep(Ring *ring, Ratio *ratio);
/* Writes the ratio in the variables that are printed, `form`. It is cancelled on the way, so it changes. False when it
 * is too long. */
bool pf_ratio_write(Ring *ring, Ratio *ratio, Vars *vars, NormalForm *form);

/* content * product of bases^powers, irreducible over the rational numbers. */
typedef struct Factors {
  Number content;
  int count;
  Poly *bases;
  int *powers;
} Factors;
bool pf_poly_factor(Vars *vars, const Poly *poly, Factors *factors);

/* ---------------------------------------------------------------- short forms */

/* a*m*(cos(p) cos(q) + sin(p) sin(q)) becomes a*m*cos(p - q) and so on, where both terms are there: fewer
 * terms, whatever the angles. True if there was any. */
bool pf_poly_contract(Vars *vars, Poly *poly);

/* m - m cos(p)^2 becomes m sin(p)^2, 2 m cos(p)^2 - m becomes m cos(2 p), and so on. True if there was
 * any. */
bool pf_poly_shorten_squares(Vars *vars, Poly *poly);

/* cos(p)^2 becomes 1 - sin(p)^2 for every angle for which that gives fewer terms. */
void pf_poly_prefer_sines(Vars *vars, Poly *poly);

/* Products of sines and cosines become sums: in every term at most one is left. The result is
 * poly*2^*halvings. False when it is too long, or there is no product. */
bool pf_poly_fourier(Vars *vars, const Poly *poly, Poly *sums, int *halvings);

/* The polynomial as one term: common factors are taken out, and the rest is a variable. */
Monomial pf_poly_collect(Vars *vars, const Poly *poly);

/* coefficient * variables^powers, as an expression. */
PfExpr pf_monomial_build(Vars *vars, Monomial term);

/* ---------------------------------------------------------------- zero tests */

/* pf_expr_is_probably_zero for many expressions at the same points: PF_TRUE when all are zero; else *which
 * (unless NULL) is the first that is not, certainly (PF_FALSE) or perhaps (PF_UNKNOWN). */
PfTruth pf_expr_all_probably_zero(PfContext *ctx, const PfExpr *roots, int count, int rounds, int *which);

#endif
