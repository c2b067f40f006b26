/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a model in check --json: what --param and --state change, how long a run lasts, what it plots. */
#include "cli/check.h"

#include <stdio.h>

const PfField pf_check_value_fields[] = {
  {.key = "name", .type = PF_TYPE_STRING},
  PF_FIELD("kind", STRING, "'parameter' or 'start'"),
  PF_FIELD("value", NUMBER, "in its unit"),
  {.key = "unit", .type = PF_TYPE_STRING},
  PF_FIELD("given", BOOL, "the text has a value for it"),
  {0}};

const PfField pf_check_plot_fields[] = {
  {.key = "quantities", .type = PF_TYPE_LIST, .of = PF_TYPE_STRING},
  {.key = "units", .type = PF_TYPE_LIST, .of = PF_TYPE_STRING},
  PF_FIELD("against", STRING, "the quantity of the horizontal axis; null: time"),
  {0}};

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

static void report_parameters(const PfModel *model, const double *values, PfReport *r)
{
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    double number;
    if (p->derived || p->hidden) continue;
    bool own = p->value != PF_EXPR_NONE && pf_expr_is_number(model->ctx, p->value, &number);
    report_value(r, p->name, "parameter", values[i], pf_model_measure(model, p->name), own);
  }
}

/* A quaternion is no four numbers that one could choose. */
static bool is_of_quaternion(const PfModel *model, int coordinate)
{
  for (int i = 0; i < model->ball_count; i++)
    if (coordinate >= model->balls[i].q && coordinate < model->balls[i].q + 4) return true;
  return false;
}

static void report_starts(const PfModel *model, const PfSymbols *symbols, const double *values, PfReport *r)
{
  for (int i = 0; i < model->coordinate_count; i++) {
    const PfCoordinate *c = model->coordinates + i;
    char rate[128];
    if (c->contact || is_of_quaternion(model, i)) continue;
    snprintf(rate, sizeof rate, "%s'", c->name);
    report_value(r, c->name, "start", values[symbols->q + i], pf_model_measure(model, c->name),
               c->firm_q != PF_START_OPEN);
    report_value(r, rate, "start", values[symbols->v + i], pf_model_measure(model, rate), c->firm_v != PF_START_OPEN);
  }
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

static void report_speeds(const Start *s, PfReport *r)
{
  for (int i = 0; i < s->model->speed_count; i++) {
    const PfSpeed *u = s->model->speeds + i;
    report_speed(s, u->name, u->value != PF_EXPR_NONE ? u->value : u->start, u->firm != PF_START_OPEN, r);
  }
  for (int i = 0; i < 3*s->model->ball_count; i++) {
    const PfBall *ball = s->model->balls + i/3;
    report_speed(s, ball->spin_name[i%3], ball->spin[i%3], ball->firm_w[i%3] != PF_START_OPEN, r);
  }
}

static void report_plots(const PfModel *model, PfReport *r)
{
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
}

void pf_check_report_values(const PfModel *model, const PfSymbols *symbols, const double *values, double horizon,
                          PfReport *r)
{
  pf_report_number(r, "horizon", horizon);
  report_plots(model, r);
  pf_report_open(r, "values");
  report_parameters(model, values + symbols->parameters, r);
  report_starts(model, symbols, values, r);
  report_speeds(&(Start){model, symbols, values}, r);
  pf_report_close(r);
}
