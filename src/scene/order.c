/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which items are drawn. Of two items that overlap in the picture, the one that is nearer at a point which
 * both cover is drawn later; items that do not overlap go by the depth of their middles. One number for the depth of an
 * item is not enough: the far end of a long plate would hide the things that stand on it. */
#include "scene/paint_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CORNERS = 48 };

typedef struct Point2 {
  double x, y;
} Point2;

/* An item in the plane of the picture: at p its depth is depth + slope.(p - middle), of a ball that of its front. */
typedef struct Face {
  int item, corners;
  Point2 *corner;        /* against the clock */
  double low[2], high[2];
  Point2 middle, slope;
  double depth, area, radius;
  int behind;            /* the first link of the list of faces farther away than it, -1: none */
  int state;             /* 0: to do, 1: waits for these, 2: done */
} Face;

typedef struct Link {
  int face, next;
} Link;

typedef struct Order {
  PfPaint *paint;
  PfArena *arena;
  Face *faces;
  int count;
  PF_ARRAY(Link) links;
  bool failed;
} Order;

/* ---------------------------------------------------------------- faces */

/* Twice the area of a polygon, negative when its corners go with the clock. */
static double twice_area(const Point2 *p, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++) {
    const Point2 *a = p + i, *b = p + (i + 1)%count;
    sum += a->x*b->y - a->y*b->x;
  }
  return sum;
}

/* An item in camera coordinates with its slope, for the comparison of depths: the plane of a polygon is that of
 * Newell's normal, and one that is seen from its edge has no slope. Along a line the depth is known, across it there is
 * none. */
static void make_face(const Order *o, const PfItem *item, Face *f)
{
  const PfCamera *c = &o->paint->camera;
  double p[MOST_CORNERS][3], n[3] = {0};
  f->corners = item->count < MOST_CORNERS ? item->count : MOST_CORNERS;
  f->depth = item->depth;
  f->radius = item->radius;
  f->behind = -1;
  for (int k = 0; k < 2; k++) f->low[k] = INFINITY, f->high[k] = -INFINITY;
  for (int i = 0; i < f->corners; i++) {
    const double *at = o->paint->points.at[item->first + i].at;
    p[i][0] = pf_dot3(at, c->right), p[i][1] = pf_dot3(at, c->up), p[i][2] = pf_dot3(at, c->toward);
    for (int k = 0; k < 2; k++) f->low[k] = fmin(f->low[k], p[i][k]), f->high[k] = fmax(f->high[k], p[i][k]);
    f->corner[i] = (Point2){p[i][0], p[i][1]};
    f->middle.x += p[i][0]/f->corners, f->middle.y += p[i][1]/f->corners;
  }
  if (f->corners == 2) {
    const double x = p[1][0] - p[0][0], y = p[1][1] - p[0][1], z = p[1][2] - p[0][2], l2 = x*x + y*y;
    if (l2 > 0) f->slope = (Point2){z*x/l2, z*y/l2};
    return;
  }
  for (int i = 0; i < f->corners; i++)
    for (int k = 0; k < 3; k++) {
      const double *a = p[i], *b = p[(i + 1)%f->corners];
      const int u = (k + 1)%3, v = (k + 2)%3;
      n[k] += (a[u] - b[u])*(a[v] + b[v]);
    }
  if (!(fabs(n[2]) < 1e-3*pf_length3(n))) f->slope = (Point2){-n[0]/n[2], -n[1]/n[2]};
  f->area = twice_area(f->corner, f->corners)/2;
  for (int i = 0; i < f->corners/2 && f->area < 0; i++) { /* against the clock */
    const Point2 swap = f->corner[i];
    f->corner[i] = f->corner[f->corners - 1 - i], f->corner[f->corners - 1 - i] = swap;
  }
  f->area = fabs(f->area);
}

/* The depth of the front of an item at a point of the picture. */
static double depth_at(const Face *f, Point2 p)
{
  double x = p.x - f->middle.x, y = p.y - f->middle.y;
  return f->depth + f->slope.x*x + f->slope.y*y + sqrt(fmax(0, f->radius*f->radius - x*x - y*y));
}

/* ---------------------------------------------------------------- a point that both cover */

/* The part of a polygon, or of a line, that lies to the left of the line from a to b; how many corners it has. */
static int cut(const Point2 *in, int count, Point2 a, Point2 b, Point2 *out)
{
  int kept = 0;
  for (int i = 0; i < count; i++) {
    Point2 p = in[i], q = in[(i + 1)%count];
    double s = (b.x - a.x)*(p.y - a.y) - (b.y - a.y)*(p.x - a.x), t = (b.x - a.x)*(q.y - a.y) - (b.y - a.y)*(q.x - a.x);
    if (s >= 0) out[kept++] = p;
    if ((s < 0) == (t < 0) || (count == 2 && i)) continue;
    double part = s/(s - t);
    out[kept++] = (Point2){p.x + part*(q.x - p.x), p.y + part*(q.y - p.y)};
  }
  return kept;
}

/* The middle of the area that two faces have in common (Sutherland and Hodgman); false when that is next to nothing, as
 * of neighbours that share an edge. `clip` is a polygon. */
