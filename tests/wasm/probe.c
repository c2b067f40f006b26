/* SPDX-License-Identifier: Apache-2.0 */
/* Can the compiler make WebAssembly, with a C library and what it needs of its own? */
#include <complex.h>
#include <stdio.h>

double pf_probe(double complex x);

__attribute__((export_name("probe"))) double pf_probe(double complex x)
{
  return cabs(x*x) + printf("%g", creal(x));
}
