/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff study invariants: quantities that stay constant along the motion. */
#include "task/run.h"
#include "task/study.h"

#include <math.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "out", .argument = "PICTURE",
   .help = "a run of the model, and a picture of how much each quantity changes in it"},
  {0}};

static const SettingNeed needs[] = {
  {.names = "state time as-given " TAKES_METHOD, .with = "out"},
  {0}};

const PfTask pf_invariants_task = {
  .name = "invariants", .command = "study invariants",
  .summary = "conserved quantities: energy, momenta, others linear or quadratic in the velocities", .operands = "FILE",
  .about = "Looks for functions of the state that are constant along every motion: energy, momenta of coordinates, and "
           "combinations of momenta and velocities with sines, cosines and coordinates as coefficients. Those shown "
           "are independent of each other, and proven: their rate is zero at random states in exact arithmetic, and by "
           "the normal form where that is possible. @task{run @invariants} watches them. The start and the options "
           "of a run go with @out.",
  .takes = TAKES_STATE TAKES_METHOD "out json ",
  .writes = {WRITES_PICTURES},
  .own = own,
  .needs = needs,
  .examples = "@call{invariants @out{drift.svg} @by{dopri5} @rtol{1e-6} examples/classics/henon_heiles.pf}\n",
  .fields = pf_invariants_fields,
  .run = run};

enum { LONG_FORMULA = 400 }; /* words and signs: the text leaves out longer ones */

typedef struct Result {
  Study st; /* its motion: with --out */
  PfInvariants found;
  Drift drift;
  PF_ARRAY(double) rows; /* per sample: time, then the change of each quantity */
} Result;

static const char *print(const Result *r, PfExpr e)
{
  const char *text = pf_expr_print(r->st.s.ctx, r->st.s.arena, e, PF_TEXT);
  return text ? text : "?";
}

/* ---------------------------------------------------------------- the report */

static const PfField invariant_fields[] = {
  PF_FIELD("kind", STRING, "'energy', 'generalized energy', 'momentum', 'linear', 'quadratic' or 'holonomic'"),
  PF_FIELD_OR_NULL("name", STRING, "a name for it; null without one"),
  PF_FIELD("value", STRING, "the expression that is constant along every motion"),
  PF_FIELD("for_all_parameters", BOOL, "for all values of the parameters; else for these"),
  PF_FIELD("between_switches", BOOL, "constant between events and switches of forces, not across them"),
  PF_FIELD("dependent", BOOL, "it follows from the others"),
  PF_FIELD("normal_form", BOOL, "proven by the normal form too; else at random states, in exact arithmetic"),
  {0}};

