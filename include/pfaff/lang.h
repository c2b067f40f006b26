/* SPDX-License-Identifier: Apache-2.0 */
/* Text to model. */
#ifndef PFAFF_LANG_H
#define PFAFF_LANG_H

#include "pfaff/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a model file ("-": standard input). All errors are in the context, with places (at most 20). On success
 * *model is to be freed with pf_model_free, before the context. */
PF_API PfStatus pf_model_load(PfContext *ctx, const char *path, PfModel **model);

/* The same from memory; `file` is the name for diagnostics. */
PF_API PfStatus pf_model_read(PfContext *ctx, const char *file, const char *bytes, size_t count,
                              PfModel **model);

/* Reads a constant such as "2/3", "5 [g]" or "2*pi/3" as the language does and gives it in SI. A bare number is in
 * `unit`, and what has a unit must be of the same dimension; with "" everything fits and a bare number is in SI. Fails
 * with PF_ERR_ARGUMENT and says what is wrong, without a place. */
PF_API PfStatus pf_constant_read(PfContext *ctx, const char *text, const char *unit, double *value);

/* Reads quantities as 'plot' does, with everything that the model declares: "x, theta [deg]; pos(w)" gives two lists. A
 * vector becomes three quantities. The lists live in `arena`; `what` is the setting whose value this is, or
 * after a blank another name, and stands for the file in diagnostics. The model must have been read by one of the
 * functions above (or be the complete model of one). Fails with PF_ERR_ARGUMENT. */
PF_API PfStatus pf_quantities_read(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what,
                                   const char *text, PfPlot **plots, int *count);

/* The canonical layout of a model text, zero-terminated, in the arena. Only blanks, line ends and ';' between
 * statements change; formatting twice is the same as once. A text with syntax errors is not formatted: the errors are
 * recorded and their status is returned. */
PF_API PfStatus pf_model_format(PfContext *ctx, PfArena *arena, const char *file, const char *bytes,
                                size_t count, const char **formatted);

#ifdef __cplusplus
}
#endif
#endif
