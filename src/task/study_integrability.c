/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff study integrability: are the constraints truly nonholonomic, and can the system get everywhere? */
#include "task/study.h"

#include <math.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "out", .argument = "PICTURE",
   .help = "a picture of the growth of the distribution with the length of the brackets"},
  {.name = "time", .help = "another time than 0, for constraints that contain it"},
  {0}};

const PfTask pf_integrability_task = {
  .name = "integrability", .command = "study integrability",
  .summary = "growth vector, controllability, holonomic constraints in disguise",
  .operands = "FILE",
  .about = "Looks at the admissible velocities as a distribution: how it grows when Lie brackets are added (growth "
           "vector, degree of nonholonomy), whether every configuration can be reached, and which combinations of the "
           "constraints are holonomic, with their integrals. At a generic configuration and at the start of the model, "
           "changed by @state and @time. Decided in exact arithmetic where the numbers are exact.",
  .takes = TAKES_STATE "out json ",
  .writes = {WRITES_PICTURES},
  .own = own,
  .examples = "@call{integrability examples/skates/snakeboard.pf}\n",
  .fields = pf_integrability_fields,
  .run = run};

typedef struct Result {
  Study st;
  PfIntegrability found;
  bool no_start; /* a parameter has no value */
} Result;

/* ---------------------------------------------------------------- words */

static const char *print(const Result *r, PfExpr e)
{
  const char *text = e == PF_EXPR_NONE ? NULL : pf_expr_print(r->st.s.ctx, r->st.s.arena, e, PF_TEXT);
  return text ? text : "?";
}

static const char *name_of(const Result *r, int j)
{
  return j < r->st.s.model->coordinate_count ? r->st.s.model->coordinates[j].name : "t";
}

/* c1*first + c2*second … as a person writes it; the names of constraints stand for their left sides. */
static const char *combination(const Result *r, const PfIntegral *integral)
{
  PfContext *ctx = r->st.s.ctx;
  PfExpr sum = pf_expr_int(ctx, 0);
  for (int i = 0; i < r->st.s.model->constraint_count; i++) {
    PfExpr name = pf_expr_symbol(ctx, r->st.s.model->constraints[i].name);
    sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, integral->weight[i], name));
  }
  PfExpr negative = pf_expr_neg(ctx, sum); /* what is constant is so with either sign */
  return print(r, pf_expr_length(ctx, negative) < pf_expr_length(ctx, sum) ? negative : sum);
}

/* The length of a quaternion is nobody's constraint. */
static bool is_norm(const Result *r, const PfIntegral *one)
{
  for (int i = 0; i < r->st.s.model->constraint_count && one->declared; i++)
    if (r->st.s.model->constraints[i].norm && !pf_expr_is_structural_zero(r->st.s.ctx, one->weight[i])) return true;
  return false;
}

/* How many combinations keep the system from going somewhere. */
static int restrictions(const Result *r)
{
  int count = r->found.holonomic;
  for (int i = 0; i < r->found.integral_count; i++) count -= is_norm(r, r->found.integrals + i);
  return count;
}

/* ---------------------------------------------------------------- the report */

static const PfField growth_fields[] = {
  PF_FIELD_LIST("growth_vector", INTEGER, "dimension of the span of all Lie brackets up to the length 1, 2, …"),
  PF_FIELD("complete", BOOL, "longer brackets add nothing"),
  PF_FIELD("exact", BOOL, "decided in exact arithmetic; else by singular values"),
  PF_FIELD_OR_NULL("why_not", STRING, "why there is no growth vector; else null"),
  {0}};

static const PfField integral_fields[] = {
  PF_FIELD("integral", STRING, "function of the coordinates that is constant along every motion; '?': not found"),
  PF_FIELD("combination", STRING, "the combination of the constraints from which it follows, by their names"),
  PF_FIELD_LIST("weights", STRING, "factor of each constraint in the combination"),
  PF_FIELD_LIST("form", STRING, "coefficient of the rate of each coordinate of 'space' in the combination"),
  PF_FIELD("declared", BOOL, "the model has it as a holonomic constraint"),
  PF_FIELD("for_values", BOOL, "it holds for these values of the parameters; else for all"),
  {0}};