const PfField pf_invariants_fields[] = {
  PF_FIELD_MODEL,
  PF_FIELD_RECORDS("invariants", invariant_fields, "the conserved quantities"),
  PF_FIELD("tried", INTEGER, "number of functions whose combinations were tried"),
  PF_FIELD_OR_NULL("why_not", STRING, "why there was no search; else null"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

static void report_invariant(PfReport *report, const Result *r, const PfInvariant *one)
{
  size_t length = pf_expr_length(r->st.s.ctx, one->value);
  bool brief = length < LONG_FORMULA;
  const char *kind = pf_invariant_kind_name(one->kind);
  const char *value = brief || r->st.long_formulas ? print(r, one->value) : NULL;
  bool normal = one->proof == PF_TRUE;
  pf_report_open(report, NULL);
  pf_report_string(report, "kind", kind);
  pf_report_string(report, "name", one->name);
  pf_report_string(report, "value", value);
  pf_report_bool(report, "for_all_parameters", one->general);
  pf_report_bool(report, "between_switches", one->between);
  pf_report_bool(report, "dependent", one->dependent);
  pf_report_bool(report, "normal_form", normal);
  pf_report_close(report);
  if (one->name) pf_report_print(report, "  %-20s%s\n", kind, one->name);
  pf_report_print(report, "  %-20s", one->name ? "" : kind);
  if (brief) pf_report_print(report, "%s\n", value);
  else pf_report_print(report, "a formula of %zu words and signs; @json has it\n", length);
  pf_report_print(report, "  %-20sconstant%s for %s values of the parameters, by %s%s\n", "",
                  one->between ? " between switches, not across them," : "", one->general ? "all" : "these",
                  normal ? "normal form and prime fields" : "prime fields",
                  one->dependent ? "; follows from the others" : "");
}

static void write_report(void *user, PfReport *report)
{
  const Result *r = user;
  const PfInvariants *found = &r->found;
  pf_task_report_model(r->st.s.model, report);
  pf_report_integer(report, "tried", found->tried);
  pf_report_string(report, "why_not", found->why_not);
  if (found->why_not) pf_report_print(report, "  nothing was looked for: %s\n", found->why_not);
  else if (!found->count)
    pf_report_print(report, "  no conserved quantity among combinations of %d functions\n", found->tried);
  pf_report_open(report, "invariants");
  for (int i = 0; i < found->count; i++) report_invariant(report, r, found->at + i);
  pf_report_close(report);
  if (found->count) {
    /* Parameters that are 0 leave something out of the model: the results hold without it. */
    const PfModel *model = r->st.s.model;
    int count = 0;
    for (int i = 0; i < model->parameter_count; i++) {
      const PfParameter *p = model->parameters + i;
      double given = r->st.given[i];
      bool zero = !isnan(given) ? given == 0
                                : p->value != PF_EXPR_NONE && pf_expr_is_structural_zero(r->st.s.ctx, p->value);
      if (zero) pf_report_print(report, "%s%s", count++ ? ", " : "  with 0 for          ", p->name);
    }
    if (count) pf_report_print(report, ", whatever the other parameters are where all values are meant\n");
  }
}

/* ---------------------------------------------------------------- a run, and its picture */

static PfStatus take_sample(void *user, const PfSample *sample)
{
  Result *r = user;
  const PfAllocator *allocator = pf_context_allocator(r->st.s.ctx);
  pf_drift_sample(&r->drift, sample);
  bool good = pf_push(allocator, &r->rows, sample->t);
  for (int i = 0; good && i < r->found.count; i++)
    good = pf_push(allocator, &r->rows, r->drift.now[i] - r->drift.first[i]);
  return good ? PF_OK : pf_no_room(r->st.s.ctx, "the run");
}

static PfStatus simulate(Result *r)
{
  Motion *m = &r->st.motion;
  const PfRequest *options = r->st.options;
  PfRunResult result;
  PF_TRY(pf_task_place(m, &r->st.s, options));
  m->settings.without_events = true;
  PF_TRY(pf_task_begin(m));
  PF_TRY(pf_drift_make(&r->drift, &r->st.s, options, m));
  r->found = r->drift.found;
  return pf_task_move(m, take_sample, NULL, r, &result);
}

/* Changes relative to the value at the start; of what starts at nothing, as they are. */
static void make_series(const Result *r, int i, int count, double *x, double *y, PfSeries *series)
{
  size_t width = (size_t)r->found.count + 1;
  double size = fabs(r->drift.first[i]) > 1e-12 ? fabs(r->drift.first[i]) : 1;
  for (int k = 0; k < count; k++) {
    x[k] = r->rows.at[(size_t)k*width];
    y[k] = r->rows.at[(size_t)k*width + 1 + (size_t)i]/size;
  }
  const PfInvariant *one = r->found.at + i;
  bool brief = !one->name && one->kind != PF_INVARIANT_ENERGY && pf_expr_length(r->st.s.ctx, one->value) < 40;
  const char *label = one->name ? one->name : brief ? print(r, one->value) : pf_invariant_kind_name(one->kind);
  *series = (PfSeries){.count = count, .x = x, .y = y, .label = label, .color = i%8};
}

static PfStatus file_svg(void *user, PfText *text)
{
  Result *r = user;
  int n = r->found.count, count = (int)(r->rows.count/((size_t)n + 1));
  double *numbers = pf_arena_array(r->st.s.arena, double, 2*(size_t)n*(size_t)count);
  PfSeries *series = pf_arena_array(r->st.s.arena, PfSeries, n);
  if (!numbers || !series) return pf_no_room(r->st.s.ctx, "the picture");
  if (n == 0) return pf_fail(r->st.s.ctx, PF_ERR_MODEL, "there is no conserved quantity to draw");
  for (int i = 0; i < n; i++, numbers += 2*(size_t)count)
    make_series(r, i, count, numbers, numbers + count, series + i);
  PfChart chart = {.title = pf_model_heading(r->st.s.model), .x_label = "t [s]",
                   .y_label = "change relative to the start", .count = n, .series = series};
  pf_svg_chart(text, &chart);
  return PF_OK;
}

/* ---------------------------------------------------------------- computing */

/* A picture needs a run; the conserved quantities are found with it. */
static PfStatus compute(Study *st)
{
  Result *r = (Result *)st;
  Session *s = &st->s;
  pf_task_warn_events(s);
  st->given = pf_task_parameters(s->ctx, s->arena, s->model, st->options);
  if (!st->given) return PF_ERR_ARGUMENT;
  if (st->options->out) return simulate(r);
  return pf_invariants_find(s->ctx, s->arena, &s->equations, st->given, &r->found);
}

static void free_result(Study *st)
{
  Result *r = (Result *)st;
  pf_drift_free(&r->drift);
  if (st->s.ctx) pf_array_free(pf_context_allocator(st->s.ctx), &r->rows);
}

static PfStatus run(const PfRequest *options)
{
  static const StudyKind kind = {.compute = compute,
                                 .write = write_report, .files = {{.write = file_svg}}, .free = free_result};
  Result r = {0};
  return pf_study_run(&kind, options, &r.st);
}
