/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that are not in the module: 'export' writes folders, 'import' needs a reader of XML, 'converge' is for a
 * machine of one's own, and a page has examples, plots and scenes of its own: of 'draw' only the shapes are left. */
#include "cli/cli.h"
#include "cli/live.h"
#include "cli/options.h"
#include "scene/picture.h"

#include <string.h>

#define LEFT_OUT "not here: for the program on a machine of its own"

static int import(const Console *console, int argc, char **argv)
{
  return pf_cli_wrong_usage(console, argc, argv, LEFT_OUT, "'import' is left out of this build");
}

static int converge(const Console *console, int argc, char **argv)
{
  return pf_cli_wrong_usage(console, argc, argv, LEFT_OUT, "'converge' is left out of this build");
}

static int page(const Console *console, int argc, char **argv)
{
  return pf_cli_wrong_usage(console, argc, argv, LEFT_OUT, "'page' is left out of this build");
}

static int plot(const Console *console, int argc, char **argv)
{
  return pf_cli_wrong_usage(console, argc, argv, LEFT_OUT, "'plot' is left out of this build");
}

static int export(const Console *console, int argc, char **argv)
{
  return pf_cli_wrong_usage(console, argc, argv, LEFT_OUT, "'export' is left out of this build");
}

static int examples(const Console *console, int argc, char **argv)
{
  return pf_cli_wrong_usage(console, argc, argv, LEFT_OUT, "'examples' is left out of this build");
}

static int new_model(const Console *console, int argc, char **argv)
{
  return pf_cli_wrong_usage(console, argc, argv, LEFT_OUT, "'new' is left out of this build");
}

static int sweep(const Console *console, int argc, char **argv)
{
  return pf_cli_wrong_usage(console, argc, argv, LEFT_OUT, "'sweep' is left out of this build");
}

const char *pf_target_value(int index, const char **summary) /* of --to: there is none */
{
  (void)index, (void)summary;
  return NULL;
}

const Command pf_command_examples = {.name = "examples", .summary = LEFT_OUT, .takes = "", .run = examples};
const Command pf_command_new = {.name = "new", .summary = LEFT_OUT, .takes = "", .run = new_model};
const Command pf_command_export = {.name = "export", .summary = LEFT_OUT, .takes = "", .run = export};
const Command pf_command_import = {.name = "import", .summary = LEFT_OUT, .takes = "", .run = import};
const Command pf_command_converge = {.name = "converge", .summary = LEFT_OUT, .takes = "", .run = converge};
const Command pf_command_page = {.name = "page", .summary = LEFT_OUT, .takes = "", .run = page};
const Command pf_command_plot = {.name = "plot", .summary = LEFT_OUT, .takes = "", .run = plot};
const Command pf_command_sweep = {.name = "sweep", .summary = LEFT_OUT, .takes = "", .run = sweep};

/* ---------------------------------------------------------------- the terminal (cli/live.c) */

PfStatus pf_live_make(Live *live, Motion *motion, const Trajectory *trajectory, const Options *options)
{
  (void)live, (void)trajectory, (void)options;
  return pf_fail(motion->s->ctx, PF_ERR_MISSING, "--watch: there is no terminal here");
}

PfStatus pf_live_add(Live *live)
{
  (void)live;
  return PF_OK;
}

void pf_live_show(Live *live, double t)
{
  (void)live, (void)t;
}

void pf_live_end(Live *live, double t)
{
  (void)live, (void)t;
}

void pf_live_free(Live *live)
{
  (void)live;
}

/* ---------------------------------------------------------------- pictures (out/picture.c, out/chart.c, scene) */

PfPictureKind pf_picture_kind(const char *ending)
{
  return strcmp(ending, "svg") && strcmp(ending, "png") && strcmp(ending, "pdf") ? PF_PICTURE_NONE : PF_PICTURE_SVG;
}

PfStatus pf_picture_check(PfContext *ctx, const char *path, PfPictureKind kind, const char *library)
{
  (void)library;
  if (kind == PF_PICTURE_NONE) return PF_OK;
  return pf_fail(ctx, PF_ERR_MISSING, "%s: pictures are left out of this build; --json has what is in them", path);
}

/* Nobody comes here: the file has been refused before. */
void pf_svg_chart(PfText *text, const PfChart *chart)
{
  (void)chart;
  text->failed = true;
}

PfStatus pf_scene_svg(PfContext *ctx, const PfPicture *picture, PfText *text)
{
  (void)picture, (void)text;
  return pf_fail(ctx, PF_ERR_MISSING, "pictures are left out of this build");
}
