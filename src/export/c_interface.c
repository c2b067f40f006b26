/* SPDX-License-Identifier: Apache-2.0 */
/* Text of the exported C: the functions that a user calls and that are not straight-line. The marks are those of
 * c_solver.c. */
#include "export/c_impl.h"

static const char by_elimination[] =
"@_status @_accelerate(const @_params *p, const @_state *x, const @_input *u, @_real *a, @_real *lambda)\n"
"{\n"
"  @_real pivot[2*$_PAIRS1];\n"
"  int i;\n"
"  @_flow(p, x, u, a, lambda, pivot);\n"
"  if (!@_are_finite(a, $_N) || !@_are_finite(lambda, $_M)) return $_NOT_FINITE;\n"
"  for (i = 0; i < $_PAIRS; i++)\n"
"    if (!(pivot[2*i] > (i < $_MASS_PAIRS ? ~1e-12~1e-6~ : ~1e-4~1e-3~)*pivot[2*i + 1])) return $_SINGULAR;\n"
"  return $_OK;\n"
"}\n"
"\n";

static const char by_matrices[] =
"@_status @_accelerate(const @_params *p, const @_state *x, const @_input *u, @_real *a, @_real *lambda)\n"
"{\n";

static const char by_rows[] =
"@_status @_accelerate(const @_params *p, const @_state *x, const @_input *u, @_real *a, @_real *lambda)\n"
"{\n"
"  return @_accelerate_by(p, x, u, NULL, a, lambda);\n"
"}\n"
"\n"
"@_status @_choose(const @_params *p, const @_state *x, const @_input *u, @_rows *rows)\n"
"{\n"
"  @_real M[$_N*$_N], F[$_N], A[$_M*$_N], b[$_M], a[$_N], lambda[$_M];\n"
"  @_factors f;\n"
"  @_rows before = *rows;\n"
"  @_status status;\n"
"  @_matrices(p, x, u, M, F, A, b);\n"
"  if (!@_are_finite(M, $_N*$_N) || !@_are_finite(F, $_N) || !@_are_finite(A, $_M*$_N) || !@_are_finite(b, $_M))\n"
"    return $_NOT_FINITE;\n"
"  if (before.count >= 0) before.count = $_M; /* their order stays, their number may change */\n"
"  status = @_factor(&f, M, A, $_M, NULL, &before);\n"
"  if (status != $_OK) return status;\n"
"  @_take_rows(&f, rows);\n"
"  if (f.rank == $_M) return $_OK;\n"
"  @_solve(&f, F, b, a, lambda);\n"
"  return @_agree(&f, b, a) ? $_OK : $_CONTRADICTION;\n"
"}\n"
"\n"
"@_status @_accelerate_by(const @_params *p, const @_state *x, const @_input *u, const @_rows *rows, @_real *a,\n"
"                         @_real *lambda)\n"
"{\n";

static const char solve_matrices[] =
"  @_factors f;\n"
"  @_status status;\n"
"  @_matrices(p, x, u, M, F, A, b);\n"
"  if (!@_are_finite(M, $_N*$_N) || !@_are_finite(F, $_N) || !@_are_finite(A, $_M*$_N) || !@_are_finite(b, $_M))\n"
"    return $_NOT_FINITE;\n"
"  status = @_factor(&f, M, A, $_M, NULL, ";
static const char factored[] =
");\n"
"  if (status != $_OK) return status;\n";

static const char solve_plain[] =
"  @_solve(&f, F, b, a, lambda);\n";
static const char solve_friction[] =
"  status = @_rub(p, x, u, &f, F, b, a, lambda);\n"
"  if (status != $_OK) return status;\n";
static const char solved[] =
"  return @_are_finite(a, $_N) && @_are_finite(lambda, $_M) ? $_OK : $_NOT_FINITE;\n"
"}\n"
"\n";

/* ---------------------------------------------------------------- projection and steps */

