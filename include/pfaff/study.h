/* SPDX-License-Identifier: Apache-2.0 */
/* Studies: what can be said about a system beyond one motion. */
#ifndef PFAFF_STUDY_H
#define PFAFF_STUDY_H

#include "pfaff/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- the vector field */

/* The system as x' = f(x) of least size: x holds independent coordinates (what holonomic constraints leave free) and
 * independent velocities, or the speeds of the model. Which ones is decided by numbers at a state. */
typedef struct PfDynamics PfDynamics;

/* Quantities that are to be followed beside the state: expressions of the symbols of the model. */
typedef struct PfOutputs {
  int count;
  const PfExpr *values;
} PfOutputs;

/* `given` overrides parameters (NULL: none; NaN: not this one); `outputs` may be NULL. The system must outlive the
 * field. */
PF_API PfStatus pf_dynamics_new(PfContext *ctx, const PfSystem *system, const double *given, const PfOutputs *outputs,
                             PfDynamics **field);
/* Frees the field with its tapes and solver; NULL is allowed. */
PF_API void pf_dynamics_free(PfDynamics *field);

/* Takes over the numbers of a state that satisfies the constraints (those of pf_system_symbols). */
PF_API PfStatus pf_dynamics_place(PfDynamics *field, const double *values);
/* The numbers of all outputs there. */
PF_API PfStatus pf_dynamics_outputs(PfDynamics *field, double *numbers);
/* Chooses the independent coordinates and velocities where the field is; `avoid` (one per coordinate, or NULL) marks
 * coordinates whose velocities should rather be dependent. */
PF_API PfStatus pf_dynamics_chart(PfDynamics *field, const bool *avoid);
/* Largest violation of the constraints at the numbers of pf_system_symbols; the field goes nowhere. */
PF_API double pf_dynamics_residual(PfDynamics *field, const double *values);
/* The number of components of x in the present chart: independent coordinates plus independent velocities. */
PF_API int pf_dynamics_size(const PfDynamics *field);
/* The name of a component of x, in the arena. */
PF_API const char *pf_dynamics_name(const PfDynamics *field, PfArena *arena, int component);

/* ---------------------------------------------------------------- linear models */

/* Rest: all rates are zero. Steady: all but those of coordinates on which nothing else depends. */
typedef enum PfMotionKind { PF_MOTION_REST, PF_MOTION_STEADY, PF_MOTION_CHANGING } PfMotionKind;

/* x' = f(x, u), outputs h(x, u) near a point: d x' = A dx + B du, d h = C dx + D du. */
typedef struct PfLinear {
  int states, inputs, outputs;
  const char **state_names;
  double *A, *B, *C, *D;  /* row-major */
  double *x, *rate;       /* the point, and x' there */
  PfMotionKind motion;    /* rest, a steady motion, or an instant of another one */
  double *re, *im;        /* eigenvalues of A, the rightmost first */
  double *modes;          /* eigenvectors as columns; of a pair, real part and imaginary part */
  int controllable, observable; /* dimension of what inputs reach, of what outputs see */
} PfLinear;

/* The linear model where the field is, in the coordinates of its chart, which is chosen here if it is not yet. `inputs`
 * lists the inputs of the model, or (-1 - i) the parameter i. It lives in `arena`. Fails with PF_ERR_NUMBER where the
 * equations have a kink or no finite derivative, with PF_ERR_MODEL for an input that enters a constraint: then its
 * rates act, too. The rows in C and D of an output without a finite value or a derivative are NaN. */
PF_API PfStatus pf_linearize(PfContext *ctx, PfArena *arena, PfDynamics *field, const int *inputs, int input_count,
                             PfLinear *linear);

/* ---------------------------------------------------------------- steady motions */

/* Equilibria are states of rest. In a steady motion everything is constant but the cyclic coordinates: those on which
 * nothing else depends, such as the position and heading of a carriage. Velocities are independent ones, or the speeds
 * of the model. */
typedef enum PfSteadyKind { PF_EQUILIBRIA, PF_STEADY } PfSteadyKind;

typedef enum PfStability {
  PF_STABLE,  /* all eigenvalues to the left, but those of a family */
  PF_NEUTRAL, /* some on the imaginary axis: linear terms do not decide; or all neighbours are of the same family */
  PF_UNSTABLE /* some to the right */
} PfStability;
/* "stable", "neutral" or "unstable". */
PF_API const char *pf_stability_name(PfStability stability);
/* By the real parts of the eigenvalues, of which those that are rounding are zero (as in PfLinear); `family` zeros are
 * expected. The number of those to the right goes to `unstable`. */
