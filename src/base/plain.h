/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PF_BASE_PLAIN_H
#define PF_BASE_PLAIN_H

#include <locale.h>

/* Between the two numbers are printed and read with a point, in this thread. Costs nothing where they are anyway. */
typedef struct PfPlain {
  locale_t own, before;
} PfPlain;
PfPlain pf_plain_begin(void);
void pf_plain_end(PfPlain plain);

#endif
