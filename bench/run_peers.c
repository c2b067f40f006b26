/* SPDX-License-Identifier: Apache-2.0 */
/* ARKODE, CVODE and IDA on closed forms written by hand. */
#include "run_peers.h"

#include "hand.h"

#ifndef PF_HAVE_SUNDIALS

bool move_by_arkode(const Case *c, double rtol, double atol, Task task, Figures *figures)
{
  (void)c, (void)rtol, (void)atol, (void)task, (void)figures;
  return false;
}

bool move_by_ida(const Case *c, double rtol, double atol, Task task, Figures *figures)
{
  return move_by_arkode(c, rtol, atol, task, figures);
}

bool move_by_adams(const Case *c, double rtol, double atol, Task task, Figures *figures)
{
  return move_by_arkode(c, rtol, atol, task, figures);
}

#else

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#if SUNDIALS_VERSION_MAJOR >= 7
#define NO_COMMUNICATOR SUN_COMM_NULL
#else
#define NO_COMMUNICATOR NULL
#endif

/* ---------------------------------------------------------------- equations */

static int flow_free_floating(sunrealtype t, N_Vector state, N_Vector rate, void *user)
{
  (void)t, (void)user;
  hand_free_floating(N_VGetArrayPointer(state), N_VGetArrayPointer(rate), 0);
  return 0;
}

static int flow_omni_robot(sunrealtype t, N_Vector state, N_Vector rate, void *user)
{
  (void)t, (void)user;
  hand_omni_robot(N_VGetArrayPointer(state), N_VGetArrayPointer(rate), 0);
  return 0;
}

static int flow_snakeboard(sunrealtype t, N_Vector state, N_Vector rate, void *user)
{
  (void)t;
  hand_snakeboard(N_VGetArrayPointer(state), N_VGetArrayPointer(rate), *(const double *)user);
  return 0;
}

static const double m = 6, J = 0.016, Jr = 0.072, Jw = 0.0013, L = 0.2, kr = 1, kw = 0.1;

/* Index 2: the constraints themselves, with the multipliers y[12], y[13]. */
static int residual_snakeboard(sunrealtype t, N_Vector state, N_Vector rate, N_Vector residual, void *user)
{
  (void)t;
  const double F = *(const double *)user, *y = N_VGetArrayPointer(state), *v = y + 6;
  const double *d = N_VGetArrayPointer(rate), *a = d + 6;
  double *r = N_VGetArrayPointer(residual), lb = y[12], lf = y[13];
  double st = sin(y[2]), ct = cos(y[2]), sb = sin(y[4]), cb = cos(y[4]), sf = sin(y[5]), cf = cos(y[5]);
  double stb = st*cb + ct*sb, ctb = ct*cb - st*sb, stf = st*cf + ct*sf, ctf = ct*cf - st*sf;
  for (int i = 0; i < 6; i++) r[i] = d[i] - v[i];
  r[6] = m*a[0] - F*ct + stb*lb + stf*lf;
  r[7] = m*a[1] - F*st - ctb*lb - ctf*lf;
  r[8] = (J + Jr + 2*Jw)*a[2] + Jr*a[3] + Jw*(a[4] + a[5]) + L*(cb*lb - cf*lf);
  r[9] = Jr*(a[2] + a[3]) + kr*y[3];
  r[10] = Jw*(a[2] + a[4]) + kw*y[4];
  r[11] = Jw*(a[2] + a[5]) + kw*y[5];
  r[12] = -stb*v[0] + ctb*v[1] - L*cb*v[2];
  r[13] = -stf*v[0] + ctf*v[1] + L*cf*v[2];
  return 0;
}

/* ---------------------------------------------------------------- starts */

static const double pi = 3.14159265358979323846;

static void start_snakeboard(double *y)
{
  memset(y, 0, 12*sizeof *y);
  y[3] = 0.2;
  y[5] = pi/3;
}

