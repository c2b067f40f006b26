/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of numbers in memory, in place of out/record.c: there are no files, and the host looks at the numbers where they
 * are. */
#include "out/record.h"

#include "host.h"

PfStatus pf_record_begin(PfRecord *r, PfContext *ctx, const char *path, const PfRecordHead *head)
{
  *r = (PfRecord){.ctx = ctx, .head = *head, .path = path};
  pf_text_init(&r->pending, pf_context_allocator(ctx));
  return PF_OK;
}

PfStatus pf_record_add(PfRecord *r, const double *row)
{
  if (!r->ctx || r->failed) return r->failed ? PF_ERR_MEMORY : PF_OK;
  pf_text_put(&r->pending, (const char *)row, (size_t)r->head.count*sizeof *row);
  r->failed = r->pending.failed;
  if (r->failed) return pf_fail(r->ctx, PF_ERR_MEMORY, "no room for more samples: @every takes fewer");
  r->rows++;
  return PF_OK;
}

PfStatus pf_record_keep(PfRecord *r)
{
  return r->failed ? PF_ERR_MEMORY : PF_OK;
}

/* The host has the numbers from now on. */
PfStatus pf_record_close(PfRecord *r)
{
  if (!r->ctx) return PF_OK;
  const double *at = (const double *)(const void *)r->pending.at;
  pf_host_table(r->path, at, (size_t)r->rows, r->head.count, r->head.names, r->head.units);
  r->ctx = NULL;
  return pf_record_keep(r);
}

void pf_record_drop(PfRecord *r)
{
  if (r->ctx) pf_text_free(&r->pending);
  r->ctx = NULL;
}
