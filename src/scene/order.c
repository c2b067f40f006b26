/* SPDX-License-Identifier: Apache-2.0 */
/* What hides what. Of two items that overlap in the picture, the one that is nearer at a point which both cover is
 * drawn later; items that do not overlap go by the depth of their middles. One number for the depth of an item is not
 * enough: the far end of a long plate would hide what stands on it. */
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
  int behind;            /* the first link of the list of what lies behind it, -1: none */
  int state;             /* 0: to do, 1: waits for what is behind it, 2: done */
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

static double twice_area(const Point2 *p, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++) {
    const Point2 *a = p + i, *b = p + (i + 1)%count;
    sum += a->x*b->y - a->y*b->x;
  }
  return sum;
}

/* The plane of a polygon by Newell's normal, in the axes of the camera. What is seen from its edge has no slope. */
static void find_slope(Face *f, const double (*p)[3])
{
  double n[3] = {0};
  for (int i = 0; i < f->corners; i++)
    for (int k = 0; k < 3; k++) {
      const double *a = p[i], *b = p[(i + 1)%f->corners];
      int u = (k + 1)%3, v = (k + 2)%3;
      n[k] += (a[u] - b[u])*(a[v] + b[v]);
    }
  if (fabs(n[2]) < 1e-3*pf_length3(n)) return;
  f->slope = (Point2){-n[0]/n[2], -n[1]/n[2]};
}

/* Along a line the depth is known, across it there is none. */
static void find_line_slope(Face *f, const double (*p)[3])
{
  double x = p[1][0] - p[0][0], y = p[1][1] - p[0][1], l2 = x*x + y*y;
  if (l2 > 0) f->slope = (Point2){(p[1][2] - p[0][2])*x/l2, (p[1][2] - p[0][2])*y/l2};
}

static void turn_round(Point2 *p, int count)
{
  for (int i = 0; i < count/2; i++) {
    Point2 swap = p[i];
    p[i] = p[count - 1 - i], p[count - 1 - i] = swap;
  }
}

static void make_face(const Order *o, const PfItem *item, Face *f)
{
  const PfCamera *c = &o->paint->camera;
  double p[MOST_CORNERS][3];
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
    find_line_slope(f, p);
    return;
  }
  find_slope(f, p);
  f->area = twice_area(f->corner, f->corners)/2;
  if (f->area < 0) turn_round(f->corner, f->corners);
  f->area = fabs(f->area);
}

static double depth_at(const Face *f, Point2 p)
{
  double x = p.x - f->middle.x, y = p.y - f->middle.y;
  return f->depth + f->slope.x*x + f->slope.y*y + sqrt(fmax(0, f->radius*f->radius - x*x - y*y));
}

/* ---------------------------------------------------------------- a point that both cover */

static double side_of(Point2 a, Point2 b, Point2 p)
{
  return (b.x - a.x)*(p.y - a.y) - (b.y - a.y)*(p.x - a.x);
}

/* What of a polygon, or of a line, lies to the left of a and b. */
static int cut(const Point2 *in, int count, Point2 a, Point2 b, Point2 *out)
{
  int kept = 0;
  for (int i = 0; i < count; i++) {
    Point2 p = in[i], q = in[(i + 1)%count];
    double s = side_of(a, b, p), t = side_of(a, b, q);
    if (s >= 0) out[kept++] = p;
    if ((s < 0) == (t < 0) || (count == 2 && i)) continue;
    double part = s/(s - t);
    out[kept++] = (Point2){p.x + part*(q.x - p.x), p.y + part*(q.y - p.y)};
  }
  return kept;
}

/* The middle of what two faces have in common (Sutherland and Hodgman); false when that is next to nothing, as of
 * neighbours that share an edge. `clip` is a polygon. */
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

/* ---------------------------------------------------------------- which is behind which */

static void add_link(Order *o, int front, int back)
{
  Link link = {back, o->faces[front].behind};
  o->faces[front].behind = (int)o->links.count;
  if (!pf_push(o->paint->allocator, &o->links, link)) o->failed = true;
}

