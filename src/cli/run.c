/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff run: the motion, a summary that says whether to trust it, and a trajectory file. */
#include "cli/drift.h"
#include "cli/events.h"
#include "cli/listing.h"
#include "cli/pace.h"
#include "cli/poses.h"
#include "cli/trajectory.h"
#include "cli/live.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static int run(const Console *console, int argc, char **argv);

static const OptionHelp own[] = {
  {.name = "show", .argument = "\"x,theta [deg],pos(w)\"",
   .help = "the columns beside t: any quantities, as in 'plot' (default: the state, multipliers, energies, and what "
           "the model plots)"},
  {.name = "out",
   .help = "writes the trajectory to a file; '-' is CSV on standard output, and the summary goes to standard error"},
  {.name = "json", .help = "summary, trajectory and diagnostics for programs, on standard output"},
  {.name = "watch",
   .help = "curves in the terminal while it runs: of what --show names, or the model plots, or else of the "
           "coordinates; standard error must be a terminal"},
  {.name = "as-given", .help = "starts from what is given, also off the constraints: then nothing is projected"},
  {0}};

static const OptionNeed needs[] = {
  {.names = "rate", .with = "real-time"}, {.names = "rate", .without = "step"}, {.names = "every", .without = "at"},
  {.names = "no-rows", .with = "json"},
  {0}};

const Command pf_command_run = {
  .name = "run", .summary = "simulate, print a summary, write the trajectory",
  .operands = "FILE",
  .about = "Integrates from the start of the model and prints a summary that says whether to trust the motion: steps, "
           "violation of the constraints, balance of energy. Ctrl-C, SIGTERM and SIGHUP stop cleanly: what was "
           "computed so far is written. While it runs, its rows are in x.part.csv beside x.csv; an older x.csv is "
           "replaced when it ends.",
  .takes = TAKES_STATE TAKES_METHOD "input every at show real-time rate watch invariants out poses json no-rows ",
  .writes = {"csv", "json", "mat"},
  .own = own,
  .needs = needs,
  .examples = "pfaff run --by dop853 --rtol 1e-10 --every 0.01 --out x.csv examples/skates/snakeboard.pf\n"
              "pfaff run -p m=7 --for 2 --json examples/skates/snakeboard.pf\n",
  .run = run};

typedef struct Run {
  Session s;
  const Options *options;
  Motion motion;
  PfRunResult result;
  Trajectory trajectory;
  Poses poses;
  Pace pace;
  Drift drift;
  Events events;
  Listing listing;
  Live live;
  PF_ARRAY(double) rows; /* of the trajectory, for --json */
  bool rows_lost;        /* there was no room for them */
  double wall, shown;
  bool progress;
  bool written, unwritten; /* the trajectory: is there, could not be written */
} Run;

/* ---------------------------------------------------------------- along the way */

static PfStatus give_row(const Run *r)
{
  const Console *console = r->options->console;
  bool good = !console->take_row || console->take_row(console->user, r->trajectory.row, r->trajectory.count);
  return good ? PF_OK : pf_no_room(r->s.ctx, "the trajectory; --every takes fewer samples");
}

static bool keeps_rows(const Run *r)
{
  return r->options->json && !r->options->no_rows;
}

static PfStatus keep_row(Run *r)
{
  for (int i = 0; i < r->trajectory.count && !r->rows_lost; i++)
    r->rows_lost = !pf_push(pf_context_allocator(r->s.ctx), &r->rows, r->trajectory.row[i]);
  return r->rows_lost ? pf_no_room(r->s.ctx, "the trajectory; write it with --out") : PF_OK;
}

/* --at and --every leave steps out that have to be watched. */
static bool are_apart(const Run *r)
{
  const bool some = r->motion.settings.at_count > 0 || r->motion.settings.every > 0;
  return some && (r->drift.tape || r->events.momentum.shown);
}

