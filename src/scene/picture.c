/* SPDX-License-Identifier: Apache-2.0 */
/* A scene as SVG: several instants in one picture, the last in full colours; ground grid, traces, scale, and the layout
 * of the page. */
#include "scene/paint_impl.h"

#include <math.h>
#include <string.h>

/* Pixels. */
enum { PAGE_WIDTH = 720, MARGIN = 22, TITLE = 42, BAND = 82, LEAST_HEIGHT = 200, MOST_HEIGHT = 620 };

static const double title_size = 16, font_size = 13;

/* World to page. */
typedef struct Page {
  double low[2], high[2]; /* the extent of the picture, in m */
  double scale, left, bottom, width, height;
} Page;

typedef struct Drawing {
  const PfPicture *picture;
  PfText *text;
  PfCamera camera;
  Page page;
  PfPose ground;
  double floor[4]; /* extent of the ground grid in its own axes: x and y, low and high */
  double cell;
} Drawing;

/* ---------------------------------------------------------------- extent */

/* Where a point of the world is in the plane of the picture, in m. */
static void project(const PfCamera *c, const double p[3], double out[2])
{
  out[0] = pf_dot3(p, c->right);
  out[1] = pf_dot3(p, c->up);
}

/* Enlarges the extent of the page by a point, where that is finite. */
static void cover(Page *page, const PfCamera *c, const double p[3])
{
  double at[2];
  project(c, p, at);
  for (int i = 0; i < 2; i++) {
    if (!isfinite(at[i])) return;
    page->low[i] = fmin(page->low[i], at[i]);
    page->high[i] = fmax(page->high[i], at[i]);
  }
}

