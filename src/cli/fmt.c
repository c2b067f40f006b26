/* pfaff fmt: the canonical layout of a model file. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int run(int argc, char **argv);

const Command pf_command_fmt = {
  "fmt", "the canonical layout of a model file",
  "[-w] FILE\n\n"
  "Prints the model with the usual spaces, indentation and line ends; comments stay.\n\n"
  "  -w, --write   replace the file instead",
  run};

enum { LARGEST_FILE = 16 << 20 }; /* as for models */

/* Written beside the file and renamed, so that the model is never lost. */
static PfStatus replace(PfContext *ctx, PfArena *arena, const char *path, const char *text)
{
  size_t length = strlen(path) + 8;
  char *beside = pf_arena_alloc(arena, length, 1);
  if (!beside) return pf_fail(ctx, PF_ERR_MEMORY, "no memory");
  snprintf(beside, length, "%s.new", path);
  FILE *stream = fopen(beside, "wb");
  if (!stream) return pf_fail(ctx, PF_ERR_FILE, "cannot write '%s': %s", beside, strerror(errno));
  struct stat status;
  bool good = fputs(text, stream) >= 0;
  good = fclose(stream) == 0 && good;
  if (stat(path, &status) == 0) (void)chmod(beside, status.st_mode & 0777); /* whoever may read it, still may */
  if (good && rename(beside, path) == 0) return PF_OK;
  pf_fail(ctx, PF_ERR_FILE, "cannot write '%s': %s", path, strerror(errno));
  remove(beside);
  return PF_ERR_FILE;
}

static PfStatus format(PfContext *ctx, PfArena *arena, const Options *options)
{
  const char *bytes, *formatted;
  size_t count;
  PF_TRY(pf_file_read(ctx, arena, options->file, LARGEST_FILE, &bytes, &count));
  const char *name = strcmp(options->file, "-") ? options->file : "<stdin>";
  PF_TRY(pf_model_format(ctx, arena, name, bytes, count, &formatted));
  if (options->write && strcmp(options->file, "-")) return replace(ctx, arena, options->file, formatted);
  PfText text = {.at = (char *)(uintptr_t)formatted, .count = strlen(formatted)};
  return pf_cli_print(&text) == PF_EXIT_OK ? PF_OK : PF_ERR_FILE;
}

static int run(int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_command_fmt, OPTION_WRITE, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  PfContext *ctx = pf_context_new(NULL);
  PfArena *arena = ctx ? pf_arena_new(pf_context_allocator(ctx)) : NULL;
  PfStatus status = arena ? format(ctx, arena, &options) : PF_ERR_MEMORY;
  pf_cli_diagnostics(ctx);
  pf_arena_free(arena);
  pf_context_free(ctx);
  return status == PF_OK ? PF_EXIT_OK : PF_EXIT_FAILED;
}
