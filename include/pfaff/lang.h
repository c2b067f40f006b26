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

/* The canonical layout of a model text, in the arena. */
PF_API PfStatus pf_model_format(PfContext *ctx, PfArena *arena, const char *file, const char *bytes,
                                size_t count, const char **formatted);

#ifdef __cplusplus
}
#endif
#endif