/* 1, 2 or 5 times a power of ten, at most x. */
static double nice(double x)
{
  double power = pow(10, floor(log10(x))), lead = x/power;
  return power*(lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

/* The ground below everything that is drawn, a little larger, in whole cells. */
static void find_floor(Drawing *d, const PfPaint *paints, int count)
{
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int k = 0; k < count; k++)
    for (size_t i = 0; i < paints[k].points.count; i++) {
      double local[3];
      pf_pose_local(&d->ground, paints[k].points.at[i].at, local);
      for (int j = 0; j < 2 && isfinite(local[0] + local[1]); j++)
        low[j] = fmin(low[j], local[j]), high[j] = fmax(high[j], local[j]);
    }
  double extent = fmax(high[0] - low[0], high[1] - low[1]);
  if (!(extent > 0) || !isfinite(extent)) return;
  d->cell = nice(extent/5);
  for (int j = 0; j < 2; j++) {
    double pad = 0.06*extent;
    d->floor[2*j] = d->cell*floor((low[j] - pad)/d->cell);
    d->floor[2*j + 1] = d->cell*ceil((high[j] + pad)/d->cell);
  }
}

/* Where a point of the world is on the page, in pixels. */
static void place(const Drawing *d, const double p[3], double out[2])
{
  double at[2];
  project(&d->camera, p, at);
  out[0] = d->page.left + d->page.scale*at[0];
  out[1] = d->page.bottom - d->page.scale*at[1];
}

/* ---------------------------------------------------------------- elements */

/* A layer of items from back to front, each a path. */
static void put_paint(const Drawing *d, const PfPaint *paint, double opacity)
{
  PfText *text = d->text;
  if (opacity < 1) pf_text_print(text, "<g opacity=\"%.2f\">\n", opacity);
  else pf_text_add(text, "<g>\n");
  for (size_t k = 0; k < paint->items.count; k++) {
    const PfItem *item = paint->items.at + k;
    for (int i = 0; i < item->count; i++) {
      double at[2];
      place(d, paint->points.at[item->first + i].at, at);
      pf_text_print(text, "%s%.1f %.1f", i ? "L" : "<path d=\"M", at[0], at[1]);
    }
    if (item->fill == PF_COLOR_NONE) pf_text_add(text, "\" fill=\"none\"");
    else pf_text_print(text, "Z\" fill=\"#%06x\"", item->fill);
    if (item->stroke != PF_COLOR_NONE)
      pf_text_print(text, " stroke=\"#%06x\" stroke-width=\"%.1f\"", item->stroke, item->width);
    pf_text_add(text, "/>\n");
  }
  pf_text_add(text, "</g>\n");
}

static void put_floor_line(const Drawing *d, double x1, double y1, double x2, double y2)
{
  double p[3], q[3], a[2], b[2];
  pf_pose_point(&d->ground, (const double[]){x1, y1, 0}, p);
  pf_pose_point(&d->ground, (const double[]){x2, y2, 0}, q);
  place(d, p, a);
  place(d, q, b);
  pf_text_print(d->text, "<path d=\"M%.1f %.1fL%.1f %.1f\"/>\n", a[0], a[1], b[0], b[1]);
}

/* The lines of the ground grid. */
static void put_floor(const Drawing *d)
{
  const double *f = d->floor;
  if (!(d->cell > 0)) return;
  int columns = (int)lround((f[1] - f[0])/d->cell), rows = (int)lround((f[3] - f[2])/d->cell);
  pf_text_add(d->text, "<g stroke=\"#d9dee3\" fill=\"none\">\n");
  for (int i = 0; i <= columns && i < 200; i++) put_floor_line(d, f[0] + i*d->cell, f[2], f[0] + i*d->cell, f[3]);
  for (int i = 0; i <= rows && i < 200; i++) put_floor_line(d, f[0], f[2] + i*d->cell, f[1], f[2] + i*d->cell);
  pf_text_add(d->text, "</g>\n");
}

/* Words at a place of the page, with further attributes of their element, at most so many pixels wide. */
static void put_words(const Drawing *d, double x, double y, const char *more, double size, const char *words,
                      double most)
{
  pf_text_print(d->text, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" fill=\"#222\"%s>", x, y, size, more);
  pf_label_put(d->text, PF_LABEL_PLAIN, words, size, most);
  pf_text_add(d->text, "</text>\n");
}

/* Three arrows, as long as the same length is along each axis: a scale that is right in every direction. */
static void put_scale(const Drawing *d)
{
  double length = nice(60/d->page.scale), x = MARGIN + 46, y = TITLE + d->page.height + BAND - 20;
  char label[80];
  static const char *const names[] = {"x", "y", "z"};
  for (int i = 0; i < 3; i++) {
    double dx = d->page.scale*length*d->camera.right[i], dy = -d->page.scale*length*d->camera.up[i], l = hypot(dx, dy);
    if (l < 4) continue;
    pf_text_print(d->text, "<path d=\"M%.1f %.1fl%.1f %.1f\" stroke=\"#444\" stroke-width=\"1.2\"/>\n", x, y, dx, dy);
    double ex = dx/l, ey = dy/l, hx = x + dx, hy = y + dy;
    pf_text_print(d->text, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\" fill=\"#444\"/>\n", hx, hy,
                  hx - 7*ex - 3*ey, hy - 7*ey + 3*ex, hx - 7*ex + 3*ey, hy - 7*ey - 3*ex);
    put_words(d, hx + 11*ex, hy + 11*ey + 4, " text-anchor=\"middle\" font-style=\"italic\"", font_size, names[i], 20);
  }
  snprintf(label, sizeof label, d->cell > 0 ? "axes %.4g m, grid %.4g m" : "axes %.4g m", length, d->cell);
  put_words(d, x + 24 + d->page.scale*length, y + 4, "", font_size, label, 200);
}

/* The instants that are shown, at the lower right. */
static void put_times(const Drawing *d)
{
  const PfPicture *p = d->picture;
  PfText words;
  pf_text_init(&words, d->text->allocator);
  for (int i = 0; i < p->count; i++) {
    if (p->count > 8 && i > 1 && i < p->count - 1) {
      if (i == 2) pf_text_add(&words, ", …");
      continue;
    }
    pf_text_print(&words, "%s%.6g", i ? ", " : "t = ", p->times[i]);
  }
  pf_text_add(&words, p->count > 1 ? " s, the earlier the paler" : " s");
  if (p->count > 1 || p->times[0] != 0)
    put_words(d, PAGE_WIDTH - MARGIN, TITLE + d->page.height + BAND - 16, " text-anchor=\"end\"", font_size,
              pf_text_get(&words), 420);
  d->text->failed = d->text->failed || words.failed;
  pf_text_free(&words);
}

/* The beginning of the SVG text: page, background, title. */
static void put_head(const Drawing *d)
{
  double height = ceil(TITLE + d->page.height + BAND);
  pf_text_print(d->text, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
                "viewBox=\"0 0 %d %.0f\" stroke-linejoin=\"round\" stroke-linecap=\"round\" "
                "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n"
                "<rect width=\"%d\" height=\"%.0f\" fill=\"#fff\"/>\n",
                PAGE_WIDTH, height, PAGE_WIDTH, height, PAGE_WIDTH, height);
  const char *title = d->picture->title;
  if (!title || !title[0]) return;
  double room = (PAGE_WIDTH - 2*MARGIN)/1.1; /* bold letters are wider */
  double size = fmax(11, fmin(title_size, room/pf_label_width(PF_LABEL_PLAIN, title, 1)));
  put_words(d, MARGIN, 25, " font-weight=\"bold\"", size, title, room);
}

/* ---------------------------------------------------------------- the whole */

/* Fills the layers: the background, the paths, then one for each instant. A support that does not move is the
 * background; so is a floor that moves, as it is at the end: paths are seen on it. Other shapes that do not move are
 * drawn once. */
static void fill(const PfPicture *p, PfPaint *layers)
{
  const PfScene *scene = p->scene;
  size_t size = (size_t)pf_scene_size(scene);
  for (int i = 0; i < scene->shape_count; i++) {
    const PfShape *s = scene->shapes + i;
    if (s->kind == PF_SHAPE_TRACE && p->path) pf_paint_trace(layers + 1, scene, s, p->path, p->path_count);
    const bool stands = s->pose >= 0 && scene->parts->stands[s->pose];
    const bool background = s->role == PF_ROLE_SUPPORT && (stands || s->kind == PF_SHAPE_SURFACE);
    if (background) pf_paint_shape(layers, scene, s, p->numbers + (size_t)(p->count - 1)*size);
    for (int k = 0; k < (stands ? 1 : p->count) && !background; k++)
      pf_paint_shape(layers + 2 + (stands ? p->count - 1 : k), scene, s, p->numbers + (size_t)k*size);
  }
}

/* Finds the extent of all layers, fits them into the page, and writes them from back to front. */
static PfStatus compose(PfContext *ctx, Drawing *d, PfPaint *layers)
{
  const PfPicture *p = d->picture;
  int count = p->count + 2;
  fill(p, layers);
  d->page = (Page){.low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
  for (PfPaint *layer = layers; layer < layers + count; layer++) {
    pf_paint_sort(layer);
    if (layer->failed) return pf_no_room(ctx, "the picture");
    for (size_t i = 0; i < layer->items.count; i++)
      for (int k = 0; k < layer->items.at[i].count; k++)
        cover(&d->page, &d->camera, layer->points.at[layer->items.at[i].first + k].at);
  }
  if (!(d->page.high[0] >= d->page.low[0]))
    return pf_fail(ctx, PF_ERR_NUMBER, "there is nothing to see: no position is finite");
  if (p->scene->ground) find_floor(d, layers, count);
  for (int i = 0; i < 4 && d->cell > 0; i++) {
    double corner[3];
    pf_pose_point(&d->ground, (const double[]){d->floor[i%2], d->floor[2 + i/2], 0}, corner);
    cover(&d->page, &d->camera, corner);
  }
  Page *page = &d->page;
  double x = page->high[0] - page->low[0], y = page->high[1] - page->low[1], least = fmax(1e-9, 0.02*fmax(x, y));
  x = fmax(x, least), y = fmax(y, least);
  double room = PAGE_WIDTH - 2*MARGIN;
  page->scale = fmin(room/x, MOST_HEIGHT/y);
  page->height = fmax(LEAST_HEIGHT, page->scale*y);
  page->width = room;
  page->left = MARGIN + (room - page->scale*x)/2 - page->scale*page->low[0];
  page->bottom = TITLE + page->height - (page->height - page->scale*y)/2 + page->scale*page->low[1];
  put_head(d);
  put_floor(d);
  for (int i = 0; i < count; i++) { /* the later, the stronger */
    const bool strong = i < 2 || i == count - 1;
    put_paint(d, layers + i, strong ? 1 : 0.25 + 0.35*(i - 2)/fmax(1, p->count - 1));
  }
  put_scale(d);
  put_times(d);
  pf_text_add(d->text, "</svg>\n");
  return d->text->failed ? pf_no_room(ctx, "the picture") : PF_OK;
}

PfStatus pf_scene_svg(PfContext *ctx, const PfPicture *p, PfText *text)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  Drawing d = {.picture = p, .text = text, .camera = pf_camera_make(p->scene, p->view),
               .ground = pf_pose_make(p->scene->ground_at, p->scene->ground_turn)};
  PfArena *arena = pf_arena_new(allocator);
  PfPaint *layers = arena ? pf_arena_array(arena, PfPaint, p->count + 2) : NULL;
  for (int i = 0; i < p->count + 2 && layers; i++)
    layers[i] = (PfPaint){.allocator = allocator, .camera = d.camera, .size = p->scene->size};
  PfStatus status = layers ? compose(ctx, &d, layers) : pf_no_room(ctx, "the picture");
  for (int i = 0; i < p->count + 2 && layers; i++) pf_paint_free(layers + i);
  pf_arena_free(arena);
  return status;
}
