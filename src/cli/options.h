/* SPDX-License-Identifier: Apache-2.0 */
/* Options: one table of all of them makes parsing, help and the list in docs/commands.md (options.c, help.c). */
#ifndef PF_CLI_OPTIONS_H
#define PF_CLI_OPTIONS_H

#include "base/base.h"
#include "cli/console.h"
#include "pfaff/pfaff.h"

#include <stdbool.h>
#include <stdio.h>

/* Exit codes of the program. */
enum { PF_EXIT_OK = 0, PF_EXIT_FAILED = 1, PF_EXIT_USAGE = 2 };

enum { MOST_OPTIONS = 96, MOST_FILES = 16, MOST_TEXTS = 256, MOST_ENDINGS = 7 };

/* What may be given several times. */
typedef struct Texts {
  int count;
  const char *at[MOST_TEXTS];
} Texts;

/* What a command was asked. Texts that were not given are NULL, numbers NaN. */
typedef struct Options {
  const Console *console;
  const struct Command *command;
  bool given[MOST_OPTIONS]; /* by the place in the table */
  const char *word[MOST_OPTIONS]; /* the value as it was written; NULL for flags and what may be repeated */
  const char *file;         /* the first of the files */
  int file_count;
  const char *files[MOST_FILES];
  const char *range; /* NAME=a..b:n, for commands that take one before their file */
  Texts parameters, state, held; /* name=value; held: inputs */
  const char *weld;        /* joints */
  bool no_friction;
  Texts wheels;            /* link:radius */
  bool json, latex, standalone, markdown, c, steps, matrices, help, as_given, prove, spatial, free, write,
      single;
  const char *form, *out, *to, *base, *actuators, *inverse, *page, *independent, *from;
  double time, most, fmi;
  /* the run */
  const char *method, *at;
  double horizon, rtol, atol, step, every, rho, rate, most_steps;
  const char *poses, *native;
  bool drift, keep_going, printed, adaptive, real_time, invariants, no_rows, watch;
  /* pictures and studies */
  const char *show, *against, *minus, *inputs, *sweep, *within, *keep, *section, *near, *view;
  double starts, skip;
  bool log, equilibria, stay;
  /* sweeps */
  Texts random, correlate, zip;
  const char *table, *design, *study, *take, *resume, *part, *join, *convert, *show_member;
  double members, seed, threads;
  bool dry_run, statistics_only;
} Options;

typedef enum OptionType {
  OPTION_FLAG,     /* bool */
  OPTION_TEXT,     /* const char * */
  OPTION_LIST,     /* Texts: may be repeated */
  OPTION_NUMBER,   /* double: a constant with or without a unit */
  OPTION_POSITIVE, /* double: the same above zero */
  OPTION_FRACTION, /* double: from 0 to 1 */
  OPTION_COUNT,    /* double: a positive whole number */
} OptionType;

typedef enum OptionGroup { OPTIONS_OF_COMMAND, OPTIONS_OF_STATE, OPTIONS_OF_RUN, OPTIONS_OF_RESULT,
                          OPTION_GROUPS } OptionGroup;

/* The names that an option may have as its value, with a summary; NULL past the last. */
typedef const char *(*OptionValues)(int index, const char **summary);

typedef struct Option {
  const char *name;
  char letter;          /* 0: none */
  const char *argument; /* what stands for its value in the help; NULL for flags */
  OptionType type;
  size_t offset;        /* of its field in Options */
  const char *unit;     /* of a bare number */
  OptionGroup group;
  const char *help;
  OptionValues values;
} Option;

/* What an option means in one command, where that is not what the table says. NULL: as the table says. */
typedef struct OptionHelp {
  const char *name, *argument, *help;
  OptionValues values;
} OptionHelp;

/* What is accepted is obeyed: options that say something only together with one of others, or never together with
 * them. */
typedef struct OptionNeed {
  const char *names, *with, *without; /* lists; one of the last two is NULL */
} OptionNeed;

typedef struct Command {
  const char *name, *summary;
  const char *operands;      /* as "FILE" in the line of usage */
  const char *about;         /* paragraphs */
  const char *takes;         /* names of its options, each followed by a blank */
  const char *writes[MOST_ENDINGS + 1]; /* endings of what --out writes; the first is what goes to standard output */
  const OptionHelp *own;     /* ended by an empty one; NULL: nothing is different */
  const OptionNeed *needs;   /* ended by an empty one; NULL: all go together */
  const char *examples;      /* one per line, each ended; NULL: none */
  const char *operand;       /* what an operand is called; NULL: "file" */
  const char *instead;       /* options that stand in for the file; NULL: none */
  int most_files;            /* 0: one */
  bool needs_none;           /* no operand is fine */
  bool takes_range;          /* one operand is NAME=a..b:n */
  int (*run)(const Console *console, int argc, char **argv);
} Command;

/* Sets of options that go together. */
#define TAKES_STATE "param state time as-given "
#define TAKES_METHOD "by for step rtol atol adaptive rho printed no-projection keep-going most-steps form native "

#define WRITES_PICTURES "svg", "png", "pdf"

/* All commands, and all studies, each list ended by NULL. */
extern const Command *const pf_commands[], *const pf_studies[];

/* Values of --native, in the order of PfNative. */
const char *pf_native_value(int index, const char **summary);
/* Values of --to (export.c). */
const char *pf_target_value(int index, const char **summary);
/* Values of --view, in the order of PfView. */
const char *pf_view_value(int index, const char **summary);
/* Values of --design. */
const char *pf_design_value(int index, const char **summary);

/* The option at a place of the table, NULL past the last; the place of a name, or -1. */
const Option *pf_option(int index);
int pf_option_find(const char *name, size_t length);
bool pf_command_takes(const Command *command, const Option *option);

/* Reads the options that the command takes. PF_EXIT_OK, or PF_EXIT_USAGE after saying what is wrong. With --help the
 * help is printed, and `help` is set. */
int pf_cli_options(const Command *command, const Console *console, int argc, char **argv, Options *options);

/* Fails when writing to the path would cost one of the files that are read; `option` asks for it. */
PfStatus pf_cli_spare_files(PfContext *ctx, const Options *options, const char *option, const char *path);

/* Is the name a word of the list (with blanks between)? */
bool pf_cli_is_listed(const char *names, const char *name);
/* The first option of the list (names with blanks between) that was given, or NULL. */
const char *pf_cli_given(const Options *options, const char *names);
/* As if none of the list had been given; their values are for the caller to take back. */
void pf_cli_forget(Options *options, const char *names);
/* What is accepted is obeyed: fails when one of the list was given, "--NAME has no effect: " and why. */
PfStatus pf_cli_refuse(PfContext *ctx, const Options *options, const char *names, const char *why);

/* ".csv, .json or .mat": what the command writes, with `last` before the last. */
enum { LONGEST_LIST = 64 };
void pf_cli_list_endings(const Command *command, const char *last, char list[LONGEST_LIST]);

/* The whole help of a command; its first line; the tables of docs/commands.md. */
void pf_cli_help(const Command *command, FILE *stream);
void pf_cli_usage(const Command *command, FILE *stream);
void pf_cli_list_options(FILE *stream);
void pf_cli_list_outputs(FILE *stream);

#endif
