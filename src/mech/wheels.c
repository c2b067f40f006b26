/* SPDX-License-Identifier: Apache-2.0 */
/* Which frames carry bodies, and which of them may be described in axes that do not turn with them. */
#include "mech/mech_impl.h"

/* Every frame between a body and the ground. */
void pf_frames_used(const PfModel *model, bool *used)
{
  for (int i = 0; i < model->body_count; i++)
    for (int f = model->bodies[i].frame; f && !used[f]; f = model->frames[f].parent) used[f] = true;
}

/* Is the body round about the axis i of its frame? */
static bool is_round(const PfModel *model, const PfBody *body, int i)
{
  PfExpr zero = pf_expr_int(model->ctx, 0);
  int j = (i + 1)%3, k = (i + 2)%3;
  bool round = body->com[j] == zero && body->com[k] == zero && body->inertia[4*j] == body->inertia[4*k];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) round = round && (r == c || body->inertia[3*r + c] == zero);
  return round;
}

/* Frames whose own turn does not matter. */
void pf_frames_round(const PfModel *model, const bool *used, bool *round)
{
  PfExpr zero = pf_expr_int(model->ctx, 0);
  for (int f = 1; f < model->frame_count; f++) {
    const PfExpr *axis = model->frames[f].axis;
    round[f] = model->frames[f].angle != PF_EXPR_NONE && used[f];
    for (int k = 0; k < 3; k++) round[f] = round[f] && (axis[k] == zero || pf_expr_is_int(model->ctx, axis[k], 1));
  }
  for (int f = 1; f < model->frame_count; f++)
    if (used[f]) round[model->frames[f].parent] = false;
  for (int b = 0; b < model->body_count; b++) {
    int f = model->bodies[b].frame, i = 0;
    while (i < 2 && model->frames[f].axis[i] == zero) i++;
    if (!is_round(model, model->bodies + b, i)) round[f] = false;
  }
  for (int f = 1; f < model->frame_count; f++)
    if (model->frames[f].round) round[f] = true;
}
