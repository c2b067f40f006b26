/* SPDX-License-Identifier: Apache-2.0 */
/* The camera, and the list of polygons and lines in its coordinates that shapes are turned into. */
#include "scene/paint_impl.h"

#include <math.h>
#include <string.h>

void pf_paint_free(PfPaint *p)
{
  pf_array_free(p->allocator, &p->items);
  pf_array_free(p->allocator, &p->points);
}

void pf_paint_point(PfPaint *p, const double at[3])
{
  PfPoint3 point;
  memcpy(point.at, at, sizeof point.at);
  if (!pf_push(p->allocator, &p->points, point)) p->failed = true;
}

/* Adds an item made of the last points, in front of the middle of these by `nearer`; none whose depth is not finite,
 * and none that lies on such a one. */
static void add(PfPaint *p, double nearer, PfItem item)
{
  item.first = (int)p->points.count - item.count;
  for (size_t i = (size_t)item.first; i < p->points.count && !p->failed && !item.lies_on; i++)
    item.depth += pf_dot3(p->points.at[i].at, p->camera.toward)/item.count;
  if (p->failed) return;
  if (!item.lies_on) {
    item.depth += nearer;
    p->lost = !isfinite(item.depth);
  }
  if (!p->lost && !pf_push(p->allocator, &p->items, item)) p->failed = true;
}

void pf_paint_item(PfPaint *p, int count, PfColor fill, PfColor stroke, double width, double nearer)
{
  add(p, nearer, (PfItem){.count = count, .fill = fill, .stroke = stroke, .width = width});
}

void pf_paint_ball(PfPaint *p, int count, PfColor fill, PfColor stroke, double width, double radius)
{
  add(p, 0, (PfItem){.count = count, .fill = fill, .stroke = stroke, .width = width, .radius = radius});
}

void pf_paint_on(PfPaint *p, int count, PfColor fill, PfColor stroke, double width)
{
  add(p, 0, (PfItem){.lies_on = true, .count = count, .fill = fill, .stroke = stroke, .width = width});
}

void pf_paint_line(PfPaint *p, const double a[3], const double b[3], PfColor color, double width, double nearer)
{
  pf_paint_point(p, a);
  pf_paint_point(p, b);
  pf_paint_item(p, 2, PF_COLOR_NONE, color, width, nearer);
}

/* ---------------------------------------------------------------- the camera */

/* The axis that points up is that along which gravity acts, else z. Right, up and toward the camera are an orthonormal
 * system. */
PfCamera pf_camera_make(const PfScene *scene, PfView view)
{
  PfCamera c = {0};
  int axis = 2;
  double above[3];
  for (int i = 0; i < 3; i++)
    if (fabs(scene->up[i]) > 0.9) axis = i;
  c.vertical[axis] = copysign(1, scene->up[axis]);
  memcpy(above, c.vertical, sizeof above);
  if (view == PF_VIEW_AUTO) view = scene->flat && axis != 2 ? PF_VIEW_SIDE : PF_VIEW_ISO;
  if (view == PF_VIEW_ISO) {
    double azimuth = -62*acos(-1)/180, elevation = 26*acos(-1)/180;
    c.toward[(axis + 1)%3] = cos(elevation)*cos(azimuth);
    c.toward[(axis + 2)%3] = cos(elevation)*sin(azimuth);
    c.toward[axis] = sin(elevation)*c.vertical[axis];
  } else if (view == PF_VIEW_TOP) {
    memcpy(c.toward, c.vertical, sizeof c.toward);
    for (int i = 0; i < 3; i++) above[i] = 0;
    above[axis == 2 ? 1 : 2] = axis == 2 ? 1 : -1;
  } else if (view == PF_VIEW_SIDE) {
    c.toward[axis == 2 ? 1 : 2] = axis == 2 ? -1 : 1;
  } else {
    c.toward[axis == 0 ? 1 : 0] = 1;
  }
  pf_cross3(above, c.toward, c.right);
  const double length = pf_length3(c.right);
  for (int i = 0; i < 3 && length > 0; i++) c.right[i] /= length;
  pf_cross3(c.toward, c.right, c.up);
  return c;
}

/* The light comes from above and from the left of the camera. */
PfColor pf_color_lit(const PfCamera *camera, PfColor color, const double n[3])
{
  double length = pf_length3(n), light[3], bright = 0;
  for (int i = 0; i < 3; i++) light[i] = 0.55*camera->vertical[i] + 0.45*camera->toward[i] - 0.35*camera->right[i];
  if (length > 0) bright = pf_dot3(light, n)/length/pf_length3(light);
  if (bright >= 0.6) return pf_color_mix(color, 0xffffff, 0.9*(bright - 0.6));
  return pf_color_mix(color, 0x101820, 0.42*(0.6 - bright));
}
