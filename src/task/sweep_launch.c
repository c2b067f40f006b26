/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff sweep under a launcher of parallel programs (mpirun, srun): its processes find each other by MPI where the
 * launcher's is there, and share the work by files of the result otherwise. */
#include "task/sweep.h"
#include "sweep/mpi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PF_MODULE_DIR
#define PF_MODULE_DIR "/usr/local/lib/pfaff"
#endif
#ifndef PF_MODULE_FROM_PROGRAM
#define PF_MODULE_FROM_PROGRAM "../lib/pfaff"
#endif

enum { LONGEST_PATH = 4096 };

/* ---------------------------------------------------------------- what launchers tell */

/* Each of the processes that they start; mpirun may itself be such a process of Slurm, so its word comes first. A
 * script of Slurm is no such process, though it knows how many there will be. */
void pf_launch_ranks(int *own, int *count)
{
  static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"},
                                         {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                         {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  *own = *count = 0;
  for (size_t i = 0; i < sizeof names/sizeof *names && !*count; i++) {
    const char *rank = getenv(names[i][0]), *ranks = getenv(names[i][1]);
    const long k = rank ? strtol(rank, NULL, 10) : 0, n = ranks ? strtol(ranks, NULL, 10) : 0;
    if (n > 0 && n < 1000000 && k >= 0 && k < n) *own = (int)k, *count = (int)n;
  }
}

/* Implementations of MPI that may know the launcher, the likeliest first. NULL: there is no way to ask it. An MPI that
 * cannot ask takes itself for alone, or ends the program. */
static const char *const *find_kinds(void)
{
  static const char *const open[] = {"openmpi", NULL}, *const mpich[] = {"mpich", "openmpi", NULL},
             *const either[] = {"openmpi", "mpich", NULL};
  const bool pmix = getenv("PMIX_RANK");
  if (getenv("OMPI_COMM_WORLD_SIZE")) return pmix ? open : NULL;
  if (getenv("PMI_FD") || getenv("PMI_PORT") || getenv("PMI_CONTROL_PORT")) return mpich;
  return pmix ? either : NULL;
}

/* ---------------------------------------------------------------- the module of an implementation */

static const char *look_in(PfArena *arena, const char *folder, const char *below, const char *kind)
{
  char path[LONGEST_PATH];
  const int length = snprintf(path, sizeof path, "%s/%s%spfaff-mpi-%s.so", folder, below, *below ? "/" : "", kind);
  if (length < 0 || length >= LONGEST_PATH || access(path, R_OK) != 0) return NULL;
  return pf_arena_text(arena, path, strlen(path));
}

/* Next to the program, where it was built, or where it is installed. */
static const char *find_module(PfArena *arena, const char *kind)
{
  char folder[LONGEST_PATH];
  pf_task_program_folder(folder, sizeof folder);
  const char *path = *folder ? look_in(arena, folder, "", kind) : NULL;
  if (!path && *folder) path = look_in(arena, folder, PF_MODULE_FROM_PROGRAM, kind);
  return path ? path : look_in(arena, PF_MODULE_DIR, "", kind);
}

/* $PFAFF_MPI names a module, or is "off". */
static const char *choose_module(PfArena *arena, const char *const *kinds)
{
  const char *given = getenv("PFAFF_MPI"), *path = NULL;
  if (given && *given) return strcmp(given, "off") ? given : NULL;
  for (; *kinds && !path; kinds++) path = find_module(arena, *kinds);
  return path;
}

static bool is_off(void)
{
  const char *given = getenv("PFAFF_MPI");
  return given && !strcmp(given, "off");
}

static const char *find_any_module(PfArena *arena)
{
  const char *path = find_module(arena, "openmpi");
  return path ? path : find_module(arena, "mpich");
}

/* ---------------------------------------------------------------- a communicator */

/* One of them tells why MPI is not used, where it was to be expected. */
static void say_why_not(const Sweep *sw, const char *module)
{
  const Host *host = sw->options->host;
  PfText text;
  if (sw->rank || is_off() || !(module || find_any_module(sw->meeting_room))) return;
  pf_text_init(&text, pf_context_allocator(sw->comm_ctx));
  pf_text_add(&text, "pfaff: note: the processes share the work by files of the result: ");
  if (pf_error_count(sw->comm_ctx)) pf_text_add(&text, pf_context_message(sw->comm_ctx));
  else if (module) pf_text_print(&text, "the MPI of '%s' is not that of the launcher", pf_task_base_name(module));
  else pf_text_add(&text, "the launcher is that of Open MPI, and the program was built with another MPI");
  pf_text_add(&text, "\n");
  host->say(host->observer.user, pf_text_get(&text));
  pf_text_free(&text);
}

/* Before anything else, so that what goes wrong in one of them ends all of them. A program around the library has its
 * own ways. */
void pf_sweep_connect(Sweep *sw)
{
  pf_launch_ranks(&sw->rank, &sw->ranks);
  const char *const *kinds = find_kinds();
  if (!kinds || sw->ranks == 1 || !sw->options->host->say) return;
  sw->comm_ctx = pf_task_context(sw->options);
  sw->meeting_room = sw->comm_ctx ? pf_arena_new(NULL) : NULL;
  if (!sw->meeting_room) return;
  const char *module = choose_module(sw->meeting_room, kinds);
  const PfStatus status = module ? pf_mpi_open(sw->comm_ctx, module, &sw->comm) : PF_OK;
  if (sw->comm) sw->rank = sw->comm->rank, sw->ranks = sw->comm->size;
  else if (status != PF_ERR_MEMORY) say_why_not(sw, module);
}

bool pf_sweep_disconnect(Sweep *sw)
{
  const bool good = !sw->comm || pf_communicator_close(sw->comm);
  sw->comm = NULL;
  pf_arena_free(sw->meeting_room);
  sw->meeting_room = NULL;
  if (sw->comm_ctx) pf_context_free(sw->comm_ctx);
  sw->comm_ctx = NULL;
  return good;
}

PfStatus pf_sweep_run_leader(Sweep *sw, const PfSweepRunOptions *how)
{
  const PfStatus status = pf_leader_run(sw->comm, sw->sweep, how, &sw->result);
  sw->threads = sw->comm->threads;
  sw->processes = sw->comm->working;
  sw->options->host->say(sw->options->host->observer.user, pf_text_get(&sw->comm->complaints));
  (void)pf_sweep_disconnect(sw); /* the others need not wait for the summary */
  return status;
}

/* ---------------------------------------------------------------- those who follow */

static bool ask(void *user, const PfSweepProgress *progress)
{
  const Sweep *sw = user;
  (void)progress;
  return pf_task_is_stopped(sw->options);
}

/* Standard input is the leader's alone; a result need not be seen by others. */
static bool has_own_model(const PfRequest *o)
{
  return o->file && strcmp(o->file, "-") != 0;
}

static PfStatus follow(Sweep *sw, PfStatus (*open)(Sweep *sw))
{
  const PfRequest *o = sw->options;
  PfReceivedSettings received;
  if (has_own_model(o)) {
    PF_TRY(open(sw));
  } else {
    PF_TRY(pf_task_begin_session(&sw->s, o));
    PF_TRY(pf_task_choose_native(sw->s.ctx, o));
  }
  PF_TRY(pf_follower_receive(sw->comm, sw->s.ctx, sw->s.arena, &received));
  if (!received.settings) return PF_OK;
  if (sw->sweep) PF_TRY(pf_follower_compare(sw->comm, sw->sweep, &received));
  else PF_TRY(pf_follower_check_version(sw->comm, sw->s.ctx, &received));
  if (!sw->sweep) PF_TRY(pf_sweep_new(sw->s.ctx, received.settings, received.count, &sw->sweep));
  const PfSweepRunOptions how = {.threads = pf_sweep_threads(o), .native = pf_context_native(sw->s.ctx), .report = ask,
                                 .user = sw};
  return pf_follower_run(sw->comm, sw->sweep, &how);
}

PfStatus pf_sweep_follow(Sweep *sw, PfStatus (*open)(Sweep *sw))
{
  const PfRequest *o = sw->options;
  const bool aside = o->dry_run || o->join || o->convert || o->show_member; /* the leader does it */
  PfStatus status = aside ? PF_OK : follow(sw, open);
  if (status != PF_OK) {
    /* The leader prints the diagnostics of the others. */
    PfText text;
    const PfContext *ctx = sw->s.ctx;
    pf_text_init(&text, pf_context_allocator(sw->comm_ctx));
    for (int i = 0; ctx && i < pf_diagnostic_count(ctx); i++) {
      const PfDiagnostic *d = pf_diagnostic(ctx, i);
      pf_text_print(&text, "%s", d->place.line ? d->place.file : "pfaff");
      if (d->place.line) pf_text_print(&text, ":%d:%d", d->place.line, d->place.column);
      pf_text_print(&text, ": %s: %s\n", pf_severity_name(d->severity), d->message);
      if (d->hint) pf_text_print(&text, "       = %s\n", d->hint);
    }
    pf_follower_report_failure(sw->comm, status, pf_text_get(&text));
    pf_text_free(&text);
  }
  return pf_sweep_disconnect(sw) ? PF_OK : PF_ERR_FILE;
}
