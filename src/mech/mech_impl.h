/* SPDX-License-Identifier: Apache-2.0 */
/* Inside mech: the parts of the derivation. */
#ifndef PF_MECH_IMPL_H
#define PF_MECH_IMPL_H

#include "base/base.h"
#include "model/model.h"
#include "pfaff/mech.h"

/* Adds to M, F, kinetic and potential what the bodies contribute (bodies.c). */
/* matrix_free.c: is it a tree of bodies so deep that their inertia is better left to the recursion? */
PfStatus pf_matrix_free_suits(PfContext *ctx, const PfModel *model, bool *suits);
PfStatus pf_derive_bodies(PfContext *ctx, PfArena *scratch, const PfModel *model, PfEquations *equations);

/* Frames that carry bodies, themselves or further out; and those of them whose own turn does not matter: they turn
 * about a coordinate axis, carry bodies that are round about it, and nothing further out (wheels.c). All false before.
 */
void pf_frames_used(const PfModel *model, bool *used);
void pf_frames_round(const PfModel *model, const bool *used, bool *round);

/* Writes quotients that are signs as such: x'/abs(x') is sign(x'), which has a value at rest (switches.c). */
PfStatus pf_write_signs(PfContext *ctx, PfExpr *list, int count);


/* The velocity of the centre of mass and the angular velocity of each body, in its own axes (those of a wheel do not
 * spin with it): for each body six linear forms, coefficients of the pseudo-velocities and a free term (velocities.c).
 */
PfStatus pf_body_velocities(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                            const PfKinematics *kinematics, PfExpr **forms);

/* G_ab = d^2T/domega_a domega_b from these, body by body, each entry as short as it can be found. */
PfStatus pf_reduced_inertia(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                            const PfKinematics *kinematics, const PfExpr *forms, PfExpr *G);

/* The inertia forces of a body with velocities y = (V, W) in its axes and these rates: m (V' + W x V), I W' + W x I
 * W. */
void pf_inertia_force(PfContext *ctx, const PfBody *body, const PfExpr y[6], const PfExpr rate[6], PfExpr force[6]);

/* The contributions of bodies to g of G omega' = g: their inertia forces at constant omega, along each omega. */
PfStatus pf_inertia_forces(PfContext *ctx, const PfEquations *equations, const PfKinematics *kinematics,
                           const PfExpr *forms, PfExpr *out);

/* Applied forces and potential along each omega: Q_a = (applied + C) N_a - dV. */
PfStatus pf_reduced_forces(PfContext *ctx, PfArena *arena, const PfEquations *equations, const PfKinematics *kinematics,
                           PfExpr *forces);

/* N = dv/domega and the drift of v(omega) (kinematics.c). */
PfStatus pf_kinematics_settle(PfContext *ctx, const PfEquations *equations, PfKinematics *kinematics);

/* Pseudo-velocities that are velocities of coordinates; those in `kept` (n; NULL: any may be solved for) are among
 * them. `*rank` rows were solved: fewer than without `kept` where it leaves too few velocities (kinematics.c). */
PfStatus pf_kinematics_by_coordinates(PfContext *ctx, PfArena *arena, const PfEquations *equations, const bool *kept,
                                      PfKinematics *kinematics, int *rank);

/* Derivatives of expressions along the direction of omega_a, q -> dv/domega_a, at constant velocities (reduce.c). */
PfStatus pf_along_omega(PfContext *ctx, PfArena *arena, const PfEquations *equations, const PfKinematics *kinematics,
                        int a, const PfExpr *e, int count, PfExpr *out);

/* The names in `list`, with commas between, as marks of coordinates and their number (embed.c). */
PfStatus pf_independent_read(PfContext *ctx, const PfModel *model, const char *list, bool *kept, int *count);

/* Fails when constraints are redundant only where they hold: pivots would vanish just there (kinematics.c). */
PfStatus pf_check_rank(PfContext *ctx, PfArena *arena, const PfEquations *equations);

/* Exchanges pseudo-velocities that the program has chosen for absolute ones where that is shorter (absolute.c). */
PfStatus pf_absolute_rates(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfKinematics *kinematics);

/* Reduced equations as an author writes them, with names for expressions that deserve one (reduced_rows.c). */
enum { PF_MOST_AUTHORED = 64 };
typedef struct PfReducedRows {
  PfEquation *equations; /* one for each pseudo-velocity */
  int part_count;
  PfExpr *part_names, *part_values; /* a name with a prime is the rate of that */
} PfReducedRows;
PfStatus pf_reduced_begin(PfContext *ctx, PfArena *arena, const PfKinematics *kinematics, PfReducedRows *authored);
/* Gives a name like the stem, and one to its rate. */
PfStatus pf_reduced_name(PfContext *ctx, PfArena *arena, const PfModel *model, const PfKinematics *kinematics,
                         const char *stem, PfReducedRows *authored, PfExpr value, PfExpr *symbol, PfExpr *rate);
