/* SPDX-License-Identifier: Apache-2.0 */
/* A summary of the members of a sweep, in one pass over them and little memory: statistics of all outputs, ends and
 * their reasons, sensitivities. Members come in their order, so that nothing depends on the process that computed
 * them. */
#ifndef PF_SWEEP_SUMMARY_H
#define PF_SWEEP_SUMMARY_H

#include "pfaff/sweep.h"
#include "sweep/statistics.h"

typedef struct PfSummary {
  const PfSweep *sweep;
  int outputs;               /* columns */
  PfStatistics *statistics;  /* of each of them, of members that did not fail */
  long long members;         /* that were added */
  long long ends[PF_MEMBER_ENDS];
  long long first_of[PF_MEMBER_ENDS]; /* member */
  char reason[PF_MEMBER_ENDS][PF_REASON + 1];

  int randoms;               /* random numbers of a design for sensitivities; 0: none */
  PfSensitivity *sensitivity; /* outputs x randoms, once all members were added; before, sums */
  int size;                  /* members of a group */
  double *group;             /* outputs x size: the group at hand */
  double *total;             /* of each column: PF_SENSITIVITY_TOTALS sums over all groups */
} PfSummary;

/* A summary without members yet, in the arena. Its size does not depend on the number of members. */
PfStatus pf_summary_make(PfContext *ctx, PfArena *arena, const PfSweep *sweep, PfSummary **summary);
/* The next member with its outputs in their units, how it ended, and (or NULL) the PF_REASON bytes of its reason. */
void pf_summary_add(PfSummary *summary, long long member, const double *outputs, int end, const char *reason);
/* After the last one: sums become sensitivities, if all members were there. */
void pf_summary_end(PfSummary *summary);
/* The summary of all members of a result (`path`), or of the latest run (NULL), from their rows; it lives in the
 * arena. */
PfStatus pf_summary_of_rows(PfSweep *sweep, PfArena *arena, const char *path, PfSummary **summary);

/* Of the latest run that kept no rows; NULL: there was none. */
PfSummary *pf_sweep_summary(const PfSweep *sweep);

#endif
