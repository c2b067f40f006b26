/* SPDX-License-Identifier: Apache-2.0 */
/* The matrices of the Rosenberg forms (Zhao, Yu, Chen, Feng, Cao 2023), with the coordinates sorted into dependent and
 * independent ones, q = (q1, q2), so that A = [A1 A2] with a regular block A1:
 *
 *   K = A1^-1 A2,   X = K^T M11 K - K^T M12 - M21 K + M22                   (10), (28)
 *   q1'' = R1 F + R2 b,   q2'' = R3 F + R4 b                                (55), (56)
 *   Fc = S1 F + S2 b                                                        (53)
 *
 * R3 = X^-1 [-K^T 1], R4 = X^-1 (K^T M11 - M21) A1^-1, R1 = -K R3, R2 = A1^-1 - K R4, and with R = [R1; R3] and
 * R' = [R2; R4] the forces of the constraints have S1 = M R - 1, S2 = M R'. */
#include "mech/solved.h"

#include <string.h>

typedef struct Work {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const PfSamplePoint *sample;
  const PfElimination *e;
  PfDerivation *d;
  int n, l, free;        /* coordinates, dependent ones, independent ones */
  PfExpr *M, *F;         /* sorted: q1, then q2; F with the forces C */
  PfExpr *A, *b, *K;     /* l x n of the rows that are independent, l, l x free */
  PfExpr *inverse;       /* of A1 */
  PfExpr *X, *R, *Rb;    /* free x free; n x n: q'' by F; n x l: q'' by b */
  const char *stems[PF_MOST_MATRICES]; /* of the matrices of d, as the equations here call them */
} Work;

/* ---------------------------------------------------------------- products */

/* The sum of a[i] b[i], with steps between the entries, in its shortest form. */
static PfStatus product(const Work *w, const PfExpr *a, int step_a, const PfExpr *b, int step_b, int count, PfExpr *out)
{
  PfExpr sum = pf_expr_int(w->ctx, 0);
  for (int i = 0; i < count; i++) sum = pf_expr_add(w->ctx, sum, pf_expr_mul(w->ctx, a[i*step_a], b[i*step_b]));
  *out = pf_expr_simplest(w->ctx, sum);
  return pf_expr_check(w->ctx);
}

/* The same of matrices: rows x inner times inner x columns. */
static PfStatus multiply(const Work *w, const PfExpr *a, int rows, int inner, const PfExpr *b, int columns, PfExpr *out)
{
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) PF_TRY(product(w, a + i*inner, 1, b + j, columns, inner, out + i*columns + j));
  return PF_OK;
}

/* Entries that are long get names, so that products with them stay short. */
static PfStatus name_entries(const Work *w, PfExpr *list, int count)
{
  for (int i = 0; i < count; i++) PF_TRY(pf_name_if_long(w->ctx, w->arena, w->d, list + i));
  return PF_OK;
}

/* ---------------------------------------------------------------- the parts */

/* M, F, A, b and K in the order of q1 and q2. */
static PfStatus sort(Work *w)
{
  PfContext *ctx = w->ctx;
  const int *c = w->e->column, n = w->n;
  PF_TRY(pf_arrays(ctx, w->arena, "the matrices", PF_ROOM2(w->M, n, n), PF_ROOM(w->F, n), PF_ROOM2(w->A, w->l, n),
                   PF_ROOM(w->b, w->l), PF_ROOM2(w->K, w->l, w->free)));
  for (int i = 0; i < n; i++) {
    w->F[i] = pf_expr_simplest(ctx, pf_expr_add(ctx, w->eq->F[c[i]], w->eq->C[c[i]]));
    for (int j = 0; j < n; j++) w->M[i*n + j] = pf_expr_simplest(ctx, w->eq->M[c[i]*n + c[j]]);
  }
  for (int k = 0; k < w->l; k++) {
    const int row = w->e->row[k];
    w->b[k] = pf_expr_simplest(ctx, w->eq->b[row]);
    for (int j = 0; j < n; j++) w->A[k*n + j] = pf_expr_simplest(ctx, w->eq->A[row*n + c[j]]);
  }
  for (int i = 0; i < w->l*w->free; i++) w->K[i] = pf_expr_simplest(ctx, w->e->K[i]);
  return pf_expr_check(ctx);
}

