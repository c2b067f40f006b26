/* SPDX-License-Identifier: Apache-2.0 */
/* How long one evaluation of the accelerations takes, on the two robots of Zhao, Yu, Chen, Feng, Cao 2023:
 *
 *   as the paper codes Udwadia and Kalaba, with the square root of M and a pseudo-inverse, by LAPACK
 *   as the paper codes the extended Rosenberg method, (33)-(34) with matrices, by LAPACK
 *   the closed solution of each robot, written by hand
 *   each formulation of Pfaff
 *
 * All start from the state; M, F, A, b come from the same tape, except in the closed solutions. Every method must give
 * the same accelerations. Prints one table and says which goals are met. */
#include "pfaff/pfaff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STATES = 16, MOST_METHODS = 16, MOST_COORDINATES = 6, MOST_CONSTRAINTS = 3, MOST_WORK = 1024 };
static const double PI = 3.14159265358979323846, SECONDS_IN_BATCH = 60e-6, SECONDS_EACH = 0.5, SECONDS_APART = 0.05;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t); /* batches are shorter than a time slice */
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static _Noreturn void stop(const char *what)
{
  fprintf(stderr, "bench_forms: %s\n", what);
  exit(1);
}

static void *room(size_t count, size_t size)
{
  void *block = calloc(count ? count : 1, size);
  if (!block) stop("out of memory");
  return block;
}

/* ---------------------------------------------------------------- robots */

typedef struct Robot {
  const char *name, *file;
  int n, m;
  double claimed; /* the paper: time of Udwadia-Kalaba over time of the extended Rosenberg method */
  void (*state)(double t, double *q, double *v); /* near the motion from the start, and as the constraints demand */
  void (*closed)(const double *q, const double *v, double *a);
} Robot;

/* The numbers are not const: a compiler must not compute with them beforehand. */
static struct { double k, J, body, momentum; } floating = {.k = 5*4*8, .J = 5*8*8, .body = 2*5*8*8 + 2*5*4*4 + 260.42};

static void floating_state(double t, double *q, double *v)
{
  v[1] = -0.2 + 0.02*t, v[2] = 0.3 + 0.01*t;
  q[0] = PI/36 + 0.1*t, q[1] = -PI/6 - 0.2*t, q[2] = PI/4 + 0.3*t;
  double c1 = cos(q[1]), c2 = cos(q[2]), a11 = floating.body + 2*floating.k*(c1 + c2);
  v[0] = (floating.momentum + (floating.k*c1 + floating.J)*v[1] + (floating.k*c2 + floating.J)*v[2])/a11;
}

/* (48)-(49) with the force vector completed; A is the first row of M, so a11, a12, a13 serve for both. */
static void floating_closed(const double *q, const double *v, double *a)
{
  double k = floating.k, J = floating.J, w = v[0];
  double s1 = sin(q[1]), c1 = cos(q[1]), s2 = sin(q[2]), c2 = cos(q[2]);
  double a11 = floating.body + 2*k*(c1 + c2), a12 = -k*c1 - J, a13 = -k*c2 - J;
  double b = k*(s1*v[1]*(2*w - v[1]) + s2*v[2]*(2*w - v[2]));
  double f = b/a11, f2 = -k*s1*w*w - a12*f, f3 = -k*s2*w*w - a13*f;
  double Y = J*(a12*a12 + a13*a13 - a11*J), cross = a12*a13;
  a[1] = ((a13*a13 - a11*J)*f2 - cross*f3)/Y;
  a[2] = ((a12*a12 - a11*J)*f3 - cross*f2)/Y;
  a[0] = f - (a12*a[1] + a13*a[2])/a11;
}

static struct { double r, L, turn, kappa, push; } omni; /* theta'', 3 I1/Y1, 2 r Q/Y1 */
static const double ALPHA_COS[3] = {0.5, -1, 0.5}, ALPHA_SIN[3] = {0.86602540378443864676, 0, -0.86602540378443864676};

static void omni_numbers(void)
{
  double m1 = 0.2, m2 = 2, I1 = 80e-6, I2 = 2080e-6, r = 0.02, L = 0.04, Q = 0.25e-6;
  double Y1 = 2*r*r*(3*m1 + m2) + 3*I1, Y2 = r*r*(3*m1*L*L + I2) + 3*I1*L*L;
  omni.r = r, omni.L = L, omni.turn = -L*r*Q/Y2, omni.kappa = 3*I1/Y1, omni.push = 2*r*Q/Y1;
}

