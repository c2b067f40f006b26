/* SPDX-License-Identifier: Apache-2.0 */
/* Files in the hands of the host, in place of out/file.c. */
#include "out/file.h"

#include "host.h"

PfStatus pf_out_check(PfContext *ctx, const char *path)
{
  (void)ctx, (void)path;
  return PF_OK;
}

bool pf_out_is_regular(const char *path)
{
  (void)path;
  return true;
}

PfStatus pf_out_text(PfContext *ctx, const char *path, const PfText *text)
{
  if (text->failed) return pf_fail(ctx, PF_ERR_MEMORY, "no memory for '%s'", path);
  pf_host_file(path, pf_text_get(text), text->count);
  return PF_OK;
}