static const char no_projection[] =
"@_status @_project(const @_params *p, @_state *x, const @_input *u)\n"
"{\n"
"  (void)p;\n"
"  (void)u;\n"
"  return @_are_finite(x->q, $_N) && @_are_finite(x->v, $_N) ? $_OK : $_NOT_FINITE;\n"
"}\n"
"\n";

static const char projection[] =
"/* The change of least length in the metric of M that takes the rows off `miss`; what has no mass moves as little as\n"
" * the rest lets it. As much may be left as is `enough`: terms as large as these have no more digits. */\n"
"static @_status @_correct(const @_params *p, const @_state *x, const @_input *u, const int *row, int rows, int "
"level,\n"
"                          @_rows *chosen, const @_real *miss, @_real *change, @_real *enough)\n"
"{\n"
"  @_real M[$_N*$_N], F[$_N], A[$_M1*$_N], b[$_M1], lambda[$_M1], size;\n"
"  @_factors f;\n"
"  int i, j;\n"
"  @_matrices(p, x, u, M, F, A, b);\n"
"  for (i = 0; i < rows; i++) {\n"
"    for (j = 0; j < $_N; j++) A[i*$_N + j] = A[row[i]*$_N + j]; /* row[i] >= i */\n"
"    b[i] = -miss[row[i]];\n"
"    size = 0;\n"
"    for (j = 0; j < $_N; j++) size += `fabs(A[i*$_N + j]*(level ? x->v[j] : x->q[j]));\n"
"    if (size*~1e-13~2e-6~ > *enough) *enough = size*~1e-13~2e-6~;\n"
"  }\n"
"  for (i = 0; i < $_N; i++) F[i] = 0;\n"
"  if (!@_are_finite(M, $_N*$_N) || !@_are_finite(A, rows*$_N) || !@_are_finite(b, rows)) return $_NOT_FINITE;\n"
"  if (@_factor(&f, M, A, rows, row, chosen) != $_OK) {\n"
"    @_real least = 0;\n"
"    for (i = 0; i < $_N; i++) least = `fmax(least, ~1e-10~1e-4~*M[i*$_N + i]);\n"
"    for (i = 0; i < $_N; i++) M[i*$_N + i] += least > 0 ? least : 1;\n"
"    if (@_factor(&f, M, A, rows, row, chosen) != $_OK) return $_SINGULAR;\n"
"  }\n"
"  @_take_rows(&f, chosen);\n"
"  @_solve(&f, F, b, change, lambda);\n"
"  return @_are_finite(change, $_N) ? $_OK : $_NOT_FINITE;\n"
"}\n"
"\n"
"static @_real @_largest(const @_real *miss, const int *row, int rows)\n"
"{\n"
"  @_real most = 0;\n"
"  int i;\n"
"  for (i = 0; i < rows; i++)\n"
"    if (!(`fabs(miss[row[i]]) <= most)) most = `fabs(miss[row[i]]);\n"
"  return most;\n"
"}\n"
"\n"
"@_status @_project(const @_params *p, @_state *x, const @_input *u)\n"
"{\n";

static const char rest_of_projection[] =
"  int level, i, round;\n"
"  for (level = 0; level < 2; level++) {\n"
"    const int rows = level ? $_VELOCITIES : $_POSITIONS;\n"
"    const int *row = level ? velocity_row : position_row;\n"
"    @_real position[$_M1], velocity[$_M1], change[$_N], most = 0, before = 0, enough = ~1e-9~1e-3~;\n"
"    @_rows chosen;\n"
"    chosen.count = -1;\n"
"    for (round = 0; rows && round < 40; round++) {\n"
"      @_status status;\n"
"      @_violations(p, x, u, position, velocity);\n"
"      most = @_largest(level ? velocity : position, row, rows);\n"
"      if (!(most > ~1e-14~1e-7~) || (round && !(most < before/2) && (most <= enough || most > 2*before))) break;\n"
"      before = most;\n"
"      status = @_correct(p, x, u, row, rows, level, &chosen, level ? velocity : position, change, &enough);\n"
"      if (status != $_OK) return status;\n"
"      for (i = 0; i < $_N; i++) *(level ? &x->v[i] : &x->q[i]) += change[i];\n"
"    }\n"
"    if (!(most <= enough)) return $_NO_CONVERGENCE;\n"
"  }\n"
"  return @_are_finite(x->q, $_N) && @_are_finite(x->v, $_N) ? $_OK : $_NOT_FINITE;\n"
"}\n"
"\n";

