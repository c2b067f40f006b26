/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of which a sweep is made, for those who write them down. */
#ifndef PF_SWEEP_WORDS_H
#define PF_SWEEP_WORDS_H

#include "out/out.h"
#include "pfaff/sweep.h"

/* The first one with that key, or NULL. */
const char *pf_sweep_word(const PfSweep *sweep, const char *key);
const PfSweepWord *pf_sweep_words_of(const PfSweep *sweep, int *count);
/* The model of the first member. */
const PfModel *pf_sweep_the_model(const PfSweep *sweep);
/* All of them, as a list of pairs. */
void pf_sweep_words_put(const PfSweep *sweep, PfJson *json, const char *key);
void pf_sweep_words_json(const PfSweep *sweep, PfText *text);

#endif