static void omni_state(double t, double *q, double *v)
{
  v[3] = -0.02/3 - 0.0008*t, v[4] = -0.02/sqrt(3) + 0.0005*t, v[5] = -2.0/3;
  q[0] = 1 + t, q[1] = 1 + t, q[2] = 1 + 2*t, q[3] = 0.001 + v[3]*t, q[4] = 0.001 + v[4]*t, q[5] = PI/6 + v[5]*t;
  for (int i = 0; i < 3; i++) {
    double s = sin(q[5])*ALPHA_COS[i] + cos(q[5])*ALPHA_SIN[i], c = cos(q[5])*ALPHA_COS[i] - sin(q[5])*ALPHA_SIN[i];
    v[i] = (v[3]*s - v[4]*c - omni.L*v[5])/omni.r;
  }
}

/* (53)-(55): the body first, then the wheels from the constraints. */
static void omni_closed(const double *q, const double *v, double *a)
{
  double sine = sin(q[5]), cosine = cos(q[5]), s[3], c[3];
  for (int i = 0; i < 3; i++) {
    s[i] = sine*ALPHA_COS[i] + cosine*ALPHA_SIN[i];
    c[i] = cosine*ALPHA_COS[i] - sine*ALPHA_SIN[i];
  }
  double turning = omni.kappa*v[5];
  a[3] = omni.push*s[0] - turning*v[4];
  a[4] = turning*v[3] - omni.push*c[0];
  a[5] = omni.turn;
  for (int i = 0; i < 3; i++) {
    double b = -v[5]*(v[3]*c[i] + v[4]*s[i]);
    a[i] = (a[3]*s[i] - a[4]*c[i] - omni.L*a[5] - b)/omni.r;
  }
}

static const Robot ROBOTS[] = {
  {"free-floating robot", "spacecraft/free_floating.pf", 3, 1, 7.5, floating_state, floating_closed},
  {"omni robot", "wheels/omni_robot.pf", 6, 3, 4.5, omni_state, omni_closed},
};
enum { ROBOTS_COUNT = sizeof ROBOTS/sizeof *ROBOTS };

/* ---------------------------------------------------------------- the system of a robot */

typedef struct Bench {
  const Robot *robot;
  PfContext *ctx;
  PfArena *arena;
  PfModel *model;
  PfEquations equations;
  PfSystem *system;
  const PfSymbols *symbols;
  double *values[STATES];
  PfTape *tape; /* M, F, A, b */
  double *outputs, *work;
} Bench;

static const char *read_file(Bench *bench)
{
  enum { MOST_TEXT = 1 << 14 };
  char path[1024], *text = pf_arena_array(bench->arena, char, MOST_TEXT);
  snprintf(path, sizeof path, PF_SOURCE_DIR "/examples/%s", bench->robot->file);
  FILE *file = fopen(path, "rb");
  if (!file || !text) stop(path);
  text[fread(text, 1, MOST_TEXT - 1, file)] = '\0';
  fclose(file);
  return text;
}

static PfStatus make_tape(Bench *bench)
{
  const PfEquations *eq = &bench->equations;
  size_t n = (size_t)eq->n, m = (size_t)eq->m, count = n*n + n + m*n + m;
  PfExpr *roots = room(count, sizeof *roots), *at = roots;
  memcpy(at, eq->M, n*n*sizeof *at), at += n*n;
  memcpy(at, eq->F, n*sizeof *at), at += n;
  memcpy(at, eq->A, m*n*sizeof *at), at += m*n;
  memcpy(at, eq->b, m*sizeof *at);
  PfStatus status = pf_tape_new(bench->ctx, bench->symbols->symbol, bench->symbols->count, roots, (int)count,
                                &bench->tape);
  free(roots);
  if (status != PF_OK) return status;
  bench->outputs = room(count, sizeof(double));
  bench->work = room(pf_tape_work_size(bench->tape), sizeof(double));
  return PF_OK;
}

static PfStatus make_states(Bench *bench)
{
  for (int k = 0; k < STATES; k++) {
    double *values = bench->values[k] = room((size_t)bench->symbols->count, sizeof *values);
    PF_TRY(pf_equations_start(bench->ctx, &bench->equations, NULL, values));
    bench->robot->state(SECONDS_APART*k, values + bench->symbols->q, values + bench->symbols->v);
  }
  return PF_OK;
}

