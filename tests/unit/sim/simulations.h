/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of simulations share: a failure of the library fails the test, with its words. */
#ifndef PF_TEST_SIM_H
#define PF_TEST_SIM_H

#include "pfaff/sim_parts.h"
#include "support.h"

static inline PfSim *open_text(const char *text)
{
  PfError error;
  PfSim *sim = pf_sim_open_text(text, &error);
  if (!sim) fail_msg("%s:%d: %s", error.file, error.line, error.message);
  return sim;
}

static inline int handle(PfSim *sim, const char *name)
{
  int h = pf_sim_find(sim, name);
  if (h < 0) fail_msg("%s: %s", name, pf_sim_error(sim)->message);
  return h;
}

static inline void start(PfSim *sim)
{
  if (!pf_sim_start(sim)) fail_msg("%s", pf_sim_error(sim)->message);
}

static inline void advance(PfSim *sim, double t)
{
  if (!pf_sim_advance(sim, t)) fail_msg("t = %g: %s", pf_sim_time(sim), pf_sim_error(sim)->message);
}

#endif
