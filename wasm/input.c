/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are read are texts of the host, in place of base/file.c. */
#include "base/base.h"

#include "host.h"

PfStatus pf_file_read(PfContext *ctx, PfArena *arena, const char *path, size_t limit, const char **bytes, size_t *count)
{
  long size = pf_host_size(path);
  if (size < 0) return pf_fail(ctx, PF_ERR_FILE, "there is no '%s'", path);
  if ((size_t)size > limit)
    return pf_fail(ctx, PF_ERR_LIMIT, "'%s' is longer than %zu MB, the most that such a file may have", path,
                   limit >> 20);
  char *room = pf_arena_alloc(arena, (size_t)size + 1, 1);
  if (!room) return pf_fail(ctx, PF_ERR_MEMORY, "no room to read '%s'", path);
  pf_host_read(path, room);
  room[size] = 0;
  *bytes = room, *count = (size_t)size;
  return PF_OK;
}
