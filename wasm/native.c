/* SPDX-License-Identifier: Apache-2.0 */
/* There are no processes here, so nothing is compiled (src/codegen/native.c). */
#include "pfaff/codegen.h"

PfStatus pf_context_set_native(PfContext *ctx, PfNative mode)
{
  if (mode != PF_NATIVE_ON) return PF_OK;
  return pf_fail(ctx, PF_ERR_MISSING, "native code needs a C compiler, and there is none here");
}

PfNative pf_context_native(const PfContext *ctx)
{
  (void)ctx;
  return PF_NATIVE_OFF;
}

PfNativeReport pf_context_native_report(const PfContext *ctx)
{
  (void)ctx;
  return (PfNativeReport){0};
}
