/* SPDX-License-Identifier: Apache-2.0 */
/* modelDescription.xml of FMI 2.0 and 3.0, and buildDescription.xml of FMI 3.0. */
#include "export/fmu_impl.h"
#include "lang/units.h"
#include "out/label.h"

#include <math.h>
#include <string.h>

static void put_words(PfText *text, const char *words)
{
  pf_put_xml(text, words, strlen(words));
}

static void put_attribute(PfText *text, const char *name, const char *value)
{
  pf_text_print(text, " %s=\"", name);
  put_words(text, value);
  pf_text_add(text, "\"");
}

static void put_number(PfText *text, const char *name, double value)
{
  pf_text_print(text, " %s=\"", name);
  pf_text_number(text, value);
  pf_text_add(text, "\"");
}

/* ---------------------------------------------------------------- units */

/* The unit that numbers are in, by the unit in which people read them. */
typedef struct Unit {
  const char *name;    /* NULL: none */
  const char *display; /* NULL: the same */
  double factor;       /* what is displayed over what is there */
  PfDimension dimension;
} Unit;

static Unit unit_of(const PfFmu *f, PfMeasure measure)
{
  Unit unit = {0};
  PfUnit parsed;
  char si[PF_DIMENSION_TEXT];
  if (!measure.unit || !measure.unit[0]) return unit;
  int before = pf_diagnostic_count(f->ctx);
  if (pf_unit_parse(f->ctx, (PfPlace){0}, measure.unit, &parsed) != PF_OK) {
    pf_diagnostics_cut(f->ctx, before);
    return unit;
  }
  unit.dimension = parsed.dimension;
  if (parsed.scale == 1) {
    unit.name = measure.unit;
    return unit;
  }
  pf_dimension_text(parsed.dimension, si, sizeof si);
  unit.name = pf_arena_text(f->arena, si, strlen(si));
  unit.display = measure.unit;
  unit.factor = 1/parsed.scale;
  return unit;
}

static bool is_whole(PfDimension d)
{
  for (int i = 0; i < PF_BASE_COUNT; i++)
    if (d.power[i]%PF_DIMENSION_GRAIN) return false;
  return true;
}

static void put_base(PfText *text, PfDimension d)
{
  static const char *const names[PF_BASE_COUNT] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
  if (!is_whole(d)) return; /* the standard has no roots */
  pf_text_add(text, "      <BaseUnit");
  for (int i = 0; i < PF_BASE_COUNT; i++)
    if (d.power[i]) pf_text_print(text, " %s=\"%d\"", names[i], d.power[i]/PF_DIMENSION_GRAIN);
  pf_text_add(text, "/>\n");
}

/* Other units in which it is displayed, once each. */
static void put_displays(const PfFmu *f, const Unit *units, const char *name, PfText *text)
{
  for (int i = 0; i < f->variable_count; i++) {
    const Unit *u = units + i;
    if (!u->name || !u->display || strcmp(u->name, name) != 0) continue;
    bool listed = false;
    for (int k = 0; k < i && !listed; k++)
      listed = units[k].name && units[k].display && !strcmp(units[k].name, name) &&
               !strcmp(units[k].display, u->display);
    if (listed) continue;
    pf_text_add(text, "      <DisplayUnit");
    put_attribute(text, "name", u->display);
    put_number(text, "factor", u->factor);
    pf_text_add(text, "/>\n");
  }
}

static void put_units(const PfFmu *f, const Unit *units, PfText *text)
{
  bool any = false;
  for (int i = 0; i < f->variable_count; i++) {
    bool listed = !units[i].name;
    for (int k = 0; k < i && !listed; k++) listed = units[k].name && !strcmp(units[k].name, units[i].name);
    if (listed) continue;
    if (!any) pf_text_add(text, "  <UnitDefinitions>\n");
    any = true;
    pf_text_add(text, "    <Unit");
    put_attribute(text, "name", units[i].name);
    pf_text_add(text, ">\n");
    put_base(text, units[i].dimension);
    put_displays(f, units, units[i].name, text);
    pf_text_add(text, "    </Unit>\n");
  }
  if (any) pf_text_add(text, "  </UnitDefinitions>\n");
}

/* ---------------------------------------------------------------- variables */

static bool has_start(const PfFmuVariable *v)
{
  return v->causality == PF_FMU_PARAMETER || v->causality == PF_FMU_INPUT || v->is_state;
}

/* A start on constraints is moved onto them when something else was set. */
static const char *initial_of(const PfFmu *f, const PfFmuVariable *v)
{
  if (v->causality == PF_FMU_INDEPENDENT || v->causality == PF_FMU_INPUT) return NULL;
  if (v->is_state) return f->x->m ? "approx" : "exact";
  return v->causality == PF_FMU_PARAMETER ? "exact" : "calculated";
}

