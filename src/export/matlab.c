/* SPDX-License-Identifier: Apache-2.0 */
/* A function of MATLAB or Octave that gives a struct of functions, start and names. */
#include "export/script.h"

#include <string.h>

static const PfScript matlab = {.dialect = PF_CODE_MATLAB, .math = "f_", .parameter = "p.", .input = "u.",
                                .brackets = "()", .first = 1};

static const char helpers[] =
"function r = f_sqrt(a), r = sqrt(a); end\n"
"function r = f_pow(a, b), r = a^b; end\n"
"function r = f_sin(a), r = sin(a); end\n"
"function r = f_cos(a), r = cos(a); end\n"
"function r = f_tan(a), r = tan(a); end\n"
"function r = f_asin(a), r = asin(a); end\n"
"function r = f_acos(a), r = acos(a); end\n"
"function r = f_atan(a), r = atan(a); end\n"
"function r = f_sinh(a), r = sinh(a); end\n"
"function r = f_cosh(a), r = cosh(a); end\n"
"function r = f_tanh(a), r = tanh(a); end\n"
"function r = f_exp(a), r = exp(a); end\n"
"function r = f_log(a), r = log(a); end\n"
"function r = f_fabs(a), r = abs(a); end\n"
"function r = f_sign(a), r = sign(a); end\n"
"function r = f_atan2(a, b), r = atan2(a, b); end\n"
"function r = f_min(a, b), r = f_if(a < b, a, b); end\n"
"function r = f_max(a, b), r = f_if(a < b, b, a); end\n"
"function r = f_less(a, b), r = double(a < b); end\n"
"function r = f_less_equal(a, b), r = double(a <= b); end\n"
"function r = f_equal(a, b), r = double(a == b); end\n"
"function r = f_and(a, b), r = double(a ~= 0 && b ~= 0); end\n"
"function r = f_or(a, b), r = double(a ~= 0 || b ~= 0); end\n"
"function r = f_not(a), r = double(a == 0); end\n"
"function r = f_if(c, a, b)\n"
"  if c ~= 0, r = a; else, r = b; end\n"
"end\n"
"function r = f_nan(), r = NaN; end\n"
"function r = f_inf(), r = Inf; end\n";

static const char solver[] =
"% M a = F + A' lam, A a = b, along the null space of A; redundant rows have the shortest lam.\n"
"function [a, lam] = f_solve(M, A, F, b, rows)\n"
"  n = size(M, 1);\n"
"  usual = [USUAL_HERE]';\n"
"  if nargin > 4, usual = usual(rows); end\n"
"  if ~all(isfinite(M(:))) || ~all(isfinite(A(:))), error('pfaff:singular', 'a number is not finite'); end\n"
"  if isempty(A)\n"
"    a = M\\F;\n"
"    lam = zeros(0, size(F, 2));\n"
"    return\n"
"  end\n"
"  unit = max(max(abs(A), [], 2), usual);\n"
"  unit(unit == 0) = 1;\n"
"  unit = 2.^ceil(log2(unit));\n"
"  [U, S, V] = svd(bsxfun(@rdivide, A, unit));\n"
"  s = diag(S);\n"
"  if size(A, 1) == 1 || n == 1, s = S(1); end\n"
"  r = sum(s > LEAST_HERE*max(1, max(s)));\n"
"  s = s(1:r);\n"
"  b = bsxfun(@rdivide, b, unit);\n"
"  a = V(:, 1:r)*bsxfun(@rdivide, U(:, 1:r)'*b, s);\n"
"  N = V(:, r + 1:end);\n"
"  if r < n\n"
"    G = N'*M*N;\n"
"    d = sqrt(abs(diag(G)));\n"
"    if min(d) == 0 || min(eig((G + G')/2./(d*d'))) < 1e-13\n"
"      error('pfaff:singular', 'constraints and inertia leave an acceleration open');\n"
"    end\n"
"    a = a + N*(G\\(N'*(F - M*a)));\n"
"  end\n"
"  w = M*a - F;\n"
"  if r < size(A, 1), lam = pinv(A', 1e-2*LEAST_HERE*norm(A))*w;\n"
"  else, lam = bsxfun(@rdivide, U(:, 1:r)*bsxfun(@rdivide, V(:, 1:r)'*w, s), unit); end\n"
"end\n";

