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

/* Changes with the text that is made of a tape. */
enum { PF_NATIVE_VERSION = 1 };

#endif
