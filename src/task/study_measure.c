/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff study measure: does the motion keep a measure of the reduced equations? */
#include "task/study.h"

#include <math.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "state", .help = "another start: the search for steady motions begins there"},
  {.name = "starts", .help = "Newton iterations for steady motions at which volume grows or shrinks (20)"},
  {0}};

const PfTask pf_measure_task = {
  .name = "measure", .command = "study measure",
  .summary = "invariant measures of the reduced equations",
  .operands = "FILE",
  .about = "Looks for a density of an invariant measure of the reduced equations of @task{derive @form{laconic}}, in "
           "the coordinates on which these depend and the pseudo-velocities: div(density*rate) = 0. It may be a "
           "product of powers of functions in the equations (minors of the mass matrix, factors of both sides, "
           "velocities, momenta) and exponentials of functions of position. The smooth ones are looked for first. A "
           "result is proven: at random states in exact arithmetic, and by the normal form where that is possible. "
           "Where none is smooth, a steady motion is looked for at which the volume of states grows or shrinks: near "
           "it no density is continuous and positive.",
  .takes = TAKES_STATE "native starts json ",
  .own = own,
  .examples = "@call{measure examples/wheels/carriage_inertia.pf}\n",
  .fields = pf_measure_fields,
  .run = run};

enum { LONG_FORMULA = 400 }; /* words and signs: the text leaves out longer ones */

typedef struct Result {
  Study st;
  PfDensity found;
  PfSteady steady;
  double rate;       /* of volume at one of the steady motions; 0: none is known at which it changes */
  const double *q, *v; /* coordinates and velocities there */
} Result;

static const char *print(const Result *r, PfExpr e)
{
  const char *text = pf_expr_print(r->st.s.ctx, r->st.s.arena, e, PF_TEXT);
  return text ? text : "?";
}

/* ---------------------------------------------------------------- the report */

static const PfField factor_fields[] = {
  PF_FIELD("function", STRING, "the function f"),
  PF_FIELD("power", NUMBER, "its power p: the density has the factor |f|^p or exp(p*f)"),
  PF_FIELD("exponential", BOOL, "exp(p*f)"),
  PF_FIELD("positive", BOOL, "the factor is positive and smooth wherever the equations determine the accelerations"),
  {0}};

static const PfField obstacle_fields[] = {
  PF_FIELD("rate", NUMBER, "the rate at which the volume of states grows near a steady motion, in 1/s"),
  PF_FIELD("q", NUMBERS, "the coordinates of this motion, in SI units"),
  PF_FIELD("v", NUMBERS, "the velocities of this motion, in SI units"),
  {0}};