static void put_kind(const PfFmu *f, const PfFmuVariable *v, int reference, PfText *text)
{
  static const char *const causality[] = {"independent", "parameter", "calculatedParameter", "input", "output",
                                          "local"};
  bool fixed = v->causality == PF_FMU_PARAMETER || v->causality == PF_FMU_CALCULATED;
  put_attribute(text, "name", v->name);
  pf_text_print(text, " valueReference=\"%d\" causality=\"%s\" variability=\"%s\"", reference, causality[v->causality],
                fixed ? "tunable" : "continuous");
  if (initial_of(f, v)) put_attribute(text, "initial", initial_of(f, v));
  put_attribute(text, "description", v->about);
}

static void put_values(const PfFmuVariable *v, const Unit *unit, int first, PfText *text)
{
  if (unit->name) put_attribute(text, "unit", unit->name);
  if (unit->display) put_attribute(text, "displayUnit", unit->display);
  if (v->derivative_of >= 0) pf_text_print(text, " derivative=\"%d\"", v->derivative_of + first);
  if (has_start(v)) put_number(text, "start", v->start);
}

/* FMI 2.0 has event indicators without variables. */
static void put_variables(const PfFmu *f, const Unit *units, PfText *text)
{
  bool second = f->options->version == 2;
  pf_text_add(text, "  <ModelVariables>\n");
  for (int i = 0; i < (second ? f->at_indicator : f->variable_count); i++) {
    const PfFmuVariable *v = f->variables + i;
    pf_text_add(text, second ? "    <ScalarVariable" : "    <Float64");
    put_kind(f, v, i, text);
    if (second) pf_text_add(text, "><Real");
    put_values(v, units + i, second ? 1 : 0, text);
    pf_text_add(text, second ? "/></ScalarVariable>\n" : "/>\n");
  }
  pf_text_add(text, "  </ModelVariables>\n");
}

/* ---------------------------------------------------------------- structure */

static void put_reference(const PfFmu *f, int reference, const char *element, PfText *text)
{
  if (f->options->version == 2) pf_text_print(text, "      <Unknown index=\"%d\"", reference + 1);
  else pf_text_print(text, "    <%s valueReference=\"%d\"", element, reference);
}

/* Inputs and states that an output depends on, when accelerations and forces are not among them. */
static void put_dependencies(const PfFmu *f, int reference, PfText *text)
{
  const PfExport *x = f->x;
  const PfFmuVariable *v = f->variables + reference;
  int first = f->options->version == 2 ? 1 : 0, count = 0;
  bool shown = reference >= f->at_shown;
  if (reference >= f->at_a && !shown) return;
  if (shown && pf_expr_depends(f->ctx, v->value, x->symbols + x->at_a, x->n + x->m)) return;
  pf_text_add(text, " dependencies=\"");
  for (int i = 0; i < f->input_count + 2*x->n; i++) {
    int known = i < f->input_count ? f->at_input + i : f->at_q + i - f->input_count;
    PfExpr symbol = i < f->input_count ? x->symbols[x->at_inputs + i] : x->symbols[x->at_q + i - f->input_count];
    if (shown ? pf_expr_depends(f->ctx, v->value, &symbol, 1) : known == reference)
      pf_text_print(text, "%s%d", count++ ? " " : "", known + first);
  }
  pf_text_add(text, "\"");
}

static bool is_initial_unknown(const PfFmu *f, int reference)
{
  const PfFmuVariable *v = f->variables + reference;
  const char *initial = initial_of(f, v);
  bool listed = v->causality == PF_FMU_OUTPUT || v->causality == PF_FMU_CALCULATED || v->is_state ||
                v->derivative_of >= 0;
  return listed && initial && strcmp(initial, "exact") != 0;
}

static void begin_list(const PfFmu *f, const char *name, PfText *text)
{
  if (f->options->version == 2) pf_text_print(text, "    <%s>\n", name);
}

static void end_list(const PfFmu *f, const char *name, PfText *text)
{
  if (f->options->version == 2) pf_text_print(text, "    </%s>\n", name);
}

static void put_structure(const PfFmu *f, PfText *text)
{
  pf_text_add(text, "  <ModelStructure>\n");
  begin_list(f, "Outputs", text);
  for (int i = 0; i < f->at_indicator; i++) {
    if (f->variables[i].causality != PF_FMU_OUTPUT) continue;
    put_reference(f, i, "Output", text);
    put_dependencies(f, i, text);
    pf_text_add(text, "/>\n");
  }
  end_list(f, "Outputs", text);
  begin_list(f, "Derivatives", text);
  for (int i = 0; i < 2*f->x->n; i++) {
    put_reference(f, f->at_v + i, "ContinuousStateDerivative", text);
    if (i < f->x->n) put_dependencies(f, f->at_v + i, text);
    pf_text_add(text, "/>\n");
  }
  end_list(f, "Derivatives", text);
  begin_list(f, "InitialUnknowns", text);
  for (int i = 0; i < f->at_indicator; i++) {
    if (!is_initial_unknown(f, i)) continue;
    put_reference(f, i, "InitialUnknown", text);
    pf_text_add(text, "/>\n");
  }
  end_list(f, "InitialUnknowns", text);
  for (int i = f->at_indicator; i < f->variable_count && f->options->version == 3; i++)
    pf_text_print(text, "    <EventIndicator valueReference=\"%d\"/>\n", i);
  pf_text_add(text, "  </ModelStructure>\n");
}

