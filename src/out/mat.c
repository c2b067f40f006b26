/* SPDX-License-Identifier: Apache-2.0 */
/* MAT files of level 4: the simplest form that MATLAB, Octave and SciPy all read. Each matrix is a head of five 32-bit
 * numbers (type, rows, columns, imaginary part, length of the name), the name, and the numbers by columns; everything
 * little-endian (MathWorks, MAT-File Format, "Level 4 MAT-File Format"). */
#include "out/out.h"

#include <string.h>

static void put_double(PfText *text, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  pf_put_little_endian(text, bits, 8);
}

/* The head of a matrix; type 0: of numbers, 1: of characters. */
static void put_head(PfText *text, uint32_t type, const char *name, int rows, int columns)
{
  const size_t length = strlen(name) + 1;
  const uint64_t head[] = {type, (uint64_t)rows, (uint64_t)columns, 0, length};
  for (size_t i = 0; i < sizeof head/sizeof *head; i++) pf_put_little_endian(text, head[i], 4);
  pf_text_put(text, name, length);
}

void pf_mat_matrix(PfText *text, const char *name, const double *values, int rows, int columns)
{
  put_head(text, 0, name, rows, columns);
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) put_double(text, values[(size_t)i*(size_t)columns + (size_t)j]);
}

/* Texts as the rows of a matrix of characters, filled up with blanks. */
void pf_mat_texts(PfText *text, const char *name, const char *const *lines, int count)
{
  size_t width = 0;
  for (int i = 0; i < count; i++) width = strlen(lines[i]) > width ? strlen(lines[i]) : width;
  put_head(text, 1, name, count, (int)width);
  for (size_t j = 0; j < width; j++)
    for (int i = 0; i < count; i++) put_double(text, j < strlen(lines[i]) ? (unsigned char)lines[i][j] : ' ');
}

void pf_mat_open(PfText *text, const char *name, int rows)
{
  put_head(text, 0, name, rows, 0);
}

void pf_mat_column(PfText *text, const double *values, int rows)
{
  for (int i = 0; i < rows; i++) put_double(text, values[i]);
}

void pf_mat_count(PfText *text, uint32_t columns)
{
  pf_put_little_endian(text, columns, 4);
}
