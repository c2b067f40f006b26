/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the glue. */
#ifndef PF_PYTHON_GLUE_H
#define PF_PYTHON_GLUE_H

#include "api.h"
#include "base/spelling.h"

/* Whether long work is to stop: it polls Python now and then, so that signals are seen and callers can end their
 * calls. */
typedef struct Ask {
  void *who;     /* NULL: none */
  double next;   /* when it is polled again */
  bool stopped;
} Ask;

void pf_py_ask_begin(Ask *ask, void *who);
/* As a context wants it; `user` is an Ask. */
bool pf_py_ask(void *user);

/* How large one of the unit is in SI, for each of the numbers of quantities with commas, as "theta [deg]"; 1 where no
 * unit is given. */
PfStatus pf_py_scales(PfContext *ctx, const PfModel *model, const char *quantities, double *scale, int count);

/* The words of Python for settings and tasks (spelling.c). */
extern const PfSpelling pf_spelling_of_python;

#endif
