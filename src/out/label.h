/* SPDX-License-Identifier: Apache-2.0 */
/* Names, units and texts as pictures show them. Whatever bytes they are made of, they stay inside their element. */
#ifndef PF_OUT_LABEL_H
#define PF_OUT_LABEL_H

#include "base/base.h"

/* How a text becomes a label: PF_LABEL_NAME sets names of quantities, formulas and a unit in brackets at the end as
 * mathematics (phi_b, chi[2], x'' [m/s^2]); everything else, and everything with PF_LABEL_PLAIN, is shown as it is. */
typedef enum PfLabelKind { PF_LABEL_NAME, PF_LABEL_PLAIN } PfLabelKind;

/* Appends the content of an SVG <text> element with that size of font in pixels, cut by an ellipsis where it would be
 * wider than `most` pixels; a unit at the end is kept. */
void pf_label_put(PfText *text, PfLabelKind kind, const char *label, double size, double most);

/* About how wide that is in pixels: rather too much than too little, since the font is the viewer's choice. */
double pf_label_width(PfLabelKind kind, const char *label, double size);

/* Appends the bytes as printable UTF-8: control characters, bytes that are not UTF-8 and marks that change the
 * direction of writing become U+FFFD, line ends and tabs blanks. For terminals. */
void pf_put_printable(PfText *text, const char *bytes);

/* The same of `count` bytes, with <, >, &, " and ' as entities of XML. */
void pf_put_xml(PfText *text, const char *bytes, size_t count);

#endif
