/* SPDX-License-Identifier: Apache-2.0 */
/* A controller that carries its own model: a two-link arm follows a circle of joint angles by computed torque, and the
 * arm itself is simulated beside it, both on the tree interface, a thousand times per second.
 *
 *     cc controller.c $(pkg-config --cflags --libs pfaff) -lm -o controller && ./controller
 *
 * In a real machine `plant_step` is the drive's interface and the rest stays as it is. */
#include <pfaff/tree.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { JOINTS = 2, RATE = 1000, STEPS = 2*RATE };

static PfTree *make_arm(PfContext *ctx)
{
  PfTreeBuilder *builder;
  PfTree *tree = NULL;
  if (pf_tree_builder_new(ctx, &builder) != PF_OK) return NULL;
  pf_tree_builder_gravity(builder, (double[]){0, 0, -9.81});
  for (int i = 0; i < JOINTS; i++) {
    PfTreeBody link = pf_tree_body(i - 1, PF_JOINT_REVOLUTE);
    link.axis[0] = 0, link.axis[1] = 1, link.axis[2] = 0;
    link.pos[2] = i ? 0.4 : 0;
    link.mass = 2 - 0.5*i;
    link.com[2] = 0.2;
    link.inertia[0] = link.inertia[4] = 0.03;
    link.inertia[8] = 0.004;
    (void)pf_tree_builder_add(builder, &link, NULL);
  }
  (void)pf_tree_builder_finish(builder, &tree);
  pf_tree_builder_free(builder);
  return tree;
}

/* What the joints should do at time t. */
static void reference(double t, double q[], double v[], double a[])
{
  for (int i = 0; i < JOINTS; i++) {
    double phase = 3*t + 1.5*i;
    q[i] = 0.5*sin(phase), v[i] = 1.5*cos(phase), a[i] = -4.5*sin(phase);
  }
}

/* Computed torque: the inverse dynamics of what the error dynamics ask for. */
static PfStatus control(PfTreeWork *model, double t, const double q[], const double v[], double tau[])
{
  double qr[JOINTS], vr[JOINTS], a[JOINTS];
  reference(t, qr, vr, a);
  for (int i = 0; i < JOINTS; i++) a[i] += 400*(qr[i] - q[i]) + 40*(vr[i] - v[i]);
  return pf_tree_inverse(model, q, v, a, tau);
}

/* The machine: a semi-implicit Euler step of the same arm. */
static PfStatus plant_step(PfTreeWork *plant, double h, double q[], double v[], const double tau[])
{
  double vdot[JOINTS];
  PfStatus status = pf_tree_forward(plant, q, v, tau, vdot);
  for (int i = 0; i < JOINTS; i++) {
    v[i] += h*vdot[i];
    q[i] += h*v[i];
  }
  return status;
}

static void wait_for(struct timespec *next)
{
  next->tv_nsec += 1000000000/RATE;
  if (next->tv_nsec >= 1000000000) next->tv_nsec -= 1000000000, next->tv_sec++;
  (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

static PfStatus loop(PfTreeWork *model, PfTreeWork *plant, double *error)
{
  double q[JOINTS] = {0.3, -0.2}, v[JOINTS] = {0}, tau[JOINTS], qr[JOINTS], vr[JOINTS], a[JOINTS];
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (int k = 0; k < STEPS; k++) {
    double t = (double)k/RATE;
    PfStatus status = control(model, t, q, v, tau);
    if (status == PF_OK) status = plant_step(plant, 1.0/RATE, q, v, tau);
    if (status != PF_OK) return status; /* a drive would be braked here */
    wait_for(&next);
  }
  reference((double)STEPS/RATE, qr, vr, a);
  *error = fmax(fabs(q[0] - qr[0]), fabs(q[1] - qr[1]));
  return PF_OK;
}

int main(void)
{
  PfContext *ctx = pf_context_new(NULL);
  PfTree *arm = ctx ? make_arm(ctx) : NULL;
  PfTreeWork *model = NULL, *plant = NULL;
  double error = INFINITY;
  if (arm && pf_tree_work_new(ctx, arm, &model) == PF_OK && pf_tree_work_new(ctx, arm, &plant) == PF_OK)
    (void)loop(model, plant, &error);
  if (ctx && pf_error_count(ctx)) fprintf(stderr, "%s\n", pf_context_message(ctx));
  printf("after %d s the joints are within %.1g rad of where they should be\n", STEPS/RATE, error);
  pf_tree_work_free(plant);
  pf_tree_work_free(model);
  pf_tree_free(arm);
  pf_context_free(ctx);
  return error < 0.01 ? EXIT_SUCCESS : EXIT_FAILURE;
}
