/* SPDX-License-Identifier: Apache-2.0 */
/* Initial values and parameters that consist of several numbers and are given in one text: hub.w=(0, 0, 1),
 * hub.turn=(0.1, 0, 0), q=(0.1, 0.2, 0.3). They are read as expressions with units and handed on name by name. */
#include "lang/parts.h"
#include "base/base.h"
#include "lang/constant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GROUP_PARTS = 4, NAME = 256 };

/* What is given in brackets: hub.w stands for hub.wx, hub.wy, hub.wz. */
typedef struct Group {
  const char *word, *unit;
  int count;
  const char *parts[GROUP_PARTS];
} Group;

static const Group groups[] = {
  {"q", "1", 4, {"qw", "qx", "qy", "qz"}},
  {"turn", "rad", 3, {"qw", "qx", "qy", "qz"}},
  {"w", "rad/s", 3, {"wx", "wy", "wz"}},
  {"p", "m", 3, {"px", "py", "pz"}},
  {"v", "m/s", 3, {"vx", "vy", "vz"}},
};

/* ---------------------------------------------------------------- names */

/* The group that the name means, and the length of the name of the joint before it. */
static const Group *find_group(const PfModel *model, const char *name, size_t *joint)
{
  const char *dot = strrchr(name, '.');
  *joint = dot ? (size_t)(dot - name) : 0;
  for (int b = 0; dot && b < model->ball_count; b++) {
    const PfBall *ball = model->balls + b;
    if (strlen(ball->name) != *joint || strncmp(ball->name, name, *joint) != 0) continue;
    for (size_t i = 0; i < sizeof groups/sizeof *groups; i++)
      if (!strcmp(groups[i].word, dot + 1)) return groups + i;
  }
  return NULL;
}

/* q[2], or q[2]' of q'. */
static void put_element(const char *name, int index, char element[NAME])
{
  const size_t length = strcspn(name, "'");
  snprintf(element, NAME, "%.*s[%d]%s", (int)length, name, index, name + length);
}

int pf_parts_count(const PfModel *model, const char *name)
{
  size_t joint;
  const Group *group = find_group(model, name, &joint);
  if (group) return group->count;
  for (int count = 0; count < PF_MOST_PARTS; count++) {
    char element[NAME];
    put_element(name, count + 1, element);
    bool found = pf_model_find_parameter(model, element) >= 0;
    for (int i = 0; i < model->speed_count && !found; i++) found = !strcmp(model->speeds[i].name, element);
    char *last = element + strlen(element) - 1;
    if (*last == '\'') *last = 0; /* a velocity: that of a coordinate */
    if (!found && pf_model_find_coordinate(model, element) < 0) return count;
  }
  return PF_MOST_PARTS;
}

/* ---------------------------------------------------------------- numbers */

/* (a, b, c), each in its unit. */
static PfStatus read_numbers(PfContext *ctx, const char *what, const char *name, const char *text, int count,
                             const char **units, double *number)
{
  int k = 0;
  text += strspn(text, " ");
  bool good = *text == '(';
  while (good && k < count) {
    char part[128];
    const char *end = pf_piece_end(++text, ",)");
    snprintf(part, sizeof part, "%.*s", (int)(end - text), text);
    PF_TRY(pf_constant_read_for(ctx, what, part, units[k], number + k));
    k++;
    text = end;
    good = *text == (k < count ? ',' : ')');
  }
  if (good && !text[1 + strspn(text + 1, " ")]) return PF_OK;
  pf_fail(ctx, PF_ERR_ARGUMENT, "@%s: %d numbers in brackets are needed", what, count);
  pf_hint(ctx, "for example: \"%s=%s\"", name, count == 4 ? "(1, 0, 0, 0)" : count == 3 ? "(0, 0, 1)" : "(0, …)");
  return PF_ERR_ARGUMENT;
}

/* ---------------------------------------------------------------- parts */

static PfStatus name_part(PfContext *ctx, PfArena *arena, const char *name, PfPart *part)
{
  part->name = pf_arena_text(arena, name, strlen(name));
  return part->name ? PF_OK : pf_no_room(ctx, "a start");
}

/* Numbers that belong together, given as one value: three components, a quaternion, or a rotation vector, which becomes
 * a quaternion. Quaternions are divided by their length. */
static PfStatus read_group(PfContext *ctx, PfArena *arena, const Group *group, const char *what, const char *name,
                           size_t joint, const char *text, PfPart *parts, int *count)
{
  double number[GROUP_PARTS] = {0};
  const char *units[] = {group->unit, group->unit, group->unit, group->unit};
  PF_TRY(read_numbers(ctx, what, name, text, group->count, units, number));
  const bool attitude = group->parts[0][0] == 'q';
  if (!strcmp(group->word, "turn")) {
    /* cos(a/2) and the axis times sin(a/2), where the rotation vector is a times the axis. */
    double turn[3] = {number[0], number[1], number[2]};
    double angle = sqrt(turn[0]*turn[0] + turn[1]*turn[1] + turn[2]*turn[2]),
           part = angle > 0 ? sin(0.5*angle)/angle : 0.5;
    number[0] = cos(0.5*angle);
    for (int k = 0; k < 3; k++) number[k + 1] = part*turn[k];
  }
  if (attitude) {
    /* Of another length than one: divided by it, as by 'start'. */
    double length = sqrt(number[0]*number[0] + number[1]*number[1] + number[2]*number[2] + number[3]*number[3]);
    if (!(length > 0)) return pf_fail(ctx, PF_ERR_ARGUMENT, "@%s: a quaternion of zeros is no rotation", what);
    for (int k = 0; k < GROUP_PARTS; k++) number[k] /= length;
  }
  *count = attitude ? GROUP_PARTS : group->count;
  for (int k = 0; k < *count; k++) {
    char part[NAME];
    snprintf(part, sizeof part, "%.*s.%s", (int)joint, name, group->parts[k]);
    PF_TRY(name_part(ctx, arena, part, parts + k));
    parts[k].value = number[k];
  }
  return PF_OK;
}

PfStatus pf_parts_read(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what, const char *name,
                       const char *text, PfPart *parts, int *count)
{
  size_t joint;
  const Group *group = find_group(model, name, &joint);
  const char *units[PF_MOST_PARTS];
  double number[PF_MOST_PARTS];
  if (group) return read_group(ctx, arena, group, what, name, joint, text, parts, count);
  *count = pf_parts_count(model, name);
  for (int k = 0; k < *count; k++) {
    char element[NAME];
    put_element(name, k + 1, element);
    PF_TRY(name_part(ctx, arena, element, parts + k));
    units[k] = pf_model_measure(model, element).unit;
  }
  PF_TRY(read_numbers(ctx, what, name, text, *count, units, number));
  for (int k = 0; k < *count; k++) parts[k].value = number[k];
  return PF_OK;
}
