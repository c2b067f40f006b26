/* SPDX-License-Identifier: Apache-2.0 */
/* The C compiler of the system as a child process: found once, started without a shell in a folder of its own, polled
 * while the run goes on, killed when it takes too long.
 *
 * A job has a folder of its own under $TMPDIR with the source, the object and a log, which is removed with the job. The
 * child is in a process group of its own, reads nothing, and has a clean environment; it is killed when it takes longer
 * than its limit, or when the job ends. */
#include "codegen/compiler.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FLAGS = 32, MOST_VARIABLES = 16, NICE = 10 };

/* ---------------------------------------------------------------- which */

/* Identity is device, inode, size and time of the file, so that another version of the compiler gives other keys. */
static bool take(PfCompiler *compiler, const char *path)
{
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || access(path, X_OK) != 0) return false;
  if (path != compiler->path) snprintf(compiler->path, sizeof compiler->path, "%s", path);
  const uint64_t identity[] = {(uint64_t)status.st_dev, (uint64_t)status.st_ino, (uint64_t)status.st_size,
                               (uint64_t)status.st_mtim.tv_sec, (uint64_t)status.st_mtim.tv_nsec};
  memcpy(compiler->identity, identity, sizeof identity);
  return true;
}

/* In absolute folders only: a file in the current folder is not run. */
static bool find_in_path(PfCompiler *compiler, const char *name)
{
  const char *folders = getenv("PATH");
  for (const char *at = folders; at; at = strchr(at, ':')) {
    if (*at == ':') at++;
    const size_t length = strcspn(at, ":");
    if (*at == '/' && length + strlen(name) + 2 < sizeof compiler->path) {
      snprintf(compiler->path, sizeof compiler->path, "%.*s/%s", (int)length, at, name);
      if (take(compiler, compiler->path)) return true;
    }
  }
  return false;
}

/* $PFAFF_CC, else cc, gcc or clang in $PATH. False where there is none. */
bool pf_compiler_find(PfCompiler *compiler)
{
  static const char *const names[] = {"cc", "gcc", "clang"};
  const char *given = getenv("PFAFF_CC");
  *compiler = (PfCompiler){.path = ""};
  if (given && *given)
    return strlen(given) < sizeof compiler->path - 1 &&
           (strchr(given, '/') ? take(compiler, given) : find_in_path(compiler, given));
  for (size_t i = 0; i < sizeof names/sizeof *names; i++)
    if (find_in_path(compiler, names[i])) return true;
  return false;
}

/* ---------------------------------------------------------------- its folder */

/* Of a file in the folder of the job. */
void pf_job_path(const PfJob *job, const char *name, char path[PF_CACHE_PATH])
{
  snprintf(path, PF_CACHE_PATH, "%s/%.12s", job->folder, name);
}

/* ---------------------------------------------------------------- its process */

/* The variables of the environment that a compiler needs, without those that would change its behaviour. False when
 * they are too long. */
static bool list_variables(const PfJob *job, char *room, size_t size, char **list)
{
  static const char *const kept[] = {"PATH", "HOME", "LD_LIBRARY_PATH", "COMPILER_PATH", "LIBRARY_PATH"};
  size_t used = (size_t)snprintf(room, size, "TMPDIR=%s", job->folder) + 1;
  int count = 0;
  if (used >= size) return false;
  list[count++] = room;
  list[count++] = (char *)"LC_ALL=C";
  for (size_t i = 0; i < sizeof kept/sizeof *kept; i++) {
    const char *value = getenv(kept[i]);
    if (!value) continue;
    const size_t length = (size_t)snprintf(room + used, size - used, "%s=%s", kept[i], value) + 1;
    if (length > size - used) return false;
    list[count++] = room + used;
    used += length;
  }
  list[count] = NULL;
  return true;
}

/* Starts the compiler with its output in a log file. */
static bool spawn(PfJob *job, const PfCompiler *compiler, char *const *arguments, char *const *variables)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  char log[PF_CACHE_PATH];
  pf_job_path(job, "log", log);
  if (posix_spawn_file_actions_init(&files) != 0) return false;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&files);
    return false;
  }
  /* Input from nowhere, both outputs to the log, signals as for a new program. */
  sigset_t none, all;
  sigemptyset(&none);
  sigemptyset(&all);
  sigaddset(&all, SIGINT), sigaddset(&all, SIGTERM), sigaddset(&all, SIGHUP), sigaddset(&all, SIGPIPE);
  int failed = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  failed |= posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  failed |= posix_spawn_file_actions_adddup2(&files, 1, 2);
  failed |= posix_spawnattr_setpgroup(&attributes, 0);
  failed |= posix_spawnattr_setsigmask(&attributes, &none);
  failed |= posix_spawnattr_setsigdefault(&attributes, &all);
  failed |= posix_spawnattr_setflags(&attributes,
                                     POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (!failed) failed = posix_spawn(&job->pid, compiler->path, &files, &attributes, arguments, variables);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed) job->pid = 0;
  return !failed;
}

