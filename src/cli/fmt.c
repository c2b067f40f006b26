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

static PfStatus format(PfContext *ctx, PfArena *arena, const char *name, const char *bytes, size_t count,
                       const Options *options, const char **result)
{
  PF_TRY(pf_model_format(ctx, arena, name, bytes, count, result));
  if (!options->write || !strcmp(options->file, "-")) return PF_OK;
  const char *formatted = *result;
  *result = NULL;
  return replace(ctx, arena, options->file, formatted);
}

static int run(int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_command_fmt, OPTION_WRITE, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  return pf_cli_turn_text(&options, LARGEST_FILE, format);
}
