/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes as polygons and lines. Only faces towards the camera are made. */
#include "scene/paint_impl.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { SIDES = 20 };

/* A shape at its place, while its parts are made. */
typedef struct Mesh {
  PfPaint *paint;
  const PfShape *s;
  PfPose pose;
  PfColor color, edge;
  double nearer; /* small shapes stand out of those that they are fixed on */
} Mesh;

/* A point from the axes of the shape to the world. */
static void world(const Mesh *m, double x, double y, double z, double out[3])
{
  pf_pose_point(&m->pose, (const double[]){x, y, z}, out);
}

/* Adds a point, given in the axes of the shape, to those of the next item. */
static void put(const Mesh *m, double x, double y, double z)
{
  double p[3];
  world(m, x, y, z, p);
  pf_paint_point(m->paint, p);
}

/* Does a face with this normal, in the axes of the shape, face the camera? `normal` gets it in the world. */
static bool is_seen(const Mesh *m, double x, double y, double z, double normal[3])
{
  pf_pose_direction(&m->pose, (const double[]){x, y, z}, normal);
  return pf_dot3(normal, m->paint->camera.toward) > 1e-9;
}

static PfColor lit(const Mesh *m, PfColor color, const double normal[3])
{
  return pf_color_lit(&m->paint->camera, color, normal);
}

/* In how many pieces a length is cut, so that near and far are distinct: `most` at the most. */
static int pieces(const Mesh *m, double length, int most)
{
  double n = ceil(length/(0.12*m->paint->size));
  return n > most ? most : n < 1 ? 1 : (int)n;
}

/* A line between two points in the axes of the shape, a little in front of it. */
static void line(const Mesh *m, const double a[3], const double b[3], PfColor color, double width)
{
  double p[3], q[3];
  world(m, a[0], a[1], a[2], p);
  world(m, b[0], b[1], b[2], q);
  pf_paint_line(m->paint, p, q, color, width, m->nearer + 0.004*m->paint->size);
}

/* A line on the face before it. */
static void line_on(const Mesh *m, const double a[3], const double b[3], PfColor color, double width)
{
  put(m, a[0], a[1], a[2]);
  put(m, b[0], b[1], b[2]);
  pf_paint_on(m->paint, 2, PF_COLOR_NONE, color, width);
}

/* ---------------------------------------------------------------- boxes */

/* A piece of a face, number `at` of `count` along two axes, and the edges of the box that it touches. */
static void box_patch(const Mesh *m, int axis, double side, const int at[2], const int count[2], PfColor fill)
{
  static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  const bool outer[4] = {at[1] == 0, at[0] == count[0] - 1, at[1] == count[1] - 1, at[0] == 0};
  const double *h = m->s->size;
  double p[4][3];
  for (int k = 0; k < 4; k++) {
    p[k][axis] = side*h[axis]/2;
    for (int i = 0; i < 2; i++) {
      const int u = (axis + 1 + i)%3;
      p[k][u] = h[u]*((double)(at[i] + corner[k][i])/count[i] - 0.5);
    }
    put(m, p[k][0], p[k][1], p[k][2]);
  }
  pf_paint_item(m->paint, 4, fill, fill, 0.6, m->nearer);
  for (int k = 0; k < 4; k++)
    if (outer[k]) line_on(m, p[k], p[(k + 1)%4], m->edge, 0.9);
}

static void paint_box(const Mesh *m)
{
  for (int axis = 0; axis < 3; axis++)
    for (int sign = -1; sign <= 1; sign += 2) {
      double n[3] = {0}, normal[3];
      n[axis] = sign;
      if (!is_seen(m, n[0], n[1], n[2], normal)) continue;
      int count[2] = {pieces(m, m->s->size[(axis + 1)%3], 9), pieces(m, m->s->size[(axis + 2)%3], 9)};
      PfColor fill = lit(m, m->color, normal);
      for (int i = 0; i < count[0]; i++)
        for (int j = 0; j < count[1]; j++) box_patch(m, axis, sign, (const int[]){i, j}, count, fill);
    }
}

/* ---------------------------------------------------------------- round shapes */

enum { SECTORS = 12, ARC = 5 };

/* One sector of an end at the height z, in rings: the rim is nearer or farther than the middle. A spoke is at every
 * other sector, the first in another colour. */
