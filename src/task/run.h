/* SPDX-License-Identifier: Apache-2.0 */
/* What is observed along a run besides its trajectory; each part is a file of its own. */
#ifndef PF_TASK_RUN_H
#define PF_TASK_RUN_H

#include "task/trajectory.h"

/* ---------------------------------------------------------------- events.c */
/* Effects of the events of a run; total momentum along the way. */

typedef struct Momentum {
  bool shown;      /* a body floats */
  PfTape *tape;
  double *work, *values;
  const PfSymbols *symbols;
  double start[6], now[6], change[2]; /* largest change of the linear and the angular one */
  long samples;
} Momentum;

typedef struct Events {
  const Motion *motion;
  Momentum momentum;
} Events;

/* Of a motion that is started. */
PfStatus pf_events_make(Events *events, const Motion *motion);
void pf_events_free(Events *events);
void pf_events_sample(Events *events, const PfSample *sample);
/* Events in the order of time, those that did not happen, and the momentum of a floating system. */
extern const PfField pf_event_fields[], pf_momentum_fields[];
#define PF_FIELDS_EVENTS                                                                                      \
  {.key = "events", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = pf_event_fields,                    \
   .about = PF_ABOUT("events that happened, in the order of time")},                                          \
  {.key = "momentum", .type = PF_TYPE_RECORD, .fields = pf_momentum_fields, .optional = true,                 \
   .about = PF_ABOUT("total momentum of a floating system; left out when the system is fixed to the ground")}
void pf_events_report(const Events *events, PfReport *report);

/* ---------------------------------------------------------------- drift.c */
/* Conserved quantities along a run: the setting 'invariants' of the task run, and the plot of invariants. */

typedef struct Drift {
  PfInvariants found;
  Session *session;
  const Motion *motion;
  const PfSymbols *symbols;
  PfTape *tape;       /* NULL: nothing is watched */
  double *values;     /* of the symbols, at the latest sample */
  double *work, *now; /* values of the invariants */
  double *first, *drift; /* at the first sample; largest change since */
  long samples;
} Drift;

/* Finds the conserved quantities of the model and makes them ready for the samples of the motion. */
PfStatus pf_drift_make(Drift *drift, Session *session, const PfRequest *options, const Motion *motion);
void pf_drift_free(Drift *drift);

void pf_drift_sample(Drift *drift, const PfSample *sample);

/* One record and one line for each; nothing when they were not watched. */
extern const PfField pf_drift_fields[];
#define PF_FIELD_DRIFT                                                                                          \
  {.key = "invariants", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = pf_drift_fields, .optional = true, \
   .about = PF_ABOUT("conserved quantities, with @invariants")}
void pf_drift_report(const Drift *drift, PfReport *report);

/* ---------------------------------------------------------------- listing.c */
/* The numbers of a run at the times that 'at' names, for the summary. */

typedef struct Listing {
  const Trajectory *trajectory; /* NULL: nothing is listed */
  int count, *column;
  PF_ARRAY(double) cells; /* row by row */
} Listing;

/* Chooses the columns: those of 'show', else the plotted quantities of the model, else its coordinates. */
PfStatus pf_listing_make(Listing *listing, const Trajectory *trajectory, const char *show);
/* Takes the row that the trajectory has now. */
PfStatus pf_listing_add(Listing *listing);
void pf_listing_text(const Listing *listing, PfText *text);
void pf_listing_free(Listing *listing);

/* ---------------------------------------------------------------- poses.c */
/* Where everything of the scene is along a run, in a file of its own. */

typedef struct Poses {
  PfSim *sim;      /* NULL: not requested */
  PfScene *scene;  /* NULL: nothing is known that could be drawn */
  PfRecord record;
  double *row;
} Poses;

#define PF_NO_SCENE "nothing is known of the model that could be drawn"
/* The scene of a simulation that is placed; NULL, and no error, when nothing is known that could be drawn. */
PfStatus pf_task_scene(PfSim *sim, PfScene **scene);

/* Of a motion that is started. Rows go to that file (pf_record_close(&poses->record) ends it): t, and the numbers of
 * pf_scene_read. */
PfStatus pf_poses_make(Poses *poses, Motion *motion, const char *path);
void pf_poses_free(Poses *poses);
/* At the sample that the simulation looks at. */
PfStatus pf_poses_add(Poses *poses);

/* ---------------------------------------------------------------- pace.c */
/* Keeping pace with the clock on the wall: the setting 'real-time' of the task run. */

typedef struct Pace {
  double period;         /* of a step, in seconds; 0: not in real time */
  double t0, begin;      /* time of the model and of the clock at the start */
  long room, steps, missed;
  float *late;           /* per step: how long after its deadline it was handed on */
  double busy, longest;  /* computing, in all and at most per step */
  double margin;         /* how long before a deadline sleeping ends */
  double resumed;        /* when the step that is being computed was begun */
} Pace;

/* Room for the run; the step is fixed, by a method with fixed steps. */
PfStatus pf_pace_prepare(Session *session, const PfRequest *options, double t0, PfRunOptions *settings, Pace *pace);
void pf_pace_begin(Pace *pace);

/* Called after the step that ends at time t: waits for the clock, or counts a miss. */
void pf_pace_step(Pace *pace, double t);

/* How the deadlines were kept; nothing for a run that was not in real time. */
extern const PfField pf_pace_fields[];
#define PF_FIELD_PACE                                                                                       \
  {.key = "real_time", .type = PF_TYPE_RECORD, .fields = pf_pace_fields, .optional = true,                  \
   .about = PF_ABOUT("how the deadlines of @real_time were kept; left out without it")}
void pf_pace_report(Pace *pace, PfReport *report);

#endif
