/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C, a closed terminal, or a polite kill: the work is asked to stop, so that results are written. */
#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals/sizeof *signals };

/* The only way a signal can speak to the program. */
static volatile sig_atomic_t stop;

static void receive(int received)
{
  (void)received;
  stop = 1;
  for (int i = 0; i < SIGNALS; i++) (void)signal(signals[i], SIG_DFL); /* whoever asks twice does not want to wait */
}

/* What is ignored stays so: SIGHUP under nohup, SIGINT in the background of a script. No SA_RESTART: what waits for a
 * file, a reader or input is woken up, asks whether to stop, and goes on or not (base/file.c, out/file.c). */
void pf_signals_install(void)
{
  for (int i = 0; i < SIGNALS; i++) {
    struct sigaction action = {.sa_handler = receive}, before;
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigemptyset(&action.sa_mask);
    (void)sigaction(signals[i], &action, NULL);
  }
}

bool pf_signals_stop(void)
{
  return stop != 0;
}
