/* SPDX-License-Identifier: Apache-2.0 */
/* Included before every source by scripts/analyse.sh. clang's analyser looks at one file at a time and cannot
 * see that pf_fail returns the code it is given, and pf_no_room that of memory; without that it believes that failures
 * go on as successes. */
#include "base/base.h"

static inline PfStatus pf_analyser_code(PfStatus code, PfStatus recorded)
{
  (void)recorded;
  return code;
}

#define pf_fail(ctx, code, ...) pf_analyser_code((code), pf_fail((ctx), (code), __VA_ARGS__))
#define pf_fail_at(ctx, code, place, ...) \
  pf_analyser_code((code), pf_fail_at((ctx), (code), (place), __VA_ARGS__))
#define pf_no_room(ctx, what) pf_analyser_code(PF_ERR_MEMORY, pf_no_room((ctx), (what)))
