/* SPDX-License-Identifier: Apache-2.0 */
/* ---------------------------------------------------------------- motion, the same for every model */

static int model_are_finite(const model_real *x, int count)
{
  return pf_first_not_finite(x, (size_t)count) < 0;
}

#if MODEL_HAS_SOLVER

/* M a = F + A^T lambda, A a = b at a state. */
typedef struct model_solver {
  model_real M[MODEL_N*MODEL_N], F[MODEL_N], A[MODEL_M1*MODEL_N], b[MODEL_M1];
  model_real reals[PF_KKT_REALS(MODEL_N, MODEL_M)];
  int ints[PF_KKT_INTS(MODEL_N, MODEL_M)];
  PfKkt kkt;
} model_solver;

static model_status model_factor(model_solver *s, const model_params *p, const model_state *x, const model_input *u,
                                 const PfRowChoice *choice)
{
  s->A[0] = s->b[0] = 0; /* without constraints */
  model_matrices(p, x, u, s->M, s->F, s->A, s->b);
  if (!model_are_finite(s->M, MODEL_N*MODEL_N) || !model_are_finite(s->F, MODEL_N) ||
      !model_are_finite(s->A, MODEL_M*MODEL_N) || !model_are_finite(s->b, MODEL_M))
    return MODEL_NOT_FINITE;
  pf_kkt_place(&s->kkt, MODEL_N, MODEL_M, s->reals, s->ints);
#if MODEL_REDUNDANT
  s->kkt.typical = model_typical;
#endif
  s->kkt.straight = MODEL_BY_NULL_SPACE;
  return pf_kkt_factor(&s->kkt, s->M, s->A, MODEL_M, choice) == PF_KKT_DONE ? MODEL_OK : MODEL_SINGULAR;
}

#endif
#if MODEL_HAS_FLOW

model_status model_accelerate(const model_params *p, const model_state *x, const model_input *u, model_real *a,
                              model_real *lambda)
{
  model_real pivot[2*MODEL_PAIRS1];
  int i;
  model_flow(p, x, u, a, lambda, pivot);
  if (!model_are_finite(a, MODEL_N) || !model_are_finite(lambda, MODEL_M)) return MODEL_NOT_FINITE;
  for (i = 0; i < MODEL_PAIRS; i++)
    if (!(pivot[2*i] > (i < MODEL_MASS_PAIRS ? PF_MASS_TOLERANCE : PF_SCHUR_MARGIN)*pivot[2*i + 1]))
      return MODEL_SINGULAR;
  return MODEL_OK;
}

#else
#if MODEL_HAS_FRICTION

typedef struct model_place {
  const model_params *p;
  const model_state *x;
  const model_input *u;
} model_place;

static void model_friction_law(void *user, const model_real *lambda, model_real *C, model_real *C_lambda)
{
  const model_place *at = user;
  model_friction(at->p, at->x, at->u, lambda, C, C_lambda);
}

#endif

static model_status model_solve_at(const model_params *p, const model_state *x, const model_input *u,
                                   const PfRowChoice *choice, model_real *a, model_real *lambda)
{
  model_solver s;
  const model_status status = model_factor(&s, p, x, u, choice);
  if (status != MODEL_OK) return status;
#if MODEL_HAS_FRICTION
  model_place at = {p, x, u};
  model_real work[PF_FRICTION_REALS(MODEL_N, MODEL_M)];
  int order[MODEL_M];
  if (!pf_kkt_friction(&s.kkt, model_friction_law, &at, s.F, s.b, a, lambda, work, order)) return MODEL_NO_CONVERGENCE;
#else
  pf_kkt_solve(&s.kkt, s.F, s.b, a, lambda);
#endif
  return model_are_finite(a, MODEL_N) && model_are_finite(lambda, MODEL_M) ? MODEL_OK : MODEL_NOT_FINITE;
}

model_status model_accelerate(const model_params *p, const model_state *x, const model_input *u, model_real *a,
                              model_real *lambda)
{
  return model_solve_at(p, x, u, NULL, a, lambda);
}

