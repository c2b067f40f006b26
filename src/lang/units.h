/* SPDX-License-Identifier: Apache-2.0 */
/* Units as written between square brackets: their dimension and their exact factor to SI. */
#ifndef PF_LANG_UNITS_H
#define PF_LANG_UNITS_H

#include "base/base.h"

typedef enum PfUnitBase {
  PF_BASE_KG,
  PF_BASE_M,
  PF_BASE_S,
  PF_BASE_A,
  PF_BASE_K,
  PF_BASE_MOL,
  PF_BASE_CD,
  PF_BASE_RAD, /* a label: an angle is a plain number, but prints better with its name */
  PF_BASE_COUNT
} PfUnitBase;

/* Exponents in twelfths, so that roots of second, third, fourth and sixth order are exact. */
enum { PF_DIMENSION_GRAIN = 12 };

typedef struct PfDimension {
  int16_t power[PF_BASE_COUNT];
} PfDimension;

/* 1 of the unit = scale of the SI unit of the same dimension, where scale = scale_num/scale_den * pi^pi_power
 * exactly when `exact` is set (a product of unusual units can leave the range of the integers). */
typedef struct PfUnit {
  PfDimension dimension;
  int64_t scale_num, scale_den;
  int pi_power; /* 1 in deg = pi/180 rad */
  double scale;
  bool exact;
} PfUnit;

/* Reads a unit such as "kg m^2", "N m/rad", "1/s", "kg/(m s^2)", "%", "-" or "1". Fails with PF_ERR_UNIT. */
PfStatus pf_unit_parse(PfContext *ctx, PfPlace place, const char *text, PfUnit *unit);

/* Products and quotients; exponents beyond +-2730 stay there. */
PfDimension pf_dimension_multiply(PfDimension a, PfDimension b);
PfDimension pf_dimension_divide(PfDimension a, PfDimension b);

/* a^(num/den); false when an exponent of the result is no multiple of 1/12 or too large. */
bool pf_dimension_power(PfDimension a, int64_t num, int64_t den, PfDimension *result);

/* Both ignore the label rad: 1 and rad are the same. */
bool pf_dimension_equal(PfDimension a, PfDimension b);
bool pf_dimension_is_none(PfDimension a);

/* In base units, such as "kg m^2/s^2", "rad/s" or "1"; returns the buffer. The label rad is shown only in
 * angles, angular velocities and the like, since kg m^2 rad^2/s^2 is better read as an energy. */
enum { PF_DIMENSION_TEXT = 160 };
const char *pf_dimension_text(PfDimension dimension, char *buffer, size_t size);

#endif
