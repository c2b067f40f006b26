/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of the recursion: pfaff eval --spatial. */
#ifndef PF_CLI_SPATIAL_H
#define PF_CLI_SPATIAL_H

#include "cli/cli.h"

/* Nothing when there are none. */
void pf_spatial_text(const PfSpatial *spatial, PfText *text);
void pf_spatial_json(const PfSpatial *spatial, PfJson *json);

#endif
