/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a model in check --json: what --param and --state change, how long a run lasts, what it plots. */
#include "cli/check.h"

#include <stdio.h>

static void json_value(PfJson *json, const char *name, const char *kind, double value, PfMeasure measure, bool given)
{
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "name", name);
  pf_json_string(json, "kind", kind);
  pf_json_number(json, "value", value/measure.scale);
  pf_json_string(json, "unit", measure.unit);
  pf_json_bool(json, "given", given);
  pf_json_close(json, '}');
}

static void json_parameters(const PfModel *model, const double *values, PfJson *json)
{
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    double number;
    if (p->derived || p->hidden) continue;
    bool own = p->value != PF_EXPR_NONE && pf_expr_is_number(model->ctx, p->value, &number);
    json_value(json, p->name, "parameter", values[i], pf_model_measure(model, p->name), own);
  }
}

/* A quaternion is no four numbers that one could choose. */
static bool is_of_quaternion(const PfModel *model, int coordinate)
{
  for (int i = 0; i < model->ball_count; i++)
    if (coordinate >= model->balls[i].q && coordinate < model->balls[i].q + 4) return true;
  return false;
}

static void json_starts(const PfModel *model, const PfSymbols *symbols, const double *values, PfJson *json)
{
  for (int i = 0; i < model->coordinate_count; i++) {
    const PfCoordinate *c = model->coordinates + i;
    char rate[128];
    if (c->contact || is_of_quaternion(model, i)) continue;
    snprintf(rate, sizeof rate, "%s'", c->name);
    json_value(json, c->name, "start", values[symbols->q + i], pf_model_measure(model, c->name),
               c->firm_q != PF_START_OPEN);
    json_value(json, rate, "start", values[symbols->v + i], pf_model_measure(model, rate), c->firm_v != PF_START_OPEN);
  }
}

typedef struct Start {
  const PfModel *model;
  const PfSymbols *symbols;
  const double *values;
} Start;

/* A speed or a component of an angular velocity, by an expression of velocities or of parameters. */
static void json_speed(const Start *s, const char *name, PfExpr e, bool given, PfJson *json)
{
  double value;
  if (e == PF_EXPR_NONE) return;
  if (pf_expr_evaluate(s->model->ctx, &e, 1, s->symbols->symbol, s->values, s->symbols->count, &value) != PF_OK) return;
  json_value(json, name, "start", value, pf_model_measure(s->model, name), given);
}

static void json_speeds(const Start *s, PfJson *json)
{
  for (int i = 0; i < s->model->speed_count; i++) {
    const PfSpeed *u = s->model->speeds + i;
    json_speed(s, u->name, u->value != PF_EXPR_NONE ? u->value : u->start, u->firm != PF_START_OPEN, json);
  }
  for (int i = 0; i < 3*s->model->ball_count; i++) {
    const PfBall *ball = s->model->balls + i/3;
    json_speed(s, ball->spin_name[i%3], ball->spin[i%3], ball->firm_w[i%3] != PF_START_OPEN, json);
  }
}

static void json_plots(const PfModel *model, PfJson *json)
{
  pf_json_open(json, "plots", '[');
  for (int i = 0; i < model->plot_count; i++) {
    const PfPlot *plot = model->plots + i;
    pf_json_open(json, NULL, '{');
    pf_json_open(json, "quantities", '[');
    for (int k = 0; k < plot->count; k++) pf_json_string(json, NULL, plot->labels[k]);
    pf_json_close(json, ']');
    pf_json_open(json, "units", '[');
    for (int k = 0; k < plot->count; k++) pf_json_string(json, NULL, plot->units[k]);
    pf_json_close(json, ']');
    pf_json_string(json, "against", plot->against == PF_EXPR_NONE ? NULL : plot->against_label);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}

void pf_check_json_values(const PfModel *model, const PfSymbols *symbols, const double *values, double horizon,
                          PfJson *json)
{
  pf_json_number(json, "horizon", horizon);
  json_plots(model, json);
  pf_json_open(json, "values", '[');
  json_parameters(model, values + symbols->parameters, json);
  json_starts(model, symbols, values, json);
  json_speeds(&(Start){model, symbols, values}, json);
  pf_json_close(json, ']');
}

void pf_check_json_no_values(PfJson *json)
{
  static const char *const keys[] = {"horizon", "plots", "values"};
  for (size_t i = 0; i < sizeof keys/sizeof *keys; i++) pf_json_string(json, keys[i], NULL);
}
