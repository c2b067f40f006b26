/* SPDX-License-Identifier: Apache-2.0 */
/* Files of an export by templates (template.h).
 *
 * The texts are part of the library (cmake/PfaffFmu.cmake puts them into shipped_texts.c). A template is read line by
 * line: conditions switch lines off, placeholders are replaced, and everything else is copied. */
#include "export/template.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST_PLACEHOLDER = 80 };

/* ---------------------------------------------------------------- what placeholders stand for */

/* For placeholders with the name of a list in them. */
const PfNamedList *pf_export_list(const PfExport *x, const char *name)
{
  const struct {
    const char *name;
    const PfNamedList *list;
  } lists[] = {{"coordinates", &x->coordinates}, {"parameters", &x->parameters}, {"inputs", &x->inputs},
               {"outputs", &x->outputs}, {"constraints", &x->constraints}, {"frames", &x->frames},
               {"contacts", &x->contacts}};
  for (size_t i = 0; i < sizeof lists/sizeof *lists; i++)
    if (!strcmp(lists[i].name, name)) return lists[i].list;
  return NULL;
}

/* The numbers are those of x->start, in SI units. */
PfNumbers pf_export_start(const PfExport *x, const char *name)
{
  const struct {
    const char *name;
    int at, count;
  } arrays[] = {{"parameters", 0, x->parameters.count}, {"time", x->at_time, 1},
                {"inputs", x->at_inputs, x->inputs.count}, {"q", x->at_q, x->n}, {"v", x->at_v, x->n}};
  for (size_t i = 0; i < sizeof arrays/sizeof *arrays; i++)
    if (!strcmp(arrays[i].name, name)) return (PfNumbers){x->start + arrays[i].at, arrays[i].count};
  return (PfNumbers){NULL, 0};
}

/* Jacobians of frames are not among them. */
static bool has_function(const PfExport *x, const char *name)
{
  for (int i = 0; i < PF_EXPORT_JACOBIANS; i++)
    if (x->functions[i].tape && !strcmp(x->functions[i].name, name)) return true;
  return false;
}

/* Lists count their members. The table is made anew for each call, which is cheap: a file has some hundred
 * placeholders. */
bool pf_template_number(const PfWriter *w, const char *name, int *number)
{
  const PfExport *x = w->x;
  const PfNamedList *list = pf_export_list(x, name);
  const bool flow = pf_export_function(x, PF_EXPORT_FLOW) != NULL, single = w->real == PF_REAL_FLOAT;
  const int nu = x->inputs.count, by_p = 2*x->n + nu;
  const struct {
    const char *name;
    int number;
  } numbers[] = {
    {"n", x->n}, {"m", x->m}, {"surfaces", x->surface_count}, {"positions", x->position_count},
    {"velocities", x->velocity_count}, {"pairs", x->pairs}, {"mass_pairs", x->mass_pairs},
    /* columns of derivatives, and where those of each kind begin */
      {"columns", pf_export_columns(x)}, {"by_u", 2*x->n}, {"by_p", by_p}, {"by_t", by_p + x->parameters.count},
    {"output_columns", 3*x->n + nu + x->m},
    /* features, 0 or 1 */
      {"flow", flow}, {"keeps_rows", pf_export_keeps_rows(x)}, {"friction", x->friction}, {"redundant", x->redundant},
    {"null_space", x->by_null_space}, {"float", single}, {"fast", flow && !single},
    {"solver", !flow || has_function(x, "slopes") || has_function(x, "input_slopes")},
    /* parts of the model that an export leaves to its caller */
      {"events", x->model->event_count}, {"until", x->model->run.until != PF_EXPR_NONE},
    /* of the test: states, and whether differences may be taken, which leave the constraints */
      {"states", w->reference ? w->reference->count : 0}, {"differences", flow && !x->surface_count && !single}};
  if (!strncmp(name, "function ", 9)) {
    *number = has_function(x, name + 9);
    return true;
  }
  if (list) *number = list->count;
  for (size_t i = 0; !list && i < sizeof numbers/sizeof *numbers; i++)
    if (!strcmp(numbers[i].name, name)) {
      *number = numbers[i].number;
      return true;
    }
  return list != NULL;
}

/* "matrices", or "jacobian_of_3". */
void pf_export_put_function_name(const PfExport *x, const PfExportFunction *f, int first, PfText *text)
{
  const int kind = (int)(f - x->functions);
  pf_text_add(text, f->name);
  if (kind >= PF_EXPORT_JACOBIANS) pf_text_print(text, "_of_%d", kind - PF_EXPORT_JACOBIANS + first);
}

/* Nothing where there are none. */
void pf_export_put_rows(const PfExport *x, const char *which, int first, const char *separator, PfText *text)
{
  const bool positions = !strcmp(which, "positions");
  const int *row = positions ? x->position_row : x->velocity_row;
  for (int i = 0; i < (positions ? x->position_count : x->velocity_count); i++)
    pf_text_print(text, "%s%d", i ? separator : "", row[i] + first);
}

/* ---------------------------------------------------------------- lines */

