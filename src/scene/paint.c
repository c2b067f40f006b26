/* SPDX-License-Identifier: Apache-2.0 */
/* Polygons and lines, and where one looks from. */
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

/* Of the last points. */
static double depth_of(const PfPaint *p, int count)
{
  double depth = 0;
  for (size_t i = p->points.count - (size_t)count; i < p->points.count; i++)
    depth += pf_dot3(p->points.at[i].at, p->camera.toward)/count;
  return depth;
}

/* Of the last points. */
static void add(PfPaint *p, PfItem item)
{
  item.first = (int)p->points.count - item.count;
  if (!pf_push(p->allocator, &p->items, item)) p->failed = true;
}

static void add_at_depth(PfPaint *p, double nearer, PfItem item)
{
  if (p->failed) return;
  item.depth = depth_of(p, item.count) + nearer;
  p->lost = !isfinite(item.depth);
  if (!p->lost) add(p, item);
}

void pf_paint_item(PfPaint *p, int count, PfColor fill, PfColor stroke, double width, double nearer)
{
  add_at_depth(p, nearer, (PfItem){.count = count, .fill = fill, .stroke = stroke, .width = width});
}

void pf_paint_ball(PfPaint *p, int count, PfColor fill, PfColor stroke, double width, double radius)
{
  add_at_depth(p, 0, (PfItem){.count = count, .fill = fill, .stroke = stroke, .width = width, .radius = radius});
}

void pf_paint_on(PfPaint *p, int count, PfColor fill, PfColor stroke, double width)
{
  if (!p->failed && !p->lost)
    add(p, (PfItem){.lies_on = true, .count = count, .fill = fill, .stroke = stroke, .width = width});
}

void pf_paint_line(PfPaint *p, const double a[3], const double b[3], PfColor color, double width, double nearer)
{
  pf_paint_point(p, a);
  pf_paint_point(p, b);
  pf_paint_item(p, 2, PF_COLOR_NONE, color, width, nearer);
}

/* ---------------------------------------------------------------- the camera */

static void cross(const double a[3], const double b[3], double out[3])
{
  out[0] = a[1]*b[2] - a[2]*b[1], out[1] = a[2]*b[0] - a[0]*b[2], out[2] = a[0]*b[1] - a[1]*b[0];
}

static void normalize(double v[3])
{
  double length = pf_length3(v);
  for (int i = 0; i < 3 && length > 0; i++) v[i] /= length;
}

/* The axis that points up: gravity decides where it is along one, else z. */
static int find_vertical(const PfScene *scene, double vertical[3])
{
  int axis = 2;
  for (int i = 0; i < 3; i++)
    if (fabs(scene->up[i]) > 0.9) axis = i;
  for (int i = 0; i < 3; i++) vertical[i] = i == axis ? copysign(1, scene->up[i]) : 0;
  return axis;
}

PfCamera pf_camera_make(const PfScene *scene, PfView view)
{
  PfCamera c = {0};
  int axis = find_vertical(scene, c.vertical);
  double above[3];
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
  cross(above, c.toward, c.right);
  normalize(c.right);
  cross(c.toward, c.right, c.up);
  return c;
}

/* From above and from the left of the one who looks. */
PfColor pf_color_lit(const PfCamera *camera, PfColor color, const double n[3])
{
  double length = pf_length3(n), light[3], bright = 0;
  for (int i = 0; i < 3; i++) light[i] = 0.55*camera->vertical[i] + 0.45*camera->toward[i] - 0.35*camera->right[i];
  if (length > 0) bright = pf_dot3(light, n)/length/pf_length3(light);
  if (bright >= 0.6) return pf_color_mix(color, 0xffffff, 0.9*(bright - 0.6));
  return pf_color_mix(color, 0x101820, 0.42*(0.6 - bright));
}