#if MODEL_KEEPS_ROWS

model_status model_choose(const model_params *p, const model_state *x, const model_input *u, model_rows *rows)
{
  model_real a[MODEL_N], lambda[MODEL_M];
  model_solver s;
  PfRowChoice choice;
  model_status status;
  choice.count = rows->count;
  choice.row = rows->row;
  status = model_factor(&s, p, x, u, NULL);
  if (status != MODEL_OK) return status;
  pf_kkt_choose(&s.kkt, s.A, MODEL_M, &choice);
  rows->count = choice.count;
  if (choice.count == MODEL_M) return MODEL_OK;
  if (pf_kkt_factor(&s.kkt, s.M, s.A, MODEL_M, &choice) != PF_KKT_DONE) return MODEL_SINGULAR;
  pf_kkt_solve(&s.kkt, s.F, s.b, a, lambda);
  return pf_kkt_agrees(&s.kkt, &choice, s.b, a) ? MODEL_OK : MODEL_CONTRADICTION;
}

model_status model_accelerate_by(const model_params *p, const model_state *x, const model_input *u,
                                 const model_rows *rows, model_real *a, model_real *lambda)
{
  int row[MODEL_M], i;
  PfRowChoice choice;
  for (i = 0; i < MODEL_M; i++) row[i] = rows->row[i];
  choice.count = rows->count;
  choice.row = row;
  return model_solve_at(p, x, u, &choice, a, lambda);
}

#endif
#endif

/* ---------------------------------------------------------------- projection and steps */

#if MODEL_HAS_ROWS

typedef struct model_projection {
  const model_params *p;
  model_state *x;
  const model_input *u;
  int level, rows;            /* of positions, of velocities */
  const int *row;
  model_real residual[MODEL_M], change[MODEL_N];
  model_real most, rounding;  /* the largest residual, and what rounding makes of zero in its terms */
  PfProjection step;
} model_projection;

static model_real model_find_residual(void *user)
{
  model_projection *s = user;
  model_real position[MODEL_M], velocity[MODEL_M];
  int i;
  model_violations(s->p, s->x, s->u, position, velocity);
  s->most = 0;
  for (i = 0; i < s->rows; i++) {
    s->residual[i] = s->level ? velocity[s->row[i]] : position[s->row[i]];
    if (!(pf_fabs(s->residual[i]) <= s->most)) s->most = pf_fabs(s->residual[i]);
  }
  return s->most;
}

static bool model_find_step(void *user)
{
  model_projection *s = user;
  model_real M[MODEL_N*MODEL_N], F[MODEL_N], A[MODEL_M*MODEL_N], b[MODEL_M];
  model_real reals[PF_PROJECTION_REALS(MODEL_N, MODEL_M)];
#if MODEL_REDUNDANT
  model_real typical[MODEL_M]; /* off the constraints a row that nearly vanishes has the direction of the residual */
#endif
  int ints[PF_PROJECTION_INTS(MODEL_N, MODEL_M)], i, j;
  PfLdl mass;
  PfQr qr[2];
  model_matrices(s->p, s->x, s->u, M, F, A, b);
  for (i = 0; i < s->rows; i++) {
    model_real size = 0;
    for (j = 0; j < MODEL_N; j++) {
      A[i*MODEL_N + j] = A[s->row[i]*MODEL_N + j]; /* row[i] >= i */
      size += pf_fabs(A[i*MODEL_N + j]*(s->level ? s->x->v[j] : s->x->q[j]));
    }
    b[i] = -s->residual[i];
    s->rounding = pf_fmax(s->rounding, PF_NUMBER(1e-13, 2e-6f)*size);
  }
  if (!model_are_finite(M, MODEL_N*MODEL_N) || !model_are_finite(A, s->rows*MODEL_N) || !model_are_finite(b, s->rows))
    return false;
  pf_projection_place(&s->step, MODEL_N, MODEL_M, &mass, qr, reals, ints);
#if MODEL_REDUNDANT
  for (i = 0; i < s->rows; i++) typical[i] = model_typical[s->row[i]];
  s->step.typical = typical;
#endif
  pf_projection_step(&s->step, M, A, s->rows, NULL, b, s->change);
  return model_are_finite(s->change, MODEL_N) != 0;
}

