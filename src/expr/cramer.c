/* SPDX-License-Identifier: Apache-2.0 */
/* Linear equations by determinants: the divisors are the quantities that must not vanish, and no others. */
#include "expr/eliminate.h"

#include <math.h>
#include <string.h>

PfExpr pf_expr_determinant(PfContext *ctx, const PfExpr *X, int n)
{
  if (n == 1) return X[0];
  if (n == 2) return pf_expr_sub(ctx, pf_expr_mul(ctx, X[0], X[3]), pf_expr_mul(ctx, X[1], X[2]));
  PfExpr sum = pf_expr_int(ctx, 0);
  for (int j = 0; j < 3; j++) {
    int a = (j + 1)%3, b = (j + 2)%3;
    PfExpr minor = pf_expr_sub(ctx, pf_expr_mul(ctx, X[3 + a], X[6 + b]), pf_expr_mul(ctx, X[3 + b], X[6 + a]));
    sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, X[j], minor));
  }
  return sum;
}

/* The rest after the constant pivots: S x_S = g - B x_free for s unknowns that have none. */
typedef struct Rest {
  PfContext *ctx;
  PfArena *arena;
  const PfSamplePoint *sample;
  int s, right;        /* unknowns; right sides: the free columns, then g */
  PfExpr *S, *B;       /* s x s, s x right */
  PfExpr *x;           /* s x right: S^-1 B */
  bool *reach;         /* s x s: see close_reach */
  int divisor_count;
  PfExpr *divisors, determinant;
  double *sizes;
  bool good;
  PfStatus status;
} Rest;

/* Shortest where that is found in a reasonable time. */
static PfExpr tidy(PfContext *ctx, PfExpr e)
{
  enum { LONG_ENTRY = 1500 };
  return pf_expr_length(ctx, e) > LONG_ENTRY ? e : pf_expr_simplest(ctx, e);
}

/* Finds an unknown for each row: along paths that exchange rows and unknowns by turns, breadth first. row_of[j]: the
 * row of unknown j. */
static PfStatus match(Rest *w, int *row_of)
{
  const int s = w->s;
  int *queue, *from;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the elimination", PF_ROOM(queue, s), PF_ROOM(from, s)));
  for (int j = 0; j < s; j++) row_of[j] = -1;
  for (int first = 0; first < s; first++) {
    int head = 0, tail = 0, end = -1;
    for (int j = 0; j < s; j++) from[j] = -1;
    queue[tail++] = first;
    while (head < tail && end < 0) {
      int row = queue[head++];
      for (int j = 0; j < s && end < 0; j++) {
        if (from[j] >= 0 || pf_expr_is_structural_zero(w->ctx, w->S[row*s + j])) continue;
        from[j] = row;
        if (row_of[j] < 0) end = j;
        else queue[tail++] = row_of[j];
      }
    }
    if (end < 0) {
      w->good = false;
      return PF_OK;
    }
    while (end >= 0) { /* back along the path */
      int row = from[end], before = -1;
      for (int j = 0; j < s; j++)
        if (row_of[j] == row) before = j;
      row_of[end] = row;
      end = row == first ? -1 : before;
    }
  }
  return PF_OK;
}

/* Unknowns that determine each other are one block: reach[i, j] says that the row of unknown i contains j, or an
 * unknown from which j is reached. */
static void close_reach(const Rest *w, const int *row_of)
{
  const int s = w->s;
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++)
      w->reach[i*s + j] = i == j || !pf_expr_is_structural_zero(w->ctx, w->S[row_of[i]*s + j]);
  for (int k = 0; k < s; k++)
    for (int i = 0; i < s; i++)
      for (int j = 0; j < s && w->reach[i*s + k]; j++) w->reach[i*s + j] = w->reach[i*s + j] || w->reach[k*s + j];
}

