/* SPDX-License-Identifier: Apache-2.0 */
/* The methods by name. */
#include "time/time_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const PfMethod *const methods[] = {&pf_method_dopri5, &pf_method_dop853, &pf_method_rk4,
                                          &pf_method_generalized_alpha, &pf_method_rattle,
                                          &pf_method_hht_alpha, &pf_method_wbz_alpha, &pf_method_newmark,
                                          &pf_method_discrete_gradient,
                                          &pf_method_cvode_adams, &pf_method_cvode_bdf, &pf_method_ida,
                                          &pf_method_ida2};
enum { METHODS = sizeof methods/sizeof *methods };

const PfMethod *pf_method(int index)
{
  return index >= 0 && index < METHODS ? methods[index] : NULL;
}

const PfMethod *pf_method_find(const char *name)
{
  for (int i = 0; i < METHODS; i++)
    if (!strcmp(methods[i]->name, name)) return methods[i];
  return NULL;
}

const char *pf_method_name(const PfMethod *method)
{
  return method->name;
}

const char *pf_method_summary(const PfMethod *method)
{
  return method->summary;
}

bool pf_method_has_fixed_step(const PfMethod *method)
{
  return method->fixed;
}

bool pf_method_has_damping(const PfMethod *method)
{
  return method->damped;
}

bool pf_method_is_alpha(const PfMethod *method)
{
  return method->alpha;
}

double pf_method_default_rho(const PfMethod *method)
{
  return method->default_rho > 0 ? method->default_rho : PF_DEFAULT_RHO;
}

bool pf_method_takes_rho(const PfMethod *method, double rho)
{
  return method->damped && rho >= method->least_rho && rho <= 1;
}

double pf_method_rho_from(const PfMethod *method, const PfMethod *other, double rho)
{
  return method->alpha == other->alpha && pf_method_takes_rho(method, rho) ? rho : NAN;
}

bool pf_method_can_drift(const PfMethod *method)
{
  return !method->bound;
}

const char *pf_method_library(const PfMethod *method)
{
  return method->library;
}

bool pf_method_is_present(const PfMethod *method)
{
  return method->step != NULL;
}

PfStatus pf_method_unknown(PfContext *ctx, const char *name)
{
  int best = strlen(name) < 4 ? 2 : 4;
  const char *similar = NULL;
  char list[256] = "";
  for (int i = 0; i < METHODS; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", methods[i]->name);
    int distance = pf_name_distance(name, methods[i]->name, best);
    if (distance < best) best = distance, similar = methods[i]->name;
  }
  pf_fail_at(ctx, PF_ERR_ARGUMENT, (PfPlace){.setting = "by"}, "there is no method '%s'", name);
  if (similar) pf_hint(ctx, "did you mean '%s'?", similar);
  else pf_hint(ctx, "there are: %s", list);
  return PF_ERR_ARGUMENT;
}

bool pf_motion_does_without_formulas(const PfRunOptions *options)
{
  const PfMethod *method = options->method ? pf_method_find(options->method) : NULL;
  const char *form = pf_run_formulation(options);
  return !(method && method->formulas) && (!strcmp(form, PF_DEFAULT_FORMULATION) || !strcmp(form, "recursive"));
}
