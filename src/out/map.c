/* SPDX-License-Identifier: Apache-2.0 */
/* Colour maps: values on a grid as pixels of a PNG picture inside the SVG. */
#include "out/map.h"
#include "out/zip.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- colours */

/* Viridis of Smith and van der Walt (2015, CC0) at nine places; straight lines between them are off by less than the
 * eye sees. */
void pf_map_color(double part, unsigned char color[3])
{
  static const unsigned char places[9][3] = {{68, 1, 84}, {71, 44, 122}, {59, 81, 139}, {44, 113, 142}, {33, 144, 141},
                                             {39, 173, 129}, {92, 200, 99}, {170, 220, 50}, {253, 231, 37}};
  if (isnan(part)) {
    memset(color, PF_MAP_MISSING, 3);
    return;
  }
  const double x = 8*fmin(fmax(part, 0), 1);
  const int k = x < 8 ? (int)x : 7;
  for (int i = 0; i < 3; i++)
    color[i] = (unsigned char)lround(places[k][i] + (x - k)*(places[k + 1][i] - places[k][i]));
}

double pf_map_part(const PfMapCells *map, double value)
{
  const double span = map->high - map->low;
  return span > 0 || isnan(value) ? (value - map->low)/span : 0.5;
}

/* ---------------------------------------------------------------- PNG */

/* The highest byte first. */
static void put_word(PfText *text, uint32_t word)
{
  for (int shift = 24; shift >= 0; shift -= 8) {
    const char byte = (char)(word >> shift & 255);
    pf_text_put(text, &byte, 1);
  }
}

/* A chunk of PNG: length, kind, bytes, and a sum over the last two. */
static void put_chunk(PfText *png, const char *kind, const PfText *bytes)
{
  const size_t start = png->count + 4;
  put_word(png, (uint32_t)bytes->count);
  pf_text_put(png, kind, 4);
  if (bytes->count) pf_text_put(png, bytes->at, bytes->count);
  if (!png->failed) put_word(png, pf_crc32((const unsigned char *)png->at + start, png->count - start));
}

/* How many pixels a cell is wide or high, so that all are about a thousand: a viewer that smooths a picture when it
 * makes it larger leaves the cells sharp. */
static int pixels_of(int cells)
{
  enum { WANTED = 1000 };
  return cells >= WANTED ? 1 : (WANTED + cells - 1)/cells;
}

/* RGB with 8 bits each; the pixels are a stream of zlib (RFC 1950), which ends with the sum of Adler. */
void pf_map_png(const PfMapCells *map, PfContext *ctx, PfText *png)
{
  PfText part, pixels;
  uint32_t a = 1, b = 0;
  pf_text_init(&part, png->allocator);
  pf_text_init(&pixels, png->allocator);
  pf_text_put(png, "\x89PNG\r\n\x1a\n", 8);
  put_word(&part, (uint32_t)(map->columns*pixels_of(map->columns)));
  put_word(&part, (uint32_t)(map->rows*pixels_of(map->rows)));
  pf_text_put(&part, "\x08\x02\0\0\0", 5);
  put_chunk(png, "IHDR", &part);
  part.count = 0;
  /* Rows from the top, each after a 0: no filter. */
  const int wide = pixels_of(map->columns), high = pixels_of(map->rows);
  for (int line = map->rows*high - 1; line >= 0; line--) {
    const size_t row = (size_t)(line/high)*(size_t)map->columns;
    pf_text_put(&pixels, "", 1);
    for (int c = 0; c < map->columns*wide; c++) {
      unsigned char color[3];
      const size_t cell = row + (size_t)(c/wide);
      pf_map_color(pf_map_part(map, map->values[cell]), color);
      if (isnan(map->values[cell]) && map->failed && map->failed[cell]) memset(color, PF_MAP_FAILED, 3);
      pf_text_put(&pixels, (const char *)color, 3);
    }
  }
  pf_text_put(&part, "\x78\x9c", 2);
  if (pixels.failed) part.failed = true;
  else {
    pf_deflate(ctx, (const unsigned char *)pixels.at, pixels.count, &part);
    for (size_t i = 0; i < pixels.count; i++) {
      a = (a + (unsigned char)pixels.at[i])%65521;
      b = (b + a)%65521;
    }
    put_word(&part, b << 16 | a);
  }
  put_chunk(png, "IDAT", &part);
  png->failed = png->failed || part.failed;
  part.count = 0;
  put_chunk(png, "IEND", &part);
  pf_text_free(&pixels);
  pf_text_free(&part);
}
