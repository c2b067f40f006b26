/* SPDX-License-Identifier: Apache-2.0 */
/* Another start than the one in the text of the model: pf_model_set_start writes a number over the expression of a
 * start and raises its priority, so that making the start consistent changes others first. */
#include "model/model.h"

#include <string.h>

/* Sets an initial value. A start that is marked with '!' in the text stays marked. False without memory. */
static bool set(PfModel *model, double value, PfExpr *start, PfStartPriority *priority)
{
  PfExpr number = pf_expr_shortest(model->ctx, value);
  if (number == PF_EXPR_NONE) return false;
  *start = number;
  if (*priority < PF_START_SET) *priority = PF_START_SET;
  return true;
}

/* The rates of the quaternion follow from the angular velocity. */
static bool settle_rates(PfModel *model, const PfBall *ball)
{
  PfCoordinate *c = model->coordinates + ball->q;
  PfExpr q[4], rate[4];
  for (int k = 0; k < 4; k++) q[k] = c[k].start_q;
  pf_quaternion_rate(model->ctx, q, ball->start_w, rate);
  for (int k = 0; k < 4; k++) c[k].start_v = rate[k];
  return rate[0] != PF_EXPR_NONE;
}

/* In this order: numbers of balls (angular velocity, velocity, quaternion), speeds, coordinates, velocities x'. The
 * start of a velocity of a quaternion is never set by itself: it follows from the angular velocity. */
bool pf_model_set_start(PfModel *model, const char *name, double value)
{
  for (int i = 0; i < model->ball_count; i++) {
    PfBall *ball = model->balls + i;
    for (int k = 0; k < 3; k++) {
      PfCoordinate *p = model->coordinates + ball->p + k;
      if (!strcmp(ball->spin_name[k], name))
        return set(model, value, ball->start_w + k, ball->priority_w + k) && settle_rates(model, ball);
      if (ball->p >= 0 && !strcmp(ball->speed_name[k], name)) return set(model, value, &p->start_v, &p->priority_v);
    }
    for (int k = 0; k < 4; k++)
      if (!strcmp(model->coordinates[ball->q + k].name, name)) {
        /* An attitude is given as a whole, by whichever of its numbers. */
        PfCoordinate *c = model->coordinates + ball->q;
        if (!set(model, value, &c[k].start_q, &c[k].priority_q)) return false;
        for (int j = 0; j < 4; j++) c[j].priority_q = c[k].priority_q;
        return settle_rates(model, ball);
      }
  }
  for (int i = 0; i < model->speed_count; i++)
    if (!strcmp(model->speeds[i].name, name))
      return set(model, value, &model->speeds[i].start, &model->speeds[i].priority);
  int i = pf_model_find_coordinate(model, name);
  if (i < 0) {
    for (int l = 0; l < model->coordinate_count; l++) {
      PfCoordinate *c = model->coordinates + l;
      size_t length = strlen(c->name);
      if (!strncmp(c->name, name, length) && !strcmp(name + length, "'"))
        return set(model, value, &c->start_v, &c->priority_v);
    }
    return false;
  }
  return set(model, value, &model->coordinates[i].start_q, &model->coordinates[i].priority_q);
}
