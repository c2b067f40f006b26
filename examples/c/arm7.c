/* SPDX-License-Identifier: Apache-2.0 */
/* A robot in a control loop, without a line about the robot: the arm is read from URDF, its joints follow a reference
 * by computed torque a thousand times per second, and the time that each tick needs is measured. Nothing is allocated
 * in the loop.
 *
 *     cc arm7.c $(pkg-config --cflags --libs pfaff) -lm -o arm7 && ./arm7 arm7.urdf
 *
 * In a real machine `machine_step` is the interface of the drives, and the rest stays as it is. */
#include <pfaff/import.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { JOINTS = 7, RATE = 1000, TICKS = 4*RATE, SUBSTEPS = 4 };

typedef struct Robot {
  PfTree *tree;
  PfTreeWork *model, *machine; /* a workspace for the controller, one for the simulated arm */
  int dof[JOINTS], tool;       /* looked up once */
} Robot;

static PfStatus open_robot(PfContext *ctx, const char *file, Robot *robot)
{
  PF_TRY(pf_tree_from_urdf(ctx, file, NULL, &robot->tree));
  PF_TRY(pf_tree_work_new(ctx, robot->tree, &robot->model));
  PF_TRY(pf_tree_work_new(ctx, robot->tree, &robot->machine));
  robot->tool = pf_tree_find_body(robot->tree, "tool");
  for (int i = 0; i < JOINTS; i++) {
    char name[16];
    snprintf(name, sizeof name, "joint%d", i + 1);
    int body = pf_tree_find_joint(robot->tree, name);
    robot->dof[i] = body < 0 ? -1 : pf_tree_v_at(robot->tree, body);
    if (robot->dof[i] < 0 || robot->tool < 0 || pf_tree_nv(robot->tree) != JOINTS) return PF_ERR_NAME;
  }
  return PF_OK;
}

static void close_robot(Robot *robot)
{
  pf_tree_work_free(robot->model);
  pf_tree_work_free(robot->machine);
  pf_tree_free(robot->tree);
}

/* What the joints should do at time t. */
static void reference(const Robot *robot, double t, double q[], double v[], double a[])
{
  for (int i = 0; i < JOINTS; i++) {
    const int k = robot->dof[i];
    const double w = 1 + 0.3*i, phase = w*t + i;
    q[k] = 0.4*sin(phase), v[k] = 0.4*w*cos(phase), a[k] = -0.4*w*w*sin(phase);
  }
}

/* One tick. Computed torque: the forces that make the error e obey e'' + 40 e' + 400 e = 0; and where the tool is and
 * its Jacobian, as a controller of contacts needs them. */
static PfStatus control(Robot *robot, double t, const double q[], const double v[], double tau[], double tool[3],
                        double J[])
{
  static const double origin[3] = {0, 0, 0};
  double qr[JOINTS], vr[JOINTS], a[JOINTS];
  reference(robot, t, qr, vr, a);
  for (int k = 0; k < JOINTS; k++) a[k] += 400*(qr[k] - q[k]) + 40*(vr[k] - v[k]);
  PF_TRY(pf_tree_kinematics(robot->model, q, v));
  pf_tree_point(robot->model, robot->tool, origin, tool, NULL);
  pf_tree_jacobian(robot->model, robot->tool, origin, q, J);
  return pf_tree_inverse(robot->model, q, v, a, tau);
}

/* The arm itself for one tick: a few semi-implicit Euler steps with the torques held. */
static PfStatus machine_step(Robot *robot, double q[], double v[], const double tau[])
{
  const double h = 1.0/(RATE*SUBSTEPS);
  double vdot[JOINTS];
  for (int step = 0; step < SUBSTEPS; step++) {
    PF_TRY(pf_tree_forward(robot->machine, q, v, tau, vdot));
    for (int k = 0; k < JOINTS; k++) {
      v[k] += h*vdot[k];
      q[k] += h*v[k];
    }
  }
  return PF_OK;
}

static double microseconds(void)
{
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return 1e6*(double)now.tv_sec + 1e-3*(double)now.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static PfStatus run(Robot *robot, double needed[], double *worst)
{
  double q[JOINTS], v[JOINTS], a[JOINTS], tau[JOINTS], tool[3], J[6*JOINTS], qr[JOINTS], vr[JOINTS];
  reference(robot, 0, q, v, a);
  for (int k = 0; k < JOINTS; k++) q[k] += 0.1; /* it begins beside the reference */
  for (int tick = 0; tick < TICKS; tick++) {
    const double t = (double)tick/RATE, before = microseconds();
    PF_TRY(control(robot, t, q, v, tau, tool, J));
    needed[tick] = microseconds() - before;
    PF_TRY(machine_step(robot, q, v, tau));
    reference(robot, t + 1.0/RATE, qr, vr, a);
    for (int k = 0; k < JOINTS && tick >= TICKS/2; k++) *worst = fmax(*worst, fabs(q[k] - qr[k]));
  }
  printf("tool at (%.3f, %.3f, %.3f) m after %d ticks\n", tool[0], tool[1], tool[2], (int)TICKS);
  return PF_OK;
}

int main(int argc, char **argv)
{
  static double needed[TICKS];
  Robot robot = {0};
  double worst = 0;
  PfContext *ctx = pf_context_new(NULL);
  if (!ctx) return EXIT_FAILURE;
  PfStatus status = open_robot(ctx, argc > 1 ? argv[1] : "examples/robots/arm7.urdf", &robot);
  const int missing = status == PF_ERR_MISSING; /* this build cannot read XML: nothing to show */
  if (status == PF_OK) status = run(&robot, needed, &worst);
  if (status == PF_OK) {
    qsort(needed, TICKS, sizeof *needed, by_size);
    printf("a tick takes %.1f microseconds (median), %.1f in 99 of 100 ticks; there are %d\n", needed[TICKS/2],
           needed[TICKS/100*99], 1000000/RATE);
    printf("largest error after 2 s: %.1e rad\n", worst);
  } else {
    fprintf(stderr, "arm7: %s\n", pf_context_message(ctx));
  }
  close_robot(&robot);
  pf_context_free(ctx);
  return (status == PF_OK && worst < 5e-3) || missing ? EXIT_SUCCESS : EXIT_FAILURE;
}
