/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of the recursion, body by body. */
#include "cli/spatial.h"

/* A matrix or vector of the operators: its name, its place and its size. */
typedef struct Part {
  const char *name;
  const double *x;
  int rows, columns;
} Part;

enum { PARTS = 12 };

static void list_parts(const PfTreeOperators *o, Part part[PARTS])
{
  const Part all[PARTS] = {
    {"Phi", o->Phi, 6, 6}, {"H", o->H, 6, o->nv}, {"M", o->M, 6, 6}, {"b", o->b, 6, 1}, {"a", o->a, 6, 1},
    {"P", o->P, 6, 6}, {"z", o->z, 6, 1}, {"D", o->D, o->free_count, o->free_count}, {"G", o->G, 6, o->free_count},
    {"V", o->V, 6, 1}, {"Vdot", o->Vdot, 6, 1}, {"f", o->f, 6, 1}};
  for (int k = 0; k < PARTS; k++) part[k] = all[k];
}

static const char *name_of(const PfTreeBody *body)
{
  return body->name && *body->name ? body->name : "(no mass)";
}

/* ---------------------------------------------------------------- text */

static void text_part(const Part *part, PfText *text)
{
  if (part->rows*part->columns == 0) return;
  bool vector = part->columns == 1; /* lies */
  int lines = vector ? 1 : part->rows, width = vector ? part->rows : part->columns;
  for (int i = 0; i < lines; i++) {
    pf_text_print(text, "    %-4s", i ? "" : part->name);
    for (int j = 0; j < width; j++) pf_text_print(text, " %13.6g", part->x[i*width + j] + 0.0); /* no -0 */
    pf_text_add(text, "\n");
  }
}

void pf_spatial_text(const PfSpatial *spatial, PfText *text)
{
  for (int k = 0; k < spatial->count; k++) {
    const PfTreeBody *body = spatial->body + k;
    Part part[PARTS];
    pf_text_print(text, "\n  body %d  %s, %s on ", k, name_of(body), pf_joint_name(body->joint));
    if (body->parent < 0) pf_text_add(text, "ground\n");
    else pf_text_print(text, "body %d\n", body->parent);
    list_parts(spatial->at + k, part);
    for (int i = 0; i < PARTS; i++) text_part(part + i, text);
  }
}

/* ---------------------------------------------------------------- JSON */

static void json_part(const Part *part, PfJson *json)
{
  pf_json_open(json, part->name, '[');
  for (int i = 0; i < part->rows; i++) {
    if (part->columns != 1 || part->rows == 1) pf_json_open(json, NULL, '[');
    for (int j = 0; j < part->columns; j++) pf_json_number(json, NULL, part->x[i*part->columns + j] + 0.0);
    if (part->columns != 1 || part->rows == 1) pf_json_close(json, ']');
  }
  pf_json_close(json, ']');
}

void pf_spatial_json(const PfSpatial *spatial, PfJson *json)
{
  pf_json_open(json, "spatial", '[');
  for (int k = 0; k < spatial->count; k++) {
    const PfTreeBody *body = spatial->body + k;
    Part part[PARTS];
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "body", body->name && *body->name ? body->name : NULL);
    pf_json_integer(json, "parent", body->parent);
    pf_json_string(json, "joint", pf_joint_name(body->joint));
    list_parts(spatial->at + k, part);
    for (int i = 0; i < PARTS; i++) json_part(part + i, json);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}