static const PfField field_fields[] = {{.type = PF_TYPE_LIST, .of = PF_TYPE_STRING}};

const PfField pf_integrability_fields[] = {
  PF_FIELD_MODEL,
  PF_FIELD_LIST("space", STRING, "names of the coordinates, with 't' when constraints contain time or have free terms"),
  PF_FIELD("rank", INTEGER, "rank of the constraints at a generic configuration"),
  {.key = "fields", .type = PF_TYPE_LIST, .of = PF_TYPE_LIST, .fields = field_fields,
   .about = PF_ABOUT("vector fields that span the admissible velocities: lists of expressions, one for each name in "
                     "'space'")},
  PF_FIELD_RECORD("generic", growth_fields, "growth at a generic configuration"),
  PF_FIELD_OR_NULL("fills_space", BOOL,
                   "the brackets span the whole space, but for lengths of quaternions; null: not decided"),
  PF_FIELD("holonomic", INTEGER, "number of independent combinations of constraints that are holonomic"),
  PF_FIELD_RECORDS("integrals", integral_fields, "those of them whose integrals were found"),
  {.key = "configuration", .type = PF_TYPE_LIST, .of = PF_TYPE_STRING, .nullable = true,
   .about = PF_ABOUT("the configuration that was given, exactly where possible; null without one")},
  {.key = "given", .type = PF_TYPE_RECORD, .fields = growth_fields, .nullable = true,
   .about = PF_ABOUT("growth at that configuration; null without one")},
  PF_FIELD_DIAGNOSTICS,
  {0}};

static void report_growth(PfReport *r, const char *key, const PfGrowth *growth)
{
  pf_report_open(r, key);
  pf_report_bool(r, "complete", growth->complete);
  pf_report_bool(r, "exact", growth->exact);
  pf_report_string(r, "why_not", growth->why_not);
  pf_report_open(r, "growth_vector");
  for (int i = 0; i < growth->length; i++) pf_report_integer(r, NULL, growth->rank[i]);
  pf_report_close(r);
  pf_report_close(r);
  for (int i = 0; i < growth->length && !growth->why_not; i++)
    pf_report_print(r, "%s%d", i ? ", " : "(", growth->rank[i]);
  if (growth->why_not) pf_report_print(r, "none: %s\n", growth->why_not);
  else pf_report_print(r, "%s%s\n", growth->complete ? ")" : ", …): longer brackets were not formed",
                       growth->exact ? "" : ", by singular values");
}

static void report_list(PfReport *r, const char *key, const Result *x, const PfExpr *list, int count)
{
  pf_report_open(r, key);
  for (int i = 0; i < count; i++) pf_report_string(r, NULL, print(x, list[i]));
  pf_report_close(r);
}

/* The text has fields that fill a line each; when one is longer it has none. */
static bool are_short(const Result *x)
{
  enum { LONG_FIELD = 150 };
  int space = x->found.space;
  for (int a = 0; a < x->found.field_count; a++) {
    size_t length = 0;
    for (int j = 0; j < space; j++) length += pf_expr_length(x->st.s.ctx, x->found.fields[a*space + j]);
    if (length > LONG_FIELD) return false;
  }
  return true;
}

static void print_field(PfReport *r, const Result *x, int a)
{
  const PfExpr *field = x->found.fields + (size_t)a*(size_t)x->found.space;
  bool any = false;
  pf_report_print(r, "  %-22s", a ? "" : "spanned by");
  for (int j = 0; j < x->found.space; j++) {
    if (pf_expr_is_structural_zero(x->st.s.ctx, field[j])) continue;
    pf_report_print(r, "%s%s' = %s", any ? ", " : "", name_of(x, j), print(x, field[j]));
    any = true;
  }
  pf_report_print(r, "\n");
}

