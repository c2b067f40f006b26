/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff sweep: a model moved many times. */
#include "task/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "param", .argument = "NAME=VALUES",
   .help = "a value for all, a list (k=1,2,4) or a range (m=5..7:50, r=0.1..10:30:log): lists and ranges are combined; "
           "may be repeated"},
  {.name = "state", .argument = "NAME=VALUES", .help = "the same for the start of a coordinate, a velocity or a speed"},
  {.name = "input", .argument = "NAME=VALUES", .help = "the same for an input without a function of time"},
  {.name = "out", .argument = "RESULT",
   .help = "where the rows go: a Zarr directory, which a sweep that was interrupted goes on with, or a table"},
  {.name = "json", .help = "the summary for programs, on standard output"},
  {0}};

#define TAKES_PLAN "param state input time as-given random correlate members design seed zip table vary study take "

static const SettingNeed needs[] = {
  {.names = "correlate design", .with = "random"},
  {.names = "study",
   .without = "by vary step atol adaptive rho printed no-projection keep-going most-steps form native "},
  {.names = "resume", .without = "join convert out"},
  {.names = "part", .with = "out resume"}, {.names = "part", .without = "dry-run"},
  {.names = "join convert", .without = TAKES_PLAN TAKES_METHOD "threads dry-run part"},
  {.names = "statistics-only", .without = "resume join convert part dry-run "},
  {.names = "show-member", .without = TAKES_PLAN TAKES_METHOD "threads dry-run part resume join convert out "},
  {.names = "convert", .with = "out"}, {.names = "join", .without = "convert out"},
  {0}};

static const OtherReport others[] = {{"show-member", pf_sweep_member_fields}, {"dry-run", pf_sweep_dry_fields}, {0}};

const PfTask pf_sweep_task = {
  .name = "sweep", .summary = "a model moved many times, with numbers that vary, on all cores",
  .operands = "FILE",
  .about = "Every member is a run of the model with other numbers: points of a grid, rows of a table, or random ones. "
           "Of each member some numbers are taken; one that fails is kept with its reason. Member k is the same on any "
           "number of threads, in parts, and after an interruption.",
  .takes = TAKES_PLAN TAKES_METHOD "threads statistics-only dry-run resume part join convert show-member out json ",
  .writes = {"zarr", "csv", "mat", "h5", "json"},
  .own = own,
  .needs = needs,
  .examples = "@call{sweep @p{F=0.5..2:4} @take{\"x, max(theta)\"} @out{study.zarr} "
              "examples/wheels/piano_wheel.pf}\n"
              "@call{sweep @resume{study.zarr}}\n"
              "@call{sweep @show_member{3} study.zarr}\n",
  .instead = "resume join convert",
  .fields = pf_sweep_fields,
  .others = others,
  .run = run};

/* ---------------------------------------------------------------- the model */

static bool varies(const char *text)
{
  const char *equals = strchr(text, '=');
  return equals && (strstr(equals, "..") || *pf_piece_end(equals + 1, ","));
}

static void keep_fixed(Texts *list)
{
  int count = 0;
  for (int i = 0; i < list->count; i++)
    if (!varies(list->at[i])) list->at[count++] = list->at[i];
  list->count = count;
}

static PfStatus open_model(Sweep *sw)
{
  PfRequest *fixed = pf_arena_array(sw->s.arena, PfRequest, 1);
  if (!fixed) return pf_no_room(sw->s.ctx, "the sweep");
  *fixed = *sw->options;
  fixed->out = NULL;
  keep_fixed(&fixed->parameters);
  keep_fixed(&fixed->state);
  PF_TRY(pf_task_load_to_move(&sw->s, fixed));
  /* How it runs is looked at before anything does: by the numbers that the model has itself. */
  PfSystem *system;
  PfRunOptions settings = pf_run_options();
  double *values;
  PF_TRY(pf_system_new(sw->s.ctx, &sw->s.equations, &system));
  PfStatus status = pf_task_state(&sw->s, fixed, system, &values);
  if (status == PF_OK) status = pf_task_run_options(&sw->s, fixed, system, values, &settings);
  pf_system_free(system);
  PF_TRY(status);
  PF_TRY(pf_sweep_read_options(sw));
  return pf_sweep_of_machine(sw->s.ctx, sw->s.machine, sw->settings.at, (int)sw->settings.count, &sw->sweep);
}

/* How long, and how closely: of the studies only the exponent follows a motion. */
static PfStatus check_study(const Sweep *sw)
{
  const PfRequest *o = sw->options;
  const char *given = o->study && strcmp(o->study, "lyapunov") != 0 ? pf_task_given(o, "for rtol ") : NULL;
  return given ? pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "@%s has no effect on @study{%s}", given, o->study) : PF_OK;
}