static PfStatus make(Bench *bench)
{
  const char *text = read_file(bench);
  PF_TRY(pf_model_read(bench->ctx, bench->robot->file, text, strlen(text), &bench->model));
  PF_TRY(pf_equations_derive(bench->ctx, bench->arena, bench->model, &bench->equations));
  PF_TRY(pf_system_new(bench->ctx, &bench->equations, &bench->system));
  bench->symbols = pf_system_symbols(bench->system);
  PF_TRY(make_tape(bench));
  return make_states(bench);
}

static void discard(Bench *bench)
{
  for (int k = 0; k < STATES; k++) free(bench->values[k]);
  free(bench->outputs);
  free(bench->work);
  pf_tape_free(bench->tape);
  pf_system_free(bench->system);
  pf_arena_free(bench->arena);
  pf_model_free(bench->model);
  pf_context_free(bench->ctx);
}

/* ---------------------------------------------------------------- methods */

typedef struct Method Method;
struct Method {
  char name[64];
  void (*run)(Method *method, const double *values, double *a);
  Bench *bench;
  PfSolver *solver;
  int per_batch;
  double seconds, difference; /* least time of one evaluation; largest relative difference to the closed solution */
  const char *why_not;
};

/* M, F, A, b at a state */
typedef struct Numbers {
  const double *M, *F, *A, *b;
} Numbers;

static Numbers run_tape(const Bench *bench, const double *values)
{
  int n = bench->robot->n, m = bench->robot->m;
  const double *at = bench->outputs;
  pf_tape_run(bench->tape, values, bench->outputs, bench->work);
  return (Numbers){.M = at, .F = at + n*n, .A = at + n*n + n, .b = at + n*n + n + m*n};
}

static void only_tape(Method *method, const double *values, double *a)
{
  Numbers at = run_tape(method->bench, values);
  memcpy(a, at.F, (size_t)method->bench->robot->n*sizeof *a);
}

static void closed(Method *method, const double *values, double *a)
{
  const PfSymbols *symbols = method->bench->symbols;
  method->bench->robot->closed(values + symbols->q, values + symbols->v, a);
}

static void ours(Method *method, const double *values, double *a)
{
  double multiplier[MOST_CONSTRAINTS], force[MOST_COORDINATES];
  PfMotion motion = {.acceleration = a, .multiplier = multiplier, .force = force};
  int row;
  if (pf_solver_accelerate(method->solver, values, &motion, &row) != PF_TROUBLE_NONE) a[0] = NAN;
}

/* C (p x q) = A (p x k) B (k x q) */
static void multiply(const double *A, const double *B, int p, int k, int q, double *C)
{
  for (int i = 0; i < p; i++)
    for (int j = 0; j < q; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++) sum += A[i*k + l]*B[l*q + j];
      C[i*q + j] = sum;
    }
}

/* ---------------------------------------------------------------- the paper's methods, by LAPACK */

void dsyev_(const char *job, const char *triangle, const int *n, double *a, const int *lda, double *w, double *work,
            const int *lwork, int *info, size_t job_length, size_t triangle_length);
void dgesdd_(const char *job, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info,
             size_t job_length);
void dgesv_(const int *n, const int *columns, double *a, const int *lda, int *pivot, double *b, const int *ldb,
            int *info);
void dposv_(const char *triangle, const int *n, const int *columns, double *a, const int *lda, double *b,
            const int *ldb, int *info, size_t triangle_length);

/* There when LAPACK is OpenBLAS. With more than one thread its solvers spend most of their time on asking whether
 * threads would pay, which they do not here. */
void openblas_set_num_threads(int count) __attribute__((weak));

enum { NN = MOST_COORDINATES*MOST_COORDINATES, NM = MOST_COORDINATES*MOST_CONSTRAINTS };

/* root = M^1/2, inverse = M^-1/2, both symmetric. */
static void square_roots(const double *M, int n, double *root, double *inverse)
{
  double V[NN], d[MOST_COORDINATES], work[MOST_WORK];
  int info, size = MOST_WORK;
  memcpy(V, M, (size_t)(n*n)*sizeof *V);
  dsyev_("V", "L", &n, V, &n, d, work, &size, &info, 1, 1); /* the eigenvector k is V[k*n…] */
  for (int k = 0; k < n; k++) d[k] = sqrt(d[k]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0, inverse_sum = 0;
      for (int k = 0; k < n; k++) {
        double part = V[k*n + i]*V[k*n + j];
        sum += part*d[k];
        inverse_sum += part/d[k];
      }
      root[i*n + j] = sum, inverse[i*n + j] = inverse_sum;
    }
}