static const char eliminate[] =
"% Accelerations and multipliers.\n"
"function [a, lam] = accelerate(p, t, q, v, u)\n"
"  [a, lam, pivot] = flow(p, t, q, v, u);\n"
"  least = [1e-12*ones(MASS_PAIRS_HERE, 1); 1e-4*ones(size(pivot, 1) - MASS_PAIRS_HERE, 1)];\n"
"  if ~isempty(pivot) && ~all(pivot(:, 1) > least.*pivot(:, 2)), error('pfaff:singular', 'a pivot vanishes'); end\n"
"  if ~all(isfinite([a; lam])), error('pfaff:singular', 'a number is not finite'); end\n"
"end\n";

static const char solve[] =
"% Accelerations and multipliers.\n"
"function [a, lam] = accelerate(p, t, q, v, u)\n"
"  [M, F, A, b] = matrices(p, t, q, v, u);\n"
"  [a, lam] = f_solve(M, A, F, b);\n"
"end\n";

static const char rub[] =
"function J = f_feedback(M, A, C_lambda)\n"
"  m = size(A, 1);\n"
"  [~, dlam] = f_solve(M, A, C_lambda, zeros(m, m));\n"
"  J = eye(m) - dlam;\n"
"end\n"
"% Accelerations and multipliers; forces depend on these: by Newton's method.\n"
"function [a, lam] = accelerate(p, t, q, v, u)\n"
"  [M, F, A, b] = matrices(p, t, q, v, u);\n"
"  lam = zeros(size(A, 1), 1);\n"
"  last = false;\n"
"  for k = 1:60\n"
"    [C, C_lambda] = friction(p, t, q, v, u, lam);\n"
"    [a, found] = f_solve(M, A, F + C, b);\n"
"    if last\n"
"      lam = found;\n"
"      return\n"
"    end\n"
"    miss = found - lam;\n"
"    last = max(abs(miss)) <= 1e-12*(max(abs(found)) + max(abs(F + C))/(1e-300 + max(abs(A(:)))));\n"
"    J = f_feedback(M, A, C_lambda);\n"
"    if rcond(J) > 1e-12, lam = lam + J\\miss; else, lam = found; end\n"
"  end\n"
"  error('pfaff:singular', 'forces by multipliers were not found');\n"
"end\n";

static const char motion[] =
"% q and v moved onto the constraints, by the smallest changes in the metric of M.\n"
"function [q, v] = project(p, t, q, v, u)\n"
"  rows = {POSITION_ROWS_HERE, VELOCITY_ROWS_HERE};\n"
"  for level = 1:2\n"
"    before = Inf;\n"
"    most = 0;\n"
"    enough = 1e-9;\n"
"    for k = 1:40*~isempty(rows{level})\n"
"      [position, velocity] = violations(p, t, q, v, u);\n"
"      if level == 1, miss = position(rows{1}); else, miss = velocity(rows{2}); end\n"
"      most = max(abs(miss));\n"
"      if most <= 1e-14 || (most <= enough && most >= before/2) || most > 2*before, break, end\n"
"      before = most;\n"
"      [M, ~, A] = matrices(p, t, q, v, u);\n"
"      A = A(rows{level}, :);\n"
"      if level == 1, z = q; else, z = v; end\n"
"      enough = max(enough, 1e-13*max(abs(A)*abs(z))); % no more digits in terms as large\n"
"      try\n"
"        change = f_solve(M, A, zeros(numel(z), 1), -miss, rows{level});\n"
"      catch % coordinates without mass\n"
"        least = 1e-10*max(diag(M));\n"
"        if ~(least > 0), least = 1; end\n"
"        change = f_solve(M + least*eye(numel(z)), A, zeros(numel(z), 1), -miss, rows{level});\n"
"      end\n"
"      if level == 1, q = q + change; else, v = v + change; end\n"
"    end\n"
"    if ~(most <= enough), error('pfaff:singular', 'no state on the constraints was found'); end\n"
"  end\n"
"end\n";

static const char step[] =
"% One step of the method of Runge and Kutta of order 4, with the inputs held.\n"
"function [t, q, v] = step(p, t, q, v, u, h)\n"
"  k1 = accelerate(p, t, q, v, u);\n"
"  v2 = v + h/2*k1;\n"
"  k2 = accelerate(p, t + h/2, q + h/2*v, v2, u);\n"
"  v3 = v + h/2*k2;\n"
"  k3 = accelerate(p, t + h/2, q + h/2*v2, v3, u);\n"
"  v4 = v + h*k3;\n"
"  k4 = accelerate(p, t + h, q + h*v3, v4, u);\n"
"  q = q + h/6*(v + 2*v2 + 2*v3 + v4);\n"
"  v = v + h/6*(k1 + 2*k2 + 2*k3 + k4);\n"
"  t = t + h;\n";

