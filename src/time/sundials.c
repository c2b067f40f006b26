/* SPDX-License-Identifier: Apache-2.0 */
/* CVODE and IDA of SUNDIALS as methods of a run: the only file that knows SUNDIALS. One call of theirs is one step of
 * ours.
 *
 *   cvode_adams, cvode_bdf   y' = f(t, y), y = (q, v), accelerations by the chosen formulation
 *   ida, ida2                the residuals of index 1 and 2 (residual.h) in (q, v, lambda, mu)
 *
 * Projection. SUNDIALS keeps the past of y; the change of y by the projection after a step is kept here as an offset,
 * and SUNDIALS integrates z = y - offset. A constant does not change the differences of past values, which is all that
 * a multistep formula uses, so this is coordinate projection without a restart. (CVodeSetProjFn does the same for BDF
 * only, and gives up at tight tolerances.) */
#include "base/library.h"
#include "time/manifold.h"
#include "time/residual.h"

#ifndef PF_HAVE_SUNDIALS

static PfStatus say_missing(PfMotionRun *run)
{
  pf_fail(run->ctx, PF_ERR_MISSING, "the method '%s' needs the library SUNDIALS, and this build has none",
          run->stepper.method->name);
  pf_hint(run->ctx, "install it (libsundials-dev on Debian) and build again, or use dopri5 or dop853");
  return PF_ERR_MISSING;
}

#define STEPS .prepare = say_missing

#else

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <ida/ida.h>
#include <ida/ida_ls.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <float.h>
#include <math.h>
#include <string.h>

typedef enum Family { ADAMS, BDF, IDA_INDEX_1, IDA_INDEX_2 } Family;

/* The functions of SUNDIALS in use: of both solvers, and of each. They are loaded when such a method starts: CVODE and
 * IDA are two libraries, PF_SUNDIALS_FILE and PF_SUNDIALS_IDA_FILE, and each contains the shared functions. Without
 * these names they are linked, as from version 7 on, where vectors and matrices are libraries of their own. */
#define SHARED_FUNCTIONS(USE) \
  USE(SUNContext_Create) USE(SUNContext_Free) USE(N_VDestroy) USE(N_VGetArrayPointer) USE(N_VMake_Serial) \
  USE(N_VNew_Serial) USE(SUNDenseMatrix) USE(SUNDenseMatrix_Column) USE(SUNMatDestroy) USE(SUNLinSol_Dense) \
  USE(SUNLinSolFree)
#define CVODE_FUNCTIONS(USE) \
  USE(CVode) USE(CVodeCreate) USE(CVodeFree) USE(CVodeGetDky) USE(CVodeGetNumErrTestFails) \
  USE(CVodeGetNumStepSolveFails) USE(CVodeInit) USE(CVodeReInit) USE(CVodeSStolerances) USE(CVodeSetInitStep) \
  USE(CVodeSetJacFn) USE(CVodeSetLinearSolver) USE(CVodeSetMaxErrTestFails) USE(CVodeSetMaxStep) \
  USE(CVodeSetNonlinearSolver) USE(CVodeSetStopTime) USE(CVodeSetUserData) USE(SUNNonlinSol_FixedPoint) \
  USE(SUNNonlinSolFree)
#define IDA_FUNCTIONS(USE) \
  USE(IDACreate) USE(IDAFree) USE(IDAGetDky) USE(IDAGetNumErrTestFails) USE(IDAGetNumStepSolveFails) USE(IDAInit) \
  USE(IDAReInit) USE(IDASVtolerances) USE(IDASetId) USE(IDASetInitStep) USE(IDASetJacFn) USE(IDASetLinearSolver) \
  USE(IDASetMaxErrTestFails) USE(IDASetMaxStep) USE(IDASetStopTime) USE(IDASetSuppressAlg) USE(IDASetUserData) \
  USE(IDASolve)
#if SUNDIALS_VERSION_MAJOR >= 7
#define SHARED_SILENCE(USE) USE(SUNContext_ClearErrHandlers) USE(SUNContext_PushErrHandler)
#define CVODE_SILENCE(USE)
#define IDA_SILENCE(USE)
#else
#define SHARED_SILENCE(USE)
#define CVODE_SILENCE(USE) USE(CVodeSetErrHandlerFn)
#define IDA_SILENCE(USE) USE(IDASetErrHandlerFn)
#endif
#define OF_BOTH(USE) SHARED_FUNCTIONS(USE) SHARED_SILENCE(USE)
#define OF_CVODE(USE) CVODE_FUNCTIONS(USE) CVODE_SILENCE(USE)
#define OF_IDA(USE) IDA_FUNCTIONS(USE) IDA_SILENCE(USE)

