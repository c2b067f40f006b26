/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that look random and are functions of a seed, a member and a place in it. They do not depend on the process
 * or thread that computes a member, or on the order. */
#ifndef PF_SWEEP_RANDOM_H
#define PF_SWEEP_RANDOM_H

#include <stdint.h>

/* Philox4x32-10: four words for a counter of four, under a key of two. Every counter has words of its own. */
void pf_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* The purpose of a number: streams never meet. */
typedef enum PfStream { PF_STREAM_DRAW, PF_STREAM_SHIFT, PF_STREAM_ORDER, PF_STREAM_PATH } PfStream;

/* 64 bits for the place `index` of the dimension of a stream. */
uint64_t pf_random_bits(uint64_t seed, PfStream stream, uint32_t dimension, uint64_t index);
/* The same as a number between 0 and 1, neither of them, with 52 bits. */
double pf_random_unit(uint64_t seed, PfStream stream, uint32_t dimension, uint64_t index);

/* The place of `index`, from 0 to count - 1, in a permutation that the seed and the dimension decide. O(1) on average.
 * */
uint64_t pf_random_place(uint64_t seed, uint32_t dimension, uint64_t index, uint64_t count);

/* The standard normal distribution function: the part of the numbers that lies below x. */
double pf_normal_part(double x);
/* Its inverse: the x below which such a part lies, 0 < part < 1. */
double pf_normal_inverse(double part);

/* Sobol's sequence: coordinate `dimension` of its point `index`, in (0, 1), shifted by the seed (0: not). It is
 * computed from the index alone, so that members need no order. */
enum { PF_SOBOL_DIMENSIONS = 40 };
double pf_sobol(uint64_t seed, uint32_t dimension, uint64_t index);

#endif
