/* pfaff import: a robot of another program as a model. */
#include "cli/cli.h"
#include "pfaff/import.h"

#include <string.h>

static int run(int argc, char **argv);

static const OptionHelp own[] = {{.name = "out", .argument = "FILE", .help = "writes the model to a file"}, {0}};

const Command pf_command_import = {
  .name = "import", .summary = "a robot in URDF as a model",
  .operands = "FILE.urdf",
  .about = "Prints the model: links become bodies, joints become placements with a coordinate of the joint's name, damping of "
           "joints becomes dampers. Limits are comments. Shapes and transmissions are not looked at; what would change the motion "
           "and is left out (dry friction) is a warning.",
  .takes = "free out json ",
  .writes = {"pf"},
  .own = own,
  .examples = "pfaff import --out arm.pf arm.urdf\n",
  .run = run};

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
  int code = pf_cli_options(&pf_command_import, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  return pf_cli_turn_text(&options, LARGEST_FILE, import);
}
