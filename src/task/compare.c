/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff compare: every formulation side by side: agreement, size, cost, and the whole motion. */
#include "task/motion.h"

#include <math.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "out", .argument = "PICTURE", .help = "the times of one evaluation as bars"},
  {0}};

const PfTask pf_compare_task = {
  .name = "compare", .summary = "every formulation side by side: agreement, cost, the whole motion, proof",
  .operands = "FILE",
  .about = "One row per formulation: whether it applies, its unknowns, the largest difference of accelerations to the "
           "first one, operations and time of one evaluation, and for a model with 'run' the time and the largest "
           "difference of the coordinates over the whole motion.",
  .takes = TAKES_STATE "native prove out json ",
  .writes = {WRITES_PICTURES},
  .own = own,
  .examples = "@call{compare @prove examples/skates/snakeboard.pf}\n",
  .fields = pf_compare_fields,
  .run = run};

enum { MOST_FORMULATIONS = 32, SAMPLES = 20 };

typedef struct Row {
  const PfFormulation *formulation;
  PfSolver *solver;
  const char *why_not; /* NULL when it applies */
  bool skipped;        /* it may apply, and costs too much; */
  bool run_skipped;    /* it applies, and its run costs too much */
  PfMotion motion;
  double difference, nanoseconds;
  double run_seconds, run_difference; /* NaN without a run */
  double run_end;                     /* where the run ended, and why before its end */
  const char *run_why_not;
  double *samples;                    /* SAMPLES x n */
} Row;

typedef struct Comparison {
  Session *s;
  Motion motion;
  const PfSystem *system; /* of the simulation, and its numbers at the start */
  const double *values;
  int count;
  Row rows[MOST_FORMULATIONS];
  int operations; /* of the tape: the same for all */
  long evaluations; /* of the run by the first formulation that reached its end */
  int rank;       /* of the constraints in this state */
  PfProof proof;
  PfFormProof *forms; /* of derive; with a proof */
  int form_count;
  const char *forms_why_not; /* they were not tried */
  bool ran, asked;
  double horizon;
  const PfRequest *options;
  PfStart start; /* how the state was corrected */
} Comparison;

/* ---------------------------------------------------------------- one state */

/* The latest error as the reason, taken off the list. */
static const char *take_reason(Session *s, int before)
{
  const char *message = pf_context_message(s->ctx);
  char *reason = pf_arena_text(s->arena, message, strlen(message));
  pf_diagnostics_truncate(s->ctx, before);
  return reason ? reason : "no memory";
}

/* ---------------------------------------------------------------- the budget */

/* Counted, not timed: every machine skips the same. */
static const double most_per_evaluation = 1e7, most_per_run = 1e9; /* operations: some 10 ms; half a second */
static const double most_derived = 1300, most_deriving = 10000;    /* entries of M and A; operations that give them */

static bool is_named(const Row *row, const char *name)
{
  return !strcmp(pf_formulation_name(row->formulation), name);
}

/* Operations of one evaluation, about: those of M, F, A and b, and those of dense matrices, in a cascade once for each
 * constraint. The recursion has none; the first row, to which all are compared, is never skipped. */
static double operations_of(const Comparison *c, const Row *row)
{
  double n = c->s->equations.n, m = c->s->equations.m;
  if (row == c->rows || is_named(row, "recursive")) return 0;
  return c->operations + n*n*n*(is_named(row, "cascade") ? 1 + m/3 : 1);
}

/* A skipped formulation was not tried. Whether it applies is not known yet, so none is recommended here. */
static const char *skip(const Comparison *c, const char *format, double number)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(c->s->ctx));
  pf_text_print(&text, format, number);
  const char *words = pf_text_get(&text), *kept = pf_arena_text(c->s->arena, words, strlen(words));
  pf_text_free(&text);
  return kept ? kept : "it costs too much";
}

/* NULL: they are short enough. */
static const char *why_derivations_skipped(const Comparison *c)
{
  double n = c->s->equations.n, m = c->s->equations.m;
  if (n*(n + m) <= most_derived && c->operations <= most_deriving) return NULL;
  return skip(c, "not tried, since its derivation by formulas takes long for %.0f entries of M and A", n*(n + m));
}

static const char *why_skipped(const Comparison *c, const Row *row)
{
  double operations = operations_of(c, row);
  if (is_named(row, "laconic") && why_derivations_skipped(c)) return why_derivations_skipped(c);
  if (operations <= most_per_evaluation) return NULL;
  return skip(c, "not tried, since one evaluation takes about %.1g operations", operations);
}

