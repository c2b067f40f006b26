/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes and numbers as base64 (RFC 4648): exact, compact, and read by browsers without parsing. */
#include "report/json.h"

#include <string.h>

typedef struct Encoder {
  PfText *text;
  uint32_t held; /* bits of bytes that make no group yet */
  int count;     /* of these bytes */
} Encoder;

/* Three bytes are four letters. */
static void put_group(Encoder *e, int used)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char group[4];
  for (int i = 0; i < 4; i++) group[i] = i < used ? letters[e->held >> (18 - 6*i) & 63] : '=';
  pf_text_put(e->text, group, sizeof group);
  e->held = 0, e->count = 0;
}

static void put_byte(Encoder *e, unsigned char byte)
{
  e->held |= (uint32_t)byte << (16 - 8*e->count);
  if (++e->count == 3) put_group(e, 4);
}

void pf_put_base64(PfText *text, const char *bytes, size_t count)
{
  Encoder e = {.text = text};
  for (size_t i = 0; i < count; i++) put_byte(&e, (unsigned char)bytes[i]);
  if (e.count) put_group(&e, e.count + 1);
}

void pf_put_base64_numbers(PfText *text, const double *values, size_t count, int bytes)
{
  Encoder e = {.text = text};
  for (size_t i = 0; i < count; i++) {
    float brief = (float)values[i];
    uint32_t half;
    uint64_t bits;
    memcpy(&bits, values + i, sizeof bits);
    memcpy(&half, &brief, sizeof half);
    if (bytes == 4) bits = half;
    for (int k = 0; k < bytes; k++) put_byte(&e, (unsigned char)(bits >> 8*k & 255));
  }
  if (e.count) put_group(&e, e.count + 1);
}
