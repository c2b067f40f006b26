/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks: all that Pfaff does with a model, each by a request and with a report as its result. The equations of a model
 * in LaTeX:
 *
 *   PfRequest *request;
 *   PfReport *report;
 *   pf_request_new(ctx, pf_task_find("derive"), &request);
 *   pf_request_set_flag(request, "latex", true);
 *   PfStatus status = pf_task_run(machine, request, NULL, &report);
 *   puts(status == PF_OK ? pf_report_text(report) : pf_context_message(pf_report_context(report)));
 *   pf_report_free(report);
 *   pf_request_free(request);
 *
 * Nothing is printed. Tasks of several threads may use the same machine, request and observer at the same time. */
#ifndef PFAFF_TASK_H
#define PFAFF_TASK_H

#include "pfaff/machine.h"
#include "pfaff/report.h"
#include "pfaff/request.h"
#include "pfaff/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The task at an index, NULL past the last; the task of a name, as "check", "run" or "linearize", or NULL. */
PF_API const PfTask *pf_task(int index);
PF_API const PfTask *pf_task_find(const char *name);

PF_API const char *pf_task_name(const PfTask *task);
PF_API const char *pf_task_summary(const PfTask *task);
/* The settings that the task takes, with its own help where their meaning is special; false past the last. */
PF_API bool pf_task_setting(const PfTask *task, int index, PfSetting *setting);
/* The fields of the task's report, ended by an empty one: its keys with their types and meanings. With the name of a
 * setting those of the other report that this setting leads to, as 'dry-run' of 'sweep'; NULL when there is none. */
PF_API const PfField *pf_task_fields(const PfTask *task, const char *setting);

/* The progress of a run or a sweep. */
typedef struct PfProgress {
  double part; /* of the work, 0 to 1 */
  double t;    /* the time that a run has reached, in s */
  const PfSweepProgress *members; /* of a sweep; else NULL */
  int processes;                  /* that compute the sweep together; 1: this one alone */
} PfProgress;

/* Functions that a task calls while it works, in the thread that has started it; each may be NULL. */
typedef struct PfObserver {
  void *user; /* their first argument */
  /* Polled by long work, which stops when it returns true. */
  bool (*cancelled)(void *user);
  /* After each step of a run that does not follow the clock, and several times a second during a sweep. */
  void (*progress)(void *user, const PfProgress *progress);
  /* A row of the trajectory of 'run' or of the table of 'sweep', in the units of the report's columns. A row of 'run'
   * has one number for each column of the report; a row of 'sweep' has one more, the last: the end of the member, a
   * PfMemberEnd. False: there is no room for it, and the task fails. */
  bool (*row)(void *user, const double *row, int count);
  /* A whole file that is to be written, where the host has no file system, or the setting 'out' is "-". 'run' gives
   * the files of 'out' and 'poses', kept in memory up to its end. 'sweep' gives the table of "-", statistics, and
   * tables made by 'convert'; other values of 'out' need a file system and fail with PF_ERR_ARGUMENT. False: it could
   * not be written. NULL: files are written to the file system, "-" is standard output. */
  bool (*file)(void *user, const char *path, const char *bytes, size_t count);
} PfObserver;

/* Does what the request asks for, with a machine or, if that is NULL, with the file or the text of the request. Among
 * several files "-" is the machine; it need not be added. The report has keys for programs and text for people; after a
 * failure it has what was found until then, and the diagnostics (pf_report_context). It is NULL only without memory,
 * and freed by pf_report_free. The observer may be NULL. */
PF_API PfStatus pf_task_run(PfMachine *machine, const PfRequest *request, const PfObserver *observer,
                            PfReport **report);

#ifdef __cplusplus
}
#endif
#endif
