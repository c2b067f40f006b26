/* Models of other programs, turned into the language. */
#ifndef PFAFF_IMPORT_H
#define PFAFF_IMPORT_H

#include "pfaff/base.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A robot in URDF as the text of a model, in `arena`: links become bodies, joints placements and coordinates. With
 * `floating` the root may move freely. What URDF says and the model does not (limits, friction, geometry) is a
 * warning where it changes the motion. Fails with PF_ERR_SYNTAX or PF_ERR_MODEL naming the place; with PF_ERR_MISSING when
 * this build has no XML reader. */
PF_API PfStatus pf_import_urdf(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                               bool floating, const char **text);

#ifdef __cplusplus
}
#endif
#endif
