/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary numbers that are the same in every run and on every machine with IEEE arithmetic. */
#include "base/base.h"

#include <math.h>

double pf_arbitrary(int i, int salt)
{
  const double x = sin(12.9898*(i + 1) + 78.233*salt)*43758.5453;
  return 2*(x - floor(x)) - 1;
}