/* The text from `at` on to `end`, which are inside a line, with the identifier of the model. */
static void put_plain(const PfExport *x, const char *line, const char *at, const char *end, PfText *text)
{
  for (; at < end; at++) {
    const bool begins = at == line || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
    if (begins && !strncmp(at, "model_", 6)) pf_text_print(text, "%s_", x->prefix), at += 5;
    else if (begins && !strncmp(at, "MODEL_", 6)) pf_text_print(text, "%s_", x->upper), at += 5;
    else pf_text_put(text, at, 1);
  }
}

/* For texts that are shipped as they are but for the name of the model. */
void pf_export_put_line(const PfExport *x, const char *line, PfText *text)
{
  put_plain(x, line, line, line + strlen(line), text);
}

/* <<placeholder>>: functions of the writer first, then texts, then numbers. */
static PfStatus put_placeholder(const PfWriter *w, const PfPlaceholder *placeholders, const char *placeholder)
{
  const PfExport *x = w->x;
  const bool single = w->real == PF_REAL_FLOAT;
  const struct {
    const char *name, *text;
  } texts[] = {{"name", x->prefix}, {"NAME", x->upper}, {"form", x->form}, {"version", pf_version()},
               {"real", single ? "float" : "double"}, {"fabs", single ? "fabsf" : "fabs"},
               {"least", x->redundant ? "1e-3" : "1e-7"}}; /* of the lengths of rows: less counts as zero (pf_kkt.h) */
  const size_t length = strcspn(placeholder, " ");
  const char *words = placeholder + length + (placeholder[length] != 0), *bar = strchr(placeholder, '|');
  char name[LONGEST_PLACEHOLDER];
  int number;
  memcpy(name, placeholder, length);
  name[length] = 0;
  for (; placeholders->name; placeholders++) {
    if (strcmp(placeholders->name, name) != 0) continue;
    if (placeholders->make) return placeholders->make(w, words);
    placeholders->put(w, words);
    return PF_OK;
  }
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++)
    if (!strcmp(texts[i].name, placeholder)) {
      pf_text_add(w->text, texts[i].text);
      return PF_OK;
    }
  if (bar && single) pf_text_print(w->text, "%sf", bar + 1);
  else if (bar) pf_text_put(w->text, placeholder, (size_t)(bar - placeholder));
  else if (!strcmp(placeholder, "title")) pf_put_comment(w->text, x->title);
  else if (!strcmp(name, "has") && pf_template_number(w, words, &number)) pf_text_print(w->text, "%d", number != 0);
  else if ((!words[0] || !strcmp(words, "or 1")) && pf_template_number(w, name, &number))
    pf_text_print(w->text, "%d", words[0] && !number ? 1 : number);
  else return pf_fail(x->ctx, PF_ERR_ARGUMENT, "the placeholder '%s' of a template is not known", placeholder);
  return PF_OK;
}

/* Copies the placeholder that begins at `at` with "<<"; returns its end, after ">>". */
static const char *read_placeholder(const char *at, char *placeholder)
{
  const char *end = strstr(at, ">>");
  const size_t length = end ? (size_t)(end - at) - 2 : 0;
  placeholder[0] = 0;
  if (!end || length >= LONGEST_PLACEHOLDER) return at + strlen(at);
  memcpy(placeholder, at + 2, length);
  placeholder[length] = 0;
  return end + 2;
}

/* Text around placeholders is copied. */
static PfStatus put_line(const PfWriter *w, const PfPlaceholder *placeholders, const char *line)
{
  char placeholder[LONGEST_PLACEHOLDER];
  for (const char *at = line; *at;) {
    const char *begin = strstr(at, "<<");
    put_plain(w->x, line, at, begin ? begin : at + strlen(at), w->text);
    if (!begin) return PF_OK;
    at = read_placeholder(begin, placeholder);
    PF_TRY(put_placeholder(w, placeholders, placeholder));
    if (begin == line && !strcmp(at, "\n")) return PF_OK; /* alone on its line: it has written whole lines */
  }
  return PF_OK;
}

/* Conditions are counted: `depth` are open, and lines are left out since the one at depth `off`; 0: none. Lines are
 * written in the order of the template; a template may be used several times. */
PfStatus pf_template_put(const PfWriter *w, const char *name, const PfPlaceholder *placeholders)
{
  const PfShippedText *template = pf_template_texts;
  int depth = 0, off = 0;
  while (template->name && strcmp(template->name, name) != 0) template ++;
  if (!template->name) return pf_fail(w->x->ctx, PF_ERR_ARGUMENT, "there is no template '%s'", name);
  for (const char *const *line = template->lines; *line; line++) {
    char placeholder[LONGEST_PLACEHOLDER] = "";
    if (!strncmp(*line, "<<", 2)) read_placeholder(*line, placeholder);
    if (!strncmp(placeholder, "if ", 3)) {
      const bool negated = !strncmp(placeholder + 3, "not ", 4);
      int number = 0;
      if (!pf_template_number(w, placeholder + (negated ? 7 : 3), &number))
        return pf_fail(w->x->ctx, PF_ERR_ARGUMENT, "the condition '%s' of '%s' is not known", placeholder, name);
      depth++;
      if (!off && negated == (number != 0)) off = depth;
    } else if (!strcmp(placeholder, "else")) {
      off = off == depth ? 0 : off ? off : depth;
    } else if (!strcmp(placeholder, "end")) {
      if (off == depth) off = 0;
      depth--;
    } else if (!off) {
      PF_TRY(put_line(w, placeholders, *line));
    }
  }
  return PF_OK;
}