static const char step[] =
"@_status @_step(const @_params *p, @_state *x, const @_input *u, @_real h)\n"
"{\n"
"  @_state s = *x;\n"
"  @_real a[$_N], lambda[$_M1], q[$_N], v[$_N];\n"
"  int i, stage;\n"
"  for (i = 0; i < $_N; i++) q[i] = v[i] = 0;\n";

static const char choose_rows[] =
"  @_rows rows; /* those that are independent on the constraints: inside the step more may seem so */\n"
"  @_status chosen;\n"
"  rows.count = -1;\n"
"  chosen = @_choose(p, x, u, &rows);\n"
"  if (chosen != $_OK) return chosen;\n";

static const char stages[] =
"  for (stage = 0; stage < 4; stage++) {\n"
"    const @_real weight = (stage == 1 || stage == 2) ? h/3 : h/6, next = stage < 2 ? h/2 : h;\n"
"";

static const char step_plain[] =
"    const @_status status = @_accelerate(p, &s, u, a, lambda);\n";
static const char step_by_rows[] =
"    const @_status status = @_accelerate_by(p, &s, u, &rows, a, lambda);\n";

static const char rest_of_step[] =
"    if (status != $_OK) return status;\n"
"    for (i = 0; i < $_N; i++) {\n"
"      q[i] += weight*s.v[i];\n"
"      v[i] += weight*a[i];\n"
"      s.q[i] = x->q[i] + next*s.v[i];\n"
"      s.v[i] = x->v[i] + next*a[i];\n"
"    }\n"
"    s.time = x->time + (double)next;\n"
"  }\n"
"  for (i = 0; i < $_N; i++) {\n"
"    x->q[i] += q[i];\n"
"    x->v[i] += v[i];\n"
"  }\n"
"  x->time = s.time;\n"
"  return @_project(p, x, u);\n"
"}\n"
"\n";

/* ---------------------------------------------------------------- derivatives */

static const char respond[] =
"/* K d(a, lambda) = -d(residuals), K that of the accelerations themselves: column by column, in place. */\n"
"static @_status @_respond(const @_params *p, const @_state *x, const @_input *u, const @_real *lambda, @_real *D,\n"
"                          int columns)\n"
"{\n"
"  @_real right[$_N], da[$_N], dlambda[$_M1];\n"
"  @_factors f;\n"
"  @_status status;\n"
"  int i, k;\n";

static const char respond_friction[] =
"  @_real C_lambda[$_N*$_M], J[$_M*$_M], W[$_M*$_M];\n"
"  int j;\n";

static const char respond_factors[] =
"  @_matrices(p, x, u, M, F, A, b);\n"
"  if (!@_are_finite(M, $_N*$_N) || !@_are_finite(A, $_M*$_N)) return $_NOT_FINITE;\n"
"  status = @_factor(&f, M, A, $_M, NULL, NULL);\n"
"  if (status != $_OK) return status;\n";

static const char respond_feedback[] =
"  @_friction(p, x, u, lambda, F, C_lambda);\n"
"  @_feedback(&f, C_lambda, J);\n";

static const char respond_alone[] =
"  (void)lambda;\n";

static const char respond_columns[] =
"  for (k = 0; k < columns; k++) {\n"
"    for (i = 0; i < $_N; i++) right[i] = -D[i*columns + k];\n"
"    for (i = 0; i < $_M; i++) b[i] = -D[($_N + i)*columns + k];\n"
"    @_solve(&f, right, b, da, dlambda);\n";

