/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff sweep: what its files share. */
#ifndef PF_CLI_SWEEP_H
#define PF_CLI_SWEEP_H

#include "cli/cli.h"
#include "sweep/summary.h"

/* By which a file of statistics is known. */
#define PF_STATISTICS_KIND "statistics of a sweep"

typedef struct Sweep {
  Session s;
  const Options *options;
  PF_ARRAY(PfSweepWord) words;
  PfSweep *sweep;
  const char *path;        /* of the result as a folder; NULL: in memory */
  int part, parts;         /* 0: all */
  int rank, ranks;         /* of processes that a launcher has started; 0: alone */
  bool silent;             /* another one of them tells the end */
  PfSweepResult result;
  double began, shown;     /* progress: when it was shown last */
  bool has_shown;
  int threads;

  PfSummary *summary;      /* NULL: there is none */
  bool in_file;            /* JSON goes to a file, which is the same whoever computes it */

  double seconds_each;     /* --dry-run: of a member on one thread */
  int tried, tried_failed;
} Sweep;

/* The words of the sweep, from the options (sweep_words.c). */
PfStatus pf_sweep_words(Sweep *sw);

/* sweep_report.c */
bool pf_sweep_progress(void *user, const PfSweepProgress *progress);
void pf_sweep_progress_end(const Sweep *sw);
PfStatus pf_sweep_summarise(Sweep *sw);
void pf_sweep_text(void *user, PfText *text);
void pf_sweep_json(void *user, PfJson *json);
void pf_sweep_dry_text(void *user, PfText *text);
void pf_sweep_dry_json(void *user, PfJson *json);

/* Writes statistics without rows as the file of --out. */
PfStatus pf_sweep_write_statistics(Sweep *sw);

/* Writes the rows as the file of --out (sweep_convert.c). */
PfStatus pf_sweep_convert(Sweep *sw, const char *to);
/* Hands them to the console, when it takes rows: what varies, what is taken, and how the member ended. */
PfStatus pf_sweep_give(const Sweep *sw);

#endif
