/* SPDX-License-Identifier: Apache-2.0 */
/* Reading whole files. */
#include "base/base.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };

/* What there is, at most `room` bytes; 0 at the end, -1 with errno. A signal ends the waiting, not the reading, unless
 * the host says so: poll is interrupted always, read only with some handlers. */
static ssize_t read_some(PfContext *ctx, int file, char *bytes, size_t room)
{
  struct pollfd wait = {.fd = file, .events = POLLIN};
  for (;;) {
    ssize_t count = poll(&wait, 1, -1) < 0 ? -1 : read(file, bytes, room);
    if (pf_context_is_cancelled(ctx)) return -1;
    if (count >= 0 || errno != EINTR) return count;
  }
}

static PfStatus read_stream(PfContext *ctx, FILE *stream, const char *path, size_t limit, PfText *text)
{
  char chunk[CHUNK];
  for (;;) {
    ssize_t count = read_some(ctx, fileno(stream), chunk, sizeof chunk);
    if (count < 0) return pf_fail(ctx, PF_ERR_FILE, "cannot read '%s': %s", path, strerror(errno));
    if (count == 0) return PF_OK;
    pf_text_put(text, chunk, (size_t)count);
    if (text->failed) return pf_fail(ctx, PF_ERR_MEMORY, "no room to read '%s'", path);
    if (text->count > limit)
      return pf_fail(ctx, PF_ERR_LIMIT, "'%s' is longer than %zu MB, the most that such a file may have", path,
                     limit >> 20);
  }
}

/* Opening a FIFO waits for who writes to it. */
static FILE *open_stream(PfContext *ctx, const char *path)
{
  for (;;) {
    FILE *stream = fopen(path, "rb");
    if (stream || errno != EINTR || pf_context_is_cancelled(ctx)) return stream;
  }
}

PfStatus pf_file_read(PfContext *ctx, PfArena *arena, const char *path, size_t limit, const char **bytes,
                      size_t *count)
{
  FILE *stream = strcmp(path, "-") ? open_stream(ctx, path) : stdin;
  if (!stream) return pf_fail(ctx, PF_ERR_FILE, "cannot open '%s': %s", path, strerror(errno));

  PfText text;
  pf_text_init(&text, pf_context_allocator(ctx));
  PfStatus status = read_stream(ctx, stream, path, limit, &text);
  if (stream != stdin) fclose(stream);
  if (status == PF_OK) {
    *bytes = pf_arena_text(arena, pf_text_get(&text), text.count);
    *count = text.count;
    if (!*bytes) status = pf_fail(ctx, PF_ERR_MEMORY, "no room to read '%s'", path);
  }
  pf_text_free(&text);
  return status;
}
