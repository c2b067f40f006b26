/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to stop: SIGINT, SIGTERM and SIGHUP. */
#ifndef PF_SRC_CLI_SIGNALS_H
#define PF_SRC_CLI_SIGNALS_H

#include <stdbool.h>

/* From now on the first signal asks to stop, and the second ends the program at once. */
void pf_signals_install(void);

/* Was a signal received? */
bool pf_signals_stop(void);

#endif
