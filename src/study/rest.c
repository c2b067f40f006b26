/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of steady motions in a plane: along parallels to both axes a rate that changes its sign has a zero, and where
 * all other rates are zero with it, the motion is steady. Isolated ones are met by no parallel but by chance. */
#include "study/rest.h"

#include <math.h>
#include <string.h>

enum { LINES = 33, PIECES = 24, HALVINGS = 44 };

typedef struct Search {
  const PfRest *rest;
  int n, axis;            /* the axis along which the line goes */
  double across;          /* where it is on the other one */
  double *rate[3];        /* at the last point, at this one, in between */
  double scale;           /* the largest rate so far */
  int count, room;
  double *a, *b;
} Search;

static void place(const Search *s, double along, double value[2])
{
  value[s->axis] = along;
  value[1 - s->axis] = s->across;
}

/* The rates of the field at a point of the line. */
static PfStatus look(Search *s, double along, double *rate, bool *found)
{
  const PfRest *r = s->rest;
  double value[2];
  place(s, along, value);
  memcpy(r->f->full, r->home, (size_t)r->f->count*sizeof *r->home);
  pf_dynamics_use_chart(r->f, r->chart);
  PF_TRY(pf_dynamics_go(r->f, r->levels->origin));
  PF_TRY(pf_levels_go_to(r->levels, value, found));
  if (!*found) return PF_OK;
  pf_dynamics_rate(r->f, rate);
  for (int k = 0; k < s->n; k++) {
    if (r->cyclic[k]) rate[k] = 0;
    if (isfinite(rate[k])) s->scale = fmax(s->scale, fabs(rate[k]));
    else *found = false;
  }
  return PF_OK;
}

static bool is_steady(const Search *s, const double *rate)
{
  for (int k = 0; k < s->n; k++)
    if (fabs(rate[k]) > 1e-7*s->scale) return false;
  return true;
}

static void keep(Search *s, double along)
{
  double value[2];
  if (s->count == s->room) return;
  place(s, along, value);
  s->a[s->count] = value[0], s->b[s->count++] = value[1];
}

/* Halves the interval in which the k-th rate changes its sign; s->rate[0] is at its low end. */
static PfStatus close_in(Search *s, int k, double low, double high)
{
  double *middle = s->rate[2];
  bool found = true, rises = s->rate[0][k] < 0;
  for (int i = 0; i < HALVINGS && found; i++) {
    double at = (low + high)/2;
    PF_TRY(look(s, at, middle, &found));
    if ((middle[k] < 0) == rises) low = at;
    else high = at;
  }
  if (found && is_steady(s, middle)) keep(s, (low + high)/2);
  return PF_OK;
}

/* The rate that changes its sign the most between two points, -1: none does. */
static int find_change(const Search *s)
{
  int best = -1;
  double most = 0;
  for (int k = 0; k < s->n; k++) {
    double a = s->rate[0][k], b = s->rate[1][k];
    if (a*b < 0 && fabs(b - a) > most) best = k, most = fabs(b - a);
  }
  return best;
}

static PfStatus search_line(Search *s)
{
  const PfRest *r = s->rest;
  double low = r->low[s->axis], width = r->high[s->axis] - low;
  bool had = false;
  for (int i = 0; i <= PIECES; i++) {
    bool found;
    double at = low + width*(i + 0.137)/PIECES; /* a line of symmetry is met between two points */
    PF_TRY(look(s, at, s->rate[1], &found));
    int k = had && found ? find_change(s) : -1;
    if (k >= 0) PF_TRY(close_in(s, k, at - width/PIECES, at));
    had = found;
    double *last = s->rate[0];
    s->rate[0] = s->rate[1], s->rate[1] = last;
  }
  return PF_OK;
}

PfStatus pf_rest_find(PfArena *arena, const PfRest *r, int *count, double **a, double **b)
{
  Search s = {.rest = r, .n = pf_dynamics_size(r->f), .room = 8*LINES};
  size_t most = 2*(size_t)(r->f->n + r->f->nw);
  for (int i = 0; i < 3; i++) s.rate[i] = pf_arena_array(arena, double, most);
  s.a = pf_arena_array(arena, double, s.room), s.b = pf_arena_array(arena, double, s.room);
  if (!s.rate[0] || !s.rate[1] || !s.rate[2] || !s.a || !s.b) return pf_no_room(r->ctx, "the portrait");
  for (s.axis = 0; s.axis < 2; s.axis++)
    for (int i = 0; i < LINES; i++) {
      int other = 1 - s.axis;
      s.across = r->low[other] + (r->high[other] - r->low[other])*(i + 0.5)/LINES;
      PF_TRY(search_line(&s));
    }
  *count = s.count < 4 ? 0 : s.count;
  *a = s.a, *b = s.b;
  return PF_OK;
}
