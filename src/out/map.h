/* SPDX-License-Identifier: Apache-2.0 */
/* A map: a number for each cell of a rectangle, as colours, and the bar that says what the colours mean. */
#ifndef PF_OUT_MAP_H
#define PF_OUT_MAP_H

#include "out/out.h"

typedef struct PfMapCells {
  int columns, rows;
  const double *values;   /* row by row, the lowest first; NaN: nothing is known, and the cell is pale */
  const bool *failed;     /* of those without a number: it could not be found, and the cell is dark; NULL: none */
  bool some_failed, some_missing; /* there are such cells: their greys are explained */
  double low, high;       /* values at the ends of the colours */
  bool log;               /* values, low and high are logarithms */
  int level_count;        /* so few different values, in `levels`, that each has a block of its colour; 0: a scale */
  const double *levels;
  const char *label;      /* of the bar */
} PfMapCells;

/* Red, green, blue of a part from 0 to 1: dark blue, green, yellow, evenly light, also for the colour-blind; NaN: pale
 * grey. */
void pf_map_color(double part, unsigned char color[3]);
/* The part, from 0 to 1, at which a value lies between the ends of the colours. */
double pf_map_part(const PfMapCells *map, double value);
#define PF_MAP_FAILED 0x80  /* the greys, red, green and blue alike */
#define PF_MAP_MISSING 0xdd
/* Appends the cells as a picture in PNG; the scratch arena of the context is used. `png` is marked as failed without
 * memory. */
void pf_map_png(const PfMapCells *map, PfContext *ctx, PfText *png);

#endif
