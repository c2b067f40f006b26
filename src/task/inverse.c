/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff eval --inverse "theta''=1, x''=0" --actuators u1,u2 */
#include "task/eval.h"

#include <string.h>

/* ---------------------------------------------------------------- reading */

static int count_pieces(const char *list)
{
  int count = 1;
  for (; *list; list++) count += *list == ',';
  return count;
}

/* The next piece between commas, without the blanks around it; NULL at the end or without memory. */
static char *next_piece(PfArena *arena, const char **at)
{
  *at += strspn(*at, ", \t");
  size_t length = strcspn(*at, ","), kept = length;
  while (kept && (*at)[kept - 1] == ' ') kept--;
  char *piece = kept ? pf_arena_text(arena, *at, kept) : NULL;
  *at += length;
  return piece;
}

/* "theta''=1" */
static PfStatus read_wanted(Session *s, char *piece, Inverse *inverse)
{
  char *equals = strchr(piece, '='), *end = equals;
  while (end && end > piece && end[-1] == ' ') end--;
  if (!end || end - piece < 3 || end[-1] != '\'' || end[-2] != '\'')
    return pf_fail(s->ctx, PF_ERR_ARGUMENT, "@inverse takes accelerations, as in \"x''=1, y''=0\", not '%s'", piece);
  *end = 0;
  int at = inverse->wanted_count;
  const char *unit = pf_model_measure(s->model, piece).unit;
  end[-2] = 0;
  int i = inverse->wanted[at] = pf_model_find_coordinate(s->model, piece);
  if (i < 0) {
    const char *nearest = NULL;
    int best = 0;
    for (int j = 0; j < s->model->coordinate_count; j++)
      if (pf_name_is_nearer(piece, s->model->coordinates[j].name, &best)) nearest = s->model->coordinates[j].name;
    pf_fail(s->ctx, PF_ERR_NAME, "@inverse: there is no coordinate '%s'", piece);
    if (nearest) pf_hint(s->ctx, "did you mean '%s'?", nearest);
    return PF_ERR_ARGUMENT;
  }
  for (int j = 0; j < at; j++)
    if (inverse->wanted[j] == i) return pf_fail(s->ctx, PF_ERR_ARGUMENT, "@inverse: '%s' is given twice", piece);
  inverse->wanted_count++;
  return pf_constant_read_for(s->ctx, "inverse", equals + 1, unit, inverse->target + at);
}

/* Those that are named, or all inputs. */
static PfStatus read_actuators(Session *s, const char *list, Inverse *inverse)
{
  const PfModel *model = s->model;
  int most = list ? count_pieces(list) : model->input_count;
  inverse->names = pf_arena_array(s->arena, const char *, most);
  if (!inverse->names) return pf_no_room(s->ctx, "the inverse dynamics");
  for (const char *name; list && (name = next_piece(s->arena, &list));) inverse->names[inverse->count++] = name;
  for (int i = 0; !inverse->count && i < model->input_count; i++) inverse->names[i] = model->inputs[i].name;
  if (!inverse->count) inverse->count = model->input_count;
  if (inverse->count) return PF_OK;
  pf_fail(s->ctx, PF_ERR_ARGUMENT, "@inverse: nothing pushes, for the model has no inputs");
  pf_hint(s->ctx, "name coordinates that forces act on: @actuators{%s}",
          model->coordinate_count ? model->coordinates[0].name : "x");
  return PF_ERR_ARGUMENT;
}

/* ---------------------------------------------------------------- solving */

/* Reference size: smaller numbers are rounding errors relative to it. */
static double size_of(const PfModel *model, const Inverse *inverse)
{
  return 1 + pf_largest(inverse->answer->acceleration, model->coordinate_count);
}

static double residual(const PfModel *model, const Inverse *inverse, int i)
{
  return pf_without_noise(inverse->answer->residual[i], size_of(model, inverse));
}

PfStatus pf_task_inverse(Session *s, const PfRequest *options, const PfSystem *system, const double *values,
                        Inverse *inverse)
{
  int row;
  /* The wanted accelerations and the actuators. */
  int most = count_pieces(options->inverse);
  PF_TRY(pf_arrays(s->ctx, s->arena, "the inverse dynamics", PF_ROOM(inverse->wanted, most),
                   PF_ROOM(inverse->target, most)));
  const char *at = options->inverse;
  for (char *piece; (piece = next_piece(s->arena, &at));) PF_TRY(read_wanted(s, piece, inverse));
  if (!inverse->wanted_count) return pf_fail(s->ctx, PF_ERR_ARGUMENT, "@inverse: no acceleration is wanted");
  PF_TRY(read_actuators(s, options->actuators, inverse));
  PfStatus status = pf_inverse_new(s->ctx, &s->equations, inverse->names, inverse->count, inverse->wanted,
                                   inverse->wanted_count, &inverse->solver);
  if (status != PF_OK) return status == PF_ERR_NAME ? PF_ERR_ARGUMENT : status;
  PfTrouble trouble = pf_inverse_solve(inverse->solver, values, inverse->target, &inverse->answer, &row);
  PF_TRY(pf_trouble_report_at(s->ctx, system, values, trouble, row));
  /* Accelerations that these actuators cannot give. */
  const PfActuation *answer = inverse->answer;
  for (int i = 0; i < inverse->wanted_count && !answer->met; i++) {
    const PfCoordinate *c = s->model->coordinates + inverse->wanted[i];
    double scale = pf_model_measure(s->model, c->name).scale;
    double reached = pf_without_noise(answer->acceleration[inverse->wanted[i]], size_of(s->model, inverse));
    if (residual(s->model, inverse, i) == 0) continue;
    pf_warn_at(s->ctx, (PfPlace){0}, "these actuators do not give %s'' = %g: it is %g", c->name,
               inverse->target[i]/scale, reached/scale);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the result */

/* Inputs in their units, forces on coordinates in SI. */
static PfMeasure measure(const PfModel *model, const char *name)
{
  PfMeasure si = {"", 1};
  return pf_model_find_coordinate(model, name) >= 0 ? si : pf_model_measure(model, name);
}

void pf_inverse_report(const PfModel *model, const Inverse *inverse, PfReport *report)
{
  if (!inverse->answer) return;
  const PfActuation *answer = inverse->answer;
  double most = pf_largest(answer->force, inverse->count);
  pf_report_print(report, "\n  %-14s %22s\n", "actuator", "force");
  pf_report_open(report, "actuators");
  for (int j = 0; j < inverse->count; j++) {
    PfMeasure own = measure(model, inverse->names[j]);
    double force = pf_without_noise(answer->force[j], most)/own.scale;
    pf_report_number(report, inverse->names[j], force);
    pf_report_print(report, "  %-14s %22.15g%s%s%s\n", inverse->names[j], force, own.unit[0] ? " " : "", own.unit,
                    answer->determined[j] ? "" : ", not determined: the least of all that would do");
  }
  pf_report_close(report);
  pf_report_open(report, "undetermined");
  for (int j = 0; j < inverse->count; j++)
    if (!answer->determined[j]) pf_report_string(report, NULL, inverse->names[j]);
  pf_report_close(report);
  pf_report_open(report, "missed");
  for (int i = 0; i < inverse->wanted_count; i++) {
    const char *name = model->coordinates[inverse->wanted[i]].name;
    pf_report_number(report, name, residual(model, inverse, i)/pf_model_measure(model, name).scale);
  }
  pf_report_close(report);
}