typedef struct Sundials {
  OF_BOTH(PF_LIBRARY_MEMBER)
  union {
    struct {
      OF_CVODE(PF_LIBRARY_MEMBER)
    };
    struct {
      OF_IDA(PF_LIBRARY_MEMBER)
    };
  };
} Sundials;

typedef struct Sun {
  Family family;
  const Sundials *library;
  SUNContext context;
  void *memory;                  /* of CVODE or IDA */
  SUNMatrix matrix;
  SUNLinearSolver linear;
  SUNNonlinearSolver nonlinear;
  /* z, z', z between steps, absolute tolerances, 1 for differential unknowns */
  N_Vector state, rate, inside, size, kind;
  double *z, *dz;                /* numbers of state and rate */
  double *y, *dy, *offset;       /* 2n */
  int unknowns;
  long rejected;                 /* as counted by SUNDIALS so far */
  PfTrouble trouble;             /* of the latest evaluation that failed */
  int row;
  PfResiduals rows;              /* all but Adams */
  bool *dropped, redundant;      /* m: constraints that follow from the others, if any; their multipliers are zero */
  double *At, *force;            /* IDA: n x m, n */
  PfQr share;
  double *K, *G;                 /* BDF: R_(a, lambda), R_(q, v) of R = motion and constraints */
  double *right, *solution;
  PfQr qr;
} Sun;

static bool is_ida(const Sun *s)
{
  return s->family >= IDA_INDEX_1;
}

/* ---------------------------------------------------------------- CVODE */

static void keep_trouble(PfMotionRun *run, Sun *s)
{
  s->trouble = run->flow.trouble;
  s->row = run->flow.row;
}

static int cvode_flow(sunrealtype t, N_Vector state, N_Vector rate, void *user)
{
  PfMotionRun *run = user;
  Sun *s = run->stepper.data;
  const double *z = s->library->N_VGetArrayPointer(state);
  for (int i = 0; i < 2*run->n; i++) s->y[i] = z[i] + s->offset[i];
  if (pf_flow(run, t, s->y, s->library->N_VGetArrayPointer(rate))) return 0;
  keep_trouble(run, s);
  return 1;
}

/* The Jacobian of R(q, v, a, lambda) = 0 gives that of a: R_(a, lambda) d(a, lambda) = -R_(q, v) d(q, v). */
static int cvode_jacobian(sunrealtype t, N_Vector state, N_Vector rate, SUNMatrix J, void *user, N_Vector t1,
                          N_Vector t2, N_Vector t3)
{
  (void)rate, (void)t1, (void)t2, (void)t3;
  PfMotionRun *run = user;
  Sun *s = run->stepper.data;
  PfResiduals *rows = &s->rows;
  int n = run->n, N = n + run->m;
  const double *z = s->library->N_VGetArrayPointer(state);
  for (int i = 0; i < 2*n; i++) s->y[i] = z[i] + s->offset[i];
  if (!pf_flow(run, t, s->y, s->dy)) return keep_trouble(run, s), 1;
  pf_residuals_set(rows, run->symbols, t, s->y, s->dy + n, run->flow.multiplier, NULL);
  pf_residuals_jacobian(rows);
  memset(s->K, 0, (size_t)N*(size_t)N*sizeof *s->K);
  memset(s->G, 0, 2*(size_t)n*(size_t)N*sizeof *s->G);
  for (int i = 0; i < rows->entries.count; i++) {
    int row = rows->entries.row[i] - n, column = rows->entries.column[i];
    if (row < 0) continue;
    if (column < 2*n) s->G[row*2*n + column] = -rows->value[i];
    else s->K[row*N + column - 2*n] = rows->value[i];
  }
  if (pf_qr_factor(&s->qr, s->K, 1e-13) != PF_OK) return 1;
  for (int j = 0; j < 2*n; j++) {
    for (int i = 0; i < N; i++) s->right[i] = s->G[i*2*n + j];
    pf_qr_solve(&s->qr, s->right, s->solution);
    double *column = s->library->SUNDenseMatrix_Column(J, j); /* zeroed by CVODE */
    if (j >= n) column[j - n] = 1;
    memcpy(column + n, s->solution, (size_t)n*sizeof *column);
  }
  return 0;
}

