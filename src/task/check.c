/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff check: what is this system? */
#include "task/task.h"

#include <math.h>
#include <stdio.h>

static PfStatus run(const PfRequest *options);

const PfTask pf_check_task = {
  .name = "check", .summary = "what is this system: coordinates, constraints, degrees of freedom, redundancy",
  .operands = "FILE",
  .about = "Tells the coordinates, the constraints and their kinds, the rank and the redundancy of the constraints at "
           "a generic configuration, the degrees of freedom, the rank of the mass matrix, and whether the start "
           "satisfies the constraints.",
  .takes = "param state as-given json ",
  .examples = "@call{check examples/skates/snakeboard.pf}\n"
              "@call{check @p{m=7} @state{theta=0.5} examples/skates/snakeboard.pf}\n",
  .fields = pf_check_fields,
  .run = run};

/* ---------------------------------------------------------------- the fields of the report */

static const PfField body_fields[] = {
  PF_FIELD("name", STRING, "the name of the body"),
  PF_FIELD("parent", STRING, "the body before it, or 'ground'"),
  PF_FIELD("joint", STRING, "the kind of the joint between them"),
  PF_FIELD_LIST("coordinates", STRING, "the coordinates of the joint"),
  {0}};

static const PfField constraint_fields[] = {
  PF_FIELD("name", STRING, "the name of the constraint"),
  PF_FIELD("kind", STRING,
           "'holonomic', 'pfaffian', 'affine', 'nonlinear', 'acceleration', or 'norm' for the length of a quaternion"),
  PF_FIELD("time_dependent", BOOL, "its equation contains the time"),
  {0}};

static const PfField event_fields[] = {
  PF_FIELD("when", STRING, "the condition, as it is written"),
  PF_FIELD_LIST("actions", STRING, "the actions, as they are written"),
  {0}};

static const PfField mass_fields[] = {
  PF_FIELD("rank", INTEGER, "of the mass matrix at a generic configuration"),
  PF_FIELD("singular", BOOL, "its rank is less than the number of coordinates"),
  {0}};

static const PfField start_fields[] = {
  PF_FIELD("consistent", BOOL, "the start as given satisfies the constraints"),
  PF_FIELD_OR_NULL("violation", NUMBER, "the largest residual of a constraint there"),
  PF_FIELD_OR_NULL("worst", STRING, "the constraint with that residual"),
  PF_FIELD_OR_NULL("singular", STRING, "a constraint that depends on the others there and not nearby"),
  {0}};

static const PfField value_fields[] = {
  PF_FIELD("name", STRING, "of a parameter, a coordinate, a velocity or a speed"),
  PF_FIELD("kind", STRING, "'parameter' or 'start'"),
  PF_FIELD("value", NUMBER, "in its unit"),
  PF_FIELD("unit", STRING, "the declared unit, else that of its dimension"),
  PF_FIELD("given", BOOL, "the text has a value for it"),
  {0}};

static const PfField plot_fields[] = {
  PF_FIELD_LIST("quantities", STRING, "names of the curves in one panel"),
  PF_FIELD_LIST("units", STRING, "their units"),
  PF_FIELD_OR_NULL("against", STRING, "the quantity of the horizontal axis; null: time"),
  {0}};

const PfField pf_check_fields[] = {
  PF_FIELD_MODEL,
  PF_FIELD("title", STRING, "the title of the model"),
  PF_FIELD_LIST("coordinates", STRING, "names of the coordinates"),
  PF_FIELD_LIST("speeds", STRING, "pseudo-velocities of the model and of its joints"),
  PF_FIELD_LIST("parameters", STRING, "names of the parameters"),
  PF_FIELD_RECORDS("constraints", constraint_fields, "the constraints"),
  PF_FIELD_RECORDS("events", event_fields, "the events"),
  PF_FIELD_RECORDS("bodies", body_fields, "the bodies with their joints"),
  PF_FIELD("rank", INTEGER, "of the constraints, the norms of quaternions included"),
  PF_FIELD_LIST("redundant", STRING, "constraints that depend on the others"),
  PF_FIELD("degrees_of_freedom", INTEGER, "coordinates minus the rank of the constraints"),
  PF_FIELD_RECORD("mass_matrix", mass_fields, "at a generic configuration"),
  PF_FIELD_RECORD("start", start_fields, "the start as it is given"),
  {.key = "start_change", .type = PF_TYPE_RECORD, .fields = pf_start_change_fields, .nullable = true,
   .about = PF_ABOUT("how the start was made consistent; null when numbers or conditions leave no start")},
  PF_FIELD_OR_NULL("horizon", NUMBER, "length of a run in s; null without a start"),
  {.key = "plots", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = plot_fields, .nullable = true,
   .about = PF_ABOUT("the panels that the model plots; null without a start")},
  {.key = "values", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = value_fields, .nullable = true,
   .about = PF_ABOUT("the numbers that can be changed: parameters and the start; null without a start")},
  PF_FIELD_DIAGNOSTICS,
  {0}};

