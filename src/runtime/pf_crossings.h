/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Where a step has to end. Every surface of switching, every limit of a sticking contact and every comparison in a
 * condition is an indicator, a function g(t) = g(t, y(t)) along the step, whose first change of sign is sought in the
 * dense output of the step. */
#ifndef PF_RUNTIME_CROSSINGS_H
#define PF_RUNTIME_CROSSINGS_H

#include "pf_root.h"

#ifndef PF_SINGLE

typedef enum PfIndicatorKind {
  PF_INDICATOR_SURFACE,   /* a surface of switching */
  PF_INDICATOR_RELEASE,   /* a sticking contact: 1 - s^2 of its discrete mode s */
  PF_INDICATOR_COMPARISON /* a comparison: the difference of its sides, negative where it holds */
} PfIndicatorKind;

typedef struct PfIndicator {
  PfIndicatorKind kind;
  int index;      /* of the surface, or of the comparison */
  bool timed;     /* depends on time alone */
  bool linear;    /* timed, and linear in time */
  bool jumps;     /* g itself has switches in it */
  bool equality;  /* of a comparison with ==: true at the zero only */
  bool or_equal;  /* of a comparison with <=: true at the zero as well */
  bool by_forces; /* depends on multipliers or accelerations */
  double side;    /* the sign that g has until it changes; 0: a surface on which the motion rests */
  double slack;   /* of a surface: it may begin this far on the other side, where a projection has put it */
  double gap;     /* timed: between its latest two changes; 0: not known */
} PfIndicator;

/* Why a step is cut. */
typedef enum PfCrossingKind { PF_CROSSING_NONE, PF_CROSSING_SWITCH, PF_CROSSING_CONDITION } PfCrossingKind;

typedef struct PfCrossing {
  PfCrossingKind kind;
  double t;
  int condition; /* the first one that holds, or -1 */
} PfCrossing;

/* Functions of the owner. */
typedef struct PfIndicatorCalls {
  /* All g (count) at the time t inside the last step; with_forces: also those that depend on multipliers or
   * accelerations, false where these cannot be found. */
  bool (*inside)(void *user, double t, bool with_forces, double *g);
  /* All g at any time; only those of time alone have to be right. */
  void (*timed)(void *user, double t, double *g);
  /* Of each, at the state that was evaluated last: sum |dg/dy| |y| and sum |dg/dy| over the state y; 0 where they are
   * not known. */
  void (*sizes)(void *user, double *size);
  /* Which conditions hold (1 or 0) by the truths (1 or 0) of the comparisons. */
  void (*conditions)(void *user, const double *truth, double *holds);
  /* The indicator changes its sign too often in a step to be followed, at the time t. May be NULL. */
  void (*skipped)(void *user, int indicator, double t);
} PfIndicatorCalls;

/* The owner sets everything up to `horizon`, and pf_indicators_place the arrays. */
typedef struct PfIndicators {
  void *user;
  const PfIndicatorCalls *calls;
  int count, comparison_count, condition_count, surface_count;
  PfIndicator *at;
  bool by_forces, by_state; /* does any depend on forces, on more than time? */
  const double *mode;       /* surface_count: the discrete modes; */
  const bool *sticks;       /* and which surfaces are those of sticking contacts */
  double atol;              /* of the integration */
  double constraint_residual; /* of the constraints inside a step; 0 without constraints */
  double t_old, t;          /* the last step */
  double horizon;           /* end of the whole motion */
  double begun;             /* the time at which the present equations began to hold */
  double known;             /* the next instant at which one of time alone changes, */
  int known_indicator;      /* and which one; -INFINITY: not known */
  int remembered, forgotten;
  double *value, *size, *samples, *memory, *memory_t, *when, *truth, *holds;
  bool *met, *released;     /* surface_count: at the crossing that was found */
} PfIndicators;

/* Room in numbers, and in bools. Values at 128 times of a step are remembered if any indicator depends on forces. */
enum { PF_INDICATOR_MEMORY = 128 };
#define PF_INDICATOR_REALS(count, comparisons, conditions, by_forces) \
  (10*(count) + (comparisons) + (conditions) + ((by_forces) ? PF_INDICATOR_MEMORY*((count) + 1) : 0))
#define PF_INDICATOR_BOOLS(surfaces) (2*(surfaces))
PF_RUNTIME void pf_indicators_place(PfIndicators *set, double *reals, bool *bools);

/* Sides and truths at the state where the motion is (t), from where the next steps start. Which conditions hold is in
 * set->holds; returns the first one, or -1. */
PF_RUNTIME int pf_indicators_begin(PfIndicators *set);

/* The next instant after t at which something that depends on time alone changes; INFINITY: none before the horizon. */
PF_RUNTIME double pf_indicators_next_instant(PfIndicators *set);

/* The first instant in the step from t_old to t, or its end, at which something changes that ends it. Surfaces that are
 * met there are in set->met, sticking contacts that give way in set->released, conditions in set->holds. */
PF_RUNTIME PfCrossing pf_indicators_cross(PfIndicators *set);

/* After a step that failed, since beyond a surface the forces of this side need not exist (sqrt(1 - x) where x > 1):
 * the surface that is met first within `most`, in linear approximation by the g `now` and `ahead`, `small` later.
 * False: none is. */
PF_RUNTIME bool pf_indicators_meet(PfIndicators *set, const double *now, const double *ahead, double small, double most,
                                   PfCrossing *crossing);

#endif

#endif
