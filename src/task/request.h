/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and tasks as those who carry them out see them. */
#ifndef PF_TASK_REQUEST_H
#define PF_TASK_REQUEST_H

#include "base/spelling.h"
#include "pfaff/task.h"

#include <stdio.h>

enum { MOST_SETTINGS = 96, MOST_FILES = 16, MOST_TEXTS = 256, MOST_ENDINGS = 7 };

/* Texts that may be given several times. */
typedef struct Texts {
  int count;
  const char *at[MOST_TEXTS];
} Texts;

/* The types of the members for settings. */
#define MEMBER_FLAG bool
#define MEMBER_TEXT const char *
#define MEMBER_LIST Texts
#define MEMBER_NUMBER double
#define MEMBER_POSITIVE double
#define MEMBER_FRACTION double
#define MEMBER_COUNT double

/* A request: one member for each setting (settings.def), and what was given besides. Texts that were not given are
 * NULL, numbers NaN. */
struct PfRequest {
  const PfTask *task;
  struct Host *host; /* of the copy with which a task works; else NULL */
  PfContext *ctx;    /* for diagnostics of setters */
  PfArena *arena;    /* its texts; NULL: they are those of the caller, as words of a command line are */
  bool tree, text;   /* parts of the report that are wanted */
  const PfSpelling *spelling; /* of messages: that of `ctx` */
  int file_count;
  const char *files[MOST_FILES], *file; /* `file`: the first */
  const char *input, *input_name;       /* the text that '-' reads and its name; NULL: standard input */
  size_t input_size;
  const char *range;   /* NAME=a..b:n, for tasks that take one before their file */
  const double *times; /* of 'at', when they were given as numbers */
  int time_count;
  bool given[MOST_SETTINGS];       /* by the place in the table */
  const char *word[MOST_SETTINGS]; /* the value as it was written; NULL for flags and lists */
#define SETTING(type, member, ...) MEMBER_##type member;
#include "task/settings.def"
#undef SETTING
};

/* The meaning of a setting for one task, where that is not what the table says. NULL: as the table says. */
typedef struct SettingHelp {
  const char *name, *argument, *help;
  PfSettingValues values;
} SettingHelp;

/* What is accepted is obeyed: settings that have an effect only together with one of others, or never together with
 * them. */
typedef struct SettingNeed {
  const char *names, *with, *without; /* lists; one of the last two is NULL */
} SettingNeed;

/* The fields of the report that a task gives when this setting is among those of the request. */
typedef struct OtherReport {
  const char *setting;
  const PfField *fields;
} OtherReport;

struct PfTask {
  const char *name, *summary;
  const char *command;       /* of the command line, as "study linearize"; NULL: the name */
  const char *operands;      /* as "FILE" in the line of usage */
  const char *about;         /* paragraphs */
  const char *takes;         /* names of its settings, each followed by a blank */
  const char *writes[MOST_ENDINGS + 1]; /* endings of the files of 'out'; the first is that of '-' */
  const SettingHelp *own;     /* ended by an empty one; NULL: nothing is different */
  const SettingNeed *needs;   /* ended by an empty one; NULL: all go together */
  const char *examples;      /* one per line, each ended; NULL: none */
  const char *operand;       /* what an operand is called; NULL: "file" */
  const char *instead;       /* settings that stand in for the file; NULL: none */
  int most_files;            /* 0: one */
  bool needs_none;           /* no operand is fine */
  bool takes_range;          /* one operand is NAME=a..b:n */
  bool makes_text;           /* its text is a file of its own, as a model, which is printed byte for byte */
  const PfField *fields;     /* of the report */
  const OtherReport *others; /* ended by an empty one; NULL: there is one report */
  /* Computes, writes files, and leaves a report by pf_task_report or pf_task_give. The host of the request is set. */
  PfStatus (*run)(const PfRequest *request);
};

/* Sets of settings that go together. */
#define TAKES_STATE "param state time as-given "
#define TAKES_METHOD "by for step rtol atol adaptive rho printed no-projection keep-going most-steps form native "

#define WRITES_PICTURES "svg", "png", "pdf"

/* Values of 'native', in the order of PfNative. */
const char *pf_native_value(int index, const char **summary);
/* Values of 'to' (export.c). */
const char *pf_target_value(int index, const char **summary);
/* Values of 'view', in the order of PfView. */
const char *pf_view_value(int index, const char **summary);

/* Values of 'axes', in the order of PfAxes. */
const char *pf_axes_value(int index, const char **summary);

/* The place of a setting in the table. */
int pf_setting_index(const PfSetting *setting);
/* The value of a setting: a bool, const char *, Texts or double, as its type says. */
const void *pf_request_member(const PfRequest *request, const PfSetting *setting);
bool pf_task_takes(const PfTask *task, const PfSetting *setting);
/* The settings that the task takes, those of the command line alone among them, as pf_task_setting. */
bool pf_task_option(const PfTask *task, int index, PfSetting *setting);
#define SHELL_ONLY "help json watch"

/* A request in memory of the caller, whose texts are not copied. */
void pf_request_init(PfRequest *request, PfContext *ctx, const PfTask *task);
/* One setting, by its text (NULL for a flag). */
PfStatus pf_request_take(PfRequest *request, const PfSetting *setting, const char *text);
/* Settings that need or exclude each other, and files that are missing or would be overwritten; in `ctx`. */
PfStatus pf_request_check(PfContext *ctx, PfRequest *request);

/* Fails when writing to the path would cost one of the files that are read; `option` asks for it. */
PfStatus pf_task_spare_files(PfContext *ctx, const PfRequest *options, const char *option, const char *path);

/* Is the name a word of the list (with blanks between)? */
bool pf_task_is_listed(const char *names, const char *name);
/* The first setting of the list (names with blanks between) that was given, or NULL. */
const char *pf_task_given(const PfRequest *options, const char *names);
/* As if none of the list had been given; their values are for the caller to take back. */
void pf_task_forget(PfRequest *options, const char *names);
/* What is accepted is obeyed: fails when one of the list was given, "--NAME has no effect: " and why. */
PfStatus pf_task_refuse(PfContext *ctx, const PfRequest *options, const char *names, const char *why);

/* ".csv, .json or .mat": what the command writes, with `last` before the last. */
enum { LONGEST_LIST = 64 };
void pf_task_list_endings(const PfTask *command, const char *last, char list[LONGEST_LIST]);

#endif
