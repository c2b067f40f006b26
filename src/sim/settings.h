/* SPDX-License-Identifier: Apache-2.0 */
/* How to run, as the model says after 'run'. */
#ifndef PF_SIM_SETTINGS_H
#define PF_SIM_SETTINGS_H

#include "pfaff/sim.h"
#include "pfaff/time.h"

/* `values` are the numbers of the system at the start. Without a system only what is a number by itself is looked at.
 * With another `method` (NULL: none) that of the model need not exist. */
PfStatus pf_run_settings(PfContext *ctx, const PfModel *model, const PfSystem *system, const double *values,
                         const char *method, PfRunOptions *settings);

/* As pf_sim_open_text; messages name settings as those of the context do. */
PfSim *pf_sim_open_like(const PfContext *ctx, const char *text, PfError *error);

#endif