static void sector(const Mesh *m, int i, double radius, double z, PfColor fill, PfColor rim, double width, bool spokes)
{
  int rings = radius < 0.06*m->paint->size ? 1 : 3;
  for (int ring = 0; ring < rings; ring++) {
    double p[2][ARC][3];
    for (int side = 0; side < 2; side++)
      for (int k = 0; k < ARC; k++) {
        double phi = 2*pi*(i + k/(ARC - 1.0))/SECTORS, r = radius*(ring + side)/rings;
        p[side][k][0] = r*cos(phi), p[side][k][1] = r*sin(phi), p[side][k][2] = z;
      }
    for (int k = 0; k < ARC; k++) put(m, p[1][k][0], p[1][k][1], z);
    for (int k = ARC; k-- > 0;) put(m, p[0][k][0], p[0][k][1], z);
    pf_paint_item(m->paint, 2*ARC, fill, fill, 0.6, m->nearer);
    for (int k = 0; k + 1 < ARC && ring == rings - 1; k++) line_on(m, p[1][k], p[1][k + 1], rim, width);
    int edge = i%2 ? ARC - 1 : 0;
    bool marked = i == 0 || i == SECTORS - 1;
    if (spokes) line_on(m, p[0][edge], p[1][edge], marked ? 0xc0392b : m->edge, marked ? 2.0 : 1.0);
  }
}

/* Rollers on the tread, each along its axle. */
static void rollers(const Mesh *m)
{
  enum { ROLLERS = 12 };
  double r = m->s->size[0], w = m->s->size[1], a = m->s->size[2], c = fabs(cos(a));
  double half = c > 0.3 ? 0.5*w/c : 0.2*r;
  for (int i = 0; i < ROLLERS; i++) {
    double phi = 2*pi*i/ROLLERS, normal[3], p[3], q[3];
    if (!is_seen(m, cos(phi), sin(phi), 0, normal)) continue;
    double along[3] = {-sin(phi)*sin(a), cos(phi)*sin(a), cos(a)};
    for (int k = 0; k < 3; k++) p[k] = -half*along[k], q[k] = half*along[k];
    p[0] += 1.02*r*cos(phi), q[0] += 1.02*r*cos(phi);
    p[1] += 1.02*r*sin(phi), q[1] += 1.02*r*sin(phi);
    line(m, p, q, 0xaab2ba, 3.2);
  }
}

/* A cylinder, or a wheel: with spokes, by which it is seen how far it has turned, and where it rolls with a pale face
 * inside a dark tyre. */
static void paint_cylinder(const Mesh *m)
{
  const bool wheel = m->s->kind == PF_SHAPE_WHEEL, tyre = wheel && m->s->role == PF_ROLE_WHEEL;
  double r = m->s->size[0], w = m->s->size[1];
  /* The mantle of a cylinder along z, in staves. */
  int cuts = pieces(m, w, 12);
  for (int i = 0; i < SIDES; i++) {
    double a = 2*pi*i/SIDES, b = 2*pi*(i + 1)/SIDES, normal[3];
    if (!is_seen(m, cos((a + b)/2), sin((a + b)/2), 0, normal)) continue;
    PfColor fill = lit(m, m->color, normal);
    for (int k = 0; k < cuts; k++) {
      double low = w*((double)k/cuts - 0.5), high = w*((k + 1.0)/cuts - 0.5);
      put(m, r*cos(a), r*sin(a), low);
      put(m, r*cos(b), r*sin(b), low);
      put(m, r*cos(b), r*sin(b), high);
      put(m, r*cos(a), r*sin(a), high);
      pf_paint_item(m->paint, 4, fill, fill, 0.6, m->nearer);
    }
  }
  if (wheel && m->s->size[2] != 0) rollers(m);
  PfColor face = tyre ? pf_color_mix(m->color, 0xffffff, 0.72) : m->color, rim = tyre ? m->color : m->edge;
  for (int sign = -1; sign <= 1; sign += 2) {
    double normal[3];
    if (!is_seen(m, 0, 0, sign, normal)) continue;
    for (int i = 0; i < SECTORS; i++)
      sector(m, i, r, sign*w/2, lit(m, face, normal), rim, tyre ? 2.6 : 0.9, wheel);
  }
}

enum { CORNERS = 40 };

/* The points of a disc in the plane of the picture, a little off the middle. */
static void ball_disc(const Mesh *m, double radius, double shift)
{
  const PfCamera *c = &m->paint->camera;
  for (int i = 0; i < CORNERS; i++) {
    double p[3], a = radius*cos(2*pi*i/CORNERS) - shift, b = radius*sin(2*pi*i/CORNERS) + shift;
    for (int k = 0; k < 3; k++) p[k] = m->pose.p[k] + a*c->right[k] + b*c->up[k];
    pf_paint_point(m->paint, p);
  }
}

/* A ball of one colour. */
static void ball(const Mesh *m, double radius, PfColor fill, PfColor stroke)
{
  ball_disc(m, radius, 0);
  pf_paint_ball(m->paint, CORNERS, fill, stroke, 0.9, radius);
}

/* A disc with smaller discs of lighter colours on it, which make it look round; large ones with great circles, as far
 * as they are seen. */
