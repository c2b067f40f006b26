/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff study invariants: what stays constant along the motion. */
#include "cli/drift.h"
#include "cli/study.h"

#include <math.h>
#include <string.h>

static int run(const Console *console, int argc, char **argv);

static const OptionHelp own[] = {
  {.name = "out", .argument = "PICTURE",
   .help = "a run of the model, and a picture of how much each quantity changes in it"},
  {0}};

static const OptionNeed needs[] = {
  {.names = "state time as-given " TAKES_METHOD, .with = "out"},
  {0}};

const Command pf_study_invariants = {
  .name = "study invariants",
  .summary = "conserved quantities: energy, momenta, others linear or quadratic in the velocities", .operands = "FILE",
  .about = "Looks for functions of the state that are constant along every motion: energy, momenta of coordinates, and "
           "combinations of momenta and velocities with sines, cosines and coordinates as coefficients. Those shown "
           "are independent of each other, and proven: their rate is zero at random states in exact arithmetic, and by "
           "the normal form where that is possible. 'pfaff run --invariants' watches them. The start and the options "
           "of a run go with --out.",
  .takes = TAKES_STATE TAKES_METHOD "out json ",
  .writes = {WRITES_PICTURES},
  .own = own,
  .needs = needs,
  .examples = "pfaff study invariants --out drift.svg --by dopri5 --rtol 1e-6 examples/classics/henon_heiles.pf\n",
  .run = run};

typedef struct Result {
  Session s;
  double *given; /* parameters from the command line, else NaN */
  PfInvariants found;
  Motion motion; /* with --out */
  Drift drift;
  PF_ARRAY(double) rows; /* per sample: time, then the change of each quantity */
} Result;

static const char *print(const Result *r, PfExpr e)
{
  const char *text = pf_expr_print(r->s.ctx, r->s.arena, e, PF_TEXT);
  return text ? text : "?";
}

/* The formula, unless it is so long that nobody would read it. */
static const char *show(const Result *r, const PfInvariant *one)
{
  enum { LONG_FORMULA = 400 };
  size_t length = pf_expr_length(r->s.ctx, one->value);
  char text[100];
  if (length < LONG_FORMULA) return print(r, one->value);
  snprintf(text, sizeof text, "a formula of %zu words and signs; --json has it", length);
  const char *copy = pf_arena_text(r->s.arena, text, strlen(text));
  return copy ? copy : "?";
}

static const char *proof_words(const PfInvariant *one)
{
  return one->proof == PF_TRUE ? "normal form and prime fields" : "prime fields";
}

/* ---------------------------------------------------------------- writing */

/* Parameters that are 0 leave something out of the model: what is said holds without it. */
static void text_zeros(const Result *r, PfText *text)
{
  const PfModel *model = r->s.model;
  int count = 0;
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    bool given = !isnan(r->given[i]);
    bool zero = given ? r->given[i] == 0 : p->value != PF_EXPR_NONE && pf_expr_is_structural_zero(r->s.ctx, p->value);
    if (zero) pf_text_print(text, "%s%s", count++ ? ", " : "  with 0 for          ", p->name);
  }
  if (count) pf_text_add(text, ", whatever the other parameters are where all values are meant\n");
}

static void write_text(void *user, PfText *text)
{
  const Result *r = user;
  const PfModel *model = r->s.model;
  pf_text_print(text, "%s%s%s\n", pf_cli_name(model), model->title[0] ? ": " : "", model->title);
  if (r->found.why_not) pf_text_print(text, "  nothing was looked for: %s\n", r->found.why_not);
  else if (!r->found.count)
    pf_text_print(text, "  no conserved quantity among combinations of %d functions\n", r->found.tried);
  for (int i = 0; i < r->found.count; i++) {
    const PfInvariant *one = r->found.at + i;
    const char *kind = pf_invariant_kind_name(one->kind);
    if (one->name) pf_text_print(text, "  %-20s%s\n", kind, one->name);
    pf_text_print(text, "  %-20s%s\n", one->name ? "" : kind, show(r, one));
    pf_text_print(text, "  %-20sconstant%s for %s values of the parameters, by %s%s\n", "",
                  one->between ? " between switches, not across them," : "", one->general ? "all" : "these",
                  proof_words(one), one->dependent ? "; follows from the others" : "");
  }
  if (r->found.count) text_zeros(r, text);
}

