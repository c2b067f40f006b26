/* What a row of a trajectory holds: its columns, their units, their values at a sample. */
#include "cli/trajectory.h"

#include <string.h>

static PfStatus no_room(Session *s)
{
  return pf_fail(s->ctx, PF_ERR_MEMORY, "no memory for the trajectory");
}

/* ---------------------------------------------------------------- columns */

static const char *primed(Session *s, const char *name, const char *primes)
{
  size_t length = strlen(name) + 4;
  char *text = pf_arena_alloc(s->arena, length, 1);
  if (text) snprintf(text, length, "%s%s", name, primes);
  return text ? text : "?";
}

static void add_column(Trajectory *t, const char *name, PfMeasure measure)
{
  t->names[t->count] = name;
  t->units[t->count] = measure.unit;
  t->scale[t->count++] = measure.scale;
}

static const PfMeasure in_si = {"", 1};

static bool has_column(const Trajectory *t, const char *name)
{
  for (int i = 0; i < t->count; i++)
    if (!strcmp(t->names[i], name)) return true;
  return false;
}

/* How many quantities a plot shows, with that on its horizontal axis. */
static int quantities(const PfPlot *plot)
{
  return plot->count + (plot->against != PF_EXPR_NONE);
}

/* Quasi-velocities, and what is plotted and has no column of its own yet. */
static PfStatus add_outputs(Trajectory *t)
{
  Session *s = t->s;
  const PfModel *model = s->model;
  int most = 3*model->ball_count;
  for (int i = 0; i < model->plot_count; i++) most += quantities(model->plots + i);
  PfExpr *roots = pf_arena_array(s->arena, PfExpr, most);
  if (!roots) return no_room(s);
  for (int i = 0; i < model->ball_count; i++)
    for (int k = 0; k < 3; k++) {
      roots[t->output_count++] = model->balls[i].spin[k];
      add_column(t, model->balls[i].spin_name[k], pf_model_measure(model, model->balls[i].spin_name[k]));
    }
  for (int i = 0; i < model->plot_count; i++)
    for (int k = 0; k < quantities(model->plots + i); k++) {
      const PfPlot *plot = model->plots + i;
      if (has_column(t, plot->labels[k])) continue;
      roots[t->output_count++] = plot->values[k];
      add_column(t, plot->labels[k], pf_plot_measure(model, plot, k));
    }
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value)
      PF_TRY(pf_expr_substitute(s->ctx, roots, t->output_count, &model->inputs[i].symbol, &model->inputs[i].value, 1, roots));
  const PfSymbols *in = pf_system_symbols(t->system);
  if (!t->output_count) return PF_OK;
  PF_TRY(pf_tape_new(s->ctx, in->symbol, in->count, roots, t->output_count, &t->outputs));
  t->outputs_work = pf_arena_array(s->arena, double, pf_tape_work_size(t->outputs));
  t->output_values = pf_arena_array(s->arena, double, t->output_count);
  return t->outputs_work && t->output_values ? PF_OK : no_room(s);
}

PfStatus pf_trajectory_make(Trajectory *t, Session *s, const PfSystem *system, const double *values)
{
  const PfModel *model = s->model;
  const PfSymbols *in = pf_system_symbols(system);
  size_t n = (size_t)s->equations.n, m = (size_t)s->equations.m, most = 8 + 3*n + m + 3*(size_t)model->ball_count;
  *t = (Trajectory){.s = s, .system = system};
  for (int i = 0; i < model->plot_count; i++) most += (size_t)quantities(model->plots + i);
  t->names = pf_arena_array(s->arena, const char *, most);
  t->units = pf_arena_array(s->arena, const char *, most);
  t->scale = pf_arena_array(s->arena, double, most);
  t->row = pf_arena_array(s->arena, double, most);
  t->values = pf_arena_array(s->arena, double, in->count);
  if (!t->names || !t->units || !t->scale || !t->row || !t->values) return no_room(s);
  memcpy(t->values, values, (size_t)in->count*sizeof *values);
  add_column(t, "t", pf_model_measure(model, "t"));
  static const char *const primes[] = {"", "'", "''"};
  for (int level = 0; level < 3; level++)
    for (size_t i = 0; i < n; i++) {
      const char *name = primed(s, model->coordinates[i].name, primes[level]);
      add_column(t, name, pf_model_measure(model, name));
    }
  for (size_t k = 0; k < m; k++)
    if (!model->constraints[k].norm) add_column(t, pf_expr_symbol_name(s->ctx, model->constraints[k].multiplier), in_si);
  PF_TRY(add_outputs(t));
  add_column(t, "kinetic", in_si);
  add_column(t, "potential", in_si);
  add_column(t, "violation_position", in_si);
  add_column(t, "violation_velocity", in_si);
  return PF_OK;
}

void pf_trajectory_free(Trajectory *t)
{
  pf_tape_free(t->outputs);
  pf_record_drop(&t->record);
}

/* ---------------------------------------------------------------- rows */

static void fill_row(Trajectory *t, const PfSample *sample)
{
  const PfSymbols *in = pf_system_symbols(t->system);
  size_t n = (size_t)t->s->equations.n, m = (size_t)t->s->equations.m;
  double *x = t->row;
  *x++ = sample->t;
  memcpy(x, sample->q, n*sizeof *x), x += n;
  memcpy(x, sample->v, n*sizeof *x), x += n;
  memcpy(x, sample->a, n*sizeof *x), x += n;
  for (size_t k = 0; k < m; k++)
    if (!t->s->model->constraints[k].norm) *x++ = sample->multiplier[k];
  if (t->outputs) {
    t->values[in->time] = sample->t;
    memcpy(t->values + in->q, sample->q, n*sizeof *x);
    memcpy(t->values + in->v, sample->v, n*sizeof *x);
    if (m) memcpy(t->values + in->lambda, sample->multiplier, m*sizeof *x);
    pf_tape_run(t->outputs, t->values, t->output_values, t->outputs_work);
    memcpy(x, t->output_values, (size_t)t->output_count*sizeof *x), x += t->output_count;
  }
  *x++ = sample->kinetic;
  *x++ = sample->potential;
  *x++ = sample->position;
  *x = sample->velocity;
  for (int i = 0; i < t->count; i++)
    if (t->scale[i] != 1) t->row[i] /= t->scale[i];
}

PfStatus pf_trajectory_open(Trajectory *t, const char *path)
{
  return pf_record_begin(&t->record, t->s->ctx, path, &(PfRecordHead){t->count, t->names, t->units});
}

PfStatus pf_trajectory_add(Trajectory *t, const PfSample *sample)
{
  fill_row(t, sample);
  t->rows++;
  return pf_record_add(&t->record, t->row);
}
