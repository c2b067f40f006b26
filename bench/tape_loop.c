/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the C that CasADi has generated again and again: compiled together with it by tape_peers.py. */
#ifndef casadi_int
#define casadi_int long long int
#endif

int equations(const double **arg, double **res, casadi_int *iw, double *w, int mem);
void call_often(long count, const double *inputs, double *outputs, casadi_int *iw, double *w);

void call_often(long count, const double *inputs, double *outputs, casadi_int *iw, double *w)
{
  for (long i = 0; i < count; i++) {
    const double *arg[] = {inputs};
    double *res[] = {outputs};
    equations(arg, res, iw, w, 0);
  }
}