/* A result in place of a model. */
static PfStatus refuse_result(const Sweep *sw, const char *path)
{
  if (!pf_sweep_ends_in(path, ".zarr") && !pf_sweep_ends_in(path, ".zarr/")) return PF_OK;
  pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "'%s' is a result of a sweep, not a model", path);
  pf_hint(sw->s.ctx, "@resume goes on with it, @show_member and @convert show its rows, @task{plot} draws it");
  return PF_ERR_ARGUMENT;
}

static PfStatus open_sweep(Sweep *sw)
{
  const PfRequest *o = sw->options;
  PF_TRY(pf_task_begin_session(&sw->s, o));
  PF_TRY(pf_task_choose_native(sw->s.ctx, o));
  PF_TRY(check_study(sw));
  if (o->out && !pf_task_out_kind(o)) return pf_task_check_out(sw->s.ctx, o); /* says which endings there are */
  if (o->file && !o->show_member) PF_TRY(refuse_result(sw, o->file));
  if (!sw->comm || !sw->comm->rank) PF_TRY(pf_sweep_find_place(sw)); /* others need not see it */
  if (o->file && !o->show_member) return open_model(sw);
  const char *given = pf_task_given(o, TAKES_PLAN TAKES_METHOD);
  if (given)
    return pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "@%s has no effect: '%s' goes on as it was begun", given, o->resume);
  return pf_sweep_of_result(sw->s.ctx, sw->path, &sw->sweep);
}

/* ---------------------------------------------------------------- where */

static PfStatus read_part(Sweep *sw)
{
  const char *text = sw->options->part;
  char *stop;
  if (!text) return PF_OK;
  const long part = strtol(text, &stop, 10), parts = *stop == '/' ? strtol(stop + 1, &stop, 10) : 0;
  if (*stop || part < 1 || parts < part || parts > 1000000) {
    pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "@part{%s}: not a part", text);
    pf_hint(sw->s.ctx, "@part{3/64} is the third of 64");
    return PF_ERR_ARGUMENT;
  }
  sw->part = (int)part;
  sw->parts = (int)parts;
  return PF_OK;
}

/* ---------------------------------------------------------------- what is asked for */

/* Rows as a table: only when all of them are there. */
static PfStatus end_table(Sweep *sw)
{
  if (!sw->table || sw->parts || sw->result.stopped) return PF_OK;
  PF_TRY(pf_sweep_convert(sw, sw->table));
  return sw->path ? pf_sweep_remove(sw->sweep, sw->path) : PF_OK;
}

/* By way of the result, each of them on one thread unless more are asked for. */
static PfStatus compute_together(Sweep *sw, PfSweepRunOptions *how)
{
  bool last;
  if (!how->out || sw->table) {
    pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "%d processes need a common result", sw->ranks);
    pf_hint(sw->s.ctx, "write @out{study.zarr}, in a folder that all of them see");
    return PF_ERR_ARGUMENT;
  }
  if (!how->threads) how->threads = sw->threads = 1;
  PF_TRY(pf_sweep_run_shared(sw->sweep, how, sw->rank, sw->ranks, &sw->result, &last));
  sw->silent = !last && !sw->result.stopped;
  return PF_OK;
}

int pf_sweep_threads(const PfRequest *o)
{
  return isnan(o->threads) ? 0 : (int)fmin(o->threads, 1024);
}

int pf_sweep_thread_count(const PfRequest *o)
{
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const int given = pf_sweep_threads(o);
  return given ? given : cores > 0 ? (int)cores : 1;
}

/* Warnings before much is computed. */
static void tell_now(const Sweep *sw)
{
  const Host *host = sw->options->host;
  if (sw->options->tree || !host->tell) return;
  host->tell(host->observer.user, sw->s.ctx);
  pf_diagnostics_truncate(sw->s.ctx, 0);
}

