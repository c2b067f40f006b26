/* SPDX-License-Identifier: Apache-2.0 */
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
  const char *assumed; /* a function in the constraints that was taken to obey no algebraic relation, or NULL */
} PfIntegrability;

/* Studies the distribution of admissible velocities with the values of the parameters (`parameters` overrides them as
 * elsewhere), at a generic configuration, and at the one in `values` (numbers of pf_equations_symbols) unless NULL.
 * Lives in `arena`. Fails with PF_ERR_MODEL for constraints that are not linear in the velocities. */
PF_API PfStatus pf_integrability(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                                 const double *values, PfIntegrability *result);

/* ---------------------------------------------------------------- conserved quantities */

typedef enum PfInvariantKind {
  PF_INVARIANT_ENERGY,    /* kinetic and potential, less the work of forces when that is a function of position */
  PF_INVARIANT_JACOBI,    /* sum p v - L, where it is another quantity */
  PF_INVARIANT_MOMENTUM,  /* of a coordinate, along a pseudo-velocity, of all bodies */
  PF_INVARIANT_LINEAR,    /* linear in the velocities */
  PF_INVARIANT_QUADRATIC,
  PF_INVARIANT_HOLONOMIC  /* a combination of constraints in disguise; those the user wrote as holonomic are left out */
} PfInvariantKind;
PF_API const char *pf_invariant_kind_name(PfInvariantKind kind);

typedef struct PfInvariant {
  PfInvariantKind kind;
  const char *name; /* of a momentum: "momentum of phi", "angular momentum of all bodies about z"; else NULL */
  PfExpr value;     /* in coordinates, velocities, time and parameters, in the shortest form found; with free and ball
                       joints in angular velocities and direction cosines (PfQuasi) */
  PfExpr by_coordinates; /* the same in coordinates and velocities of the model, for numbers */
  bool general;     /* constant for all values of the parameters that are not 0, not only for the given ones */
  bool between;     /* constant between switches only: it, an energy or a constraint jumps (if, sign, a comparison) */
  bool dependent;   /* an energy that is a function of the others */
  PfTruth proof;    /* PF_TRUE: its rate is zero by the normal form as well as at points of prime fields; PF_UNKNOWN:
                       only at points, where the chance of an error is less than 2^-100 */
} PfInvariant;

typedef struct PfInvariants {
  int count;
  PfInvariant *at;
  int tried;           /* how many functions the combinations were made of */
  const char *why_not; /* why nothing could be looked for, else NULL */
} PfInvariants;

/* Conserved quantities of the motion, functionally independent: energy; combinations of momenta and velocities with
 * coefficients that are products of sines, cosines and coordinates; squares of momenta and velocities. Constants in
 * them are fractions. What is not of this kind is not found. Lives in `arena`. */
PF_API PfStatus pf_invariants_find(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                   const double *parameters, PfInvariants *invariants);

/* ---------------------------------------------------------------- invariant measures */

/* |f|^power, or exp(power*f). */
typedef struct PfDensityFactor {
  PfExpr f;
  double power;
  bool exponential;
  bool positive; /* wherever there is inertia: exponentials, principal minors of G */
} PfDensityFactor;

/* A measure of the reduced equations q' = v(q, omega), G omega' = g that the motion keeps. */
typedef struct PfDensity {
  bool found;
  PfExpr density;         /* of the volume of `variables` */
  PfExpr multiplier;      /* Chaplygin's reducing multiplier N(q), dtau = N dt; else PF_EXPR_NONE */
  int factor_count;
  PfDensityFactor *factors;
  bool smooth;            /* and positive */
  bool general;           /* for all values of the parameters that are not 0, not only for the given ones */
  PfTruth proof;          /* PF_TRUE: div(density*rate) is zero by the normal form, too, not only at points of prime
                           * fields */
  int variable_count;
  const char **variables; /* coordinates on which the equations of the pseudo-velocities depend, then these */
  bool attitudes;         /* attitudes too, with the volume of rotations */
  int tried_count;        /* functions of which the density may be made */
  PfExpr *tried;
  const char *why_not;    /* why there was no search, else NULL */
} PfDensity;

/* Searches densities that are products of powers of the functions `tried` and exponentials of functions of position,
 * the smooth ones first; powers are fractions. Lives in `arena`. */
PF_API PfStatus pf_measure_find(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                                PfDensity *density);

#ifdef __cplusplus
}
#endif
#endif
