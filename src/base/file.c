/* Reading whole files. */
#include "base/base.h"

#include <errno.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

static PfStatus read_stream(PfContext *ctx, FILE *stream, const char *path, size_t limit, PfText *text)
{
  char chunk[CHUNK];
  for (;;) {
    size_t count = fread(chunk, 1, sizeof chunk, stream);
    pf_text_put(text, chunk, count);
    if (text->failed) return pf_fail(ctx, PF_ERR_MEMORY, "no room to read '%s'", path);
    if (text->count > limit) {
      pf_fail(ctx, PF_ERR_LIMIT, "'%s' is longer than %zu MB, the most a model file may have", path,
              limit >> 20);
      pf_hint(ctx, "is it really a model? Repetition is written with 'for', not by copying lines");
      return PF_ERR_LIMIT;
    }
    if (count < sizeof chunk) break;
  }
  if (ferror(stream)) return pf_fail(ctx, PF_ERR_FILE, "cannot read '%s': %s", path, strerror(errno));
  return PF_OK;
}

PfStatus pf_file_read(PfContext *ctx, PfArena *arena, const char *path, size_t limit, const char **bytes,
                      size_t *count)
{
  FILE *stream = strcmp(path, "-") ? fopen(path, "rb") : stdin;
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