model_status model_project(const model_params *p, model_state *x, const model_input *u)
{
  model_projection s;
  s.p = p;
  s.x = x;
  s.u = u;
  for (s.level = 0; s.level < 2; s.level++) {
    PfDescent descent = {&s, MODEL_N, s.level ? x->v : x->q, s.change, model_find_residual, model_find_step};
    s.rows = s.level ? MODEL_VELOCITIES : MODEL_POSITIONS;
    s.row = s.level ? model_velocity_row : model_position_row;
    s.rounding = PF_NUMBER(1e-9, 1e-3f);
    (void)pf_descend(&descent, PF_NUMBER(1e-14, 1e-7f));
    if (!(s.most <= s.rounding)) return s.most - s.most == 0 ? MODEL_NO_CONVERGENCE : MODEL_NOT_FINITE;
  }
  return model_are_finite(x->q, MODEL_N) && model_are_finite(x->v, MODEL_N) ? MODEL_OK : MODEL_NOT_FINITE;
}

#else

model_status model_project(const model_params *p, model_state *x, const model_input *u)
{
  (void)p;
  (void)u;
  return model_are_finite(x->q, MODEL_N) && model_are_finite(x->v, MODEL_N) ? MODEL_OK : MODEL_NOT_FINITE;
}

#endif

typedef struct model_motion {
  const model_params *p;
  const model_input *u;
#if MODEL_KEEPS_ROWS
  model_rows rows; /* those that are independent on the constraints: inside the step more may seem so */
#endif
} model_motion;

/* y = (q, v), dy = (v, a) */
static int model_rate(void *user, double t, const model_real *y, model_real *dy)
{
  const model_motion *s = user;
  model_state x;
  model_real lambda[MODEL_M1];
  int i;
  x.time = t;
  for (i = 0; i < MODEL_N; i++) {
    x.q[i] = y[i];
    x.v[i] = dy[i] = y[MODEL_N + i];
  }
#if MODEL_KEEPS_ROWS
  return (int)model_accelerate_by(s->p, &x, s->u, &s->rows, dy + MODEL_N, lambda);
#else
  return (int)model_accelerate(s->p, &x, s->u, dy + MODEL_N, lambda);
#endif
}

model_status model_step(const model_params *p, model_state *x, const model_input *u, model_real h)
{
  model_real y[2*MODEL_N], k[8*MODEL_N], trial[2*MODEL_N];
  model_motion s;
  int i, status;
  s.p = p;
  s.u = u;
#if MODEL_KEEPS_ROWS
  s.rows.count = -1;
  status = (int)model_choose(p, x, u, &s.rows);
  if (status != MODEL_OK) return (model_status)status;
#endif
  for (i = 0; i < MODEL_N; i++) {
    y[i] = x->q[i];
    y[MODEL_N + i] = x->v[i];
  }
  status = model_rate(&s, x->time, y, k);
  if (status == MODEL_OK) status = pf_rk4_step(model_rate, &s, 2*MODEL_N, x->time, h, y, k, trial);
  if (status != MODEL_OK) return (model_status)status;
  for (i = 0; i < MODEL_N; i++) {
    x->q[i] = y[i];
    x->v[i] = y[MODEL_N + i];
  }
  x->time += (double)h;
  return model_project(p, x, u);
}

/* ---------------------------------------------------------------- derivatives */

#if MODEL_HAS_SLOPES || MODEL_HAS_INPUT_SLOPES

