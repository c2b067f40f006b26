/* SPDX-License-Identifier: Apache-2.0 */
/* A scene for programs. */
#include "scene/paint_impl.h"
#include "scene/picture.h"
#include "scene/scene_impl.h"

#include <stdio.h>

static void put_numbers(PfJson *json, const char *key, const double *numbers, int count)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < count; i++) pf_json_number(json, NULL, numbers[i]);
  pf_json_close(json, ']');
}

static void put_names(PfJson *json, const char *key, const char *const *names, int count)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < count; i++) pf_json_string(json, NULL, names[i]);
  pf_json_close(json, ']');
}

static void put_shape(PfJson *json, const PfShape *s)
{
  char color[8];
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "kind", pf_shape_kind_name(s->kind));
  pf_json_string(json, "role", pf_role_name(s->role));
  pf_json_string(json, "name", s->name);
  snprintf(color, sizeof color, "#%06x", pf_shape_color(s) & 0xffffffu);
  pf_json_string(json, "color", color);
  if (s->body >= 0) pf_json_integer(json, "body", s->body);
  put_numbers(json, "size", s->size, 3);
  if (s->pose >= 0) {
    pf_json_integer(json, "pose", s->pose);
    put_numbers(json, "at", s->at, 3);
    put_numbers(json, "turn", s->turn, 9);
  } else {
    pf_json_open(json, "points", '[');
    for (int k = 0; k < 2 && s->point[k] >= 0; k++) pf_json_integer(json, NULL, s->point[k]);
    pf_json_close(json, ']');
  }
  if (s->heights) {
    pf_json_integer(json, "columns", s->columns);
    pf_json_integer(json, "rows", s->rows);
    put_numbers(json, "heights", s->heights, s->columns*s->rows);
  }
  pf_json_close(json, '}');
}

void pf_scene_put_json(const PfScene *scene, const double *times, const double *numbers, int count, PfJson *json)
{
  size_t size = (size_t)pf_scene_size(scene);
  pf_json_string(json, "title", scene->title);
  pf_json_number(json, "size", scene->size);
  put_numbers(json, "up", scene->up, 3);
  pf_json_bool(json, "flat", scene->flat);
  pf_json_bool(json, "ground", scene->ground);
  if (scene->ground) {
    put_numbers(json, "ground_at", scene->ground_at, 3);
    put_numbers(json, "ground_turn", scene->ground_turn, 9);
  }
  put_names(json, "poses", scene->poses, scene->pose_count);
  put_names(json, "points", scene->points, scene->point_count);
  put_names(json, "point_units", scene->point_units, scene->point_count);
  pf_json_open(json, "shapes", '[');
  for (int i = 0; i < scene->shape_count; i++) put_shape(json, scene->shapes + i);
  pf_json_close(json, ']');
  put_numbers(json, "times", times, count);
  pf_json_open(json, "motion", '[');
  for (int i = 0; i < count; i++) put_numbers(json, NULL, numbers + (size_t)i*size, (int)size);
  pf_json_close(json, ']');
}

PfStatus pf_scene_json(PfScene *scene, const double *times, const double *numbers, int count, const char **text)
{
  PfContext *ctx;
  PfText *kept = pf_scene_text(scene, &ctx);
  PfJson json;
  pf_json_begin(&json, pf_context_allocator(ctx));
  pf_json_open(&json, NULL, '{');
  pf_scene_put_json(scene, times, numbers, count, &json);
  pf_json_close(&json, '}');
  pf_text_free(kept);
  *kept = json.text;
  *text = pf_text_get(kept);
  return kept->failed ? pf_no_room(ctx, "the scene") : PF_OK;
}