/* ---------------------------------------------------------------- names */

/* The user's speeds, then the quasi-velocities of joints with a quaternion. */
static int speed_count(const PfModel *model)
{
  int count = model->speed_count;
  for (int i = 0; i < model->ball_count; i++) count += model->balls[i].p < 0 ? 3 : 6;
  return count;
}

static const char *speed_name(const PfModel *model, int which)
{
  if (which < model->speed_count) return model->speeds[which].name;
  which -= model->speed_count;
  const PfBall *ball = model->balls;
  for (; which >= (ball->p < 0 ? 3 : 6); ball++) which -= ball->p < 0 ? 3 : 6;
  return which < 3 ? ball->spin_name[which] : ball->speed_name[which - 3];
}

static void report_coordinates(const PfModel *model, PfReport *r)
{
  pf_task_report_model(model, r);
  pf_report_string(r, "title", model->title);
  pf_report_print(r, "  coordinates         %d:", model->coordinate_count);
  pf_report_open(r, "coordinates");
  for (int i = 0; i < model->coordinate_count; i++) {
    const PfCoordinate *c = model->coordinates + i;
    pf_report_string(r, NULL, c->name);
    pf_report_print(r, "%s %s", i ? "," : "", c->name);
    if (c->unit[0]) pf_report_print(r, " [%s]", c->unit);
    if (c->contact) pf_report_print(r, " (contact)");
  }
  pf_report_close(r);
  pf_report_print(r, "\n");
}

static void report_speeds(const PfModel *model, PfReport *r)
{
  int speeds = speed_count(model);
  pf_report_open(r, "speeds");
  if (speeds) pf_report_print(r, "  speeds              %d:", speeds);
  for (int i = 0; i < speeds; i++) {
    bool added = i < model->speed_count && model->speeds[i].completes;
    pf_report_string(r, NULL, speed_name(model, i));
    pf_report_print(r, "%s %s%s%s", i ? "," : "", speed_name(model, i), added ? " (added)" : "",
                    i + 1 == speeds ? "\n" : "");
  }
  pf_report_close(r);
}

static void report_parameters(const PfModel *model, PfReport *r)
{
  pf_report_open(r, "parameters");
  for (int i = 0; i < model->parameter_count; i++)
    if (!model->parameters[i].derived) pf_report_string(r, NULL, model->parameters[i].name);
  pf_report_close(r);
}

static void report_bodies(const PfModel *model, const PfBodyJoint *joints, PfReport *r)
{
  pf_report_open(r, "bodies");
  if (model->body_count) pf_report_print(r, "  bodies              %d\n", model->body_count);
  for (int i = 0; i < model->body_count && joints; i++) {
    const PfBodyJoint *j = joints + i;
    const char *parent = j->parent < 0 ? "ground" : model->bodies[j->parent].name;
    pf_report_open(r, NULL);
    pf_report_string(r, "name", model->bodies[i].name);
    pf_report_string(r, "parent", parent);
    pf_report_string(r, "joint", j->kind);
    pf_report_print(r, "    %-17s %s on %s", model->bodies[i].name, j->kind, parent);
    pf_report_open(r, "coordinates");
    for (int k = 0; k < j->coordinate_count; k++) {
      const char *name = model->coordinates[j->coordinates[k]].name;
      pf_report_string(r, NULL, name);
      pf_report_print(r, "%s %s", k ? "," : ":", name);
    }
    pf_report_close(r);
    pf_report_close(r);
    pf_report_print(r, "\n");
  }
  pf_report_close(r);
}

