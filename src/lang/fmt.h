/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical layout of a model file. */
#ifndef PF_LANG_FMT_H
#define PF_LANG_FMT_H

#include "base/base.h"

/* Lays out the model in `bytes`; the result, zero-terminated, lives in the arena. Only blanks, line ends and
 * ';' between statements change; formatting twice is the same as once. A text with syntax errors is not
 * formatted: the errors are reported and their status is returned. */
PfStatus pf_format(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                   const char **formatted);

#endif
