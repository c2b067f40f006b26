/* SPDX-License-Identifier: Apache-2.0 */
/* The units in which people read and write the numbers of a model. Inside the library every number is in SI units; a
 * declaration such as coord x [mm] only chooses how its values are shown and set. */
#include "model/model.h"

#include <string.h>

/* Without a declared unit: the text "" and the scale 1. */
static PfMeasure measure(const char *unit, double scale)
{
  return (PfMeasure){unit ? unit : "", scale > 0 ? scale : 1};
}

/* The scale is that of the coordinate for x, x' and x'' alike, as time is always in seconds. */
PfMeasure pf_coordinate_measure(const PfCoordinate *c, int primes)
{
  return measure(primes == 0 ? c->unit : primes == 1 ? c->rate_unit : c->acceleration_unit, c->scale);
}

/* Names are tried in this order: coordinates and their derivatives, speeds, components of angular velocities and
 * velocities of balls, inputs, parameters, multipliers "lambda[…]", and t. */
PfMeasure pf_model_measure(const PfModel *model, const char *name)
{
  for (int i = 0; i < model->coordinate_count; i++) { /* x, x' or x'' */
    const PfCoordinate *c = model->coordinates + i;
    size_t length = strlen(c->name);
    if (strncmp(c->name, name, length) != 0) continue;
    const char *primes = name + length;
    if (!*primes || !strcmp(primes, "'") || !strcmp(primes, "''")) return pf_coordinate_measure(c, (int)strlen(primes));
  }
  for (int i = 0; i < model->speed_count; i++)
    if (!strcmp(model->speeds[i].name, name)) return measure(model->speeds[i].unit, model->speeds[i].scale);
  for (int i = 0; i < model->ball_count; i++)
    for (int k = 0; k < 3; k++) {
      const PfBall *ball = model->balls + i;
      if (!strcmp(ball->spin_name[k], name)) return measure("rad/s", 1);
      if (ball->p >= 0 && !strcmp(ball->speed_name[k], name)) return measure("m/s", 1);
    }
  for (int i = 0; i < model->input_count; i++)
    if (!strcmp(model->inputs[i].name, name)) return measure(model->inputs[i].unit, model->inputs[i].scale);
  int parameter = pf_model_find_parameter(model, name);
  if (parameter >= 0) return measure(model->parameters[parameter].unit, model->parameters[parameter].scale);
  for (int i = 0; i < model->constraint_count && !strncmp(name, "lambda[", 7); i++)
    if (!strcmp(pf_expr_symbol_name(model->ctx, model->constraints[i].multiplier), name))
      return measure(model->constraints[i].unit, 1);
  return measure(strcmp(name, "t") ? "" : "s", 1);
}

PfMeasure pf_plot_measure(const PfPlot *plot, int k)
{
  return measure(plot->units[k], plot->scales[k]);
}
