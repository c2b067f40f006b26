/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of the recursion, body by body. */
#include "task/eval.h"

/* A matrix or vector of the operators: its name, its place and its size. */
typedef struct Part {
  const char *name;
  const double *x;
  int rows, columns;
} Part;

enum { PARTS = 12 };

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
  MATRIX("Phi", "transfer from the parent"), MATRIX("H", "axes of the joint"), MATRIX("M", "spatial inertia"),
  MATRIX("b", "bias force"), MATRIX("a", "bias acceleration"), MATRIX("P", "articulated inertia"),
  MATRIX("z", "articulated bias force"), MATRIX("D", "inertia of the joint"), MATRIX("G", "Kalman gain"),
  MATRIX("V", "spatial velocity"), MATRIX("Vdot", "spatial acceleration"), MATRIX("f", "force of the joint"),
  {0}};

/* A vector of one element stays a matrix, so that a joint's D and H have one form. */
static void report_part(const Part *part, PfReport *report)
{
  if (part->columns == 1 && part->rows != 1) pf_report_numbers(report, part->name, part->x, part->rows);
  else pf_report_matrix(report, part->name, part->x, part->rows, part->columns);
  if (part->rows*part->columns == 0) return;
  bool vector = part->columns == 1; /* lies */
  int lines = vector ? 1 : part->rows, width = vector ? part->rows : part->columns;
  for (int i = 0; i < lines; i++) {
    pf_report_print(report, "    %-4s", i ? "" : part->name);
    for (int j = 0; j < width; j++) pf_report_print(report, " %13.6g", part->x[i*width + j] + 0.0); /* no -0 */
    pf_report_print(report, "\n");
  }
}

void pf_spatial_report(const PfSpatial *spatial, PfReport *report)
{
  if (!spatial->count) return;
  pf_report_open(report, "spatial");
  for (int k = 0; k < spatial->count; k++) {
    const PfTreeBody *body = spatial->body + k;
    Part part[PARTS];
    pf_report_open(report, NULL);
    pf_report_string(report, "body", body->name && *body->name ? body->name : NULL);
    pf_report_integer(report, "parent", body->parent);
    pf_report_string(report, "joint", pf_joint_name(body->joint));
    pf_report_print(report, "\n  body %d  %s, %s on ", k, name_of(body), pf_joint_name(body->joint));
    if (body->parent < 0) pf_report_print(report, "ground\n");
    else pf_report_print(report, "body %d\n", body->parent);
    const PfTreeOperators *o = spatial->at + k;
    const Part all[PARTS] = {
      {"Phi", o->Phi, 6, 6}, {"H", o->H, 6, o->nv}, {"M", o->M, 6, 6}, {"b", o->b, 6, 1}, {"a", o->a, 6, 1},
      {"P", o->P, 6, 6}, {"z", o->z, 6, 1}, {"D", o->D, o->free_count, o->free_count}, {"G", o->G, 6, o->free_count},
      {"V", o->V, 6, 1}, {"Vdot", o->Vdot, 6, 1}, {"f", o->f, 6, 1}};
    for (int j = 0; j < PARTS; j++) part[j] = all[j];
    for (int i = 0; i < PARTS; i++) report_part(part + i, report);
    pf_report_close(report);
  }
  pf_report_close(report);
}