static void report_events(const PfModel *model, PfReport *r)
{
  pf_report_open(r, "events");
  if (model->event_count) pf_report_print(r, "  events              %d\n", model->event_count);
  for (int i = 0; i < model->event_count; i++) {
    const PfEvent *event = model->events + i;
    pf_report_open(r, NULL);
    pf_report_string(r, "when", event->text);
    pf_report_print(r, "    when %s{ ", event->text);
    pf_report_open(r, "actions");
    for (int k = 0; k < event->action_count; k++) {
      pf_report_string(r, NULL, event->actions[k].text);
      pf_report_print(r, "%s%s", k ? "; " : "", event->actions[k].text);
    }
    pf_report_close(r);
    pf_report_close(r);
    pf_report_print(r, " }\n");
  }
  pf_report_close(r);
}

/* The text is without the constraints that keep quaternions at length one. */
static void report_constraints(const PfModel *model, PfReport *r)
{
  pf_report_print(r, "  constraints         %d", model->constraint_count - model->ball_count);
  if (model->ball_count) pf_report_print(r, ", and %d of length one for quaternions", model->ball_count);
  pf_report_print(r, "\n");
  pf_report_open(r, "constraints");
  for (int i = 0; i < model->constraint_count; i++) {
    const PfConstraint *c = model->constraints + i;
    const char *kind = pf_constraint_kind_name(c->kind);
    pf_report_open(r, NULL);
    pf_report_string(r, "name", c->name);
    pf_report_string(r, "kind", c->norm ? "norm" : kind);
    pf_report_bool(r, "time_dependent", c->rheonomic);
    pf_report_close(r);
    if (!c->norm)
      pf_report_print(r, "    %-17s %s%s%s\n", c->name, kind, c->rheonomic ? ", depends on time" : "",
                      c->prescribed ? ", prescribed" : "");
  }
  pf_report_close(r);
}

/* ---------------------------------------------------------------- numbers */

static void report_rank(const PfModel *model, const PfDiagnosis *d, PfReport *r)
{
  pf_report_integer(r, "rank", d->rank);
  pf_report_integer(r, "degrees_of_freedom", d->degrees_of_freedom);
  pf_report_print(r, "  rank                %d, %s", d->rank - model->ball_count,
                  d->redundant_count ? "redundant:" : "nothing redundant");
  pf_report_open(r, "redundant");
  for (int i = 0; i < d->redundant_count; i++) {
    const char *name = model->constraints[d->redundant[i]].name;
    pf_report_string(r, NULL, name);
    pf_report_print(r, "%s %s", i ? "," : "", name);
  }
  pf_report_close(r);
  pf_report_print(r, "\n  degrees of freedom  %d\n", d->degrees_of_freedom);
  pf_report_open(r, "mass_matrix");
  pf_report_integer(r, "rank", d->mass_rank);
  pf_report_bool(r, "singular", d->mass_singular);
  pf_report_close(r);
  pf_report_print(r, "  mass matrix         rank %d of %d%s\n", d->mass_rank, model->coordinate_count,
                  d->mass_singular ? ", singular" : "");
}

static void report_start(const PfModel *model, const PfDiagnosis *d, int singular, PfReport *r)
{
  const char *worst = d->start_worst >= 0 ? model->constraints[d->start_worst].name : NULL;
  const char *dependent = singular >= 0 ? model->constraints[singular].name : NULL;
  pf_report_open(r, "start");
  pf_report_bool(r, "consistent", d->start_consistent);
  pf_report_number(r, "violation", d->start_violation);
  pf_report_string(r, "worst", worst);
  pf_report_string(r, "singular", dependent);
  pf_report_close(r);
  if (d->start_consistent)
    pf_report_print(r, "  start               consistent (largest violation %.2g)\n",
                    pf_without_noise(d->start_violation, 1));
  else if (!isfinite(d->start_violation))
    pf_report_print(r, "  start               not consistent: '%s' is not defined there\n", worst);
  else
    pf_report_print(r, "  start               not consistent: '%s' is missed by %.6g\n", worst, d->start_violation);
  if (dependent)
    pf_report_print(r, "  singular            at the start, where the rank is less: '%s'\n", dependent);
  if (d->generic)
    pf_report_print(r, "  note                parameters without a value were given arbitrary ones here\n");
}

/* ---------------------------------------------------------------- values, length of a run, panels */

