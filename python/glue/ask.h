/* SPDX-License-Identifier: Apache-2.0 */
/* Whether long work is to stop: Python is asked now and then, so that signals are seen and callers can end what they
 * have begun. */
#ifndef PF_PYTHON_ASK_H
#define PF_PYTHON_ASK_H

#include "api.h"

typedef struct Ask {
  void *who;     /* NULL: nobody is asked */
  double next;   /* when it is asked again */
  bool stopped;
} Ask;

void pf_py_ask_begin(Ask *ask, void *who);
/* As a context wants it; `user` is an Ask. */
bool pf_py_ask(void *user);

#endif
