/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff plot STATISTICS.json: histograms of a sweep that kept no rows. */
#include "task/plot.h"
#include "task/sweep.h"
#include "out/json_read.h"

#include <math.h>
#include <string.h>

enum { MOST_SHOWN = 8, MOST_STEPS = 100 };

typedef struct Picture {
  PfContext *ctx;
  PfArena *arena;
  const PfRequest *options;
  const PfJsonNode *root;
} Picture;

/* The kind comes first in such a file. */
bool pf_plot_is_statistics(const char *path)
{
  char head[100] = "";
  const size_t length = strlen(path);
  if (length < 5 || strcmp(path + length - 5, ".json") != 0) return false;
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  const size_t count = fread(head, 1, sizeof head - 1, file);
  fclose(file);
  return count && strstr(head, "\"" PF_STATISTICS_KIND "\"");
}

/* ---------------------------------------------------------------- columns */

static const PfJsonNode *columns_of(const Picture *p)
{
  const PfJsonNode *list = pf_json_member(p->root, "columns");
  return list ? list->child : NULL;
}

static PfStatus find_column(const Picture *p, const char *first, const char *end, const PfJsonNode **column)
{
  const char *nearest = NULL;
  int best = 0;
  while (first < end && *first == ' ') first++;
  while (end > first && end[-1] == ' ') end--;
  const char *name = pf_arena_text(p->arena, first, (size_t)(end - first));
  if (!name) return pf_no_room(p->ctx, "the picture");
  for (const PfJsonNode *c = columns_of(p); c; c = c->next) {
    const char *own = pf_json_text(c, "name");
    if (!own || !pf_json_member(c, "histogram")) continue;
    *column = c;
    if (!strcmp(own, name)) return PF_OK;
    if (pf_name_is_nearer(name, own, &best)) nearest = own;
  }
  pf_fail(p->ctx, PF_ERR_NAME, "@show: there are no statistics of '%s'", name);
  if (nearest) pf_hint(p->ctx, "did you mean '%s'?", nearest);
  return PF_ERR_ARGUMENT;
}

static PfStatus choose(const Picture *p, const PfJsonNode **columns, int *count)
{
  const char *show = p->options->show;
  *count = 0;
  for (const PfJsonNode *c = columns_of(p); c && !show && *count < 4; c = c->next)
    if (pf_json_member(c, "histogram")) columns[(*count)++] = c;
  for (const char *end; show && *show; show = *end ? end + 1 : end) {
    end = pf_piece_end(show, ",:");
    if (*end == ':') {
      pf_fail(p->ctx, PF_ERR_ARGUMENT, "@show{%s}: without rows there are only histograms", p->options->show);
      pf_hint(p->ctx, "write \"a, b\"; a sweep without @statistics_only keeps rows for maps and curves");
      return PF_ERR_ARGUMENT;
    }
    if (*count == MOST_SHOWN) return pf_fail(p->ctx, PF_ERR_ARGUMENT, "@show: more than %d names", MOST_SHOWN);
    PF_TRY(find_column(p, show, end, columns + (*count)++));
  }
  return *count ? PF_OK : pf_fail(p->ctx, PF_ERR_ARGUMENT, "there are no numbers to show");
}

/* ---------------------------------------------------------------- pictures */

static double number_of(const PfJsonNode *object, const char *key)
{
  const PfJsonNode *node = pf_json_member(object, key);
  return node && node->kind == PF_JSON_NUMBER ? node->number : NAN;
}

static int count_of(const PfJsonNode *list)
{
  int count = 0;
  for (const PfJsonNode *n = list ? list->child : NULL; n; n = n->next) count++;
  return count;
}

/* A staircase; several bins make a step where there are very many. */
static PfStatus make_stairs(const Picture *p, const PfJsonNode *column, PfChart *chart)
{
  const PfJsonNode *h = pf_json_member(column, "histogram"), *list = pf_json_member(h, "counts");
  double low = number_of(h, "low"), width = number_of(h, "width");
  const int bins = count_of(list), each = (bins + MOST_STEPS - 1)/MOST_STEPS;
  if (!bins || !isfinite(low) || !isfinite(width))
    return pf_fail(p->ctx, PF_ERR_FILE, "'%s' has no histogram that can be read", p->options->file);
  if (width <= 0) width = fmax(fabs(low)*1e-3, 1e-3), low -= width/2; /* all numbers are the same */
  const int steps = (bins + each - 1)/each;
  double *x = pf_arena_array(p->arena, double, 2*steps + 2), *y = pf_arena_array(p->arena, double, 2*steps + 2);
  if (!x || !y) return pf_no_room(p->ctx, "the picture");
  for (int k = 0; k < 2*steps + 2; k++) { /* each edge twice: up and down */
    const int edge = k/2;
    x[k] = low + width*each*edge;
  }
  int i = 0;
  for (const PfJsonNode *n = list->child; n; n = n->next, i++) y[2*(i/each) + 1] += n->number;
  for (int k = 0; k < steps; k++) y[2*k + 2] = y[2*k + 1];
  return pf_plot_stairs(p->ctx, p->arena, x, y, 2*steps + 2, chart);
}

static const char *head_of(const Picture *p, const PfJsonNode *column)
{
  const char *name = pf_json_text(column, "name"), *unit = pf_json_text(column, "unit");
  const size_t length = strlen(name) + (unit ? strlen(unit) : 0) + 4;
  char *text = pf_arena_alloc(p->arena, length, 1);
  if (text) snprintf(text, length, unit && *unit ? "%s [%s]" : "%s", name, unit);
  return text ? text : "";
}

static const char *title_of(const Picture *p)
{
  const char *name = pf_task_base_name(p->options->file);
  char *text = pf_arena_alloc(p->arena, strlen(name) + 40, 1);
  if (text) snprintf(text, strlen(name) + 40, "%s: %.0f members", name, number_of(p->root, "members"));
  return text ? text : name;
}

static PfStatus draw(const Picture *p, PfText *text)
{
  const PfJsonNode *columns[MOST_SHOWN];
  PfChart charts[MOST_SHOWN];
  int count;
  PF_TRY(choose(p, columns, &count));
  for (int i = 0; i < count; i++) {
    charts[i] = (PfChart){.title = i ? NULL : title_of(p), .x_label = head_of(p, columns[i]), .y_label = "members",
                          .log_y = p->options->log};
    PF_TRY(make_stairs(p, columns[i], charts + i));
  }
  pf_svg_charts(text, charts, count);
  return PF_OK;
}

PfStatus pf_plot_statistics(PfContext *ctx, PfArena *arena, const PfRequest *options)
{
  enum { LARGEST = 1 << 30 };
  Picture p = {ctx, arena, options, NULL};
  PfJsonNode *root;
  const char *bytes;
  size_t size;
  PfText text;
  PF_TRY(pf_task_check_out(ctx, options));
  PF_TRY(pf_file_read(ctx, arena, options->file, LARGEST, &bytes, &size));
  PF_TRY(pf_json_read(ctx, arena, options->file, bytes, size, &root));
  p.root = root;
  pf_text_init(&text, pf_context_allocator(ctx));
  PfStatus status = draw(&p, &text);
  if (status == PF_OK) status = pf_task_write(ctx, options, &text);
  pf_text_free(&text);
  return status;
}
