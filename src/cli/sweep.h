/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff sweep: what its files share. */
#ifndef PF_CLI_SWEEP_H
#define PF_CLI_SWEEP_H

#include "cli/cli.h"
#include "sweep/summary.h"
#include "sweep/team.h"

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
  PfTeam *team;            /* of those that talk to each other; NULL: they do not */
  PfContext *meeting;      /* of the team */
  PfArena *meeting_room;
  int processes;           /* that have computed; 0: this one alone */
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

/* Of --threads; 0: as many as there are. */
int pf_sweep_threads(const Options *options);

/* Processes of a launcher (sweep_team.c): finds the team, if there is one; the leader's pf_sweep_run; all that others
 * do; the last call of the leader. */
void pf_sweep_meet(Sweep *sw, const Console *console);
PfStatus pf_sweep_lead(Sweep *sw, const PfSweepHow *how);
int pf_sweep_follow(Sweep *sw, const Console *console, int argc, char **argv, PfStatus (*open)(Sweep *sw));
bool pf_sweep_part(Sweep *sw);

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
