/* SPDX-License-Identifier: Apache-2.0 */
/* Kinematics of frames and vectors: what the language and the mechanics share. */
#ifndef PF_SRC_MODEL_H
#define PF_SRC_MODEL_H

#include "base/base.h"
#include "pfaff/model.h"

/* The same model for a fork of its context (expr/fork.h): starts and parameters may be set without changing the
 * original, which must outlive it. NULL without memory. */
PfModel *pf_model_fork(PfContext *ctx, const PfModel *from);
/* Have two forks of one model the same starts and parameters, by the handles of their expressions? */
bool pf_model_starts_like(const PfModel *a, const PfModel *b);

/* Fails with PF_ERR_MODEL when the time derivative of an e needs that of an input without a function. */
PfStatus pf_model_check_inputs(const PfModel *model, const PfExpr *e, int count);

/* d e/dq for all coordinates; for components of an angular velocity what e changes by when only that one turns. */
PfStatus pf_model_gradient(const PfModel *model, PfExpr e, PfExpr *gradient);

/* The derivatives of `count` expressions along a motion with these velocities of the coordinates (n; NULL: their
 * symbols), in which the velocities themselves are constant: coordinates, time, inputs by their functions of it and
 * auxiliary states change. `out` may be `e`. */
PfStatus pf_model_derive_along(const PfModel *model, const PfExpr *velocity, const PfExpr *e, int count, PfExpr *out);

/* d e/dx' for the velocities of all coordinates. */
PfStatus pf_velocity_gradient(const PfModel *model, PfExpr e, PfExpr *gradient);

/* The expressions with these in the place of the velocities x' (n; NULL: zeros). `out` may be `e`. */
PfStatus pf_put_velocities(const PfModel *model, const PfExpr *velocity, const PfExpr *e, int count, PfExpr *out);

/* sum_j coefficients[j*stride]*unknowns[j] */
PfExpr pf_combination(PfContext *ctx, const PfExpr *coefficients, size_t stride, const PfExpr *unknowns, int count);

/* An entry of the rotation matrix of a quaternion, from the axes of the body to those it is placed in. */
PfExpr pf_quaternion_entry(PfContext *ctx, const PfExpr q[4], int row, int column);

/* The rates of all coordinates from speeds that are given by velocities, together with the constraints; velocities that
 * these leave open become further speeds. Nothing to do when the speeds are not given so. */
PfStatus pf_model_solve_rates(PfModel *model);

/* A name that nothing else has, neither in the model nor in the list of symbols: `stem`, or with a number behind it,
 * before the index in brackets that may end `stem`. */
PfStatus pf_model_free_name(const PfModel *model, PfArena *arena, const char *stem, const PfExpr *taken, int count,
                            const char **name, PfExpr *symbol);

/* Adds a frame to the model being built. `room` is the room of model->frames, which grows in the arena. */
PfStatus pf_frame_add(PfModel *model, int *room, PfFrame frame, int *index);

/* Components of v in the frame's axes turned into the axes of another frame. */
void pf_frame_turn(const PfModel *model, int from, int to, const PfExpr v[3], PfExpr out[3]);

/* The rates of its placement: of the origin (3), in the axes of the parent, and of the angle, 0 without one. */
PfStatus pf_frame_rates(const PfModel *model, int frame, PfExpr rate[4]);

/* Is the frame turned against its parent, by an angle or by a quaternion? */
bool pf_frame_is_turned(const PfFrame *frame);

/* The vector part of 2 q* q'/|q|^2: the angular velocity of a quaternion, in the axes of the body. */
void pf_quaternion_spin(PfContext *ctx, const PfExpr q[4], const PfExpr rate[4], PfExpr out[3]);

/* q' = 1/2 q (0, w): the rate of a quaternion that turns with w, in the axes of the body. */
void pf_quaternion_rate(PfContext *ctx, const PfExpr q[4], const PfExpr w[3], PfExpr rate[4]);

/* Turns v by the rotation of the frame against its parent: own axes -> parent axes, or back. `out` may be `v`. */
void pf_frame_to_parent(const PfModel *model, int frame, const PfExpr v[3], PfExpr out[3]);
void pf_frame_from_parent(const PfModel *model, int frame, const PfExpr v[3], PfExpr out[3]);

/* Vectors live in the model's arena; a failed allocation gives count = -1, which absorbs. Up to so many parts are kept
 * apart, since formulas of them read well; beyond that the parts are put together in one frame, link by link. */
enum { PF_MOST_VECTOR_PARTS = 24 };
/* The vector with components c in the axes of the frame; the one without parts. */
PfVector pf_vector_make(const PfModel *model, int frame, const PfExpr c[3]);
PfVector pf_vector_zero(void);
/* a + b, factor*a, a x b, a . b: of any parts, in any frames. */
PfVector pf_vector_add(const PfModel *model, PfVector a, PfVector b);
PfVector pf_vector_scale(const PfModel *model, PfVector a, PfExpr factor);
PfVector pf_vector_cross(const PfModel *model, PfVector a, PfVector b);
PfExpr pf_vector_dot(const PfModel *model, PfVector a, PfVector b);
/* The components in the axes of one frame. */
void pf_vector_express(const PfModel *model, PfVector a, int frame, PfExpr out[3]);

/* Where the origin of the frame is, seen from the ground; its velocity; the angular velocity of the frame. Velocities
 * contain the symbols x'. */
PfVector pf_frame_position(const PfModel *model, int frame);
PfVector pf_frame_velocity(const PfModel *model, int frame);
PfVector pf_frame_spin(const PfModel *model, int frame);

/* The same for a point that is fixed at c in a frame. */
PfVector pf_point_position(const PfModel *model, int frame, const PfExpr c[3]);
PfVector pf_point_velocity(const PfModel *model, int frame, const PfExpr c[3]);

/* 3-vectors of expressions in common axes: a x b, a . b. */
void pf_expr_cross3(PfContext *ctx, const PfExpr a[3], const PfExpr b[3], PfExpr out[3]);
PfExpr pf_expr_dot3(PfContext *ctx, const PfExpr a[3], const PfExpr b[3]);
/* sum += v, sum += a x b */
void pf_expr_add3(PfContext *ctx, PfExpr sum[3], const PfExpr v[3]);
void pf_expr_add_cross3(PfContext *ctx, PfExpr sum[3], const PfExpr a[3], const PfExpr b[3]);

#endif
