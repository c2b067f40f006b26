/* pfaff import: a robot of another program as a model. */
#include "cli/cli.h"
#include "pfaff/import.h"

#include <string.h>

static int run(int argc, char **argv);

const Command pf_command_import = {
  "import", "a robot in URDF as a model",
  "[--free] FILE.urdf > MODEL.pf\n\n"
  "Prints the model: links become bodies, joints become placements with a coordinate of the joint's name, damping of\n"
  "joints becomes dampers. Limits are comments. Shapes and transmissions are not looked at; what would change the\n"
  "motion and is left out (mimic, dry friction) is a warning.\n\n"
  "  --free   the root moves freely instead of being fixed to the ground",
  run};

enum { LARGEST_FILE = 64 << 20 };

static PfStatus import(PfContext *ctx, PfArena *arena, const Options *options)
{
  const char *bytes, *plain, *formatted;
  size_t count;
  PF_TRY(pf_file_read(ctx, arena, options->file, LARGEST_FILE, &bytes, &count));
  const char *name = strcmp(options->file, "-") ? options->file : "<stdin>";
  PF_TRY(pf_import_urdf(ctx, arena, name, bytes, count, options->free, &plain));
  PF_TRY(pf_model_format(ctx, arena, "the model", plain, strlen(plain), &formatted));
  PfText text = {.at = (char *)(uintptr_t)formatted, .count = strlen(formatted)};
  return pf_cli_print(&text) == PF_EXIT_OK ? PF_OK : PF_ERR_FILE;
}

static int run(int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_command_import, OPTION_FREE, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  PfContext *ctx = pf_context_new(NULL);
  PfArena *arena = ctx ? pf_arena_new(pf_context_allocator(ctx)) : NULL;
  PfStatus status = arena ? import(ctx, arena, &options) : PF_ERR_MEMORY;
  pf_cli_diagnostics(ctx);
  pf_arena_free(arena);
  pf_context_free(ctx);
  return status == PF_OK ? PF_EXIT_OK : PF_EXIT_FAILED;
}
