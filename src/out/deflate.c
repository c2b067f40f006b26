/* SPDX-License-Identifier: Apache-2.0 */
/* Deflate, RFC 1951: matches by chains of equal hashes, then one block with Huffman codes of its own. */
#include "out/zip.h"

#include <stdlib.h>
#include <string.h>

/* Sizes in bytes; how many places a match is compared with; alphabets of the codes, and their longest codes in bits. */
enum {
  WINDOW = 32768, SHORTEST = 3, LONGEST = 258, HASHES = 1 << 15, LOOKS = 128,
  LITERALS = 286, LENGTH_SLOTS = 29, DISTANCES = 30, LENGTHS = 19, MOST_BITS = 15, MOST_LENGTH_BITS = 7, END = 256
};

/* Lengths and distances are written as a slot, the least value of which is its base, and so many further bits. */
static const uint16_t length_base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                       31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5,
                                       5, 0};
static const uint16_t distance_base[] = {1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769,
                                         1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t distance_extra[] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                         6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

/* A literal (distance 0, length the byte), or a match. */
typedef struct Symbol {
  uint16_t length, distance;
} Symbol;

typedef struct Deflate {
  PfText *out;
  uint32_t bits; /* that are not written yet */
  int bit_count;
  Symbol *symbols;
  size_t count;
} Deflate;

/* ---------------------------------------------------------------- bits */

/* Appends `count` bits, the lowest first. */
static void put_bits(Deflate *d, uint32_t value, int count)
{
  d->bits |= value << d->bit_count;
  d->bit_count += count;
  while (d->bit_count >= 8) {
    char byte = (char)(unsigned char)(d->bits & 255);
    pf_text_put(d->out, &byte, 1);
    d->bits >>= 8;
    d->bit_count -= 8;
  }
}

/* ---------------------------------------------------------------- codes */

typedef struct Code {
  int count;
  uint32_t frequency[LITERALS];
  uint8_t length[LITERALS];
  uint16_t bits[LITERALS]; /* the first bit lowest */
} Code;

/* Huffman's lengths of the codes: the two least frequent nodes of those that are left become one, until one is left.
 * Returns the greatest depth. */
static int find_lengths(Code *code, const uint32_t *frequency)
{
  uint32_t weight[2*LITERALS];
  int parent[2*LITERALS] = {0}, left[2*LITERALS] = {0}, live = 0, nodes = code->count, deepest = 0;
  memset(code->length, 0, sizeof code->length);
  for (int i = 0; i < code->count; i++) {
    weight[i] = frequency[i];
    if (frequency[i]) left[live++] = i;
  }
  while (live > 1) {
    int least[2];
    for (int k = 0; k < 2; k++) {
      int best = 0;
      for (int i = 1; i < live; i++)
        if (weight[left[i]] < weight[left[best]]) best = i;
      least[k] = left[best];
      left[best] = left[--live];
    }
    weight[nodes] = weight[least[0]] + weight[least[1]];
    parent[least[0]] = parent[least[1]] = nodes;
    left[live++] = nodes++;
  }
  for (int i = 0; i < code->count && live; i++) {
    int depth = 0;
    for (int at = i; frequency[i] && at != left[0]; at = parent[at]) depth++;
    code->length[i] = (uint8_t)depth;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}

/* A code from its frequencies: two symbols at least, so that every code has a bit, and none of more than `most_bits`.
 * Flatter frequencies make a shallower tree. */
static void make_code(Code *code, int count, int most_bits)
{
  uint32_t flat[LITERALS];
  code->count = count;
  for (int i = 0, used = 0; i < 2 && used < 2; i++) {
    used = 0;
    for (int k = 0; k < count; k++) used += code->frequency[k] != 0;
    for (int k = 0; k < count && used < 2; k++)
      if (!code->frequency[k]) code->frequency[k] = 1, used++;
  }
  memcpy(flat, code->frequency, sizeof flat);
  while (find_lengths(code, flat) > most_bits)
    for (int i = 0; i < count; i++)
      if (flat[i]) flat[i] = flat[i]/2 + 1;
  /* Codes in the order of the standard, from the lengths; their bits are written from the highest. */
  uint32_t next = 0;
  for (int length = 1; length <= MOST_BITS; length++, next <<= 1)
    for (int i = 0; i < code->count; i++) {
      if (code->length[i] != length) continue;
      uint32_t turned = 0;
      for (int k = 0; k < length; k++) turned = turned << 1 | (next >> k & 1);
      code->bits[i] = (uint16_t)turned;
      next++;
    }
}

static void put_symbol(Deflate *d, const Code *code, int symbol)
{
  put_bits(d, code->bits[symbol], code->length[symbol]);
}

/* The last slot whose base is not larger than the value. */
static int slot_of(const uint16_t *base, int count, int value)
{
  int slot = 0;
  while (slot + 1 < count && base[slot + 1] <= value) slot++;
  return slot;
}

/* ---------------------------------------------------------------- matches */

typedef struct Chains {
  int32_t first[HASHES], *before; /* places with the same hash, the latest first; -1: none */
} Chains;

static uint32_t hash(const unsigned char *at)
{
  uint32_t three = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
  return (three*2654435761u) >> 17;
}

/* The longest match that begins at `at`, of those at places before it with the same hash; none is {0, 0}. */
static Symbol find_match(const Chains *c, const unsigned char *bytes, size_t at, size_t count)
{
  Symbol best = {0, 0};
  size_t most = count - at < LONGEST ? count - at : LONGEST;
  if (most < SHORTEST) return best;
  int looks = LOOKS;
  for (int32_t from = c->first[hash(bytes + at)]; from >= 0 && at - (size_t)from <= WINDOW && looks--;
       from = c->before[from]) {
    size_t length = 0;
    while (length < most && bytes[(size_t)from + length] == bytes[at + length]) length++;
    if (length >= SHORTEST && length > best.length) best = (Symbol){(uint16_t)length, (uint16_t)(at - (size_t)from)};
  }
  return best;
}

/* Puts a place into the chain of its hash. */
static void remember(Chains *c, const unsigned char *bytes, size_t at, size_t count)
{
  if (count - at < SHORTEST) return;
  uint32_t slot = hash(bytes + at);
  c->before[at] = c->first[slot];
  c->first[slot] = (int32_t)at;
}

/* ---------------------------------------------------------------- the block */

/* The lengths of both codes, with runs as one symbol. Called twice: to count and to write. */
static void put_lengths(Deflate *d, const uint8_t *lengths, int count, Code *code, bool write)
{
  for (int i = 0; i < count;) {
    int run = 1;
    while (i + run < count && lengths[i + run] == lengths[i] && run < 138) run++;
    int symbol = lengths[i], extra = 0, bits = 0;
    if (lengths[i] == 0 && run >= 11) symbol = 18, extra = run - 11, bits = 7;
    else if (lengths[i] == 0 && run >= 3) symbol = 17, extra = run - 3, bits = 3;
    else if (i > 0 && lengths[i] == lengths[i - 1] && run >= 3) {
      run = run > 6 ? 6 : run;
      symbol = 16, extra = run - 3, bits = 2;
    } else {
      run = 1;
    }
    if (write) put_symbol(d, code, symbol), put_bits(d, (uint32_t)extra, bits);
    else code->frequency[symbol]++;
    i += run;
  }
}

/* Huffman codes from the frequencies of the symbols, their lengths, then the symbols. */
static void put_block(Deflate *d)
{
  Code literals = {0}, distances = {0};
  literals.frequency[END] = 1;
  for (size_t i = 0; i < d->count; i++) {
    const Symbol *s = d->symbols + i;
    literals.frequency[s->distance ? END + 1 + slot_of(length_base, LENGTH_SLOTS, s->length) : s->length]++;
    if (s->distance) distances.frequency[slot_of(distance_base, DISTANCES, s->distance)]++;
  }
  make_code(&literals, LITERALS, MOST_BITS);
  make_code(&distances, DISTANCES, MOST_BITS);
  static const uint8_t order[LENGTHS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  uint8_t all[LITERALS + DISTANCES];
  Code code = {0};
  memcpy(all, literals.length, LITERALS);
  memcpy(all + LITERALS, distances.length, DISTANCES);
  put_lengths(d, all, LITERALS + DISTANCES, &code, false);
  make_code(&code, LENGTHS, MOST_LENGTH_BITS);
  put_bits(d, 1 | 2 << 1, 3); /* the last block, codes of its own */
  put_bits(d, LITERALS - 257, 5);
  put_bits(d, DISTANCES - 1, 5);
  put_bits(d, LENGTHS - 4, 4);
  for (int i = 0; i < LENGTHS; i++) put_bits(d, code.length[order[i]], 3);
  put_lengths(d, all, LITERALS + DISTANCES, &code, true);
  for (size_t i = 0; i < d->count; i++) {
    int length = d->symbols[i].length, distance = d->symbols[i].distance;
    if (!distance) {
      put_symbol(d, &literals, length);
      continue;
    }
    int slot = slot_of(length_base, LENGTH_SLOTS, length);
    put_symbol(d, &literals, END + 1 + slot);
    put_bits(d, (uint32_t)(length - length_base[slot]), length_extra[slot]);
    slot = slot_of(distance_base, DISTANCES, distance);
    put_symbol(d, &distances, slot);
    put_bits(d, (uint32_t)(distance - distance_base[slot]), distance_extra[slot]);
  }
  put_symbol(d, &literals, END);
  put_bits(d, 0, (8 - d->bit_count)%8);
}

void pf_deflate(PfContext *ctx, const unsigned char *bytes, size_t count, PfText *out)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  Deflate d = {.out = out, .symbols = pf_arena_array(scratch, Symbol, count + 1)};
  Chains *chains = pf_arena_array(scratch, Chains, 1);
  int32_t *before = pf_arena_array(scratch, int32_t, count + 1);
  if (d.symbols && chains && before && count < INT32_MAX) {
    chains->before = before;
    memset(chains->first, 255, sizeof chains->first);
    /* A match is put off by a byte when a longer one begins there. */
    for (size_t at = 0; at < count;) {
      Symbol here = find_match(chains, bytes, at, count);
      remember(chains, bytes, at, count);
      Symbol next = here.length && here.length < 32 && at + 1 < count ? find_match(chains, bytes, at + 1, count)
                                                                      : (Symbol){0, 0};
      if (!here.length || next.length > here.length) {
        d.symbols[d.count++] = (Symbol){bytes[at++], 0};
        continue;
      }
      d.symbols[d.count++] = here;
      for (int i = 1; i < here.length; i++) remember(chains, bytes, at + (size_t)i, count);
      at += here.length;
    }
    put_block(&d);
  } else {
    out->failed = true;
  }
  pf_arena_release(scratch, mark);
}
