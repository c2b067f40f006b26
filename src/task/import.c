/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff import: a robot of another program as a model. */
#include "task/task.h"
#include "pfaff/import.h"

#include <string.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "actuators",
   .help = "joints that get an input, a force on their coordinate: names with commas, or 'all' (those with a "
           "<transmission>; without any, all that move)"},
  {.name = "weld",
   .help = "joints that become welds: names with commas, 'elbow:0.3' at this value (0), 'massless' for all that move "
           "no mass"},
  {.name = "out", .argument = "FILE", .help = "writes the model to a file"},
  {0}};

const PfTask pf_import_task = {
  .name = "import", .summary = "a robot in URDF as a model",
  .operands = "FILE.urdf",
  .about = "Prints the model: links become bodies, joints become placements with a coordinate of the joint's name, "
           "damping of joints becomes dampers, dry friction -f*sign(q'), mimic and constraint become constraints. "
           "Limits are comments. Shapes tell the radius of wheels only. Warnings tell what is left out or doubtful.",
  .takes = "base free actuators wheel weld no-friction out json ",
  .writes = {"pf"},
  .own = own,
  .examples = "@call{import @out{arm.pf} examples/robots/arm7.urdf}\n"
              "@call{import @base{planar} @wheel{left_wheel,right_wheel} @actuators{all} rover.urdf}\n",
  .makes_text = true,
  .fields = pf_text_fields,
  .run = run};

static PfStatus find_base(PfContext *ctx, const PfRequest *options, PfBase *base)
{
  static const char *const kinds[] = {[PF_BASE_FIXED] = "fixed", [PF_BASE_FREE] = "free", [PF_BASE_PLANAR] = "planar"};
  const char *kind = options->base ? options->base : options->free ? "free" : "fixed";
  if (options->base && options->free && strcmp(kind, "free"))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "@free contradicts @base{%s}", kind);
  for (int i = PF_BASE_FIXED; i <= PF_BASE_PLANAR; i++)
    if (!strcmp(kind, kinds[i])) {
      *base = (PfBase)i;
      return PF_OK;
    }
  pf_fail_at(ctx, PF_ERR_ARGUMENT, (PfPlace){.setting = "base"}, "there is no base '%s'", kind);
  pf_hint(ctx, "there are: fixed, free, planar");
  return PF_ERR_ARGUMENT;
}

static PfStatus import(PfContext *ctx, PfArena *arena, const char *name, const char *bytes, size_t count,
                       const PfRequest *options, const char **result)
{
  const char *plain;
  PfUrdf urdf = {.weld = options->weld, .no_friction = options->no_friction, .actuators = options->actuators,
                 .wheels = options->wheels.at, .wheel_count = options->wheels.count};
  PF_TRY(find_base(ctx, options, &urdf.base));
  PF_TRY(pf_import_urdf(ctx, arena, name, bytes, count, &urdf, &plain));
  return pf_model_format(ctx, arena, "the model", plain, strlen(plain), result);
}

static PfStatus run(const PfRequest *options)
{
  return pf_task_turn_text(options, PF_URDF_LARGEST, import);
}
