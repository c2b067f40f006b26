/* SPDX-License-Identifier: Apache-2.0 */
/* Right-hand sides as a person writes them, who has solved the equations with a pencil: constraints eliminated, sums
 * that are constant known to be constant. y holds the coordinates and the independent velocities, d their rates; `push`
 * is the force F of the snakeboard. */
#ifndef PF_BENCH_HAND_H
#define PF_BENCH_HAND_H

void hand_free_floating(const double *y, double *d, double push);
void hand_omni_robot(const double *y, double *d, double push);
void hand_snakeboard(const double *y, double *d, double push);

#endif
