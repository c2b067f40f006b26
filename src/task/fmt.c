/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff fmt: the canonical layout of a model file. */
#include "task/task.h"
#include "out/file.h"

#include <string.h>

static PfStatus run(const PfRequest *options);

const PfTask pf_fmt_task = {
  .name = "fmt", .summary = "the canonical layout of a model file",
  .operands = "FILE",
  .about = "Prints the model with the usual spaces, indentation and line ends; comments stay.",
  .takes = "write ",
  .examples = "@call{fmt -w examples/skates/snakeboard.pf}\n",
  .makes_text = true,
  .fields = pf_text_fields,
  .run = run};

enum { LARGEST_FILE = 16 << 20 }; /* as for models */

static PfStatus format(PfContext *ctx, PfArena *arena, const char *name, const char *bytes, size_t count,
                       const PfRequest *options, const char **result)
{
  PF_TRY(pf_model_format(ctx, arena, name, bytes, count, result));
  if (!options->write) return PF_OK;
  const char *formatted = *result;
  *result = NULL;
  if (!strcmp(formatted, bytes)) return PF_OK;
  PfText text = {.at = (char *)(uintptr_t)formatted, .count = strlen(formatted)};
  return pf_out_text(ctx, options->file, &text);
}

static PfStatus run(const PfRequest *options)
{
  return pf_task_turn_text(options, LARGEST_FILE, format);
}
