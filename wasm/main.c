/* SPDX-License-Identifier: Apache-2.0 */
/* The tasks of the library as one function: a request in JSON comes in, a report in JSON goes out. */
#include "host.h"
#include "task/task.h"

int pfaff(const char *json, size_t count);

/* Requests to stop come from the host, in place of signals. */
static bool is_stopped(void *user)
{
  (void)user;
  return pf_host_stop() != 0;
}

/* Does the task of a request (pf_request_read) and gives the report to the host, its values as JSON and its text: after
 * a failure what was found until then, with the diagnostics, and none without memory. Returns the status, 0 when all
 * went well. Tables and files that the task writes go to the host too. */
__attribute__((export_name("pfaff"))) int pfaff(const char *json, size_t count)
{
  const PfObserver observer = {.cancelled = is_stopped};
  PfContext *ctx = pf_context_new(NULL);
  PfRequest *request = NULL;
  PfReport *report = NULL;
  PfStatus status = ctx ? pf_request_read(ctx, json, count, &request) : PF_ERR_MEMORY;
  if (request) status = pf_task_run(NULL, request, &observer, &report);
  else if (ctx) (void)pf_report_diagnostics_only(ctx, &report);
  const char *values = report ? pf_report_json(report) : NULL;
  if (values) pf_host_report(values, pf_report_text(report));
  pf_report_free(report);
  pf_request_free(request);
  pf_context_free(ctx);
  return (int)status;
}
