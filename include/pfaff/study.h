/* Studies: what can be said about a system beyond one motion. */
#ifndef PFAFF_STUDY_H
#define PFAFF_STUDY_H

#include "pfaff/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- the vector field */

/* The system as x' = f(x) of least size: x holds independent coordinates (what holonomic constraints leave free) and
 * independent velocities, or the speeds of the model. Which ones is decided by numbers at a state. */
typedef struct PfField PfField;

/* Quantities that are to be followed beside the state: expressions of the symbols of the model. */
typedef struct PfFieldOutputs {
  int count;
  const PfExpr *values;
} PfFieldOutputs;

/* `given` overrides parameters (NULL: none; NaN: not this one); `outputs` may be NULL. The system must outlive the
 * field. */
PF_API PfStatus pf_field_new(PfContext *ctx, const PfSystem *system, const double *given, const PfFieldOutputs *outputs,
                             PfField **field);
PF_API void pf_field_free(PfField *field);

/* Takes over the numbers of a state that satisfies the constraints (those of pf_system_symbols). */
PF_API PfStatus pf_field_place(PfField *field, const double *values);
/* Chooses the independent coordinates and velocities where the field is; `avoid` (one per coordinate, or NULL) marks
 * coordinates whose velocities should rather be dependent. */
PF_API PfStatus pf_field_chart(PfField *field, const bool *avoid);
/* Largest violation of the constraints at the numbers of pf_system_symbols; the field goes nowhere. */
PF_API double pf_field_miss(PfField *field, const double *values);
PF_API int pf_field_size(const PfField *field);
/* The name of a component of x, in the arena. */
PF_API const char *pf_field_name(const PfField *field, PfArena *arena, int component);

/* ---------------------------------------------------------------- linear models */

/* x' = f(x, u), outputs h(x, u) near a point: d x' = A dx + B du, d h = C dx + D du. */
typedef struct PfLinear {
  int states, inputs, outputs;
  const char **state_names;
  double *A, *B, *C, *D;  /* row-major */
  double *x, *rate;       /* the point, and x' there */
  double *re, *im;        /* eigenvalues of A, the rightmost first */
  double *modes;          /* eigenvectors as columns; of a pair, real part and imaginary part */
  int controllable, observable; /* dimension of what inputs reach, of what outputs see */
} PfLinear;

/* The linear model where the field is. `inputs` lists the inputs of the model, or (-1 - i) the parameter i. It lives in
 * `arena`. Fails with PF_ERR_NUMBER where the equations have a kink or no finite derivative, with PF_ERR_MODEL for an
 * input that enters a constraint: then its rates act, too. */
PF_API PfStatus pf_linearize(PfContext *ctx, PfArena *arena, PfField *field, const int *inputs, int input_count,
                             PfLinear *linear);

#ifdef __cplusplus
}
#endif
#endif