/* What should be conserved is watched at every step, whatever is sampled. */
static void watch(Run *r, const PfSample *sample)
{
  if (!sample) return;
  pf_drift_sample(&r->drift, sample);
  pf_events_sample(&r->events, sample);
}

static PfStatus take_sample(void *user, const PfSample *sample)
{
  Run *r = user;
  PF_TRY(pf_trajectory_add(&r->trajectory, sample));
  PF_TRY(give_row(r));
  PF_TRY(pf_poses_add(&r->poses));
  PF_TRY(pf_listing_add(&r->listing));
  PF_TRY(pf_live_add(&r->live));
  if (!are_apart(r)) watch(r, sample);
  return keeps_rows(r) ? keep_row(r) : PF_OK;
}

static void show_progress(Run *r, double t)
{
  enum { WIDTH = 40 };
  double now = r->progress ? pf_clock() : 0;
  if (!r->progress || now - r->shown < 0.1) return;
  r->shown = now;
  double part = (t - r->motion.t0)/(r->motion.settings.t_end - r->motion.t0);
  int filled = (int)(part*WIDTH);
  fprintf(r->options->console->err, "\r[%.*s%*s] %3.0f%%  t = %.6g ", filled,
          "########################################", WIDTH - filled, "", 100*part, t);
}

static bool is_cancelled(void *user, double t)
{
  Run *r = user;
  if (are_apart(r)) watch(r, pf_sim_sample(r->motion.sim));
  if (r->pace.period > 0) pf_pace_step(&r->pace, t);
  else show_progress(r, t);
  pf_live_show(&r->live, t);
  if (pf_record_keep(&r->trajectory.record) != PF_OK) r->unwritten = true;
  if (pf_record_keep(&r->poses.record) != PF_OK) r->unwritten = true;
  return pf_cli_is_stopped(r->options->console) || r->unwritten;
}

/* ---------------------------------------------------------------- the run */

static PfStatus prepare(Run *r)
{
  Motion *m = &r->motion;
  PF_TRY(pf_cli_open_to_move(&r->s, r->options));
  PF_TRY(pf_cli_place(m, &r->s, r->options));
  PF_TRY(pf_pace_prepare(&r->s, r->options, m->t0, &m->settings, &r->pace));
  PF_TRY(pf_cli_begin(m));
  PF_TRY(pf_events_make(&r->events, m));
  PF_TRY(pf_trajectory_make(&r->trajectory, m, &(Wanted){.show = r->options->show}));
  if (r->options->at && !r->options->out && !r->options->json)
    PF_TRY(pf_listing_make(&r->listing, &r->trajectory, r->options->show));
  if (r->options->invariants) PF_TRY(pf_drift_make(&r->drift, &r->s, r->options, m));
  if (r->options->watch) PF_TRY(pf_live_make(&r->live, m, &r->trajectory, r->options));
  r->progress = r->options->console->terminal && !r->options->watch;
  if (r->options->poses) PF_TRY(pf_poses_make(&r->poses, m, r->options->poses));
  if (!r->options->out) return PF_OK;
  PF_TRY(pf_trajectory_open(&r->trajectory, r->options->out));
  FILE *out = r->options->console->out;
  if (pf_cli_out_is_standard(r->options) && out != stdout) r->trajectory.record.stream = out;
  return PF_OK;
}

/* Samples that were asked for at times the run has not reached. */
static void tell_late_samples(const Run *r)
{
  const PfRunOptions *o = &r->motion.settings;
  int late = 0;
  if (!o->at || r->result.end == PF_RUN_CANCELLED) return;
  while (late < o->at_count && o->at[o->at_count - 1 - late] > r->result.t + 1e-12*fmax(1, fabs(r->result.t))) late++;
  if (late)
    pf_warn_at(r->s.ctx, (PfPlace){0}, "%d of the %d times of --at lie beyond the end, t = %.10g", late, o->at_count,
               r->result.t);
}

