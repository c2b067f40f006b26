/* SPDX-License-Identifier: Apache-2.0 */
/* The C compiler of the system as a child process: started, polled, ended. There is no shell and no text of a model in
 * it: arguments are given one by one and are all our own. */
#ifndef PF_CODEGEN_COMPILER_H
#define PF_CODEGEN_COMPILER_H

#include "codegen/cache.h"

#include <sys/types.h>

typedef struct PfCompiler {
  char path[PF_CACHE_PATH];
  uint64_t identity[5]; /* of the file: another one after an update */
} PfCompiler;

/* $PFAFF_CC, a path or a name; else cc, gcc or clang, in absolute folders of $PATH. False: there is none. */
bool pf_compiler_find(PfCompiler *compiler);

/* A compilation in a folder of its own, with the files code.c, code.so and log, the messages of the compiler. */
typedef struct PfJob {
  pid_t pid;       /* 0: it does not run */
  char folder[PF_CACHE_PATH - 16]; /* "": there is none */
  double start, limit; /* seconds of the clock; how many of them it may take */
} PfJob;

typedef enum PfJobState { PF_JOB_RUNS, PF_JOB_DONE, PF_JOB_FAILED } PfJobState;

/* Flags end with a NULL. False when it cannot be started; then everything is cleaned up. */
bool pf_job_start(PfJob *job, const PfCompiler *compiler, const char *const *flags, const char *source, size_t size,
                  double limit);
/* Gives the compiler a lower priority, when the program does not wait for it. */
void pf_job_yield(const PfJob *job);
/* The present state, without waiting. A compiler that takes too long is ended and has failed. */
PfJobState pf_job_poll(PfJob *job);
/* The path of a file in its folder. */
void pf_job_path(const PfJob *job, const char *name, char path[PF_CACHE_PATH]);
/* The first line of the messages of the compiler; "" without any. */
void pf_job_first_line(const PfJob *job, char *line, int size);
/* Ends it, if it still runs, with all its processes, and removes its folder. */
void pf_job_end(PfJob *job);

#endif