/* One block by Cramer's rule; the unknowns of other blocks in its rows are solved for already. */
static PfStatus solve_block(Rest *w, const int *row_of, const int *block, int count)
{
  PfContext *ctx = w->ctx;
  const int s = w->s;
  PfExpr own[PF_MOST_CRAMER*PF_MOST_CRAMER] = {0}, other[PF_MOST_CRAMER*PF_MOST_CRAMER], right[PF_MOST_CRAMER] = {0};
  w->good = count <= PF_MOST_CRAMER;
  if (!w->good) return PF_OK;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++) own[i*count + j] = w->S[row_of[block[i]]*s + block[j]];
  PfExpr below = tidy(ctx, pf_expr_determinant(ctx, own, count));
  double size = fabs(pf_sample_value(ctx, w->sample, below, w->sample->generic, &w->status));
  w->good = !pf_expr_is_structural_zero(ctx, below) && size > 0;
  if (!w->good) return PF_OK;
  if (!pf_sample_is_constant(ctx, w->sample, below))
    w->divisors[w->divisor_count] = below, w->sizes[w->divisor_count++] = size;
  w->determinant = pf_expr_mul(ctx, w->determinant, below);
  for (int c = 0; c < w->right; c++) {
    for (int i = 0; i < count; i++) {
      const int row = row_of[block[i]];
      right[i] = w->B[row*w->right + c];
      for (int j = 0; j < s; j++) {
        bool inside = false;
        for (int k = 0; k < count; k++) inside = inside || block[k] == j;
        if (!inside && !pf_expr_is_structural_zero(ctx, w->S[row*s + j]))
          right[i] = pf_expr_sub(ctx, right[i], pf_expr_mul(ctx, w->S[row*s + j], w->x[j*w->right + c]));
      }
    }
    for (int k = 0; k < count; k++) {
      memcpy(other, own, sizeof own);
      for (int i = 0; i < count; i++) other[i*count + k] = right[i];
      PfExpr above = tidy(ctx, pf_expr_determinant(ctx, other, count));
      w->x[block[k]*w->right + c] = tidy(ctx, pf_expr_div(ctx, above, below));
    }
  }
  return pf_expr_check(ctx);
}

/* Block after block: the next one needs no unknown that is not solved for. */
static PfStatus solve_rest(Rest *w)
{
  const int s = w->s;
  int *row_of, *block;
  bool *done;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the elimination", PF_ROOM(row_of, s), PF_ROOM(block, s), PF_ROOM(done, s),
                   PF_ROOM2(w->reach, s, s), PF_ROOM2(w->x, s, w->right), PF_ROOM(w->divisors, s),
                   PF_ROOM(w->sizes, s)));
  PF_TRY(match(w, row_of));
  if (!w->good) return PF_OK;
  close_reach(w, row_of);
  for (int solved = 0; solved < s && w->good;) {
    int first = -1, count = 0;
    for (int i = 0; i < s && first < 0; i++) {
      bool ready = !done[i];
      for (int j = 0; j < s; j++) ready = ready && (done[j] || !w->reach[i*s + j] || w->reach[j*s + i]);
      if (ready) first = i;
    }
    for (int j = 0; j < s; j++)
      if (!done[j] && w->reach[first*s + j]) block[count++] = j;
    PF_TRY(solve_block(w, row_of, block, count));
    for (int k = 0; k < count; k++) done[block[k]] = true;
    solved += count;
  }
  return w->status;
}

/* The chosen rows in their order, and which unknowns are not solved for. */
static PfStatus choose(PfContext *ctx, PfArena *arena, int n, const PfExpr *A, const PfExpr *f, const PfElimination *e,
                       PfExpr **rows, PfExpr **right, bool **kept)
{
  PF_TRY(pf_arrays(ctx, arena, "the elimination", PF_ROOM2(*rows, e->rank, n), PF_ROOM(*right, e->rank),
                   PF_ROOM(*kept, n)));
  for (int i = e->rank; i < n; i++) (*kept)[e->column[i]] = true;
  for (int i = 0, last = -1; i < e->rank; i++) {
    int next = -1;
    for (int k = 0; k < e->rank; k++)
      if (e->row[k] > last && (next < 0 || e->row[k] < next)) next = e->row[k];
    memcpy(*rows + i*n, A + next*n, (size_t)n*sizeof *A);
    (*right)[i] = f[next];
    last = next;
  }
  return PF_OK;
}