static PfStatus compute(Sweep *sw)
{
  const PfRequest *o = sw->options;
  PF_TRY(read_part(sw));
  PF_TRY(pf_sweep_check_memory(sw));
  PfSweepRunOptions how = {.out = sw->path, .resume = o->resume || sw->table, .part = sw->part, .parts = sw->parts,
                           .threads = pf_sweep_threads(o), .report = pf_sweep_progress, .user = sw,
                           .statistics_only = o->statistics_only};
  how.native = pf_context_native(sw->s.ctx);
  sw->threads = pf_sweep_thread_count(o);
  PF_TRY(pf_sweep_check(sw->sweep));
  tell_now(sw);
  if (o->statistics_only && (sw->comm || sw->ranks > 1))
    return pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "@statistics_only is for one process with its threads");
  PfStatus status = sw->comm ? pf_sweep_run_leader(sw, &how)
                  : sw->ranks > 1 && !sw->parts ? compute_together(sw, &how)
                  : pf_sweep_run(sw->sweep, &how, &sw->result);
  PF_TRY(status);
  if (sw->silent) return PF_OK;
  pf_context_set_cancel(sw->s.ctx, NULL, NULL); /* what was computed so far is told */
  PF_TRY(sw->parts ? PF_OK : pf_sweep_summarise(sw));
  PF_TRY(end_table(sw));
  if (o->statistics_only && o->out && !sw->result.stopped) PF_TRY(pf_sweep_write_statistics(sw));
  if (!sw->path && !o->statistics_only) PF_TRY(pf_sweep_give(sw));
  /* Members that fail are a result; all of them are a mistake. */
  const PfSweepProgress *p = &sw->result.progress;
  if (p->failed < p->count || !sw->summary) return PF_OK;
  for (int i = PF_MEMBER_NO_START; i < PF_MEMBER_ENDS; i++)
    if (sw->summary->ends[i]) {
      pf_fail(sw->s.ctx, PF_ERR_NUMBER, "all members have failed, the first because %s", sw->summary->reason[i]);
      break;
    }
  return PF_ERR_NUMBER;
}

static PfStatus work(Sweep *sw)
{
  const PfRequest *o = sw->options;
  PF_TRY(open_sweep(sw));
  if (o->show_member) return pf_sweep_open_member(sw);
  if (o->dry_run) {
    /* A few members, as they would run, for half a second. */
    PF_TRY(pf_sweep_check_memory(sw));
    return pf_sweep_try(sw->sweep, pf_context_native(sw->s.ctx), 0.5, &sw->estimate);
  }
  if (o->join) {
    PF_TRY(pf_sweep_join(sw->sweep, sw->path, &sw->result));
    PF_TRY(pf_sweep_summarise(sw));
    return end_table(sw);
  }
  if (o->convert) {
    if (pf_task_out_is(o, "json")) {
      pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "@convert{%s}: a table is written as .csv, .mat or .h5", o->convert);
      return PF_ERR_ARGUMENT;
    }
    if (pf_task_out_is(o, "zarr"))
      return pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "@convert: '%s' is a Zarr directory already", o->convert);
    PF_TRY(pf_task_check_out(sw->s.ctx, o));
    PF_TRY(pf_sweep_summarise(sw));
    PF_TRY(pf_sweep_tell_missing(sw->s.ctx, o->convert, sw->summary->ends[PF_MEMBER_MISSING],
                                 pf_sweep_count(sw->sweep)));
    return pf_sweep_convert(sw, o->out);
  }
  return compute(sw);
}

static PfStatus tell(Sweep *sw, PfStatus status)
{
  const PfRequest *o = sw->options;
  WriteReport write = o->show_member ? pf_sweep_member_report : o->dry_run ? pf_sweep_dry_report : pf_sweep_report;
  return pf_task_report(sw->s.ctx, status, o, sw, write);
}

/* Programs look for the reason among the diagnostics; people read it in the summary. */
static void tell_stop(Sweep *sw)
{
  PfContext *ctx = sw->s.ctx;
  const PfSweepProgress *p = &sw->result.progress;
  if (!sw->result.stopped || sw->silent || !sw->options->tree || pf_error_count(ctx)) return;
  pf_fail(ctx, PF_ERR_CANCELLED, "stopped on request");
  pf_hint(ctx, "%lld of %lld members are computed", p->done, p->count);
}

static PfStatus run_first(Sweep *sw)
{
  PfStatus status = work(sw);
  if (status == PF_OK) tell_stop(sw);
  if (status != PF_OK || !sw->silent) status = tell(sw, status);
  return status == PF_OK && sw->result.stopped ? PF_ERR_CANCELLED : status;
}

static PfStatus run(const PfRequest *options)
{
  Sweep sw = {.options = options};
  pf_sweep_connect(&sw);
  const bool follows = sw.comm && sw.comm->rank;
  PfStatus status = follows ? pf_sweep_follow(&sw, open_sweep) : run_first(&sw);
  if (!follows) (void)pf_sweep_disconnect(&sw);
  pf_sweep_free(sw.sweep);
  if (sw.s.ctx) pf_array_free(pf_context_allocator(sw.s.ctx), &sw.settings);
  pf_task_close(&sw.s);
  return status;
}