static bool find_common(const Face *a, const Face *clip, Point2 *common)
{
  Point2 store[2][3*MOST_CORNERS], *in = store[0], *out = store[1];
  int count = a->corners;
  memcpy(in, a->corner, (size_t)count*sizeof *in);
  for (int i = 0; i < clip->corners && count > 1; i++) {
    count = cut(in, count, clip->corner[i], clip->corner[(i + 1)%clip->corners], out);
    Point2 *swap = in;
    in = out, out = swap;
  }
  if (count < (a->corners == 2 ? 2 : 3)) return false;
  *common = (Point2){0};
  for (int i = 0; i < count; i++) common->x += in[i].x/count, common->y += in[i].y/count;
  if (a->corners == 2) return hypot(in[1].x - in[0].x, in[1].y - in[0].y) > 1e-3*sqrt(clip->area);
  return fabs(twice_area(in, count))/2 > 1e-3*fmin(a->area, clip->area);
}

/* ---------------------------------------------------------------- which is nearer */

/* Where two faces overlap and have different depths, notes which one is to be drawn before the other. */
static void compare_faces(Order *o, int i, int j)
{
  const Face *a = o->faces + i, *b = o->faces + j;
  Point2 common;
  if (a->high[1] <= b->low[1] || b->high[1] <= a->low[1]) return;
  if (a->corners == 2 && b->corners == 2) return;
  if (!(b->corners == 2 ? find_common(b, a, &common) : find_common(a, b, &common))) return;
  double gap = depth_at(a, common) - depth_at(b, common);
  if (fabs(gap) <= 1e-9*o->paint->size) return;
  Face *front = o->faces + (gap > 0 ? i : j);
  const Link link = {gap > 0 ? j : i, front->behind};
  front->behind = (int)o->links.count;
  if (!pf_push(o->paint->allocator, &o->links, link)) o->failed = true;
}

static int compare_left(const void *left, const void *right)
{
  const Face *a = left, *b = right;
  if (a->low[0] != b->low[0]) return a->low[0] < b->low[0] ? -1 : 1;
  return a->item < b->item ? -1 : a->item > b->item;
}

/* ---------------------------------------------------------------- the order */

/* Appends the face to the order, after all faces farther away that it hides, and all that these hide. Faces that hide
 * each other in a ring come as they are found. Returns how many there are. */
static int draw_after_hidden(Order *o, int first, int *stack, int *out, int done)
{
  int height = 0;
  stack[height++] = first;
  while (height) {
    Face *f = o->faces + stack[height - 1];
    f->state = 1;
    while (f->behind >= 0 && o->links.at && o->faces[o->links.at[f->behind].face].state)
      f->behind = o->links.at[f->behind].next;
    if (f->behind >= 0) {
      stack[height++] = o->links.at[f->behind].face;
      continue;
    }
    f->state = 2;
    out[done++] = stack[--height];
  }
  return done;
}

typedef struct Rank {
  double depth;
  int item, face;
} Rank;

static int compare_ranks(const void *left, const void *right)
{
  const Rank *a = left, *b = right;
  if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
  return a->item < b->item ? -1 : a->item > b->item;
}

/* Painter's algorithm: pairs of faces that overlap are compared, and each face is drawn after all that it hides. */
static void sort(Order *o)
{
  Rank *ranks = pf_arena_array(o->arena, Rank, o->count);
  int *stack = pf_arena_array(o->arena, int, o->count), *order = pf_arena_array(o->arena, int, o->count), done = 0;
  PfItem *sorted = pf_arena_array(o->arena, PfItem, o->paint->items.count);
  o->failed = o->failed || !ranks || !stack || !order || !sorted;
  if (o->failed) return;
  /* Faces in the order of their left ends: only those that begin before this one ends can meet it. */
  qsort(o->faces, (size_t)o->count, sizeof *o->faces, compare_left);
  for (int i = 0; i < o->count; i++)
    for (int j = i + 1; j < o->count && o->faces[j].low[0] < o->faces[i].high[0] && !o->failed; j++)
      compare_faces(o, i, j);
  if (o->failed) return;
  for (int i = 0; i < o->count; i++) ranks[i] = (Rank){o->faces[i].depth, o->faces[i].item, i};
  qsort(ranks, (size_t)o->count, sizeof *ranks, compare_ranks);
  for (int i = 0; i < o->count; i++)
    if (!o->faces[ranks[i].face].state) done = draw_after_hidden(o, ranks[i].face, stack, order, done);
  /* Items, each followed by those that lie on it, from the back to the front. */
  PfPaint *p = o->paint;
  size_t count = 0;
  for (int i = 0; i < o->count; i++) {
    int k = o->faces[order[i]].item;
    sorted[count++] = p->items.at[k];
    while (k + 1 < (int)p->items.count && p->items.at[k + 1].lies_on) sorted[count++] = p->items.at[++k];
  }
  memcpy(p->items.at, sorted, count*sizeof *sorted);
}

/* There is a face for each item, except those that lie on another one. */
void pf_paint_sort(PfPaint *p)
{
  Order o = {.paint = p, .arena = pf_arena_new(p->allocator)};
  o.faces = o.arena ? pf_arena_array(o.arena, Face, p->items.count) : NULL;
  Point2 *corners = o.arena ? pf_arena_array(o.arena, Point2, p->points.count) : NULL;
  o.failed = !o.faces || !corners;
  for (size_t i = 0; i < p->items.count && !o.failed; i++) {
    const PfItem *item = p->items.at + i;
    if (item->lies_on) continue;
    Face *f = o.faces + o.count++;
    *f = (Face){.item = (int)i, .corner = corners + item->first};
    make_face(&o, item, f);
  }
  if (!o.failed && o.count) sort(&o);
  if (o.failed) p->failed = true;
  pf_array_free(p->allocator, &o.links);
  pf_arena_free(o.arena);
}
