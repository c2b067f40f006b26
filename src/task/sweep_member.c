/* SPDX-License-Identifier: Apache-2.0 */
/* --show-member: one member of a result, and the command that runs it alone. */
#include "task/sweep.h"
#include "sweep/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static PfStatus read_member(Sweep *sw)
{
  const char *text = sw->options->show_member;
  char *stop;
  errno = 0;
  sw->member = strtoll(text, &stop, 10);
  if (stop != text && !*stop && !errno && sw->member >= 0 && sw->member < pf_sweep_count(sw->sweep)) return PF_OK;
  return pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "@show_member{%s}: members are 0 to %lld", text,
                 pf_sweep_count(sw->sweep) - 1);
}

PfStatus pf_sweep_open_member(Sweep *sw)
{
  const int columns = pf_sweep_columns(sw->sweep);
  PF_TRY(read_member(sw));
  PF_TRY(pf_arrays(sw->s.ctx, sw->s.arena, "the member", PF_ROOM(sw->row, columns), PF_ROOM(sw->end, 1),
                   PF_ROOM(sw->reason, PF_REASON + 1)));
  PF_TRY(pf_sweep_read(sw->sweep, sw->path, sw->member, 1, sw->row, sw->end, sw->reason));
  return pf_sweep_values(sw->sweep, sw->member, sw->row); /* what varies is known also of those that are missing */
}

/* ---------------------------------------------------------------- the command */

static const char *option_for(const PfModel *model, const char *name)
{
  if (pf_task_is_input(model, name)) return "input";
  return pf_task_is_start(model, name) ? "s" : "p";
}

/* For a shell: quotes around it, which an apostrophe of a velocity needs as well. */
static void put_words(const Sweep *sw, PfText *text, const char *setting, const char *value)
{
  pf_text_spell(text, pf_context_spelling(sw->s.ctx), " @%s{\"%s\"}", setting, value);
}

static void put_command(const Sweep *sw, PfText *text)
{
  const char *file = pf_sweep_setting(sw->sweep, "file"), *study = pf_sweep_setting(sw->sweep, "study");
  const bool linear = study && !strcmp(study, "linearize");
  pf_text_add(text, linear ? "pfaff study linearize" : "pfaff run");
  /* The parameters, starts and times that vary, in their units. */
  const PfModel *model = pf_sweep_the_model(sw->sweep);
  for (int i = 0; i < pf_sweep_varied(sw->sweep); i++) {
    const char *name = pf_sweep_name(sw->sweep, i), *unit = pf_sweep_unit(sw->sweep, i);
    char value[400];
    if (pf_sweep_is_setting(sw->sweep, i)) {
      snprintf(value, sizeof value, "%.17g", sw->row[i]);
      put_words(sw, text, name, value);
      continue;
    }
    const bool time = !strcmp(name, "t");
    snprintf(value, sizeof value, *unit ? "%s%s%.17g [%s]" : "%s%s%.17g", time ? "" : name, time ? "" : "=", sw->row[i],
             unit);
    put_words(sw, text, time ? "time" : option_for(model, name), value);
  }
  /* Words of the sweep that 'run' has under the same names. */
  static const char *const values[] = {"time", "by", "form", "for", "step", "rtol", "atol", "rho", "most-steps"};
  static const char *const flags[] = {"as-given", "adaptive", "printed", "no-projection", "keep-going"};
  int count;
  const PfSweepSetting *settings = pf_sweep_settings(sw->sweep, &count);
  for (int i = 0; i < count; i++) {
    const char *key = settings[i].key, *value = settings[i].value;
    char name[PF_LONGEST_NAME];
    if (!strcmp(key, "state")) put_words(sw, text, "s", value);
    else if (!strcmp(key, "param"))
      put_words(sw, text, pf_task_split(value, name, &value) ? option_for(model, name) : "p", settings[i].value);
    for (size_t k = 0; k < sizeof values/sizeof *values; k++)
      if (!strcmp(key, values[k])) put_words(sw, text, key, value);
    for (size_t k = 0; k < sizeof flags/sizeof *flags; k++)
      if (!strcmp(key, flags[k])) pf_text_spell(text, pf_context_spelling(sw->s.ctx), " @%s", key);
  }
  pf_text_print(text, " %s", file ? file : "model.pf");
}

/* ---------------------------------------------------------------- the report */

const PfField pf_sweep_member_fields[] = {
  PF_FIELD("member", INTEGER, "number of the member"),
  PF_FIELD("status", INTEGER, "how it ended, as in the column of that name in the result"),
  PF_FIELD("reason", STRING, "why it failed; empty: it did not"),
  PF_FIELD_MAP("values", NUMBER, "the varied numbers and the outputs, in their units"),
  PF_FIELD("command", STRING, "the command that computes this member alone"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

void pf_sweep_member_report(void *user, PfReport *r)
{
  const Sweep *sw = user;
  pf_report_integer(r, "member", sw->member);
  pf_report_integer(r, "status", *sw->end);
  pf_report_string(r, "reason", sw->reason);
  pf_report_print(r, "%s: member %lld of %lld, %s\n", pf_sweep_model(sw->sweep), sw->member,
                  pf_sweep_count(sw->sweep), pf_member_end_text(*sw->end));
  if (sw->reason[0]) pf_report_print(r, "  reason              %s\n", sw->reason);
  pf_report_open(r, "values");
  for (int i = 0; i < pf_sweep_columns(sw->sweep); i++) {
    const char *name = pf_sweep_name(sw->sweep, i);
    pf_report_number(r, name, sw->row[i]);
    pf_report_print(r, "  %-19s %.10g %s\n", name, sw->row[i], pf_sweep_unit(sw->sweep, i));
  }
  pf_report_close(r);
  pf_report_print(r, "\n  ");
  size_t before = pf_report_page(r)->count;
  put_command(sw, pf_report_page(r));
  pf_report_shown(r, "command", before);
  pf_report_print(r, "\n");
}