static bool is_whole(const Run *r)
{
  return r->result.end == PF_RUN_DONE || r->result.end == PF_RUN_UNTIL;
}

/* What was computed replaces what was there, also when the run was stopped or has failed; a run that has not taken a
 * step has computed nothing. */
static PfStatus end_trajectory(Run *r, PfStatus status)
{
  PfRecord *record = &r->trajectory.record;
  bool some = r->result.steps > 0 || (status == PF_OK && (is_whole(r) || r->result.end == PF_RUN_CANCELLED));
  if (!some) pf_record_drop(record), pf_record_drop(&r->poses.record);
  PfStatus closed = some ? pf_record_close(record) : PF_OK, posed = some ? pf_record_close(&r->poses.record) : PF_OK;
  r->written = r->options->out && some && closed == PF_OK;
  r->unwritten = r->unwritten || closed != PF_OK || posed != PF_OK || status == PF_ERR_FILE;
  return status != PF_OK ? status : closed == PF_OK ? posed : closed;
}

static PfStatus simulate(Run *r)
{
  pf_pace_begin(&r->pace);
  double start = pf_clock();
  if (are_apart(r)) watch(r, pf_sim_sample(r->motion.sim));
  PfStatus status = pf_cli_move(&r->motion, take_sample, is_cancelled, r, &r->result);
  if (are_apart(r) && status == PF_OK && is_whole(r)) watch(r, pf_sim_sample(r->motion.sim));
  r->wall = r->motion.seconds + pf_clock() - start;
  if (status == PF_OK) tell_late_samples(r);
  if (r->progress && r->shown > 0) fputs("\r\033[K", r->options->console->err);
  pf_live_end(&r->live, r->result.t);
  return end_trajectory(r, status);
}

/* ---------------------------------------------------------------- the report */

static const PfField stiff_fields[] = {
  PF_FIELD("method", STRING, "the implicit method that went on"),
  PF_FIELD("from", NUMBER, "the time of the change, in s"),
  {0}};

static const PfField violation_fields[] = {
  PF_FIELD("position", NUMBER, "largest residual of a holonomic constraint, in SI"),
  PF_FIELD("velocity", NUMBER, "largest residual of a constraint on velocities, in SI"),
  {0}};

static const PfField energy_fields[] = {
  PF_FIELD("start", NUMBER, "kinetic and potential energy at the start, in J"),
  PF_FIELD("end", NUMBER, "the same at the end"),
  PF_FIELD("drift", NUMBER,
           "largest difference between gained energy and work done, summed over phases between events, in J"),
  {0}};

static const PfField fields[] = {
  PF_FIELD("model", STRING, "name of the model, or of its file"),
  PF_FIELD("method", STRING, "the integrator at the start"),
  {.key = "stiff", .type = PF_TYPE_RECORD, .fields = stiff_fields, .optional = true,
   .about = "the motion was found to be stiff and an implicit method took over; left out: it was not"},
  PF_FIELD("formulation", STRING, "the formulations that gave accelerations, with commas"),
  PF_FIELD("end", STRING, "why the run ended, in words"),
  PF_FIELD("t_end", NUMBER, "the time at which it ended, in s"),
  PF_FIELD("steps", INTEGER, "accepted steps"),
  PF_FIELD("rejected", INTEGER, "steps that were repeated with a smaller size"),
  PF_FIELD("evaluations", INTEGER, "evaluations of the accelerations"),
  PF_FIELD("switches", INTEGER, "zero crossings at which forces change their branch"),
  PF_FIELD("sticks", INTEGER, "transitions to sticking"),
  PF_FIELD("wall_seconds", NUMBER, "computing time"),
  PF_FIELD_NATIVE,
  PF_FIELD_RECORD("violation", violation_fields, "of the constraints"),
  PF_FIELD_RECORD("energy", energy_fields, "balance of energy"),
  PF_FIELD_START_CHANGE,
  PF_FIELDS_EVENTS,
  PF_FIELD_DRIFT,
  PF_FIELD_PACE,
  PF_FIELD_DIAGNOSTICS,
  PF_FIELD("columns", STRINGS, "names of the columns of the trajectory"),
  PF_FIELD("units", STRINGS, "their units; empty: SI"),
  {.key = "rows", .type = PF_TYPE_NUMBERS, .large = true, .about = "the trajectory; null with --no-rows"},
  {0}};