/* P (n x m) = B^+ for B (m x n), m <= n. By columns B is its transpose, B^T = U diag(s) Vt. */
static void pseudo_inverse(double *B, int m, int n, double *P)
{
  double s[MOST_CONSTRAINTS], U[NM], Vt[NM], work[MOST_WORK];
  int info, size = MOST_WORK, integers[8*MOST_CONSTRAINTS];
  dgesdd_("S", &n, &m, B, &n, s, U, &n, Vt, &m, work, &size, integers, &info, 1);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double sum = 0;
      for (int k = 0; k < m; k++)
        if (s[k] > 1e-14*s[0]) sum += U[k*n + i]*Vt[j*m + k]/s[k];
      P[i*m + j] = sum;
    }
}

/* F^c = M^1/2 (A M^-1/2)^+ (b - A M^-1 F), M q'' = F + F^c: (19)-(20) */
static void literal_uk(Method *method, const double *values, double *a)
{
  int n = method->bench->robot->n, m = method->bench->robot->m;
  Numbers at = run_tape(method->bench, values);
  double root[NN], inverse[NN], B[NM], P[NM], x[MOST_COORDINATES], y[MOST_COORDINATES], r[MOST_CONSTRAINTS];
  square_roots(at.M, n, root, inverse);
  multiply(at.A, inverse, m, n, n, B);
  pseudo_inverse(B, m, n, P);
  multiply(inverse, at.F, n, n, 1, x);
  multiply(inverse, x, n, n, 1, y);
  multiply(at.A, y, m, n, 1, r);
  for (int i = 0; i < m; i++) r[i] = at.b[i] - r[i];
  multiply(P, r, n, m, 1, x);
  multiply(root, x, n, n, 1, y);
  for (int i = 0; i < n; i++) y[i] += at.F[i];
  multiply(inverse, y, n, n, 1, x);
  multiply(inverse, x, n, n, 1, a);
}

/* q2'' = X^-1 (F2 - K^T F1 + (K^T M11 - M21) A1^-1 b), q1'' = A1^-1 b - K q2'': (33)-(34), the first m coordinates
 * dependent. By columns, [K A1^-1 b] is solved for in one call. */
static void matrix_rosenberg(Method *method, const double *values, double *a)
{
  int n = method->bench->robot->n, m = method->bench->robot->m, f = n - m, columns = f + 1, one = 1, info;
  Numbers at = run_tape(method->bench, values);
  double A1[MOST_CONSTRAINTS*MOST_CONSTRAINTS], K[NM + MOST_CONSTRAINTS], G[NN], X[NN], y[MOST_COORDINATES];
  int pivot[MOST_CONSTRAINTS];
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) A1[j*m + i] = at.A[i*n + j];
    for (int j = 0; j < f; j++) K[j*m + i] = at.A[i*n + m + j];
    K[f*m + i] = at.b[i];
  }
  dgesv_(&m, &columns, A1, &m, pivot, K, &m, &info);
  const double *d = K + f*m;
  for (int i = 0; i < f; i++) /* G = N^T M, N = [-K; 1] */
    for (int j = 0; j < n; j++) {
      double sum = at.M[(m + i)*n + j];
      for (int k = 0; k < m; k++) sum -= K[i*m + k]*at.M[k*n + j];
      G[i*n + j] = sum;
    }
  for (int i = 0; i < f; i++) {
    y[i] = at.F[m + i];
    for (int k = 0; k < m; k++) y[i] -= K[i*m + k]*at.F[k] + G[i*n + k]*d[k];
    for (int j = 0; j < f; j++) {
      X[i*f + j] = G[i*n + m + j];
      for (int k = 0; k < m; k++) X[i*f + j] -= G[i*n + k]*K[j*m + k];
    }
  }
  dposv_("L", &f, &one, X, &f, y, &f, &info, 1);
  for (int i = 0; i < m; i++) {
    a[i] = d[i];
    for (int j = 0; j < f; j++) a[i] -= K[j*m + i]*y[j];
  }
  memcpy(a + m, y, (size_t)f*sizeof *a);
}

/* ---------------------------------------------------------------- the list of methods */

enum { TAPE, LITERAL, MATRIX, CLOSED, FIRST_OF_OURS }; /* where they are in the list */

typedef struct List {
  int count;
  Method method[MOST_METHODS];
} List;