static int start_sixty(const char *model, double *y)
{
  const double free_floating[6] = {pi/36, -pi/6, -pi/6, 0.1, -0.1, -0.1};
  const double omni_robot[9] = {1, 1, 1, 1e-3, 1e-3, pi/6, -0.02/3, -0.02/sqrt(3), -2.0/3};
  bool omni = !strcmp(model, "omni_robot");
  if (omni) memcpy(y, omni_robot, sizeof omni_robot);
  else memcpy(y, free_floating, sizeof free_floating);
  return omni ? 9 : 6;
}

/* ---------------------------------------------------------------- ARKODE */

static bool advance_arkode(void *memory, const Case *c, N_Vector state, Task task, Figures *f)
{
  double t = 0, begin = seconds_now();
  for (int i = 0; task == TASK_ERROR && i < c->reference.count; i++) {
    if (c->reference.t[i] > 0 && ERKStepEvolve(memory, c->reference.t[i], state, &t, ARK_NORMAL) < 0) return false;
    note_error(&c->reference, i, N_VGetArrayPointer(state), f);
  }
  if (task == TASK_TIME && ERKStepEvolve(memory, c->t_end, state, &t, ARK_NORMAL) < 0) return false;
  f->seconds = seconds_now() - begin;
  long attempts;
  ERKStepGetNumSteps(memory, &f->steps);
  ERKStepGetNumStepAttempts(memory, &attempts);
  ERKStepGetNumRhsEvals(memory, &f->evaluations);
  f->rejected = attempts - f->steps;
  return true;
}

bool move_by_arkode(const Case *c, double rtol, double atol, Task task, Figures *f)
{
  double y[9];
  SUNContext context;
  if (SUNContext_Create(NO_COMMUNICATOR, &context) != 0) return false;
  int n = start_sixty(c->model, y);
  N_Vector state = N_VMake_Serial(n, y, context);
  void *memory = ERKStepCreate(n == 9 ? flow_omni_robot : flow_free_floating, 0, state, context);
  bool good = memory && ERKStepSetTableNum(memory, ARKODE_DORMAND_PRINCE_7_4_5) == 0 &&
              ERKStepSStolerances(memory, rtol, atol) == 0 && ERKStepSetStopTime(memory, c->t_end) == 0 &&
              ERKStepSetMaxNumSteps(memory, 10000000) == 0 && advance_arkode(memory, c, state, task, f);
  ERKStepFree(&memory);
  N_VDestroy(state);
  SUNContext_Free(&context);
  return good;
}

/* ---------------------------------------------------------------- CVODE */

static bool advance_adams(void *memory, const Case *c, N_Vector state, Task task, Figures *f)
{
  double t = 0, begin = seconds_now();
  for (int i = 0; task == TASK_ERROR && i < c->reference.count; i++) {
    if (c->reference.t[i] > 0 && CVode(memory, c->reference.t[i], state, &t, CV_NORMAL) < 0) return false;
    note_error(&c->reference, i, N_VGetArrayPointer(state), f);
  }
  if (task == TASK_TIME && CVode(memory, c->t_end, state, &t, CV_NORMAL) < 0) return false;
  f->seconds = seconds_now() - begin;
  CVodeGetNumSteps(memory, &f->steps);
  CVodeGetNumErrTestFails(memory, &f->rejected);
  CVodeGetNumRhsEvals(memory, &f->evaluations);
  return true;
}

