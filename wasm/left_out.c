/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that are not in the module: 'export' writes folders, 'import' needs a reader of XML, 'converge' is for a
 * machine of one's own, and a page has examples, plots and scenes of its own: of 'draw' only the shapes are left. */
#include "task/task.h"
#include "scene/picture.h"

#include <string.h>

#define LEFT_OUT "not here: for the program on a machine of its own"

static PfStatus refuse(const PfRequest *request)
{
  PfContext *ctx = pf_task_context(request);
  if (!ctx) return PF_ERR_MEMORY;
  PfStatus status = pf_fail(ctx, PF_ERR_ARGUMENT, "'%s' is left out of this build", request->task->name);
  pf_hint(ctx, LEFT_OUT);
  status = pf_task_give(ctx, status, request, NULL);
  pf_context_free(ctx);
  return status;
}

const char *pf_target_value(int index, const char **summary) /* of 'to': there is none */
{
  (void)index, (void)summary;
  return NULL;
}

#define TASK(task)                                                                                              \
  const PfTask pf_##task##_task = {.name = #task, .summary = LEFT_OUT, .takes = "", .most_files = MOST_FILES, \
                                   .needs_none = true, .run = refuse}
TASK(examples);
TASK(new);
TASK(export);
TASK(import);
TASK(converge);
TASK(page);
TASK(plot);
TASK(sweep);

void pf_launch_ranks(int *own, int *count)
{
  *own = *count = 0;
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
  return pf_fail(ctx, PF_ERR_MISSING, "%s: pictures are left out of this build; the report has what is in them", path);
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