PF_API PfStability pf_stability_of(const double *re, int count, int family, int *unstable);

/* Where to look for a component of x. */
typedef struct PfInterval {
  const char *name;
  double low, high;
} PfInterval;

typedef struct PfSteadyOptions {
  PfSteadyKind kind;
  int starts;      /* 0: 100 */
  int interval_count;
  const PfInterval *intervals; /* for components that are not named, an interval around the start is chosen */
} PfSteadyOptions;

typedef struct PfSteadyPoint {
  double *x;             /* all components of the state */
  double *q, *v;         /* all coordinates and velocities */
  double distance;       /* from the start, by all coordinates that are not cyclic (steady motions: and independent
                          * velocities), in SI units */
  int family;            /* it belongs to a family of so many dimensions */
  int *free;             /* family: components of x that tell its members apart; where none does, the size of x plus the
                          * number of a coordinate, or of a velocity behind them (speeds, if there are any) */
  double *directions;    /* family x size: how x changes along it, when one of these changes and the others do not */
  int count;             /* eigenvalues, without those of cyclic coordinates; the rightmost first */
  double *re, *im;
  const char *kink;      /* NULL, or what is zero here and leaves the equations without a derivative, so that there are
                          * no eigenvalues and the stability is neutral: undecided */
  PfStability stability;
  int unstable;          /* eigenvalues to the right */
} PfSteadyPoint;

typedef struct PfSteady {
  int size;              /* components of the state */
  const char **names;
  bool *cyclic;
  int count;
  PfSteadyPoint *points; /* the nearest to the start first */
  int starts, failed;    /* Newton iterations begun, and those that went nowhere */
  double *low, *high;    /* size: where they began */
  double *q_low, *q_high; /* the same for all coordinates */
  int near_starts;       /* further ones, around the start, no farther away than the nearest solution */
  double radius;         /* how far that is: infinite when nothing was found */
  long long evaluations; /* of the equations of motion */
  bool spent;            /* their budget, in proportion to the starts asked for, ended the search before its time */
} PfSteady;

/* Looks for equilibria or steady motions by Newton's method from many places, with known solutions deflated (P. E.
 * Farrell, A. Birkisson, S. W. Funke, SIAM J. Sci. Comput. 37 (2015) A2026): from the place of the field by short
 * steps, from all over a box around it, on all sheets of the constraints, and at last around it in boxes that grow up
 * to the nearest solution. Boxes and distances that order the list are in units of the lengths of the model where these
 * are far from 1. So points[0] is what "nearest to the start" means everywhere. The chart of the field may
 * change. PF_OK also when nothing was found. Fails with PF_ERR_MODEL when the system depends on time, or when
 * constraints forbid rest, with PF_ERR_ARGUMENT for an interval of no component. */
PF_API PfStatus pf_steady_find(PfContext *ctx, PfArena *arena, PfDynamics *field, const PfSteadyOptions *options,
                               PfSteady *steady);
/* Moves the field, and `values` (the numbers of pf_system_symbols), to the equilibrium or steady motion next to where
 * the field is: points[0] of pf_steady_find by default options, whose result goes to `found`. It chooses no chart.
 * Fails with PF_ERR_NUMBER when there is none; then `found` has the number of starts, which is 0 after other failures.
 */
PF_API PfStatus pf_steady_nearest(PfContext *ctx, PfArena *arena, PfDynamics *field, PfSteadyKind kind, double *values,
                                  PfSteady *found);

/* ---------------------------------------------------------------- continuation */

typedef enum PfSpecialKind {
  PF_FOLD,   /* the branch turns back */
  PF_BRANCH, /* two branches cross */
  PF_HOPF    /* a pair of eigenvalues crosses the imaginary axis: a periodic motion is born */
} PfSpecialKind;
/* "fold", "branch point" or "Hopf". */
PF_API const char *pf_special_name(PfSpecialKind kind);

typedef struct PfSpecial {
  PfSpecialKind kind;
  double parameter;
  double *x;          /* all components of the state */
  int branch;         /* on which it was found */
  double frequency;   /* Hopf: of the periodic motion, in rad/s */
  double lyapunov;    /* Hopf: first Lyapunov coefficient; < 0: stable cycles are born, > 0: unstable ones; else NaN */
} PfSpecial;

typedef struct PfTracePoint {
  double parameter;
  double *x;          /* all components */
  double *q;          /* all coordinates */
  int unstable;       /* eigenvalues to the right */
  PfStability stability;
} PfTracePoint;

