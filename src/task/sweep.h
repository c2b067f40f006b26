/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff sweep: what its files share. */
#ifndef PF_TASK_SWEEP_H
#define PF_TASK_SWEEP_H

#include "task/task.h"
#include "sweep/summary.h"
#include "sweep/communicator.h"

/* By which a file of statistics is known. */
#define PF_STATISTICS_KIND "statistics of a sweep"

typedef struct Sweep {
  Session s;
  const PfRequest *options;
  PF_ARRAY(PfSweepSetting) settings;
  PfSweep *sweep;
  const char *path;        /* of the result as a folder; NULL: in memory */
  const char *table;       /* the file that is made of them at the end; NULL: none */
  int part, parts;         /* 0: all */
  int rank, ranks;         /* of processes that a launcher has started; 0: alone */
  PfCommunicator *comm;    /* of those that talk to each other; NULL: they do not */
  PfContext *comm_ctx;     /* of the communicator */
  PfArena *meeting_room;
  int processes;           /* that have computed; 0: this one alone */
  bool silent;             /* another one of them tells the end */
  PfSweepResult result;
  int threads;

  PfSummary *summary;      /* NULL: there is none */

  PfSweepEstimate estimate; /* 'dry-run' */
  long long member;        /* 'show-member': which, and what the result has of it */
  double *row;
  unsigned char *end;
  char *reason;
} Sweep;

/* The settings of the sweep, from the options (sweep_settings.c). */
PfStatus pf_sweep_read_options(Sweep *sw);

/* 'table' as an axis (sweep_table.c). */
PfStatus pf_sweep_table_setting(Sweep *sw, const char *given, const char **word);

/* What 'out', 'resume', 'join' and 'convert' say, in path and table (sweep_place.c). */
PfStatus pf_sweep_find_place(Sweep *sw);
bool pf_sweep_ends_in(const char *path, const char *ending);
/* Fails where 'out' needs the file system, and the observer takes files in its place. */
PfStatus pf_sweep_need_files(const Sweep *sw);
/* Rows that no folder takes have room? */
PfStatus pf_sweep_check_memory(const Sweep *sw);

/* 'show-member' (sweep_member.c). */
PfStatus pf_sweep_open_member(Sweep *sw);
extern const PfField pf_sweep_member_fields[];
void pf_sweep_member_report(void *user, PfReport *report);

/* Of 'threads'; 0: as many as there are. And how many that is. */
int pf_sweep_threads(const PfRequest *options);
int pf_sweep_thread_count(const PfRequest *options);

/* Processes of a launcher (sweep_launch.c): finds the communicator, if there is one; the leader's pf_sweep_run; all
 * that others do; the last call of the leader. */
void pf_sweep_connect(Sweep *sw);
PfStatus pf_sweep_run_leader(Sweep *sw, const PfSweepRunOptions *how);
PfStatus pf_sweep_follow(Sweep *sw, PfStatus (*open)(Sweep *sw));
bool pf_sweep_disconnect(Sweep *sw);

/* sweep_report.c */
bool pf_sweep_progress(void *user, const PfSweepProgress *progress);
/* A warning when some members are missing; a failure when all are. */
PfStatus pf_sweep_tell_missing(PfContext *ctx, const char *path, long long missing, long long count);
PfStatus pf_sweep_summarise(Sweep *sw);
/* The summary, and the estimate of 'dry-run'; the user is the Sweep. */
extern const PfField pf_sweep_fields[], pf_sweep_dry_fields[];
void pf_sweep_report(void *user, PfReport *report);
void pf_sweep_dry_report(void *user, PfReport *report);

/* Writes statistics without rows as the file of 'out', which is the same whoever computes it. */
PfStatus pf_sweep_write_statistics(const Sweep *sw);

/* Writes the rows as the file of 'out' (sweep_convert.c). */
PfStatus pf_sweep_convert(Sweep *sw, const char *to);
/* Hands them to the observer, when it takes rows: what varies, the outputs, and how the member ended. */
PfStatus pf_sweep_give(const Sweep *sw);

#endif
