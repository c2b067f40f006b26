/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff draw: the machine as a picture, at the start or at several instants of its motion. */
#include "task/motion.h"
#include "scene/picture.h"

#include <math.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "at", .help = "at these times of the motion, the earlier ones paler, with the paths of bodies (default: at "
                         "the start)"},
  {.name = "out", .argument = "PICTURE", .help = "the picture (default: a list of what would be in it)"},
  {.name = "json", .help = "shapes, and their poses at each time, for programs on standard output"},
  {0}};

#define MOTION "by step rtol atol adaptive rho printed no-projection keep-going most-steps form native "

static const SettingNeed needs[] = {{.names = MOTION, .with = "at"}, {.names = "view", .with = "out"}, {0}};

const PfTask pf_draw_task = {
  .name = "draw", .summary = "the machine as a picture, also in motion",
  .operands = "FILE",
  .about = "Shapes are those of 'draw' in the model. A body of which it says nothing is drawn by what is known: a box, "
           "cylinder or ball "
           "with its inertia, rods between its joints, wheels, blades, springs, and what they roll on.",
  .takes = TAKES_STATE MOTION "input at view out json ",
  .writes = {WRITES_PICTURES},
  .own = own,
  .needs = needs,
  .examples = "@call{draw @out{bicycle.svg} examples/wheels/bicycle.pf}\n"
              "@call{draw @at{0,0.5,1,1.5} @view{top} @out{path.svg} examples/skates/snakeboard_bodies.pf}\n",
  .fields = pf_scene_fields,
  .run = run};

enum { PATH = 400 }; /* instants along which paths are drawn */

typedef struct Draw {
  Session s;
  const PfRequest *options;
  Motion motion;
  PfScene *scene;
  PfView view;
  const double *asked; /* times of --at */
  int asked_count, next;
  int count, path_count, path_room;
  double *times, *numbers, *path;
} Draw;

/* ---------------------------------------------------------------- at several instants */

static bool is_near(double t, double other)
{
  return fabs(t - other) <= 1e-12*fmax(1, fabs(t));
}

static bool is_asked(const Draw *d, double t)
{
  return d->next < d->asked_count && is_near(t, d->asked[d->next]);
}

/* At an event there are two samples, before and after: both belong to the path, the later one is shown. The stop by a
 * condition has one, too. */
static PfStatus take_sample(void *user, const PfSample *sample)
{
  Draw *d = user;
  size_t size = (size_t)pf_scene_size(d->scene);
  double *now = d->path + (size_t)d->path_count*size;
  if (!sample || d->path_count >= d->path_room || !pf_scene_read(d->scene, now)) return PF_OK;
  d->path_count++;
  if (d->count && is_near(sample->t, d->times[d->count - 1]))
    memcpy(d->numbers + (size_t)(d->count - 1)*size, now, size*sizeof *now);
  for (; is_asked(d, sample->t); d->next++) {
    memcpy(d->numbers + (size_t)d->count*size, now, size*sizeof *now);
    d->times[d->count++] = d->asked[d->next];
  }
  return PF_OK;
}

static PfStatus make_room(Draw *d, int instants, int path)
{
  size_t size = (size_t)pf_scene_size(d->scene);
  d->times = pf_arena_array(d->s.arena, double, instants);
  d->numbers = pf_arena_alloc(d->s.arena, (size_t)instants, size*sizeof(double));
  d->path = pf_arena_alloc(d->s.arena, (size_t)path, size*sizeof(double));
  d->path_room = path;
  return d->times && d->numbers && d->path ? PF_OK : pf_no_room(d->s.ctx, "the picture");
}

static PfStatus follow(Draw *d)
{
  PfRunResult result;
  /* Times of --at among others that make the paths smooth. */
  PfRunOptions *o = &d->motion.settings;
  int count = 0, next = 0;
  d->asked = o->at, d->asked_count = o->at_count;
  double *at = pf_arena_array(d->s.arena, double, PATH + 1 + o->at_count);
  double from = d->motion.t0, to = o->at[o->at_count - 1];
  if (!at) return pf_no_room(d->s.ctx, "the picture");
  if (o->at[0] < from)
    return pf_fail(d->s.ctx, PF_ERR_ARGUMENT, "@at: %.10g lies before the start, t = %.10g", o->at[0], from);
  for (int i = 0; i <= PATH; i++) {
    double t = i == PATH ? to : from + (to - from)*i/PATH;
    while (next < o->at_count && o->at[next] <= t) at[count++] = o->at[next++];
    if (!count || t > at[count - 1]) at[count++] = t;
  }
  o->at = at, o->at_count = count;
  o->t_end = fmax(to, from);
  PF_TRY(pf_task_begin(&d->motion));
  PF_TRY(pf_scene_new(d->motion.sim, &d->scene));
  PF_TRY(make_room(d, d->asked_count, d->motion.settings.at_count + 2*d->motion.complete.model->event_count + 1));
  PF_TRY(pf_task_move(&d->motion, take_sample, NULL, d, &result));
  if (result.end == PF_RUN_CANCELLED) return pf_fail(d->s.ctx, PF_ERR_CANCELLED, "stopped on request");
  PF_TRY(pf_scene_spread(d->scene, d->path, d->path_count));
  int late = d->asked_count - d->count;
  if (!d->count)
    return pf_fail(d->s.ctx, PF_ERR_ARGUMENT, "@at: the motion ends at t = %.10g, before all of these times",
                   result.t);
  if (late)
    pf_warn_at(d->s.ctx, (PfPlace){0}, "%d of the %d times of @at lie beyond the end, t = %.10g", late,
               d->asked_count, result.t);
  return PF_OK;
}