static const char respond_rub[] =
"    for (i = 0; i < $_M*$_M; i++) W[i] = J[i];\n"
"    if (!@_gauss(W, dlambda)) return $_SINGULAR;\n"
"    for (i = 0; i < $_N; i++)\n"
"      for (j = 0; j < $_M; j++) right[i] += C_lambda[i*$_M + j]*dlambda[j];\n"
"    @_solve(&f, right, b, da, dlambda);\n";

static const char respond_end[] =
"    for (i = 0; i < $_N; i++) D[i*columns + k] = da[i];\n"
"    for (i = 0; i < $_M; i++) D[($_N + i)*columns + k] = dlambda[i];\n"
"  }\n"
"  return $_OK;\n"
"}\n"
"\n";

static const char derivatives[] =
"@_status @_derivatives(const @_params *p, const @_state *x, const @_input *u, const @_real *a, const @_real *lambda,\n"
"                       @_real *D)\n"
"{\n"
"  @_status status;\n"
"  int i;\n"
"  @_slopes(p, x, u, a, lambda, D);\n"
"  status = @_respond(p, x, u, lambda, D, $_COLUMNS);\n"
"  for (i = 0; status == $_OK && i < $_N + $_M; i++)\n"
"    if (!@_are_finite(D + i*$_COLUMNS, $_BY_P)) status = $_NOT_FINITE;\n"
"  return status;\n"
"}\n"
"\n";

static const char linear[] =
"void @_linear(const @_params *p, const @_state *x, const @_input *u, const @_real *a, const @_real *lambda,\n"
"              const @_real *D, @_real *A, @_real *B, @_real *C, @_real *E)\n"
"{\n"
"  @_real Y[$_OUTPUTS1*$_OUTPUT_COLUMNS];\n"
"  int i, j, k;\n"
"  @_output_slopes(p, x, u, a, lambda, Y);\n"
"  for (i = 0; i < $_N; i++) {\n"
"    for (j = 0; j < 2*$_N; j++) {\n"
"      A[i*2*$_N + j] = (@_real)(j == $_N + i);\n"
"      A[($_N + i)*2*$_N + j] = D[i*$_COLUMNS + j];\n"
"    }\n"
"    for (j = 0; j < $_INPUTS; j++) {\n"
"      B[i*$_INPUTS + j] = 0;\n"
"      B[($_N + i)*$_INPUTS + j] = D[i*$_COLUMNS + $_BY_U + j];\n"
"    }\n"
"  }\n"
"  for (i = 0; i < $_OUTPUTS; i++)\n"
"    for (j = 0; j < 2*$_N + $_INPUTS; j++) {\n"
"      @_real sum = Y[i*$_OUTPUT_COLUMNS + j];\n"
"      for (k = 0; k < $_N + $_M; k++) sum += Y[i*$_OUTPUT_COLUMNS + 2*$_N + $_INPUTS + k]*D[k*$_COLUMNS + j];\n"
"      if (j < 2*$_N) C[i*2*$_N + j] = sum;\n"
"      else E[i*$_INPUTS + j - 2*$_N] = sum;\n"
"    }\n"
"}\n"
"\n";

/* ---------------------------------------------------------------- inverse dynamics by inputs */

static const char actuate_head[] =
"/* Newton's method: the shortest changes of the inputs that bring the accelerations nearest to a. */\n"
"@_status @_actuate(const @_params *p, const @_state *x, const @_real *a, @_input *u, @_real *missed)\n"
"{\n"
"  @_real now[$_N], lambda[$_M1], R[($_N + $_M)*$_INPUTS], r[$_N], B[$_INPUTS*$_INPUTS], T[$_INPUTS*$_N], U[$_N*$_N];\n"
"  @_real y[$_INPUTS], du[$_INPUTS], before = 0;\n"
"  int row[$_ACTUATE], other[$_ACTUATE], halved = 0, round, i, j, k;\n"
"  for (round = 0; round < 30; round++) {\n"
"    @_real most = 0, size = 0, gain = 0;\n"
"    int reached, kept;\n"
"    @_status status = @_accelerate(p, x, u, now, lambda);\n"
"    if (status != $_OK) return status;\n"
"    *missed = 0;\n"
"    for (i = 0; i < $_N; i++) {\n"
"      r[i] = a[i] - now[i];\n"
"      *missed += r[i]*r[i];\n"
"      size += a[i]*a[i];\n"
"    }\n"
"    *missed = `sqrt(*missed);\n"
"    if (*missed <= ~1e-13~1e-6~*(1 + `sqrt(size))) break;\n"
"    if (round && !(*missed < ~0.999~0.999~*before)) { /* too far: half of the step, or none */\n"
"      if (halved++ < 8)\n"
"        for (k = 0; k < $_INPUTS; k++) du[k] /= 2;\n";

