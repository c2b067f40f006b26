/* SPDX-License-Identifier: Apache-2.0 */
/* Native code: tapes that run long are compiled by the C compiler of the system, beside the run, and go on as machine
 * code. Results are the same bit for bit; only the time changes. */
#ifndef PFAFF_CODEGEN_H
#define PFAFF_CODEGEN_H

#include "pfaff/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PfNative {
  PF_NATIVE_OFF,  /* tapes are interpreted: no process is started and no file written */
  PF_NATIVE_AUTO, /* compiles what has run long enough for it to pay, takes what earlier runs left in the cache */
  PF_NATIVE_ON    /* compiles everything that runs more than three times, and waits for it */
} PfNative;

/* What the tapes of the context do that are made after the first call; later calls concern all of them. A new context
 * has PF_NATIVE_OFF: a library does not start processes unasked. The compiler is $PFAFF_CC, or cc, gcc or clang; code
 * is kept in $XDG_CACHE_HOME/pfaff or ~/.cache/pfaff. Where there is no compiler, or it fails, tapes are interpreted.
 *
 * Fails with PF_ERR_MISSING when PF_NATIVE_ON is asked for and there is no compiler, with PF_ERR_MEMORY. */
PF_API PfStatus pf_context_set_native(PfContext *ctx, PfNative mode);
/* What was set last. */
PF_API PfNative pf_context_native(const PfContext *ctx);

/* What became of it so far. */
typedef struct PfNativeReport {
  int compiled, cached; /* tapes whose code was compiled now, or found in the cache */
  int failed;           /* tapes that stayed as they are, too large ones too */
  double seconds;       /* of the compiler, beside the run */
  char trouble[200];    /* why the first one failed, or "" */
} PfNativeReport;
/* What was compiled so far, and the first reason why something was not. */
PF_API PfNativeReport pf_context_native_report(const PfContext *ctx);

#ifdef __cplusplus
}
#endif
#endif
