/* SPDX-License-Identifier: Apache-2.0 */
/* Rotations: nine symbols that are known to be the entries of a rotation matrix. Zero tests put such matrices in, and
 * short forms are made with their products: rows of length one, across each other, each the cross product of the two
 * others. */
#include "expr/expr_impl.h"

bool pf_expr_rotation(PfContext *ctx, const PfExpr entries[9])
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table) return false;
  for (int i = 0; i < 9; i++)
    if (entries[i] == PF_EXPR_NONE) return false;
  if (pf_rotation_of(table, entries[0], NULL) >= 0) return true; /* of a model that is read again */
  Rotation rotation;
  for (int i = 0; i < 9; i++) rotation.entry[i] = entries[i];
  table->simplest.count = table->shortened.count = 0; /* shorter forms may be possible now */
  return pf_push(table->allocator, &table->rotations, rotation);
}

int pf_rotation_of(const PfExprTable *table, PfExpr symbol, int *entry)
{
  for (size_t r = 0; r < table->rotations.count; r++)
    for (int i = 0; i < 9; i++)
      if (table->rotations.at[r].entry[i] == symbol) {
        if (entry) *entry = i;
        return (int)r;
      }
  return -1;
}
