/* SPDX-License-Identifier: Apache-2.0 */
/* Inside scene: from shapes to polygons and lines that hide each other. */
#ifndef PF_SCENE_PAINT_IMPL_H
#define PF_SCENE_PAINT_IMPL_H

#include "scene/picture.h"
#include "scene/scene_impl.h"

typedef unsigned PfColor; /* 0xrrggbb */
#define PF_COLOR_NONE 0xff000000u

/* The direction one looks from, and what lies to the right and up. */
typedef struct PfCamera {
  double right[3], up[3], toward[3];
  double vertical[3]; /* up in the world: an axis */
} PfCamera;

PfCamera pf_camera_make(const PfScene *scene, PfView view);

/* A polygon, or a line through points; what is nearer is drawn later. */
typedef struct PfItem {
  double depth;
  int order;        /* of creation, for equal depths */
  int first, count; /* points */
  PfColor fill, stroke;
  double width;     /* of the stroke, in pixels */
} PfItem;

typedef struct PfPoint3 {
  double at[3];
} PfPoint3;

typedef struct PfPaint {
  const PfAllocator *allocator;
  PfCamera camera;
  double size;      /* of the machine: nothing is longer than a part of it in one piece */
  bool failed;
  PF_ARRAY(PfItem) items;
  PF_ARRAY(PfPoint3) points;
} PfPaint;

void pf_paint_free(PfPaint *paint);
/* Points one by one; then an item is made of the last of them. Its depth is that of its middle and `nearer`, and is
 * returned; or it is given, for what lies on something else. */
void pf_paint_point(PfPaint *paint, const double at[3]);
void pf_paint_at(PfPaint *paint, double depth, int count, PfColor fill, PfColor stroke, double width);
double pf_paint_item(PfPaint *paint, int count, PfColor fill, PfColor stroke, double width, double nearer);
void pf_paint_line(PfPaint *paint, const double a[3], const double b[3], PfColor color, double width, double nearer);
void pf_paint_sort(PfPaint *paint);

/* A shape at its place: numbers of pf_scene_read (meshes.c). */
void pf_paint_shape(PfPaint *paint, const PfScene *scene, const PfShape *shape, const double *numbers);
/* The path of a trace. */
void pf_paint_trace(PfPaint *paint, const PfScene *scene, const PfShape *shape, const double *path, int count);

/* Colours (colors.c): of a shape; lighter and darker; lit from above. */
PfColor pf_shape_color(const PfShape *shape);
PfColor pf_color_mix(PfColor a, PfColor b, double part);
PfColor pf_color_lit(const PfCamera *camera, PfColor color, const double normal[3]);

#endif
