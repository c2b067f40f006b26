/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions at random points of prime fields. Other modules may include this.
 *
 * Rational functions of symbols, sines, cosines, exponentials and roots map to their images in the field, so an
 * identity of the functions holds at every point, and a false one fails at almost every point: Schwartz, J. ACM 27
 * (1980) 701-717. Of every other function only this is known: equal arguments give equal values. */
#ifndef PF_EXPR_FIELD_H
#define PF_EXPR_FIELD_H

#include "expr/prime.h"
#include "pfaff/expr.h"

typedef struct PfProbe PfProbe;

/* Makes expressions ready; the probe lives in the arena and is at no field yet. */
PfStatus pf_probe_make(PfContext *ctx, PfArena *arena, const PfExpr *roots, int count, PfProbe **probe);

/* Goes on to the next field that has all square roots of numbers that occur; false when none is left. */
bool pf_probe_next_field(PfProbe *probe);
const PfField *pf_probe_field(const PfProbe *probe);

/* The value of an expression that divides by zero at a point, or takes a root of an element that has none. */
#define PF_UNDEFINED UINT64_MAX

/* The roots at the point that the seed says. */
void pf_probe_evaluate(PfProbe *probe, uint64_t seed, uint64_t *values);

/* The name of a function in a root of which nothing is known, or NULL. */
const char *pf_probe_outside(const PfProbe *probe, int root);

/* How many different square roots of something that is not a number there are. At a point each of them has a
 * value with a chance of one half. */
int pf_probe_square_roots(const PfProbe *probe);

/* A bound of the degrees, when all roots are written over one denominator as polynomials in the random values: of the
 * denominator, and of every numerator. Infinite when it is too large for a number. */
PfStatus pf_probe_degree(const PfProbe *probe, PfArena *scratch, double *degree);

#endif