/* K d(a, lambda) = -d(residuals), K that of the accelerations themselves: column by column, in place. */
static model_status model_respond(const model_params *p, const model_state *x, const model_input *u,
                                  const model_real *lambda, model_real *D, int columns)
{
  model_real right[MODEL_N], da[MODEL_N], dlambda[MODEL_M1];
  model_solver s;
  int i, k;
  model_status status = model_factor(&s, p, x, u, NULL);
#if MODEL_HAS_FRICTION
  model_real C_lambda[MODEL_N*MODEL_M], J[MODEL_M*MODEL_M], work[2*MODEL_N + 2*MODEL_M];
  int order[MODEL_M], j;
  if (status != MODEL_OK) return status;
  model_friction(p, x, u, lambda, s.F, C_lambda);
  pf_kkt_feedback(&s.kkt, C_lambda, J, work);
  if (pf_lu_factor(J, MODEL_M, order) == 0) return MODEL_SINGULAR;
#else
  (void)lambda;
#endif
  if (status != MODEL_OK) return status;
  for (k = 0; k < columns; k++) {
    for (i = 0; i < MODEL_N; i++) right[i] = -D[i*columns + k];
    for (i = 0; i < MODEL_M; i++) s.b[i] = -D[(MODEL_N + i)*columns + k];
    pf_kkt_solve(&s.kkt, right, s.b, da, dlambda);
#if MODEL_HAS_FRICTION
    pf_lu_solve(J, MODEL_M, order, dlambda);
    for (i = 0; i < MODEL_N; i++)
      for (j = 0; j < MODEL_M; j++) right[i] += C_lambda[i*MODEL_M + j]*dlambda[j];
    pf_kkt_solve(&s.kkt, right, s.b, da, dlambda);
#endif
    for (i = 0; i < MODEL_N; i++) D[i*columns + k] = da[i];
    for (i = 0; i < MODEL_M; i++) D[(MODEL_N + i)*columns + k] = dlambda[i];
  }
  return MODEL_OK;
}

#endif
#if MODEL_HAS_SLOPES

model_status model_derivatives(const model_params *p, const model_state *x, const model_input *u, const model_real *a,
                               const model_real *lambda, model_real *D)
{
  model_status status;
  int i;
  model_slopes(p, x, u, a, lambda, D);
  status = model_respond(p, x, u, lambda, D, MODEL_COLUMNS);
  for (i = 0; status == MODEL_OK && i < MODEL_N + MODEL_M; i++)
    if (!model_are_finite(D + i*MODEL_COLUMNS, MODEL_BY_P)) status = MODEL_NOT_FINITE;
  return status;
}

#endif
#if MODEL_HAS_OUTPUT_SLOPES

void model_linear(const model_params *p, const model_state *x, const model_input *u, const model_real *a,
                  const model_real *lambda, const model_real *D, model_real *A, model_real *B, model_real *C,
                  model_real *E)
{
  model_real Y[MODEL_OUTPUTS1*MODEL_OUTPUT_COLUMNS];
  int i, j, k;
  model_output_slopes(p, x, u, a, lambda, Y);
  for (i = 0; i < MODEL_N; i++) {
    for (j = 0; j < 2*MODEL_N; j++) {
      A[i*2*MODEL_N + j] = (model_real)(j == MODEL_N + i);
      A[(MODEL_N + i)*2*MODEL_N + j] = D[i*MODEL_COLUMNS + j];
    }
    for (j = 0; j < MODEL_INPUTS; j++) {
      B[i*MODEL_INPUTS + j] = 0;
      B[(MODEL_N + i)*MODEL_INPUTS + j] = D[i*MODEL_COLUMNS + MODEL_BY_U + j];
    }
  }
  for (i = 0; i < MODEL_OUTPUTS; i++)
    for (j = 0; j < 2*MODEL_N + MODEL_INPUTS; j++) {
      model_real sum = Y[i*MODEL_OUTPUT_COLUMNS + j];
      for (k = 0; k < MODEL_N + MODEL_M; k++)
        sum += Y[i*MODEL_OUTPUT_COLUMNS + 2*MODEL_N + MODEL_INPUTS + k]*D[k*MODEL_COLUMNS + j];
      if (j < 2*MODEL_N) C[i*2*MODEL_N + j] = sum;
      else E[i*MODEL_INPUTS + j - 2*MODEL_N] = sum;
    }
}

