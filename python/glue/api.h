/* SPDX-License-Identifier: Apache-2.0 */
/* What Python calls. The module is made of these declarations by cffi (build_module.py reads them, without the
 * preprocessor); who calls them has let go of the lock of the interpreter. */
#ifndef PF_PYTHON_API_H
#define PF_PYTHON_API_H

#include "pfaff/sim.h"

/* ---- for cffi ---- */

/* Asked by long work some fifty times a second; not 0: stop. `who` tells whom. */
int pf_py_poll(void *who);
/* A digital controller of a simulation; not 0: it failed, and the motion is to end. */
int pf_py_control(void *who);

void pf_py_free(void *block);
const char *pf_py_version(void);

/* ---------------------------------------------------------------- commands */

/* What a command of the program printed; out and err are freed by pf_py_free. */
typedef struct PfPyOutcome {
  int code;
  char *out, *err;
  size_t out_size, err_size;
} PfPyOutcome;

/* `words` as on the command line, the program's name first, each with its zero byte after it; '-' among them is the
 * input. With `who` NULL work is not asked whether to stop. False without memory. */
int pf_py_command(const char *words, int count, const char *input, size_t size, void *who, PfPyOutcome *outcome);

/* The program itself, on the streams of this process; returns its exit code. */
int pf_py_terminal(const char *words, int count);

/* ---------------------------------------------------------------- tasks */

/* A model that was read; NULL where a function takes it: none. */
typedef struct PfMachine PfMachine;

/* A task (pfaff/task.h) with its settings, and later its result. */
typedef struct PfPyTask PfPyTask;

/* NULL without memory. A name that is not that of a task makes it fail when it is run. */
PfPyTask *pf_py_task_new(const char *name);
void pf_py_task_free(PfPyTask *task);

/* Settings by their names, with '_' or '-' in them. The first one that is wrong makes the task fail when it is run. */
void pf_py_task_number(PfPyTask *task, const char *setting, double value);
void pf_py_task_text(PfPyTask *task, const char *setting, const char *value);
void pf_py_task_flag(PfPyTask *task, const char *setting);
/* The value of a name of the model, for param, state and input. */
void pf_py_task_value(PfPyTask *task, const char *setting, const char *name, double value);
void pf_py_task_value_text(PfPyTask *task, const char *setting, const char *name, const char *value);
/* Several numbers, of a name or, with NULL, of the setting itself. */
void pf_py_task_values(PfPyTask *task, const char *setting, const char *name, const double *values, int count);
/* A file, a range or a word that the task takes before its settings. */
void pf_py_task_operand(PfPyTask *task, const char *operand);
/* The text that it works on, when there is no machine; it must live as long as the task. */
void pf_py_task_input(PfPyTask *task, const char *name, const char *bytes, size_t size);

/* Does it, and returns its status. With `text` the report has its text, else its values. */
int pf_py_task_run(PfPyTask *task, PfMachine *machine, int text, void *who);
int pf_py_task_status(const PfPyTask *task);
int pf_py_task_stopped(const PfPyTask *task); /* on request */

/* The report as JSON; NULL: there is none. Its text. The file that went to '-', or NULL. They live with the task. */
const char *pf_py_task_json(PfPyTask *task);
const char *pf_py_task_words(const PfPyTask *task);
const char *pf_py_task_file(const PfPyTask *task, size_t *size);
/* The rows of a run or sweep, and how many there are of how many numbers; the caller frees them by pf_py_free. */
double *pf_py_task_rows(PfPyTask *task, size_t *shape);

/* A diagnostic; texts may be NULL, except severity, code and message, and live with the task. */
typedef struct PfPyDiagnostic {
  const char *severity, *code, *message, *hint, *setting, *file;
  int line, column, length;
} PfPyDiagnostic;

/* In the order of the text; false past the last. */
int pf_py_task_diagnostic(const PfPyTask *task, int index, PfPyDiagnostic *diagnostic);
/* All of them for people: with their lines and carets. */
const char *pf_py_task_complaints(PfPyTask *task);

/* Reads a model; its report has its names with their units. With the status PF_OK *machine is the model until it is
 * released. NULL without memory. */
PfPyTask *pf_py_machine_open(const char *text, size_t size, const char *name, void *who, PfMachine **machine);
void pf_py_machine_release(PfMachine *machine);
/* How often a text was read (0) or equations were derived (1) for it: for tests. */
long pf_py_machine_work(const PfMachine *machine, int work);

/* A constant of the language in SI, as "5 [g]"; a bare number is in `unit`. */
int pf_py_constant(const char *text, const char *unit, double *value, PfError *error);

/* ---------------------------------------------------------------- simulations */

typedef struct PfPySim PfPySim;

/* What calls return. */
enum { PF_PY_GOOD = 1, PF_PY_OVER = 0, PF_PY_FAILED = -1, PF_PY_BUSY = -2, PF_PY_STOPPED = -3 };

/* By this method and formulation, or NULL. `who` is handed to pf_py_poll and pf_py_control. */
PfPySim *pf_py_sim_open(PfMachine *machine, const char *method, const char *formulation, void *who, PfError *error);
/* NULL without an error: by its controller. */
PfPySim *pf_py_sim_clone(PfPySim *s, PfError *error);
void pf_py_sim_close(PfPySim *s);
void pf_py_sim_ask(PfPySim *s, void *who);
const PfError *pf_py_sim_error(PfPySim *s);

