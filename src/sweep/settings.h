/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that define a sweep, for the modules that store them. All texts belong to the sweep. */
#ifndef PF_SWEEP_SETTINGS_H
#define PF_SWEEP_SETTINGS_H

#include "out/out.h"
#include "pfaff/sweep.h"

/* The value of the first setting with that key, or NULL. */
const char *pf_sweep_setting(const PfSweep *sweep, const char *key);
/* All settings of the sweep in their order, and their number. */
const PfSweepSetting *pf_sweep_settings(const PfSweep *sweep, int *count);
/* The model of the first member. */
const PfModel *pf_sweep_the_model(const PfSweep *sweep);
/* Adds all of them to a JSON text as a list of pairs, under the key (NULL inside a list). */
void pf_sweep_settings_put(const PfSweep *sweep, PfJson *json, const char *key);
/* Appends the same list as JSON text. */
void pf_sweep_settings_json(const PfSweep *sweep, PfText *text);

#endif
