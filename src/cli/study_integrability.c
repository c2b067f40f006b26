/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff study integrability: are the constraints truly nonholonomic, and can the system get everywhere? */
#include "cli/study.h"

#include <math.h>

static int run(const Console *console, int argc, char **argv);

static const OptionHelp own[] = {
  {.name = "out", .argument = "PICTURE",
   .help = "a picture of the growth of the distribution with the length of the brackets"},
  {.name = "time", .help = "another time than 0, for constraints that contain it"},
  {0}};

const Command pf_study_integrability = {
  .name = "study integrability", .summary = "growth vector, controllability, holonomic constraints in disguise",
  .operands = "FILE",
  .about = "Looks at the admissible velocities as a distribution: how it grows when Lie brackets are added (growth "
           "vector, degree of nonholonomy), whether every configuration can be reached, and which combinations of the "
           "constraints are holonomic, with their integrals. At a generic configuration and at the start of the model, "
           "changed by --state and --time. Decided in exact arithmetic where the numbers are exact.",
  .takes = TAKES_STATE "out json ",
  .writes = {WRITES_PICTURES},
  .own = own,
  .examples = "pfaff study integrability examples/skates/snakeboard.pf\n",
  .run = run};

typedef struct Result {
  Session s;
  PfSystem *system;
  PfIntegrability found;
  bool no_start; /* a parameter has no value */
} Result;

/* ---------------------------------------------------------------- words */

static const char *print(const Result *r, PfExpr e)
{
  const char *text = e == PF_EXPR_NONE ? NULL : pf_expr_print(r->s.ctx, r->s.arena, e, PF_TEXT);
  return text ? text : "?";
}

static const char *name_of(const Result *r, int j)
{
  return j < r->s.model->coordinate_count ? r->s.model->coordinates[j].name : "t";
}

static int top(const PfGrowth *growth)
{
  return growth->rank[growth->length - 1];
}

/* c1*first + c2*second … as a person writes it; the names of constraints stand for their left sides. */
static const char *combination(const Result *r, const PfIntegral *integral)
{
  PfContext *ctx = r->s.ctx;
  PfExpr sum = pf_expr_int(ctx, 0);
  for (int i = 0; i < r->s.model->constraint_count; i++) {
    PfExpr name = pf_expr_symbol(ctx, r->s.model->constraints[i].name);
    sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, integral->weight[i], name));
  }
  PfExpr negative = pf_expr_neg(ctx, sum); /* what is constant is so with either sign */
  return print(r, pf_expr_length(ctx, negative) < pf_expr_length(ctx, sum) ? negative : sum);
}

/* The length of a quaternion is nobody's constraint. */
static bool is_norm(const Result *r, const PfIntegral *one)
{
  for (int i = 0; i < r->s.model->constraint_count && one->declared; i++)
    if (r->s.model->constraints[i].norm && !pf_expr_is_structural_zero(r->s.ctx, one->weight[i])) return true;
  return false;
}

/* How many combinations keep the system from going somewhere. */
static int restrictions(const Result *r)
{
  int count = r->found.holonomic;
  for (int i = 0; i < r->found.integral_count; i++) count -= is_norm(r, r->found.integrals + i);
  return count;
}

/* ---------------------------------------------------------------- text */

static void text_growth(const PfGrowth *growth, PfText *text)
{
  if (growth->why_not) {
    pf_text_print(text, "none: %s", growth->why_not);
    return;
  }
  for (int i = 0; i < growth->length; i++) pf_text_print(text, "%s%d", i ? ", " : "(", growth->rank[i]);
  pf_text_add(text, growth->complete ? ")" : ", …): longer brackets were not formed");
  pf_text_add(text, growth->exact ? "" : ", by singular values");
}

static void text_field(const Result *r, int a, PfText *text)
{
  const PfIntegrability *x = &r->found;
  bool any = false;
  pf_text_print(text, "  %-22s", a ? "" : "spanned by");
  for (int j = 0; j < x->space; j++) {
    PfExpr c = x->fields[a*x->space + j];
    if (pf_expr_is_structural_zero(r->s.ctx, c)) continue;
    pf_text_print(text, "%s%s' = %s", any ? ", " : "", name_of(r, j), print(r, c));
    any = true;
  }
  pf_text_add(text, "\n");
}

/* Fields that fill a line each; longer ones help nobody. */
static void text_fields(const Result *r, PfText *text)
{
  enum { LONG_FIELD = 150 };
  const PfIntegrability *x = &r->found;
  for (int a = 0; a < x->field_count; a++) {
    size_t length = 0;
    for (int j = 0; j < x->space; j++) length += pf_expr_length(r->s.ctx, x->fields[a*x->space + j]);
    if (length > LONG_FIELD) return;
  }
  for (int a = 0; a < x->field_count; a++) text_field(r, a, text);
}