/* ---------------------------------------------------------------- IDA */

static void set_ida_inputs(const PfMotionRun *run, Sun *s, double t, N_Vector state, N_Vector rate)
{
  int n = run->n;
  const double *z = s->library->N_VGetArrayPointer(state), *dz = s->library->N_VGetArrayPointer(rate);
  for (int i = 0; i < 2*n; i++) s->y[i] = z[i] + s->offset[i];
  pf_residuals_set(&s->rows, run->symbols, t, s->y, dz + n, z + 2*n, z + 2*n + run->m);
}

/* Does the row follow from the others? Then it is replaced by: its multiplier is zero. */
static bool is_dropped(const Sun *s, int row)
{
  int k = row - 2*s->rows.n;
  return k >= 0 && s->dropped[k < s->rows.m ? k : s->rows.position_row[k - s->rows.m]];
}

static int ida_residual(sunrealtype t, N_Vector state, N_Vector rate, N_Vector residual, void *user)
{
  PfMotionRun *run = user;
  Sun *s = run->stepper.data;
  PfResiduals *rows = &s->rows;
  const double *z = s->library->N_VGetArrayPointer(state), *dz = s->library->N_VGetArrayPointer(rate);
  double *out = s->library->N_VGetArrayPointer(residual);
  run->result.evaluations++;
  set_ida_inputs(run, s, t, state, rate);
  int bad = pf_residuals_find(rows);
  if (bad >= 0) {
    s->trouble = PF_TROUBLE_NOT_FINITE;
    s->row = bad < run->n ? bad : bad - run->n;
    return 1;
  }
  for (int i = 0; i < rows->count; i++)
    out[i] = i < run->n ? dz[i] - rows->r[i] : is_dropped(s, i) ? z[i] : rows->r[i];
  return 0;
}

/* dR/dz + c dR/dz'. The rows of rates are z' - r. */
static int ida_jacobian(sunrealtype t, sunrealtype c, N_Vector state, N_Vector rate, N_Vector residual, SUNMatrix J,
                        void *user, N_Vector t1, N_Vector t2, N_Vector t3)
{
  (void)residual, (void)t1, (void)t2, (void)t3;
  PfMotionRun *run = user;
  Sun *s = run->stepper.data;
  PfResiduals *rows = &s->rows;
  int n = run->n;
  set_ida_inputs(run, s, t, state, rate);
  pf_residuals_jacobian(rows);
  for (int i = 0; i < n; i++) SM_ELEMENT_D(J, i, i) = c;
  for (int i = 2*n; i < rows->count; i++)
    if (is_dropped(s, i)) SM_ELEMENT_D(J, i, i) = 1;
  for (int i = 0; i < rows->entries.count; i++) {
    int row = rows->entries.row[i], column = rows->entries.column[i];
    if (is_dropped(s, row)) continue;
    bool acceleration = column >= 2*n && column < 3*n;
    double value = row < n ? -rows->value[i] : acceleration ? c*rows->value[i] : rows->value[i];
    SM_ELEMENT_D(J, row, column < 2*n ? column : column - n) += value;
  }
  return 0;
}

/* The multipliers of the accelerations; those that are left take over from those that were dropped: A^T lambda stays
 * what it was. */
static void set_multipliers(PfMotionRun *run, Sun *s)
{
  int n = run->n, m = run->m;
  double *lambda = s->z + 2*n;
  memcpy(lambda, run->flow.multiplier, (size_t)m*sizeof *lambda);
  if (!s->redundant) return;
  PfManifold *manifold = run->projection;
  (void)pf_manifold_rows(manifold, run->flow.values); /* at the state of the latest evaluation */
  for (int i = 0; i < n; i++) {
    s->force[i] = 0;
    for (int k = 0; k < m; k++) {
      s->force[i] += manifold->A[k*n + i]*lambda[k];
      s->At[i*m + k] = s->dropped[k] ? 0 : manifold->A[k*n + i];
    }
  }
  if (pf_qr_factor(&s->share, s->At, 0) != PF_OK) return;
  pf_qr_solve(&s->share, s->force, lambda);
  for (int k = 0; k < m; k++) /* constraints on accelerations have no row in A of the manifold */
    if (pf_system_equations(run->system)->velocity[k] == PF_EXPR_NONE) lambda[k] = run->flow.multiplier[k];
}

