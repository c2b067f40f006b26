/* SPDX-License-Identifier: Apache-2.0 */
/* A map: a number for each cell of a rectangle, as colours, and the bar that says what the colours mean. */
#ifndef PF_OUT_MAP_H
#define PF_OUT_MAP_H

#include "out/out.h"

typedef struct PfMapCells {
  int columns, rows;
  const double *values;   /* row by row, the lowest first; NaN: nothing is known, and the cell is grey */
  double low, high;       /* what the ends of the colours stand for */
  const char *label;      /* of the bar */
} PfMapCells;

/* Red, green, blue of a part from 0 to 1: dark blue, green, yellow, evenly light, for all eyes. */
void pf_map_color(double part, unsigned char color[3]);
/* The cells as a picture in PNG. */
void pf_map_png(const PfMapCells *map, PfContext *ctx, PfText *png);
/* The letters of the bytes (RFC 4648). */
void pf_put_base64(PfText *text, const char *bytes, size_t count);

#endif