/* Does e depend on coordinates, velocities, inputs or time? */
bool pf_is_moving(PfContext *ctx, const PfModel *model, const PfKinematics *kinematics, PfExpr e);
/* With named velocities of bodies (newton_euler.c); `good` is false where there are too many. */
PfStatus pf_reduced_newton_euler(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                 const PfKinematics *kinematics, const PfExpr *forms, const PfReducedForm *form,
                                 const PfExpr *forces, PfReducedRows *authored, bool *good);
/* Names for expressions that occur more than once (names.c). */
PfStatus pf_reduced_add_names(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                              const PfKinematics *kinematics, PfReducedRows *authored);
/* Names for products of moving factors that occur in many terms of a long derivation (products.c). */
PfStatus pf_name_products(PfContext *ctx, PfArena *arena, const PfEquations *equations, const PfKinematics *kinematics,
                          PfDerivation *derivation);
/* e, simplified by the constraints on positions where that makes it shorter (positions.c). */
PfStatus pf_use_positions(PfContext *ctx, const PfEquations *equations, const PfKinematics *kinematics, PfExpr *e);
PfStatus pf_write_reduced(PfContext *ctx, PfArena *arena, const PfEquations *equations, const PfKinematics *kinematics,
                          PfReducedForm *form, PfReducedRows *authored);

/* Formula i of a derivation: left and right sides of `count` equations by turns, then the values of names. */
static inline PfExpr *pf_formula_at(PfEquation *equations, int count, PfExpr *values, int i)
{
  if (i >= 2*count) return values + (i - 2*count);
  return i%2 ? &equations[i/2].right : &equations[i/2].left;
}
/* All nodes of these formulas, `part_count` values among them; the lists are in the arena. `roots` (or NULL) gets the
 * list of the formulas. */
PfStatus pf_formulas_reach(PfContext *ctx, PfArena *arena, PfEquation *equations, int count, PfExpr *values,
                           int part_count, PfExpr **roots, PfExpr **nodes, int *node_count);

/* The one with fewer words; a of equal ones. */
PfExpr pf_shorter(PfContext *ctx, PfExpr a, PfExpr b);

/* Auxiliary states and their rates for given velocities of all coordinates (reduce.c). */
PfStatus pf_auxiliary_rates(const PfModel *model, const PfExpr *velocity, PfExpr *symbols, PfExpr *rates);

/* Numbers of all symbols of a model in angular velocities from those of the original (quasi.c). */
PfStatus pf_quasi_values(PfContext *ctx, PfArena *arena, const PfEquations *equations, const PfSymbols *symbols,
                         const double *original, double *values);

/* Pseudo-velocities of a model with free and ball joints: those of the model in angular velocities, by quaternions; N
 * and drift are left open. */
PfStatus pf_quasi_kinematics(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfKinematics *kinematics);


/* Adds to the derivation the divisors that must not vanish for a form to hold: without factors that are constant or
 * cannot vanish, and none twice (conditions.c). */
PfStatus pf_conditions_find(PfContext *ctx, PfArena *arena, const PfEquations *equations, const PfExpr *divisors,
                            int count, PfDerivation *derivation);

/* Adds the divisors of the formulas of the derivation that are certain to vanish somewhere. */
PfStatus pf_conditions_complete(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfDerivation *derivation);

/* Are all constraints such on velocities that the motion without them keeps by itself (integral.c)? */
PfStatus pf_constraints_are_integrals(PfContext *ctx, PfArena *arena, const PfEquations *equations, bool *yes);

/* The symbol with one more prime: the rate of the quantity with that name. */
PfExpr pf_rate_symbol(PfContext *ctx, PfExpr name);

/* Gives a title to the next equations after those of motion (present.c). */
void pf_derivation_section(PfDerivation *derivation, const char *title, int count);

/* Do the first equations of the derivation, or its abbreviations, contain one of these symbols (attitude.c)? */
bool pf_derivation_contains(PfContext *ctx, const PfDerivation *derivation, int equations, const PfExpr *symbols,
                            int count);

/* Adds how the attitude follows from the angular velocities (attitude.c). */
PfStatus pf_attitude_add(PfContext *ctx, PfArena *arena, const PfModel *model, PfDerivation *derivation);

/* Equations of motion between vectors, and how attitudes follow, where that is shorter (vectors.c). */
PfStatus pf_vector_motion(PfContext *ctx, PfArena *arena, const PfEquations *equations, const PfKinematics *kinematics,
                          const PfReducedForm *form, PfDerivation *derivation);
PfStatus pf_vector_attitude(PfContext *ctx, PfArena *arena, const PfModel *model, PfDerivation *derivation);

/* G u' = g + Xi^T tau and its matrices (matrices.c). */
PfStatus pf_derive_matrices(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                            const PfKinematics *kinematics, const PfReducedForm *form, PfDerivation *derivation);

/* Names a matrix by the stem, or like it where that is taken, and adds it to the derivation (matrices.c). */
PfStatus pf_matrix_add(PfContext *ctx, PfArena *arena, PfDerivation *derivation, const char *stem, int rows,
                       int columns, PfExpr *entries, PfExpr *name);