/* Rates and multipliers of the start. When it has none, the run will say so itself. Rows of A that follow from the
 * others are left out: the matrix of Newton's method would be singular. Which ones may change along the way. */
static PfStatus start_ida(PfMotionRun *run, Sun *s)
{
  size_t n = (size_t)run->n;
  if (!pf_flow(run, run->state.t, run->state.y, run->state.dy)) return PF_OK;
  run->result.evaluations--;
  memcpy(s->dz, run->state.dy, 2*n*sizeof *s->dz);
  s->redundant = pf_watch_choose(run, s->dropped);
  s->At = pf_run_array(run, double, n*(size_t)run->m);
  s->force = pf_run_array(run, double, n);
  if (!s->At || !s->force) return PF_ERR_MEMORY;
  PF_TRY(pf_qr_make(run->ctx, run->arena, run->n, run->m, &s->share));
  set_multipliers(run, s);
  return PF_OK;
}

/* ---------------------------------------------------------------- setting up */

#ifdef PF_SUNDIALS_FILE

static PfStatus open_library(PfContext *ctx, Sun *s)
{
  static const char *const of_cvode[] = {OF_BOTH(PF_LIBRARY_NAME) OF_CVODE(PF_LIBRARY_NAME)};
  static const char *const of_ida[] = {OF_BOTH(PF_LIBRARY_NAME) OF_IDA(PF_LIBRARY_NAME)};
  enum { CVODE_COUNT = sizeof of_cvode/sizeof *of_cvode, IDA_COUNT = sizeof of_ida/sizeof *of_ida };
  static const PfLibrary cvode = {PF_SUNDIALS_FILE, of_cvode, CVODE_COUNT, CVODE_COUNT, NULL};
  static const PfLibrary ida = {PF_SUNDIALS_IDA_FILE, of_ida, IDA_COUNT, IDA_COUNT, NULL};
  const void *functions;
  static const char need[] = "this method needs SUNDIALS (Debian: libsundials-cvode6, libsundials-ida6)";
  PfStatus status = pf_library_require(ctx, is_ida(s) ? &ida : &cvode, need, &functions);
  s->library = functions;
  return status;
}

#else

static PfStatus open_library(PfContext *ctx, Sun *s)
{
  static const Sundials cvode = {OF_BOTH(PF_LIBRARY_LINKED) OF_CVODE(PF_LIBRARY_LINKED)};
  static const Sundials ida = {OF_BOTH(PF_LIBRARY_LINKED) OF_IDA(PF_LIBRARY_LINKED)};
  (void)ctx;
  s->library = is_ida(s) ? &ida : &cvode;
  return PF_OK;
}

#endif

#if SUNDIALS_VERSION_MAJOR >= 7
static void be_silent(int line, const char *function, const char *file, const char *words, SUNErrCode code, void *user,
                      SUNContext context)
{
  (void)line, (void)function, (void)file, (void)words, (void)code, (void)user, (void)context;
}

static bool make_context(Sun *s)
{
  if (s->library->SUNContext_Create(SUN_COMM_NULL, &s->context) != 0) return false;
  s->library->SUNContext_ClearErrHandlers(s->context);
  return s->library->SUNContext_PushErrHandler(s->context, be_silent, NULL) == 0;
}

static void silence(Sun *s)
{
  (void)s;
}
#else
static void be_silent(int code, const char *module, const char *function, char *words, void *user)
{
  (void)code, (void)module, (void)function, (void)words, (void)user;
}

static bool make_context(Sun *s)
{
  return s->library->SUNContext_Create(NULL, &s->context) == 0;
}

static void silence(Sun *s)
{
  if (is_ida(s)) s->library->IDASetErrHandlerFn(s->memory, be_silent, NULL);
  else s->library->CVodeSetErrHandlerFn(s->memory, be_silent, NULL);
}
#endif