/* A1 x + y = 0 solved for x: -A1^-1 is what stands before y. */
static PfStatus invert(Work *w)
{
  PfContext *ctx = w->ctx;
  const int l = w->l;
  PfElimination e;
  PfSamplePoint sample = *w->sample;
  PfExpr *both, *zero;
  bool *kept;
  PF_TRY(pf_arrays(ctx, w->arena, "the matrices", PF_ROOM2(both, l, 2*l), PF_ROOM(zero, l), PF_ROOM(kept, 2*l),
                   PF_ROOM2(w->inverse, l, l)));
  for (int k = 0; k < l; k++) {
    zero[k] = pf_expr_int(ctx, 0);
    kept[l + k] = true;
    for (int j = 0; j < l; j++) both[2*k*l + j] = w->A[k*w->n + j], both[2*k*l + l + j] = pf_expr_int(ctx, k == j);
  }
  sample.kept = kept;
  sample.unit = NULL;
  PF_TRY(pf_eliminate(ctx, w->arena, &sample, l, 2*l, l, both, zero, &e));
  PF_TRY(pf_eliminate_by_determinants(ctx, w->arena, &sample, 2*l, both, zero, &e));
  for (int k = 0; k < l; k++)
    for (int j = 0; j < l; j++) w->inverse[e.column[k]*l + e.column[l + j] - l] = e.K[k*l + j];
  for (int i = 0; i < l*l; i++) w->inverse[i] = pf_expr_simplest(ctx, w->inverse[i]);
  return pf_expr_check(ctx);
}

/* N^T = [-K^T 1] times M, and X = N^T M N. */
static PfStatus project(Work *w, PfExpr *NM)
{
  PfContext *ctx = w->ctx;
  const int n = w->n, l = w->l, free = w->free;
  PF_TRY(pf_arrays(ctx, w->arena, "the matrices", PF_ROOM2(w->X, free, free)));
  for (int a = 0; a < free; a++)
    for (int j = 0; j < n; j++) {
      PfExpr sum;
      PF_TRY(product(w, w->K + a, free, w->M + j, n, l, &sum));
      NM[a*n + j] = pf_expr_simplest(ctx, pf_expr_sub(ctx, w->M[(l + a)*n + j], sum));
    }
  for (int a = 0; a < free; a++)
    for (int b = 0; b <= a; b++) {
      PfExpr sum;
      PF_TRY(product(w, NM + a*n, 1, w->K + b, free, l, &sum));
      w->X[a*free + b] = w->X[b*free + a] = pf_expr_simplest(ctx, pf_expr_sub(ctx, NM[a*n + l + b], sum));
    }
  return pf_expr_check(ctx);
}

