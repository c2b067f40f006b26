/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of axes with room around the data, ticks at 1, 2 or 5 times a power of ten, and the numbers at them; linear
 * and logarithmic. */
#include "out/axis.h"

#include <math.h>
#include <string.h>

/* Beyond, differences and powers of ten would not be finite; below, they would vanish. */
static const double largest = 1e300, smallest = 1e-290;

double pf_axis_value(const PfAxis *axis, double x)
{
  if (axis->log) return fabs(x) > 0 && fabs(x) <= largest ? log10(fabs(x)) : NAN;
  return fabs(x) <= largest ? x : NAN;
}

double pf_axis_at(const PfAxis *axis, double x)
{
  double value = pf_axis_value(axis, x);
  if (isnan(value)) return NAN;
  double at = axis->first + (value - axis->low)/(axis->high - axis->low)*(axis->last - axis->first);
  return fmax(-1e5, fmin(1e5, at));
}

/* ---------------------------------------------------------------- the range */

void pf_axis_cover(PfAxis *axis, double low, double high, double noise, PfRoom room)
{
  if (axis->log) { /* whole decades, so that both ends have a number */
    if (!(low <= high)) low = -1, high = 0;
    axis->low = floor(low + 1e-9);
    axis->high = ceil(high - 1e-9);
    if (axis->high <= axis->low) axis->high = axis->low + 1;
    return;
  }
  if (!(low <= high)) low = 0, high = 1;
  double size = fmax(fabs(low), fabs(high)), spread = high - low;
  double least = fmax(fmax(noise, 1e-14*size), smallest);
  if (spread <= least) { /* flat: in the middle of a range of the size of the number, or of 1 */
    double half = size > fmax(noise, smallest) ? 0.1*size : 1;
    axis->low = (low + high)/2 - half;
    axis->high = (low + high)/2 + half;
    if (half == 1) axis->low = -1, axis->high = 1;
    return;
  }
  double margin = room == PF_ROOM_SOME ? 0.05*spread : 0;
  axis->low = low - margin;
  axis->high = high + margin;
}

/* ---------------------------------------------------------------- ticks */

/* Steps are 1, 2 or 5 times a power of ten; of a logarithmic axis, whole decades. Numbers from 0.001 to 99999 are
 * written out, others with a common power of ten, a multiple of three; a small change of a number of common size with
 * as many decimals as it needs. */
void pf_axis_choose(PfAxis *axis, double count)
{
  double span = axis->high - axis->low;
  axis->power = axis->decimals = 0;
  if (axis->log) {
    axis->step = fmax(1, ceil(span/count));
    return;
  }
  const double raw = span/fmax(count, 1), power = pow(10, floor(log10(raw))), part = raw/power;
  axis->step = power*(part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
  if (axis->whole) axis->step = fmax(1, axis->step);
  double size = fmax(fabs(axis->low), fabs(axis->high));
  if (size < 1e5 && size >= 0.1 && axis->step < 0.999e-3) {
    axis->decimals = (int)ceil(-log10(axis->step) - 1e-9);
    return;
  }
  axis->power = size < 1e5 && axis->step >= 0.999e-3 ? 0 : 3*(int)floor((log10(size) + 1e-9)/3);
  axis->decimals = (int)fmax(0, ceil(axis->power - log10(axis->step) - 1e-9));
}

int pf_axis_ticks(const PfAxis *axis, double ticks[PF_MOST_TICKS])
{
  double first = ceil(axis->low/axis->step - 1e-9);
  int count = 0;
  while (count < PF_MOST_TICKS && (first + count)*axis->step <= axis->high + 1e-9*axis->step) {
    ticks[count] = (first + count)*axis->step;
    count++;
  }
  return count;
}

/* ---------------------------------------------------------------- numbers */

/* The number with a minus sign as long as a plus, which the hyphen is not. */
static void put_signed(PfText *text, const char *number)
{
  if (*number == '-') pf_text_add(text, "−");
  pf_text_add(text, number + (*number == '-'));
}

void pf_put_power(PfText *text, int power, double size)
{
  char digits[16];
  snprintf(digits, sizeof digits, "%d", power);
  pf_text_print(text, "10<tspan dy=\"%.1f\" font-size=\"%.1f\">", -0.4*size, 0.72*size);
  put_signed(text, digits);
  pf_text_add(text, "</tspan>");
}

/* The number at a tick as text, in the power of the axis; 0 where rounding has left something else. */
static void format_number(const PfAxis *axis, double tick, char *number, size_t room)
{
  double value = tick/pow(10, axis->power);
  if (fabs(tick) < 1e-9*axis->step) value = 0;
  snprintf(number, room, "%.*f", axis->decimals < 16 ? axis->decimals : 16, value);
}

void pf_axis_number(const PfAxis *axis, double tick, double size, PfText *text)
{
  char number[64];
  if (axis->log) {
    pf_put_power(text, (int)lround(tick), size);
    return;
  }
  format_number(axis, tick, number, sizeof number);
  put_signed(text, number);
}

double pf_axis_number_width(const PfAxis *axis, double tick, double size)
{
  char number[64];
  if (axis->log) return (1.3 + 0.47*snprintf(number, sizeof number, "%.0f", tick))*size;
  format_number(axis, tick, number, sizeof number);
  double width = 0;
  for (const char *c = number; *c; c++) width += *c == '.' ? 0.33 : *c == '-' ? 0.84 : 0.64;
  return width*size;
}