static PfStatus make_vectors(PfMotionRun *run, Sun *s)
{
  size_t N = (size_t)s->unknowns, n2 = 2*(size_t)run->n;
  s->z = pf_run_array(run, double, N);
  s->dz = pf_run_array(run, double, N);
  s->y = pf_run_array(run, double, n2);
  s->dy = pf_run_array(run, double, n2);
  s->offset = pf_run_array(run, double, n2);
  if (!s->z || !s->dz || !s->y || !s->dy || !s->offset) return PF_ERR_MEMORY;
  memcpy(s->z, run->state.y, n2*sizeof *s->z);
  if (!make_context(s)) return pf_no_room(run->ctx, "SUNDIALS");
  s->state = s->library->N_VMake_Serial(s->unknowns, s->z, s->context);
  s->rate = s->library->N_VMake_Serial(s->unknowns, s->dz, s->context);
  s->inside = s->library->N_VNew_Serial(s->unknowns, s->context);
  s->size = s->library->N_VNew_Serial(s->unknowns, s->context);
  s->kind = s->library->N_VNew_Serial(s->unknowns, s->context);
  return s->state && s->rate && s->inside && s->size && s->kind ? PF_OK : pf_no_room(run->ctx, "SUNDIALS");
}

static bool make_linear(Sun *s)
{
  s->matrix = s->library->SUNDenseMatrix(s->unknowns, s->unknowns, s->context);
  s->linear = s->matrix ? s->library->SUNLinSol_Dense(s->state, s->matrix, s->context) : NULL;
  return s->linear != NULL;
}

static bool set_up_cvode(PfMotionRun *run, Sun *s)
{
  const Sundials *sun = s->library;
  const PfRunOptions *o = &run->options;
  s->memory = sun->CVodeCreate(s->family == ADAMS ? CV_ADAMS : CV_BDF, s->context);
  if (!s->memory) return false;
  silence(s);
  bool good = sun->CVodeInit(s->memory, cvode_flow, run->state.t, s->state) == 0 &&
              sun->CVodeSetUserData(s->memory, run) == 0 &&
              sun->CVodeSStolerances(s->memory, o->rtol, o->atol) == 0 &&
              sun->CVodeSetStopTime(s->memory, run->state.t_end) == 0 &&
              sun->CVodeSetMaxErrTestFails(s->memory, 20) == 0;
  if (good && o->step > 0) good = sun->CVodeSetInitStep(s->memory, o->step) == 0;
  if (good && o->largest_step > 0) good = sun->CVodeSetMaxStep(s->memory, o->largest_step) == 0;
  if (!good) return false;
  if (s->family == ADAMS) { /* not stiff: the corrector is iterated as it stands */
    s->nonlinear = sun->SUNNonlinSol_FixedPoint(s->state, 0, s->context);
    return s->nonlinear && sun->CVodeSetNonlinearSolver(s->memory, s->nonlinear) == 0;
  }
  return make_linear(s) && sun->CVodeSetLinearSolver(s->memory, s->linear, s->matrix) == 0 &&
         (!s->rows.jacobian || sun->CVodeSetJacFn(s->memory, cvode_jacobian) == 0);
}

/* IDA's first step is 0.5/|y'| in units of the tolerance. Where a velocity is zero and the tolerance is tight that is
 * less than time can be resolved: then it is given. */
static bool set_first_step(const PfMotionRun *run, Sun *s)
{
  const PfRunOptions *o = &run->options;
  double sum = 0, least = 16*PF_SHORTEST_STEP(run->state.t);
  int n2 = 2*run->n;
  for (int i = 0; i < n2; i++) {
    double rate = s->dz[i]/(o->rtol*fabs(s->z[i]) + o->atol);
    sum += rate*rate/n2;
  }
  double first = o->step > 0 ? o->step : sum > 0 && 0.5/sqrt(sum) < least ? least : 0; /* 0: its own */
  return s->library->IDASetInitStep(s->memory, first) == 0;
}

static bool set_up_ida(PfMotionRun *run, Sun *s)
{
  const Sundials *sun = s->library;
  const PfRunOptions *o = &run->options;
  s->memory = sun->IDACreate(s->context);
  if (!s->memory) return false;
  silence(s);
  /* multipliers are out of the error test, and too large a tolerance for them keeps them out of Newton's as well */
  double *size = sun->N_VGetArrayPointer(s->size), *kind = sun->N_VGetArrayPointer(s->kind);
  for (int i = 0; i < s->unknowns; i++) {
    int row = i - 2*run->n; /* of a multiplier, lambda or mu */
    if (row >= run->m) row = s->rows.position_row[row - run->m];
    kind[i] = row < 0;
    size[i] = row < 0 ? o->atol : 1e20/pf_manifold_scale(run->projection, row);
  }
  bool good = sun->IDAInit(s->memory, ida_residual, run->state.t, s->state, s->rate) == 0 &&
              sun->IDASetUserData(s->memory, run) == 0 &&
              sun->IDASVtolerances(s->memory, o->rtol, s->size) == 0 && sun->IDASetId(s->memory, s->kind) == 0 &&
              sun->IDASetSuppressAlg(s->memory, SUNTRUE) == 0 &&
              sun->IDASetStopTime(s->memory, run->state.t_end) == 0 &&
              sun->IDASetMaxErrTestFails(s->memory, 20) == 0;
  good = good && set_first_step(run, s);
  if (good && o->largest_step > 0) good = sun->IDASetMaxStep(s->memory, o->largest_step) == 0;
  return good && make_linear(s) && sun->IDASetLinearSolver(s->memory, s->linear, s->matrix) == 0 &&
         (!s->rows.jacobian || sun->IDASetJacFn(s->memory, ida_jacobian) == 0);
}

