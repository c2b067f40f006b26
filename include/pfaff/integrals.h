/* What stays constant: constraints that are holonomic in disguise, and conserved quantities. */
#ifndef PFAFF_INTEGRALS_H
#define PFAFF_INTEGRALS_H

#include "pfaff/mech.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- integrability */

/* How the admissible velocities grow when Lie brackets are added: D, D + [D, D], D + [D, D] + [D, [D, D]], … */
typedef struct PfGrowth {
  int length;   /* of the growth vector; the degree of nonholonomy when it is complete */
  int *rank;    /* after brackets of 1, 2, … fields */
  bool exact;   /* decided in exact arithmetic, else by singular values */
  bool complete; /* longer brackets add nothing; else a limit was reached */
  const char *why_not; /* why there is no growth vector, else NULL */
} PfGrowth;

/* A combination of constraints that is holonomic. */
typedef struct PfIntegral {
  PfExpr *weight;  /* m: sum weight[i]*(constraint i) = d(integral)/dt */
  PfExpr *form;    /* space: the same in the differentials of the coordinates */
  PfExpr integral; /* is constant */
  bool declared;   /* the user has written it as a holonomic constraint */
  bool for_values; /* holds for the values of the parameters only */
} PfIntegral;

typedef struct PfIntegrability {
  int space;      /* coordinates, and time when constraints contain it or have free terms */
  bool timed;
  int rank;       /* of the constraints, at a generic configuration */
  PfExpr *coordinate; /* space */
  int field_count;
  PfExpr *fields; /* field_count x space: they span the admissible velocities at a generic configuration */
  PfGrowth generic;
  bool has_given;
  PfExpr *at;     /* space: the given configuration, by exact numbers where they could be recognised */
  bool at_exact;
  int given_rank; /* of the constraints there */
  PfGrowth given;
  int holonomic;  /* how many independent combinations of the constraints are integrable */
  int integral_count; /* how many of them were found */
  PfIntegral *integrals;
  const char *assumed; /* a function about which nothing is known to algebra occurs: no relations were assumed; or NULL */
} PfIntegrability;

/* Studies the distribution of admissible velocities with the values of the parameters (`parameters` overrides them as
 * elsewhere), at a generic configuration, and at the one in `values` (numbers of pf_equations_symbols) unless NULL. Lives
 * in `arena`. Fails with PF_ERR_MODEL for constraints that are not linear in the velocities. */
PF_API PfStatus pf_integrability(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                                 const double *values, PfIntegrability *result);

#ifdef __cplusplus
}
#endif
#endif
