/* SPDX-License-Identifier: Apache-2.0 */
/* modelDescription.xml of FMI 2.0 and 3.0, and buildDescription.xml of FMI 3.0.
 *
 * Both versions have the same variables with the same value references; they differ in element names, in counting from
 * 1 or by reference, and in where units and dependencies stand. Strings of the model are escaped, numbers are written
 * with all their digits. */
#include "export/fmu_impl.h"
#include "lang/units.h"
#include "out/label.h"

#include <math.h>
#include <string.h>

static void put_attribute(PfText *text, const char *name, const char *value)
{
  pf_text_print(text, " %s=\"", name);
  pf_put_xml(text, value, strlen(value));
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

/* The unit of a measure: SI units have no display unit; others get the SI unit of the same dimension and a factor. A
 * unit that cannot be parsed is left out. */
static Unit unit_of(const PfFmu *f, PfMeasure measure)
{
  Unit unit = {0};
  PfUnit parsed;
  char si[PF_DIMENSION_TEXT];
  if (!measure.unit || !measure.unit[0]) return unit;
  int before = pf_diagnostic_count(f->ctx);
  if (pf_unit_parse(f->ctx, (PfPlace){0}, measure.unit, &parsed) != PF_OK) {
    pf_diagnostics_truncate(f->ctx, before);
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

/* Has a variable before this one the same unit, and the same display unit if that is given? */
static bool is_listed(const Unit *units, int i, bool displayed)
{
  for (int k = 0; k < i; k++)
    if (units[k].name && !strcmp(units[k].name, units[i].name) &&
        (!displayed || (units[k].display && !strcmp(units[k].display, units[i].display)))) return true;
  return false;
}

/* A unit by base units, unless it has roots, which the standard has not; then the units in which it is displayed. */
static void put_unit(const PfFmu *f, const Unit *units, const Unit *unit, PfText *text)
{
  static const char *const names[PF_BASE_COUNT] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
  const PfDimension d = unit->dimension;
  bool whole = true;
  for (int i = 0; i < PF_BASE_COUNT; i++) whole = whole && d.power[i]%PF_DIMENSION_GRAIN == 0;
  pf_text_add(text, "    <Unit");
  put_attribute(text, "name", unit->name);
  pf_text_add(text, whole ? ">\n      <BaseUnit" : ">\n");
  for (int i = 0; whole && i < PF_BASE_COUNT; i++)
    if (d.power[i]) pf_text_print(text, " %s=\"%d\"", names[i], d.power[i]/PF_DIMENSION_GRAIN);
  pf_text_add(text, whole ? "/>\n" : "");
  for (int i = 0; i < f->variable_count; i++) {
    const Unit *u = units + i;
    if (!u->name || !u->display || strcmp(u->name, unit->name) != 0 || is_listed(units, i, true)) continue;
    pf_text_add(text, "      <DisplayUnit");
    put_attribute(text, "name", u->display);
    put_number(text, "factor", u->factor);
    pf_text_add(text, "/>\n");
  }
  pf_text_add(text, "    </Unit>\n");
}

/* ---------------------------------------------------------------- variables */

/* The `initial` of FMI; NULL: none. A start on constraints is moved onto them when something else was set. */
static const char *initial_of(const PfFmu *f, const PfFmuVariable *v)
{
  if (v->causality == PF_FMU_INDEPENDENT || v->causality == PF_FMU_INPUT) return NULL;
  if (v->is_state) return f->x->m ? "approx" : "exact";
  return v->causality == PF_FMU_PARAMETER ? "exact" : "calculated";
}

/* Attributes of the variable with this value reference; FMI 2.0 has those of numbers in an element of their own, and
 * counts variables from 1 in `derivative`. */
static void put_variable(const PfFmu *f, int reference, const Unit *unit, PfText *text)
{
  static const char *const causality[] = {"independent", "parameter", "calculatedParameter", "input", "output",
                                          "local"};
  const PfFmuVariable *v = f->variables + reference;
  const bool second = f->options->version == 2;
  const bool fixed = v->causality == PF_FMU_PARAMETER || v->causality == PF_FMU_CALCULATED;
  pf_text_add(text, second ? "    <ScalarVariable" : "    <Float64");
  put_attribute(text, "name", v->name);
  pf_text_print(text, " valueReference=\"%d\" causality=\"%s\" variability=\"%s\"", reference, causality[v->causality],
                fixed ? "tunable" : "continuous");
  if (initial_of(f, v)) put_attribute(text, "initial", initial_of(f, v));
  put_attribute(text, "description", v->about);
  if (second) pf_text_add(text, "><Real");
  if (unit->name) put_attribute(text, "unit", unit->name);
  if (unit->display) put_attribute(text, "displayUnit", unit->display);
  if (v->derivative_of >= 0) pf_text_print(text, " derivative=\"%d\"", v->derivative_of + (second ? 1 : 0));
  if (v->causality == PF_FMU_PARAMETER || v->causality == PF_FMU_INPUT || v->is_state)
    put_number(text, "start", v->start);
  pf_text_add(text, second ? "/></ScalarVariable>\n" : "/>\n");
}

/* ---------------------------------------------------------------- structure */

/* FMI 2.0 counts variables from 1, FMI 3.0 uses value references. */
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

/* In FMI 2.0 unknowns are in lists. */
static void put_list_tag(const PfFmu *f, const char *tag, PfText *text)
{
  if (f->options->version == 2) pf_text_print(text, "    <%s>\n", tag);
}

/* Outputs, derivatives of states and initial unknowns with their dependencies; event indicators in FMI 3.0. */
static void put_structure(const PfFmu *f, PfText *text)
{
  pf_text_add(text, "  <ModelStructure>\n");
  put_list_tag(f, "Outputs", text);
  for (int i = 0; i < f->at_indicator; i++) {
    if (f->variables[i].causality != PF_FMU_OUTPUT) continue;
    put_reference(f, i, "Output", text);
    put_dependencies(f, i, text);
    pf_text_add(text, "/>\n");
  }
  put_list_tag(f, "/Outputs", text);
  put_list_tag(f, "Derivatives", text);
  for (int i = 0; i < 2*f->x->n; i++) {
    put_reference(f, f->at_v + i, "ContinuousStateDerivative", text);
    if (i < f->x->n) put_dependencies(f, f->at_v + i, text);
    pf_text_add(text, "/>\n");
  }
  put_list_tag(f, "/Derivatives", text);
  put_list_tag(f, "InitialUnknowns", text);
  for (int i = 0; i < f->at_indicator; i++) {
    if (!is_initial_unknown(f, i)) continue;
    put_reference(f, i, "InitialUnknown", text);
    pf_text_add(text, "/>\n");
  }
  put_list_tag(f, "/InitialUnknowns", text);
  for (int i = f->at_indicator; i < f->variable_count && f->options->version == 3; i++)
    pf_text_print(text, "    <EventIndicator valueReference=\"%d\"/>\n", i);
  pf_text_add(text, "  </ModelStructure>\n");
}

/* ---------------------------------------------------------------- the file */

/* An element for each file that is compiled; those of the runtime are included. */
static void put_sources(const PfFmu *f, const char *element, PfText *text)
{
  for (int i = 0; i < f->files.count; i++) {
    const char *name = f->files.at[i].name;
    const size_t length = strlen(name);
    if (length > 2 && !strcmp(name + length - 2, ".c") && strncmp(name, "pf_", 3) != 0)
      pf_text_print(text, "      <%s name=\"%s\"/>\n", element, name);
  }
}

/* Model Exchange and Co-Simulation; FMI 2.0 lists the sources in each. */
static void put_interfaces(const PfFmu *f, PfText *text)
{
  const bool second = f->options->version == 2, steps = f->x->m || f->surface_count; /* do ends of steps matter? */
  for (int k = 0; k < 2; k++) {
    const char *name = k ? "CoSimulation" : "ModelExchange";
    pf_text_print(text, "  <%s modelIdentifier=\"%s\"", name, f->x->prefix);
    pf_text_add(text, second ? " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
                               "providesDirectionalDerivative=\"true\""
                             : " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
                               "providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"");
    if (k) pf_text_add(text, " canHandleVariableCommunicationStepSize=\"true\"");
    else if (second) pf_text_print(text, " completedIntegratorStepNotNeeded=\"%s\"", steps ? "false" : "true");
    else pf_text_print(text, " needsCompletedIntegratorStep=\"%s\"", steps ? "true" : "false");
    if (!second) {
      pf_text_add(text, "/>\n");
      continue;
    }
    pf_text_add(text, ">\n    <SourceFiles>\n");
    put_sources(f, "File", text);
    pf_text_print(text, "    </SourceFiles>\n  </%s>\n", name);
  }
}

/* modelDescription.xml. Fails without memory only. */
PfStatus pf_fmu_description(const PfFmu *f, PfText *text)
{
  Unit *units = pf_arena_array(f->arena, Unit, f->variable_count);
  double start = f->x->start[f->x->at_time];
  if (!units) return pf_no_room(f->ctx, "the FMU");
  for (int i = 0; i < f->variable_count; i++) units[i] = unit_of(f, f->variables[i].measure);
  /* The root element with version, name, token and title. */
  const bool second = f->options->version == 2;
  pf_text_print(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"",
                second ? "2.0" : "3.0");
  put_attribute(text, "modelName", f->x->model->name[0] ? f->x->model->name : f->x->prefix);
  put_attribute(text, second ? "guid" : "instantiationToken", f->guid);
  put_attribute(text, "description", f->x->title);
  pf_text_print(text, " generationTool=\"pfaff %s\" variableNamingConvention=\"flat\"", pf_version());
  if (second) pf_text_print(text, " numberOfEventIndicators=\"%d\"", f->indicator_count);
  pf_text_add(text, ">\n");
  put_interfaces(f, text);
  /* Each unit once, in the order of the variables that have it. */
  bool any = false;
  for (int i = 0; i < f->variable_count; i++) {
    if (!units[i].name || is_listed(units, i, false)) continue;
    if (!any) pf_text_add(text, "  <UnitDefinitions>\n");
    any = true;
    put_unit(f, units, units + i, text);
  }
  if (any) pf_text_add(text, "  </UnitDefinitions>\n");
  pf_text_add(text, "  <LogCategories>\n    <Category name=\"logStatusError\" description=\"what failed\"/>\n"
                    "    <Category name=\"logStatusDiscard\" description=\"states without accelerations\"/>\n"
                    "  </LogCategories>\n  <DefaultExperiment");
  put_number(text, "startTime", start);
  if (isfinite(f->options->stop) && f->options->stop > start) put_number(text, "stopTime", f->options->stop);
  put_number(text, "tolerance", 1e-9);
  pf_text_add(text, "/>\n");
  /* FMI 2.0 has event indicators without variables. */
  const int count = f->options->version == 2 ? f->at_indicator : f->variable_count;
  pf_text_add(text, "  <ModelVariables>\n");
  for (int i = 0; i < count; i++) put_variable(f, i, units + i, text);
  pf_text_add(text, "  </ModelVariables>\n");
  put_structure(f, text);
  pf_text_add(text, "</fmiModelDescription>\n");
  return text->failed ? pf_no_room(f->ctx, "the FMU") : PF_OK;
}

/* buildDescription.xml of FMI 3.0: the sources and the mathematics library. */
PfStatus pf_fmu_build_description(const PfFmu *f, PfText *text)
{
  pf_text_print(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
                      "  <BuildConfiguration modelIdentifier=\"%s\">\n"
                      "    <SourceFileSet language=\"C99\">\n", f->x->prefix);
  put_sources(f, "SourceFile", text);
  pf_text_add(text, "    </SourceFileSet>\n    <Library name=\"m\" external=\"true\"/>\n"
                    "  </BuildConfiguration>\n</fmiBuildDescription>\n");
  return PF_OK;
}