static PfStatus prepare(PfMotionRun *run)
{
  const PfMethod *method = run->stepper.method;
  const int N = run->n + run->m;
  Sun *s = run->stepper.data = pf_run_array(run, Sun, 1);
  if (!s) return PF_ERR_MEMORY;
  s->family = method == &pf_method_cvode_adams ? ADAMS : method == &pf_method_cvode_bdf ? BDF
              : method == &pf_method_ida ? IDA_INDEX_1 : IDA_INDEX_2;
  s->unknowns = 2*run->n;
  s->dropped = pf_run_array(run, bool, run->m);
  if (!s->dropped) return PF_ERR_MEMORY;
  if (is_ida(s)) PF_TRY(pf_project_check_sizes(run));
  if (s->family != ADAMS) PF_TRY(pf_residuals_make(run, s->family == IDA_INDEX_2 ? PF_INDEX_2 : PF_INDEX_1, &s->rows));
  if (s->family == BDF) { /* for the Jacobian of the accelerations */
    s->K = pf_run_array(run, double, (size_t)N*(size_t)N);
    s->G = pf_run_array(run, double, (size_t)N*2*(size_t)run->n);
    s->right = pf_run_array(run, double, N);
    s->solution = pf_run_array(run, double, N);
    if (!s->K || !s->G || !s->right || !s->solution) return PF_ERR_MEMORY;
    PF_TRY(pf_qr_make(run->ctx, run->arena, N, N, &s->qr));
  }
  if (is_ida(s)) s->unknowns = s->rows.count;
  PF_TRY(open_library(run->ctx, s));
  PF_TRY(make_vectors(run, s));
  if (is_ida(s)) PF_TRY(start_ida(run, s));
  return (is_ida(s) ? set_up_ida(run, s) : set_up_cvode(run, s)) ? PF_OK : pf_no_room(run->ctx, "SUNDIALS");
}

static void release(PfMotionRun *run)
{
  Sun *s = run->stepper.data;
  if (s->memory && is_ida(s)) s->library->IDAFree(&s->memory);
  else if (s->memory) s->library->CVodeFree(&s->memory);
  if (s->nonlinear) s->library->SUNNonlinSolFree(s->nonlinear);
  if (s->linear) s->library->SUNLinSolFree(s->linear);
  if (s->matrix) s->library->SUNMatDestroy(s->matrix);
  N_Vector vectors[] = {s->state, s->rate, s->inside, s->size, s->kind};
  for (size_t i = 0; i < sizeof vectors/sizeof *vectors; i++)
    if (vectors[i]) s->library->N_VDestroy(vectors[i]);
  if (s->context) s->library->SUNContext_Free(&s->context);
}

/* ---------------------------------------------------------------- steps */

static void count_rejected(PfMotionRun *run, Sun *s)
{
  long errors = 0, failures = 0;
  if (is_ida(s)) {
    s->library->IDAGetNumErrTestFails(s->memory, &errors);
    s->library->IDAGetNumStepSolveFails(s->memory, &failures);
  } else {
    s->library->CVodeGetNumErrTestFails(s->memory, &errors);
    s->library->CVodeGetNumStepSolveFails(s->memory, &failures);
  }
  run->result.rejected += errors + failures - s->rejected;
  s->rejected = errors + failures;
}

