/* SPDX-License-Identifier: Apache-2.0 */
/* The gait of a snakeboard: rotor and wheels swing together, and the board rolls along.
 *     cc snakeboard.c $(pkg-config --cflags --libs pfaff) -lm -o snakeboard && ./snakeboard */
#include <pfaff/sim.h>

#include <math.h>
#include <stdio.h>

static void steer(void *user, PfSim *sim) /* PD control towards psi = 0.7 sin t, phi = 0.1 + 0.3 sin t */
{
  const int *h = user; /* psi, psi', rotor, phi, phi', steer */
  double s = sin(pf_sim_time(sim)), c = cos(pf_sim_time(sim));
  pf_sim_put(sim, h[2], 20*(0.7*s - pf_sim_get(sim, h[0])) + 2*(0.7*c - pf_sim_get(sim, h[1])));
  pf_sim_put(sim, h[5], 2*(0.1 + 0.3*s - pf_sim_get(sim, h[3])) + 0.1*(0.3*c - pf_sim_get(sim, h[4])));
}

int main(void)
{
  PfError error;
  PfSim *sim = pf_sim_open("examples/skates/snakeboard_steered.pf", &error);
  if (!sim) return printf("%s%s%s\n", error.file, *error.file ? ": " : "", error.message), 1;
  int h[] = {pf_sim_find(sim, "psi"), pf_sim_find(sim, "psi'"), pf_sim_find(sim, "rotor"),
             pf_sim_find(sim, "phi"), pf_sim_find(sim, "phi'"), pf_sim_find(sim, "steer")};
  int x = pf_sim_find(sim, "x"), y = pf_sim_find(sim, "y");
  bool good = pf_sim_control(sim, 1e-3, steer, h) && pf_sim_start(sim);
  for (int t = 1; good && t <= 10; t++) {
    good = pf_sim_advance(sim, t);
    printf("t = %2d s: x = %6.3f m, y = %6.3f m\n", t, pf_sim_get(sim, x), pf_sim_get(sim, y));
  }
  if (!good) printf("%s\n", pf_sim_error(sim)->message);
  pf_sim_close(sim);
  return !good;
}