static const char *const end_words[] = {"reached the end", "the stop condition became true", "stopped on request",
                                        "the constraints lost rank", "the accelerations could not be found",
                                        "the step became too small", "too many steps", "no headway"};

static const char *method_name(const Run *r)
{
  return r->motion.settings.method ? r->motion.settings.method : "dopri5";
}

static bool takes_steps(const Run *r)
{
  const PfMethod *method = pf_method_find(method_name(r));
  return pf_method_has_fixed_step(method) && !r->motion.settings.adaptive && r->motion.settings.step > 0;
}

/* All that have found accelerations in some phase: "elimination, multipliers". */
static void report_formulations(const Run *r, PfReport *report)
{
  PfText *page = pf_report_page(report);
  size_t before = page->count;
  const char *between = "";
  for (int i = 0; pf_formulation(i); i++)
    if (r->result.formulations >> i & 1) {
      pf_text_print(page, "%s%s", between, pf_formulation_name(pf_formulation(i)));
      between = ", ";
    }
  if (!*between) pf_text_add(page, "no formulation");
  pf_report_shown(report, "formulation", before);
}

static void report_head(const Run *r, PfReport *report)
{
  const char *name = pf_cli_name(r->s.model),
             *end = r->unwritten ? "the trajectory could not be written" : end_words[r->result.end];
  pf_report_string(report, "model", name);
  pf_report_string(report, "method", method_name(r));
  pf_report_print(report, "%s by %s, ", name, method_name(r));
  report_formulations(r, report);
  pf_report_string(report, "end", end);
  pf_report_number(report, "t_end", r->result.t);
  pf_report_print(report, ", t = %.6g to %.10g: %s\n", r->motion.t0, r->result.t, end);
}

static void report_steps(const Run *r, PfReport *report)
{
  const PfRunResult *x = &r->result;
  pf_report_integer(report, "steps", x->steps);
  pf_report_integer(report, "rejected", x->rejected);
  pf_report_integer(report, "evaluations", x->evaluations);
  pf_report_number(report, "wall_seconds", r->wall);
  pf_report_print(report, "  steps               %ld, %ld rejected, %ld evaluations, %.3g s\n", x->steps, x->rejected,
                  x->evaluations, r->wall);
  if (x->stiff) {
    pf_report_open(report, "stiff");
    pf_report_string(report, "method", x->method);
    pf_report_number(report, "from", x->stiff_t);
    pf_report_close(report);
    pf_report_print(report, "  stiff               by %s from t = %.6g on; --by chooses another method\n", x->method,
                    x->stiff_t);
  }
  pf_native_report(r->s.ctx, report);
  pf_report_integer(report, "switches", x->switches);
  pf_report_integer(report, "sticks", x->sticks);
  if (x->switches || x->sticks)
    pf_report_print(report, "  switches            %ld, stickings %ld\n", x->switches, x->sticks);
}