static const char derived[] =
"% Exact derivatives of accelerations and multipliers by q, v, inputs, parameters, time (columns).\n"
"function D = derivatives(p, t, q, v, u)\n"
"  [a, lam] = accelerate(p, t, q, v, u);\n"
"  D = f_respond(p, t, q, v, u, lam, slopes(p, t, q, v, u, a, lam));\n"
"end\n"
"% What accelerations and multipliers do when the residuals have the slopes D.\n"
"function D = f_respond(p, t, q, v, u, lam, D)\n"
"  [M, ~, A] = matrices(p, t, q, v, u);\n"
"  n = numel(q);\n"
"  [da, dlam] = f_solve(M, A, -D(1:n, :), -D(n + 1:end, :));\n";

static const char linear[] =
"  D = [da; dlam];\n"
"end\n"
"% A, B, C, D of the full state (q, v), as deviations; motions off the constraints are among its modes.\n"
"function [A, B, C, E] = linear(p, t, q, v, u)\n"
"  n = numel(q);\n"
"  [a, lam] = accelerate(p, t, q, v, u);\n"
"  D = derivatives(p, t, q, v, u);\n"
"  Y = output_slopes(p, t, q, v, u, a, lam);\n"
"  k = INPUTS_HERE;\n"
"  A = [zeros(n), eye(n); D(1:n, 1:2*n)];\n"
"  B = [zeros(n, k); D(1:n, 2*n + (1:k))];\n"
"  C = Y(:, 1:2*n + k) + Y(:, 2*n + k + 1:end)*D(:, 1:2*n + k);\n"
"  E = C(:, 2*n + 1:end);\n"
"  C = C(:, 1:2*n);\n"
"end\n";

static const char actuate[] =
"% Inverse dynamics by the inputs: from u on, by the shortest changes, those for the accelerations a, as far as they "
"can\n"
"% be made so, and the length of what is left of them.\n"
"function [u, missed] = actuate(p, t, q, v, u, a)\n"
"  names = fieldnames(u);\n"
"  before = Inf;\n"
"  halved = 0;\n"
"  for k = 1:30\n"
"    [now, lam] = accelerate(p, t, q, v, u);\n"
"    missed = norm(a - now);\n"
"    if missed <= 1e-13*(1 + norm(a)), return, end\n"
"    if ~(missed < 0.999*before) % too far: half of the step, or none\n"
"      halved = halved + 1;\n"
"      if halved <= 8, change = change/2; end\n"
"      for i = 1:numel(names), u.(names{i}) = u.(names{i}) - change(i); end\n"
"      if halved <= 8, continue, end\n"
"      missed = before;\n"
"      return\n"
"    end\n"
"    before = missed;\n"
"    halved = 0;\n"
"    R = f_respond(p, t, q, v, u, lam, input_slopes(p, t, q, v, u, now, lam));\n"
"    R = R(1:numel(q), :);\n"
"    change = pinv(R)*(a - now);\n"
"    if ~(norm(R*change) > 1e-3*missed), return, end % the rest is for no input to give\n"
"    for i = 1:numel(names), u.(names{i}) = u.(names{i}) + change(i); end\n"
"  end\n"
"end\n";

static const char test[] =
"% The largest difference from numbers that pfaff has computed, beside the largest number of a list, or 1.\n"
"function worst = self_test()\n"
"  m = FUNCTION_HERE();\n"
"  worst = 0;\n"
"  names = fieldnames(m.input);\n"
"  for k = 1:numel(m.expected)\n"
"    e = m.expected{k};\n"
"    u = m.input;\n"
"    for i = 1:numel(e{4}), u.(names{i}) = e{4}(i); end\n"
"    [a, lam] = accelerate(m.params, e{1}, e{2}, e{3}, u);\n"
"    lists = {a, e{5}; lam, e{6}; energies(m.params, e{1}, e{2}, e{3}, u), e{7}; ...\n"
"             outputs(m.params, e{1}, e{2}, e{3}, u, a, lam), e{8}};\n"
"    for i = 1:4\n"
"      if ~isempty(lists{i, 2})\n"
"        worst = max(worst, max(abs(lists{i, 1}(:) - lists{i, 2}(:)))/max(1, max(abs(lists{i, 2}))));\n"
"      end\n"
"    end\n"
"    linear(m.params, e{1}, e{2}, e{3}, u);\n"
"    step(m.params, e{1}, e{2}, e{3}, u, 1e-4);\n"
"  end\n"
"end\n";