static const char actuate_middle[] =
"      if (halved <= 8) continue;\n"
"      *missed = before;\n"
"      break;\n"
"    }\n"
"    before = *missed;\n"
"    halved = 0;\n"
"    @_input_slopes(p, x, u, now, lambda, R);\n"
"    status = @_respond(p, x, u, lambda, R, $_INPUTS);\n"
"    if (status != $_OK) return status;\n"
"    for (i = 0; i < $_N*$_INPUTS; i++)\n"
"      if (`fabs(R[i]) > most) most = `fabs(R[i]);\n"
"    reached = @_qr(R, $_N, $_INPUTS, ~1e-10~1e-4~*most, -1, row, B); /* R^T = B S, so R = S^T B^T */\n"
"    for (k = 0; k < reached; k++)\n"
"      for (i = 0; i < $_N; i++) T[k*$_N + row[i]] = k <= i ? R[row[i]*$_INPUTS + k] : 0;\n"
"    kept = @_qr(T, reached, $_N, ~1e-12~1e-5~*most, -1, other, U);\n"
"    for (i = 0; i < $_INPUTS; i++) y[i] = 0;\n"
"    for (i = kept - 1; i >= 0; i--) {\n"
"      @_real sum = 0;\n"
"      for (j = 0; j < $_N; j++) sum += U[j*$_N + i]*r[j];\n"
"      gain += sum*sum;\n"
"      for (j = i + 1; j < kept; j++) sum -= T[other[j]*$_N + i]*y[other[j]];\n"
"      y[other[i]] = sum/T[other[i]*$_N + i];\n"
"    }\n"
"    if (!(`sqrt(gain) > ~1e-3~1e-3~**missed)) break; /* the rest is for no input to give */\n"
"    for (k = 0; k < $_INPUTS; k++) {\n"
"      du[k] = 0;\n"
"      for (j = 0; j < kept; j++) du[k] += B[k*$_INPUTS + other[j]]*y[other[j]];\n"
"    }\n"
"    if (!@_are_finite(du, $_INPUTS)) return $_NOT_FINITE;\n";

/* Without constraints nothing writes to A and b. */
static void put_locals(const PfCText *c)
{
  pf_c_put(c, c->x->m ? "  @_real M[$_N*$_N], F[$_N], A[$_M1*$_N], b[$_M1];\n"
                      : "  @_real M[$_N*$_N], F[$_N], A[$_N] = {0}, b[1] = {0};\n");
}

static void put_rows(const PfCText *c, const char *name, const int *row, int count)
{
  pf_text_print(c->text, "  static const int %s_row[] = {", name);
  for (int i = 0; i < count; i++) pf_text_print(c->text, "%s%d", i ? ", " : "", row[i]);
  pf_text_add(c->text, count ? "};\n" : "0};\n");
}

static void put_projection(const PfCText *c)
{
  const PfExport *x = c->x;
  if (!x->m) {
    pf_c_put(c, no_projection);
    return;
  }
  pf_c_put(c, projection);
  put_rows(c, "position", x->position_row, x->position_count);
  put_rows(c, "velocity", x->velocity_row, x->velocity_count);
  pf_c_put(c, rest_of_projection);
}

static void put_step(const PfCText *c)
{
  bool rows = pf_export_keeps_rows(c->x);
  pf_c_put(c, step);
  pf_c_put(c, rows ? choose_rows : "");
  pf_c_put(c, stages);
  pf_c_put(c, rows ? step_by_rows : step_plain);
  pf_c_put(c, rest_of_step);
}

