/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a run at the times that --at names, for the summary. */
#ifndef PF_CLI_LISTING_H
#define PF_CLI_LISTING_H

#include "cli/trajectory.h"

typedef struct Listing {
  const Trajectory *trajectory; /* NULL: nothing is listed */
  int count, *column;
  PF_ARRAY(double) cells; /* row by row */
} Listing;

/* Chooses the columns: what is shown, or else what the model plots, or else its coordinates. */
PfStatus pf_listing_make(Listing *listing, const Trajectory *trajectory, const char *show);
/* Takes the row that the trajectory has now. */
PfStatus pf_listing_add(Listing *listing);
void pf_listing_text(const Listing *listing, PfText *text);
void pf_listing_free(Listing *listing);

#endif
