/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as files: which kinds there are, and whether they can be made here. */
#include "out/chart.h"

#include <string.h>

PfPictureKind pf_picture_kind(const char *ending)
{
  if (!strcmp(ending, "svg")) return PF_PICTURE_SVG;
  if (!strcmp(ending, "png")) return PF_PICTURE_PNG;
  return strcmp(ending, "pdf") ? PF_PICTURE_NONE : PF_PICTURE_PDF;
}

PfStatus pf_picture_check(PfContext *ctx, const char *path, PfPictureKind kind, const char *library)
{
  if (kind == PF_PICTURE_NONE || kind == PF_PICTURE_SVG || pf_render_check(ctx, library) == PF_OK) return PF_OK;
  const char *dot = strrchr(path, '.');
  int length = dot ? (int)(dot - path) : (int)strlen(path);
  pf_hint(ctx, "write %.*s.svg and convert it, as by: rsvg-convert --format %s --output %s %.*s.svg", length, path,
          kind == PF_PICTURE_PNG ? "png" : "pdf", path, length, path);
  return PF_ERR_MISSING;
}
