/* SPDX-License-Identifier: Apache-2.0 */
/* Tapes of random formulas with every operation, and C compiled and loaded. */
#ifndef PF_TESTS_RANDOM_TAPES_H
#define PF_TESTS_RANDOM_TAPES_H

#include "support.h"

#include "pfaff/kernel.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANDOM_INPUTS = 6 };

/* By Knuth's linear congruence: the same on every machine. */
static inline uint32_t random_below(uint64_t *seed, uint32_t limit)
{
  *seed = *seed*6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*seed >> 33)%limit;
}

static inline double random_number(uint64_t *seed)
{
  return (double)random_below(seed, 1000000)/250000 - 2;
}

static inline PfExpr random_formula(PfContext *ctx, uint64_t *seed, const PfExpr *known, uint32_t count)
{
  static const PfOp one[] = {PF_OP_SIN, PF_OP_COS, PF_OP_TAN, PF_OP_ASIN, PF_OP_ACOS, PF_OP_ATAN, PF_OP_SINH,
                             PF_OP_COSH, PF_OP_TANH, PF_OP_EXP, PF_OP_LOG, PF_OP_ABS, PF_OP_SIGN, PF_OP_NOT};
  static const PfOp two[] = {PF_OP_ATAN2, PF_OP_MIN, PF_OP_MAX, PF_OP_LESS, PF_OP_LESS_EQUAL, PF_OP_EQUAL, PF_OP_AND,
                             PF_OP_OR};
  const PfExpr a = known[random_below(seed, count)], b = known[random_below(seed, count)];
  const PfExpr c = known[random_below(seed, count)];
  switch (random_below(seed, 12)) {
  case 0: return pf_expr_call1(ctx, one[random_below(seed, sizeof one/sizeof *one)], a);
  case 1: return pf_expr_call2(ctx, two[random_below(seed, sizeof two/sizeof *two)], a, b);
  case 2: return pf_expr_if(ctx, a, b, c);
  case 3: return pf_expr_div(ctx, a, pf_expr_add(ctx, pf_expr_mul(ctx, b, b), pf_expr_int(ctx, 1)));
  case 4: return pf_expr_pow(ctx, pf_expr_add(ctx, pf_expr_call1(ctx, PF_OP_ABS, a), pf_expr_double(ctx, 0.125)),
                             pf_expr_double(ctx, random_number(seed)));
  case 5: return pf_expr_sqrt(ctx, a);
  case 6: return pf_expr_add(ctx, pf_expr_call1(ctx, PF_OP_SIN, a),
                             pf_expr_mul(ctx, b, pf_expr_call1(ctx, PF_OP_COS, a)));
  case 7: return pf_expr_sub(ctx, pf_expr_mul(ctx, a, b),
                             pf_expr_mul(ctx, pf_expr_double(ctx, random_number(seed)), c));
  case 8: return pf_expr_neg(ctx, pf_expr_mul(ctx, a, b));
  case 9: return pf_expr_sub(ctx, a, b);
  case 10: return pf_expr_add(ctx, pf_expr_double(ctx, random_number(seed)), pf_expr_mul(ctx, b, c));
  default: return pf_expr_mul(ctx, pf_expr_add(ctx, a, b), c);
  }
}

/* `size` formulas of formulas; the last quarter of them are the outputs, and inputs and a constant besides. */
static inline PfTape *random_tape(PfContext *ctx, uint64_t seed, uint32_t size, int *outputs)
{
  PfExpr inputs[RANDOM_INPUTS], *known = calloc(size + RANDOM_INPUTS + 2, sizeof *known);
  char name[] = "x0";
  PfTape *tape = NULL;
  assert_non_null(known);
  for (uint32_t i = 0; i < RANDOM_INPUTS; i++) {
    name[1] = (char)('0' + i);
    known[i] = inputs[i] = pf_expr_symbol(ctx, name);
  }
  for (uint32_t i = 0; i < size; i++) {
    const uint32_t reach = RANDOM_INPUTS + i < 40 ? RANDOM_INPUTS + i : 40;
    known[RANDOM_INPUTS + i] = random_formula(ctx, &seed, known + RANDOM_INPUTS + i - reach, reach);
  }
  known[size + RANDOM_INPUTS] = pf_expr_double(ctx, -0.1);
  *outputs = (int)(size/4 + 1);
  PfExpr *roots = known + RANDOM_INPUTS + size - size/4;
  if (size > 4) roots[0] = inputs[2], roots[1] = roots[2];
  if (pf_expr_check(ctx)) fail_msg("%s", pf_context_message(ctx));
  if (pf_tape_new(ctx, inputs, RANDOM_INPUTS, roots, *outputs, &tape)) fail_msg("%s", pf_context_message(ctx));
  free(known);
  return tape;
}

/* ---------------------------------------------------------------- compiled text */

typedef struct Loaded {
  void *handle;
  void *function; /* of the name `code` */
} Loaded;

static inline bool has_compiler(void)
{
  return system("command -v cc > /dev/null") == 0; /* NOLINT(cert-env33-c): the text is ours */
}

/* The text compiled without a warning and loaded. */
static inline Loaded load_code(const char *text, const char *flags)
{
  char folder[200], path[220], command[800];
  Loaded loaded;
  make_test_folder(folder);
  snprintf(path, sizeof path, "%s/code.c", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
  snprintf(command, sizeof command, "cc %s -ffp-contract=off -Wall -Wextra -Wconversion -Wshadow -Werror -fPIC -shared "
           "%s -o %s/code.so -lm", flags, path, folder);
  const int failed = system(command); /* NOLINT(cert-env33-c) */
  if (failed) fail_msg("%s failed on:\n%.4000s", command, text);
  snprintf(path, sizeof path, "%s/code.so", folder);
  loaded.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  snprintf(command, sizeof command, "rm -r %s", folder);
  if (system(command)) fail_msg("%s failed", command); /* NOLINT(cert-env33-c) */
  if (!loaded.handle) fail_msg("%s", dlerror());
  loaded.function = dlsym(loaded.handle, "code");
  assert_non_null(loaded.function);
  return loaded;
}

#endif
