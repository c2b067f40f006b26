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

/* ---------------------------------------------------------------- for people */

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

/* Without those that keep quaternions at length one. */
static int constraint_count(const PfModel *model)
{
  return model->constraint_count - model->ball_count;
}

static void text_names(const PfModel *model, PfText *text)
{
  pf_text_print(text, "%s%s%s\n", pf_cli_name(model), model->title[0] ? ": " : "",
                model->title);
  pf_text_print(text, "  coordinates         %d:", model->coordinate_count);
  for (int i = 0; i < model->coordinate_count; i++) {
    const PfCoordinate *c = model->coordinates + i;
    pf_text_print(text, "%s %s", i ? "," : "", c->name);
    if (c->unit[0]) pf_text_print(text, " [%s]", c->unit);
    if (c->contact) pf_text_add(text, " (contact)");
  }
  pf_text_add(text, "\n");
  int speeds = speed_count(model);
  if (speeds) pf_text_print(text, "  speeds              %d:", speeds);
  for (int i = 0; i < speeds; i++) {
    bool added = i < model->speed_count && model->speeds[i].completes;
    pf_text_print(text, "%s %s%s%s", i ? "," : "", speed_name(model, i), added ? " (added)" : "",
                  i + 1 == speeds ? "\n" : "");
  }
}

static void text_bodies(const PfModel *model, const PfBodyJoint *joints, PfText *text)
{
  if (model->body_count) pf_text_print(text, "  bodies              %d\n", model->body_count);
  for (int i = 0; i < model->body_count && joints; i++) {
    const PfBodyJoint *j = joints + i;
    const char *parent = j->parent < 0 ? "ground" : model->bodies[j->parent].name;
    pf_text_print(text, "    %-17s %s on %s", model->bodies[i].name, j->kind, parent);
    for (int k = 0; k < j->coordinate_count; k++)
      pf_text_print(text, "%s %s", k ? "," : ":", model->coordinates[j->coordinates[k]].name);
    pf_text_add(text, "\n");
  }
}

static void json_bodies(const PfModel *model, const PfBodyJoint *joints, PfJson *json)
{
  pf_json_open(json, "bodies", '[');
  for (int i = 0; i < model->body_count && joints; i++) {
    const PfBodyJoint *j = joints + i;
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "name", model->bodies[i].name);
    pf_json_string(json, "parent", j->parent < 0 ? "ground" : model->bodies[j->parent].name);
    pf_json_string(json, "joint", j->kind);
    pf_json_open(json, "coordinates", '[');
    for (int k = 0; k < j->coordinate_count; k++)
      pf_json_string(json, NULL, model->coordinates[j->coordinates[k]].name);
    pf_json_close(json, ']');
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}

static void text_events(const PfModel *model, PfText *text)
{
  if (model->event_count) pf_text_print(text, "  events              %d\n", model->event_count);
  for (int i = 0; i < model->event_count; i++) {
    const PfEvent *event = model->events + i;
    pf_text_print(text, "    when %s{ ", event->text);
    for (int k = 0; k < event->action_count; k++) pf_text_print(text, "%s%s", k ? "; " : "", event->actions[k].text);
    pf_text_add(text, " }\n");
  }
}

static void text_constraints(const PfModel *model, const PfDiagnosis *d, PfText *text)
{
  pf_text_print(text, "  constraints         %d", constraint_count(model));
  if (model->ball_count) pf_text_print(text, ", and %d of length one for quaternions", model->ball_count);
  pf_text_add(text, "\n");
  for (int i = 0; i < model->constraint_count; i++) {
    const PfConstraint *c = model->constraints + i;
    if (c->norm) continue;
    pf_text_print(text, "    %-17s %s%s%s\n", c->name, pf_constraint_kind_name(c->kind),
                  c->rheonomic ? ", depends on time" : "", c->prescribed ? ", prescribed" : "");
  }
  pf_text_print(text, "  rank                %d, ", d->rank - model->ball_count);
  if (!d->redundant_count) pf_text_add(text, "nothing redundant");
  else pf_text_add(text, "redundant:");
  for (int i = 0; i < d->redundant_count; i++)
    pf_text_print(text, "%s %s", i ? "," : "", model->constraints[d->redundant[i]].name);
  pf_text_print(text, "\n  degrees of freedom  %d\n", d->degrees_of_freedom);
}

static void text_numbers(const PfModel *model, const PfDiagnosis *d, int singular, PfText *text)
{
  pf_text_print(text, "  mass matrix         rank %d of %d%s\n", d->mass_rank, model->coordinate_count,
                d->mass_singular ? ", singular" : "");
  if (d->start_consistent)
    pf_text_print(text, "  start               consistent (largest violation %.2g)\n",
                  pf_without_noise(d->start_violation, 1));
  else if (!isfinite(d->start_violation))
    pf_text_print(text, "  start               not consistent: '%s' is not defined there\n",
                  model->constraints[d->start_worst].name);
  else
    pf_text_print(text, "  start               not consistent: '%s' is missed by %.6g\n",
                  model->constraints[d->start_worst].name, d->start_violation);
  if (singular >= 0)
    pf_text_print(text, "  singular            at the start, where the rank is less: '%s'\n",
                  model->constraints[singular].name);
  if (d->generic)
    pf_text_add(text, "  note                parameters without a value were given arbitrary ones here\n");
}

