/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of FLINT, loaded when something first needs them: once for a context, and freed with it. */
#include "expr/normal.h"

#ifdef PF_HAVE_FLINT

#include "expr/big.h"
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

/* ---------------------------------------------------------------- wide numbers */

enum { WORDS = WIDE_BITS/64 };

/* False when it is too long. */
static bool get_size(const PfFlint *flint, const fmpz *number, Big *size)
{
  ulong words[WORDS];
  fmpz_t positive;
  if (flint->fmpz_bits(number) > WIDE_BITS) return false;
  fmpz_init(positive);
  flint->fmpz_set(positive, number);
  if (flint->fmpz_sgn(number) < 0) flint->fmpz_neg(positive, positive);
  flint->fmpz_get_ui_array(words, WORDS, positive);
  flint->fmpz_clear(positive);
  for (int i = 0; i < WORDS; i++) {
    size->limb[2*i] = (uint32_t)words[i];
    size->limb[2*i + 1] = (uint32_t)(words[i] >> 32);
  }
  for (size->count = 2*WORDS; size->count && !size->limb[size->count - 1];) size->count--;
  return true;
}

Number pf_flint_number(const PfFlint *flint, PfExprTable *table, const fmpz *num, const fmpz *den)
{
  if (flint->fmpz_fits_si(num) && flint->fmpz_fits_si(den))
    return pf_number_rational(table, flint->fmpz_get_si(num), flint->fmpz_get_si(den));
  Big above, below;
  if (!get_size(flint, num, &above) || !get_size(flint, den, &below)) return (Number){.den = NUMBER_DOUBLE};
  return pf_number_ratio(table, flint->fmpz_sgn(num)*flint->fmpz_sgn(den), &above, &below);
}

static void set_size(const PfFlint *flint, const Big *size, fmpz_t number)
{
  ulong words[WORDS] = {0};
  for (int i = 0; i < size->count; i++) words[i/2] |= (ulong)size->limb[i] << (i%2*32);
  flint->fmpz_set_ui_array(number, words, WORDS);
}

void pf_flint_parts(const PfFlint *flint, Number number, fmpz_t num, fmpz_t den)
{
  if (pf_number_is_narrow(number)) {
    flint->fmpz_set_si(num, number.num);
    flint->fmpz_set_si(den, number.den);
    return;
  }
  Big above, below;
  pf_number_parts(number, &above, &below);
  set_size(flint, &above, num);
  set_size(flint, &below, den);
  if (pf_number_sign(number) < 0) flint->fmpz_neg(num, num);
}

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