bool move_by_adams(const Case *c, double rtol, double atol, Task task, Figures *f)
{
  double y[12], push = c->push;
  SUNContext context;
  if (SUNContext_Create(NO_COMMUNICATOR, &context) != 0) return false;
  start_snakeboard(y);
  N_Vector state = N_VMake_Serial(12, y, context);
  void *memory = CVodeCreate(CV_ADAMS, context);
  SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(state, 0, context);
  bool good = memory && iteration && CVodeInit(memory, flow_snakeboard, 0, state) == 0 &&
              CVodeSStolerances(memory, rtol, atol) == 0 && CVodeSetUserData(memory, &push) == 0 &&
              CVodeSetNonlinearSolver(memory, iteration) == 0 && CVodeSetStopTime(memory, c->t_end) == 0 &&
              CVodeSetMaxNumSteps(memory, 10000000) == 0 && advance_adams(memory, c, state, task, f);
  CVodeFree(&memory);
  SUNNonlinSolFree(iteration);
  N_VDestroy(state);
  SUNContext_Free(&context);
  return good;
}

/* ---------------------------------------------------------------- IDA */

static bool advance_ida(void *memory, const Case *c, N_Vector state, N_Vector rate, Task task, Figures *f)
{
  double t = 0, begin = seconds_now();
  for (int i = 0; task == TASK_ERROR && i < c->reference.count; i++) {
    if (c->reference.t[i] > 0 && IDASolve(memory, c->reference.t[i], &t, state, rate, IDA_NORMAL) < 0) return false;
    note_error(&c->reference, i, N_VGetArrayPointer(state), f);
  }
  if (task == TASK_TIME && IDASolve(memory, c->t_end, &t, state, rate, IDA_NORMAL) < 0) return false;
  f->seconds = seconds_now() - begin;
  IDAGetNumSteps(memory, &f->steps);
  IDAGetNumErrTestFails(memory, &f->rejected);
  IDAGetNumResEvals(memory, &f->evaluations);
  return true;
}

/* Accelerations of the start by the eliminated equations; the multipliers from the rows of x and y (theta = phi_b =
 * 0). */
static void start_ida(double push, N_Vector state, N_Vector rate)
{
  double *y = N_VGetArrayPointer(state), *d = N_VGetArrayPointer(rate);
  memset(y, 0, 14*sizeof *y);
  memset(d, 0, 14*sizeof *d);
  start_snakeboard(y);
  flow_snakeboard(0, state, rate, &push);
  y[13] = (push - m*d[6])/sin(pi/3);
  y[12] = m*d[7] - cos(pi/3)*y[13];
}

/* Multipliers are out of the error test, and Newton's method does not look at them. Difference quotients. */
static bool set_up_ida(void *memory, N_Vector size, N_Vector kind, double rtol, double atol)
{
  for (int i = 0; i < 14; i++) {
    NV_Ith_S(size, i) = i < 12 ? atol : 1e20;
    NV_Ith_S(kind, i) = i < 12;
  }
  return IDASVtolerances(memory, rtol, size) == 0 && IDASetId(memory, kind) == 0 &&
         IDASetSuppressAlg(memory, SUNTRUE) == 0 && IDASetMaxNumSteps(memory, 10000000) == 0;
}

bool move_by_ida(const Case *c, double rtol, double atol, Task task, Figures *f)
{
  double push = c->push;
  SUNContext context;
  if (SUNContext_Create(NO_COMMUNICATOR, &context) != 0) return false;
  N_Vector state = N_VNew_Serial(14, context), rate = N_VClone(state), size = N_VClone(state), kind = N_VClone(state);
  SUNMatrix matrix = SUNDenseMatrix(14, 14, context);
  SUNLinearSolver linear = SUNLinSol_Dense(state, matrix, context);
  void *memory = IDACreate(context);
  start_ida(push, state, rate);
  bool good = memory && linear && IDAInit(memory, residual_snakeboard, 0, state, rate) == 0 &&
              IDASetUserData(memory, &push) == 0 && set_up_ida(memory, size, kind, rtol, atol) &&
              IDASetLinearSolver(memory, linear, matrix) == 0 && IDASetStopTime(memory, c->t_end) == 0 &&
              advance_ida(memory, c, state, rate, task, f);
  IDAFree(&memory);
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(state), N_VDestroy(rate), N_VDestroy(size), N_VDestroy(kind);
  SUNContext_Free(&context);
  return good;
}

#endif