/* ---------------------------------------------------------------- for programs */

static void json_names(const PfModel *model, PfJson *json)
{
  pf_json_string(json, "model", pf_cli_name(model));
  pf_json_string(json, "title", model->title);
  pf_json_open(json, "coordinates", '[');
  for (int i = 0; i < model->coordinate_count; i++) pf_json_string(json, NULL, model->coordinates[i].name);
  pf_json_close(json, ']');
  pf_json_open(json, "speeds", '[');
  for (int i = 0; i < speed_count(model); i++) pf_json_string(json, NULL, speed_name(model, i));
  pf_json_close(json, ']');
  pf_json_open(json, "parameters", '[');
  for (int i = 0; i < model->parameter_count; i++)
    if (!model->parameters[i].derived) pf_json_string(json, NULL, model->parameters[i].name);
  pf_json_close(json, ']');
  pf_json_open(json, "constraints", '[');
  for (int i = 0; i < model->constraint_count; i++) {
    const char *kind = pf_constraint_kind_name(model->constraints[i].kind);
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "name", model->constraints[i].name);
    pf_json_string(json, "kind", model->constraints[i].norm ? "norm" : kind);
    pf_json_bool(json, "time_dependent", model->constraints[i].rheonomic);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
  pf_json_open(json, "events", '[');
  for (int i = 0; i < model->event_count; i++) {
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "when", model->events[i].text);
    pf_json_open(json, "actions", '[');
    for (int k = 0; k < model->events[i].action_count; k++)
      pf_json_string(json, NULL, model->events[i].actions[k].text);
    pf_json_close(json, ']');
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}

static void json_numbers(const PfModel *model, const PfDiagnosis *d, int singular, PfJson *json)
{
  pf_json_integer(json, "rank", d->rank); /* with the norms, which the list has too */
  pf_json_open(json, "redundant", '[');
  for (int i = 0; i < d->redundant_count; i++) pf_json_string(json, NULL, model->constraints[d->redundant[i]].name);
  pf_json_close(json, ']');
  pf_json_integer(json, "degrees_of_freedom", d->degrees_of_freedom);
  pf_json_open(json, "mass_matrix", '{');
  pf_json_integer(json, "rank", d->mass_rank);
  pf_json_bool(json, "singular", d->mass_singular);
  pf_json_close(json, '}');
  pf_json_open(json, "start", '{');
  pf_json_bool(json, "consistent", d->start_consistent);
  pf_json_number(json, "violation", d->start_violation);
  pf_json_string(json, "worst", d->start_worst >= 0 ? model->constraints[d->start_worst].name : NULL);
  pf_json_string(json, "singular", singular >= 0 ? model->constraints[singular].name : NULL);
  pf_json_close(json, '}');
}

/* The same keys without their values, after an error. */
static void json_no_names(PfJson *json)
{
  static const char *const lists[] = {"coordinates", "speeds", "parameters", "constraints", "events", "bodies"};
  pf_json_string(json, "model", NULL);
  pf_json_string(json, "title", NULL);
  for (size_t i = 0; i < sizeof lists/sizeof *lists; i++) {
    pf_json_open(json, lists[i], '[');
    pf_json_close(json, ']');
  }
}

static void json_no_numbers(PfJson *json)
{
  static const char *const keys[] = {"rank", "redundant", "degrees_of_freedom", "mass_matrix", "start"};
  for (size_t i = 0; i < sizeof keys/sizeof *keys; i++) pf_json_string(json, keys[i], NULL);
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

static void write_json(void *user, PfJson *json)
{
  const Checked *c = user;
  pf_json_open(json, NULL, '{');
  if (c->s.model) json_names(c->s.model, json);
  else json_no_names(json);
  if (c->s.model) json_bodies(c->s.model, c->joints, json);
  if (c->s.model && c->status == PF_OK) json_numbers(c->s.model, &c->d, c->singular, json);
  else json_no_numbers(json);
  if (c->s.model && has_start(c)) pf_start_json(c->s.model, c->options, &c->start, json);
  else pf_json_string(json, "start_change", NULL);
  if (c->status == PF_OK && c->values)
    pf_check_json_values(c->s.model, pf_system_symbols(c->system), c->values, c->horizon, json);
  else pf_check_json_no_values(json);
  pf_cli_json_diagnostics(c->s.ctx, json);
  pf_json_close(json, '}');
}

static void write_text(void *user, PfText *text)
{
  const Checked *c = user;
  text_names(c->s.model, text);
  text_bodies(c->s.model, c->joints, text);
  text_constraints(c->s.model, &c->d, text);
  text_numbers(c->s.model, &c->d, c->singular, text);
  if (has_start(c)) pf_start_text(c->s.model, c->options, &c->start, text);
  text_events(c->s.model, text);
}

static int run(const Console *console, int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_command_check, console, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  Checked c = {.options = &options, .singular = -1};
  c.status = check(&c.s, &options, &c.d, &c.joints);
  if (c.status == PF_OK) c.status = check_start(&c);
  if (c.s.ctx && (options.json || c.status == PF_OK))
    code = pf_cli_output(c.s.ctx, &options, &c, write_json, write_text);
  pf_cli_diagnostics(c.s.ctx, options.console);
  pf_system_free(c.system);
  pf_cli_close(&c.s);
  return c.status == PF_OK ? code : pf_cli_exit_code(c.status);
}
