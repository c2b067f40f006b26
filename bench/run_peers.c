/* SPDX-License-Identifier: Apache-2.0 */
/* ARKODE, CVODE and IDA on closed forms written by hand. */
#include "run_peers.h"

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

/* theta, psi1, psi2 and their rates. With u_i = theta' - psi_i' the equations of psi_i read
 *   J u_i' + k cos(psi_i) theta'' = k sin(psi_i) theta'^2,
 * and what is left for theta has one unknown. The force of the constraint is zero. */
static int flow_free_floating(sunrealtype t, N_Vector state, N_Vector rate, void *user)
{
  (void)t, (void)user;
  const double m2 = 5, I = 260.42, r = 4, L = 8, k = m2*r*L, J = m2*L*L;
  const double *y = N_VGetArrayPointer(state);
  double *d = N_VGetArrayPointer(rate);
  double w = y[3], p1 = y[4], p2 = y[5], ww = w*w;
  double c1 = k*cos(y[1]), s1 = k*sin(y[1]), c2 = k*cos(y[2]), s2 = k*sin(y[2]);
  double inertia = I + 2*m2*r*r - (c1*c1 + c2*c2)/J;
  double turn = (s1*(p1*(2*w - p1) - ww - c1*ww/J) + s2*(p2*(2*w - p2) - ww - c2*ww/J))/inertia;
  d[0] = w;
  d[1] = p1;
  d[2] = p2;
  d[3] = turn;
  d[4] = turn - (s1*ww - c1*turn)/J;
  d[5] = turn - (s2*ww - c2*turn)/J;
  return 0;
}

/* psi1, psi2, psi3, x, y, theta and x', y', theta': the wheels follow from the constraints, and the sums over three
 * directions 120 degrees apart are constants. */
static int flow_omni_robot(sunrealtype t, N_Vector state, N_Vector rate, void *user)
{
  (void)t, (void)user;
  const double m1 = 0.2, m2 = 2, I1 = 80e-6, I2 = 2080e-6, r = 0.02, L = 0.04, Q = 0.25e-6, half_root3 = sqrt(3)/2;
  const double g = 1.5*I1/(r*r), m = 3*m1 + m2 + g, J = 3*m1*L*L + I2 + 3*I1*L*L/(r*r);
  const double *y = N_VGetArrayPointer(state);
  double *d = N_VGetArrayPointer(rate);
  double S = sin(y[5]), C = cos(y[5]), vx = y[6], vy = y[7], w = y[8];
  double s1 = 0.5*S + half_root3*C, c1 = 0.5*C - half_root3*S, s3 = 0.5*S - half_root3*C, c3 = 0.5*C + half_root3*S;
  d[0] = (s1*vx - c1*vy - L*w)/r;
  d[1] = (-S*vx + C*vy - L*w)/r;
  d[2] = (s3*vx - c3*vy - L*w)/r;
  d[3] = vx;
  d[4] = vy;
  d[5] = w;
  d[6] = (Q*s1/r - g*w*vy)/m;
  d[7] = (-Q*c1/r + g*w*vx)/m;
  d[8] = -Q*L/r/J;
  return 0;
}

static const double m = 6, J = 0.016, Jr = 0.072, Jw = 0.0013, L = 0.2, kr = 1, kw = 0.1;

/* x, y, theta, psi, phi_b, phi_f and their rates, multipliers eliminated. Springs act between board and rotor and
 * wheels, constraints on (x, y, theta) only: there the inverse mass matrix is diag(1/m, 1/m, 1/J). */
static int flow_snakeboard(sunrealtype t, N_Vector state, N_Vector rate, void *user)
{
  (void)t;
  const double F = *(const double *)user, *y = N_VGetArrayPointer(state), *v = y + 6;
  double *d = N_VGetArrayPointer(rate);
  double st = sin(y[2]), ct = cos(y[2]), sb = sin(y[4]), cb = cos(y[4]), sf = sin(y[5]), cf = cos(y[5]);
  double stb = st*cb + ct*sb, ctb = ct*cb - st*sb, stf = st*cf + ct*sf, ctf = ct*cf - st*sf;
  double ax = F*ct/m, ay = F*st/m, at = (kr*y[3] + kw*(y[4] + y[5]))/J, LL = L*L/J;
  double Sbb = 1/m + LL*cb*cb, Sff = 1/m + LL*cf*cf, Sbf = (stb*stf + ctb*ctf)/m - LL*cb*cf;
  double rb = (v[2] + v[4])*(ctb*v[0] + stb*v[1]) - L*sb*v[4]*v[2] - (-stb*ax + ctb*ay - L*cb*at);
  double rf = (v[2] + v[5])*(ctf*v[0] + stf*v[1]) + L*sf*v[5]*v[2] - (-stf*ax + ctf*ay + L*cf*at);
  double det = Sbb*Sff - Sbf*Sbf, lb = (rb*Sff - rf*Sbf)/det, lf = (rf*Sbb - rb*Sbf)/det;
  memcpy(d, v, 6*sizeof *d);
  d[6] = ax - (stb*lb + stf*lf)/m;
  d[7] = ay + (ctb*lb + ctf*lf)/m;
  d[8] = at + L*(cf*lf - cb*lb)/J;
  d[9] = -kr/Jr*y[3] - d[8];
  d[10] = -kw/Jw*y[4] - d[8];
  d[11] = -kw/Jw*y[5] - d[8];
  return 0;
}

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
