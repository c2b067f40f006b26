/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff run: the motion, a summary that says whether to trust it, and a trajectory file. */
#include "task/run.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "show", .argument = "\"x,theta [deg],pos(w)\"",
   .help = "the columns beside t: any quantities, as in 'plot' (default: the state, multipliers, energies, and what "
           "the model plots)"},
  {.name = "out",
   .help = "writes the trajectory to a file; '-' is CSV on standard output, and the summary goes to standard error"},
  {.name = "json", .help = "summary, trajectory and diagnostics for programs, on standard output"},
  {.name = "watch",
   .help = "curves in the terminal while it runs: of what @show names, or the model plots, or else of the "
           "coordinates; standard error must be a terminal"},
  {.name = "as-given", .help = "starts from what is given, also off the constraints: then nothing is projected"},
  {0}};

static const SettingNeed needs[] = {
  {.names = "rate", .with = "real-time"}, {.names = "rate", .without = "step"}, {.names = "every", .without = "at"},
  {0}};

const PfTask pf_run_task = {
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
  .examples = "@call{run @by{dop853} @rtol{1e-10} @every{0.01} @out{x.csv} examples/skates/snakeboard.pf}\n"
              "@call{run @p{m=7} @for{2} @json examples/skates/snakeboard.pf}\n",
  .fields = pf_run_fields,
  .run = run};

typedef struct Run Run;

/* An observer of the motion: called for each sample, and after each step, which ends at the time t. Either
 * function may be NULL; one that fails ends the run. */
typedef struct Observer {
  PfStatus (*sample)(Run *run, const PfSample *sample);
  PfStatus (*step)(Run *run, double t);
} Observer;

enum { MOST_OBSERVERS = 12 };

struct Run {
  Session s;
  const PfRequest *options;
  Motion motion;
  PfRunResult result;
  Observer observers[MOST_OBSERVERS]; /* in the order in which they are called */
  int observer_count;
  Trajectory trajectory;
  Poses poses;
  Pace pace;
  Drift drift;
  Events events;
  Listing listing;
  bool drift_of_steps;   /* measured at each step, not at samples */
  const RunWatch *watch; /* NULL: none */
  PF_ARRAY(double) rows; /* of the trajectory, for the tree of the report */
  bool rows_lost;        /* there was no room for them */
  double wall;           /* seconds of the run */
  bool written, unwritten; /* the trajectory: is there, could not be written */
};

/* ---------------------------------------------------------------- observers */

static PfStatus add_row(Run *r, const PfSample *sample)
{
  return pf_trajectory_add(&r->trajectory, sample);
}

/* To the program that called the task. */
static PfStatus hand_on_row(Run *r, const PfSample *sample)
{
  const PfObserver *observer = &r->options->host->observer;
  (void)sample;
  return observer->row(observer->user, r->trajectory.row, r->trajectory.count)
             ? PF_OK : pf_fail(r->s.ctx, PF_ERR_MEMORY, "no room for the trajectory; @every takes fewer samples");
}

static PfStatus keep_row(Run *r, const PfSample *sample)
{
  (void)sample;
  for (int i = 0; i < r->trajectory.count && !r->rows_lost; i++)
    r->rows_lost = !pf_push(pf_context_allocator(r->s.ctx), &r->rows, r->trajectory.row[i]);
  return r->rows_lost ? pf_fail(r->s.ctx, PF_ERR_MEMORY, "no room for the trajectory; write it with @out") : PF_OK;
}

static PfStatus add_poses(Run *r, const PfSample *sample)
{
  (void)sample;
  return pf_poses_add(&r->poses);
}

static PfStatus list_row(Run *r, const PfSample *sample)
{
  (void)sample;
  return pf_listing_add(&r->listing);
}

static PfStatus add_curves(Run *r, const PfSample *sample)
{
  (void)sample;
  return r->watch->add(r->options->host->watch_user);
}

static PfStatus draw_curves(Run *r, double t)
{
  r->watch->show(r->options->host->watch_user, t);
  return PF_OK;
}

static PfStatus measure_drift(Run *r, const PfSample *sample)
{
  if (!sample) return PF_OK;
  pf_drift_sample(&r->drift, sample);
  pf_events_sample(&r->events, sample);
  return PF_OK;
}

/* Given times and periods of samples leave steps out; conserved quantities are measured at every step, whatever is
 * sampled. */
static PfStatus measure_drift_of_step(Run *r, double t)
{
  (void)t;
  return measure_drift(r, pf_sim_sample(r->motion.sim));
}

static PfStatus keep_pace(Run *r, double t)
{
  pf_pace_step(&r->pace, t);
  return PF_OK;
}