/* u += du, or back. */
static void put_change(const PfCText *c, const char *indent, const char *operator)
{
  const PfNamedList *inputs = &c->x->inputs;
  for (int i = 0; i < inputs->count; i++)
    pf_text_print(c->text, "%su->%s %s du[%d];\n", indent, inputs->at[i].id, operator, i);
}

static void put_actuate(const PfCText *c)
{
  if (!pf_export_function(c->x, PF_EXPORT_INPUT_SLOPES)) return;
  pf_c_put(c, actuate_head);
  put_change(c, "      ", "-=");
  pf_c_put(c, actuate_middle);
  put_change(c, "    ", "+=");
  pf_c_put(c, "  }\n  return $_OK;\n}\n\n");
}

/* A point of a frame, by the Jacobians of its origin and of its angular velocity. */
static void put_jacobian(const PfCText *c)
{
  if (!c->x->frames.count) return;
  pf_c_put(c, "@_status @_jacobian(const @_params *p, const @_state *x, const @_input *u, int frame, "
              "const @_real *point,\n                    @_real *J)\n{\n  @_real R[9], r[3];\n  int i, j;\n"
              "  switch (frame) {\n");
  for (int i = 0; i < c->x->frames.count; i++)
    pf_c_put(c, "  case "), pf_text_print(c->text, "%d:\n", i), pf_c_put(c, "    @_jacobian_of_"),
        pf_text_print(c->text, "%d(p, x, u, J, R);\n    break;\n", i);
  pf_c_put(c, "  default: return $_NO_SUCH_FRAME;\n  }\n"
              "  for (i = 0; i < 3; i++) r[i] = R[3*i]*point[0] + R[3*i + 1]*point[1] + R[3*i + 2]*point[2];\n"
              "  for (j = 0; j < $_N; j++) {\n"
              "    const @_real *w = J + 3*$_N + j;\n"
              "    J[j] += w[$_N]*r[2] - w[2*$_N]*r[1];\n"
              "    J[$_N + j] += w[2*$_N]*r[0] - w[0]*r[2];\n"
              "    J[2*$_N + j] += w[0]*r[1] - w[$_N]*r[0];\n"
              "  }\n"
              "  return @_are_finite(J, 6*$_N) ? $_OK : $_NOT_FINITE;\n}\n\n");
}

static void put_respond(const PfCText *c)
{
  bool friction = c->x->friction;
  pf_c_put(c, respond);
  put_locals(c);
  pf_c_put(c, friction ? respond_friction : "");
  pf_c_put(c, respond_factors);
  pf_c_put(c, friction ? respond_feedback : respond_alone);
  pf_c_put(c, respond_columns);
  pf_c_put(c, friction ? respond_rub : "");
  pf_c_put(c, respond_end);
}

void pf_c_put_interface(const PfCText *c)
{
  pf_text_add(c->text, "/* ---------------------------------------------------------------- motion */\n\n");
  if (pf_export_function(c->x, PF_EXPORT_FLOW)) {
    pf_c_put(c, by_elimination);
  } else {
    pf_c_put_friction_solver(c);
    pf_c_put(c, c->x->m ? by_rows : by_matrices);
    put_locals(c);
    pf_c_put(c, solve_matrices);
    pf_c_put(c, c->x->m ? "rows" : "NULL");
    pf_c_put(c, factored);
    pf_c_put(c, c->x->friction ? solve_friction : solve_plain);
    pf_c_put(c, solved);
  }
  put_projection(c);
  put_step(c);
  if (pf_export_function(c->x, PF_EXPORT_SLOPES) || pf_export_function(c->x, PF_EXPORT_INPUT_SLOPES)) put_respond(c);
  if (pf_export_function(c->x, PF_EXPORT_SLOPES)) pf_c_put(c, derivatives);
  if (pf_export_function(c->x, PF_EXPORT_OUTPUT_SLOPES)) pf_c_put(c, linear);
  put_jacobian(c);
  put_actuate(c);
}
