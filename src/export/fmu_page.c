/* SPDX-License-Identifier: Apache-2.0 */
/* documentation/index.html of an FMU (text/fmu_page.html.in): a description, its variables, its equations.
 *
 * The page needs no other file and no script. Its equations are those that `derive` prints. */
#include "export/fmu_impl.h"
#include "out/label.h"

#include <string.h>

/* The title with marks of HTML escaped. */
static void put_title(const PfWriter *w, const char *words)
{
  (void)words;
  pf_put_xml(w->text, w->x->title, strlen(w->x->title));
}

/* The version of FMI. */
static void put_version(const PfWriter *w, const char *words)
{
  (void)words;
  pf_text_print(w->text, "%d", ((const PfFmu *)w->user)->options->version);
}

/* A row for each variable but time and event indicators; starts are those of parameters, inputs and states. */
static void put_variables(const PfWriter *w, const char *words)
{
  const PfFmu *f = w->user;
  (void)words;
  for (int i = 1; i < f->at_indicator; i++) {
    const PfFmuVariable *v = f->variables + i;
    const char *const cells[] = {v->name, v->about, v->measure.unit};
    pf_text_add(w->text, "<tr>");
    for (int k = 0; k < 3; k++) {
      pf_text_add(w->text, "<td>");
      pf_put_xml(w->text, cells[k], strlen(cells[k]));
      pf_text_add(w->text, "</td>");
    }
    pf_text_add(w->text, "<td>");
    if (v->is_state || v->causality == PF_FMU_PARAMETER || v->causality == PF_FMU_INPUT)
      pf_text_number(w->text, v->start);
    pf_text_add(w->text, "</td></tr>\n");
  }
}

/* The events that lock, attach and detach, with their actions. */
static void put_events(const PfWriter *w, const char *words)
{
  const PfFmu *f = w->user;
  (void)words;
  if (!f->event_count) return;
  pf_text_add(w->text, "<h2>Events</h2>\n<p>Each happens once.</p>\n<ul>\n");
  for (int i = 0; i < f->event_count; i++) {
    const PfEvent *event = f->x->model->events + i;
    pf_text_add(w->text, "<li>when ");
    pf_put_xml(w->text, event->text, strlen(event->text));
    for (int k = 0; k < event->action_count; k++) {
      pf_text_add(w->text, k ? "; " : ": ");
      pf_put_xml(w->text, event->actions[k].text, strlen(event->actions[k].text));
    }
    pf_text_add(w->text, "</li>\n");
  }
  pf_text_add(w->text, "</ul>\n");
}

/* The equations as preformatted text, when the FMU has them. */
static void put_equations(const PfWriter *w, const char *words)
{
  const char *at = ((const PfFmu *)w->user)->options->equations;
  (void)words;
  if (!at) return;
  pf_text_add(w->text, "<h2>Equations</h2>\n<pre>");
  while (*at) {
    const size_t length = strcspn(at, "\n");
    pf_put_xml(w->text, at, length);
    pf_text_add(w->text, "\n");
    at += length + (at[length] != 0);
  }
  pf_text_add(w->text, "</pre>\n");
}

/* The page from its template; the FMU is the user of the writer. */
PfStatus pf_fmu_page(const PfFmu *f, PfText *text)
{
  static const PfPlaceholder own[] = {{"title_in_html", .put = put_title}, {"fmi", .put = put_version},
                                      {"variables", .put = put_variables}, {"event_list", .put = put_events},
                                      {"equations", .put = put_equations}, {0}};
  return pf_template_put(&(PfWriter){.x = f->x, .text = text, .user = f}, "fmu_page.html.in", own);
}