/* q'' by F and by b: R = N X^-1 N^T and R' = [A1^-1; 0] - N X^-1 (N^T M1) A1^-1; M1: the columns of q1. */
static PfStatus solve(Work *w)
{
  PfContext *ctx = w->ctx;
  const int n = w->n, l = w->l, free = w->free;
  bool all = true;
  PfExpr *NM, *unit, *column, *inverse, *N, *NX, *MA, *transposed;
  PF_TRY(pf_arrays(ctx, w->arena, "the matrices", PF_ROOM2(NM, free, n), PF_ROOM(unit, free), PF_ROOM(column, free),
                   PF_ROOM2(inverse, free, free), PF_ROOM2(N, n, free), PF_ROOM2(NX, n, free),
                   PF_ROOM2(MA, free, l), PF_ROOM2(transposed, free, n), PF_ROOM2(w->R, n, n),
                   PF_ROOM2(w->Rb, n, l)));
  PF_TRY(project(w, NM));
  PfSymmetric q = {.ctx = ctx, .arena = w->arena, .sample = w->sample, .X = w->X, .n = free, .named = w->d};
  for (int a = 0; a < free && all; a++) {
    for (int i = 0; i < free; i++) unit[i] = pf_expr_int(ctx, i == a);
    PF_TRY(pf_solve_symmetric(&q, unit, column, &all));
    for (int i = 0; i < free; i++) inverse[i*free + a] = column[i];
  }
  if (!all)
    return pf_fail(ctx, PF_ERR_MODEL, "@matrices: X of these independent accelerations has no inverse: the mass matrix "
                   "does not determine them");
  PF_TRY(name_entries(w, inverse, free*free));
  for (int i = 0; i < n; i++)
    for (int a = 0; a < free; a++) {
      N[i*free + a] = i < l ? pf_expr_neg(ctx, w->K[i*free + a]) : pf_expr_int(ctx, i - l == a);
      transposed[a*n + i] = N[i*free + a];
    }
  PF_TRY(multiply(w, N, n, free, inverse, free, NX));
  PF_TRY(multiply(w, NX, n, free, transposed, n, w->R));
  for (int a = 0; a < free; a++)
    for (int k = 0; k < l; k++) PF_TRY(product(w, NM + a*n, 1, w->inverse + k, l, l, MA + a*l + k));
  PF_TRY(multiply(w, NX, n, free, MA, l, w->Rb));
  for (int i = 0; i < n*l; i++) {
    PfExpr own = i < l*l ? w->inverse[i] : pf_expr_int(ctx, 0);
    w->Rb[i] = pf_expr_simplest(ctx, pf_expr_sub(ctx, own, w->Rb[i]));
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- writing */

/* A matrix with a name like the stem. */
static PfStatus add(Work *w, const char *stem, int rows, int columns, PfExpr *entries)
{
  PfExpr name;
  w->stems[w->d->matrix_count] = stem;
  return pf_matrix_add(w->ctx, w->arena, w->d, stem, rows, columns, entries, &name);
}

/* A block of a matrix with so many columns. */
static PfStatus add_block(Work *w, const char *stem, const PfExpr *from, int columns, const int at[2],
                          const int size[2])
{
  PfExpr *entries;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the matrices", PF_ROOM2(entries, size[0], size[1])));
  for (int i = 0; i < size[0]; i++)
    memcpy(entries + i*size[1], from + (at[0] + i)*columns + at[1], (size_t)size[1]*sizeof *entries);
  return add(w, stem, size[0], size[1], entries);
}

/* The name that the matrix with this stem has got, in a notation; another word stays. */
static const char *name_of(const Work *w, const char *stem, PfNotation notation)
{
  for (int i = 0; i < w->d->matrix_count; i++) {
    if (strcmp(w->stems[i], stem) != 0) continue;
    const char *text = pf_expr_print(w->ctx, w->arena, w->d->matrices[i].name, notation);
    return text ? text : "";
  }
  return stem;
}

/* A line of a formula in which words are names of matrices, ' a rate and ^T the transposed one. */
static PfStatus add_line(const Work *w, const char *formula)
{
  PfText text, latex;
  pf_text_init(&text, pf_context_allocator(w->ctx));
  pf_text_init(&latex, pf_context_allocator(w->ctx));
  for (const char *at = formula; *at;) {
    size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
    if (length && !(*at >= '0' && *at <= '9')) {
      char stem[8] = "";
      bool rates = at[length] == '\'' && at[length + 1] == '\'';
      memcpy(stem, at, length < sizeof stem ? length : sizeof stem - 1); /* all are shorter */
      pf_text_add(&text, name_of(w, stem, PF_TEXT));
      pf_text_print(&latex, rates ? "\\ddot{%s}" : "%s", name_of(w, stem, PF_LATEX));
      if (rates) pf_text_add(&text, "''");
      at += length + (rates ? 2 : 0);
    } else if (!strncmp(at, "^T", 2) || !strncmp(at, "^-1", 3)) {
      const bool transposed = at[1] == 'T';
      pf_text_add(&text, transposed ? "^T" : "^-1");
      pf_text_add(&latex, transposed ? "^{\\mathsf T}" : "^{-1}");
      at += transposed ? 2 : 3;
    } else {
      pf_text_print(&text, "%c", *at);
      pf_text_print(&latex, *at == '*' ? "\\, " : "%c", *at);
      at++;
    }
  }
  PfStatus status = pf_line_add(w->ctx, w->arena, &w->d->matrix_lines, &w->d->matrix_line_count, &text, &latex);
  pf_text_free(&text);
  pf_text_free(&latex);
  return status;
}

/* M q'' and F c of the coordinates in the order of the model: S1 = M R - 1 and S2 = M R'. */
static PfStatus add_forces(Work *w)
{
  PfContext *ctx = w->ctx;
  const int n = w->n, l = w->l, *c = w->e->column;
  PfExpr *S1, *S2, *q;
  PF_TRY(pf_arrays(ctx, w->arena, "the matrices", PF_ROOM2(S1, n, n), PF_ROOM2(S2, n, l), PF_ROOM(q, n)));
  for (int i = 0; i < n; i++) {
    q[i] = w->eq->model->coordinates[c[i]].q;
    for (int j = 0; j < n; j++) {
      PF_TRY(product(w, w->M + i*n, 1, w->R + j, n, n, S1 + i*n + j));
      if (i == j) S1[i*n + j] = pf_expr_simplest(ctx, pf_expr_sub(ctx, S1[i*n + j], pf_expr_int(ctx, 1)));
    }
    for (int k = 0; k < l; k++) PF_TRY(product(w, w->M + i*n, 1, w->Rb + k, l, n, S2 + i*l + k));
  }
  PF_TRY(add(w, "q", n, 1, q));
  PF_TRY(add(w, "F", n, 1, w->F));
  PF_TRY(add(w, "b", l, 1, w->b));
  PF_TRY(add(w, "S1", n, n, S1));
  PF_TRY(add(w, "S2", n, l, S2));
  return add_line(w, "Fc = S1*F + S2*b");
}

/* Z = M11 q1'' + M12 q2'' (35), by the state: row i of M R F + M R' b. */
static PfStatus add_z(Work *w)
{
  PfContext *ctx = w->ctx;
  const int n = w->n, l = w->l;
  PfExpr *a, *Z;
  PF_TRY(pf_arrays(ctx, w->arena, "the matrices", PF_ROOM(a, n), PF_ROOM(Z, l)));
  for (int i = 0; i < n; i++) {
    PfExpr by_forces, by_rows;
    PF_TRY(product(w, w->R + i*n, 1, w->F, 1, n, &by_forces));
    PF_TRY(product(w, w->Rb + i*l, 1, w->b, 1, l, &by_rows));
    a[i] = pf_expr_simplest(ctx, pf_expr_add(ctx, by_forces, by_rows));
  }
  PF_TRY(name_entries(w, a, n));
  for (int k = 0; k < l; k++) PF_TRY(product(w, w->M + k*n, 1, a, 1, n, Z + k));
  return add(w, "Z", l, 1, Z);
}

/* The partition, for both Rosenberg forms. */
static PfStatus add_partition(Work *w)
{
  const int n = w->n, l = w->l, free = w->free, *c = w->e->column;
  PfExpr *q;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the matrices", PF_ROOM(q, n)));
  for (int i = 0; i < n; i++) q[i] = w->eq->model->coordinates[c[i]].q;
  PF_TRY(add_block(w, "q1", q, 1, (int[]){0, 0}, (int[]){l, 1}));
  PF_TRY(add_block(w, "q2", q, 1, (int[]){l, 0}, (int[]){free, 1}));
  PF_TRY(add_block(w, "M11", w->M, n, (int[]){0, 0}, (int[]){l, l}));
  PF_TRY(add_block(w, "M12", w->M, n, (int[]){0, l}, (int[]){l, free}));
  PF_TRY(add_block(w, "M21", w->M, n, (int[]){l, 0}, (int[]){free, l}));
  PF_TRY(add_block(w, "M22", w->M, n, (int[]){l, l}, (int[]){free, free}));
  PF_TRY(add_block(w, "F1", w->F, 1, (int[]){0, 0}, (int[]){l, 1}));
  PF_TRY(add_block(w, "F2", w->F, 1, (int[]){l, 0}, (int[]){free, 1}));
  PF_TRY(add_block(w, "A1", w->A, n, (int[]){0, 0}, (int[]){l, l}));
  PF_TRY(add_block(w, "A2", w->A, n, (int[]){0, l}, (int[]){l, free}));
  PF_TRY(add_block(w, "b", w->b, 1, (int[]){0, 0}, (int[]){l, 1}));
  return add_block(w, "K", w->K, free, (int[]){0, 0}, (int[]){l, free});
}

/* X, R1 … R4 and Z. */
static PfStatus add_solution(Work *w)
{
  const int n = w->n, l = w->l, free = w->free;
  PF_TRY(add_block(w, "X", w->X, free, (int[]){0, 0}, (int[]){free, free}));
  PF_TRY(add_block(w, "R1", w->R, n, (int[]){0, 0}, (int[]){l, n}));
  PF_TRY(add_block(w, "R2", w->Rb, l, (int[]){0, 0}, (int[]){l, l}));
  PF_TRY(add_block(w, "R3", w->R, n, (int[]){l, 0}, (int[]){free, n}));
  PF_TRY(add_block(w, "R4", w->Rb, l, (int[]){l, 0}, (int[]){free, l}));
  PF_TRY(add_z(w));
  PF_TRY(add_line(w, "X = K^T*M11*K - K^T*M12 - M21*K + M22"));
  PF_TRY(add_line(w, "q1'' = R1*(F1, F2) + R2*b"));
  PF_TRY(add_line(w, "q2'' = R3*(F1, F2) + R4*b"));
  return add_line(w, "Z = M11*q1'' + M12*q2''");
}

PfStatus pf_derive_partition_matrices(PfContext *ctx, PfArena *arena, const PfEquations *eq,
                                      const PfSamplePoint *sample, const PfElimination *e, PfPartitionMatrices which,
                                      PfDerivation *d)
{
  Work w = {.ctx = ctx, .arena = arena, .eq = eq, .sample = sample, .e = e, .d = d, .n = eq->n, .l = e->rank,
            .free = eq->n - e->rank};
  if (!w.l || !w.free) {
    pf_fail(ctx, PF_ERR_MODEL, "@matrices with '%s' needs dependent and independent accelerations: %s", d->form,
            w.l ? "all are dependent" : "all are independent");
    pf_hint(ctx, "the matrices of all accelerations are those of @form{multipliers}");
    return PF_ERR_MODEL;
  }
  pf_expr_set_budget(ctx, PF_DERIVE_BUDGET);
  PF_TRY(sort(&w));
  if (which != PF_MATRICES_EMBEDDED) {
    PF_TRY(invert(&w));
    PF_TRY(solve(&w));
  }
  if (which == PF_MATRICES_OF_FORCES) return add_forces(&w);
  PF_TRY(add_partition(&w));
  PF_TRY(add_line(&w, "A1*q1'' + A2*q2'' = b"));
  PF_TRY(add_line(&w, "K = A1^-1*A2"));
  PF_TRY(add_line(&w, "(M21 - K^T*M11)*q1'' + (M22 - K^T*M12)*q2'' = F2 - K^T*F1"));
  return which == PF_MATRICES_SOLVED ? add_solution(&w) : PF_OK;
}
