/* SPDX-License-Identifier: Apache-2.0 */
/* The units in which people read and write the numbers of a model. */
#include "model/model.h"

#include <string.h>

static PfMeasure measure(const char *unit, double scale)
{
  return (PfMeasure){unit ? unit : "", scale > 0 ? scale : 1};
}

PfMeasure pf_coordinate_measure(const PfCoordinate *c, int primes)
{
  return measure(primes == 0 ? c->unit : primes == 1 ? c->rate_unit : c->acceleration_unit, c->scale);
}

/* x, x' or x'' */
static bool of_coordinate(const PfCoordinate *c, const char *name, PfMeasure *found)
{
  size_t length = strlen(c->name);
  if (strncmp(c->name, name, length) != 0) return false;
  const char *primes = name + length;
  bool position = !*primes, velocity = !strcmp(primes, "'"), acceleration = !strcmp(primes, "''");
  *found = pf_coordinate_measure(c, position ? 0 : velocity ? 1 : 2);
  return position || velocity || acceleration;
}

static bool of_ball(const PfBall *ball, const char *name, PfMeasure *found)
{
  for (int k = 0; k < 3; k++) {
    bool spin = !strcmp(ball->spin_name[k], name), speed = ball->p >= 0 && !strcmp(ball->speed_name[k], name);
    *found = measure(spin ? "rad/s" : "m/s", 1);
    if (spin || speed) return true;
  }
  return false;
}

PfMeasure pf_model_measure(const PfModel *model, const char *name)
{
  PfMeasure found;
  for (int i = 0; i < model->coordinate_count; i++)
    if (of_coordinate(model->coordinates + i, name, &found)) return found;
  for (int i = 0; i < model->speed_count; i++)
    if (!strcmp(model->speeds[i].name, name)) return measure(model->speeds[i].unit, model->speeds[i].scale);
  for (int i = 0; i < model->ball_count; i++)
    if (of_ball(model->balls + i, name, &found)) return found;
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