/* From a state that is not the end of the last step. */
static bool restart(PfMotionRun *run, Sun *s)
{
  size_t n = (size_t)run->n;
  run->stepper.restart = false;
  if (s->rows.inputs) pf_run_copy_inputs(run, s->rows.inputs);
  if (!pf_flow(run, run->state.t, run->state.y, run->state.dy)) return false;
  memset(s->z, 0, (size_t)s->unknowns*sizeof *s->z);
  memcpy(s->z, run->state.y, 2*n*sizeof *s->z);
  s->rejected = 0;
  if (!is_ida(s)) return s->library->CVodeReInit(s->memory, run->state.t, s->state) == 0;
  memset(s->dz, 0, (size_t)s->unknowns*sizeof *s->dz);
  memcpy(s->dz, run->state.dy, 2*n*sizeof *s->dz);
  set_multipliers(run, s);
  return s->library->IDAReInit(s->memory, run->state.t, s->state, s->rate) == 0 && set_first_step(run, s);
}

static PfStepEnd step(PfMotionRun *run)
{
  Sun *s = run->stepper.data;
  int n2 = 2*run->n;
  double t = run->state.t;
  if (is_ida(s) && s->redundant && pf_watch_choose_again(run, s->dropped, NULL)) run->stepper.restart = true;
  if (run->stepper.restart && !restart(run, s)) return PF_STEP_TROUBLE;
  for (int i = 0; i < n2; i++) s->offset[i] = run->state.y[i] - s->z[i];
  if (is_ida(s)) s->library->IDASetStopTime(s->memory, run->state.t_end);
  else s->library->CVodeSetStopTime(s->memory, run->state.t_end);
  int flag = is_ida(s) ? s->library->IDASolve(s->memory, run->state.t_end, &t, s->state, s->rate, IDA_ONE_STEP)
                       : s->library->CVode(s->memory, run->state.t_end, s->state, &t, CV_ONE_STEP);
  count_rejected(run, s);
  bool undefined = is_ida(s) ? flag == IDA_RES_FAIL || flag == IDA_REP_RES_ERR || flag == IDA_FIRST_RES_FAIL
                             : flag == CV_RHSFUNC_FAIL || flag == CV_FIRST_RHSFUNC_ERR ||
                               flag == CV_REPTD_RHSFUNC_ERR || flag == CV_UNREC_RHSFUNC_ERR;
  if (undefined) {
    run->flow.trouble = s->trouble;
    run->flow.row = s->row;
    return PF_STEP_TROUBLE;
  }
  if (flag < 0 || !(t > run->state.t) || t - run->state.t < 4*DBL_EPSILON*fabs(t)) return PF_STEP_TOO_SMALL;
  pf_state_advance(run, t);
  for (int i = 0; i < n2; i++) run->state.y[i] = s->z[i] + s->offset[i];
  if (!run->options.drift && s->family != IDA_INDEX_2) (void)pf_project(run, t, run->state.y);
  return pf_flow(run, run->state.t, run->state.y, run->state.dy) ? PF_STEP_DONE : PF_STEP_TROUBLE;
}

static void interpolate(PfMotionRun *run, double t, double *y)
{
  Sun *s = run->stepper.data;
  double at = fmax(t, run->state.t_old);
  int flag = is_ida(s) ? s->library->IDAGetDky(s->memory, at, 0, s->inside)
                       : s->library->CVodeGetDky(s->memory, at, 0, s->inside);
  const double *z = s->library->N_VGetArrayPointer(s->inside);
  for (int i = 0; i < 2*run->n; i++) y[i] = flag == 0 ? z[i] + s->offset[i] : run->state.y[i];
}

#define STEPS \
  .prepare = prepare, .step = step, .interpolate = interpolate, .release = release, .loose = true, .forgets = true

#endif

const PfMethod pf_method_cvode_adams = {
  .name = "cvode_adams", .library = "SUNDIALS",
  .summary = "Adams formulas of order 1 to 12 (CVODE of SUNDIALS)",
  .direct = true, STEPS};
const PfMethod pf_method_cvode_bdf = {
  .name = "cvode_bdf", .library = "SUNDIALS",
  .summary = "backward differences of order 1 to 5, for stiff systems (CVODE of SUNDIALS)",
  .formulas = true, .direct = true, STEPS};
const PfMethod pf_method_ida = {
  .name = "ida", .library = "SUNDIALS",
  .summary = "backward differences on the index-1 equations (IDA of SUNDIALS, the DASSL family)",
  .formulas = true, .direct = true, STEPS};
const PfMethod pf_method_ida2 = {
  .name = "ida2", .library = "SUNDIALS",
  .summary = "backward differences on the stabilised index-2 equations (IDA of SUNDIALS)",
  .bound = true, .formulas = true, .direct = true, STEPS};
