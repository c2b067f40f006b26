/* SPDX-License-Identifier: Apache-2.0 */
/* documentation/index.html of an FMU: what it is, its variables, its equations. */
#include "export/fmu_impl.h"
#include "out/label.h"

#include <string.h>

static const char style[] =
"<style>\nbody { font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }\n"
"table { border-collapse: collapse; }\ntd, th { border: 1px solid #bbb; padding: 0.2em 0.6em; text-align: left; }\n"
"pre { overflow-x: auto; background: #f4f4f4; padding: 1em; }\n</style>\n";

static void put_words(PfText *text, const char *words)
{
  pf_put_xml(text, words, strlen(words));
}

static void put_cell(PfText *text, const char *words)
{
  pf_text_add(text, "<td>");
  put_words(text, words);
  pf_text_add(text, "</td>");
}

static void put_variables(const PfFmu *f, PfText *text)
{
  pf_text_add(text, "<h2>Variables</h2>\n<p>Numbers are in SI units; the unit of the model is the one they are "
                    "displayed in.</p>\n<table>\n<tr><th>name</th><th>what it is</th><th>unit of the model</th>"
                    "<th>start (SI)</th></tr>\n");
  for (int i = 1; i < f->at_indicator; i++) {
    const PfFmuVariable *v = f->variables + i;
    pf_text_add(text, "<tr>");
    put_cell(text, v->name);
    put_cell(text, v->about);
    put_cell(text, v->measure.unit);
    pf_text_add(text, "<td>");
    if (v->is_state || v->causality == PF_FMU_PARAMETER || v->causality == PF_FMU_INPUT)
      pf_text_number(text, v->start);
    pf_text_add(text, "</td></tr>\n");
  }
  pf_text_add(text, "</table>\n");
}

static void put_motion(const PfFmu *f, PfText *text)
{
  pf_text_print(text, "<h2>Motion</h2>\n<p>%d coordinates, %d constraints; accelerations by %s. ", f->x->n, f->x->m,
                f->x->form);
  if (f->x->m)
    pf_text_add(text, "The state is kept on the constraints: in Co-Simulation after every inner step; in Model "
                      "Exchange the end of an integrator step asks for event mode when the state has drifted off by "
                      "more than the "
                      "tolerance (1e-8 at most), and there it is moved back. Starts and parameters that are set in "
                      "initialization mode lead to a consistent start. ");
  pf_text_add(text, "Co-Simulation integrates with Dormand and Prince's method of order 5, with steps chosen by the "
                    "tolerance, and holds inputs within a communication step.</p>\n");
}

/* What locks, attaches and detaches. */
static void put_events(const PfFmu *f, PfText *text)
{
  if (!f->event_count) return;
  pf_text_add(text, "<h2>Events</h2>\n<p>Each happens once.</p>\n<ul>\n");
  for (int i = 0; i < f->event_count; i++) {
    const PfEvent *event = f->x->model->events + i;
    pf_text_add(text, "<li>when ");
    put_words(text, event->text);
    for (int k = 0; k < event->action_count; k++) {
      pf_text_add(text, k ? "; " : ": ");
      put_words(text, event->actions[k].text);
    }
    pf_text_add(text, "</li>\n");
  }
  pf_text_add(text, "</ul>\n");
}

void pf_fmu_page(const PfFmu *f, PfText *text)
{
  pf_text_add(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
  put_words(text, f->x->title);
  pf_text_add(text, "</title>\n");
  pf_text_add(text, style);
  pf_text_add(text, "</head>\n<body>\n<h1>");
  put_words(text, f->x->title);
  pf_text_print(text, "</h1>\n<p>FMI %d.0, Model Exchange and Co-Simulation. Made by pfaff %s.</p>\n",
                f->options->version, pf_version());
  put_variables(f, text);
  put_motion(f, text);
  put_events(f, text);
  if (f->options->equations) {
    pf_text_add(text, "<h2>Equations</h2>\n<pre>");
    for (const char *at = f->options->equations; *at;) {
      size_t length = strcspn(at, "\n");
      pf_put_xml(text, at, length);
      pf_text_add(text, "\n");
      at += length + (at[length] != 0);
    }
    pf_text_add(text, "</pre>\n");
  }
  pf_text_add(text, "</body>\n</html>\n");
}
