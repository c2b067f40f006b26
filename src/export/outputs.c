/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of a model: what it plots, or its coordinates when it plots nothing.
 *
 * Two labels may give the same identifier: the second one gets a number (names.c). */
#include "export/export_impl.h"

#include <string.h>

typedef struct Outputs {
  PfExport *x;
  PfNames *names;
  int room;
} Outputs;

/* The same quantity in two plots is one output; two names for the same numbers stay two. */
static bool is_listed(const PfExport *x, const char *label, PfExpr e)
{
  for (int i = 0; i < x->outputs.count; i++)
    if (x->output[i] == e && !strcmp(x->outputs.at[i].name, label)) return true;
  return false;
}

/* Those of a run alone, as the largest violation so far, belong to no state. */
static PfStatus is_of_state(const PfExport *x, PfExpr e, bool *is)
{
  PfExpr *nodes;
  int count;
  PF_TRY(pf_expr_reach(x->ctx, x->arena, &e, 1, &nodes, &count));
  *is = true;
  for (int i = 0; i < count; i++) {
    if (pf_expr_op(x->ctx, nodes[i]) != PF_OP_SYMBOL) continue;
    const char *name = pf_expr_symbol_name(x->ctx, nodes[i]);
    if (!strncmp(name, "violation_", 10) && strchr(name, '(')) *is = false;
  }
  return PF_OK;
}

/* An output that belongs to a run is counted in x->left_out; one that is listed already is passed over. */
static PfStatus add(Outputs *o, const char *label, PfMeasure measure, PfExpr e)
{
  PfExport *x = o->x;
  bool is;
  PF_TRY(pf_equations_express(x->ctx, x->arena, x->plain, &e, 1));
  PF_TRY(is_of_state(x, e, &is));
  if (!is) x->left_out++;
  if (!is || is_listed(x, label, e) || x->outputs.count == o->room) return PF_OK;
  PfNamed *named = x->outputs.at + x->outputs.count;
  *named = (PfNamed){.name = label, .measure = measure};
  x->output[x->outputs.count++] = e;
  return pf_names_take(o->names, label, &named->id);
}

/* The horizontal axis counts unless it is time. */
static PfStatus add_plot(Outputs *o, const PfPlot *plot)
{
  bool against = plot->against != PF_EXPR_NONE && plot->against != o->x->model->time;
  for (int k = 0; k < plot->count; k++) PF_TRY(add(o, plot->labels[k], pf_plot_measure(plot, k), plot->values[k]));
  if (!against) return PF_OK;
  return add(o, plot->against_label, pf_plot_measure(plot, plot->count), plot->against);
}

/* All expressions of `plot`, each once, then, where there are none, the coordinates. */
PfStatus pf_export_outputs(PfExport *x, PfNames *names)
{
  const PfModel *model = x->model;
  Outputs o = {.x = x, .names = names, .room = model->coordinate_count};
  for (int i = 0; i < model->plot_count; i++) o.room += model->plots[i].count + 1;
  PF_TRY(pf_arrays(x->ctx, x->arena, "the export", PF_ROOM(x->outputs.at, o.room), PF_ROOM(x->output, o.room)));
  for (int i = 0; i < model->plot_count; i++) PF_TRY(add_plot(&o, model->plots + i));
  bool plots = x->outputs.count > 0;
  for (int k = 0; !plots && k < model->coordinate_count; k++) {
    const PfCoordinate *c = model->coordinates + k;
    PF_TRY(add(&o, c->name, pf_coordinate_measure(c, 0), c->q));
  }
  return PF_OK;
}
