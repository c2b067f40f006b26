/* SPDX-License-Identifier: Apache-2.0 */
/* The commands on the streams of this process, which belongs to them: for the program, and Python started as it. */
#include "cli/cli.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ctrl-C, a closed terminal, or a polite kill: the first signal requests the work to stop, so that results are written,
 * and the second ends the program at once. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals/sizeof *signals };

/* The only way a signal can speak to the program. */
static volatile sig_atomic_t stop;

static void receive(int received)
{
  (void)received;
  stop = 1;
  for (int i = 0; i < SIGNALS; i++) (void)signal(signals[i], SIG_DFL);
}

/* Signals that are ignored stay so: SIGHUP under nohup, SIGINT in the background of a script. No SA_RESTART: calls that
 * wait for a file, a reader or input return, poll for the request to stop, and go on or not (base/file.c,
 * out/file.c). */
static void install_signals(void)
{
  for (int i = 0; i < SIGNALS; i++) {
    struct sigaction action = {.sa_handler = receive}, before;
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigemptyset(&action.sa_mask);
    (void)sigaction(signals[i], &action, NULL);
  }
}

static bool is_stopped(void *user)
{
  (void)user;
  return stop != 0;
}

/* ---------------------------------------------------------------- the commands */

int pf_cli_terminal(int argc, char **argv)
{
  (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is like a full disk: writing fails, and that is said */
  (void)setenv("OPENBLAS_NUM_THREADS", "1", 0); /* else it starts one for every processor as soon as it is loaded */
  install_signals();
  const Console console = {.out = stdout, .err = stderr, .terminal = isatty(STDERR_FILENO) != 0,
                           .exact = isatty(STDOUT_FILENO) == 0, .is_stopped = is_stopped};
  int code = pf_cli_run(&console, argc, argv);
  bool written = fflush(stdout) == 0 && !ferror(stdout);
  if (written || code != PF_EXIT_OK) return code;
  fputs("pfaff: error: cannot write the result\n", stderr);
  return PF_EXIT_FAILED;
}