static void paint_sphere(const Mesh *m)
{
  enum { SHADES = 7, STEPS = 48 };
  double r = m->s->size[0];
  const PfColor dark = pf_color_mix(m->color, 0x101820, 0.22), light = pf_color_mix(m->color, 0xffffff, 0.55);
  ball(m, r, dark, m->edge);
  for (int i = 1; i <= SHADES; i++) {
    double part = (double)i/SHADES;
    ball_disc(m, r*(1 - 0.85*part), 0.27*r*part);
    pf_paint_on(m->paint, CORNERS, pf_color_mix(dark, light, part), PF_COLOR_NONE, 0);
  }
  if (m->s->role != PF_ROLE_BODY || !(r > 0.06*m->paint->size)) return;
  for (int axis = 0; axis < 3; axis++)
    for (int i = 0; i < STEPS; i++) {
      double a[3] = {0}, b[3] = {0}, normal[3], p[3], q[3];
      int u = (axis + 1)%3, v = (axis + 2)%3;
      a[u] = r*cos(2*pi*i/STEPS), a[v] = r*sin(2*pi*i/STEPS);
      b[u] = r*cos(2*pi*(i + 1)/STEPS), b[v] = r*sin(2*pi*(i + 1)/STEPS);
      if (!is_seen(m, a[0] + b[0], a[1] + b[1], a[2] + b[2], normal)) continue;
      world(m, a[0], a[1], a[2], p);
      world(m, b[0], b[1], b[2], q);
      pf_paint_line(m->paint, p, q, axis ? pf_color_mix(m->edge, m->color, 0.4) : 0xc0392b, 0.9, 0.02*r);
    }
}

/* A shaft along z and a cone at its end. */
static void paint_arrow(const Mesh *m)
{
  double length = m->s->size[0], r = 0.012*m->paint->size, head = fmin(0.4*length, 0.12*m->paint->size);
  int cuts = pieces(m, length, 8);
  for (int k = 0; k < cuts; k++)
    line(m, (const double[]){0, 0, (length - head)*k/cuts}, (const double[]){0, 0, (length - head)*(k + 1)/cuts},
         m->color, 2.4);
  for (int i = 0; i < SIDES; i++) {
    double a = 2*pi*i/SIDES, b = 2*pi*(i + 1)/SIDES, normal[3];
    if (!is_seen(m, cos((a + b)/2), sin((a + b)/2), 3*r/head, normal)) continue;
    PfColor fill = lit(m, m->color, normal);
    put(m, 3*r*cos(a), 3*r*sin(a), length - head);
    put(m, 3*r*cos(b), 3*r*sin(b), length - head);
    put(m, 0, 0, length);
    pf_paint_item(m->paint, 3, fill, fill, 0.6, 0.004*m->paint->size);
  }
}

/* ---------------------------------------------------------------- supports */

/* A quadrilateral of a surface, of these corners of the world, lit by its normal; thin lines show the grid. */
static void quadrilateral(const Mesh *m, const double p[4][3], const double normal[3])
{
  const PfColor fill = lit(m, m->color, normal);
  for (int k = 0; k < 4; k++) pf_paint_point(m->paint, p[k]);
  pf_paint_item(m->paint, 4, fill, pf_color_mix(fill, 0x5a6672, 0.25), 0.6, 0);
}

/* A point of the sphere of a bowl, whose axes are those of `frame`. */
static void shell_point(const Mesh *m, const double frame[9], double latitude, double longitude, double out[3])
{
  double r = m->s->size[0], local[3] = {r*cos(latitude)*cos(longitude), r*cos(latitude)*sin(longitude),
                                        r*sin(latitude)};
  for (int i = 0; i < 3; i++)
    out[i] = m->pose.p[i] + frame[3*i]*local[0] + frame[3*i + 1]*local[1] + frame[3*i + 2]*local[2];
}

/* A bowl: the lower part of the sphere, of which the inner side is seen. */
static void paint_shell(const Mesh *m)
{
  enum { MERIDIANS = 36, PARALLELS = 14 };
  const double top = 0.12;
  double frame[9];
  pf_turn_to(m->paint->camera.vertical, frame);
  for (int i = 0; i < PARALLELS; i++)
    for (int j = 0; j < MERIDIANS; j++) {
      double p[4][3], out[3] = {0};
      for (int k = 0; k < 4; k++) {
        shell_point(m, frame, -pi/2 + (pi/2 + top)*(i + (k == 1 || k == 2))/PARALLELS, 2*pi*(j + (k > 1))/MERIDIANS,
                    p[k]);
        for (int c = 0; c < 3; c++) out[c] += m->pose.p[c] - p[k][c];
      }
      if (!(pf_dot3(out, m->paint->camera.toward) <= 0)) quadrilateral(m, (const double(*)[3])p, out);
    }
  for (int j = 0; j < 2*MERIDIANS; j++) {
    double a[3], b[3];
    shell_point(m, frame, top, pi*j/MERIDIANS, a);
    shell_point(m, frame, top, pi*(j + 1)/MERIDIANS, b);
    pf_paint_line(m->paint, a, b, m->edge, 1.2, 0);
  }
}

