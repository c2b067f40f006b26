/* SPDX-License-Identifier: Apache-2.0 */
/* The state at which a command evaluates: the start of the model, changed by --state and --time. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Setter {
  PfContext *ctx;
  PfModel *model;
  const char *text; /* as given */
} Setter;

/* ---------------------------------------------------------------- names */

/* --state x_dot=1 is meant as x'=1. */
static bool hint_derivative(const Setter *s, const char *name)
{
  char other[128];
  int order;
  for (int k = 0; pf_rate_spelling(name, k, other, sizeof other, &order); k++) {
    if (order != 1 || pf_model_find_coordinate(s->model, other) < 0) continue;
    pf_hint(s->ctx, "a velocity is written with an apostrophe: --state \"%s'=…\"", other);
    return true;
  }
  return false;
}

static void hint_coordinates(const Setter *s)
{
  enum { MOST = 8 };
  const PfModel *model = s->model;
  char list[300] = "";
  size_t used = 0;
  for (int i = 0; i < model->coordinate_count && i < MOST && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", model->coordinates[i].name);
  pf_hint(s->ctx, "there are %s%s", list, model->coordinate_count > MOST ? ", …" : "");
}

static PfStatus unknown_name(const Setter *s, const char *name)
{
  const PfModel *model = s->model;
  const char *similar = NULL;
  int best = 0;
  char own[128];
  snprintf(own, sizeof own, "%.*s", (int)strcspn(name, "'"), name);
  pf_fail(s->ctx, PF_ERR_ARGUMENT, "--state %s: the model has no coordinate, velocity or speed '%s'", s->text, name);
  if (hint_derivative(s, name)) return PF_ERR_ARGUMENT;
  for (int i = 0; i < model->coordinate_count; i++)
    if (pf_name_is_nearer(own, model->coordinates[i].name, &best)) similar = model->coordinates[i].name;
  for (int i = 0; i < model->speed_count; i++)
    if (pf_name_is_nearer(own, model->speeds[i].name, &best)) similar = model->speeds[i].name;
  for (int i = 0; i < 3*model->ball_count; i++)
    if (pf_name_is_nearer(own, model->balls[i/3].spin_name[i%3], &best)) similar = model->balls[i/3].spin_name[i%3];
  if (similar) pf_hint(s->ctx, "did you mean '%s'?", similar);
  else hint_coordinates(s);
  return PF_ERR_ARGUMENT;
}

/* ---------------------------------------------------------------- joints with a quaternion */

enum { MOST_PARTS = 4 };

/* What is given in brackets: hub.w stands for hub.wx, hub.wy, hub.wz. */
typedef struct Group {
  const char *word, *unit;
  int count;
  const char *parts[MOST_PARTS];
} Group;

static const Group groups[] = {
  {"q", "1", 4, {"qw", "qx", "qy", "qz"}},
  {"turn", "rad", 3, {"qw", "qx", "qy", "qz"}},
  {"w", "rad/s", 3, {"wx", "wy", "wz"}},
  {"p", "m", 3, {"px", "py", "pz"}},
  {"v", "m/s", 3, {"vx", "vy", "vz"}},
};

/* The group that the name means, and the length of the name of the joint before it. */
static const Group *find_group(const PfModel *model, const char *name, size_t *joint)
{
  const char *dot = strrchr(name, '.');
  *joint = dot ? (size_t)(dot - name) : 0;
  for (int b = 0; dot && b < model->ball_count; b++) {
    const PfBall *ball = model->balls + b;
    if (strlen(ball->name) != *joint || strncmp(ball->name, name, *joint) != 0) continue;
    for (size_t i = 0; i < sizeof groups/sizeof *groups; i++)
      if (!strcmp(groups[i].word, dot + 1)) return groups + i;
  }
  return NULL;
}

/* (a, b, c) */
static PfStatus read_numbers(const Setter *s, const Group *group, const char *what, const char *text, double *number)
{
  int count = 0;
  text += strspn(text, " ");
  bool good = *text == '(';
  while (good && count < group->count) {
    char part[128];
    const char *end = pf_piece_end(++text, ",)");
    snprintf(part, sizeof part, "%.*s", (int)(end - text), text);
    PF_TRY(pf_constant_read_for(s->ctx, what, part, group->unit, number + count++));
    text = end;
    good = *text == (count < group->count ? ',' : ')');
  }
  if (good && !text[1 + strspn(text + 1, " ")]) return PF_OK;
  pf_fail(s->ctx, PF_ERR_ARGUMENT, "%s: %d numbers in brackets are needed", what, group->count);
  pf_hint(s->ctx, "for example: --state \"hub.%s=%s\"", group->word, group->count == 4 ? "(1, 0, 0, 0)" : "(0, 0, 1)");
  return PF_ERR_ARGUMENT;
}

/* cos(a/2) and the axis times sin(a/2), where the rotation vector is a times the axis. */
static void quaternion_of_turn(double number[MOST_PARTS])
{
  double turn[3] = {number[0], number[1], number[2]};
  double angle = sqrt(turn[0]*turn[0] + turn[1]*turn[1] + turn[2]*turn[2]),
         part = angle > 0 ? sin(0.5*angle)/angle : 0.5;
  number[0] = cos(0.5*angle);
  for (int k = 0; k < 3; k++) number[k + 1] = part*turn[k];
}

/* Of another length than one: divided by it, as by 'start'. */
static PfStatus normalise(const Setter *s, double q[MOST_PARTS])
{
  double length = sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]);
  if (!(length > 0))
    return pf_fail(s->ctx, PF_ERR_ARGUMENT, "--state %s: a quaternion of zeros is no rotation", s->text);
  for (int k = 0; k < MOST_PARTS; k++) q[k] /= length;
  return PF_OK;
}

