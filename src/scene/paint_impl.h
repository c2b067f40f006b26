/* SPDX-License-Identifier: Apache-2.0 */
/* Inside scene: from shapes to polygons and lines that hide each other. */
#ifndef PF_SCENE_PAINT_IMPL_H
#define PF_SCENE_PAINT_IMPL_H

#include "scene/picture.h"
#include "scene/scene_impl.h"

typedef unsigned PfColor; /* 0xrrggbb */
#define PF_COLOR_NONE 0xff000000u

/* Right, up and the direction towards the camera: an orthonormal system. */
typedef struct PfCamera {
  double right[3], up[3], toward[3];
  double vertical[3]; /* up in the world: an axis */
} PfCamera;

/* The camera for a view; PF_VIEW_AUTO looks at a plane model from the side of its plane, at others obliquely. */
PfCamera pf_camera_make(const PfScene *scene, PfView view);

/* A polygon, or a line between two points; nearer ones are drawn later (order.c). */
typedef struct PfItem {
  double depth;     /* of its middle */
  bool lies_on;     /* on the one made before it, and is drawn together with that */
  int first, count; /* points */
  PfColor fill, stroke;
  double width;     /* of the stroke, in pixels */
  double radius;    /* of a disc that stands for a ball; else 0 */
} PfItem;

typedef struct PfPoint3 {
  double at[3];
} PfPoint3;

typedef struct PfPaint {
  const PfAllocator *allocator;
  PfCamera camera;
  double size;      /* of the machine: nothing is longer than a part of it in one piece */
  bool failed;
  bool lost;        /* the last item is nowhere: neither is what lies on it */
  PF_ARRAY(PfItem) items;
  PF_ARRAY(PfPoint3) points;
} PfPaint;

/* Frees items and points. */
void pf_paint_free(PfPaint *paint);
/* Adds a point of the world; an item is then made from the last ones. */
void pf_paint_point(PfPaint *paint, const double at[3]);
/* A polygon of the last `count` points; of two points, a line. `nearer`: by so much in front of where it is. */
void pf_paint_item(PfPaint *paint, int count, PfColor fill, PfColor stroke, double width, double nearer);
/* The same as the outline of a ball of this radius. */
void pf_paint_ball(PfPaint *paint, int count, PfColor fill, PfColor stroke, double width, double radius);
/* A polygon that lies on the item before it and is drawn right after it. */
void pf_paint_on(PfPaint *paint, int count, PfColor fill, PfColor stroke, double width);
/* A line from a to b. */
void pf_paint_line(PfPaint *paint, const double a[3], const double b[3], PfColor color, double width, double nearer);
/* From the back to the front (order.c). */
void pf_paint_sort(PfPaint *paint);

/* A shape at its place: numbers of pf_scene_read (meshes.c). */
void pf_paint_shape(PfPaint *paint, const PfScene *scene, const PfShape *shape, const double *numbers);
/* The path of a trace. */
void pf_paint_trace(PfPaint *paint, const PfScene *scene, const PfShape *shape, const double *path, int count);

/* Colours (colors.c): of a shape; lighter and darker; lit from above. */
PfColor pf_shape_color(const PfShape *shape);
/* The colour at `part` of the way from a to b. */
PfColor pf_color_mix(PfColor a, PfColor b, double part);
/* The colour of a face with this normal, lit from above and from the camera. */
PfColor pf_color_lit(const PfCamera *camera, PfColor color, const double normal[3]);

#endif