typedef struct PfTrace {
  int count;
  PfTracePoint *points;
  int from;               /* the branch point where it was found, or -1 */
  const char *ends[2];    /* why it ends at its first and at its last point */
} PfTrace;

typedef struct PfContinueOptions {
  PfSteadyOptions steady; /* what is followed, and how the first ones are looked for */
  int parameter;
  double from, to;
  int points;             /* no step is longer than this part of the range; 0: 200 */
  int most;               /* points of one branch; 0: 20 times as many */
  bool stay;              /* do not switch to other branches */
} PfContinueOptions;

typedef struct PfContinuation {
  int size;
  const char **names;
  bool *cyclic;
  int branch_count, special_count;
  PfTrace *branches;
  PfSpecial *specials;
  PfSteady found;         /* where the first branches start */
  int skipped;            /* of these: not followed, because the independent coordinates of the start fail there */
  double start;           /* at this value of the parameter */
} PfContinuation;

/* Follows equilibria or steady motions while a parameter changes, by pseudo-arclength continuation (H. B. Keller 1977),
 * from what pf_steady_find finds at its present value (or at `from` when that is outside the range), in both
 * directions, and from branch points on. Fails with PF_ERR_NUMBER when there is nothing to follow, or only families. */
PF_API PfStatus pf_continue(PfContext *ctx, PfArena *arena, PfDynamics *field, const PfContinueOptions *options,
                            PfContinuation *continuation);

/* ---------------------------------------------------------------- portraits and sections */

/* Something that has a value at every state: a coordinate, velocity or speed, or an output of the field. */
typedef struct PfQuantity {
  bool output;
  int index;
} PfQuantity;

/* The coordinate (x), velocity (x') or speed of the name; false when there is none. */
PF_API bool pf_dynamics_quantity(const PfDynamics *field, const char *name, PfQuantity *quantity);

/* Two quantities that span a plane, and where in it motions begin. */
typedef struct PfPlane {
  PfQuantity show[2];
  int handle[2];            /* the same two, in the simulation (pf_sim_find) */
  double low[2], high[2];   /* where motions begin */
  int keep_count;
  const PfQuantity *keep;   /* the same for all motions as at the place of the field: integrals */
} PfPlane;

/* One curve. */
typedef struct PfOrbit {
  int count;
  double *a, *b;       /* what is shown */
  double start[2];     /* where it began */
  double period;       /* NaN when it did not close */
  const char *end;     /* why it ends */
} PfOrbit;

typedef struct PfPortraitOptions {
  PfPlane plane;
  int starts;               /* 0: 25 */
  double span;              /* seconds in each direction */
} PfPortraitOptions;

typedef struct PfPortrait {
  int count, failed;        /* failed: places where the integrals cannot have their values */
  PfOrbit *orbits;          /* the first begins at the place of the field */
  bool forwards;            /* only: events or forces that jump leave no one way back */
  int steady_count;         /* points of lines on which nothing changes: families of steady motions */
  double *steady_a, *steady_b;
} PfPortrait;

/* Curves of motions in the plane of two quantities. Closed ones are recognised, with their period. Forwards they are
 * moved by `sim`, which is placed where the field is, by its method and tolerances. Fails with PF_ERR_MODEL when the
 * system depends on time. */
PF_API PfStatus pf_portrait(PfArena *arena, PfDynamics *field, PfSim *sim, const PfPortraitOptions *options,
                            PfPortrait *portrait);

typedef struct PfSectionOptions {
  int section;              /* handle of what passes `value` upwards … */
  double value;
  double every;             /* … or, when > 0, at multiples of this time */
  PfPlane plane;            /* what is shown; where all motions but the first begin */
  int orbits;               /* 0: 1 */
  double span, skip;        /* seconds; what lies before `skip` is not shown */
} PfSectionOptions;

typedef struct PfSection {
  int count;
  double *t, *a, *b;
  int *orbit;
  double exponent, before;  /* largest Lyapunov exponent of the first orbit, 1/s, and its value at half the time */
  bool jumps;               /* there is none (NaN): deviations jump with events and where forces do */
  int failed;
  const char *end;          /* why the first orbit ended early, or NULL */
} PfSection;

/* Points where motions pass a section, moved by `sim` as in pf_portrait, and the largest Lyapunov exponent, by the
 * variational equations with the exact derivative of the vector field. */
PF_API PfStatus pf_section(PfArena *arena, PfDynamics *field, PfSim *sim, const PfSectionOptions *options,
                           PfSection *section);

#ifdef __cplusplus
}
#endif
#endif
