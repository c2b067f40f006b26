/* SPDX-License-Identifier: Apache-2.0 */
/* Singular values and eigenvalues in two ways with one interface: by our own code, which needs nothing (small.c,
 * francis.c), and by LAPACK (lapack.c), which says PF_ERR_MISSING, without words and with A unchanged,
 * where it cannot be loaded. The elements of A are of the size 1 at most; A is destroyed. */
#ifndef PF_SRC_NUM_SMALL_H
#define PF_SRC_NUM_SMALL_H

#include "num/num.h"

/* As pf_svd, for m, n > 0. */
PfStatus pf_small_svd(PfContext *ctx, PfArena *scratch, double *A, int m, int n, double *s, double *U, double *Vt);
PfStatus pf_lapack_svd(PfContext *ctx, PfArena *scratch, double *A, int m, int n, double *s, double *U, double *Vt);

/* As pf_spectrum_find; the arrays of the spectrum are there. */
PfStatus pf_small_spectrum(PfContext *ctx, PfArena *scratch, double *A, int n, PfSpectrum *spectrum);
PfStatus pf_lapack_spectrum(PfContext *ctx, PfArena *scratch, double *A, int n, PfSpectrum *spectrum);

#endif