/* A grid of quadrilaterals over the heights. */
static void paint_surface(const Mesh *m)
{
  const PfShape *s = m->s;
  for (int j = 0; j + 1 < s->rows; j++)
    for (int i = 0; i + 1 < s->columns; i++) {
      double p[4][3], u[3], v[3], normal[3];
      for (int k = 0; k < 4; k++) {
        int a = i + (k == 1 || k == 2), b = j + (k > 1);
        world(m, s->size[0]*(2.0*a/(s->columns - 1) - 1), s->size[1]*(2.0*b/(s->rows - 1) - 1),
              s->heights[b*s->columns + a], p[k]);
      }
      for (int c = 0; c < 3; c++) u[c] = p[2][c] - p[0][c], v[c] = p[3][c] - p[1][c];
      pf_cross3(u, v, normal);
      quadrilateral(m, (const double(*)[3])p, normal);
    }
}

/* ---------------------------------------------------------------- between points */

/* A helix between two points with straight ends; a damper is a line with a thick middle. */
static void paint_spring(const Mesh *m, const double a[3], const double b[3])
{
  enum { TURNS = 9, STEPS = 14, COUNT = TURNS*STEPS };
  double along[3], R[9], last[3], r = m->s->size[0];
  bool damper = m->s->kind == PF_SHAPE_DAMPER;
  for (int i = 0; i < 3; i++) along[i] = b[i] - a[i], last[i] = a[i];
  pf_turn_to(along, R);
  for (int k = 1; k <= COUNT; k++) {
    double part = (double)k/COUNT, turn = 2*pi*k/STEPS, p[3];
    double radius = part < 0.1 || part > 0.9 || damper ? 0 : r;
    for (int i = 0; i < 3; i++) p[i] = a[i] + part*along[i] + radius*(cos(turn)*R[3*i] + sin(turn)*R[3*i + 1]);
    bool thick = damper && part > 0.3 && part < 0.6;
    pf_paint_line(m->paint, last, p, m->color, thick ? 7 : 1.5, 0);
    memcpy(last, p, sizeof last);
  }
}

void pf_paint_trace(PfPaint *paint, const PfScene *scene, const PfShape *s, const double *path, int count)
{
  size_t size = (size_t)pf_scene_size(scene);
  PfColor color = pf_color_mix(pf_shape_color(s), 0x203040, 0.15);
  for (int i = 0; i + 1 < count; i++) {
    const double *from = path + (size_t)i*size;
    pf_paint_line(paint, pf_scene_point_at(scene, from, s->point[0]),
                  pf_scene_point_at(scene, from + size, s->point[0]), color, 1.3, 0);
  }
}

/* ---------------------------------------------------------------- all */

void pf_paint_shape(PfPaint *paint, const PfScene *scene, const PfShape *s, const double *numbers)
{
  Mesh m = {.paint = paint, .s = s, .color = pf_shape_color(s)};
  m.edge = pf_color_mix(m.color, 0x101820, 0.6);
  if (s->role == PF_ROLE_WHEEL) m.nearer = 0.025*paint->size;
  if (s->role == PF_ROLE_JOINT || s->kind == PF_SHAPE_ARROW) m.nearer = 0.06*paint->size;
  if (s->pose >= 0) {
    const PfPose carrier = pf_scene_pose(numbers, s->pose), local = pf_pose_make(s->at, s->turn);
    m.pose = pf_pose_times(&carrier, &local);
  }
  switch (s->kind) {
  case PF_SHAPE_BOX: paint_box(&m); break;
  case PF_SHAPE_SPHERE: paint_sphere(&m); break;
  case PF_SHAPE_CYLINDER:
  case PF_SHAPE_WHEEL: paint_cylinder(&m); break;
  case PF_SHAPE_ARROW: paint_arrow(&m); break;
  case PF_SHAPE_SHELL: paint_shell(&m); break;
  case PF_SHAPE_SURFACE: paint_surface(&m); break;
  case PF_SHAPE_SPRING:
  case PF_SHAPE_DAMPER:
    paint_spring(&m, pf_scene_point_at(scene, numbers, s->point[0]),
                 pf_scene_point_at(scene, numbers, s->point[1]));
    break;
  case PF_SHAPE_POINT:
    memcpy(m.pose.p, pf_scene_point_at(scene, numbers, s->point[0]), sizeof m.pose.p);
    ball(&m, s->size[0], m.color, PF_COLOR_NONE);
    break;
  case PF_SHAPE_TRACE:
  case PF_SHAPE_FORCE: break; /* for pages: in a picture its scale is not known */
  }
}
