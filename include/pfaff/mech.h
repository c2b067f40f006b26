/* Model to equations.
 *
 *   M(q, t) q'' = F(q, q', t) + C + A^T lambda      (n rows; C: non-ideal forces)
 *   A(q, q', t) q'' = b(q, q', t)                   (m rows: each constraint at acceleration level)
 *
 * All entries are expressions in the symbols of the model; derived parameters keep their names. */
#ifndef PFAFF_MECH_H
#define PFAFF_MECH_H

#include "pfaff/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PfEquations {
  const PfModel *model;
  int n, m;
  PfExpr *M;        /* n x n, row-major, symmetric */
  PfExpr *F, *C;    /* n */
  PfExpr *A;        /* m x n */
  PfExpr *b;        /* m */
  PfExpr *position; /* m: what vanishes at position level; PF_EXPR_NONE when the constraint has none */
  PfExpr *velocity; /* m: what vanishes at velocity level; PF_EXPR_NONE for acceleration constraints */
  PfExpr *rate;     /* n: q' by the speeds, or the velocity symbols themselves */
  PfExpr kinetic, potential; /* of the whole model, bodies included */
  PfExpr *momentum; /* n: dT/dq' */
} PfEquations;

/* Derives the equations; they live in `arena`. */
PF_API PfStatus pf_equations_derive(PfContext *ctx, PfArena *arena, const PfModel *model, PfEquations *equations);

/* The symbols that numbers are given for when the equations are evaluated: parameters (derived ones too), time,
 * inputs, coordinates, velocities, multipliers; in this order. */
typedef struct PfSymbols {
  int count, parameters, time, inputs, q, v, lambda; /* where each group begins */
  PfExpr *symbol;
} PfSymbols;
PF_API PfStatus pf_equations_symbols(PfContext *ctx, PfArena *arena, const PfModel *model, PfSymbols *symbols);

/* What can be said about a system before it moves. */
typedef struct PfDiagnosis {
  int rank;                /* of A at a generic admissible configuration */
  int redundant_count;
  int *redundant;          /* constraints that follow from the others there */
  int degrees_of_freedom;  /* n - rank */
  int mass_rank;
  bool mass_singular;
  bool generic;            /* parameters without a value were given arbitrary ones */
  bool reached;            /* a configuration that satisfies the position constraints was found */
  bool start_consistent;
  double start_violation;  /* largest violation at the start, position or velocity level */
  int start_worst;         /* the constraint that is violated most, -1 if none */
  double *start_q, *start_v; /* n: with the contact coordinates solved for */
} PfDiagnosis;

/* Fails with PF_ERR_MODEL, naming the constraints, when constraints contradict each other. `parameters` overrides
 * values (NULL: none; NaN: not this one). */
PF_API PfStatus pf_diagnose(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                            PfDiagnosis *diagnosis);

/* Equations for people: each left side is a combination of the unknowns, everything in the shortest form. */
typedef struct PfEquation {
  const char *name; /* of the coordinate or constraint it belongs to */
  PfExpr left, right;
} PfEquation;

typedef struct PfDerivation {
  const char *form;
  int unknown_count, equation_count, part_count;
  PfExpr *unknowns;
  PfEquation *equations;
  PfExpr *part_names, *part_values; /* abbreviations, when the equations are long; in order of definition */
  PfEquations simple;               /* M, F, C, A, b in the shortest form */
} PfDerivation;

/* Lagrange's equations with multipliers: M q'' = F + C + A^T lambda and A q'' = b. Lives in `arena`. */
PF_API PfStatus pf_derive_lagrange(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                   PfDerivation *derivation);

#ifdef __cplusplus
}
#endif
#endif
