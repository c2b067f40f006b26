/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in JSON as base64 of their bytes (RFC 4648): exact, compact, and read by browsers without parsing. */
#include "out/map.h"

#include <string.h>

typedef struct Encoder {
  PfText *text;
  uint32_t held; /* bits of bytes that make no group yet */
  int count;     /* of these bytes */
} Encoder;

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Three bytes are four letters. */
static void put_group(Encoder *e, int used)
{
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

static void put_number(Encoder *e, uint64_t bits, int bytes)
{
  for (int i = 0; i < bytes; i++) put_byte(e, (unsigned char)(bits >> 8*i & 255));
}

static void open_string(PfJson *json, const char *key, Encoder *e)
{
  pf_json_item(json, key);
  pf_text_put(&json->text, "\"", 1);
  *e = (Encoder){.text = &json->text};
}

static void close_string(PfJson *json, Encoder *e)
{
  if (e->count) put_group(e, e->count + 1);
  pf_text_put(&json->text, "\"", 1);
}

void pf_json_doubles(PfJson *json, const char *key, const double *values, size_t count)
{
  Encoder e;
  open_string(json, key, &e);
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, values + i, sizeof bits);
    put_number(&e, bits, 8);
  }
  close_string(json, &e);
}

void pf_json_floats(PfJson *json, const char *key, const double *values, size_t count)
{
  Encoder e;
  open_string(json, key, &e);
  for (size_t i = 0; i < count; i++) {
    float value = (float)values[i];
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(&e, bits, 4);
  }
  close_string(json, &e);
}

void pf_put_base64(PfText *text, const char *bytes, size_t count)
{
  Encoder e = {.text = text};
  for (size_t i = 0; i < count; i++) put_byte(&e, (unsigned char)bytes[i]);
  if (e.count) put_group(&e, e.count + 1);
}
