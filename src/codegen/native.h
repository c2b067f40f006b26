/* SPDX-License-Identifier: Apache-2.0 */
/* Native code for tapes, inside the library. */
#ifndef PF_CODEGEN_NATIVE_H
#define PF_CODEGEN_NATIVE_H

#include "pfaff/codegen.h"

#include "codegen/sha256.h"
#include "kernel/native.h"

/* Adds the C text that computes a tape at one state or at many (PF_LANES), with a function `pf_run` (PfNativeCode) and
 * the text `pf_key`, by which code is recognised when it is loaded. */
PfStatus pf_native_source(PfContext *ctx, const PfTape *tape, bool many, const char *key, PfText *text);

/* What such text begins with, for those who write their own: `struct functions` of the functions that code calls; then
 * for one state, with groups of so many angles, or for many, types and functions pf_… that the styles of code.h with
 * .math = "pf_" and .sincos = "pf_sincos" use; and the end of the latter, so that others may follow. */
void pf_native_put_functions(PfText *text);
void pf_native_put_single(PfText *text, int group);
void pf_native_put_many(PfText *text);
void pf_native_put_end(PfText *text);

/* Changes with the text that is made of a tape. */
enum { PF_NATIVE_VERSION = 1 };

#endif