const PfField pf_measure_fields[] = {
  PF_FIELD_MODEL,
  PF_FIELD("found", BOOL, "there is a density of the kind that is searched"),
  PF_FIELD_OR_NULL("density", STRING, "the density; else null"),
  PF_FIELD_OR_NULL("multiplier", STRING,
                   "with two pseudo-velocities that are velocities: Chaplygin's reducing multiplier N, dtau = N dt; "
                   "else null"),
  PF_FIELD_LIST("volume", STRING,
                "the variables of the volume: coordinates of the reduced equations, and pseudo-velocities"),
  PF_FIELD("attitudes", BOOL, "attitudes of bodies too, by the volume of rotations"),
  PF_FIELD("smooth", BOOL, "the density is positive and smooth wherever the equations determine the accelerations"),
  PF_FIELD("for_all_parameters", BOOL, "for all values of the parameters; else for these"),
  PF_FIELD("normal_form", BOOL, "proven by the normal form too; else at random states, in exact arithmetic"),
  PF_FIELD_RECORDS("factors", factor_fields, "the factors of the density"),
  PF_FIELD_LIST("tried", STRING, "the functions whose powers were tried, and exponentials of those of position"),
  {.key = "obstacle", .type = PF_TYPE_RECORD, .fields = obstacle_fields, .nullable = true,
   .about = PF_ABOUT("a steady motion near which no density is continuous and positive; else null")},
  PF_FIELD_OR_NULL("why_not", STRING, "why there was no search; else null"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

/* "dtheta du d(theta')" */
static void print_volume(PfReport *report, const PfDensity *d)
{
  if (d->attitudes) pf_report_print(report, " d(attitude)");
  for (int i = 0; i < d->variable_count; i++) {
    bool plain = !strchr(d->variables[i], '\'');
    pf_report_print(report, plain ? " d%s" : " d(%s)", d->variables[i]);
  }
}

/* Where factors of other signs or powers vanish. */
static void print_zeros(PfReport *report, const Result *r, bool poles)
{
  int count = 0;
  for (int k = 0; k < r->found.factor_count; k++) {
    const PfDensityFactor *f = r->found.factors + k;
    if (f->positive || (f->power < 0) != poles) continue;
    const char *first = poles ? "  infinite where      %s = 0" : "  zero where          %s = 0";
    pf_report_print(report, count++ ? ", or %s = 0" : first, print(r, f->f));
  }
  if (count) pf_report_print(report, "\n");
}

static void report_density(PfReport *report, const Result *r)
{
  const PfDensity *d = &r->found;
  size_t length = d->found ? pf_expr_length(r->st.s.ctx, d->density) : 0;
  const bool normal = d->proof == PF_TRUE;
  pf_report_bool(report, "found", d->found);
  pf_report_string(report, "density", d->found ? print(r, d->density) : NULL);
  pf_report_string(report, "multiplier", d->multiplier != PF_EXPR_NONE ? print(r, d->multiplier) : NULL);
  pf_report_open(report, "volume");
  for (int i = 0; i < d->variable_count; i++) pf_report_string(report, NULL, d->variables[i]);
  pf_report_close(report);
  pf_report_bool(report, "attitudes", d->attitudes);
  pf_report_bool(report, "smooth", d->smooth);
  pf_report_bool(report, "for_all_parameters", d->general);
  pf_report_bool(report, "normal_form", normal);
  pf_report_open(report, "factors");
  for (int k = 0; k < d->factor_count; k++) {
    pf_report_open(report, NULL);
    pf_report_string(report, "function", print(r, d->factors[k].f));
    pf_report_number(report, "power", d->factors[k].power);
    pf_report_bool(report, "exponential", d->factors[k].exponential);
    pf_report_bool(report, "positive", d->factors[k].positive);
    pf_report_close(report);
  }
  pf_report_close(report);
  pf_report_open(report, "tried");
  for (int k = 0; k < d->tried_count; k++) pf_report_string(report, NULL, print(r, d->tried[k]));
  pf_report_close(report);
  if (!d->found) return;
  if (length < LONG_FORMULA) pf_report_print(report, "  density             %s\n", print(r, d->density));
  else pf_report_print(report, "  density             a formula of %zu words and signs; @json has it\n", length);
  pf_report_print(report, "  of the volume      ");
  print_volume(report, d);
  pf_report_print(report, "\n  %-20sfor %s values of the parameters, by %s\n", "invariant",
                  d->general ? "all" : "these", normal ? "normal form and prime fields" : "prime fields");
  if (d->smooth) pf_report_print(report, "  %-20swherever the reduced equations determine the accelerations\n",
                                "smooth, positive");
  if (d->multiplier != PF_EXPR_NONE && !pf_expr_is_int(r->st.s.ctx, d->multiplier, 1))
    pf_report_print(report, "  reducing multiplier %s (Chaplygin: the equations are Hamilton's in the time "
                    "dtau = N dt)\n", print(r, d->multiplier));
  print_zeros(report, r, true);
  print_zeros(report, r, false);
}

static void report_obstacle(PfReport *report, const Result *r)
{
  const PfModel *model = r->st.s.model;
  int count = 0;
  if (r->rate == 0) return;
  pf_report_open(report, "obstacle");
  pf_report_number(report, "rate", r->rate);
  pf_report_numbers(report, "q", r->q, r->st.s.equations.n);
  pf_report_numbers(report, "v", r->v, r->st.s.equations.n);
  pf_report_close(report);
  pf_report_print(report, "  none is smooth      near the steady motion with");
  for (int i = 0; i < model->coordinate_count; i++)
    if (fabs(r->v[i]) > 1e-9)
      pf_report_print(report, "%s %s = %.4g", count++ ? "," : "",
                      pf_expr_symbol_name(r->st.s.ctx, model->coordinates[i].v), r->v[i]);
  pf_report_print(report, count ? " (SI units)\n" : " no velocity\n");
  pf_report_print(report, "  %-20sthe volume of states changes at the rate %.6g 1/s, so no density is continuous and "
                  "positive there\n", "", r->rate);
}

static void write_report(void *user, PfReport *report)
{
  const Result *r = user;
  const PfDensity *d = &r->found;
  pf_task_report_model(r->st.s.model, report);
  if (d->why_not) pf_report_print(report, "  nothing was looked for: %s\n", d->why_not);
  report_density(report, r);
  if (!d->why_not && !d->found)
    pf_report_print(report, "  no invariant measure among products of powers of %d functions of the equations\n"
                    "                      and exponentials of those of position; @json lists them\n", d->tried_count);
  report_obstacle(report, r);
  pf_report_string(report, "why_not", d->why_not);
}

/* ---------------------------------------------------------------- computing */

/* A steady motion at which div x' is not zero: the sum of the eigenvalues, which are those of the components that are
 * not cyclic. With a density that is continuous and positive it would be zero there. */
static PfStatus find_obstacle(Result *r)
{
  const double fast = 1e6; /* Newton's iteration may end in what is steady by rounding alone */
  Study *st = &r->st;
  PfSteadyOptions options = {.kind = PF_STEADY};
  PF_TRY(pf_study_prepare(st));
  PF_TRY(pf_study_starts(st, 20, &options.starts));
  PF_TRY(pf_steady_find(st->s.ctx, st->s.arena, st->field, &options, &r->steady));
  for (int i = 0; i < r->steady.count && r->rate == 0; i++) {
    const PfSteadyPoint *p = r->steady.points + i;
    double sum = 0, size = 0;
    bool moderate = true;
    for (int k = 0; k < st->s.equations.n; k++) moderate = moderate && fabs(p->v[k]) < fast && fabs(p->q[k]) < fast;
    for (int k = 0; k < p->count; k++) sum += p->re[k], size += hypot(p->re[k], p->im[k]);
    if (moderate && !p->kink && fabs(sum) > 1e-6*(size + 1e-3)) r->rate = sum, r->q = p->q, r->v = p->v;
  }
  return PF_OK;
}

/* A model without a start, or with steady motions that cannot be looked for, has no obstacle that is known. */
static PfStatus compute(Study *st)
{
  Result *r = (Result *)st;
  Session *s = &st->s;
  pf_task_warn_events(s);
  st->given = pf_task_parameters(s->ctx, s->arena, s->model, st->options);
  if (!st->given) return PF_ERR_ARGUMENT;
  PF_TRY(pf_measure_find(s->ctx, s->arena, &s->equations, st->given, &r->found));
  if (r->found.smooth || r->found.why_not) return PF_OK;
  int said = pf_diagnostic_count(s->ctx);
  PfStatus status = find_obstacle(r);
  if (status == PF_ERR_MODEL || status == PF_ERR_NUMBER) {
    pf_diagnostics_truncate(s->ctx, said);
    return PF_OK;
  }
  return status;
}

static PfStatus run(const PfRequest *options)
{
  static const StudyKind kind = {.compute = compute, .write = write_report};
  Result r = {0};
  return pf_study_run(&kind, options, &r.st);
}
