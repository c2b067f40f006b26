/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of 'check'. */
#ifndef PFAFF_CLI_CHECK_H
#define PFAFF_CLI_CHECK_H

#include "cli/cli.h"

/* The numbers of a start from which a run begins, its length `horizon` in s, and what it plots; no text. */
void pf_check_report_values(const PfModel *model, const PfSymbols *symbols, const double *values, double horizon,
                            PfReport *report);
extern const PfField pf_check_value_fields[], pf_check_plot_fields[];
#define PF_CHECK_VALUE_FIELDS                                                                            \
  PF_FIELD("horizon", NUMBER, "length of a run in s"),                           \
  {.key = "plots", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = pf_check_plot_fields},          \
  {.key = "values", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = pf_check_value_fields,         \
   .about = "the numbers that can be changed: parameters and the start"}

#endif