static PfStatus report_progress(Run *r, double t)
{
  const PfObserver *observer = &r->options->host->observer;
  double part = (t - r->motion.t0)/(r->motion.settings.t_end - r->motion.t0);
  observer->progress(observer->user, &(PfProgress){.part = part, .t = t, .processes = 1});
  return PF_OK;
}

static PfStatus flush_rows(Run *r, double t)
{
  (void)t;
  PfStatus rows = pf_record_keep(&r->trajectory.record), poses = pf_record_keep(&r->poses.record);
  return rows != PF_OK ? rows : poses;
}

static void observe(Run *r, bool wanted, PfStatus (*sample)(Run *run, const PfSample *sample),
                    PfStatus (*step)(Run *run, double t))
{
  assert(r->observer_count < MOST_OBSERVERS);
  if (wanted) r->observers[r->observer_count++] = (Observer){sample, step};
}

static PfStatus take_sample(void *user, const PfSample *sample)
{
  Run *r = user;
  for (int i = 0; i < r->observer_count; i++)
    if (r->observers[i].sample) PF_TRY(r->observers[i].sample(r, sample));
  return PF_OK;
}

static PfStatus take_step(void *user, double t)
{
  Run *r = user;
  for (int i = 0; i < r->observer_count; i++)
    if (r->observers[i].step) PF_TRY(r->observers[i].step(r, t));
  return PF_OK;
}

/* Drift at the start and at the end, which are not the ends of steps that others see. */
static void measure_ends(Run *r)
{
  if (r->drift_of_steps) (void)measure_drift_of_step(r, r->motion.t0);
}

/* ---------------------------------------------------------------- the run */

static PfStatus prepare(Run *r)
{
  Motion *m = &r->motion;
  PF_TRY(pf_task_open_to_move(&r->s, r->options));
  PF_TRY(pf_task_place(m, &r->s, r->options));
  PF_TRY(pf_pace_prepare(&r->s, r->options, m->t0, &m->settings, &r->pace));
  PF_TRY(pf_task_begin(m));
  PF_TRY(pf_events_make(&r->events, m));
  PF_TRY(pf_trajectory_make(&r->trajectory, m, &(Wanted){.show = r->options->show}));
  if (r->options->at && !r->options->out && r->options->text)
    PF_TRY(pf_listing_make(&r->listing, &r->trajectory, r->options->show));
  if (r->options->invariants) PF_TRY(pf_drift_make(&r->drift, &r->s, r->options, m));
  if (r->options->watch) {
    const Host *host = r->options->host;
    if (!host->watch || !host->watch->begin)
      return pf_fail(r->s.ctx, PF_ERR_MISSING, "@watch: there is no terminal here");
    r->watch = host->watch;
    PF_TRY(r->watch->begin(host->watch_user, m, &r->trajectory, r->options));
  }
  if (r->options->poses) {
    PF_TRY(pf_poses_make(&r->poses, m, r->options->poses));
    pf_task_lead(r->options, &r->poses.record);
  }
  /* The trajectory comes first: others read its row. */
  const PfRequest *o = r->options;
  const PfObserver *observer = &o->host->observer;
  const bool some = r->motion.settings.at_count > 0 || r->motion.settings.every > 0; /* not every step is a sample */
  const bool drift = r->drift.tape || r->events.momentum.shown, pace = r->pace.period > 0;
  observe(r, true, add_row, NULL);
  observe(r, observer->row, hand_on_row, NULL);
  observe(r, o->poses, add_poses, NULL);
  observe(r, r->listing.trajectory, list_row, NULL);
  r->drift_of_steps = drift && some;
  observe(r, drift && !some, measure_drift, NULL);
  observe(r, r->drift_of_steps, NULL, measure_drift_of_step);
  observe(r, pace, NULL, keep_pace);
  observe(r, !pace && observer->progress, NULL, report_progress);
  observe(r, r->watch, add_curves, draw_curves);
  observe(r, o->tree && !o->no_rows, keep_row, NULL);
  observe(r, o->out || o->poses, NULL, flush_rows);
  if (!r->options->out) return PF_OK;
  PF_TRY(pf_trajectory_open(&r->trajectory, r->options->out));
  pf_task_lead(o, &r->trajectory.record);
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
    pf_warn_at(r->s.ctx, (PfPlace){0}, "%d of the %d times of @at lie beyond the end, t = %.10g", late, o->at_count,
               r->result.t);
}

static bool is_whole(const Run *r)
{
  return r->result.end == PF_RUN_DONE || r->result.end == PF_RUN_UNTIL;
}

