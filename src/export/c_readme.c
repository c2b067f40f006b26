/* SPDX-License-Identifier: Apache-2.0 */
/* README.md and Makefile of exported C (text/README.md.in, text/Makefile.in).
 *
 * The README lists the functions that there are for the model, the form that finds its accelerations, the parts of the
 * model that are left to the caller, and the name of each quantity in C. */
#include "export/c_impl.h"

/* The title of the model as Markdown. */
static void put_title(const PfCText *c, const char *words)
{
  (void)words;
  pf_put_markdown(c->text, c->x->title);
}

/* An item of a list for each event of the model, with its condition and actions as they are written there. */
static void put_events(const PfCText *c, const char *words)
{
  (void)words;
  for (int i = 0; i < c->x->model->event_count; i++) {
    const PfEvent *event = c->x->model->events + i;
    pf_text_add(c->text, "- when ");
    pf_put_markdown(c->text, event->text);
    pf_text_add(c->text, "{ ");
    for (int k = 0; k < event->action_count; k++) {
      pf_text_add(c->text, k ? "; " : "");
      pf_put_markdown(c->text, event->actions[k].text);
    }
    pf_text_add(c->text, " }\n");
  }
}

/* A sentence about outputs that belong to a run and not to a state, as the largest violation; nothing without such. */
static void put_left_out(const PfCText *c, const char *words)
{
  const int count = c->x->left_out;
  (void)words;
  if (count)
    pf_text_print(c->text, "\n%d quantit%s that the model plots belong%s to a run and %s left out: the largest "
                           "violations.\n",
                  count, count == 1 ? "y" : "ies", count == 1 ? "s" : "", count == 1 ? "is" : "are");
}

/* A table for each list of quantities. Each has the name in the model, the identifier in C, and the unit in which the
 * model writes it. */
static void put_names(const PfCText *c, const char *words)
{
  static const char *const lists[][2] = {{"Parameters", "parameters"}, {"Coordinates", "coordinates"},
                                         {"Inputs", "inputs"}, {"Outputs", "outputs"}, {"Constraints", "constraints"},
                                         {"Bodies and frames", "frames"}, {"Contacts", "contacts"}};
  (void)words;
  for (size_t k = 0; k < sizeof lists/sizeof *lists; k++) {
    const PfNamedList *list = pf_export_list(c->x, lists[k][1]);
    if (list->count)
      pf_text_print(c->text, "\n## %s\n\n| in the model | here | unit in the model |\n|---|---|---|\n", lists[k][0]);
    for (int i = 0; i < list->count; i++) {
      pf_text_add(c->text, "| ");
      pf_put_markdown(c->text, list->at[i].name);
      pf_text_print(c->text, " | `%s` | ", list->at[i].id);
      pf_put_markdown(c->text, list->at[i].measure.unit);
      pf_text_add(c->text, " |\n");
    }
  }
}

/* The Makefile has names and no generated parts. */
PfStatus pf_c_put_makefile(const PfCText *c)
{
  static const PfPlaceholder none[] = {{0}};
  return pf_template_put(c, "Makefile.in", none);
}

/* README.md from its template. */
PfStatus pf_c_put_readme(const PfCText *c)
{
  static const PfPlaceholder own[] = {{"markdown_title", .put = put_title}, {"event_list", .put = put_events},
                                      {"left_out", .put = put_left_out}, {"name_tables", .put = put_names}, {0}};
  return pf_template_put(c, "README.md.in", own);
}
