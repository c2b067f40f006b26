/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of the recursion, body by body. */
#include "task/eval.h"

#include <string.h>

/* A matrix or vector of the operators: its name, its place and its size. In the text numbers that are rounding relative
 * to `scale` are left out. */
typedef struct Part {
  const char *name;
  const double *x;
  int rows, columns;
  bool list; /* of numbers, also of one */
  double scale;
} Part;

static const char *name_of(const PfTreeBody *body)
{
  return body->name && *body->name ? body->name : "(no mass)";
}

#define MATRIX(name, meaning) \
  {.key = name, .type = PF_TYPE_NUMBERS, .about = PF_ABOUT(meaning), .layout = PF_VECTOR_OR_MATRIX}

const PfField pf_spatial_fields[] = {
  PF_FIELD_OR_NULL("body", STRING, "its name; null: a frame without mass"),
  PF_FIELD("parent", INTEGER, "number of the body before it; -1: the ground"),
  PF_FIELD("joint", STRING, "the kind of its joint"),
  PF_FIELD_LIST("given", INTEGER, "columns of H, from 0, whose accelerations are given, not the forces"),
  MATRIX("C", "direction cosines, inertial to body axes"), MATRIX("Phi", "transfer from the parent"),
  MATRIX("H", "axes of the joint"), MATRIX("B", "rates of its coordinates from those of the joint"),
  MATRIX("M", "spatial inertia"), MATRIX("b", "bias force"), MATRIX("a", "bias acceleration"),
  MATRIX("P", "articulated inertia"), MATRIX("z", "articulated bias force"), MATRIX("D", "inertia of the joint"),
  MATRIX("G", "Kalman gain"), MATRIX("tau_bar", "1 - G H^T, over the columns of H that are not given"),
  MATRIX("P_plus", "tau_bar P: articulated inertia after the joint is eliminated"),
  MATRIX("K", "Phi^T G"), MATRIX("Psi", "Phi^T tau_bar"), MATRIX("eps", "T - H^T z"), MATRIX("nu", "D^-1 eps"),
  MATRIX("beta", "rates of the joint"), MATRIX("betadot", "their accelerations"),
  MATRIX("T", "forces of the joint, H^T f: drives, springs and dampers"),
  MATRIX("V", "spatial velocity"), MATRIX("Vdot", "spatial acceleration"), MATRIX("f", "force of the joint"),
  {0}};

PfStatus pf_spatial_axes(PfContext *ctx, const PfRequest *options, PfAxes *axes)
{
  const char *summary, *known;
  *axes = PF_AXES_INERTIAL;
  for (int i = 0; options->axes; i++) {
    if (!(known = pf_axes_value(i, &summary))) {
      pf_fail(ctx, PF_ERR_ARGUMENT, "@axes: there are no axes '%s'", options->axes);
      pf_hint(ctx, "they are inertial or body");
      return PF_ERR_ARGUMENT;
    }
    *axes = (PfAxes)i;
    if (!strcmp(known, options->axes)) break;
  }
  return PF_OK;
}

/* A vector of one element stays a matrix where its size is that of a joint, so that D and H have one form. */
static void report_part(const Part *part, PfReport *report)
{
  const int count = part->rows*part->columns;
  if (part->list || (part->columns == 1 && part->rows != 1)) pf_report_numbers(report, part->name, part->x, part->rows);
  else pf_report_matrix(report, part->name, part->x, part->rows, part->columns);
  if (count == 0) return;
  bool vector = part->columns == 1; /* lies */
  int lines = vector ? 1 : part->rows, width = vector ? part->rows : part->columns;
  for (int i = 0; i < lines; i++) {
    pf_report_print(report, "    %-7s", i ? "" : part->name);
    for (int j = 0; j < width; j++)
      pf_report_print(report, " %13.6g", pf_without_noise(part->x[i*width + j], part->scale) + 0.0); /* no -0 */
    pf_report_print(report, "\n");
  }
}