static PfStatus set_group(Setter *s, const Group *group, const char *name, size_t joint, const char *what,
                          const char *text)
{
  double number[MOST_PARTS] = {0};
  PF_TRY(read_numbers(s, group, what, text, number));
  bool attitude = group->parts[0][0] == 'q';
  if (!strcmp(group->word, "turn")) quaternion_of_turn(number);
  if (attitude) PF_TRY(normalise(s, number));
  for (int k = 0; k < (attitude ? MOST_PARTS : group->count); k++) {
    char part[160];
    snprintf(part, sizeof part, "%.*s.%s", (int)joint, name, group->parts[k]);
    if (!pf_model_set_start(s->model, part, number[k])) return unknown_name(s, part);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- reading */

/* Parts of a quaternion have no unit and are pure numbers all the same. */
static const char *unit_of(const PfModel *model, const char *name)
{
  int i = pf_model_find_coordinate(model, name);
  for (int b = 0; b < model->ball_count; b++)
    if (i >= model->balls[b].q && i < model->balls[b].q + 4) return "1";
  return pf_model_measure(model, name).unit;
}

/* x=1, x'=2 [m/s], hub.wz=1, hub.turn=(0, 0, 30 [deg]) */
static PfStatus set_one(Setter *s)
{
  char name[PF_LONGEST_NAME], what[256];
  const char *text;
  if (!pf_cli_split(s->text, name, &text))
    return pf_fail(s->ctx, PF_ERR_ARGUMENT, "--state %s: write name=value or name'=value", s->text);
  snprintf(what, sizeof what, "--state %s", s->text);
  size_t joint;
  const Group *group = find_group(s->model, name, &joint);
  if (group) return set_group(s, group, name, joint, what, text);
  double value;
  PF_TRY(pf_constant_read_for(s->ctx, what, text, unit_of(s->model, name), &value));
  return pf_model_set_start(s->model, name, value) ? PF_OK : unknown_name(s, name);
}

/* The name up to '=' once more? The names of groups and of their parts are not compared. */
static bool is_given_before(const Texts *list, int index)
{
  size_t length = strcspn(list->at[index], "=");
  for (int i = 0; i < index; i++)
    if (strcspn(list->at[i], "=") == length && !strncmp(list->at[i], list->at[index], length)) return true;
  return false;
}

PfStatus pf_cli_give_state(Session *s, const Options *options)
{
  for (int i = 0; i < options->state.count; i++) {
    Setter setter = {s->ctx, s->model, options->state.at[i]};
    if (is_given_before(&options->state, i))
      return pf_fail(s->ctx, PF_ERR_ARGUMENT, "--state %s: a second value for the same start", setter.text);
    PF_TRY(set_one(&setter));
  }
  return PF_OK;
}

PfStatus pf_cli_state(Session *s, const Options *options, const PfSystem *system, double **values)
{
  const PfSymbols *symbols = pf_system_symbols(system);
  *values = pf_arena_array(s->arena, double, symbols->count);
  double *given = pf_cli_parameters(s->ctx, s->arena, s->model, options);
  if (!given) return PF_ERR_ARGUMENT;
  if (!*values) return pf_no_room(s->ctx, "the state");
  PF_TRY(pf_equations_start(s->ctx, &s->equations, given, *values));
  if (isnan(options->time)) return PF_OK;
  (*values)[symbols->time] = options->time;
  return pf_evaluate_inputs(s->ctx, s->model, symbols, *values);
}

PfStatus pf_cli_warn_contradiction(Session *s, const Options *options)
{
  double *given = pf_cli_parameters(s->ctx, s->arena, s->model, options);
  if (!given) return PF_ERR_ARGUMENT;
  int before = pf_diagnostic_count(s->ctx);
  PfDiagnosis diagnosis;
  PF_TRY(pf_equations_write_out(s->ctx, s->arena, &s->equations));
  PfStatus status = pf_diagnose(s->ctx, s->arena, &s->equations, given, &diagnosis);
  if (status == PF_OK || pf_is_final(status)) return status;
  const PfDiagnostic *why = pf_diagnostic(s->ctx, before);
  char message[512], hint[256];
  PfPlace place = why->place;
  snprintf(message, sizeof message, "%s", why->message);
  snprintf(hint, sizeof hint, "%s", why->hint ? why->hint : "there may be no motion at all");
  pf_diagnostics_cut(s->ctx, before);
  pf_warn_at(s->ctx, place, "%s", message);
  pf_hint(s->ctx, "%s", hint);
  return PF_OK;
}

PfStatus pf_cli_refuse_singular(Session *s, const PfSystem *system, const double *values)
{
  int row;
  PF_TRY(pf_state_singular(s->ctx, system, values, &row));
  if (row < 0) return PF_OK;
  const PfConstraint *c = s->model->constraints + row;
  pf_fail_at(s->ctx, PF_ERR_NUMBER, c->place, "the constraints lose rank in this state: '%s' %s, and the forces of "
             "constraint are not determined", c->name,
             s->equations.m > 1 ? "depends on the others here, and not nearby"
                                : "restricts nothing here, though it does nearby");
  pf_hint(s->ctx, "the state itself is singular: take one nearby");
  return PF_ERR_NUMBER;
}