static void text_given(const Result *r, PfText *text)
{
  const PfIntegrability *x = &r->found;
  if (r->no_start) pf_text_add(text, "  at the start          not looked at: parameters have no value\n");
  if (!x->has_given) return;
  pf_text_add(text, "  at");
  for (int j = 0; j < x->space; j++) pf_text_print(text, "%s %s = %s", j ? "," : "", name_of(r, j), print(r, x->at[j]));
  pf_text_add(text, "\n    growth vector       ");
  text_growth(&x->given, text);
  pf_text_add(text, "\n");
  if (x->given.why_not)
    pf_text_print(text, "    rank                %d there, %d elsewhere\n", x->given_rank, x->rank);
}

static void text_integrals(const Result *r, PfText *text)
{
  const PfIntegrability *x = &r->found;
  pf_text_print(text, "  holonomic             %d of %d independent constraint%s\n", x->holonomic, x->rank,
                x->rank == 1 ? "" : "s");
  for (int i = 0; i < x->integral_count; i++) {
    const PfIntegral *one = x->integrals + i;
    if (is_norm(r, one)) {
      pf_text_add(text, "    the length of a quaternion = const\n");
      continue;
    }
    pf_text_print(text, "    %s = const\n      from %s%s\n", print(r, one->integral),
                  one->declared ? "the constraint " : "", combination(r, one));
    if (one->for_values) pf_text_add(text, "      for these values of the parameters\n");
  }
  int missing = x->holonomic - x->integral_count;
  if (missing > 0)
    pf_text_print(text, "    %d %s%s integrable, but the integral was not found\n", missing,
                  x->integral_count ? "more " : "", missing == 1 ? "combination is" : "combinations are");
}

static void text_controllable(const Result *r, PfText *text)
{
  const PfIntegrability *x = &r->found;
  pf_text_add(text, "  controllable          ");
  bool fills = x->generic.complete && restrictions(r) == 0;
  if (!x->generic.complete) pf_text_add(text, "not decided\n");
  else if (fills && x->timed)
    pf_text_add(text, "accessible: brackets fill the space; there is a drift, so no more can be said\n");
  else if (fills) pf_text_add(text, "yes: brackets of admissible velocities fill the space (Chow)\n");
  else pf_text_print(text, "no: motions stay on surfaces of dimension %d, and can reach %s there\n", top(&x->generic),
                     x->timed ? "open sets" : "everything");
}

static void write_text(void *user, PfText *text)
{
  const Result *r = user;
  const PfIntegrability *x = &r->found;
  const PfModel *model = r->s.model;
  pf_text_print(text, "%s%s%s\n", pf_cli_name(model), model->title[0] ? ": " : "", model->title);
  pf_text_print(text, "  admissible velocities %d of %d dimensions\n", x->field_count, x->space);
  if (x->timed) pf_text_print(text, "%24stime is one of them, as constraints move or have free terms\n", "");
  text_fields(r, text);
  pf_text_add(text, "  growth vector         ");
  text_growth(&x->generic, text);
  pf_text_add(text, "\n");
  if (x->generic.complete) pf_text_print(text, "  degree of nonholonomy %d\n", x->generic.length);
  if (x->generic.complete) text_integrals(r, text);
  text_controllable(r, text);
  text_given(r, text);
  if (x->assumed)
    pf_text_print(text, "  note                  '%s' was taken to obey no algebraic relation\n", x->assumed);
}

/* ---------------------------------------------------------------- JSON */

static void json_growth(const PfGrowth *growth, const char *key, PfJson *json)
{
  pf_json_open(json, key, '{');
  pf_json_open(json, "growth_vector", '[');
  for (int i = 0; i < growth->length; i++) pf_json_integer(json, NULL, growth->rank[i]);
  pf_json_close(json, ']');
  pf_json_bool(json, "complete", growth->complete);
  pf_json_bool(json, "exact", growth->exact);
  pf_json_string(json, "why_not", growth->why_not);
  pf_json_close(json, '}');
}

static void json_list(const Result *r, const char *key, const PfExpr *list, int count, PfJson *json)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < count; i++) pf_json_string(json, NULL, print(r, list[i]));
  pf_json_close(json, ']');
}