/* Appends a printed line of such equations to a list, as text and as LaTeX. */
PfStatus pf_line_add(PfContext *ctx, PfArena *arena, PfLine **lines, int *count, const PfText *text,
                     const PfText *latex);

/* Budget of the search for short forms in a derivation, and again in its steps: about half a second each. */
#define PF_DERIVE_BUDGET 6e6

/* Steps of a derivation (steps.c): a title, then the computed quantities: what_of = value, in the shortest form. */
void pf_step_begin(PfDerivation *derivation, const char *title);
PfStatus pf_step_add(PfContext *ctx, PfArena *arena, PfDerivation *derivation, const char *what, const char *of,
                     PfExpr value);
/* An entry of a matrix, unless it is zero. */
PfStatus pf_step_entry(PfContext *ctx, PfArena *arena, PfDerivation *derivation, const char *what, const char *row,
                       const char *column, PfExpr value);
/* The symbol what_of for formulas of steps: that of another line, or of a quantity without one, as a formal
 * momentum. */
PfStatus pf_step_symbol(PfContext *ctx, PfArena *arena, const PfDerivation *derivation, const char *what,
                        const char *of, PfExpr *symbol);
/* The other side of a bracket of P_a: P of a pseudo-velocity, or, where `of` is NULL, words and their LaTeX form. */
typedef struct PfBracketEnd {
  const char *of, *plain, *latex;
} PfBracketEnd;
/* A Poisson bracket {P_of, second}; `star`: "*" where the momenta are put in, else "". */
PfStatus pf_step_bracket(PfContext *ctx, PfArena *arena, PfDerivation *derivation, const char *of,
                         const PfBracketEnd *second, const char *star, PfExpr value);
PfStatus pf_steps_of_energies(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfDerivation *derivation);
PfStatus pf_steps_of_forces(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfDerivation *derivation);
PfStatus pf_steps_of_constraints(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                 PfDerivation *derivation);
PfStatus pf_steps_of_lagrange(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfDerivation *derivation);
PfStatus pf_steps_of_kinematics(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                const PfKinematics *kinematics, PfDerivation *derivation);
PfStatus pf_steps_of_maggi(PfContext *ctx, PfArena *arena, const PfEquations *equations, const PfKinematics *kinematics,
                           PfDerivation *derivation);
/* Those of Tatarinov's equations (reduce.c). */
PfStatus pf_steps_of_laconic(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                             const PfKinematics *kinematics, PfDerivation *derivation);

/* Those of Gibbs' and Appell's, and of Kane's equations (gibbs_appell.c, kane.c). */
PfStatus pf_steps_of_gibbs_appell(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                  const PfKinematics *kinematics, PfDerivation *derivation);
PfStatus pf_steps_of_kane(PfContext *ctx, PfArena *arena, const PfEquations *equations, const PfKinematics *kinematics,
                          PfDerivation *derivation);

/* Steps of Voronets' and of Chaplygin's equations, and of these without their terms (voronets.c). */
PfStatus pf_steps_of_voronets(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                              const PfKinematics *kinematics, PfDerivation *derivation);
PfStatus pf_steps_of_chaplygin(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                               const PfKinematics *kinematics, PfDerivation *derivation);
PfStatus pf_steps_of_hamel_wrong(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                 const PfKinematics *kinematics, PfDerivation *derivation);

/* What Hamel's wrong equations lack, as further equations, and a warning (voronets.c). */
PfStatus pf_hamel_missing(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                          const PfDeriveOptions *options, PfDerivation *derivation);

/* Steps of Boltzmann's and Hamel's equations (boltzmann_hamel.c). */
PfStatus pf_steps_of_boltzmann_hamel(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                     const PfKinematics *kinematics, PfDerivation *derivation);

/* Hamilton's canonical equations with the forces of constraints (hamilton.c). */
PfStatus pf_derive_hamilton(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                            const PfDeriveOptions *options, PfDerivation *derivation);

/* 2n differences that vanish if these are Lagrange's: of velocities by momenta, then of the sums of forces. */
PfStatus pf_hamilton_difference(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfExpr *difference);

/* Forms without pseudo-velocities (embed.c). */
PfStatus pf_derive_rosenberg(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                             const PfDeriveOptions *options, PfDerivation *derivation);
PfStatus pf_derive_rosenberg_extended(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                      const PfDeriveOptions *options, PfDerivation *derivation);
PfStatus pf_derive_udwadia_kalaba(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                  const PfDeriveOptions *options, PfDerivation *derivation);

/* Gives a formula a name, the one that it has or the next one, and puts that in its place; what is a symbol or a number
 * stays (present.c). */
PfStatus pf_derivation_name(PfContext *ctx, PfArena *arena, PfDerivation *derivation, PfExpr *e);

/* Gives names to shared parts when the equations are long, and numbers to all abbreviations by their order. */
PfStatus pf_abbreviate(PfContext *ctx, PfArena *arena, PfDerivation *derivation);

#endif
