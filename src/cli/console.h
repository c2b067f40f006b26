/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a command speaks to: the program gives it the terminal, a program around the library its own memory. */
#ifndef PF_CLI_CONSOLE_H
#define PF_CLI_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct Console {
  FILE *out, *err;
  bool terminal;             /* err is one: colour, progress, motion that is watched */
  bool exact;                /* a program or a file reads `out`: it gets every byte */
  const char *input, *name;  /* what '-' reads, and what it is called; NULL: standard input */
  size_t input_size;
  struct PfMachine *machine; /* the model of that input, when it was read before; else NULL */
  bool (*is_stopped)(void *user); /* asked now and then */
  /* Takes the rows of a run as they come, in the units of its columns; false: no room. NULL: nobody wants them. */
  bool (*take_row)(void *user, const double *row, int count);
  void *user;
} Console;

#endif