/* ---------------------------------------------------------------- the file */

static bool is_source(const char *name)
{
  size_t length = strlen(name);
  return length > 2 && !strcmp(name + length - 2, ".c");
}

static void put_source_files(const PfFmu *f, PfText *text)
{
  pf_text_add(text, ">\n    <SourceFiles>\n");
  for (int i = 0; i < f->files.count; i++)
    if (is_source(f->files.at[i].name)) pf_text_print(text, "      <File name=\"%s\"/>\n", f->files.at[i].name);
  pf_text_add(text, "    </SourceFiles>\n");
}

static void put_interfaces(const PfFmu *f, PfText *text)
{
  bool second = f->options->version == 2, steps = f->x->m || f->surface_count; /* are ends of steps looked at? */
  for (int k = 0; k < 2; k++) {
    const char *name = k ? "CoSimulation" : "ModelExchange";
    pf_text_print(text, "  <%s modelIdentifier=\"%s\"", name, f->x->prefix);
    if (second) pf_text_add(text, " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
                                  "providesDirectionalDerivative=\"true\"");
    else pf_text_add(text, " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
                           "providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"");
    if (k) pf_text_add(text, " canHandleVariableCommunicationStepSize=\"true\"");
    else if (second) pf_text_print(text, " completedIntegratorStepNotNeeded=\"%s\"", steps ? "false" : "true");
    else pf_text_print(text, " needsCompletedIntegratorStep=\"%s\"", steps ? "true" : "false");
    if (second) put_source_files(f, text), pf_text_print(text, "  </%s>\n", name);
    else pf_text_add(text, "/>\n");
  }
}

static void put_head(const PfFmu *f, PfText *text)
{
  bool second = f->options->version == 2;
  pf_text_print(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"",
                second ? "2.0" : "3.0");
  put_attribute(text, "modelName", f->x->model->name[0] ? f->x->model->name : f->x->prefix);
  put_attribute(text, second ? "guid" : "instantiationToken", f->guid);
  put_attribute(text, "description", f->x->title);
  pf_text_print(text, " generationTool=\"pfaff %s\" variableNamingConvention=\"flat\"", pf_version());
  if (second) pf_text_print(text, " numberOfEventIndicators=\"%d\"", f->indicator_count);
  pf_text_add(text, ">\n");
}

PfStatus pf_fmu_description(const PfFmu *f, PfText *text)
{
  Unit *units = pf_arena_array(f->arena, Unit, f->variable_count);
  double start = f->x->start[f->x->at_time];
  if (!units) return pf_no_room(f->ctx, "the FMU");
  for (int i = 0; i < f->variable_count; i++) units[i] = unit_of(f, f->variables[i].measure);
  put_head(f, text);
  put_interfaces(f, text);
  put_units(f, units, text);
  pf_text_add(text, "  <LogCategories>\n    <Category name=\"logStatusError\" description=\"what failed\"/>\n"
                    "    <Category name=\"logStatusDiscard\" description=\"states without accelerations\"/>\n"
                    "  </LogCategories>\n  <DefaultExperiment");
  put_number(text, "startTime", start);
  if (isfinite(f->options->stop) && f->options->stop > start) put_number(text, "stopTime", f->options->stop);
  put_number(text, "tolerance", 1e-9);
  pf_text_add(text, "/>\n");
  put_variables(f, units, text);
  put_structure(f, text);
  pf_text_add(text, "</fmiModelDescription>\n");
  return text->failed ? pf_no_room(f->ctx, "the FMU") : PF_OK;
}

void pf_fmu_build_description(const PfFmu *f, PfText *text)
{
  pf_text_print(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
                      "  <BuildConfiguration modelIdentifier=\"%s\">\n"
                      "    <SourceFileSet language=\"C99\">\n", f->x->prefix);
  for (int i = 0; i < f->files.count; i++)
    if (is_source(f->files.at[i].name)) pf_text_print(text, "      <SourceFile name=\"%s\"/>\n", f->files.at[i].name);
  pf_text_add(text, "    </SourceFileSet>\n    <Library name=\"m\" external=\"true\"/>\n"
                    "  </BuildConfiguration>\n</fmiBuildDescription>\n");
}
