/* SPDX-License-Identifier: Apache-2.0 */
/* An axis of a chart: the range of its data, where it lies on the page, and round numbers for its ticks. */
#ifndef PF_OUT_AXIS_H
#define PF_OUT_AXIS_H

#include "base/base.h"

typedef struct PfAxis {
  bool log;           /* low and high are decimal logarithms */
  bool whole;         /* counts: no fractions */
  double low, high;
  double first, last; /* where these are on the page */
  double step;        /* from tick to tick */
  int power;          /* the numbers at ticks are to be multiplied by 10^power */
  int decimals;
} PfAxis;

enum { PF_MOST_TICKS = 32 };

/* Whether there is room between the data and the ends of the axis. */
typedef enum PfRoom { PF_ROOM_NONE, PF_ROOM_SOME } PfRoom;

/* A number on the axis: x itself, or the decimal logarithm of its magnitude; NaN where it cannot be shown. */
double pf_axis_value(const PfAxis *axis, double x);
/* The place of data on the page in pixels, linear between `first` and `last`; NaN where there is none. Never so far
 * outside that a viewer could not read the number. */
double pf_axis_at(const PfAxis *axis, double x);

/* Sets the range for data between low and high (as pf_axis_value gives them; low > high: there are none). Changes
 * smaller than `noise`, or than the rounding of numbers of this size, are not blown up: such data are shown as a flat
 * line. */
void pf_axis_cover(PfAxis *axis, double low, double high, double noise, PfRoom room);

/* Chooses step, power and decimals for about `count` ticks. */
void pf_axis_choose(PfAxis *axis, double count);
/* The ticks in the range, as pf_axis_value gives them; how many. */
int pf_axis_ticks(const PfAxis *axis, double ticks[PF_MOST_TICKS]);
/* Appends the number at a tick as the content of a <text> element with that size of font in pixels. */
void pf_axis_number(const PfAxis *axis, double tick, double size, PfText *text);
/* The width of that number in pixels, in a wide font. */
double pf_axis_number_width(const PfAxis *axis, double tick, double size);
/* Appends 10 to a power as the content of a <text> element. */
void pf_put_power(PfText *text, int power, double size);

#endif
