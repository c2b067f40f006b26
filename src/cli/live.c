/* SPDX-License-Identifier: Apache-2.0 */
/* Curves in the terminal while a run goes on. They are drawn where the last ones stand, and nothing else on the screen
 * is touched: what came before stays, and the last ones remain. */
#include "cli/live.h"

#include "task/plot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Sizes in characters. A panel has lines above and below its curves; beside them stand numbers. */
enum { AROUND = 5, BESIDE = 14, LEAST_HIGH = 3, GOOD_HIGH = 8, LEAST_WIDE = 20 };
enum { STRETCHES = 256 }; /* of time: more than a line has characters */
static const double SECONDS_BETWEEN = 0.1;

struct LiveCurves {
  Plot plot;
  const Trajectory *trajectory;
  TableThinning thinning;
  double t0, t_end;
  double shown;      /* when it was last drawn */
  int rows, columns; /* of the terminal then */
  int lines;         /* that were drawn then; 0: none */
};

/* ---------------------------------------------------------------- the terminal */

static PfStatus check_terminal(PfContext *ctx, const Console *console)
{
  const char *kind = getenv("TERM");
  bool terminal = console->terminal, moves = kind && *kind && strcmp(kind, "dumb") != 0;
  if (terminal && moves) return PF_OK;
  pf_fail(ctx, PF_ERR_ARGUMENT, terminal ? "--watch: this terminal cannot be drawn on (TERM is %s)"
                                         : "--watch: standard error is no terminal", kind && *kind ? kind : "not set");
  pf_hint(ctx, "'pfaff plot' draws the curves when the motion is over");
  return PF_ERR_ARGUMENT;
}

/* ---------------------------------------------------------------- drawing */

/* The text with every line cleared behind its end, over what was drawn before. Lines that are too long are cut by the
 * terminal, so that their number is known; that is switched off and on within one frame. */
static void put_frame(struct LiveCurves *w, const PfText *drawn, PfText *frame)
{
  pf_text_add(frame, "\033[?7l\r");
  if (w->lines) pf_text_print(frame, "\033[%dA", w->lines);
  w->lines = 0;
  for (const char *at = pf_text_get(drawn), *end; *at; at = end + (*end != 0)) {
    end = at + strcspn(at, "\n");
    pf_text_put(frame, at, (size_t)(end - at));
    pf_text_add(frame, "\033[K\r\n");
    w->lines++;
  }
  pf_text_add(frame, "\033[J\033[?7h");
}

static void draw(struct LiveCurves *w, double t)
{
  PfText drawn, frame;
  pf_text_init(&drawn, pf_context_allocator(w->plot.ctx));
  pf_text_init(&frame, pf_context_allocator(w->plot.ctx));
  /* Another size, and nobody knows where the lines are now. */
  int rows, columns;
  struct winsize size = {0};
  bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col;
  rows = known ? size.ws_row : 24;
  columns = known ? size.ws_col : 80;
  if (w->lines && (rows != w->rows || columns != w->columns)) {
    pf_text_add(&frame, "\033[2J\033[H");
    w->lines = 0;
  }
  w->rows = rows, w->columns = columns;
  int count = w->plot.count;
  /* As many panels as have room, all of one size; none where there is too little, and the time alone is shown.
   * The cursor has a line of its own. */
  const int room = w->rows - 1;
  int panels = room/(AROUND + GOOD_HIGH);
  if (panels < 1) panels = 1;
  if (panels > w->plot.count) panels = w->plot.count;
  w->plot.high = room/panels - AROUND;
  w->plot.wide = w->columns - BESIDE;
  w->plot.count = w->plot.high < LEAST_HIGH || w->plot.wide < LEAST_WIDE ? 0 : panels;
  int hidden = count - w->plot.count;
  const PfModel *model = w->plot.model;
  double part = w->t_end > w->t0 ? (t - w->t0)/(w->t_end - w->t0) : 1;
  pf_text_add_escaped(&drawn, pf_model_label(model), strlen(pf_model_label(model)), "");
  pf_text_print(&drawn, "  t = %.6g of %.6g s, %.0f%%", t, w->t_end, 100*part);
  if (hidden) pf_text_print(&drawn, "; %d more panel%s", hidden, hidden == 1 ? "" : "s");
  pf_plot_print(&w->plot, &drawn);
  w->plot.count = count;
  put_frame(w, &drawn, &frame);
  if (!drawn.failed && !frame.failed) (void)fwrite(pf_text_get(&frame), 1, frame.count, stderr);
  (void)fflush(stderr);
  pf_text_free(&drawn);
  pf_text_free(&frame);
}

/* ---------------------------------------------------------------- along a run */

static PfStatus begin(void *user, Motion *m, const Trajectory *trajectory, const PfRequest *options)
{
  Live *live = user;
  const double from = m->t0, to = m->settings.t_end;
  PF_TRY(check_terminal(m->s->ctx, live->console));
  struct LiveCurves *w = pf_arena_array(m->s->arena, struct LiveCurves, 1);
  if (!w) return pf_no_room(m->s->ctx, "the curves");
  *w = (struct LiveCurves){.trajectory = trajectory, .t0 = from, .t_end = to, .thinning = {.from = from, .to = to}};
  w->plot = (Plot){.options = options, .ctx = m->s->ctx, .arena = m->s->arena, .source_count = 1, .model = m->s->model,
                   .from = from, .to = to};
  w->plot.source[0] = (Source){.session = m->s, .path = options->file, .label = ""};
  live->curves = w;
  Plot *p = &w->plot;
  PfContext *ctx = m->s->ctx;
  Table *table = &p->source[0].table;
  PF_TRY(pf_table_begin(table, &w->thinning, w->trajectory));
  w->thinning.most = (size_t)2*STRETCHES*(2 + 2*(size_t)w->thinning.count);
  int before = pf_diagnostic_count(ctx);
  PfStatus status = pf_plot_panels(p);
  if (status == PF_OK) pf_diagnostics_truncate(ctx, before); /* that there are more columns is no news */
  return status;
}

static PfStatus add(void *user)
{
  struct LiveCurves *w = ((Live *)user)->curves;
  return pf_table_add(&w->plot.source[0].table, &w->thinning, w->trajectory);
}

static void show(void *user, double t)
{
  struct LiveCurves *w = ((Live *)user)->curves;
  double now = pf_clock();
  if (now - w->shown < SECONDS_BETWEEN) return;
  w->shown = now;
  draw(w, t);
}

static void end(void *user, double t)
{
  draw(((Live *)user)->curves, t);
}

static void release(void *user)
{
  struct LiveCurves *w = ((Live *)user)->curves;
  if (w) pf_table_free(w->plot.ctx, &w->plot.source[0].table);
}

const RunWatch pf_live_watch = {begin, add, show, end, release};
