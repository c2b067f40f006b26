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

static PfStatus import(PfContext *ctx, PfArena *arena, const char *name, const char *bytes, size_t count,
                       const Options *options, const char **result)
{
  const char *plain;
  PF_TRY(pf_import_urdf(ctx, arena, name, bytes, count, options->free, &plain));
  return pf_model_format(ctx, arena, "the model", plain, strlen(plain), result);
}

static int run(int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_command_import, OPTION_FREE, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  return pf_cli_turn_text(&options, LARGEST_FILE, import);
}
