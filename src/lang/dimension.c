/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions of values: terms of a sum must agree, and printed values have a unit. Lengths and turns of frames have the
 * dimensions of their placements.
 *
 * A dimension is a list of powers of the SI base units in twelfths, and of rad, a label: rad appears in printed units,
 * never in a comparison. Models may be written without units, then all dimensions are unknown and nothing is
 * compared; a single number without unit is 'bare' and takes the unit of its place. */
#include "lang/check_impl.h"

#include <string.h>

/* Not known: fits everything. */
Dim pf_dim_unknown(void)
{
  return (Dim){0};
}

/* The dimension of a pure number, which is known: kg^0 m^0 s^0. */
Dim pf_dim_none(void)
{
  return (Dim){.known = true};
}

/* May the value take the unit of its place, as bare numbers and functions of the time alone may? */
bool pf_dim_is_loose(Dim dim)
{
  return dim.bare || dim.timed;
}

/* Known, or presumed for printing. */
static bool has_dimension(Dim dim)
{
  return dim.known || dim.presumed;
}

/* The dimension of a sum of which one term has an unknown one. It is presumed, for showing, if both are known or
 * presumed and agree. */
Dim pf_dim_unknown_of(Dim a, Dim b)
{
  Dim dim = {.timed = pf_dim_is_loose(a) && pf_dim_is_loose(b)};
  if (has_dimension(a) && has_dimension(b) && (a.bare || b.bare || pf_dimension_equal(a.of, b.of)))
    dim.presumed = true, dim.of = a.bare ? b.of : a.of;
  return dim;
}

/* Of a product or quotient whose dimension is `of` when both are known. */
static Dim combine(Dim a, Dim b, PfDimension of)
{
  if (a.known && b.known) return (Dim){.known = true, .bare = a.bare && b.bare, .of = of};
  Dim dim = {.timed = pf_dim_is_loose(a) && pf_dim_is_loose(b), .presumed = has_dimension(a) && has_dimension(b)};
  if (dim.presumed) dim.of = of;
  return dim;
}

/* That of a number that is written without a unit: 2*b.z may be a torque. */
Dim pf_dim_bare(void)
{
  return (Dim){.known = true, .bare = true};
}

/* kg^kg m^m s^s. */
Dim pf_dim_make(int kg, int m, int s)
{
  Dim dim = {.known = true};
  dim.of.power[PF_BASE_KG] = (int16_t)(kg*PF_DIMENSION_GRAIN);
  dim.of.power[PF_BASE_M] = (int16_t)(m*PF_DIMENSION_GRAIN);
  dim.of.power[PF_BASE_S] = (int16_t)(s*PF_DIMENSION_GRAIN);
  return dim;
}

/* The dimension of a product. */
Dim pf_dim_multiply(Dim a, Dim b)
{
  return combine(a, b, pf_dimension_multiply(a.of, b.of));
}

/* The dimension of a quotient. */
Dim pf_dim_divide(Dim a, Dim b)
{
  return combine(a, b, pf_dimension_divide(a.of, b.of));
}

/* The units that people say; N m for energies and torques alike. */
static const char *common_unit(Dim dim)
{
  static const struct {
    PfDimension of; /* kg, m, s, A */
    const char *text;
  } common[] = {{{{1, 1, -2}}, "N"},      {{{1, 2, -2}}, "N m"},    {{{1, 2, -3}}, "W"},        {{{1, 0, -2}}, "N/m"},
                {{{1, -1, -2}}, "Pa"},    {{{1, 0, -1}}, "N s/m"},  {{{1, 2, -1}}, "N m s"},    {{{0, 0, 1, 1}}, "C"},
                {{{1, 2, -3, -1}}, "V"},  {{{-1, -2, 4, 2}}, "F"},  {{{1, 2, -3, -2}}, "Ohm"},  {{{1, 0, -2, -1}}, "T"},
                {{{1, 2, -2, -2}}, "H"},   {{{1, 2, -2, -1}}, "V s"}};
  for (size_t i = 0; i < sizeof common/sizeof *common; i++) {
    PfDimension unit = common[i].of;
    for (int k = 0; k < PF_BASE_COUNT; k++) unit.power[k] = (int16_t)(unit.power[k]*PF_DIMENSION_GRAIN);
    if (pf_dimension_equal(dim.of, unit)) return common[i].text;
  }
  return NULL;
}

/* The dimension for a message, as a unit. */
const char *pf_dim_text(Checker *ck, Dim dim)
{
  char buffer[PF_DIMENSION_TEXT];
  if (!dim.known) return "an unknown unit";
  if (common_unit(dim)) return common_unit(dim);
  pf_dimension_text(dim.of, buffer, sizeof buffer);
  return strcmp(buffer, "1") ? pf_print_text(ck, "%s", buffer) : "a pure number";
}

/* The unit as in "[kg m/s]" without brackets; "" if the dimension is unknown or the value a pure number. Lives in the
 * arena of the model. */
