/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a scene as SVG, and a scene for programs. */
#ifndef PF_SCENE_PICTURE_H
#define PF_SCENE_PICTURE_H

#include "out/out.h"
#include "pfaff/scene.h"
#include "report/report.h"

typedef enum PfView { PF_VIEW_AUTO, PF_VIEW_ISO, PF_VIEW_TOP, PF_VIEW_SIDE, PF_VIEW_FRONT } PfView;

/* A picture: the scene at several instants, the last in full colours, the earlier ones paler, with the paths of
 * points. */
typedef struct PfPicture {
  const PfScene *scene;
  PfView view;
  const char *title;
  int count;
  const double *times, *numbers; /* pf_scene_size numbers per instant */
  int path_count;
  const double *path;            /* the same all along the motion, for traces; or NULL */
} PfPicture;

/* Appends the picture as a complete SVG text. Hidden parts are found by sorting faces: O(n^2) for n faces at worst. */
PfStatus pf_scene_svg(PfContext *ctx, const PfPicture *picture, PfText *text);

/* Makes surfaces and rails as large as the motion needs; `path` has `count` times the numbers of pf_scene_read. */
PfStatus pf_scene_spread(PfScene *scene, const double *path, int count);

/* The scene at so many instants as a report with these fields; "model" and "diagnostics" are for the caller. */
extern const PfField pf_scene_fields[];
/* Fills the report: shapes once, then poses and points at every instant. */
void pf_scene_report(const PfScene *scene, const double *times, const double *numbers, int count, PfReport *report);

#endif
