/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the recursion gives for random trees, bit for bit. tests/CMakeLists.txt makes one such program for each
 * number of lanes, which all must print the same. */
#include "trees.h"

static void print(const char *what, const double *x, int count)
{
  printf("%s", what);
  for (int i = 0; i < count; i++) printf(" %a", x[i]);
  printf("\n");
}

static void print_sample(PfContext *ctx, uint64_t seed)
{
  Sample s = random_sample(ctx, seed, seed%2 == 0);
  double x[MOST_RATES];
  static double M[MOST_RATES*MOST_RATES];
  memset(M, 0, sizeof M);
  assert_int_equal(pf_tree_inverse(s.work, s.q, s.v, s.vdot, x), PF_OK);
  print("inverse", x, s.nv);
  assert_int_equal(pf_tree_forward(s.work, s.q, s.v, s.tau, x), PF_OK);
  print("forward", x, s.nv);
  assert_int_equal(pf_tree_inertia(s.work, s.q, M), PF_OK);
  print("inertia", M, s.nv*s.nv);
  free_sample(&s);
}

int main(void)
{
  PfContext *ctx = pf_context_new(NULL);
  for (uint64_t seed = 0; seed < 200; seed++) print_sample(ctx, seed);
  pf_context_free(ctx);
  return 0;
}
