/* SPDX-License-Identifier: Apache-2.0 */
#include "expr/normal.h"

#ifdef PF_HAVE_FLINT

#include "expr/flint.h"

#ifdef PF_FLINT_FILE

const PfFlint *pf_flint(PfContext *ctx)
{
  static const char *const names[] = {PF_FLINT_FUNCTIONS(PF_LIBRARY_NAME)};
  enum { COUNT = sizeof names/sizeof *names };
  static const PfLibrary library = {PF_FLINT_FILE, names, COUNT, COUNT, NULL};
  const void *functions;
  (void)pf_library_open(ctx, &library, &functions);
  return functions;
}

#else

const PfFlint *pf_flint(PfContext *ctx)
{
  static const PfFlint linked = {PF_FLINT_FUNCTIONS(PF_LIBRARY_LINKED)};
  (void)ctx;
  return &linked;
}

#endif

bool pf_expr_has_normal_forms(PfContext *ctx)
{
  return pf_flint(ctx) != NULL;
}

#else

bool pf_expr_has_normal_forms(PfContext *ctx)
{
  (void)ctx;
  return false;
}

#endif