static bool is_force(const PfScene *scene, int point)
{
  return strcmp(scene->point_units[point], "N") == 0;
}

/* Contact forces follow from the accelerations. A system that cannot move has none, and is drawn without them. */
static PfStatus find_forces(Draw *d, bool *found)
{
  PfContext *ctx = d->s.ctx;
  bool any = false;
  for (int i = 0; i < d->scene->point_count; i++) any = any || is_force(d->scene, i);
  *found = true;
  if (!any) return PF_OK;
  int before = pf_diagnostic_count(ctx);
  PfStatus status = pf_task_begin(&d->motion);
  if (pf_is_final(status)) return status;
  *found = pf_sim_sample(d->motion.sim);
  pf_diagnostics_truncate(ctx, before);
  return PF_OK;
}

static PfStatus stand(Draw *d)
{
  bool found;
  PF_TRY(pf_scene_new(d->motion.sim, &d->scene));
  PF_TRY(make_room(d, 1, 0));
  PF_TRY(find_forces(d, &found));
  d->times[0] = d->motion.t0;
  d->count = 1;
  bool good = pf_scene_read(d->scene, d->numbers);
  if (!found) {
    double *point = d->numbers + pf_scene_size(d->scene) - 3*d->scene->point_count;
    for (int i = 0; i < d->scene->point_count; i++)
      for (int k = 0; k < 3 && is_force(d->scene, i); k++) point[3*i + k] = NAN;
  }
  return good ? PF_OK : pf_fail(d->s.ctx, PF_ERR_NUMBER, "a position is not finite at the start");
}

/* ---------------------------------------------------------------- the command */

static PfStatus draw(Draw *d)
{
  PfText text;
  PfPicture picture = {d->scene, d->view, pf_model_heading(d->s.model), d->count, d->times, d->numbers, d->path_count,
                       d->path_count > 1 ? d->path : NULL};
  pf_text_init(&text, pf_context_allocator(d->s.ctx));
  PfStatus status = pf_scene_svg(d->s.ctx, &picture, &text);
  if (status == PF_OK) status = pf_task_write(d->s.ctx, d->options, &text);
  pf_text_free(&text);
  return status;
}

static PfStatus make(Draw *d)
{
  PF_TRY(pf_task_open(&d->s, d->options));
  /* The view by its name. */
  const char *name = d->options->view;
  for (int i = 0; name; i++) {
    const char *summary, *known = pf_view_value(i, &summary);
    if (!known) {
      pf_fail(d->s.ctx, PF_ERR_ARGUMENT, "@view: there is no view '%s'", name);
      pf_hint(d->s.ctx, "it is iso, top, side or front");
      return PF_ERR_ARGUMENT;
    }
    d->view = (PfView)(i + 1);
    if (!strcmp(known, name)) break;
  }
  PF_TRY(pf_task_place(&d->motion, &d->s, d->options));
  PF_TRY(d->options->at ? follow(d) : stand(d));
  return d->options->out ? draw(d) : PF_OK;
}

/* Without a picture the text lists its contents. */
static void write_report(void *user, PfReport *r)
{
  const Draw *d = user;
  const PfScene *scene = d->scene;
  pf_report_string(r, "model", pf_model_label(d->s.model));
  pf_scene_report(scene, d->times, d->numbers, d->count, r);
  if (d->options->out) return;
  pf_report_print(r, "%s: %d shapes, %.3g m large; @out{robot.svg} draws them\n", pf_model_label(d->s.model),
                  scene->shape_count, scene->size);
  for (int i = 0; i < scene->shape_count; i++) {
    const PfShape *s = scene->shapes + i;
    pf_report_print(r, "  %-8s %-9s %-20s", pf_role_name(s->role), pf_shape_kind_name(s->kind), s->name);
    for (int k = 0; k < 3 && s->size[k] != 0; k++) pf_report_print(r, " %9.4g", s->size[k]);
    pf_report_print(r, "\n");
  }
}

static PfStatus run(const PfRequest *options)
{
  Draw d = {.options = options};
  PfStatus status = make(&d);
  status = pf_task_report(d.s.ctx, status, options, &d, write_report);
  pf_scene_free(d.scene);
  pf_task_end(&d.motion);
  pf_task_close(&d.s);
  return status;
}