/* Text with words ..._HERE that the model fills in. */
static void put_rows(PfText *text, const int *row, int count)
{
  pf_text_add(text, "[");
  for (int i = 0; i < count; i++) pf_text_print(text, "%s%d", i ? " " : "", row[i] + 1);
  pf_text_add(text, "]");
}

static void put_word(const PfExport *x, PfText *text, const char *word, size_t length)
{
  if (!strncmp(word, "MASS_PAIRS", length)) pf_text_print(text, "%d", x->mass_pairs);
  else if (!strncmp(word, "POSITION_ROWS", length)) put_rows(text, x->position_row, x->position_count);
  else if (!strncmp(word, "VELOCITY_ROWS", length)) put_rows(text, x->velocity_row, x->velocity_count);
  else if (!strncmp(word, "LEAST", length)) pf_text_add(text, x->redundant ? "1e-3" : "1e-7");
  else if (!strncmp(word, "USUAL", length)) pf_script_put_usual(x, text);
  else if (!strncmp(word, "INPUTS", length)) pf_text_print(text, "%d", x->inputs.count);
  else pf_text_add(text, x->prefix);
}

static void put_filled(const PfExport *x, PfText *text, const char *filled)
{
  for (const char *at = filled, *here; *at; at = here + 5) {
    here = strstr(at, "_HERE");
    if (!here) {
      pf_text_add(text, at);
      return;
    }
    const char *word = here;
    while (word > at && ((word[-1] >= 'A' && word[-1] <= 'Z') || word[-1] == '_')) word--;
    pf_text_put(text, at, (size_t)(word - at));
    put_word(x, text, word, (size_t)(here - word));
  }
}

/* ---------------------------------------------------------------- functions */

static void put_name(const PfExport *x, const PfExportFunction *f, PfText *text)
{
  int kind = (int)(f - x->functions);
  pf_text_add(text, f->name);
  if (kind >= PF_EXPORT_JACOBIANS) pf_text_print(text, "_of_%d", kind - PF_EXPORT_JACOBIANS + 1);
}

static PfStatus put_function(const PfExport *x, const PfExportFunction *f, PfText *text)
{
  const char *about = pf_script_about((int)(f - x->functions));
  if (about) pf_text_print(text, "%% %s\n", about);
  pf_text_add(text, "function [");
  for (int i = 0; i < f->group_count; i++) pf_text_print(text, "%s%s", i ? ", " : "", pf_script_group(f->groups + i));
  pf_text_add(text, "] = ");
  put_name(x, f, text);
  pf_text_print(text, "(p, t, q, v, u%s%s)\n", f->takes & PF_TAKES_ACCELERATIONS ? ", a" : "",
                f->takes & PF_TAKES_MULTIPLIERS ? ", lam" : "");
  for (int i = 0; i < f->group_count; i++)
    pf_text_print(text, "  %s = zeros(%d, %d);\n", pf_script_group(f->groups + i), f->groups[i].rows,
                  f->groups[i].columns);
  PF_TRY(pf_script_put(x, &matlab, f, text));
  pf_text_add(text, "end\n");
  return PF_OK;
}

/* ---------------------------------------------------------------- the struct */

static void put_struct(PfText *text, const char *name, const PfNamedList *list, const double *values)
{
  pf_text_print(text, "  m.%s = struct();\n", name);
  for (int i = 0; i < list->count; i++) {
    pf_text_print(text, "  m.%s.%s = ", name, list->at[i].id);
    pf_script_put_numbers(text, values + i, 1);
    pf_text_add(text, ";");
    bool other = strcmp(list->at[i].id, list->at[i].name) != 0, unit = list->at[i].measure.unit[0];
    if (other || unit) pf_text_add(text, " % ");
    if (other) pf_put_comment(text, list->at[i].name);
    if (unit) {
      pf_text_add(text, other ? " [" : "[");
      pf_put_comment(text, list->at[i].measure.unit);
      pf_text_add(text, list->at[i].measure.scale != 1 ? "] in the model, here SI" : "]");
    }
    pf_text_add(text, "\n");
  }
}

static void put_column(PfText *text, const double *values, int count)
{
  if (!count) {
    pf_text_add(text, "zeros(0, 1)");
    return;
  }
  pf_text_add(text, "[");
  pf_script_put_numbers(text, values, count);
  pf_text_add(text, "]'");
}

