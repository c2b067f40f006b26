/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra in a prime field, and the formulations over it: what a proof is made of. Matrices are row
 * by row. */
#ifndef PF_FORM_EXACT_H
#define PF_FORM_EXACT_H

#include "expr/field.h"

/* ---------------------------------------------------------------- matrices (exact.c) */

/* C (p x q) = A (p x k) B (k x q); the other with A^T for a k x p matrix A. C is not A or B. */
void pf_exact_product(const PfField *f, const uint64_t *A, const uint64_t *B, int p, int k, int q, uint64_t *C);
void pf_exact_transposed_product(const PfField *f, const uint64_t *A, const uint64_t *B, int p, int k, int q,
                                 uint64_t *C);
/* T (q x p) = A^T */
void pf_exact_transpose(const uint64_t *A, int p, int q, uint64_t *T);
/* c = a + b, a - b; c may be a or b. */
void pf_exact_add(const PfField *f, const uint64_t *a, const uint64_t *b, int count, uint64_t *c);
void pf_exact_subtract(const PfField *f, const uint64_t *a, const uint64_t *b, int count, uint64_t *c);
/* Are all elements zero? */
bool pf_exact_is_zero(const uint64_t *a, int count);

/* Gauss and Jordan on the m x width matrix W, in place: row k ends with a 1 in column pivot[k], where the
 * other rows have 0. Pivots are taken in the columns `order` (count of them; NULL: 0, 1, …) as far as
 * possible. The rank. */
int pf_exact_reduce(const PfField *f, uint64_t *W, int m, int width, const int *order, int count, int *pivot);

/* A X = B for an n x n matrix A and q columns; `work` has room for n*(n + q). False when A is singular. */
bool pf_exact_solve(const PfField *f, const uint64_t *A, int n, const uint64_t *B, int q, uint64_t *work,
                    uint64_t *X);

/* Independent rows of the m x n matrix A, the first that are: their number, and which they are. `work`:
 * m*n. */
int pf_exact_independent_rows(const PfField *f, const uint64_t *A, int m, int n, uint64_t *work, int *rows);

/* Solutions of A x = b: x = a + N y with N (n x (n - rank)); dependent unknowns are looked for in `order`
 * (NULL: from the first). `work`: m*(n + 1), `pivot`: n. The rank, or -1 when there is no solution. */
int pf_exact_solutions(const PfField *f, const uint64_t *A, const uint64_t *b, int m, int n, const int *order,
                       uint64_t *work, int *pivot, uint64_t *N, uint64_t *a);

/* ---------------------------------------------------------------- formulations (exact_forms.c) */

/* A system at one point of a field. */
typedef struct PfExactSystem {
  const PfField *field;
  int n, m, rank;
  const uint64_t *M, *load;       /* load: F + C */
  const uint64_t *A, *b;          /* `rank` independent rows */
  const uint64_t *all_A, *all_b;  /* m rows */
  int levels;
  const int *level_rows, *level_first; /* of the cascade: level l has the rows level_rows[level_first[l]] … */
  int speeds;                     /* how many pseudo-velocities the laconic equations have */
  bool user_speeds;               /* the user has chosen them: Maggi takes them too */
  const uint64_t *G, *g, *N, *drift; /* G omega' = g, q'' = N omega' + drift; NULL without laconic equations */

  uint64_t *pool; /* memory of a formulation, and its numbers of columns */
  size_t pool_used, pool_room;
  int *pivot, *order, *columns;
} PfExactSystem;

/* How much memory a formulation may take from a system of this size. */
size_t pf_exact_pool_size(int n, int m);
/* So many zeros from the pool of the system, valid until pool_used is reset. */
uint64_t *pf_exact_take(PfExactSystem *at, int count);

/* Why a formulation has no answer, in words for people. */
#define PF_EXACT_ANSWERS(ENTRY) \
  ENTRY(PF_EXACT_DONE, "") \
  ENTRY(PF_EXACT_ABSENT, "there are no such equations for this model") \
  ENTRY(PF_EXACT_SINGULAR_MASS, "the mass matrix is singular") \
  ENTRY(PF_EXACT_NOT_UNIQUE, "inertia and constraints leave some acceleration open") \
  ENTRY(PF_EXACT_UNDETERMINED, "its equations alone contain dependent accelerations and do not determine them") \
  ENTRY(PF_EXACT_UNDEFINED, "its equations divide by zero in the admissible states") \
  ENTRY(PF_EXACT_OTHER_RANK, "its velocities were chosen for states where fewer constraints are redundant") \
  ENTRY(PF_EXACT_CONTRADICTION, "its constraints contradict each other")

typedef enum PfExactAnswer {
#define PF_EXACT_ENTRY(code, text) code,
  PF_EXACT_ANSWERS(PF_EXACT_ENTRY)
#undef PF_EXACT_ENTRY
} PfExactAnswer;

/* A formulation over a field: its own algebra for the accelerations q2 (n). `growth` bounds the degree of numerator and
 * denominator beyond that of the entries of the system. */
typedef struct PfExactForm {
  const char *name;
  PfExactAnswer (*accelerate)(PfExactSystem *at, uint64_t *q2);
  double (*growth)(int n, int rank, int speeds);
} PfExactForm;

/* All of them, in the order of pf_formulation. */
extern const PfExactForm pf_exact_forms[];
extern const int pf_exact_form_count;

#endif
