/* SPDX-License-Identifier: Apache-2.0 */
/* The list of all tasks, and how one is done. */
#include "task/task.h"

#include <string.h>

static const PfTask *const tasks[] = {
  &pf_check_task,      &pf_derive_task,    &pf_eval_task,          &pf_compare_task,    &pf_run_task,
  &pf_plot_task,       &pf_draw_task,      &pf_page_task,          &pf_converge_task,   &pf_sweep_task,
  &pf_fmt_task,        &pf_import_task,    &pf_export_task,        &pf_examples_task,   &pf_new_task,
  &pf_equilibria_task, &pf_steady_task,    &pf_continue_task,      &pf_linearize_task,  &pf_portrait_task,
  &pf_poincare_task,   &pf_integrability_task, &pf_invariants_task,
  &pf_measure_task};

const PfTask *pf_task(int index)
{
  return index >= 0 && index < (int)(sizeof tasks/sizeof *tasks) ? tasks[index] : NULL;
}

const PfTask *pf_task_find(const char *name)
{
  for (size_t i = 0; i < sizeof tasks/sizeof *tasks; i++)
    if (!strcmp(tasks[i]->name, name)) return tasks[i];
  return NULL;
}

const char *pf_task_name(const PfTask *task)
{
  return task->name;
}

const char *pf_task_summary(const PfTask *task)
{
  return task->summary;
}

bool pf_task_option(const PfTask *task, int index, PfSetting *setting)
{
  const PfSetting *row;
  for (int i = 0; (row = pf_setting(i)); i++)
    if (pf_task_takes(task, row) && index-- == 0) break;
  if (!row) return false;
  *setting = *row;
  for (const SettingHelp *own = task->own; own && own->name; own++) {
    if (strcmp(own->name, row->name) != 0) continue;
    if (own->argument) setting->argument = own->argument;
    if (own->help) setting->help = own->help, setting->standard = NULL;
    if (own->values) setting->values = own->values;
  }
  return true;
}

bool pf_task_setting(const PfTask *task, int index, PfSetting *setting)
{
  for (int i = 0; pf_task_option(task, i, setting); i++)
    if (!pf_task_is_listed(SHELL_ONLY, setting->name) && index-- == 0) return true;
  return false;
}

const PfField *pf_task_fields(const PfTask *task, const char *setting)
{
  if (!setting) return task->fields;
  for (const OtherReport *other = task->others; other && other->setting; other++)
    if (!strcmp(other->setting, setting)) return other->fields;
  return NULL;
}

/* ---------------------------------------------------------------- doing */

PfStatus pf_task_do(Host *host, const PfRequest *request)
{
  PfRequest own = *request;
  own.host = host;
  return own.task->run(&own);
}

/* Among the files of a request '-' is the machine. */
static PfStatus add_machine(PfContext *ctx, PfRequest *r)
{
  int most = r->task->most_files ? r->task->most_files : 1;
  for (int i = 0; i < r->file_count; i++)
    if (!strcmp(r->files[i], "-")) return PF_OK;
  if (r->file_count == most)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "@task{%s} takes a machine or the file '%s', not both", r->task->name,
                   r->files[0]);
  r->files[r->file_count++] = "-";
  return PF_OK;
}

PfStatus pf_task_run(PfMachine *machine, const PfRequest *request, const PfObserver *observer, PfReport **report)
{
  Host host = {.machine = machine};
  if (observer) host.observer = *observer;
  PfRequest own = *request;
  own.host = &host;
  if (!own.tree && !own.text) own.tree = own.text = true;
  PfContext *ctx = pf_task_context(&own);
  PfStatus status = !ctx ? PF_ERR_MEMORY : machine ? add_machine(ctx, &own) : PF_OK;
  if (status == PF_OK) status = pf_request_check(ctx, &own);
  if (status == PF_OK) status = own.task->run(&own);
  if (!host.report) status = pf_task_give(ctx, status, &own, NULL);
  pf_context_free(ctx);
  *report = host.report;
  return *report ? status : PF_ERR_MEMORY;
}