int pf_py_sim_set(PfPySim *s, const char *name, double value);
int pf_py_sim_set_text(PfPySim *s, const char *name, const char *value);
/* Names may be NULL, numbers NaN: then they stay as they are. */
int pf_py_sim_method(PfPySim *s, const char *method, const char *formulation, double step, double rtol, double atol,
                     double t_end, double most_steps);
int pf_py_sim_native(PfPySim *s, int mode);
void pf_py_sim_as_given(PfPySim *s, int as_given);
int pf_py_sim_start(PfPySim *s);
/* What there is to be warned of at this start: false past the last. */
int pf_py_sim_warning(PfPySim *s, int index, PfError *warning);

int pf_py_sim_step(PfPySim *s);
int pf_py_sim_advance(PfPySim *s, double t);
int pf_py_sim_forward(PfPySim *s, double dt);
int pf_py_sim_control(PfPySim *s, double period, void *who);
double pf_py_sim_period(PfPySim *s);
double pf_py_sim_time(PfPySim *s);

/* Numbers are in SI, but for quantities with a unit behind them, as "theta [deg]". */
int pf_py_sim_find(PfPySim *s, const char *quantity);
/* The handle that was found last is not needed any more. */
void pf_py_sim_drop(PfPySim *s, int handle);
int pf_py_sim_size(PfPySim *s, int handle);
const char *pf_py_sim_unit(PfPySim *s, int handle);
double pf_py_sim_get(PfPySim *s, int handle);
int pf_py_sim_read(PfPySim *s, int handle, double *numbers);
int pf_py_sim_put(PfPySim *s, int handle, double value);
/* Coordinates, velocities, and with `a` not NULL accelerations, in the order of the complete model. */
int pf_py_sim_state(PfPySim *s, double *q, double *v, double *a);
/* Goes to t0 + every, t0 + 2 every, … and reads the handles there: a row of all their numbers each, t first. A
 * controller whose instant has come is called before. *rows gets the number of those that were reached. */
int pf_py_sim_record(PfPySim *s, const int *handles, int count, double every, size_t wanted, double *table,
                     size_t *rows);

typedef struct PfPyResult {
  double t;
  const char *end, *method, *formulation;
  double stiff_t; /* NaN, or since when another method than dopri5 goes on */
  long steps, rejected, evaluations, switches, sticks;
  double position, velocity, energy_start, energy_end, drift;
} PfPyResult;
void pf_py_sim_result(PfPySim *s, PfPyResult *result);
/* What the event did, as text, and {t, kinetic before, kinetic after}; NULL past the last. */
const char *pf_py_sim_event(PfPySim *s, int index, double *numbers);

size_t pf_py_sim_snapshot_size(PfPySim *s);
/* PF_PY_OVER, nothing saved: by its controller. */
int pf_py_sim_save(PfPySim *s, char *bytes, size_t size);
int pf_py_sim_restore(PfPySim *s, const char *bytes, size_t size);

/* ---------------------------------------------------------------- many states */

typedef struct PfPyField PfPyField;

/* Rows of numbers, in SI: state k has q + k*q_step and so on; a step of 0 is the same for all. `parameters` and
 * `inputs` are of all that the model has, parameters NaN where they are not given; NULL: none is. */
typedef struct PfPyStates {
  size_t count;
  const double *q, *v, *t, *parameters, *inputs;
  size_t q_step, v_step, t_step, parameter_step, input_step;
} PfPyStates;

/* What went wrong, and at which state. */
typedef struct PfPyTrouble {
  PfError error;
  size_t state;
} PfPyTrouble;

PfPyField *pf_py_field_open(PfMachine *machine, void *who, PfError *error);
void pf_py_field_close(PfPyField *f);
void pf_py_field_ask(PfPyField *f, void *who);
int pf_py_field_native(PfPyField *f, int mode, PfError *error);

/* Accelerations, multipliers and forces of constraints by a formulation; arrays that are not wanted are NULL. A state
 * without accelerations ends it, or with `pass` gets NaN. */
int pf_py_field_accelerate(PfPyField *f, const char *formulation, const PfPyStates *states, int pass,
                           double *acceleration, double *multiplier, double *force, PfPyTrouble *trouble);

/* A handle for numbers of a state: "matrix M", F, A, b, or quantities as 'plot' takes them, with commas (in
 * SI, or in the unit that stands behind one). -1: none. */
int pf_py_field_find(PfPyField *f, const char *quantities, PfError *error);
int pf_py_field_size(PfPyField *f, int handle);
int pf_py_field_read(PfPyField *f, int handle, const char *formulation, const PfPyStates *states, int pass,
                     double *numbers, PfPyTrouble *trouble);

/* Derivatives of accelerations and multipliers (rows) by coordinates, velocities, time, inputs and parameters (columns;
 * derived parameters follow those that they are made of and have none). */
enum { PF_PY_BY_Q = 1, PF_PY_BY_V = 2, PF_PY_BY_TIME = 4, PF_PY_BY_INPUTS = 8, PF_PY_BY_PARAMETERS = 16 };
int pf_py_field_derive(PfPyField *f, int by, const char *formulation, const PfPyStates *states, int pass,
                       double *numbers, PfPyTrouble *trouble);

/* ---- end ---- */

#endif