static void json_integral(const Result *r, const PfIntegral *one, PfJson *json)
{
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "integral", print(r, one->integral));
  pf_json_string(json, "combination", combination(r, one));
  json_list(r, "weights", one->weight, r->s.equations.m, json);
  json_list(r, "form", one->form, r->found.space, json);
  pf_json_bool(json, "declared", one->declared);
  pf_json_bool(json, "for_values", one->for_values);
  pf_json_close(json, '}');
}

static void json_given(const Result *r, PfJson *json)
{
  const PfIntegrability *x = &r->found;
  if (!x->has_given) {
    pf_json_string(json, "configuration", NULL);
    pf_json_string(json, "given", NULL);
    return;
  }
  json_list(r, "configuration", x->at, x->space, json);
  json_growth(&x->given, "given", json);
}

static void write_json(void *user, PfJson *json)
{
  const Result *r = user;
  const PfIntegrability *x = &r->found;
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "model", pf_cli_name(r->s.model));
  pf_json_open(json, "space", '[');
  for (int j = 0; j < x->space; j++) pf_json_string(json, NULL, name_of(r, j));
  pf_json_close(json, ']');
  pf_json_integer(json, "rank", x->rank);
  pf_json_open(json, "fields", '[');
  for (int a = 0; a < x->field_count; a++) json_list(r, NULL, x->fields + (size_t)a*(size_t)x->space, x->space, json);
  pf_json_close(json, ']');
  json_growth(&x->generic, "generic", json);
  if (x->generic.complete) pf_json_bool(json, "fills_space", restrictions(r) == 0);
  else pf_json_string(json, "fills_space", NULL);
  pf_json_integer(json, "holonomic", x->holonomic);
  pf_json_open(json, "integrals", '[');
  for (int i = 0; i < x->integral_count; i++) json_integral(r, x->integrals + i, json);
  pf_json_close(json, ']');
  json_given(r, json);
  pf_cli_json_diagnostics(r->s.ctx, json);
  pf_json_close(json, '}');
}

/* ---------------------------------------------------------------- picture */

/* Dimension against the length of the brackets; the line steps up where a length adds something. */
static bool make_series(const Result *r, const PfGrowth *growth, const char *label, int color, PfSeries *series)
{
  int length = growth->length;
  double *x = pf_arena_array(r->s.arena, double, 2*(size_t)length);
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

static PfStatus draw(Result *r, const Options *options)
{
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
  if (!good) return pf_no_room(r->s.ctx, "the picture");
  series[count] = (PfSeries){.count = 2, .x = ends, .y = ends + 2, .label = "the whole space", .color = 7,
                             .dash = PF_DASH_DOTTED};
  PfChart chart = {.title = pf_cli_title(r->s.model), .x_label = "length of brackets", .y_label = "dimension",
                   .count = count + 1, .series = series, .given = true, .x_low = ends[0], .x_high = ends[1], .y_low = 0,
                   .whole = true, .y_high = x->space + 0.5};
  PfText text;
  pf_text_init(&text, pf_context_allocator(r->s.ctx));
  pf_svg_chart(&text, &chart);
  PfStatus status = pf_cli_write(r->s.ctx, options, &text);
  pf_text_free(&text);
  return status;
}

/* ---------------------------------------------------------------- the command */

/* The configuration to look at; NULL when the model has none because parameters lack values. */
static PfStatus find_start(Result *r, const Options *options, double **values)
{
  int said = pf_diagnostic_count(r->s.ctx);
  PF_TRY(pf_system_new(r->s.ctx, &r->s.equations, &r->system));
  PfStatus status = pf_cli_state(&r->s, options, r->system, values);
  PfStart start;
  if (status == PF_OK) return pf_cli_correct(&r->s, options, r->system, *values, &start);
  if (status != PF_ERR_MODEL || options->state.count) return status;
  pf_diagnostics_cut(r->s.ctx, said);
  r->no_start = true;
  *values = NULL;
  return PF_OK;
}

static PfStatus study(Result *r, const Options *options)
{
  double *values = NULL;
  PF_TRY(pf_cli_open(&r->s, options));
  pf_cli_warn_events(&r->s);
  double *given = pf_cli_parameters(r->s.ctx, r->s.arena, r->s.model, options);
  if (!given) return PF_ERR_ARGUMENT;
  PF_TRY(find_start(r, options, &values));
  PF_TRY(pf_integrability(r->s.ctx, r->s.arena, &r->s.equations, given, values, &r->found));
  return options->out ? draw(r, options) : PF_OK;
}

static int run(const Console *console, int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_study_integrability, console, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  Result r = {0};
  PfStatus status = study(&r, &options);
  code = pf_cli_finish(r.s.ctx, status, &options, &r, write_json, write_text);
  pf_system_free(r.system);
  pf_cli_close(&r.s);
  return code;
}