/* The arguments of the compiler: its flags, then -o object source. */
static bool run(PfJob *job, const PfCompiler *compiler, const char *const *flags)
{
  char source[PF_CACHE_PATH], object[PF_CACHE_PATH], room[6*PF_CACHE_PATH];
  char *arguments[MOST_FLAGS + 8], *variables[MOST_VARIABLES];
  int count = 0;
  pf_job_path(job, "code.c", source);
  pf_job_path(job, "code.so", object);
  arguments[count++] = (char *)compiler->path;
  for (; *flags && count < MOST_FLAGS; flags++) arguments[count++] = (char *)*flags;
  arguments[count++] = (char *)"-o";
  arguments[count++] = object;
  arguments[count++] = source;
  arguments[count] = NULL;
  return list_variables(job, room, sizeof room, variables) && spawn(job, compiler, arguments, variables);
}

/* False where a file or the process cannot be made; then the job is ended. `limit` is in seconds. */
bool pf_job_start(PfJob *job, const PfCompiler *compiler, const char *const *flags, const char *source, size_t size,
                  double limit)
{
  char path[PF_CACHE_PATH];
  const char *parent = getenv("TMPDIR");
  *job = (PfJob){.start = pf_clock(), .limit = limit};
  if (!parent || parent[0] != '/') parent = "/tmp";
  if (strlen(parent) > sizeof job->folder - 32) return false;
  snprintf(job->folder, sizeof job->folder, "%s/pfaff-XXXXXX", parent);
  if (!mkdtemp(job->folder)) {
    job->folder[0] = 0;
    return false;
  }
  pf_job_path(job, "code.c", path);
  FILE *file = fopen(path, "w");
  bool good = file && fwrite(source, 1, size, file) == size;
  if (file && fclose(file) != 0) good = false;
  if (good && run(job, compiler, flags)) return true;
  pf_job_end(job);
  return false;
}

/* Where it makes no difference when the code is ready. */
void pf_job_yield(const PfJob *job)
{
  if (job->pid) (void)setpriority(PRIO_PGRP, (id_t)job->pid, NICE);
}

/* ---------------------------------------------------------------- its end */

static void kill_all(const PfJob *job)
{
  (void)kill(-job->pid, SIGKILL);
  (void)kill(job->pid, SIGKILL); /* it may not have made its group yet */
  while (waitpid(job->pid, NULL, 0) < 0 && errno == EINTR) continue;
}

/* Returns at once. After PF_JOB_DONE or PF_JOB_FAILED the files of the job are still there. */
PfJobState pf_job_poll(PfJob *job)
{
  int status = 0;
  if (!job->pid) return PF_JOB_FAILED;
  const pid_t ended = waitpid(job->pid, &status, WNOHANG);
  if (ended == 0 && pf_clock() - job->start > job->limit) {
    kill_all(job);
    job->pid = 0;
    return PF_JOB_FAILED;
  }
  if (ended == 0 || (ended < 0 && errno == EINTR)) return PF_JOB_RUNS;
  job->pid = 0;
  /* where the host collects all children, the file that was made shows whether it went well */
  if (ended < 0) return PF_JOB_DONE;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? PF_JOB_DONE : PF_JOB_FAILED;
}

/* "" where the log is empty. */
void pf_job_first_line(const PfJob *job, char *line, int size)
{
  char path[PF_CACHE_PATH];
  pf_job_path(job, "log", path);
  FILE *log = fopen(path, "r");
  line[0] = 0;
  if (log && fgets(line, size, log)) line[strcspn(line, "\r\n")] = 0;
  if (log) (void)fclose(log);
}

/* Kills the compiler if it runs; the job may be ended twice. */
void pf_job_end(PfJob *job)
{
  if (job->pid) kill_all(job);
  if (job->folder[0]) pf_folder_remove(job->folder);
  *job = (PfJob){0};
}
