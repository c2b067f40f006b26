/* SPDX-License-Identifier: Apache-2.0 */
/* A request: which task is to be done (pfaff/task.h), with which values of the model and which settings.
 *
 *   PfRequest *request;
 *   pf_request_new(ctx, pf_task_find("linearize"), &request);
 *   pf_request_set_value(request, "param", "m", 2);           a parameter, in the unit that the model declares for it
 *   pf_request_set_text(request, "near", "equilibrium");
 *   pf_request_set_number(request, "rtol", 1e-10);
 *
 * All settings stand in one table, with type, unit, allowed values and help. The options of the command line are its
 * rows, with "--" before the name; the arguments of Python are its rows with "_" in place of "-". Setters fail with
 * PF_ERR_ARGUMENT and a diagnostic in the context when there is no such setting, the task does not take it, it was set
 * before, or the value is not of its type; then the request is as it was. Texts are copied. */
#ifndef PFAFF_REQUEST_H
#define PFAFF_REQUEST_H

#include "pfaff/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PfTask PfTask;
typedef struct PfRequest PfRequest;

typedef enum PfSettingType {
  PF_SETTING_FLAG,
  PF_SETTING_TEXT,
  PF_SETTING_LIST,     /* texts, or names with values; may be given several times */
  PF_SETTING_NUMBER,   /* any finite number */
  PF_SETTING_POSITIVE, /* a number above zero */
  PF_SETTING_FRACTION, /* from 0 to 1 */
  PF_SETTING_COUNT     /* a positive whole number */
} PfSettingType;

typedef enum PfSettingGroup {
  PF_SETTINGS_OF_TASK,
  PF_SETTINGS_OF_STATE, /* parameters, initial values, inputs, time */
  PF_SETTINGS_OF_RUN,   /* method, tolerances, duration, samples */
  PF_SETTINGS_OF_RESULT,
  PF_SETTING_GROUPS
} PfSettingGroup;

/* The names that a setting may have as its value, each with a summary; NULL past the last. */
typedef const char *(*PfSettingValues)(int index, const char **summary);

typedef struct PfSetting {
  const char *name;
  char letter;            /* its short name on the command line; 0: none */
  const char *argument;   /* placeholder of its value in documentation, as "NAME=VALUE"; NULL for flags */
  PfSettingType type;
  const char *unit;       /* of a bare number; NULL for other types */
  PfSettingGroup group;
  const char *standard;   /* the default value; NULL: there is none, or the help tells on what it depends */
  const char *help;       /* names other settings by tokens, as "@step": pf_setting_help gives it in words */
  PfSettingValues values; /* NULL: any value of the type */
} PfSetting;

/* The row of the table at an index, NULL past the last; the row of a name, or NULL. A name may have '_' for '-'. */
PF_API const PfSetting *pf_setting(int index);
PF_API const PfSetting *pf_setting_find(const char *name);

/* The help of a setting with the names of other settings as messages of the context have them. It is written to a text
 * of that size, with a zero byte at its end. Returns the length of the whole help: when that is `size` or more, the
 * text was cut. 0: there was no memory. */
PF_API size_t pf_setting_help(const PfContext *ctx, const PfSetting *setting, char *text, size_t size);

/* An empty request for a task. Diagnostics of the setters go to the context, which must outlive the request. Fails with
 * PF_ERR_ARGUMENT when the task is NULL, as pf_task_find returns it for a name that no task has; *request is then
 * NULL. */
PF_API PfStatus pf_request_new(PfContext *ctx, const PfTask *task, PfRequest **request);
PF_API void pf_request_free(PfRequest *request); /* NULL is allowed */

/* A request as one JSON object, for hosts that pass values as text:
 *
 *   {"task": "run", "text": "coord x …", "name": "oscillator.pf",
 *    "settings": {"for": 5, "step": "5 [ms]", "as-given": true, "at": [0, 1, 2]},
 *    "param": {"m": 7, "k": "5 [N/m]", "U": [1, 2, 3]}, "state": {"x'": 2}, "input": {"u": 0.5}}
 *
 * A setting has a value of its type: a number, a text, true or false; 'at' a number or a list of them; settings that
 * may be given several times a list of texts. null leaves it out. "files" is a list of files, in place of "text" and
 * its "name". Fails with PF_ERR_SYNTAX when the text is not JSON, else as the setters do; *request is then NULL. */
PF_API PfStatus pf_request_read(PfContext *ctx, const char *json, size_t count, PfRequest **request);

/* A number in the unit of the setting; for 'at' a list of this one time. */
PF_API PfStatus pf_request_set_number(PfRequest *request, const char *setting, double value);
/* A text; for a number a constant with or without a unit, as "5 [ms]"; for a list one more of its texts, as "m=2". */
PF_API PfStatus pf_request_set_text(PfRequest *request, const char *setting, const char *value);
/* False leaves the flag as if it had not been set. */
PF_API PfStatus pf_request_set_flag(PfRequest *request, const char *setting, bool value);
/* The value of a name of the model, for 'param' (parameters), 'state' (initial values: of coordinates "x", velocities
 * "x'" and speeds) and 'input', in the declared unit; or as a text with a unit, as "5 [g]". */
PF_API PfStatus pf_request_set_value(PfRequest *request, const char *setting, const char *name, double value);
PF_API PfStatus pf_request_set_value_text(PfRequest *request, const char *setting, const char *name,
                                          const char *value);
/* Several numbers: the elements of a list or vector of the model, with a name, for 'param', 'state' and 'input'; the
 * times of 'at', without (NULL). */
PF_API PfStatus pf_request_set_values(PfRequest *request, const char *setting, const char *name, const double *values,
                                      int count);

/* A file that the task reads: models, tables, results of sweeps, or the name of an example; for 'continue' also the
 * range NAME=a..b:n. A task with a machine needs no file. */
PF_API PfStatus pf_request_add_file(PfRequest *request, const char *path);
/* A text in place of a file, with a name for diagnostics; the bytes must outlive the request. */
PF_API PfStatus pf_request_set_input(PfRequest *request, const char *name, const char *bytes, size_t count);

#ifdef __cplusplus
}
#endif
#endif