static void put_lists(const PfExport *x, PfText *text)
{
  const struct {
    const char *name;
    const PfNamedList *list;
  } lists[] = {{"coordinates", &x->coordinates}, {"parameters", &x->parameters}, {"inputs", &x->inputs},
               {"outputs", &x->outputs}, {"constraints", &x->constraints}, {"frames", &x->frames},
               {"contacts", &x->contacts}};
  for (size_t i = 0; i < sizeof lists/sizeof *lists; i++) {
    pf_text_print(text, "  m.names.%s = {", lists[i].name);
    pf_script_put_names(text, lists[i].list, pf_put_matlab_string);
    pf_text_add(text, "};\n");
  }
}

static void put_expected(const PfExport *x, const PfReference *r, PfText *text)
{
  pf_text_add(text, "  m.expected = {};\n");
  for (int k = 0; k < r->count; k++) {
    PfNumbers lists[PF_SCRIPT_LISTS];
    pf_script_lists(x, r, k, lists);
    pf_text_print(text, "  m.expected{%d} = {", k + 1);
    for (int i = 0; i < PF_SCRIPT_LISTS; i++) {
      if (i) pf_text_add(text, ", ...\n    ");
      put_column(text, lists[i].values, lists[i].count);
    }
    pf_text_add(text, "};\n");
  }
}

static void put_handles(const PfExport *x, PfText *text)
{
  static const char *const fixed[] = {"accelerate", "step", "derivatives", "linear", "self_test"};
  for (size_t i = 0; i < sizeof fixed/sizeof *fixed; i++) pf_text_print(text, "  m.%s = @%s;\n", fixed[i], fixed[i]);
  if (x->m) pf_text_add(text, "  m.project = @project;\n");
  if (x->inputs.count) pf_text_add(text, "  m.actuate = @actuate;\n");
  for (int i = 0; i < PF_EXPORT_JACOBIANS; i++)
    if (x->functions[i].tape && pf_script_about(i))
      pf_text_print(text, "  m.%s = @%s;\n", x->functions[i].name, x->functions[i].name);
  for (int i = 0; i < x->frames.count; i++) pf_text_print(text, "  m.jacobian{%d} = @jacobian_of_%d;\n", i + 1, i + 1);
}

static void put_main(const PfExport *x, const PfReference *r, PfText *text)
{
  pf_text_print(text, "function m = %s()\n%% ", x->prefix);
  pf_put_comment(text, x->title);
  pf_text_print(text, "\n%% Made by pfaff %s; accelerations by %s. All numbers are in SI units, angles in radians.\n"
                "%% [a, lam] = m.accelerate(m.params, m.time, m.q, m.v, m.input) at the start; q and v are columns.\n",
                pf_version(), x->form);
  put_struct(text, "params", &x->parameters, x->start);
  put_struct(text, "input", &x->inputs, x->start + x->at_inputs);
  pf_text_add(text, "  m.time = ");
  pf_script_put_numbers(text, x->start + x->at_time, 1);
  pf_text_add(text, "; % a start that satisfies the constraints\n  m.q = ");
  put_column(text, x->start + x->at_q, x->n);
  pf_text_add(text, ";\n  m.v = ");
  put_column(text, x->start + x->at_v, x->n);
  pf_text_add(text, ";\n");
  put_lists(x, text);
  put_handles(x, text);
  put_expected(x, r, text);
  pf_text_add(text, "end\n");
}

PfStatus pf_export_matlab(const PfExport *x, const PfReference *r, PfExportFiles *files)
{
  PfText *text = pf_export_add_file(x, files, x->prefix, ".m");
  put_main(x, r, text);
  for (int i = 0; i < x->function_count; i++)
    if (x->functions[i].tape) PF_TRY(put_function(x, x->functions + i, text));
  put_filled(x, text, solver);
  put_filled(x, text, pf_export_function(x, PF_EXPORT_FLOW) ? eliminate : x->friction ? rub : solve);
  if (x->m) put_filled(x, text, motion);
  pf_text_add(text, step);
  pf_text_add(text, x->m ? "  [q, v] = project(p, t, q, v, u);\nend\n" : "end\n");
  pf_text_add(text, derived);
  if (x->friction)
    pf_text_add(text, "  [~, C_lambda] = friction(p, t, q, v, u, lam);\n"
                      "  dlam = f_feedback(M, A, C_lambda)\\dlam;\n"
                      "  [da, dlam] = f_solve(M, A, -D(1:n, :) + C_lambda*dlam, -D(n + 1:end, :));\n");
  put_filled(x, text, linear);
  if (x->inputs.count) pf_text_add(text, actuate);
  put_filled(x, text, test);
  pf_text_add(text, helpers);
  return pf_export_check_files(x, files);
}