static const char *why_run_skipped(const Comparison *c, const Row *row)
{
  double operations = operations_of(c, row)*(double)c->evaluations;
  if (operations <= most_per_run) return NULL;
  return skip(c, "not tried, since it takes about %.1g operations", operations);
}

static PfStatus make_row(Comparison *c, Row *row)
{
  Session *s = c->s;
  int n = s->equations.n, before = pf_diagnostic_count(s->ctx), which;
  row->run_seconds = row->run_difference = NAN;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the comparison", PF_ROOM(row->motion.acceleration, n),
                   PF_ROOM(row->motion.multiplier, s->equations.m), PF_ROOM(row->motion.force, n),
                   PF_ROOM(row->samples, SAMPLES*(size_t)n)));
  row->why_not = why_skipped(c, row);
  row->skipped = row->why_not != NULL;
  if (row->skipped) return PF_OK;
  if (pf_solver_new_at(s->ctx, c->system, row->formulation, c->values, &row->solver) != PF_OK) {
    row->why_not = take_reason(s, before);
    return PF_OK;
  }
  PfTrouble trouble = pf_solver_accelerate(row->solver, c->values, &row->motion, &which);
  if (trouble == PF_TROUBLE_NONE) return PF_OK;
  (void)pf_trouble_report_at(s->ctx, c->system, c->values, trouble, which);
  row->why_not = take_reason(s, before);
  return PF_OK;
}

static double largest_difference(const double *a, const double *b, int count)
{
  double largest = 0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(a[i] - b[i]));
  return largest;
}

/* Many short batches; the fastest counts, since the machine may be busy with other things. */
static double time_row(const Comparison *c, Row *row)
{
  double best = INFINITY, end = pf_clock() + 0.03;
  int which, calls = 1;
  while (pf_clock() < end && !pf_context_is_cancelled(c->s->ctx)) {
    double start = pf_clock();
    for (int i = 0; i < calls; i++) (void)pf_solver_accelerate(row->solver, c->values, &row->motion, &which);
    double seconds = pf_clock() - start;
    best = fmin(best, seconds/calls);
    if (seconds < 4e-5) calls *= 2;
  }
  return 1e9*best;
}

/* ---------------------------------------------------------------- the whole motion */

typedef struct Taker {
  Row *row;
  const Motion *motion;
  int n, taken;
} Taker;

static PfStatus take(void *user, const PfSample *sample)
{
  Taker *taker = user;
  double *q = taker->row->samples + (size_t)taker->taken*(size_t)taker->n;
  if (taker->taken < SAMPLES) pf_task_pick(taker->motion, sample, q, NULL, NULL);
  taker->taken++;
  return PF_OK;
}

/* As a run would: projected on the constraints, the same tolerance for all. */
static PfStatus integrate(Comparison *c, Row *row)
{
  Session *s = c->s;
  double start = c->motion.t0, at[SAMPLES];
  Taker taker = {row, &c->motion, s->equations.n, 0};
  PfRunOptions options = pf_run_options();
  PfRunResult result;
  for (int k = 0; k < SAMPLES; k++) at[k] = start + c->horizon*(k + 1)/SAMPLES;
  options.formulation = pf_formulation_name(row->formulation);
  options.rtol = 1e-10, options.atol = 1e-12;
  options.t_end = start + c->horizon;
  options.at = at, options.at_count = SAMPLES;
  options.without_events = true, options.most_steps = 2*1000*1000;
  c->motion.settings = options;
  int before = pf_diagnostic_count(s->ctx);
  double clock = pf_clock();
  PfStatus status = pf_task_begin(&c->motion);
  if (status == PF_OK) status = pf_task_move(&c->motion, take, NULL, &taker, &result);
  if (pf_is_final(status)) return status;
  row->run_end = status == PF_OK ? result.t : start;
  if (status == PF_OK && result.end == PF_RUN_DONE && taker.taken == SAMPLES) row->run_seconds = pf_clock() - clock;
  else row->run_why_not = pf_diagnostic_count(s->ctx) > before ? take_reason(s, before) : "the run was ended";
  if (!c->evaluations && !isnan(row->run_seconds)) c->evaluations = result.evaluations;
  pf_diagnostics_truncate(s->ctx, before);
  return PF_OK;
}