/* What says whether to trust the motion: the constraints and the balance of energy. */
static void report_quality(const Run *r, PfReport *report)
{
  const PfRunResult *x = &r->result;
  double energy = fmax(x->kinetic, fmax(fabs(x->energy_start), fabs(x->energy_end)));
  pf_report_open(report, "violation");
  pf_report_number(report, "position", x->position);
  pf_report_number(report, "velocity", x->velocity);
  pf_report_close(report);
  if (r->s.equations.m) {
    pf_report_print(report, "  violation           position %.2g, velocity %.2g\n", pf_without_noise(x->position, 1),
                    pf_without_noise(x->velocity, 1));
    pf_report_print(report, "  rank margin         of the constraints %.2g at t = %.6g (1: orthogonal, 0: dependent)\n",
                    x->weakest, x->weakest_t);
  }
  pf_report_open(report, "energy");
  pf_report_number(report, "start", x->energy_start);
  pf_report_number(report, "end", x->energy_end);
  pf_report_number(report, "drift", x->drift);
  pf_report_close(report);
  pf_report_print(report, "  energy              %.10g to %.10g, balance with the work done off by %.2g\n",
                  pf_without_noise(x->energy_start, energy), pf_without_noise(x->energy_end, energy),
                  pf_without_noise(x->drift, energy));
  if (x->drift > 0.1*x->kinetic && x->drift > 1e-9*energy && x->drift > 1e-13)
    pf_report_print(report, "  caution             that is %.0f %% of the largest kinetic energy: do not trust this "
                    "motion, try a smaller %s\n", fmin(100*x->drift/x->kinetic, 1e6),
                    takes_steps(r) ? "step" : "tolerance");
}

static void report_trajectory(const Run *r, PfReport *report)
{
  const Trajectory *t = &r->trajectory;
  pf_report_strings(report, "columns", t->names, t->count);
  pf_report_strings(report, "units", t->units, t->count);
  if (keeps_rows(r) && !r->rows_lost)
    pf_report_matrix(report, "rows", r->rows.at, (int)(r->rows.count/(size_t)t->count), t->count);
  if (!r->written) return;
  const char *place = pf_cli_out_is_standard(r->options) ? "standard output" : r->options->out;
  pf_report_print(report, "  trajectory          %ld rows in ", t->rows);
  pf_text_add_escaped(pf_report_page(report), place, strlen(place), ""); /* a name is one line, whatever is in it */
  pf_report_print(report, "\n");
}

static void write_report(void *user, PfReport *report)
{
  Run *r = user;
  report_head(r, report);
  pf_start_report(r->s.model, r->options, &r->motion.start, report);
  report_steps(r, report);
  report_quality(r, report);
  pf_events_report(&r->events, report);
  pf_drift_report(&r->drift, report);
  pf_pace_report(&r->pace, report);
  report_trajectory(r, report);
  pf_listing_text(&r->listing, pf_report_page(report));
}

/* Programs look for the reason among the diagnostics; people read it in the first line of the summary. */
static void tell_stop(const Run *r)
{
  PfContext *ctx = r->s.ctx;
  if (r->result.end != PF_RUN_CANCELLED || pf_error_count(ctx)) return;
  pf_fail(ctx, PF_ERR_CANCELLED, "stopped on request");
  pf_hint(ctx, "the rows go to t = %.6g", r->result.t);
}

/* ---------------------------------------------------------------- the command */

static int run(const Console *console, int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_command_run, console, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  Run r = {.options = &options};
  PfStatus status = prepare(&r);
  bool ran = status == PF_OK;
  if (ran) status = simulate(&r);
  if (ran) pf_context_set_cancel(r.s.ctx, NULL, NULL); /* what was computed so far is told */
  ran = ran && (status == PF_OK || r.result.steps > 0);
  if (ran && options.json) tell_stop(&r);
  code = pf_cli_report(r.s.ctx, ran ? PF_OK : status, &options, fields, &r, write_report);
  if (r.rows.at) pf_array_free(pf_context_allocator(r.s.ctx), &r.rows);
  pf_listing_free(&r.listing);
  pf_live_free(&r.live);
  pf_drift_free(&r.drift);
  pf_poses_free(&r.poses);
  pf_trajectory_free(&r.trajectory);
  pf_events_free(&r.events);
  pf_cli_end(&r.motion);
  pf_cli_close(&r.s);
  if (status == PF_OK && !is_whole(&r)) return PF_EXIT_FAILED;
  return status == PF_OK ? code : pf_cli_exit_code(status);
}