/* Names of the constraints that are inside the recursion, or of those that are not. */
static void report_constraints(const PfModel *model, const bool *inside, bool which, PfReport *report)
{
  bool any = false;
  pf_report_open(report, which ? "inside" : "on_top");
  for (int k = 0; k < model->constraint_count; k++) {
    if (model->constraints[k].norm || inside[k] != which) continue;
    if (!any) pf_report_print(report, which ? "\n  inside the recursion: " : "\n  on top of the recursion: ");
    else pf_report_print(report, ", ");
    pf_report_string(report, NULL, model->constraints[k].name);
    pf_report_print(report, "%s", model->constraints[k].name);
    any = true;
  }
  if (any) pf_report_print(report, "\n");
  pf_report_close(report);
}

/* The columns of H that are given; in words, how many. */
static void report_given(const PfTreeOperators *o, PfReport *report)
{
  const int given = o->nv - o->free_count;
  pf_report_open(report, "given");
  for (int i = 0, next = 0; i < o->nv; i++) {
    if (next < o->free_count && o->free[next] == i) next++;
    else pf_report_integer(report, NULL, i);
  }
  pf_report_close(report);
  if (given && o->nv == given) pf_report_print(report, ", given");
  else if (given) pf_report_print(report, ", %d of %d rates given", given, o->nv);
}

void pf_spatial_report(const PfModel *model, const PfSpatial *spatial, PfAxes axes, PfReport *report)
{
  const char *summary;
  if (!spatial->count) return;
  pf_report_string(report, "axes", pf_axes_value((int)axes, &summary));
  report_constraints(model, spatial->inside, true, report);
  report_constraints(model, spatial->inside, false, report);
  pf_report_open(report, "spatial");
  for (int k = 0; k < spatial->count; k++) {
    const PfTreeBody *body = spatial->body + k;
    pf_report_open(report, NULL);
    pf_report_string(report, "body", body->name && *body->name ? body->name : NULL);
    pf_report_integer(report, "parent", body->parent);
    pf_report_string(report, "joint", pf_joint_name(body->joint));
    pf_report_print(report, "\n  body %d  %s, %s on ", k, name_of(body), pf_joint_name(body->joint));
    if (body->parent < 0) pf_report_print(report, "ground");
    else pf_report_print(report, "body %d", body->parent);
    const PfTreeOperators *o = spatial->at + k;
    const int nv = o->nv, nf = o->free_count;
    report_given(o, report);
    pf_report_print(report, "\n");
    const double inertia = pf_largest(o->P, 36), force = pf_largest(o->z, 6);
    const Part part[] = {
      {"C", o->C, 3, 3, false, 1}, {"Phi", o->Phi, 6, 6, false, 0}, {"H", o->H, 6, nv, false, 1},
      {"B", o->B, o->nq, nv, false, 1}, {"M", o->M, 6, 6, false, 0}, {"b", o->b, 6, 1, false, 0},
      {"a", o->a, 6, 1, false, 0}, {"P", o->P, 6, 6, false, inertia}, {"z", o->z, 6, 1, false, force},
      {"D", o->D, nf, nf, false, 0}, {"G", o->G, 6, nf, false, 1}, {"tau_bar", o->taubar, 6, 6, false, 1},
      {"P_plus", o->Pplus, 6, 6, false, inertia}, {"K", o->K, 6, nf, false, 1}, {"Psi", o->Psi, 6, 6, false, 1},
      {"eps", o->eps, nf, 1, true, force}, {"nu", o->nu, nf, 1, true, 0}, {"beta", o->beta, nv, 1, true, 0},
      {"betadot", o->betadot, nv, 1, true, 0}, {"T", o->T, nv, 1, true, force}, {"V", o->V, 6, 1, false, 0},
      {"Vdot", o->Vdot, 6, 1, false, 0}, {"f", o->f, 6, 1, false, force}};
    for (size_t i = 0; i < sizeof part/sizeof *part; i++) report_part(part + i, report);
    pf_report_close(report);
  }
  pf_report_close(report);
}
