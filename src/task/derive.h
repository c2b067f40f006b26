/* SPDX-License-Identifier: Apache-2.0 */
/* What 'derive' writes: for programs, people, papers and pages (derive_latex.c). */
#ifndef PF_TASK_DERIVE_H
#define PF_TASK_DERIVE_H

#include "task/task.h"

/* A derived form as text and as the tree of a report with these fields; either may be NULL. `seconds` is the time that
 * M, F, A and b took (NaN: it is not known). */
extern const PfField pf_derivation_fields[];
void pf_derivation_report(Session *session, const PfDerivation *derivation, const PfCount *count, double seconds,
                          PfText *text, PfReport *tree);

/* Is it square, with zeros everywhere off its diagonal (derive.c)? */
bool pf_derived_is_diagonal(Session *session, const PfNamedMatrix *matrix);

/* Equations in plain text (derive.c). */
void pf_derived_text(Session *session, const PfDerivation *derivation, PfText *text);

/* Equations to be put into a document with amsmath, and a document of their own. */
void pf_derived_latex(Session *session, const PfDerivation *derivation, PfText *text);
void pf_derived_document(Session *session, const PfDerivation *derivation, PfText *text);

/* Markdown with mathematics between dollars, as GitHub and Jupyter show it. */
void pf_derived_markdown(Session *session, const PfDerivation *derivation, PfText *text);

/* Statements of C (derive_c.c). */
PfStatus pf_derived_c(Session *session, const PfDerivation *derivation, PfText *text);

#endif