static void report_integral(PfReport *r, const Result *x, const PfIntegral *one)
{
  const char *integral = print(x, one->integral), *from = combination(x, one);
  pf_report_open(r, NULL);
  pf_report_string(r, "integral", integral);
  pf_report_string(r, "combination", from);
  if (x->st.long_formulas) {
    report_list(r, "weights", x, one->weight, x->st.s.equations.m);
    report_list(r, "form", x, one->form, x->found.space);
  }
  pf_report_bool(r, "declared", one->declared);
  pf_report_bool(r, "for_values", one->for_values);
  pf_report_close(r);
  if (!x->found.generic.complete) return;
  if (is_norm(x, one)) {
    pf_report_print(r, "    the length of a quaternion = const\n");
    return;
  }
  pf_report_print(r, "    %s = const\n      from %s%s\n", integral, one->declared ? "the constraint " : "", from);
  if (one->for_values) pf_report_print(r, "      for these values of the parameters\n");
}

static void report_controllable(PfReport *r, const Result *x)
{
  const PfGrowth *growth = &x->found.generic;
  bool fills = restrictions(x) == 0, timed = x->found.timed;
  if (growth->complete) pf_report_bool(r, "fills_space", fills);
  pf_report_print(r, "  controllable          ");
  if (!growth->complete) pf_report_print(r, "not decided\n");
  else if (fills && timed)
    pf_report_print(r, "accessible: brackets fill the space; there is a drift, so no more can be said\n");
  else if (fills) pf_report_print(r, "yes: brackets of admissible velocities fill the space (Chow)\n");
  else
    pf_report_print(r, "no: motions stay on surfaces of dimension %d, and can reach %s there\n",
                    growth->rank[growth->length - 1], timed ? "open sets" : "everything");
}

static void report_given(PfReport *r, const Result *x)
{
  const PfIntegrability *i = &x->found;
  if (x->no_start) pf_report_print(r, "  at the start          not looked at: parameters have no value\n");
  if (!i->has_given) return;
  pf_report_print(r, "  at");
  for (int j = 0; j < i->space; j++)
    pf_report_print(r, "%s %s = %s", j ? "," : "", name_of(x, j), print(x, i->at[j]));
  report_list(r, "configuration", x, i->at, i->space);
  pf_report_print(r, "\n    growth vector       ");
  report_growth(r, "given", &i->given);
  if (i->given.why_not) pf_report_print(r, "    rank                %d there, %d elsewhere\n", i->given_rank, i->rank);
}

static void write_report(void *user, PfReport *r)
{
  const Result *x = user;
  pf_task_report_model(x->st.s.model, r);
  /* The fields that span the admissible velocities. */
  int space = x->found.space, count = x->found.field_count;
  bool shown = are_short(x);
  pf_report_open(r, "space");
  for (int j = 0; j < space; j++) pf_report_string(r, NULL, name_of(x, j));
  pf_report_close(r);
  pf_report_print(r, "  admissible velocities %d of %d dimensions\n", count, space);
  if (x->found.timed) pf_report_print(r, "%24stime is one of them, as constraints move or have free terms\n", "");
  pf_report_open(r, "fields");
  for (int a = 0; a < count; a++) {
    if (shown || x->st.long_formulas) report_list(r, NULL, x, x->found.fields + (size_t)a*(size_t)space, space);
    if (shown) print_field(r, x, a);
  }
  pf_report_close(r);
  pf_report_print(r, "  growth vector         ");
  report_growth(r, "generic", &x->found.generic);
  /* The text tells of holonomic combinations when the growth is known to its end. */
  const PfIntegrability *i = &x->found;
  bool complete = i->generic.complete;
  int missing = complete ? i->holonomic - i->integral_count : 0;
  pf_report_integer(r, "rank", i->rank);
  pf_report_integer(r, "holonomic", i->holonomic);
  if (complete)
    pf_report_print(r, "  degree of nonholonomy %d\n  holonomic             %d of %d independent constraint%s\n",
                    i->generic.length, i->holonomic, i->rank, i->rank == 1 ? "" : "s");
  pf_report_open(r, "integrals");
  for (int k = 0; k < i->integral_count; k++) report_integral(r, x, i->integrals + k);
  pf_report_close(r);
  if (missing > 0)
    pf_report_print(r, "    %d %s%s integrable, but the integral was not found\n", missing,
                    i->integral_count ? "more " : "", missing == 1 ? "combination is" : "combinations are");
  report_controllable(r, x);
  report_given(r, x);
  if (x->found.assumed)
    pf_report_print(r, "  note                  '%s' was taken to obey no algebraic relation\n", x->found.assumed);
}

