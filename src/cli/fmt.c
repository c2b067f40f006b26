/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff fmt: the canonical layout of a model file. */
#include "cli/cli.h"
#include "out/file.h"

#include <string.h>

static int run(const Console *console, int argc, char **argv);

const Command pf_command_fmt = {
  .name = "fmt", .summary = "the canonical layout of a model file",
  .operands = "FILE",
  .about = "Prints the model with the usual spaces, indentation and line ends; comments stay.",
  .takes = "write ",
  .examples = "pfaff fmt -w examples/skates/snakeboard.pf\n",
  .run = run};

enum { LARGEST_FILE = 16 << 20 }; /* as for models */

static PfStatus format(PfContext *ctx, PfArena *arena, const char *name, const char *bytes, size_t count,
                       const Options *options, const char **result)
{
  PF_TRY(pf_model_format(ctx, arena, name, bytes, count, result));
  if (!options->write) return PF_OK;
  const char *formatted = *result;
  *result = NULL;
  if (!strcmp(formatted, bytes)) return PF_OK;
  PfText text = {.at = (char *)(uintptr_t)formatted, .count = strlen(formatted)};
  return pf_out_text(ctx, options->file, &text);
}

static int run(const Console *console, int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_command_fmt, console, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  return pf_cli_turn_text(&options, LARGEST_FILE, format);
}
