/* SPDX-License-Identifier: Apache-2.0 */
/* The studies of pfaff study: each is a command of its own, called with the words after its kind. */
#ifndef PF_TASK_STUDY_H
#define PF_TASK_STUDY_H

#include "task/task.h"
#include "task/motion.h"

/* What most studies need: the model, a consistent state, the vector field there, and what is plotted as outputs. */
typedef struct Study {
  Session s;
  const PfRequest *options;
  PfSystem *system;
  double *given;    /* parameters from the command line, else NaN */
  double *values;   /* of pf_system_symbols */
  PfStart start;
  PfDynamics *field;
  int output_count;
  PfExpr *outputs;
  const char **output_names;
  PfMeasure *output_measures;
  bool by_angles;   /* asked for before opening: free and ball joints are described by angles, which may be cyclic */
  PfModel *original; /* then: as it was read, to be freed */
  bool moves;       /* asked for before opening: it follows motions, and the energy is an output */
  int energy;       /* its number among the outputs */
  Motion motion;    /* of a study that moves, placed as the field is */
  bool long_formulas; /* the report has those that are too long for its text, too: they may take megabytes */
} Study;

/* Of the model that is loaded: corrects the start, places the field there and chooses its state. */
PfStatus pf_study_prepare(Study *study);

/* The unit of a component of the state, a parameter, an input or an output. */
PfMeasure pf_study_measure(const Study *study, const char *name);
/* "y [mm]", for tables and axes; and the same in a line of text, where SI units go without saying. */
const char *pf_study_head(Study *study, const char *name);
const char *pf_study_word(Study *study, const char *name);
/* ",y [mm]" */
void pf_study_csv_head(Study *study, PfText *text, const char *name);
const char *const *pf_study_words(Study *study, const char *const *names, int count);
/* From SI to the units of the names; all numbers in that of one name. */
void pf_study_show(const Study *study, const char *const *names, int count, double *x);
void pf_study_show_one(const Study *study, const char *name, int count, double *x);
/* The names as a list, and their units as another. */
void pf_study_report_names(const Study *study, PfReport *report, const char *key, const char *units_key,
                           const char *const *names, int count);
/* A value of the quantity, up to `end`, in SI. */
PfStatus pf_study_value(Study *study, const char *what, const char *name, const char *text, const char *end,
                        double *value);
/* Both ends of from..to, which contains the dots; a unit behind the upper end, or behind all of it (`behind`: "[cm]" or
 * ""), holds for both. */
PfStatus pf_study_bounds(Study *study, const char *what, const char *name, const char *text, const char *end,
                         const char *behind, double ends[2]);

/* Index of a parameter that the user may change; fails with PF_ERR_ARGUMENT and a suggestion. `what`: the option, as
 * "--sweep". */
PfStatus pf_study_parameter(Study *study, const char *what, const char *name, int *parameter);

/* NAME=a..b or NAME=a..b:count; count stays when it is not given. */
typedef struct Range {
  int parameter;
  double from, to;
  int count;
} Range;
PfStatus pf_study_range(Study *study, const char *what, const char *text, Range *range);

/* 'starts', or `standard` when it was not given. */
PfStatus pf_study_starts(Study *study, int standard, int *count);

/* 'starts' and 'within' as options of a search. */
PfStatus pf_study_search(Study *study, PfSteadyOptions *options);

/* A coordinate, velocity, speed, something plotted, or 'energy'. */
PfStatus pf_study_quantity(Study *study, const char *what, const char *name, PfQuantity *quantity);
/* The same by a simulation: its handle. */
PfStatus pf_study_handle(Study *study, const char *name, PfQuantity quantity, int *handle);
/* Places the simulation, with method and tolerances of the model and the command line; the relative one is at most
 * `rtol` unless it was asked for. *span gets the seconds of 'for', the model's run, or 10. */
PfStatus pf_study_move(Study *study, double rtol, double *span);
/* Two quantities that span a plane, and where in it to begin: 'show' and 'within'. Of a study that was placed by
 * pf_study_move. */
typedef struct Plane {
  const char *names[2];
  PfPlane at;
  PfQuantity keep[16];
  const char *keep_names[16];
} Plane;
PfStatus pf_study_plane(Study *study, Plane *plane);

/* The state of the model with another value for a parameter: its start, corrected. */
PfStatus pf_study_restart(Study *study, int parameter, double value);

/* ---------------------------------------------------------------- the parts of a study */

/* A file of 'out': its kind, as "csv", and the function that writes it. */
typedef struct StudyFile {
  const char *kind;
  PfStatus (*write)(void *user, PfText *text);
} StudyFile;

/* What a study is made of. Its own struct begins with a Study, and is the `user` of its functions. */
typedef struct StudyKind {
  /* From the loaded model and the options, as the request, to the result; nothing is written. */
  PfStatus (*compute)(Study *study);
  WriteReport write;          /* from the result to the report */
  StudyFile files[4];         /* all but JSON, which is the report; the last, without a kind, draws an SVG picture */
  void (*free)(Study *study); /* what its own struct holds; NULL: nothing */
} StudyKind;

/* Loads the model, computes, writes the file of 'out', leaves the report, and frees the study. */
PfStatus pf_study_run(const StudyKind *kind, const PfRequest *options, Study *study);
void pf_study_close(Study *study);

/* ---------------------------------------------------------------- parts of reports */

/* Names with commas between them; "none" when there are none. */
void pf_study_print_names(PfReport *report, const char *const *names, int count);

/* Real eigenvalues, and one of each conjugate pair with both signs, `between` them: "  -1+-2i". */
typedef struct Eigenvalues {
  int count;
  const double *re, *im;
} Eigenvalues;
void pf_study_print_eigenvalues(PfReport *report, const Eigenvalues *values, int digits, const char *between);

/* The state of equilibria and steady motions: "kind" and the names, units and cyclic components of x. */
#define PF_STUDY_KIND_FIELD PF_FIELD("kind", STRING, "'equilibria' or 'steady' motions")
#define PF_STUDY_STATE_FIELDS                                                                         \
  PF_FIELD("states", STRINGS, "names of the components of the state, in the order of x"),         \
  PF_FIELD_LIST("units", STRING, "their units, in which x is given; empty: none is declared"),        \
  PF_FIELD_LIST("cyclic", STRING, "components on which nothing else depends; they may grow steadily")
void pf_study_report_state(const Study *study, PfReport *report, PfSteadyKind kind, const char *const *names,
                           const bool *cyclic, int size);
/* One state of them and its stability. */
#define PF_STUDY_X_FIELD PF_FIELD("x", NUMBERS, "components of the state, in the order and units of 'states'")
#define PF_STUDY_STABILITY_FIELD \
  PF_FIELD("stability", STRING, "'stable', 'neutral' (linear terms do not decide) or 'unstable'")
#define PF_STUDY_UNSTABLE_FIELD PF_FIELD("unstable", INTEGER, "number of eigenvalues with a positive real part")

/* The two quantities of a plane. */
#define PF_STUDY_PLANE_FIELDS                                                         \
  PF_FIELD("show", STRINGS, "the two quantities of the plane: those of a and b"), \
  PF_FIELD_LIST("units", STRING, "their units; empty: none is declared")
/* How many motions could not begin where they should. */
void pf_study_print_failed(PfReport *report, int failed);

#endif
