/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff sweep under a launcher of parallel programs (mpirun, srun): its processes find each other by MPI where the
 * launcher's is there, and share the work by files of the result otherwise. */
#include "cli/sweep.h"
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
static void find_ranks(Sweep *sw)
{
  static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"},
                                         {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                         {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (size_t i = 0; i < sizeof names/sizeof *names && !sw->ranks; i++) {
    const char *rank = getenv(names[i][0]), *ranks = getenv(names[i][1]);
    const long k = rank ? strtol(rank, NULL, 10) : 0, n = ranks ? strtol(ranks, NULL, 10) : 0;
    if (n > 0 && n < 1000000 && k >= 0 && k < n) sw->rank = (int)k, sw->ranks = (int)n;
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

/* Beside the program, where it was built, or where it is installed. */
static const char *find_module(PfArena *arena, const char *kind)
{
  char folder[LONGEST_PATH];
  pf_cli_program_folder(folder, sizeof folder);
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

/* ---------------------------------------------------------------- a team */

/* One of them tells why MPI is not used, where it was to be expected. */
static void say_why_not(const Sweep *sw, const Console *console, const char *module)
{
  const int errors = pf_error_count(sw->meeting);
  if (sw->rank || is_off() || !(module || find_any_module(sw->meeting_room))) return;
  fputs("pfaff: note: the processes share the work by files of the result: ", console->err);
  if (errors) pf_cli_say(console->err, pf_context_message(sw->meeting));
  else if (module) fprintf(console->err, "the MPI of '%s' is not that of the launcher", pf_cli_base_name(module));
  else fputs("the launcher is that of Open MPI, and the program was built with another MPI", console->err);
  fputs("\n", console->err);
}

/* Before anything else, so that what goes wrong in one of them ends all of them. A program around the library has its
 * own ways. */
void pf_sweep_meet(Sweep *sw, const Console *console)
{
  find_ranks(sw);
  const char *const *kinds = find_kinds();
  if (!kinds || sw->ranks == 1 || console->take_row) return;
  sw->meeting = pf_context_new(NULL);
  sw->meeting_room = sw->meeting ? pf_arena_new(NULL) : NULL;
  if (!sw->meeting_room) return;
  const char *module = choose_module(sw->meeting_room, kinds);
  const PfStatus status = module ? pf_mpi_open(sw->meeting, module, &sw->team) : PF_OK;
  if (sw->team) sw->rank = sw->team->rank, sw->ranks = sw->team->size;
  else if (status != PF_ERR_MEMORY) say_why_not(sw, console, module);
}

bool pf_sweep_part(Sweep *sw)
{
  const bool good = !sw->team || pf_team_part(sw->team);
  sw->team = NULL;
  pf_arena_free(sw->meeting_room);
  sw->meeting_room = NULL;
  if (sw->meeting) pf_context_free(sw->meeting);
  sw->meeting = NULL;
  return good;
}

PfStatus pf_sweep_lead(Sweep *sw, const PfSweepHow *how)
{
  const PfStatus status = pf_team_lead(sw->team, sw->sweep, how, &sw->result);
  sw->threads = sw->team->threads;
  sw->processes = sw->team->working;
  fputs(pf_text_get(&sw->team->complaints), sw->options->console->err);
  (void)pf_sweep_part(sw); /* the others need not wait for the summary */
  return status;
}

/* ---------------------------------------------------------------- those who follow */

/* A console that keeps what is said. */
typedef struct Quiet {
  Console console;
  char *out, *err;
  size_t out_size, err_size;
} Quiet;

static bool be_quiet(Quiet *q, const Console *console)
{
  q->console = *console;
  q->console.terminal = false;
  q->console.out = open_memstream(&q->out, &q->out_size);
  q->console.err = open_memstream(&q->err, &q->err_size);
  return q->console.out && q->console.err;
}

static void end_quiet(Quiet *q)
{
  if (q->console.out) fclose(q->console.out);
  if (q->console.err) fclose(q->console.err);
  free(q->out);
  free(q->err);
}

static bool ask(void *user, const PfSweepProgress *progress)
{
  const Sweep *sw = user;
  (void)progress;
  return pf_cli_is_stopped(sw->options->console);
}

/* Standard input is the leader's alone; a result need not be seen by others. */
static bool has_own_model(const Options *o)
{
  return o->file && strcmp(o->file, "-") != 0;
}

static PfStatus follow(Sweep *sw, PfStatus (*open)(Sweep *sw))
{
  const Options *o = sw->options;
  PfTeamWords told;
  if (has_own_model(o)) {
    PF_TRY(open(sw));
  } else {
    PF_TRY(pf_cli_begin_session(&sw->s, o->console));
    PF_TRY(pf_cli_choose_native(sw->s.ctx, o));
  }
  PF_TRY(pf_team_listen(sw->team, sw->s.ctx, sw->s.arena, &told));
  if (!told.words) return PF_OK;
  if (sw->sweep) PF_TRY(pf_team_compare(sw->team, sw->sweep, &told));
  else PF_TRY(pf_team_check_version(sw->team, sw->s.ctx, &told));
  if (!sw->sweep) PF_TRY(pf_sweep_new(sw->s.ctx, told.words, told.count, &sw->sweep));
  const PfSweepHow how = {.threads = pf_sweep_threads(o), .native = pf_context_native(sw->s.ctx), .report = ask,
                          .user = sw};
  return pf_team_follow(sw->team, sw->sweep, &how);
}

int pf_sweep_follow(Sweep *sw, const Console *console, int argc, char **argv, PfStatus (*open)(Sweep *sw))
{
  Quiet quiet = {0};
  Options *options = &sw->given;
  PfStatus status = PF_ERR_MEMORY;
  if (be_quiet(&quiet, console)) {
    const int code = pf_cli_options(&pf_command_sweep, &quiet.console, argc, argv, options);
    const bool aside = options->help || options->dry_run || options->join || options->convert || options->show_member;
    sw->options = options;
    status = code != PF_EXIT_OK ? PF_ERR_ARGUMENT : aside ? PF_OK : follow(sw, open); /* aside: the leader does it */
    if (code == PF_EXIT_OK && status != PF_OK) pf_cli_diagnostics(sw->s.ctx, &quiet.console);
    fflush(quiet.console.err);
  }
  if (status != PF_OK) pf_team_complain(sw->team, status, quiet.err ? quiet.err : "");
  const bool good = pf_sweep_part(sw);
  end_quiet(&quiet);
  return good ? PF_EXIT_OK : PF_EXIT_FAILED;
}
