/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that the reports of several studies have in common. */
#include "cli/study.h"

void pf_study_report_names(const Study *st, PfReport *report, const char *key, const char *units_key,
                           const char *const *names, int count)
{
  pf_report_strings(report, key, names, count);
  pf_report_open(report, units_key);
  for (int i = 0; i < count; i++) pf_report_string(report, NULL, pf_study_measure(st, names[i]).unit);
  pf_report_close(report);
}

void pf_study_print_names(PfReport *report, const char *const *names, int count)
{
  for (int i = 0; i < count; i++) pf_report_print(report, "%s%s", i ? ", " : "", names[i]);
  if (!count) pf_report_print(report, "none");
}

void pf_study_print_eigenvalues(PfReport *report, const Eigenvalues *values, int digits, const char *between)
{
  for (int k = 0; k < values->count; k++) {
    double re = values->re[k], im = values->im[k];
    if (im < 0) continue;
    pf_report_print(report, "  %.*g", digits, re);
    if (im > 0) pf_report_print(report, "%s%.*gi", between, digits, im);
  }
  pf_report_print(report, "\n");
}

void pf_study_report_state(const Study *st, PfReport *report, PfSteadyKind kind, const char *const *names,
                           const bool *cyclic, int size)
{
  pf_report_string(report, "model", pf_cli_name(st->s.model));
  pf_report_string(report, "kind", kind == PF_EQUILIBRIA ? "equilibria" : "steady");
  pf_study_report_names(st, report, "states", "units", names, size);
  pf_report_open(report, "cyclic");
  for (int i = 0; i < size; i++)
    if (cyclic[i]) pf_report_string(report, NULL, names[i]);
  pf_report_close(report);
}

void pf_study_print_failed(PfReport *report, int failed)
{
  if (failed) pf_report_print(report, "  at %d places what is kept cannot have its value\n", failed);
}
