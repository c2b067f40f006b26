/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Discrete modes at surfaces of switching g(q, q', t) = 0. Off a surface its mode is the sign of g. On it the motion
 * decides, by the rate r of g (r = g' where g depends on velocities, r = g'' where g' vanishes, too), which depends on
 * the modes s through the forces:
 *
 *   s = 1 with r >= 0 (it leaves upwards),  s = -1 with r <= 0 (downwards),  or r = 0 with s between (it stays),
 *
 * for all surfaces that are met at the same time: a complementarity problem, as that of several bodies with dry
 * friction that stick to each other. A surface on which the motion stays is a sticking contact, or any other sliding
 * mode. Filippov, Differential Equations with Discontinuous Righthand Sides, section 4. */
#ifndef PF_RUNTIME_MODES_H
#define PF_RUNTIME_MODES_H

#include "pf_dense.h"

#ifndef PF_SINGLE

/* Functions of the owner. */
typedef struct PfModesCalls {
  /* Accelerations with the present modes into modes->acceleration. Returns 0, or the number of a failure. */
  int (*accelerate)(void *user);
  /* Of every surface, with the present modes and the latest accelerations: modes->g, its rates, its sizes. */
  void (*evaluate)(void *user);
} PfModesCalls;

/* The owner sets everything up to `n`, and pf_modes_place the arrays. */
typedef struct PfModes {
  void *user;
  const PfModesCalls *calls;
  int count;
  const int *degree;    /* 0: g depends on time alone or on nothing that moves, 1: velocities, 2: coordinates */
  const bool *timed;    /* depends on time alone */
  double atol;          /* of the integration: states are known to a small part of it */
  double margin;        /* a contact gives way when its load exceeds the limit by this part of it */
  const double *acceleration;
  int n;                /* accelerations */
  double *g, *g_rate, *g_second; /* at the state: g, g', and g'' where the degree is 2 */
  double *g_size, *g_slope;      /* sum |dg/dy| |y| and sum |dg/dy| over the state y */
  double *mode;         /* -1, 1, or a number between them where the motion stays; 0: it rests by itself */
  bool *sticks;         /* the motion stays on the surface */
  int row_count, *row;  /* surfaces whose rows keep the motion on all that it stays on; */
  double *load;        /* count x count: modes of all of these by the multipliers of the rows */
  /* a decision: the surfaces that are open, their rates and the dependence of these on the modes */
  bool *met, *settled;  /* settled: passed, and decided */
  bool *released;       /* gives way, whatever its rate */
  int *list, *state, *order;
  double *rate, *jacobian, *matrix, *right, *before, *own, *trial;
} PfModes;

/* Room in numbers, whole numbers and bools. */
#define PF_MODES_REALS(count) (3*(count)*(count) + 12*(count))
#define PF_MODES_INTS(count) (5*(count))
#define PF_MODES_BOOLS(count) (4*(count))
PF_RUNTIME void pf_modes_place(PfModes *modes, double *reals, int *ints, bool *bools);

/* Decides at the present state. `met`: surfaces that were just met, whatever rounding says; `released`: contacts that
 * give way, on the side that they have (NULL: none). Returns 0 or the failure of an evaluation of accelerations, of
 * which there are about 2 + 2 p for p open surfaces, each time the rates are found again. */
PF_RUNTIME int pf_modes_decide(PfModes *modes, const bool *met, const bool *released);

/* How far g may be from 0 by rounding and by the tolerance, and before a sticking contact is torn off. */
PF_RUNTIME double pf_modes_noise(const PfModes *modes, int surface);
PF_RUNTIME double pf_modes_hold_limit(const PfModes *modes, int surface);

/* Chooses rows among the surfaces on which the motion stays. There may be more of these than can move independently:
 * bodies that a constraint ties, velocities of which others are fixed. Then the modes of the others follow from those
 * with rows, so that they load the load as evenly as they can. Returns 0 or a failure as above. */
PF_RUNTIME int pf_modes_choose_rows(PfModes *modes);
/* Modes of all sticking contacts from the multipliers of the rows. */
PF_RUNTIME void pf_modes_from_rows(const PfModes *modes, const double *multiplier, double *mode);

/* The other way to a sliding mode, for equations that get no rows: modes of the surfaces on which the motion stays with
 * which their rates are `wanted` (count; NULL: zero), and the accelerations with them, by Newton's method from the
 * present modes. Returns 0, PF_MODES_UNDETERMINED or a failure as above. Each round costs 1 + p evaluations of the
 * accelerations for p such surfaces; there are two where the rates are affine in the modes. */
enum { PF_MODES_UNDETERMINED = -1 };
PF_RUNTIME int pf_modes_slide(PfModes *modes, const double *wanted);
/* The power of two by which the multiplier of a row of this size is to be measured so that the row is not negligible
 * next to constraints of the size `typical`, nor they next to it; 0 where both are alike. */
PF_RUNTIME int pf_modes_row_scale(double size, double typical);

#endif

#endif
