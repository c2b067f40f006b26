/* SPDX-License-Identifier: Apache-2.0 */
/* A scene as a report for programs: shapes with sizes and colours, poses and points at every instant. */
#include "scene/paint_impl.h"
#include "scene/picture.h"
#include "scene/scene_impl.h"

#include <stdio.h>
#include <string.h>

static const PfField shape_fields[] = {
  PF_FIELD("kind", STRING, "'box', 'sphere', 'cylinder', 'wheel', 'spring' and so on"),
  PF_FIELD("role", STRING, "its meaning, as 'body', 'wheel' or 'spring'"),
  PF_FIELD("name", STRING, "name of the body or element"),
  PF_FIELD("color", STRING, "'#rrggbb'"),
  PF_FIELD_OPTIONAL("body", INTEGER, "number of the body that it belongs to"),
  PF_FIELD("size", NUMBERS, "lengths, radius or width in m, as the kind needs them; else 0"),
  PF_FIELD_OPTIONAL("pose", INTEGER, "number of the pose that moves it"),
  PF_FIELD_OPTIONAL("at", NUMBERS, "its place in the frame of the pose, in m"),
  PF_FIELD_OPTIONAL("turn", NUMBERS, "its rotation there, nine entries by rows"),
  {.key = "points", .type = PF_TYPE_LIST, .of = PF_TYPE_INTEGER, .optional = true,
   .about = PF_ABOUT("instead of a pose: numbers of the points that it is drawn at or between")},
  PF_FIELD_OPTIONAL("columns", INTEGER, "of a surface: columns of its grid"),
  PF_FIELD_OPTIONAL("rows", INTEGER, "rows of its grid"),
  PF_FIELD_OPTIONAL("heights", NUMBERS, "heights on the grid, row by row, in m"),
  {0}};

const PfField pf_scene_fields[] = {
  PF_FIELD_OPTIONAL("model", STRING, "name of the model, or of its file"),
  PF_FIELD("title", STRING, "title of the model"),
  PF_FIELD("size", NUMBER, "size of the whole, in m"),
  PF_FIELD("up", NUMBERS, "direction against gravity; z without gravity"),
  PF_FIELD("flat", BOOL, "everything moves in the plane z = const"),
  PF_FIELD("ground", BOOL, "a plane that stands still belongs to the picture"),
  PF_FIELD_OPTIONAL("ground_at", NUMBERS, "a point of that plane, in m"),
  PF_FIELD_OPTIONAL("ground_turn", NUMBERS, "its rotation, nine entries by rows"),
  PF_FIELD("poses", STRINGS, "names of the moving frames; the first is the ground"),
  PF_FIELD("points", STRINGS, "names of points, and of forces at contacts"),
  PF_FIELD("point_units", STRINGS, "'m' for a point, 'N' for a force"),
  PF_FIELD_RECORDS("shapes", shape_fields, "the shapes"),
  PF_FIELD("times", NUMBERS, "instants of the motion, in s"),
  {.key = "motion", .type = PF_TYPE_NUMBERS, .layout = PF_MATRIX, .nullable = true,
   .about = PF_ABOUT("a row for each instant: the numbers of all poses and points")},
  {.key = "diagnostics", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = pf_diagnostic_fields, .optional = true,
   .about = PF_ABOUT("errors, warnings and notes, in the order of the text")},
  {0}};

/* One shape with its fields. */
static void report_shape(const PfShape *s, PfReport *r)
{
  char color[8];
  snprintf(color, sizeof color, "#%06x", pf_shape_color(s) & 0xffffffu);
  pf_report_open(r, NULL);
  pf_report_string(r, "kind", pf_shape_kind_name(s->kind));
  pf_report_string(r, "role", pf_role_name(s->role));
  pf_report_string(r, "name", s->name);
  pf_report_string(r, "color", color);
  if (s->body >= 0) pf_report_integer(r, "body", s->body);
  pf_report_numbers(r, "size", s->size, 3);
  if (s->pose >= 0) {
    pf_report_integer(r, "pose", s->pose);
    pf_report_numbers(r, "at", s->at, 3);
    pf_report_numbers(r, "turn", s->turn, 9);
  } else {
    pf_report_open(r, "points");
    for (int k = 0; k < 2 && s->point[k] >= 0; k++) pf_report_integer(r, NULL, s->point[k]);
    pf_report_close(r);
  }
  if (s->heights) {
    pf_report_integer(r, "columns", s->columns);
    pf_report_integer(r, "rows", s->rows);
    pf_report_numbers(r, "heights", s->heights, s->columns*s->rows);
  }
  pf_report_close(r);
}

void pf_scene_report(const PfScene *scene, const double *times, const double *numbers, int count, PfReport *r)
{
  pf_report_string(r, "title", scene->title);
  pf_report_number(r, "size", scene->size);
  pf_report_numbers(r, "up", scene->up, 3);
  pf_report_bool(r, "flat", scene->flat);
  pf_report_bool(r, "ground", scene->ground);
  if (scene->ground) {
    pf_report_numbers(r, "ground_at", scene->ground_at, 3);
    pf_report_numbers(r, "ground_turn", scene->ground_turn, 9);
  }
  pf_report_strings(r, "poses", scene->poses, scene->pose_count);
  pf_report_strings(r, "points", scene->points, scene->point_count);
  pf_report_strings(r, "point_units", scene->point_units, scene->point_count);
  pf_report_open(r, "shapes");
  for (int i = 0; i < scene->shape_count; i++) report_shape(scene->shapes + i, r);
  pf_report_close(r);
  pf_report_numbers(r, "times", times, count);
  pf_report_matrix(r, "motion", numbers, count, pf_scene_size(scene));
}

PfStatus pf_scene_json(PfScene *scene, const double *times, const double *numbers, int count, const char **text)
{
  PfContext *ctx = scene->parts->places.ctx;
  PfText *kept = &scene->parts->json;
  PfReport *report;
  PF_TRY(pf_report_new(ctx, pf_scene_fields, &report));
  pf_scene_report(scene, times, numbers, count, report);
  const char *json = pf_report_check(report) == PF_OK ? pf_report_json(report) : NULL;
  pf_text_free(kept);
  pf_text_init(kept, pf_context_allocator(ctx));
  if (json) pf_text_put(kept, json, strlen(json) - 1); /* without the end of the line */
  pf_report_free(report);
  *text = pf_text_get(kept);
  return !json || kept->failed ? pf_no_room(ctx, "the scene") : PF_OK;
}