static PfStatus run_all(Comparison *c)
{
  Session *s = c->s;
  const PfSymbols *symbols = pf_system_symbols(c->system);
  if (!s->model->run.given) return PF_OK;
  PF_TRY(pf_expr_evaluate(s->ctx, &s->model->run.horizon, 1, symbols->symbol, c->values, symbols->count, &c->horizon));
  if (!(c->horizon > 0)) return PF_OK;
  c->ran = true;
  pf_task_warn_events(s);
  const Row *first = NULL;
  for (int i = 0; i < c->count; i++) {
    Row *row = c->rows + i;
    if (row->why_not) continue;
    row->run_why_not = why_run_skipped(c, row);
    row->run_skipped = row->run_why_not != NULL;
    if (row->run_skipped) continue;
    PF_TRY(integrate(c, row));
    if (isnan(row->run_seconds)) continue;
    if (!first) first = row;
    row->run_difference = largest_difference(row->samples, first->samples, SAMPLES*s->equations.n);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- all */

static PfStatus prove(Comparison *c, const PfRequest *options)
{
  Session *s = c->s;
  double *given = pf_task_parameters(s->ctx, s->arena, s->model, options);
  if (!given) return PF_ERR_ARGUMENT;
  c->asked = true;
  PF_TRY(pf_prove(s->ctx, s->arena, &s->equations, given, &c->proof));
  c->forms_why_not = why_derivations_skipped(c);
  return c->forms_why_not ? PF_OK : pf_forms_prove(s->ctx, s->arena, &s->equations, &c->forms, &c->form_count);
}

static PfStatus compare(Comparison *c, const PfRequest *options)
{
  Session *s = c->s;
  PfCount count;
  PF_TRY(pf_task_open(s, options));
  PF_TRY(pf_task_count(s, &count));
  c->operations = count.additions + count.multiplications + count.divisions + count.functions;
  c->options = options;
  PF_TRY(pf_task_place(&c->motion, s, options));
  c->system = pf_sim_system(c->motion.sim);
  c->values = pf_sim_values(c->motion.sim);
  c->start = c->motion.start;
  PF_TRY(pf_task_refuse_singular(s, c->system, c->values));
  /* Redundant constraints have no unknowns of their own. */
  PfDiagnosis diagnosis = {.rank = s->equations.m};
  double *given = pf_task_parameters(s->ctx, s->arena, s->model, options);
  if (!given) return PF_ERR_ARGUMENT;
  int before = pf_diagnostic_count(s->ctx);
  if (pf_diagnose(s->ctx, s->arena, &s->equations, given, &diagnosis) == PF_ERR_MEMORY) return PF_ERR_MEMORY;
  pf_diagnostics_truncate(s->ctx, before);
  c->rank = diagnosis.rank;
  const Row *first = NULL;
  for (int i = 0; pf_formulation(i) && c->count < MOST_FORMULATIONS; i++) {
    Row *row = c->rows + c->count++;
    row->formulation = pf_formulation(i);
    PF_TRY(make_row(c, row));
    if (row->why_not) continue;
    if (!first) first = row;
    row->difference = largest_difference(row->motion.acceleration, first->motion.acceleration, s->equations.n);
  }
  for (int i = 0; i < c->count; i++)
    if (!c->rows[i].why_not) c->rows[i].nanoseconds = time_row(c, c->rows + i);
  PF_TRY(run_all(c));
  PF_TRY(pf_task_warn_surface(s, c->system, c->values));
  return options->prove ? prove(c, options) : pf_task_warn_contradiction(s, options);
}

/* ---------------------------------------------------------------- the report */

static const PfField row_fields[] = {
  PF_FIELD("formulation", STRING, "name of the formulation, as @form takes it"),
  PF_FIELD("source", STRING, "where the formulation is published"),
  PF_FIELD("applicable", BOOL, "accelerations were found in this state"),
  PF_FIELD("skipped", BOOL, "not tried, because one evaluation costs too much"),
  PF_FIELD_OR_NULL("why_not", STRING, "why there are no accelerations; null: there are"),
  PF_FIELD("unknowns", INTEGER, "unknowns of its linear system; 0 without accelerations"),
  PF_FIELD_OR_NULL("max_difference", NUMBER,
           "largest difference of an acceleration to the first formulation that applies, in SI"),
  PF_FIELD_OR_NULL("nanoseconds", NUMBER, "time of one evaluation of the accelerations"),
  PF_FIELD("operations", INTEGER, "operations that give M, F, A and b; the same for all"),
  PF_FIELD_OR_NULL("run_seconds", NUMBER, "time of the run; null: there is none, or it ended early"),
  PF_FIELD_OR_NULL("run_difference", NUMBER,
                   "largest difference of a coordinate along the run to the first formulation that reached its end, "
                   "in SI"),
  PF_FIELD("run_skipped", BOOL, "not run, because the run costs too much"),
  PF_FIELD_OR_NULL("run_why_not", STRING, "why the run ended early or was skipped"),
  {0}};

static const PfField form_fields[] = {
  PF_FIELD("form", STRING, "name of the form, as @task{derive} takes it"),
  PF_FIELD_OR_NULL("equal", BOOL,
                   "its equations are those of Maggi for the same pseudo-velocities (hamilton: those of Lagrange), "
                   "by prime fields; null: it does not exist, or it cannot be decided"),
  PF_FIELD_OR_NULL("why_not", STRING, "why the form does not exist for the model; null: it does"),
  {0}};

const PfField pf_compare_fields[] = {
  PF_FIELD("model", STRING, "name of the model, or of its file"),
  PF_FIELD_START_CHANGE,
  PF_FIELD_RECORDS("rows", row_fields, "one for each formulation"),
  PF_FIELD_OR_NULL("proved", BOOL, "exact algebra shows that all formulations agree; null: no proof was requested"),
  PF_FIELD_OR_NULL("proof", STRING, "the result of the proof in words"),
  {.key = "forms", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = form_fields, .optional = true,
   .about = PF_ABOUT("with a proof: one for each form of derive that is compared with others")},
  PF_FIELD_DIAGNOSTICS,
  {0}};

static double fastest(const Comparison *c)
{
  double best = INFINITY;
  for (int i = 0; i < c->count; i++)
    if (!c->rows[i].why_not) best = fmin(best, c->rows[i].nanoseconds);
  return best;
}

/* A line of the table; `best` is the shortest time of one evaluation. */
static void print_row(const Comparison *c, const Row *row, double best, PfReport *r)
{
  pf_report_print(r, "  %-20s ", pf_formulation_name(row->formulation));
  if (row->why_not) {
    pf_report_print(r, "%s: %s\n", row->skipped ? "skipped" : "does not apply", row->why_not);
    return;
  }
  double size = 10*pf_largest(row->motion.acceleration, c->s->equations.n);
  pf_report_print(r, "%8d %12.2g %10.0f %7.2f", pf_solver_unknowns(row->solver, c->rank),
                  pf_without_noise(row->difference, size), row->nanoseconds, row->nanoseconds/best);
  if (c->ran) {
    if (row->run_skipped) pf_report_print(r, "   run skipped: %s", row->run_why_not);
    else if (row->run_why_not && row->run_end <= c->motion.t0)
      pf_report_print(r, "   by chance, in this state alone: %s", row->run_why_not);
    else if (row->run_why_not) pf_report_print(r, "   ends at t = %.4g: %s", row->run_end, row->run_why_not);
    else pf_report_print(r, " %10.3f %12.2g", 1e3*row->run_seconds, pf_without_noise(row->run_difference, 10));
  }
  pf_report_print(r, "\n");
}

static void report_row(const Comparison *c, const Row *row, PfReport *r)
{
  pf_report_open(r, NULL);
  pf_report_string(r, "formulation", pf_formulation_name(row->formulation));
  pf_report_string(r, "source", pf_formulation_source(row->formulation));
  pf_report_bool(r, "applicable", !row->why_not);
  pf_report_bool(r, "skipped", row->skipped);
  pf_report_string(r, "why_not", row->why_not);
  pf_report_integer(r, "unknowns", row->solver ? pf_solver_unknowns(row->solver, c->rank) : 0);
  pf_report_number(r, "max_difference", row->why_not ? NAN : row->difference);
  pf_report_number(r, "nanoseconds", row->why_not ? NAN : row->nanoseconds);
  pf_report_integer(r, "operations", c->operations);
  pf_report_number(r, "run_seconds", row->run_seconds);
  pf_report_number(r, "run_difference", row->run_difference);
  pf_report_bool(r, "run_skipped", row->run_skipped);
  pf_report_string(r, "run_why_not", row->run_why_not);
  pf_report_close(r);
}

/* One line for each form of derive. */
static void report_forms(const Comparison *c, PfReport *r)
{
  if (c->forms_why_not) pf_report_print(r, "\nThe forms of the equations: %s\n", c->forms_why_not);
  if (!c->form_count) return;
  pf_report_print(r, "\nThe forms of the equations, by prime fields\n");
  pf_report_open(r, "forms");
  for (int i = 0; i < c->form_count; i++) {
    const PfFormProof *row = c->forms + i;
    const char *other = !strcmp(row->form, "hamilton") ? "lagrange" : "maggi";
    pf_report_open(r, NULL);
    pf_report_string(r, "form", row->form);
    if (!row->why_not && row->equal != PF_UNKNOWN) pf_report_bool(r, "equal", row->equal == PF_TRUE);
    pf_report_string(r, "why_not", row->why_not);
    pf_report_close(r);
    pf_report_print(r, "  %-20s ", row->form);
    if (row->why_not) pf_report_print(r, "does not apply: %s\n", row->why_not);
    else if (row->equal == PF_TRUE) pf_report_print(r, "the same as %s\n", other);
    else if (row->equal == PF_FALSE) pf_report_print(r, "not the same as %s\n", other);
    else pf_report_print(r, "not decided: some functions are not rational\n");
  }
  pf_report_close(r);
}

static void write_report(void *user, PfReport *r)
{
  const Comparison *c = user;
  const PfModel *model = c->s->model;
  int n = c->s->equations.n, m = c->s->equations.m;
  double best = fastest(c);
  pf_report_string(r, "model", pf_model_label(model));
  pf_report_print(r, "%s: %d coordinate%s, %d constraint%s; %d operations give M, F, A and b\n", pf_model_label(model),
                  n, n == 1 ? "" : "s", m, m == 1 ? "" : "s", c->operations);
  pf_start_report(model, c->options, &c->start, r);
  pf_report_print(r, "\n  %-20s %8s %12s %10s %7s", "formulation", "unknowns", "difference", "ns", "ratio");
  if (c->ran) pf_report_print(r, " %10s %12s", "run [ms]", "difference");
  pf_report_print(r, "\n");
  pf_report_open(r, "rows");
  for (int i = 0; i < c->count; i++) {
    report_row(c, c->rows + i, r);
    print_row(c, c->rows + i, best, r);
  }
  pf_report_close(r);
  if (c->asked) {
    const PfProof *proof = &c->proof;
    pf_report_bool(r, "proved", proof->verdict == PF_PROVED);
    pf_report_string(r, "proof", proof->text);
    pf_report_print(r, "\n%s\n", proof->text);
    for (int i = 0; i < proof->row_count; i++)
      if (!proof->rows[i].compared)
        pf_report_print(r, "  %s is left out: %s\n", proof->rows[i].formulation, proof->rows[i].why_not);
    report_forms(c, r);
  }
}

/* ---------------------------------------------------------------- the picture */

static PfStatus draw(const Comparison *c)
{
  PfBar bars[MOST_FORMULATIONS];
  PfText text;
  for (int i = 0; i < c->count; i++) {
    const Row *row = c->rows + i;
    const char *why = row->skipped ? "skipped" : row->why_not ? "does not apply" : NULL;
    bars[i] = (PfBar){pf_formulation_name(row->formulation), why, row->nanoseconds};
  }
  PfChart chart = {.title = pf_model_heading(c->s->model), .x_label = "time of one evaluation [ns]",
                   .bar_count = c->count, .bars = bars};
  pf_text_init(&text, pf_context_allocator(c->s->ctx));
  pf_svg_chart(&text, &chart);
  PfStatus status = pf_task_write(c->s->ctx, c->options, &text);
  pf_text_free(&text);
  return status;
}

/* ---------------------------------------------------------------- the command */

static PfStatus run(const PfRequest *options)
{
  Session s = {0};
  Comparison c = {.s = &s};
  PfStatus status = compare(&c, options);
  if (status == PF_OK && options->out) status = draw(&c);
  status = pf_task_report(s.ctx, status, options, &c, write_report);
  for (int i = 0; i < c.count; i++) pf_solver_free(c.rows[i].solver);
  pf_task_end(&c.motion);
  pf_task_close(&s);
  if (status == PF_OK && c.asked && c.proof.verdict != PF_PROVED) return PF_ERR_NUMBER;
  return status;
}
