/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse symmetric systems whose pattern is known beforehand, and the saddle point systems of mechanics
 *   [M A^T; A 0] [x; -lambda] = [f; b]
 * among them. The parts that depend on the pattern alone, the order of elimination and the fill-in, are computed once;
 * the cost of factors and solutions is then that of the filled pattern, and they allocate nothing. */
#ifndef PF_NUM_SPARSE_H
#define PF_NUM_SPARSE_H

#include "num/num.h"

/* An entry of a matrix. */
typedef struct PfEntry {
  int row, column;
} PfEntry;

/* P K P^T = L D L^T with unit lower triangular L and diagonal D, without pivoting for size. */
typedef struct PfSparse {
  int n;
  int *order;               /* n: which row is eliminated k-th */
  int *first, *row;         /* n + 1, count: rows of the columns of L below the diagonal, ascending */
  int *line_first, *column; /* n + 1, count: columns of the rows of L, ascending, */
  int *at;                  /* count: and where in L each of them is */
  int *given_first, *given_column, *given; /* n + 1, …: columns of the rows of P K P^T, and which entry each is */
  double *L, *D;
  double *start;            /* n: sum of the terms of D_k before any is subtracted: |D_k|/start_k is the part of
                               it that cancellation has left */
  double *work;             /* n */
} PfSparse;

/* When the rows of constraints are eliminated, those from `last` on. */
typedef enum PfRowOrder {
  PF_ROWS_LAST, /* after all others */
  PF_ROWS_SOON  /* each as soon as all others that it has elements with are gone: chains stay chains */
} PfRowOrder;

/* Analyses the pattern of a symmetric n x n matrix, of which `entry` lists one triangle; duplicates are added. Of the
 * rows that may be eliminated the one with the fewest elements is next, of equal ones the first. Everything lives in
 * `arena`. */
PfStatus pf_sparse_make(PfContext *ctx, PfArena *arena, const PfEntry *entry, int count, int n, int last,
                        PfRowOrder order, PfSparse *sparse);
/* Multiplications of a factorisation: its cost. */
double pf_sparse_cost(const PfSparse *sparse);
/* With the values of the entries. Values that are not finite end up in D. */
void pf_sparse_factor(PfSparse *sparse, const double *value);
/* x = K^-1 x */
void pf_sparse_solve(PfSparse *sparse, double *x);

/* ---------------------------------------------------------------- saddle points */

/* M (n x n, positive definite) and A (m x n) by their entries: those of the lower triangle of M, then those of A. */
typedef struct PfSaddle {
  int n, m, mass_count, row_count;
  PfEntry *entry;  /* mass_count + row_count; the rows of A are those from n on */
  int *place;      /* n + m: when each row is eliminated */
  PfSparse ldl;
  double *x;       /* n + m: right side and solution */
} PfSaddle;

/* Down to this margin of the rows a solution serves that is refined afterwards, as by Newton's iteration. */
#define PF_SADDLE_REFINED 1e-10
/* Without dense matrices to fall back on a solution is accepted down to this margin of the rows. */
#define PF_SADDLE_LAST 1e-13
/* Is it large enough that its structure may pay, and so large that dense matrices are not kept? */
bool pf_saddle_is_large(int n, int m);
bool pf_saddle_is_huge(int n, int m);
/* Is the sparse factorisation cheaper than a dense one? By the number of multiplications, each of which costs more. */
bool pf_saddle_pays(const PfSaddle *saddle);

/* With PF_ROWS_SOON, too, no pivot can vanish while M is positive definite and the rows are independent: the part that
 * was eliminated so far is a saddle point system of the same kind. Margins are then those of that system, in which the
 * coordinates that are still there stand still. */
PfStatus pf_saddle_make(PfContext *ctx, PfArena *arena, const PfEntry *mass, int mass_count, const PfEntry *rows,
                        int row_count, int n, int m, PfRowOrder order, PfSaddle *saddle);

/* How well determined a solution is. */
typedef struct PfSaddleMargin {
  double mass; /* smallest pivot of M over its diagonal element; at most 0 when M is not positive definite */
  double rows; /* smallest pivot of A M^-1 A^T over its diagonal element, or over length[row]^2 where that is larger */
  int row;     /* of A, to which the second one belongs; -1 without rows */
} PfSaddleMargin;

/* `value` are those of the entries. `length` (m, or NULL) as above. NaN among them makes both margins NaN. */
PfSaddleMargin pf_saddle_factor(PfSaddle *saddle, const double *value, const double *length);
/* The diagonal elements of A M^-1 A^T (m) of the latest factorisation, one by one. */
double pf_saddle_square(const PfSaddle *saddle, int row);
/* x (n) and lambda (m; NULL: not wanted) from f (n; NULL: zeros) and b (m), by the latest factorisation:
 * M x = f + A^T lambda, A x = b. */
void pf_saddle_solve(PfSaddle *saddle, const double *f, const double *b, double *x, double *lambda);

/* A system in numbers: values of the entries, and right sides. */
typedef struct PfSaddleNumbers {
  const double *value, *f, *b;
} PfSaddleNumbers;
/* The residuals of a solution: f - M x + A^T lambda (n) and b - A x (m). */
void pf_saddle_residual(const PfSaddle *saddle, const PfSaddleNumbers *at, const double *x, const double *lambda,
                        double *residual_f, double *residual_b);
/* x += step; returns the largest element of the step over that of x. */
double pf_add_step(double *x, const double *step, int count);

#endif
