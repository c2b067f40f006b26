/* SPDX-License-Identifier: Apache-2.0 */
/* LaTeX for pages: long equations in several lines, words that mean nothing to LaTeX. */
#ifndef PF_TASK_LATEX_H
#define PF_TASK_LATEX_H

#include "base/base.h"

/* Where lines of one equation go on. */
typedef enum LatexLines {
  LATEX_NUMBERED, /* in align: only the last line has a number */
  LATEX_PLAIN     /* in aligned */
} LatexLines;

/* How wide the column of left sides must be for this one; 0 when it gets lines of its own. */
double pf_latex_left(const char *left);

/* Do the formulas fit next to each other in a line, with so much space between them? */
bool pf_latex_fits(const char *const *formulas, int count, double between);

/* "left &= right", broken at sums so that it fits the width of a page next to a column of left sides of width `column`;
 * `last`: nothing follows it. */
void pf_latex_equation(PfText *text, PfArena *scratch, const char *left, const char *right, double column,
                       LatexLines lines, bool last);

/* Words as they are, whatever is in them. */
void pf_latex_words(PfText *text, const char *words);

#endif