static void write_json(void *user, PfJson *json)
{
  const Result *r = user;
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "model", pf_cli_name(r->s.model));
  pf_json_open(json, "invariants", '[');
  for (int i = 0; i < r->found.count; i++) {
    const PfInvariant *one = r->found.at + i;
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "kind", pf_invariant_kind_name(one->kind));
    pf_json_string(json, "name", one->name);
    pf_json_string(json, "value", print(r, one->value));
    pf_json_bool(json, "for_all_parameters", one->general);
    pf_json_bool(json, "between_switches", one->between);
    pf_json_bool(json, "dependent", one->dependent);
    pf_json_bool(json, "normal_form", one->proof == PF_TRUE);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
  pf_json_integer(json, "tried", r->found.tried);
  pf_json_string(json, "why_not", r->found.why_not);
  pf_cli_json_diagnostics(r->s.ctx, json);
  pf_json_close(json, '}');
}

/* ---------------------------------------------------------------- a run, and its picture */

static PfStatus take_sample(void *user, const PfSample *sample)
{
  Result *r = user;
  const PfAllocator *allocator = pf_context_allocator(r->s.ctx);
  pf_drift_sample(&r->drift, sample);
  bool good = pf_push(allocator, &r->rows, sample->t);
  for (int i = 0; good && i < r->found.count; i++)
    good = pf_push(allocator, &r->rows, r->drift.now[i] - r->drift.first[i]);
  return good ? PF_OK : pf_no_room(r->s.ctx, "the run");
}

static PfStatus simulate(Result *r, const Options *options)
{
  Motion *m = &r->motion;
  PfRunResult result;
  PF_TRY(pf_cli_place(m, &r->s, options));
  m->settings.without_events = true;
  PF_TRY(pf_cli_begin(m));
  PF_TRY(pf_drift_make(&r->drift, &r->s, options, m));
  r->found = r->drift.found;
  return pf_cli_move(m, take_sample, NULL, r, &result);
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
  bool brief = !one->name && one->kind != PF_INVARIANT_ENERGY && pf_expr_length(r->s.ctx, one->value) < 40;
  const char *label = one->name ? one->name : brief ? print(r, one->value) : pf_invariant_kind_name(one->kind);
  *series = (PfSeries){.count = count, .x = x, .y = y, .label = label, .color = i%8};
}

static PfStatus draw(Result *r, const Options *options)
{
  int n = r->found.count, count = (int)(r->rows.count/((size_t)n + 1));
  double *numbers = pf_arena_array(r->s.arena, double, 2*(size_t)n*(size_t)count);
  PfSeries *series = pf_arena_array(r->s.arena, PfSeries, n);
  if (!numbers || !series) return pf_no_room(r->s.ctx, "the picture");
  if (n == 0) return pf_fail(r->s.ctx, PF_ERR_MODEL, "there is no conserved quantity to draw");
  for (int i = 0; i < n; i++, numbers += 2*(size_t)count)
    make_series(r, i, count, numbers, numbers + count, series + i);
  PfChart chart = {.title = pf_cli_title(r->s.model), .x_label = "t [s]",
                   .y_label = "change relative to the start", .count = n, .series = series};
  PfText text;
  pf_text_init(&text, pf_context_allocator(r->s.ctx));
  pf_svg_chart(&text, &chart);
  PfStatus status = pf_cli_write(r->s.ctx, options, &text);
  pf_text_free(&text);
  return status;
}

/* ---------------------------------------------------------------- the command */

static PfStatus study(Result *r, const Options *options)
{
  PF_TRY(pf_cli_open(&r->s, options));
  pf_cli_warn_events(&r->s);
  r->given = pf_cli_parameters(r->s.ctx, r->s.arena, r->s.model, options);
  if (!r->given) return PF_ERR_ARGUMENT;
  if (!options->out) return pf_invariants_find(r->s.ctx, r->s.arena, &r->s.equations, r->given, &r->found);
  PF_TRY(simulate(r, options));
  return draw(r, options);
}

static int run(const Console *console, int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_study_invariants, console, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  Result r = {0};
  PfStatus status = study(&r, &options);
  code = pf_cli_finish(r.s.ctx, status, &options, &r, write_json, write_text);
  pf_drift_free(&r.drift);
  if (r.s.ctx) pf_array_free(pf_context_allocator(r.s.ctx), &r.rows);
  pf_cli_end(&r.motion);
  pf_cli_close(&r.s);
  return code;
}