static Method *add(List *list, Bench *bench, const char *name,
                   void (*run)(Method *method, const double *values, double *a))
{
  if (list->count == MOST_METHODS) stop("too many methods");
  Method *method = &list->method[list->count++];
  *method = (Method){.run = run, .bench = bench};
  snprintf(method->name, sizeof method->name, "%s", name);
  return method;
}

/* A formulation that does not apply, or that gives no answer at the first state, stays in the list with its reason. */
static void add_ours(List *list, Bench *bench, const PfFormulation *formulation)
{
  Method *method = add(list, bench, pf_formulation_name(formulation), ours);
  double a[MOST_COORDINATES], multiplier[MOST_CONSTRAINTS], force[MOST_COORDINATES];
  PfMotion motion = {.acceleration = a, .multiplier = multiplier, .force = force};
  PfStatus status = pf_solver_new(bench->ctx, bench->system, formulation, &method->solver);
  if (status == PF_OK) {
    int row;
    PfTrouble trouble = pf_solver_accelerate(method->solver, bench->values[0], &motion, &row);
    status = pf_trouble_report(bench->ctx, bench->system, trouble, row);
  }
  if (status == PF_OK) return;
  const char *message = pf_context_message(bench->ctx);
  size_t length = strlen(message) + 1;
  char *why = pf_arena_array(bench->arena, char, length);
  if (!why) stop("out of memory");
  method->why_not = memcpy(why, message, length);
}

static void fill(List *list, Bench *bench)
{
  add(list, bench, "M, F, A, b by the tape, alone", only_tape);
  add(list, bench, "Udwadia-Kalaba literally, LAPACK", literal_uk);
  add(list, bench, "(33)-(34) with matrices, LAPACK", matrix_rosenberg);
  add(list, bench, "closed solution by hand, in C", closed);
  for (int i = 0; pf_formulation(i); i++) add_ours(list, bench, pf_formulation(i));
}

static void empty(List *list)
{
  for (int i = 0; i < list->count; i++) pf_solver_free(list->method[i].solver);
  list->count = 0;
}

/* ---------------------------------------------------------------- measuring */

/* Largest difference to the closed solution over all states, relative to the largest acceleration. */
static void compare(Method *method)
{
  const Bench *bench = method->bench;
  int n = bench->robot->n;
  Method exact = {.bench = method->bench};
  for (int k = 0; k < STATES; k++) {
    double a[MOST_COORDINATES], b[MOST_COORDINATES], most = 0;
    closed(&exact, bench->values[k], a);
    method->run(method, bench->values[k], b);
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    for (int i = 0; i < n; i++) {
      double difference = fabs(a[i] - b[i])/most;
      if (!(difference <= method->difference)) method->difference = difference;
    }
  }
}

static double time_of_batch(Method *method)
{
  double a[MOST_COORDINATES], start = now();
  for (int i = 0; i < method->per_batch; i++) method->run(method, method->bench->values[i%STATES], a);
  return now() - start;
}

static void find_batch_size(Method *method)
{
  for (method->per_batch = STATES;; method->per_batch *= 2) {
    double least = INFINITY;
    for (int i = 0; i < 5; i++) least = fmin(least, time_of_batch(method));
    if (least < SECONDS_IN_BATCH/2) continue;
    method->seconds = least/method->per_batch;
    return;
  }
}

/* Batches of all methods in turn, so that a slow moment of the machine hits all; the shortest batch counts. */
static void measure(List *list)
{
  for (int i = 0; i < list->count; i++)
    if (!list->method[i].why_not) find_batch_size(&list->method[i]);
  for (double begin = now(); now() - begin < SECONDS_EACH*list->count;)
    for (int i = 0; i < list->count; i++) {
      Method *method = &list->method[i];
      if (!method->why_not) method->seconds = fmin(method->seconds, time_of_batch(method)/method->per_batch);
    }
}

/* ---------------------------------------------------------------- the report */

static const Method *fastest_of_ours(const List *list)
{
  const Method *best = NULL;
  for (int i = FIRST_OF_OURS; i < list->count; i++) {
    const Method *method = &list->method[i];
    if (!method->why_not && (!best || method->seconds < best->seconds)) best = method;
  }
  return best ? best : &list->method[0];
}

static const Method *find(const List *list, const char *name)
{
  for (int i = 0; i < list->count; i++)
    if (!strcmp(list->method[i].name, name)) return &list->method[i];
  stop(name);
}

