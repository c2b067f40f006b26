/* Watch over the independence of the constraints. Its measure is the smallest pivot of the rows of A, each of length one,
 * in elimination with row exchanges: 1 when they are orthogonal, 0 when one follows from the others. A run may step right
 * over an instant where it vanishes, with accelerations that stay finite; so a minimum inside a step is looked for. */
#include "time/manifold.h"
#include "time/time_impl.h"

#include <math.h>
#include <string.h>

typedef struct Watch {
  double *rows;   /* m x n: what is left of each row */
  int *order;
  double *y;
  double before, now; /* measure at the ends of the last two steps */
  double slope;       /* of the measure at `now`, by a small difference */
  int row;
} Watch;

static const double lost = 1e-6;

PfStatus pf_watch_make(PfMotionRun *run)
{
  Watch *w = run->watch = pf_run_array(run, Watch, 1);
  if (!w) return PF_ERR_MEMORY;
  w->rows = pf_run_array(run, double, (size_t)run->m*(size_t)run->n);
  w->order = pf_run_array(run, int, run->m);
  w->y = pf_run_array(run, double, 2*(size_t)run->n);
  w->before = w->now = 1;
  return w->rows && w->order && w->y ? PF_OK : PF_ERR_MEMORY;
}

/* Modified Gram-Schmidt with row pivoting: the smallest part of a row that was new. */
static double measure(PfMotionRun *run, Watch *w, double t, const double *y)
{
  PfManifold *f = run->projection;
  int n = run->n, m = run->m;
  run->values[run->symbols->time] = t;
  memcpy(run->values + run->symbols->q, y, 2*(size_t)n*sizeof *y);
  pf_tape_run(f->tape, run->values, f->out, f->work);
  for (int i = 0; i < m; i++) {
    double length = pf_norm(f->A + (size_t)i*(size_t)n, n);
    for (int j = 0; j < n; j++) w->rows[i*n + j] = length > 0 ? f->A[i*n + j]/length : 0;
    w->order[i] = i;
  }
  double smallest = 1;
  for (int k = 0; k < m; k++) {
    int best = k;
    double length = -1;
    for (int i = k; i < m; i++) {
      double left = pf_norm(w->rows + (size_t)w->order[i]*(size_t)n, n);
      if (left > length) length = left, best = i;
    }
    int row = w->order[best];
    w->order[best] = w->order[k], w->order[k] = row;
    if (length < smallest) smallest = length, w->row = row;
    if (!(length > 0)) return 0;
    double *pivot = w->rows + (size_t)row*(size_t)n;
    for (int i = k + 1; i < m; i++) {
      double *other = w->rows + (size_t)w->order[i]*(size_t)n;
      double part = pf_dot(pivot, other, n)/(length*length);
      for (int j = 0; j < n; j++) other[j] -= part*pivot[j];
    }
  }
  return smallest;
}

static double measure_inside(PfMotionRun *run, Watch *w, double t)
{
  run->method->interpolate(run, t, w->y);
  return measure(run, w, t, w->y);
}

/* Golden section on the last step. */
static double find_minimum(PfMotionRun *run, Watch *w, double *t)
{
  const double golden = 0.61803398874989485;
  double a = run->t_old, b = run->t, x1 = b - golden*(b - a), x2 = a + golden*(b - a);
  double f1 = measure_inside(run, w, x1), f2 = measure_inside(run, w, x2);
  for (int k = 0; k < 60 && b - a > 1e-13*fmax(1, fabs(b)); k++) {
    if (f1 < f2) {
      b = x2, x2 = x1, f2 = f1;
      f1 = measure_inside(run, w, x1 = b - golden*(b - a));
    } else {
      a = x1, x1 = x2, f1 = f2;
      f2 = measure_inside(run, w, x2 = a + golden*(b - a));
    }
  }
  *t = f1 < f2 ? x1 : x2;
  return measure_inside(run, w, *t);
}

static void note(PfMotionRun *run, Watch *w, double size, double t)
{
  if (size >= run->result->weakest) return;
  run->result->weakest = size;
  run->result->weakest_t = t;
  run->result->weakest_row = w->row;
}

bool pf_watch_step(PfMotionRun *run)
{
  Watch *w = run->watch;
  if (run->m < 2 && run->m*run->n == 0) return false;
  double small = 1e-4*(run->t - run->t_old);
  double start_slope = w->slope, before = w->now;
  w->now = measure(run, w, run->t, run->y);
  note(run, w, w->now, run->t);
  double inside = measure_inside(run, w, run->t - small);
  w->slope = (w->now - inside)/small;
  w->before = before;
  bool dips = start_slope <= 0 && w->slope >= 0 && (before > 0 || w->now > 0);
  bool deep = fmin(before, w->now) < 0.3; /* far from dependent: no need to look */
  double t, least = w->now;
  if (dips && deep) {
    least = find_minimum(run, w, &t);
    note(run, w, least, t);
  }
  return least < lost;
}
