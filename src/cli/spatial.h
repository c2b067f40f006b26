/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of the recursion: pfaff eval --spatial. */
#ifndef PF_CLI_SPATIAL_H
#define PF_CLI_SPATIAL_H

#include "cli/cli.h"

/* Writes nothing when there are none. */
void pf_spatial_report(const PfSpatial *spatial, PfReport *report);
extern const PfField pf_spatial_fields[];
#define PF_SPATIAL_FIELD                                                                                \
  {.key = "spatial", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = pf_spatial_fields,           \
   .about = "operators of the recursion, body by body", .optional = true}

#endif