static void print_table(const List *list)
{
  const Robot *robot = list->method[0].bench->robot;
  double literal = list->method[LITERAL].seconds, fastest = fastest_of_ours(list)->seconds;
  printf("\n%s: %d coordinates, %d constraint%s\n", robot->name, robot->n, robot->m, robot->m > 1 ? "s" : "");
  printf("  %-34s%10s%14s%14s%14s\n", "", "ns", "literal U-K", "to fastest", "difference");
  printf("  %-34s%10s%14s%14s%14s\n", "", "", "over this", "of ours", "to closed");
  for (int i = 0; i < list->count; i++) {
    const Method *method = &list->method[i];
    if (method->why_not) {
      printf("  %-34s%10s  %s\n", method->name, "-", method->why_not);
      continue;
    }
    printf("  %-34s%10.0f%14.1f%14.2f", method->name, 1e9*method->seconds, literal/method->seconds,
           method->seconds/fastest);
    if (i == TAPE) puts("");
    else printf("%14.1e\n", method->difference);
  }
}

static void print_claim(const List *list)
{
  const Robot *robot = list->method[0].bench->robot;
  double literal = list->method[LITERAL].seconds;
  printf("  The paper has Udwadia-Kalaba over extended Rosenberg = %.1f (a whole motion, MATLAB). One evaluation "
         "here:\n"
         "  %.1f with matrices for both, %.1f with the closed solution, %.1f with rosenberg_extended.\n",
         robot->claimed, literal/list->method[MATRIX].seconds, literal/list->method[CLOSED].seconds,
         literal/find(list, "rosenberg_extended")->seconds);
}

static void goal(bool met, const Robot *robot, const char *what, double value, const char *aim)
{
  printf("%s%s, %s: %.3g, goal %s\n", met ? "met     " : "MISSED  ", robot->name, what, value, aim);
}

static void print_goals(const List *list)
{
  static const char *const fast[] = {"rosenberg_extended", "maggi"};
  const Robot *robot = list->method[0].bench->robot;
  const Method *slowest = fastest_of_ours(list);
  double fastest = slowest->seconds, literal = list->method[LITERAL].seconds, difference = 0;
  for (int i = LITERAL; i < list->count; i++) {
    const Method *method = &list->method[i];
    if (i >= FIRST_OF_OURS && method->seconds > slowest->seconds) slowest = method;
    if (!method->why_not) difference = fmax(difference, method->difference);
  }
  char what[128];
  snprintf(what, sizeof what, "the slowest of ours (%s) over the fastest", slowest->name);
  goal(slowest->seconds <= 4*fastest, robot, what, slowest->seconds/fastest, "at most 4");
  for (size_t i = 0; i < sizeof fast/sizeof *fast; i++) {
    double ratio = literal/find(list, fast[i])->seconds;
    snprintf(what, sizeof what, "literal U-K over %s", fast[i]);
    goal(ratio >= 10, robot, what, ratio, "at least 10");
  }
  goal(difference <= 1e-12, robot, "largest difference between methods", difference, "1e-12");
}

static void make_list(List *list, Bench *bench, const Robot *robot)
{
  *bench = (Bench){.robot = robot, .ctx = pf_context_new(NULL), .arena = pf_arena_new(NULL)};
  if (!bench->ctx || !bench->arena) stop("out of memory");
  if (make(bench) != PF_OK) stop(pf_context_message(bench->ctx));
  fill(list, bench);
  for (int i = LITERAL; i < list->count; i++)
    if (!list->method[i].why_not) compare(&list->method[i]);
  measure(list);
}

int main(void)
{
  static Bench benches[ROBOTS_COUNT];
  static List lists[ROBOTS_COUNT];
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  floating.momentum = 253.18043876330611;
  omni_numbers();
  for (int i = 0; i < ROBOTS_COUNT; i++) make_list(&lists[i], &benches[i], &ROBOTS[i]);
  puts("\nOne evaluation of the accelerations from the state, nanoseconds (least mean of many short batches).");
  puts("Ours give multipliers and constraint forces as well, the other methods accelerations only.");
  for (int i = 0; i < ROBOTS_COUNT; i++) {
    print_table(&lists[i]);
    print_claim(&lists[i]);
  }
  puts("");
  for (int i = 0; i < ROBOTS_COUNT; i++) print_goals(&lists[i]);
  for (int i = 0; i < ROBOTS_COUNT; i++) {
    empty(&lists[i]);
    discard(&benches[i]);
  }
  return 0;
}