#endif
#if MODEL_HAS_FRAMES

/* A point of a frame, by the Jacobians of its origin and of its angular velocity. */
model_status model_jacobian(const model_params *p, const model_state *x, const model_input *u, int frame,
                            const model_real *point, model_real *J)
{
  model_real R[9], r[3];
  int i, j;
  if (!model_jacobian_at(p, x, u, frame, J, R)) return MODEL_NO_SUCH_FRAME;
  for (i = 0; i < 3; i++) r[i] = R[3*i]*point[0] + R[3*i + 1]*point[1] + R[3*i + 2]*point[2];
  for (j = 0; j < MODEL_N; j++) {
    const model_real *w = J + 3*MODEL_N + j;
    J[j] += w[MODEL_N]*r[2] - w[2*MODEL_N]*r[1];
    J[MODEL_N + j] += w[2*MODEL_N]*r[0] - w[0]*r[2];
    J[2*MODEL_N + j] += w[0]*r[1] - w[MODEL_N]*r[0];
  }
  return model_are_finite(J, 6*MODEL_N) ? MODEL_OK : MODEL_NOT_FINITE;
}

#endif
#if MODEL_HAS_INPUT_SLOPES

/* Newton's method: the shortest changes of the inputs that bring the accelerations nearest to a. */
model_status model_actuate(const model_params *p, const model_state *x, const model_real *a, model_input *u,
                           model_real *missed)
{
  enum { LEAST = MODEL_N < MODEL_INPUTS ? MODEL_N : MODEL_INPUTS };
  model_real now[MODEL_N], lambda[MODEL_M1], R[(MODEL_N + MODEL_M)*MODEL_INPUTS], r[MODEL_N], du[MODEL_INPUTS];
  model_real reals[MODEL_N*MODEL_INPUTS + 2*LEAST + MODEL_N + MODEL_INPUTS], *from = reals, before = 0;
  int ints[MODEL_INPUTS], *places = ints, halved = 0, round, i;
  PfQr qr = pf_qr_place(MODEL_N, MODEL_INPUTS, &from, &places);
  for (round = 0; round < 30; round++) {
    model_status status = model_accelerate(p, x, u, now, lambda);
    if (status != MODEL_OK) return status;
    for (i = 0; i < MODEL_N; i++) r[i] = a[i] - now[i];
    *missed = pf_norm(r, MODEL_N);
    if (*missed <= PF_NUMBER(1e-13, 1e-6f)*(1 + pf_norm(a, MODEL_N))) break;
    if (round && !(*missed < PF_NUMBER(0.999, 0.999f)*before)) { /* too far: half of the step, or none */
      if (halved++ < 8)
        for (i = 0; i < MODEL_INPUTS; i++) du[i] /= 2;
      model_add_inputs(u, du, -1);
      if (halved <= 8) continue;
      *missed = before;
      break;
    }
    before = *missed;
    halved = 0;
    model_input_slopes(p, x, u, now, lambda, R);
    status = model_respond(p, x, u, lambda, R, MODEL_INPUTS);
    if (status != MODEL_OK) return status;
    if (pf_qr_compute(&qr, R, PF_NUMBER(1e-10, 1e-4f)) != PF_FAULT_NONE) return MODEL_NOT_FINITE;
    {
      const model_real left = pf_qr_solve(&qr, r, du), gain = before*before - left*left;
      if (!(gain > PF_NUMBER(1e-6, 1e-6f)*before*before)) break; /* no input can give the rest */
    }
    if (!model_are_finite(du, MODEL_INPUTS)) return MODEL_NOT_FINITE;
    model_add_inputs(u, du, 1);
  }
  return MODEL_OK;
}

#endif
