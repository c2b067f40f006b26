/* SPDX-License-Identifier: Apache-2.0 */
/* Poses and points of the scene along a run. */
#include "task/run.h"

#include <math.h>
#include <string.h>

enum { OF_POSE = 12, OF_POINT = 3 }; /* numbers: x, y, z, and of a pose the rotation by rows */

/* "board.x", "board.R12" */
static const char *column_name(PfArena *arena, const char *owner, int k)
{
  size_t room = strlen(owner) + 5;
  char *name = pf_arena_alloc(arena, room, 1);
  if (name && k < 3) snprintf(name, room, "%s.%c", owner, "xyz"[k]);
  else if (name) snprintf(name, room, "%s.R%d%d", owner, k/3, k%3 + 1);
  return name;
}

static PfStatus name_columns(const Session *s, const PfScene *scene, PfRecordHead *head)
{
  const int size = scene ? pf_scene_size(scene) : 0, posed = scene ? OF_POSE*scene->pose_count : 0;
  const char **names, **units;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the poses", PF_ROOM(names, 1 + size), PF_ROOM(units, 1 + size)));
  names[0] = "t", units[0] = "s";
  for (int i = 0; i < size; i++) {
    const int k = i < posed ? i%OF_POSE : (i - posed)%OF_POINT;
    const char *owner = i < posed ? scene->poses[i/OF_POSE] : scene->points[(i - posed)/OF_POINT];
    names[1 + i] = column_name(s->arena, owner, k);
    units[1 + i] = i >= posed ? scene->point_units[(i - posed)/OF_POINT] : k < 3 ? "m" : "";
    if (!names[1 + i]) return pf_no_room(s->ctx, "the poses");
  }
  *head = (PfRecordHead){.count = 1 + size, .names = names, .units = units};
  return PF_OK;
}

PfStatus pf_task_scene(PfSim *sim, PfScene **scene)
{
  PfContext *ctx = pf_sim_context(sim);
  int before = pf_diagnostic_count(ctx);
  PfStatus status = pf_scene_new(sim, scene);
  if (status != PF_ERR_MODEL) return status;
  pf_diagnostics_truncate(ctx, before);
  *scene = NULL;
  return PF_OK;
}

PfStatus pf_poses_make(Poses *p, Motion *motion, const char *path)
{
  const Session *s = &motion->complete;
  PfRecordHead head = {0};
  *p = (Poses){.sim = motion->sim};
  /* Without anything to draw there are only times; the run is done all the same. */
  PF_TRY(pf_task_scene(p->sim, &p->scene));
  if (!p->scene) pf_warn_at(s->ctx, (PfPlace){0}, "@poses: " PF_NO_SCENE);
  PF_TRY(name_columns(s, p->scene, &head));
  p->row = pf_arena_array(s->arena, double, head.count);
  if (!p->row) return pf_no_room(s->ctx, "the poses");
  return pf_record_begin(&p->record, s->ctx, path, &head);
}

void pf_poses_free(Poses *p)
{
  pf_record_drop(&p->record);
  pf_scene_free(p->scene);
}

PfStatus pf_poses_add(Poses *p)
{
  if (!p->sim) return PF_OK;
  p->row[0] = pf_sim_time(p->sim);
  if (p->scene && !pf_scene_read(p->scene, p->row + 1))
    for (int i = 0; i < pf_scene_size(p->scene); i++) p->row[1 + i] = NAN;
  return pf_record_add(&p->record, p->row);
}
