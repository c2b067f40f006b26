/* SPDX-License-Identifier: Apache-2.0 */
/* Where everything of the scene is along a run, in a file of its own. */
#ifndef PF_CLI_POSES_H
#define PF_CLI_POSES_H

#include "cli/motion.h"
#include "out/record.h"

typedef struct Poses {
  PfSim *sim;      /* NULL: nobody asks for them */
  PfScene *scene;  /* NULL: nothing is known that could be drawn */
  PfRecord record;
  double *row;
} Poses;

#define PF_NO_SCENE "nothing is known of the model that could be drawn"
/* The scene of a simulation that is placed; NULL, and no error, when nothing is known that could be drawn. */
PfStatus pf_cli_scene(PfSim *sim, PfScene **scene);

/* Of a motion that is started. Rows go to that file (pf_record_close(&poses->record) ends it): t, and the numbers of
 * pf_scene_read. */
PfStatus pf_poses_make(Poses *poses, Motion *motion, const char *path);
void pf_poses_free(Poses *poses);
/* At the sample that the simulation looks at. */
PfStatus pf_poses_add(Poses *poses);

#endif