static void report_value(PfReport *r, const char *name, const char *kind, double value, PfMeasure measure, bool given)
{
  pf_report_open(r, NULL);
  pf_report_string(r, "name", name);
  pf_report_string(r, "kind", kind);
  pf_report_number(r, "value", value/measure.scale);
  pf_report_string(r, "unit", measure.unit);
  pf_report_bool(r, "given", given);
  pf_report_close(r);
}

/* Is the value of the parameter a number, as 1000 [rpm], and not a formula of other parameters? */
static bool has_number(const PfModel *model, const PfParameter *p)
{
  if (p->value == PF_EXPR_NONE) return false;
  for (int i = 0; i < model->parameter_count; i++)
    if (pf_expr_depends(model->ctx, p->value, &model->parameters[i].symbol, 1)) return false;
  return true;
}

static void report_parameter_values(const PfModel *model, const double *values, PfReport *r)
{
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    if (p->derived || p->hidden) continue;
    report_value(r, p->name, "parameter", values[i], pf_model_measure(model, p->name), has_number(model, p));
  }
}

/* Is the coordinate a component of a quaternion? Those cannot be chosen independently. */
static bool is_of_quaternion(const PfModel *model, int coordinate)
{
  for (int i = 0; i < model->ball_count; i++)
    if (coordinate >= model->balls[i].q && coordinate < model->balls[i].q + 4) return true;
  return false;
}

typedef struct Start {
  const PfModel *model;
  const PfSymbols *symbols;
  const double *values;
} Start;

/* A speed or a component of an angular velocity, by an expression of velocities or of parameters. */
static void report_speed(const Start *s, const char *name, PfExpr e, bool given, PfReport *r)
{
  double value;
  if (e == PF_EXPR_NONE) return;
  if (pf_expr_evaluate(s->model->ctx, &e, 1, s->symbols->symbol, s->values, s->symbols->count, &value) != PF_OK) return;
  report_value(r, name, "start", value, pf_model_measure(s->model, name), given);
}

static void report_speed_values(const Start *s, PfReport *r)
{
  for (int i = 0; i < s->model->speed_count; i++) {
    const PfSpeed *u = s->model->speeds + i;
    report_speed(s, u->name, u->value != PF_EXPR_NONE ? u->value : u->start, u->priority != PF_START_OPEN, r);
  }
  for (int i = 0; i < 3*s->model->ball_count; i++) {
    const PfBall *ball = s->model->balls + i/3;
    report_speed(s, ball->spin_name[i%3], ball->spin[i%3], ball->priority_w[i%3] != PF_START_OPEN, r);
  }
}

/* The numbers of a start from which a run begins, its length `horizon` in s, and its plotted quantities; no text. */
static void report_values(const PfModel *model, const PfSymbols *symbols, const double *values, double horizon,
                          PfReport *r)
{
  pf_report_number(r, "horizon", horizon);
  /* The panels that the model plots. */
  pf_report_open(r, "plots");
  for (int i = 0; i < model->plot_count; i++) {
    const PfPlot *plot = model->plots + i;
    pf_report_open(r, NULL);
    pf_report_open(r, "quantities");
    for (int k = 0; k < plot->count; k++) pf_report_string(r, NULL, plot->labels[k]);
    pf_report_close(r);
    pf_report_open(r, "units");
    for (int k = 0; k < plot->count; k++) pf_report_string(r, NULL, plot->units[k]);
    pf_report_close(r);
    pf_report_string(r, "against", plot->against == PF_EXPR_NONE ? NULL : plot->against_label);
    pf_report_close(r);
  }
  pf_report_close(r);
  pf_report_open(r, "values");
  report_parameter_values(model, values + symbols->parameters, r);
  /* Where the coordinates and their rates start, but for those of contacts and quaternions. */
  for (int i = 0; i < model->coordinate_count; i++) {
    const PfCoordinate *c = model->coordinates + i;
    char rate[128];
    if (c->contact || is_of_quaternion(model, i)) continue;
    snprintf(rate, sizeof rate, "%s'", c->name);
    report_value(r, c->name, "start", values[symbols->q + i], pf_model_measure(model, c->name),
               c->priority_q != PF_START_OPEN);
    report_value(r, rate, "start", values[symbols->v + i], pf_model_measure(model, rate),
                 c->priority_v != PF_START_OPEN);
  }
  report_speed_values(&(Start){model, symbols, values}, r);
  pf_report_close(r);
}