static void compare_faces(Order *o, int i, int j)
{
  const Face *a = o->faces + i, *b = o->faces + j;
  Point2 common;
  if (a->high[1] <= b->low[1] || b->high[1] <= a->low[1]) return;
  if (a->corners == 2 && b->corners == 2) return;
  bool met = b->corners == 2 ? find_common(b, a, &common) : find_common(a, b, &common);
  if (!met) return;
  double gap = depth_at(a, common) - depth_at(b, common);
  if (fabs(gap) <= 1e-9*o->paint->size) return;
  if (gap > 0) add_link(o, i, j);
  else add_link(o, j, i);
}

static int compare_left(const void *left, const void *right)
{
  const Face *a = left, *b = right;
  if (a->low[0] != b->low[0]) return a->low[0] < b->low[0] ? -1 : 1;
  return a->item < b->item ? -1 : a->item > b->item;
}

/* Faces in the order of their left ends: only those that begin before this one ends can meet it. */
static void compare_all(Order *o)
{
  qsort(o->faces, (size_t)o->count, sizeof *o->faces, compare_left);
  for (int i = 0; i < o->count; i++)
    for (int j = i + 1; j < o->count && o->faces[j].low[0] < o->faces[i].high[0] && !o->failed; j++)
      compare_faces(o, i, j);
}

/* ---------------------------------------------------------------- the order */

/* First everything behind the face, and behind that, then the face itself. Faces that hide each other in a ring are
 * taken as they come. */
static int draw_after_all_behind(Order *o, int first, int *stack, int *out, int done)
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

/* Items with what lies on them, from the back to the front. */
static void rearrange(const Order *o, const int *order, PfItem *sorted)
{
  PfPaint *p = o->paint;
  size_t count = 0;
  for (int i = 0; i < o->count; i++) {
    int k = o->faces[order[i]].item;
    sorted[count++] = p->items.at[k];
    while (k + 1 < (int)p->items.count && p->items.at[k + 1].lies_on) sorted[count++] = p->items.at[++k];
  }
  memcpy(p->items.at, sorted, count*sizeof *sorted);
}

static void sort(Order *o)
{
  Rank *ranks = pf_arena_array(o->arena, Rank, o->count);
  int *stack = pf_arena_array(o->arena, int, o->count), *order = pf_arena_array(o->arena, int, o->count), done = 0;
  PfItem *sorted = pf_arena_array(o->arena, PfItem, o->paint->items.count);
  o->failed = o->failed || !ranks || !stack || !order || !sorted;
  if (o->failed) return;
  compare_all(o);
  if (o->failed) return;
  for (int i = 0; i < o->count; i++) ranks[i] = (Rank){o->faces[i].depth, o->faces[i].item, i};
  qsort(ranks, (size_t)o->count, sizeof *ranks, compare_ranks);
  for (int i = 0; i < o->count; i++)
    if (!o->faces[ranks[i].face].state) done = draw_after_all_behind(o, ranks[i].face, stack, order, done);
  rearrange(o, order, sorted);
}

static void make_faces(Order *o)
{
  PfPaint *p = o->paint;
  o->faces = pf_arena_array(o->arena, Face, p->items.count);
  Point2 *corners = pf_arena_array(o->arena, Point2, p->points.count);
  o->failed = !o->faces || !corners;
  for (size_t i = 0; i < p->items.count && !o->failed; i++) {
    const PfItem *item = p->items.at + i;
    if (item->lies_on) continue;
    Face *f = o->faces + o->count++;
    *f = (Face){.item = (int)i, .corner = corners + item->first};
    make_face(o, item, f);
  }
}

void pf_paint_sort(PfPaint *p)
{
  Order o = {.paint = p, .arena = pf_arena_new(p->allocator)};
  o.failed = !o.arena;
  if (!o.failed && p->items.count) make_faces(&o);
  if (!o.failed && o.count) sort(&o);
  if (o.failed) p->failed = true;
  pf_array_free(p->allocator, &o.links);
  pf_arena_free(o.arena);
}
