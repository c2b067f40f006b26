/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a trajectory: columns, their units, their values at a sample. */
#include "task/trajectory.h"
#include "sim/quantities.h"

#include <string.h>

/* ---------------------------------------------------------------- columns */

static const char *primed(Session *s, const char *name, const char *primes)
{
  size_t length = strlen(name) + 4;
  char *text = pf_arena_alloc(s->arena, length, 1);
  if (text) snprintf(text, length, "%s%s", name, primes);
  return text ? text : "?";
}

static void append(Trajectory *t, const char *name, PfMeasure measure, PfExpr value)
{
  t->names[t->count] = name;
  t->units[t->count] = measure.unit;
  t->exprs[t->count] = value;
  t->scale[t->count++] = measure.scale;
}

/* The same quantity has one column; another one of the same name is written out. */
static void add_column(Trajectory *t, const char *name, PfMeasure measure, PfExpr value)
{
  bool taken = false;
  for (int i = 0; i < t->count; i++) {
    bool same = !strcmp(t->names[i], name);
    if (same && t->exprs[i] == value && !strcmp(t->units[i], measure.unit)) return;
    taken = taken || (same && t->exprs[i] != value);
  }
  const char *written = taken ? pf_expr_print(t->s->ctx, t->s->arena, value, PF_TEXT) : name;
  append(t, written ? written : name, measure, value);
}

static const PfMeasure in_si = {"", 1}, joule = {"J", 1};

static void add_known(Trajectory *t, const char *name, const char *symbol, PfMeasure measure)
{
  add_column(t, name, measure, pf_expr_symbol(t->s->ctx, symbol));
}

/* How many quantities a plot shows, with that on its horizontal axis. */
static int quantities(const PfPlot *plot)
{
  return plot->count + (plot->against != PF_EXPR_NONE);
}

static void add_shown(Trajectory *t, const PfPlot *plots, int count)
{
  for (int i = 0; i < count; i++)
    for (int k = 0; k < quantities(plots + i); k++)
      add_column(t, plots[i].labels[k], pf_plot_measure(plots + i, k), plots[i].values[k]);
}

/* Coordinates, velocities, accelerations, multipliers, quasi-velocities, what the model plots, energies, violations. */
static void add_standard(Trajectory *t)
{
  Session *s = t->s;
  const PfModel *model = s->model;
  static const char *const primes[] = {"", "'", "''"};
  for (int level = 0; level < 3; level++)
    for (int i = 0; i < model->coordinate_count; i++) {
      const PfCoordinate *c = model->coordinates + i;
      append(t, primed(s, c->name, primes[level]), pf_coordinate_measure(c, level),
             level == 0 ? c->q : level == 1 ? c->v : c->a); /* names of coordinates differ */
    }
  for (int k = 0; k < model->constraint_count; k++) {
    PfExpr multiplier = model->constraints[k].multiplier;
    PfMeasure force = {model->constraints[k].unit, 1};
    if (!model->constraints[k].norm) add_column(t, pf_expr_symbol_name(s->ctx, multiplier), force, multiplier);
  }
  for (int i = 0; i < 3*model->ball_count; i++) {
    const PfBall *ball = model->balls + i/3;
    add_column(t, ball->spin_name[i%3], pf_model_measure(model, ball->spin_name[i%3]), ball->spin[i%3]);
  }
  add_shown(t, model->plots, model->plot_count);
  add_known(t, "kinetic", "kinetic()", joule);
  add_known(t, "potential", "potential()", joule);
  add_known(t, "violation_position", "violation_position()", in_si);
  add_known(t, "violation_velocity", "violation_velocity()", in_si);
}

static PfStatus read_wanted(Trajectory *t, const Wanted *wanted)
{
  Session *s = t->s;
  PfPlot *list;
  int count;
  t->plots = s->model->plots, t->plot_count = s->model->plot_count;
  if (wanted->against) {
    PF_TRY(pf_quantities_find(s->ctx, s->arena, s->model, "against", wanted->against, &list, &count));
    if (count != 1 || list->count != 1)
      return pf_fail(s->ctx, PF_ERR_ARGUMENT, "@against{%s}: one quantity is needed", wanted->against);
    t->against = list;
  }
  if (!wanted->show) return PF_OK;
  PF_TRY(pf_quantities_find(s->ctx, s->arena, s->model, "show", wanted->show, &list, &count));
  t->plots = list, t->plot_count = count;
  return PF_OK;
}

PfStatus pf_trajectory_make(Trajectory *t, Motion *motion, const Wanted *wanted)
{
  Session *s = &motion->complete;
  *t = (Trajectory){.s = s};
  PF_TRY(read_wanted(t, wanted));
  const PfModel *model = t->s->model;
  size_t most = 9 + 3*((size_t)model->coordinate_count + (size_t)model->ball_count) + (size_t)model->constraint_count;
  for (int i = 0; i < model->plot_count; i++) most += (size_t)quantities(model->plots + i);
  for (int i = 0; i < t->plot_count; i++) most += (size_t)quantities(t->plots + i);
  PF_TRY(pf_arrays(s->ctx, s->arena, "the trajectory", PF_ROOM(t->names, most), PF_ROOM(t->units, most),
                   PF_ROOM(t->scale, most), PF_ROOM(t->exprs, most), PF_ROOM(t->row, most)));
  add_column(t, "t", pf_model_measure(s->model, "t"), s->model->time);
  if (!wanted->show || wanted->added) add_standard(t);
  if (wanted->show) add_shown(t, t->plots, t->plot_count);
  if (t->against) add_shown(t, t->against, 1);
  return pf_readings_new(s->ctx, pf_sim_complete_system(motion->sim), pf_sim_complete_values(motion->sim), t->exprs,
                         t->count, &t->readings);
}

int pf_trajectory_find(const Trajectory *t, const PfPlot *list, int k)
{
  PfMeasure measure = pf_plot_measure(list, k);
  int found = 0;
  for (int i = t->count; i-- > 0;) { /* its name may have been taken by another quantity */
    if (t->exprs[i] != list->values[k] || strcmp(t->units[i], measure.unit) != 0) continue;
    found = i;
    if (!strcmp(t->names[i], list->labels[k])) return i;
  }
  return found;
}

void pf_trajectory_free(Trajectory *t)
{
  pf_readings_free(t->readings);
  pf_record_drop(&t->record);
}

/* ---------------------------------------------------------------- rows */

PfStatus pf_trajectory_open(Trajectory *t, const char *path)
{
  const PfRecordHead head = {.count = t->count, .names = t->names, .units = t->units};
  return pf_record_begin(&t->record, t->s->ctx, path, &head);
}

PfStatus pf_trajectory_add(Trajectory *t, const PfSample *sample)
{
  pf_readings_evaluate(t->readings, sample, t->row);
  for (int i = 0; i < t->count; i++)
    if (t->scale[i] != 1) t->row[i] /= t->scale[i];
  t->rows++;
  return pf_record_add(&t->record, t->row);
}
