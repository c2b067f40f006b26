/* SPDX-License-Identifier: Apache-2.0 */
/* Colours of shapes: by role and by solid, names of colours, shading. */
#include "scene/paint_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Distinct also for the colour-blind, and light enough to be shaded. */
static const PfColor bodies[] = {0x5b93c9, 0xe0a458, 0x74a57f, 0xc97b84, 0x9385c1, 0x62a8ac, 0xb8a65b};

static const PfColor roles[] = {[PF_ROLE_BODY] = 0x5b93c9,  [PF_ROLE_LINK] = 0x9aa7b3,    [PF_ROLE_JOINT] = 0xd98a3d,
                                [PF_ROLE_BASE] = 0x7c8288,  [PF_ROLE_WHEEL] = 0x4d5661,   [PF_ROLE_BLADE] = 0x59626c,
                                [PF_ROLE_CONTACT] = 0xc0392b, [PF_ROLE_SPRING] = 0x3f8f6b, [PF_ROLE_SUPPORT] = 0xd5dde4,
                                [PF_ROLE_TRACE] = 0x4a6f96,   [PF_ROLE_FORCE] = 0xc8402f};

static const struct {
  const char *name;
  PfColor color;
} names[] = {
  {"black", 0x363c42}, {"blue", 0x3b6fc4}, {"brown", 0x8b5a2b}, {"cyan", 0x3fb6c6},
  {"gold", 0xe3b505}, {"gray", 0x8a8f94}, {"green", 0x3f9b4f}, {"grey", 0x8a8f94},
  {"navy", 0x23395b}, {"orange", 0xe58a2e}, {"pink", 0xe7a1b0}, {"purple", 0x8057a6},
  {"red", 0xc8402f}, {"silver", 0xc0c4c8}, {"steelblue", 0x4682b4}, {"teal", 0x2a8c82},
  {"tomato", 0xe9573f}, {"white", 0xf4f4f4}, {"yellow", 0xe9d24a},
};

/* The colour of a text of the model: '#rrggbb' or a name. False for anything else, which does not get into a picture.
 * */
static bool read_color(const char *text, PfColor *color)
{
  *color = 0;
  if (text[0] == '#' && strlen(text) == 7 && strspn(text + 1, "0123456789abcdefABCDEF") == 6) {
    *color = (PfColor)strtoul(text + 1, NULL, 16);
    return true;
  }
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) {
    if (strcmp(names[i].name, text) != 0) continue;
    *color = names[i].color;
    return true;
  }
  return false;
}

bool pf_color_is_known(const char *text)
{
  PfColor color;
  return read_color(text, &color);
}

const char *pf_color_name(int index)
{
  return index < (int)(sizeof names/sizeof *names) ? names[index].name : NULL;
}

PfColor pf_shape_color(const PfShape *s)
{
  PfColor color;
  if (s->color && read_color(s->color, &color)) return color;
  bool own = s->role == PF_ROLE_BODY || s->role == PF_ROLE_LINK || s->role == PF_ROLE_TRACE;
  if (!own || s->body < 0) return roles[s->role];
  color = bodies[(size_t)s->body%(sizeof bodies/sizeof *bodies)];
  return s->role == PF_ROLE_LINK ? pf_color_mix(color, 0xb4bcc4, 0.35) : color;
}

PfColor pf_color_mix(PfColor a, PfColor b, double part)
{
  PfColor out = 0;
  for (int shift = 16; shift >= 0; shift -= 8) {
    const double from = (double)(a >> shift & 255u), to = (double)(b >> shift & 255u), value = from + part*(to - from);
    out = out << 8 | (PfColor)(fmin(255, fmax(0, value)) + 0.5);
  }
  return out;
}