const char *pf_dim_unit(Checker *ck, Dim dim)
{
  if (dim.presumed && !dim.timed) dim.known = true; /* 2*t may be anything, v0*t is a length */
  const char *text = dim.known ? pf_dim_text(ck, dim) : "a pure number";
  return strncmp(text, "a ", 2) ? text : "";
}

/* "in kg", or "a pure number" */
static const char *phrase(Checker *ck, Dim dim)
{
  const char *text = pf_dim_text(ck, dim);
  return strncmp(text, "a ", 2) ? pf_print_text(ck, "in %s", text) : text;
}

/* 1/2 [kg]*…: the unit is that of the 2. */
static const PfNode *unit_below(const PfNode *product)
{
  const PfNode *first = product->kind == PF_N_PRODUCT ? product->child : NULL, *second = first ? first->next : NULL;
  bool fraction = second && first->child->kind == PF_N_NUMBER && second->flag && second->child->kind == PF_N_UNIT;
  return fraction && second->child->child->kind == PF_N_NUMBER ? second->child : NULL;
}

/* Looks for the unit of a quotient 1/2 [kg] in the first factor of the node, or of each of its terms, and adds the hint
 * after an error about units. */
void pf_dim_hint_at_fraction(Checker *ck, const PfNode *node)
{
  const PfNode *unit = unit_below(node);
  const PfNode *term = node->kind == PF_N_SUM ? node->child : NULL;
  for (; term && !unit; term = term->next) unit = unit_below(term->child);
  if (unit)
    pf_hint(ck->ctx, "a unit belongs to the number before it: 1/2 [%.40s] is 1/(2 [%.40s]); write 0.5 [%.40s] or "
            "1 [%.40s]/2", unit->text, unit->text, unit->text, unit->text);
}

/* Compares a dimension that was found with the expected one and reports an error in which `what` names the thing ("the
 * mass"). Bare and unknown dimensions pass. True when it fits. */
bool pf_dim_expect(Checker *ck, const PfNode *node, Dim found, Dim expected, const char *what)
{
  if (!found.known || found.bare || !expected.known || pf_dimension_equal(found.of, expected.of)) return true;
  pf_check_fail(ck, PF_ERR_UNIT, node, "%s must be %s, but this is %s", what, phrase(ck, expected),
                phrase(ck, found));
  pf_dim_hint_at_fraction(ck, node);
  return false;
}

/* ---------------------------------------------------------------- of motion */

/* As in a sum: known as soon as one part is. */
static bool says_unit(Dim dim)
{
  return dim.known && !dim.bare;
}

/* Of two dimensions that have been compared: the one with a unit, or the unknown dimension of both. */
Dim pf_dim_either(Dim a, Dim b)
{
  return says_unit(a) ? a : says_unit(b) ? b : pf_dim_unknown_of(a, b);
}

/* Do lengths and angles of the placement of the frame have units? */
Placed pf_placed(const Checker *ck, int frame)
{
  return (size_t)frame < ck->placed.count ? ck->placed.at[frame] : (Placed){false, false};
}

/* Notes the units of a step of a placement. */
void pf_placed_add(Placed *placed, Dim length, Dim angle)
{
  placed->length = placed->length || says_unit(length);
  placed->angle = placed->angle || says_unit(angle);
}

/* Keeps it for the frame; false without memory. */
bool pf_placed_keep(Checker *ck, int frame, Placed placed)
{
  while (ck->placed.count <= (size_t)frame)
    if (!pf_push(ck->allocator, &ck->placed, (Placed){false, false})) return pf_check_no_memory(ck);
  ck->placed.at[frame] = placed;
  return true;
}

/* The dimension of a point's coordinates: a length when the point or the placement of its frame is given in units, else
 * unknown. */
Dim pf_dim_position(const Checker *ck, Value point)
{
  bool known = says_unit(point.dim) || pf_placed(ck, point.frame).length;
  return known ? pf_dim_make(0, 1, 0) : pf_dim_unknown();
}

/* The dimension of a time derivative: one power of s less. */
Dim pf_dim_rate(Dim dim)
{
  return pf_dim_divide(dim, pf_dim_make(0, 0, 1));
}

/* rad/s, the dimension of angular velocities. */
Dim pf_dim_turning(void)
{
  Dim dim = pf_dim_make(0, 0, -1);
  dim.of.power[PF_BASE_RAD] = PF_DIMENSION_GRAIN;
  return dim;
}

/* Of an angular velocity of the frame: known when its angles have units. */
Dim pf_dim_spin(const Checker *ck, int frame)
{
  return pf_placed(ck, frame).angle ? pf_dim_turning() : pf_dim_unknown();
}

/* kg m^2/s^2 over the dimension `of`: N for a length, N m for an angle (rad is dropped). An unknown dimension stays
 * unknown. */
Dim pf_dim_force(Dim of)
{
  if (!has_dimension(of)) return of;
  of.of.power[PF_BASE_RAD] = 0;
  return pf_dim_divide(pf_dim_make(1, 2, -2), of);
}
