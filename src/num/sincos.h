/* SPDX-License-Identifier: Apache-2.0 */
/* Sine and cosine of tapes and trees: the same bits on every processor, alone or in vectors. Off by less than 1 unit in
 * the last place. Beyond PF_LARGEST_ANGLE (5000 turns) and for what is not a number, those of the C library. */
#ifndef PF_KERNEL_SINCOS_H
#define PF_KERNEL_SINCOS_H

#define PF_LARGEST_ANGLE 32768.0

void pf_sincos(double angle, double *sine, double *cosine);
double pf_sin(double angle);
double pf_cos(double angle);

#endif
