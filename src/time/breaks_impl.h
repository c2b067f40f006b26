/* SPDX-License-Identifier: Apache-2.0 */
/* What breaks_make.c makes and breaks.c follows along a step. */
#ifndef PF_TIME_BREAKS_IMPL_H
#define PF_TIME_BREAKS_IMPL_H

#include "time/breaks.h"

typedef enum Kind { SURFACE, RELEASE, ATOM } Kind;

enum { MEMORY_ROOM = 128 };

typedef struct Break {
  Kind kind;
  int index;      /* surface; stuck surface; comparison */
  bool timed;     /* depends on time alone */
  bool linear;    /* timed, and linear in time */
  bool jumps;     /* g itself has switches in it */
  bool equality;  /* of a comparison with ==: true at the zero only */
  bool or_equal;  /* of a comparison with <=: true at the zero as well */
  bool by_forces; /* depends on multipliers or accelerations */
  double side;    /* the sign that g has until it changes */
  double slack;   /* of a surface: it may begin this far on the other side, where a projection has put it */
  double gap;     /* timed: between its latest two changes; 0: not known */
} Break;

struct PfBreaks {
  PfPhaseRun *phase;
  int count, room;
  Break *at;
  PfExpr *g;            /* as expressions; then the slopes of those that are linear in time */
  bool by_forces, by_accelerations, by_state;
  PfTape *tape;         /* g of all */
  PfTape *sizes;        /* of each: sum |dg/dy| |y| and sum |dg/dy| */
  double *value, *work, *size, *size_work;
  double *samples;      /* 6 x count: along the step */
  double *memory;       /* MEMORY_ROOM x count: values at other times of the step; none where no g depends on forces */
  double *memory_t;
  int remembered, forgotten; /* how many there are, and how many have made room for others */
  double *y, *dy;       /* inside the step */
  PfExpr *symbol;       /* those of the system, then accelerations: inputs of the tape, */
  double *in;           /* with these numbers when a g contains accelerations, else NULL */
  PfExpr *truth_symbol; /* of each comparison */
  double *truth;        /* 0 or 1 */
  int truth_count;
  PfTape *conditions;   /* from truths */
  double *holds, *conditions_work;
  bool *met, *released;
  double *when;         /* of each: its first change in the step, or NaN */
  double begun;         /* time at which the phase begins */
  double known;         /* the next instant */
  int known_break;
};

#endif