static PfStatus simulate(Run *r)
{
  pf_pace_begin(&r->pace);
  double start = pf_clock();
  measure_ends(r);
  PfStatus status = pf_task_move(&r->motion, take_sample, take_step, r, &r->result);
  if (status == PF_OK && is_whole(r)) measure_ends(r);
  r->wall = r->motion.seconds + pf_clock() - start;
  if (status == PF_OK) tell_late_samples(r);
  if (r->watch) r->watch->end(r->options->host->watch_user, r->result.t);
  /* What was computed replaces what was there, also when the run was stopped or has failed; a run that has not
   * taken a step has computed nothing. */
  PfRecord *record = &r->trajectory.record;
  bool some = r->result.steps > 0 || (status == PF_OK && (is_whole(r) || r->result.end == PF_RUN_CANCELLED));
  if (!some) pf_record_drop(record), pf_record_drop(&r->poses.record);
  PfStatus closed = some ? pf_record_close(record) : PF_OK, posed = some ? pf_record_close(&r->poses.record) : PF_OK;
  r->written = r->options->out && some && closed == PF_OK;
  r->unwritten = r->unwritten || closed != PF_OK || posed != PF_OK || status == PF_ERR_FILE;
  return status != PF_OK ? status : closed == PF_OK ? posed : closed;
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

const PfField pf_run_fields[] = {
  PF_FIELD("model", STRING, "name of the model, or of its file"),
  PF_FIELD("method", STRING, "the integrator at the start"),
  {.key = "stiff", .type = PF_TYPE_RECORD, .fields = stiff_fields, .optional = true,
   .about = PF_ABOUT("the motion was found to be stiff and an implicit method took over; left out: it was not")},
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
  {.key = "rows", .type = PF_TYPE_NUMBERS, .layout = PF_MATRIX, .large = true, .nullable = true,
   .about = PF_ABOUT("the trajectory; null with @no_rows, and for numbers that are not known")},
  {0}};

static bool takes_steps(const Run *r)
{
  const PfMethod *method = pf_method_find(pf_run_method(&r->motion.settings));
  return pf_method_has_fixed_step(method) && !r->motion.settings.adaptive && r->motion.settings.step > 0;
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
    pf_report_print(report, "  stiff               by %s from t = %.6g on; @by chooses another method\n", x->method,
                    x->stiff_t);
  }
  pf_native_report(r->s.ctx, report);
  pf_report_integer(report, "switches", x->switches);
  pf_report_integer(report, "sticks", x->sticks);
  if (x->switches || x->sticks)
    pf_report_print(report, "  switches            %ld, stickings %ld\n", x->switches, x->sticks);
}

/* Measures of the quality of the motion: the constraints and the balance of energy. */
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
  if (r->options->tree && !r->options->no_rows && !r->rows_lost)
    pf_report_matrix(report, "rows", r->rows.at, (int)(r->rows.count/(size_t)t->count), t->count);
  if (!r->written) return;
  const char *place = pf_task_out_is_standard(r->options) ? "standard output" : r->options->out;
  pf_report_print(report, "  trajectory          %ld rows in ", t->rows);
  pf_text_add_escaped(pf_report_page(report), place, strlen(place), ""); /* a name is one line, whatever is in it */
  pf_report_print(report, "\n");
}

static void write_report(void *user, PfReport *report)
{
  Run *r = user;
  /* The method, the formulations and the end. */
  const char *name = pf_model_label(r->s.model), *method = pf_run_method(&r->motion.settings),
             *end = r->unwritten ? "the trajectory could not be written" : pf_run_end_text(r->result.end);
  pf_report_string(report, "model", name);
  pf_report_string(report, "method", method);
  pf_report_print(report, "%s by %s, ", name, method);
  /* All that have found accelerations in some phase: "elimination, multipliers". */
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
  pf_report_string(report, "end", end);
  pf_report_number(report, "t_end", r->result.t);
  pf_report_print(report, ", t = %.6g to %.10g: %s\n", r->motion.t0, r->result.t, end);
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

static PfStatus run(const PfRequest *options)
{
  Run r = {.options = options};
  PfStatus status = prepare(&r);
  bool ran = status == PF_OK;
  if (ran) status = simulate(&r);
  if (ran) pf_context_set_cancel(r.s.ctx, NULL, NULL); /* what was computed so far is told */
  ran = ran && (status == PF_OK || r.result.steps > 0);
  if (ran && options->tree) tell_stop(&r);
  PfStatus told = pf_task_report(r.s.ctx, ran ? PF_OK : status, options, &r, write_report);
  if (r.rows.at) pf_array_free(pf_context_allocator(r.s.ctx), &r.rows);
  pf_listing_free(&r.listing);
  if (r.watch) r.watch->free(options->host->watch_user);
  pf_drift_free(&r.drift);
  pf_poses_free(&r.poses);
  pf_trajectory_free(&r.trajectory);
  pf_events_free(&r.events);
  pf_task_end(&r.motion);
  pf_task_close(&r.s);
  if (status == PF_OK && !is_whole(&r)) return r.result.end == PF_RUN_CANCELLED ? PF_ERR_CANCELLED : PF_ERR_NUMBER;
  return status == PF_OK ? told : status;
}