/* ---------------------------------------------------------------- picture */

/* Dimension against the length of the brackets; the line steps up where a length adds something. */
static bool make_series(const Result *r, const PfGrowth *growth, const char *label, int color, PfSeries *series)
{
  int length = growth->length;
  double *x = pf_arena_array(r->st.s.arena, double, 2*(size_t)length);
  if (!x) return false;
  for (int i = 0; i < length; i++) {
    x[i] = i + 1;
    x[length + i] = growth->rank[i];
  }
  series[0] = (PfSeries){.count = length, .x = x, .y = x + length, .label = label, .color = color,
                         .dash = color ? PF_DASH_DASHED : PF_DASH_SOLID};
  series[1] = series[0];
  series[1].mark = color ? PF_MARK_CIRCLE : PF_MARK_DOT;
  return true;
}

static PfStatus file_svg(void *user, PfText *text)
{
  const Result *r = user;
  const PfIntegrability *x = &r->found;
  PfSeries series[5];
  double ends[4] = {0.5, fmax(x->generic.length, x->given.length) + 0.5, x->space, x->space};
  int count = 0;
  bool good = make_series(r, &x->generic, "generic configuration", 0, series);
  count += 2;
  if (x->has_given && !x->given.why_not) {
    good = good && make_series(r, &x->given, "this configuration", 1, series + count);
    count += 2;
  }
  if (!good) return pf_no_room(r->st.s.ctx, "the picture");
  series[count] = (PfSeries){.count = 2, .x = ends, .y = ends + 2, .label = "the whole space", .color = 7,
                             .dash = PF_DASH_DOTTED};
  PfChart chart = {.title = pf_model_heading(r->st.s.model), .x_label = "length of brackets", .y_label = "dimension",
                   .count = count + 1, .series = series, .given = true, .x_low = ends[0], .x_high = ends[1], .y_low = 0,
                   .whole = true, .y_high = x->space + 0.5};
  pf_svg_chart(text, &chart);
  return PF_OK;
}

/* ---------------------------------------------------------------- computing */

/* The configuration to look at; NULL when the model has none because parameters lack values. */
static PfStatus find_start(Result *r, double **values)
{
  Session *s = &r->st.s;
  const PfRequest *options = r->st.options;
  int said = pf_diagnostic_count(s->ctx);
  PF_TRY(pf_system_new(s->ctx, &s->equations, &r->st.system));
  PfStatus status = pf_task_state(s, options, r->st.system, values);
  PfStart start;
  if (status == PF_OK) return pf_task_correct(s, options, r->st.system, *values, &start);
  if (status != PF_ERR_MODEL || options->state.count) return status;
  pf_diagnostics_truncate(s->ctx, said);
  r->no_start = true;
  *values = NULL;
  return PF_OK;
}

static PfStatus compute(Study *st)
{
  Result *r = (Result *)st;
  Session *s = &st->s;
  double *values = NULL;
  pf_task_warn_events(s);
  double *given = pf_task_parameters(s->ctx, s->arena, s->model, st->options);
  if (!given) return PF_ERR_ARGUMENT;
  PF_TRY(find_start(r, &values));
  return pf_integrability(s->ctx, s->arena, &s->equations, given, values, &r->found);
}

static PfStatus run(const PfRequest *options)
{
  static const StudyKind kind = {.compute = compute,
                                 .write = write_report, .files = {{.write = file_svg}}};
  Result r = {0};
  return pf_study_run(&kind, options, &r.st);
}
