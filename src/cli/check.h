/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of 'check'. */
#ifndef PFAFF_CLI_CHECK_H
#define PFAFF_CLI_CHECK_H

#include "cli/cli.h"

/* Of the start that a run begins from; `horizon` in s. */
void pf_check_json_values(const PfModel *model, const PfSymbols *symbols, const double *values, double horizon,
                          PfJson *json);
/* The same keys without values. */
void pf_check_json_no_values(PfJson *json);

#endif
