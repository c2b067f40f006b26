/* SPDX-License-Identifier: Apache-2.0 */
/* Monotonic time. */
#include "base/base.h"

#include <time.h>

double pf_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}
