/* SPDX-License-Identifier: Apache-2.0 */
/* robot.h (text/model.h.in). */
#include "export/c_impl.h"

#include <string.h>

/* After an identifier: the name in the model where it differs, and the unit. In SI units one unit of the model is so
 * many: " in the model, here SI: one is 0.001". */
static void put_remark(const PfCText *c, const PfNamed *named)
{
  const bool other = strcmp(named->name, named->id) != 0, unit = named->measure.unit[0] != 0;
  if (!other && !unit) return;
  pf_text_add(c->text, " /* ");
  if (other) pf_put_comment(c->text, named->name);
  if (other && unit) pf_text_add(c->text, ", ");
  if (unit) {
    pf_text_add(c->text, "[");
    pf_put_comment(c->text, named->measure.unit);
    pf_text_add(c->text, "]");
    if (named->measure.scale != 1) {
      pf_text_add(c->text, " in the model, here SI: one is ");
      pf_text_number(c->text, named->measure.scale);
    }
  }
  pf_text_add(c->text, " */");
}

/* <<members parameters>>: members of a struct. An empty struct is an error in C: without quantities it has a member
 * that nothing uses. */
static void put_members(const PfCText *c, const char *name)
{
  const PfNamedList *list = pf_export_list(c->x, name);
  for (int i = 0; i < list->count; i++) {
    pf_text_print(c->text, "  %s_real %s;", c->x->prefix, list->at[i].id);
    put_remark(c, list->at + i);
    pf_text_add(c->text, "\n");
  }
  if (!list->count) pf_text_add(c->text, "  char none; /* C has no empty structs */\n");
}

/* <<places coordinates Q>>: members of an enumeration, ROBOT_Q_x = 0 and so on. The words of the placeholder are the
 * list and the kind in the names. The numbers are places in arrays, from 0 on. */
static void put_places(const PfCText *c, const char *words)
{
  char name[16];
  const size_t length = strcspn(words, " ");
  memcpy(name, words, length);
  name[length] = 0;
  const PfNamedList *list = pf_export_list(c->x, name);
  for (int i = 0; i < list->count; i++) {
    pf_text_print(c->text, "  %s_%s_%s = %d%s", c->x->upper, words + length + 1, list->at[i].id, i,
                  i + 1 < list->count ? "," : "");
    put_remark(c, list->at + i);
    pf_text_add(c->text, "\n");
  }
}

/* The header from its template; lists of quantities become structs and enumerations. */
PfStatus pf_c_put_header(const PfCText *c)
{
  static const PfPlaceholder own[] = {{"members", .put = put_members}, {"places", .put = put_places}, {0}};
  return pf_template_put(c, "model.h.in", own);
}