PfStatus pf_eliminate_by_determinants(PfContext *ctx, PfArena *arena, const PfSamplePoint *sample, int n,
                                      const PfExpr *A, const PfExpr *f, PfElimination *e)
{
  const int r = e->rank, free = n - r;
  PfElimination first;
  PfSamplePoint chosen = *sample;
  PfExpr *rows, *right, *K, *d;
  bool *kept;
  if (!e->divisor_count) return PF_OK;
  PF_TRY(choose(ctx, arena, n, A, f, e, &rows, &right, &kept));
  chosen.kept = kept;
  PF_TRY(pf_eliminate_constants(ctx, arena, &chosen, r, n, rows, right, &first));
  const int c = first.rank, s = r - c;
  Rest w = {.ctx = ctx, .arena = arena, .sample = sample, .s = s, .right = free + 1, .good = true,
            .determinant = pf_expr_int(ctx, 1)};
  int *place; /* of an unknown among those without constant pivots */
  PF_TRY(pf_arrays(ctx, arena, "the elimination", PF_ROOM2(w.S, s, s), PF_ROOM2(w.B, s, w.right), PF_ROOM(place, n),
                   PF_ROOM2(K, r, free), PF_ROOM(d, r)));
  for (int j = 0; j < n; j++) place[j] = -1;
  for (int k = 0, unknown = 0; k < r; k++) { /* in the order of the elimination, as conditions are listed */
    bool solved = false;
    for (int i = 0; i < c; i++) solved = solved || first.column[i] == e->column[k];
    if (!solved) place[e->column[k]] = unknown++;
  }
  for (int i = 0; i < s; i++) {
    const PfExpr *own = first.A + first.row[c + i]*n;
    for (int j = c; j < n; j++)
      if (!kept[first.column[j]]) w.S[i*s + place[first.column[j]]] = own[first.column[j]];
    for (int j = 0; j < free; j++) w.B[i*w.right + j] = own[e->column[r + j]];
    w.B[i*w.right + free] = first.residual[first.row[c + i]];
  }
  PF_TRY(solve_rest(&w));
  if (!w.good) return PF_OK;
  /* The others from their constant pivots: x = d - K x_free with x_S put in. */
  for (int k = 0; k < r; k++) {
    int pivot = -1;
    for (int i = 0; i < c; i++)
      if (first.column[i] == e->column[k]) pivot = i;
    for (int j = 0; j <= free; j++) {
      PfExpr value;
      if (pivot < 0) value = w.x[place[e->column[k]]*w.right + j];
      else {
        const PfExpr *own = first.K + pivot*(n - c);
        value = first.d[pivot];
        for (int i = 0; i < n - c && j < free; i++)
          if (first.column[c + i] == e->column[r + j]) value = own[i];
        for (int i = 0; i < n - c; i++)
          if (!kept[first.column[c + i]] && !pf_expr_is_structural_zero(ctx, own[i]))
            value = pf_expr_sub(ctx, value, pf_expr_mul(ctx, own[i], w.x[place[first.column[c + i]]*w.right + j]));
        value = tidy(ctx, value);
      }
      *(j < free ? K + k*free + j : d + k) = value;
    }
  }
  e->K = K;
  e->d = d;
  e->divisor_count = w.divisor_count;
  e->divisors = w.divisors;
  e->divisor_sizes = w.sizes;
  e->determinant = tidy(ctx, pf_expr_mul(ctx, first.determinant, w.determinant));
  return pf_expr_check(ctx);
}
