/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to stop come from the host, in place of signals. */
#include "cli/signals.h"

#include "host.h"

bool pf_signals_stop(void)
{
  return pf_host_stop() != 0;
}
