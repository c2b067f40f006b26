/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that look random and are functions of where they belong: of a seed, a member and a place in it. Whoever
 * computes a member, and whenever, finds the same ones. */
#ifndef PF_SWEEP_RANDOM_H
#define PF_SWEEP_RANDOM_H

#include <stdint.h>

/* Philox4x32-10: ten rounds on four words of a counter, under a key of two. */
void pf_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* What a number is for: streams never meet. */
typedef enum PfStream { PF_STREAM_DRAW, PF_STREAM_SHIFT, PF_STREAM_ORDER, PF_STREAM_PATH } PfStream;

/* 64 bits for the place `index` of the dimension. */
uint64_t pf_random_bits(uint64_t seed, PfStream stream, uint32_t dimension, uint64_t index);
/* Between 0 and 1, neither of them. */
double pf_random_unit(uint64_t seed, PfStream stream, uint32_t dimension, uint64_t index);

/* Where `index` of 0 … count-1 comes to stand in an order that the seed and the dimension decide. */
uint64_t pf_random_place(uint64_t seed, uint32_t dimension, uint64_t index, uint64_t count);

/* Of the standard normal distribution: how many lie below x, and the x below which so many lie. */
double pf_normal_part(double x);
double pf_normal_inverse(double part);

/* Sobol's sequence: dimension 0, 1, … of its point `index`, shifted by the seed. */
enum { PF_SOBOL_DIMENSIONS = 40 };
double pf_sobol(uint64_t seed, uint32_t dimension, uint64_t index);

#endif
