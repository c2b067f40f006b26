/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff check: what is this system? */
#include "cli/check.h"

#include <math.h>

static int run(const Console *console, int argc, char **argv);

const Command pf_command_check = {
  .name = "check", .summary = "what is this system: coordinates, constraints, degrees of freedom, redundancy",
  .operands = "FILE",
  .about = "Tells the coordinates, the constraints and their kinds, the rank and the redundancy of the constraints at "
           "a generic configuration, the degrees of freedom, the rank of the mass matrix, and whether the start "
           "satisfies the constraints.",
  .takes = "param state as-given json ",
  .examples = "pfaff check examples/skates/snakeboard.pf\n"
              "pfaff check -p m=7 --state theta=0.5 examples/skates/snakeboard.pf\n",
  .run = run};

/* ---------------------------------------------------------------- the fields of the report */

static const PfField body_fields[] = {
  {.key = "name", .type = PF_TYPE_STRING},
  PF_FIELD("parent", STRING, "the body before it, or 'ground'"),
  PF_FIELD("joint", STRING, "the kind of the joint between them"),
  PF_FIELD_LIST("coordinates", STRING, "the coordinates of the joint"),
  {0}};

static const PfField constraint_fields[] = {
  {.key = "name", .type = PF_TYPE_STRING},
  PF_FIELD("kind", STRING, "'holonomic', 'pfaffian', 'affine', 'nonlinear', or 'norm' for the length of a quaternion"),
  {.key = "time_dependent", .type = PF_TYPE_BOOL},
  {0}};

static const PfField event_fields[] = {
  PF_FIELD("when", STRING, "the condition, as it is written"),
  {.key = "actions", .type = PF_TYPE_LIST, .of = PF_TYPE_STRING},
  {0}};

static const PfField mass_fields[] = {
  {.key = "rank", .type = PF_TYPE_INTEGER},
  {.key = "singular", .type = PF_TYPE_BOOL},
  {0}};

static const PfField start_fields[] = {
  PF_FIELD("consistent", BOOL, "the start as given satisfies the constraints"),
  PF_FIELD("violation", NUMBER, "the largest residual of a constraint there"),
  PF_FIELD("worst", STRING, "the constraint with that residual"),
  PF_FIELD("singular", STRING, "a constraint that depends on the others there and not nearby"),
  {0}};

static const PfField fields[] = {
  PF_FIELD_MODEL,
  {.key = "title", .type = PF_TYPE_STRING},
  {.key = "coordinates", .type = PF_TYPE_LIST, .of = PF_TYPE_STRING},
  PF_FIELD_LIST("speeds", STRING, "pseudo-velocities of the model and of its joints"),
  {.key = "parameters", .type = PF_TYPE_LIST, .of = PF_TYPE_STRING},
  {.key = "constraints", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = constraint_fields},
  {.key = "events", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = event_fields},
  {.key = "bodies", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = body_fields},
  PF_FIELD("rank", INTEGER, "of the constraints, the norms of quaternions included"),
  PF_FIELD_LIST("redundant", STRING, "constraints that depend on the others"),
  {.key = "degrees_of_freedom", .type = PF_TYPE_INTEGER},
  {.key = "mass_matrix", .type = PF_TYPE_RECORD, .fields = mass_fields},
  {.key = "start", .type = PF_TYPE_RECORD, .fields = start_fields},
  PF_FIELD_START_CHANGE,
  PF_CHECK_VALUE_FIELDS,
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
  pf_cli_report_model(model, r);
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

/* ---------------------------------------------------------------- the command */

typedef struct Checked {
  Session s;
  const Options *options;
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
  PF_TRY(pf_cli_start(&c->s, c->options, c->system, &c->values, &c->start));
  PF_TRY(pf_cli_run_options(&c->s, c->options, c->system, c->values, &settings));
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

static PfStatus check(Session *s, const Options *options, PfDiagnosis *d, PfBodyJoint **joints)
{
  PF_TRY(pf_cli_open(s, options));
  PF_TRY(pf_model_joints(s->ctx, s->arena, s->model, joints));
  PF_TRY(pf_cli_check_run(s));
  double *given = pf_cli_parameters(s->ctx, s->arena, s->model, options);
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
  if (good && c->values) pf_check_report_values(model, pf_system_symbols(c->system), c->values, c->horizon, r);
  if (model) report_events(model, r);
  else report_no_names(r);
  pf_report_diagnostics(r, c->s.ctx);
}

static int put_report(const Checked *c)
{
  PfReport *report;
  if (pf_report_new(c->s.ctx, fields, &report) != PF_OK) return PF_EXIT_FAILED;
  write_report(c, report);
  int code = pf_cli_put_report(c->s.ctx, c->options, report);
  pf_report_free(report);
  return code;
}

static int run(const Console *console, int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_command_check, console, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  Checked c = {.options = &options, .singular = -1};
  c.status = check(&c.s, &options, &c.d, &c.joints);
  if (c.status == PF_OK) c.status = check_start(&c);
  if (c.s.ctx && (options.json || c.status == PF_OK)) code = put_report(&c);
  pf_cli_diagnostics(c.s.ctx, options.console);
  pf_system_free(c.system);
  pf_cli_close(&c.s);
  return c.status == PF_OK ? code : pf_cli_exit_code(c.status);
}
