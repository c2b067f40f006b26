/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace: every array it will ever need, in one block. */
#include "tree/tree_impl.h"

#include <stdint.h>

/* Lays out arrays one after the other from `base` on; with base NULL it only counts. Every array begins on a cache
 * line. */
typedef struct Layout {
  char *base;
  size_t used;
} Layout;

enum { LINE = 64 };

/* The next array of `count` elements. */
static void *place(Layout *layout, size_t count, size_t size)
{
  layout->used = (layout->used + LINE - 1)/LINE*LINE;
  char *at = layout->base ? layout->base + layout->used : NULL;
  layout->used += count*size;
  return at;
}

/* Places the arrays of a workspace from `base` on, or counts; returns the bytes that they take. */
static size_t lay_out(const PfTree *tree, PfTreeWork *work, char *base)
{
  const size_t n = (size_t)tree->count, nodes = (size_t)tree->node_count, nv = (size_t)tree->nv;
  Layout layout = {base, 0};
  work->kin = place(&layout, nodes, sizeof(Kin));
  work->shifts = place(&layout, nodes, sizeof(double));
  work->dofs = place(&layout, nv, sizeof(Dof));
  work->A = place(&layout, 6*nodes, sizeof(double));
  work->extras = place(&layout, (size_t)tree->extra_count, sizeof(Extra));
  work->sums = place(&layout, (size_t)tree->slot_count + 1, sizeof(Sum));
  work->load = place(&layout, 6*nodes, sizeof(double));
  work->scratch = place(&layout, nv + 6*nodes, sizeof(double));
  work->mask = place(&layout, nv, 1);
  work->rates = place(&layout, nv, sizeof(double));
  work->E = place(&layout, 9*n, sizeof(double));
  work->r = place(&layout, 3*n, sizeof(double));
  work->V = place(&layout, 6*n, sizeof(double));
  work->body6 = place(&layout, 12*n, sizeof(double));
  work->rows = place(&layout, 6*nv, sizeof(double));
  const size_t shared = layout.used;
  work->frames = place(&layout, 12*nodes, sizeof(double));
  work->composites = place(&layout, 10*nodes, sizeof(double));
  const size_t end = layout.used;
  layout.used = shared; /* no call needs both */
  work->efforts = place(&layout, lane_groups(nodes), sizeof(Effort));
  if (layout.used < end) layout.used = end;
  work->path_dofs = place(&layout, nv, sizeof(int));
  return layout.used;
}

PfStatus pf_tree_work_new(PfContext *ctx, const PfTree *tree, PfTreeWork **result)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  PfTreeWork measure;
  const size_t bytes = sizeof(PfTreeWork) + LINE + lay_out(tree, &measure, NULL);
  PfTreeWork *work = *result = allocator->resize(allocator->user, NULL, bytes);
  if (!work)
    return pf_fail(ctx, PF_ERR_MEMORY, "no room for the workspace of a tree of %d bodies, which needs %.1f MB",
                   tree->count, (double)bytes*1e-6);
  memset(work, 0, bytes);
  char *base = (char *)(work + 1);
  base += (LINE - (uintptr_t)base%LINE)%LINE;
  lay_out(tree, work, base);
  work->ctx = ctx;
  work->tree = tree;
  work->allocator = *allocator;
  work->bytes = bytes;
  return PF_OK;
}

void pf_tree_work_free(PfTreeWork *work)
{
  if (!work) return;
  const PfAllocator allocator = work->allocator;
  allocator.resize(allocator.user, work, 0);
}

size_t pf_tree_work_bytes(const PfTreeWork *work)
{
  return work->bytes;
}