/* ---------------------------------------------------------------- the command */

typedef struct Checked {
  Session s;
  const PfRequest *options;
  PfSystem *system;
  PfStart start; /* how a run would correct it */
  PfDiagnosis d;
  PfBodyJoint *joints; /* of the bodies, or NULL */
  int singular;        /* a constraint that is dependent at the start and not nearby, or -1 */
  double *values;      /* of the start, corrected; NULL without */
  double horizon;      /* of a run, in s */
  PfStatus status;
} Checked;

/* Where numbers are missing, or a constraint is not defined, there is no start to correct. */
static bool has_start(const Checked *c)
{
  return c->status == PF_OK && !c->d.generic && isfinite(c->d.start_violation);
}

static PfStatus check_start(Checked *c)
{
  PfRunOptions settings = pf_run_options();
  if (!has_start(c)) return PF_OK;
  PF_TRY(pf_system_new(c->s.ctx, &c->s.equations, &c->system));
  PF_TRY(pf_task_start(&c->s, c->options, c->system, &c->values, &c->start));
  PF_TRY(pf_task_run_options(&c->s, c->options, c->system, c->values, &settings));
  c->horizon = settings.t_end - c->values[pf_system_symbols(c->system)->time];
  PF_TRY(pf_state_singular(c->s.ctx, c->system, c->values, &c->singular));
  if (c->singular < 0) return PF_OK;
  const PfConstraint *k = c->s.model->constraints + c->singular;
  pf_warn_at(c->s.ctx, k->place, "the start is singular: '%s' %s, and the forces of constraint are not determined",
             k->name,
             c->s.equations.m > 1 ? "depends on the others there, and not nearby"
                                  : "restricts nothing there, though it does nearby");
  pf_hint(c->s.ctx, "no run begins there: start nearby");
  return PF_OK;
}

static PfStatus check(Session *s, const PfRequest *options, PfDiagnosis *d, PfBodyJoint **joints)
{
  PF_TRY(pf_task_open(s, options));
  PF_TRY(pf_model_joints(s->ctx, s->arena, s->model, joints));
  PF_TRY(pf_task_check_run(s));
  double *given = pf_task_parameters(s->ctx, s->arena, s->model, options);
  if (!given) return PF_ERR_ARGUMENT;
  return pf_diagnose(s->ctx, s->arena, &s->equations, given, d);
}

/* Of a text that is not a model. */
static void report_no_names(PfReport *r)
{
  static const char *const lists[] = {"coordinates", "speeds", "parameters", "constraints", "events", "bodies"};
  for (size_t i = 0; i < sizeof lists/sizeof *lists; i++) {
    pf_report_open(r, lists[i]);
    pf_report_close(r);
  }
}

/* After an error everything that is known of the model. */
static void write_report(const Checked *c, PfReport *r)
{
  const PfModel *model = c->s.model;
  bool good = model && c->status == PF_OK;
  if (model) {
    report_coordinates(model, r);
    report_speeds(model, r);
    report_parameters(model, r);
    report_bodies(model, c->joints, r);
    report_constraints(model, r);
  }
  if (good) report_rank(model, &c->d, r);
  if (good) report_start(model, &c->d, c->singular, r);
  if (good && has_start(c)) pf_start_report(model, c->options, &c->start, r);
  if (good && c->values) report_values(model, pf_system_symbols(c->system), c->values, c->horizon, r);
  if (model) report_events(model, r);
  else report_no_names(r);
  pf_report_diagnostics(r, c->s.ctx);
}

/* After an error the text has nothing, and the tree all that is known. */
static PfStatus give_report(const Checked *c)
{
  PfReport *report = NULL;
  if (!c->s.ctx || pf_report_new(c->s.ctx, pf_check_fields, &report) != PF_OK) return PF_ERR_MEMORY;
  write_report(c, report);
  if (c->status != PF_OK) pf_report_clear_text(report);
  return pf_task_give(c->s.ctx, c->status, c->options, report);
}

static PfStatus run(const PfRequest *options)
{
  Checked c = {.options = options, .singular = -1};
  c.status = check(&c.s, options, &c.d, &c.joints);
  if (c.status == PF_OK) c.status = check_start(&c);
  PfStatus status = give_report(&c);
  pf_system_free(c.system);
  pf_task_close(&c.s);
  return status;
}
