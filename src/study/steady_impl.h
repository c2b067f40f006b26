/* SPDX-License-Identifier: Apache-2.0 */
/* The search for steady motions, as steady.c (all of it), steady_newton.c (one zero) and steady_family.c (families)
 * share it. */
#ifndef PF_STUDY_STEADY_IMPL_H
#define PF_STUDY_STEADY_IMPL_H

#include "study/steady.h"
#include "study/surfaces.h"

/* A family of one dimension, as places along it. */
typedef struct PfSeekCurve {
  double *u;
  int count;
  bool closed;
} PfSeekCurve;

typedef struct PfSeek {
  PfContext *ctx;
  PfArena *arena;
  PfProblem *p;
  PfSteady *steady;
  int n;                  /* unknowns */
  int numbers;            /* of u */
  PfQr qr;
  double *z, *last_z, *before; /* n: unknowns in the present choice of independent ones */
  double *r, *noise;      /* residual, and its possible change by rounding */
  double *J, *step, *kernel;
  double rounding, typical; /* of J, in parts of the scales, where its kernel was found last and first */
  double *low, *high;       /* numbers: where starts are */
  double *scale;            /* numbers: half of that; infinite for those that do not count, as cyclic coordinates */
  double *weight;           /* coordinates: how freely each moves when a start is put onto the constraints */
  double *u, *start, *other, *lifted; /* numbers each: a place, where the search begins, and others */
  double *lines;          /* 2 unknowns x numbers: kernel of J in all numbers */
  int family;             /* dimension of the family that is looked at, and its directions, one in a row */
  double *tangents, *met_tangents; /* unknowns x numbers: at spot, at met */
  int plane;              /* Newton's method keeps across so many directions of the unknowns, in parts of the scales */
  double *planes;         /* unknowns x unknowns: these, one in a row */
  double *room, *from, *aim, *tangent; /* numbers each: of a step along a family */
  double *seed;           /* a direction of the field, with all that follows from it */
  double *last, *spot, *met, *backup, *walked; /* all numbers of the field at some place */
  double *known;          /* MOST_POINTS x numbers */
  int known_count;
  PfSeekCurve *curves; /* of the points that are listed: empty unless they belong to a family of one dimension */
  /* rates, and accelerations of all coordinates, of the size that is found at the starts */
  double elsewhere, median_acceleration;
  bool idle; /* they are rounding there: everything is a solution, by and large */
  long long first, budget, near_budget; /* evaluations before the search, and those that it and its end may take */
  long long spare;        /* cost that curves may have beyond the budget */
  PfChartChoice chart;    /* in which the search begins */
  PfSurfaces surfaces;
} PfSeek;

/* How a zero is looked for: kept away from known ones; by steps of at most this length, in parts of the scales; by
 * steps that make the residual smaller. */
typedef struct PfSeekStrategy {
  bool deflated, damped;
  double longest;
  int steps; /* at most so many; 0: MOST_STEPS */
} PfSeekStrategy;

/* ---------------------------------------------------------------- one zero */

/* Has the search taken its budget of evaluations? */
bool pf_seek_is_spent(PfSeek *seek);
/* Of all numbers of the field. */
size_t pf_seek_bytes(const PfSeek *seek);
/* The number of u that the unknown k is, and its scale. */
int pf_seek_number(const PfSeek *seek, int k);
/* The scale of the unknown k: half the width of the search box along it. */
double pf_seek_scale(const PfSeek *seek, int k);

/* Where the field is. */
void pf_seek_place(const PfSeek *seek, double *u);
/* Differences of all numbers that count, without full turns; quaternions q and -q are the same attitude. */
void pf_seek_subtract(const PfSeek *seek, const double *a, const double *b, double *d);
/* The largest of them, in parts of the scales. */
double pf_seek_distance(const PfSeek *seek, const double *a, const double *b);

/* Puts the field where all its numbers are given, with independent coordinates that suit the place; keeps them. */
PfStatus pf_seek_recall(PfSeek *seek, const double *numbers);
/* Copies all numbers of the field, pf_seek_bytes, for a later pf_seek_recall. */
void pf_seek_remember(const PfSeek *seek, double *numbers);
/* The place of the constraints next to u, whichever sheet that is on. */
PfStatus pf_seek_put(PfSeek *seek, const double *u);
/* A direction of the unknowns in all numbers of u: dependent coordinates move along. */
PfStatus pf_seek_lift(PfSeek *seek, const double *step, double *du);

/* From seek->z to a zero; the field is there then. */
PfStatus pf_seek_solve(PfSeek *seek, PfSeekStrategy strategy, bool *found);
/* The same from pf_seek_put of u; where that fails nothing is found. */
PfStatus pf_seek_solve_near(PfSeek *seek, const double *u, PfSeekStrategy strategy, bool *found);
/* Is there a zero at seek->z as it stands? */
PfStatus pf_seek_is_solution(PfSeek *seek, bool *yes);

/* ---------------------------------------------------------------- families */

/* In how many directions solutions go on from the place seek->spot: seek->family, seek->tangents. The field goes back
 * there; at a crossing of families it and seek->spot go to a member of one of them nearby. */
PfStatus pf_seek_family(PfSeek *seek);
/* Exchanges seek->spot and its directions for seek->met and those there. */
void pf_seek_exchange(PfSeek *seek);
/* Exchanges a member of a family, seek->spot, for the one next to the start of the search. */
PfStatus pf_seek_draw_home(PfSeek *seek);
/* Can one go from the place seek->spot to the place `to` through solutions? */
PfStatus pf_seek_connect(PfSeek *seek, const double *to, bool *yes);
/* The whole curve through seek->spot of a family of one dimension, whose direction there is that of seek->tangents. The
 * field is at seek->spot then. */
PfStatus pf_seek_trace(PfSeek *seek, PfSeekCurve *curve);
/* Is the place seek->spot on the curve? */
PfStatus pf_seek_is_on(PfSeek *seek, const PfSeekCurve *curve, bool *yes);

#endif
