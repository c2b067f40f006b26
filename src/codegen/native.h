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

/* The beginning of such text, for modules that write their own: `struct functions` of the functions that code calls.
 * Then follow, for one state or for many, types and functions pf_… that the styles of code.h with .math = "pf_" and
 * .sincos = "pf_sincos" use. */
void pf_native_put_functions(PfText *text);
/* Types and functions for one state; `group` angles are worked out at once. */
void pf_native_put_single(PfText *text, int group);
/* Types and functions for PF_LANES states at once. */
void pf_native_put_many(PfText *text);
/* Undefines the macros of pf_native_put_single and pf_native_put_many, so that the other may follow. */
void pf_native_put_end(PfText *text);

/* The version of the text that is written for a tape: part of the key of compiled code. */
enum { PF_NATIVE_VERSION = 1 };

#endif
