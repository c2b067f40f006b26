/* SPDX-License-Identifier: Apache-2.0 */
/* What 'pfaff page' puts into a page. */
#ifndef PF_TASK_PAGE_H
#define PF_TASK_PAGE_H

#include "task/motion.h"
#include "task/table.h"

/* A trajectory from a file, shown next to the computed motion of the page. */
typedef struct Track {
  const char *path;
  Table table;      /* in the units of the model where it has the column */
  int of;           /* rows of the file; the table may have fewer */
  int stride;       /* poses are those of rows 0, stride, 2*stride, … */
  size_t poses;     /* how many rows have them; 0: none */
  double *numbers;  /* of pf_scene_read, pose by pose */
  const char *why;  /* there are no poses; NULL: there are */
} Track;

typedef struct Page {
  Session s;
  PfRequest options; /* with the model as the file, and a name to write to */
  Motion motion;
  PfScene *scene;  /* NULL: nothing is known that could be drawn */
  int track_count;
  Track tracks[MOST_FILES];
  const char *empty; /* the page without data, */
  size_t empty_size;
  const char *empty_name; /* and its path */
  size_t size;     /* of the page that was made */
  int forms;       /* in it */
} Page;

/* Reads the trajectory at track->path: its columns must be those of the model, which is placed (page_tracks.c). */
PfStatus pf_page_read_track(Page *page, Track *track);
void pf_page_free_track(Page *page, Track *track);

/* The empty page: 'template', or where the program finds it (page_template.c). */
PfStatus pf_page_find(Page *page);

/* Everything that goes into the page, as one object; the report is to be freed also after an error (page_data.c). */
PfStatus pf_page_data(Page *page, PfReport **report);
extern const PfField pf_page_data_fields[];

#endif
