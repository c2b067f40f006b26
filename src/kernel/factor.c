/* SPDX-License-Identifier: Apache-2.0 */
/* Common factors of sums: x*y*z - x*w -> x*(y*z - w), the factor that most terms have in common first. A
 * sum that becomes one product melts into the products around it, so that l1*(m*l2 + n*l2) and l2*(m*l1 +
 * n*l1) become the same item. Products that are used in several sums are taken apart in each of them.
 * This halves the work where energies were differentiated, and may double it elsewhere: the caller
 * compares.
 *
 * The new items are made in `to`; every old item becomes a coefficient times a new one. */
#include "kernel/kernel_impl.h"

#include <math.h>

enum {
  DEEPEST = 40,           /* brackets inside brackets */
  LONGEST_APART = 16,     /* longer products stay whole inside others */
  MOST_WORK = 1 << 22,    /* factors looked at */
  MOST_GROWTH = 3         /* of the number of parts; more means that it does not pay */
};

/* coefficient * product of some factors in the pool */
typedef struct Term {
  double coefficient;
  uint32_t first, count;
} Term;

/* Pool and terms are stacks: a sum uses the part above the place where it began. */
typedef struct Factoring {
  const PfItems *from;
  PfItems *to;
  const PfAllocator *allocator;
  PfPart *image; /* of each old item: coefficient * new item */
  PF_ARRAY(PfPart) pool;
  PF_ARRAY(Term) terms;
  PF_ARRAY(uint32_t) tally; /* of each new item, twice: terms that have it above, below */
  size_t work;
} Factoring;

static void push_factor(Factoring *f, uint32_t item, double exponent)
{
  PfPart part = {item, exponent};
  if (!pf_push(f->allocator, &f->pool, part)) f->to->failed = true;
}

static void push_term(Factoring *f, double coefficient, size_t first)
{
  Term term = {coefficient, (uint32_t)first, (uint32_t)(f->pool.count - first)};
  if (!pf_push(f->allocator, &f->terms, term)) f->to->failed = true;
}

/* Pushes new^exponent, taken apart if it is a product. */
static void push_apart(Factoring *f, uint32_t new, double exponent)
{
  const PfItem item = f->to->items.at[new];
  if (new == PF_ITEM_ONE) return;
  if (item.kind != PF_ITEM_PRODUCT || item.count > LONGEST_APART) {
    push_factor(f, new, exponent);
    return;
  }
  for (uint32_t k = 0; k < item.count; k++) {
    PfPart part = f->to->parts.at[item.first + k];
    push_factor(f, part.item, part.coefficient*exponent);
  }
}

/* ---------------------------------------------------------------- the most common factor */

/* The counter of a factor, one for each sign of its exponent; NULL without memory. */
static uint32_t *tally_of(Factoring *f, PfPart part)
{
  size_t place = 2*(size_t)part.item + (part.coefficient < 0);
  while (f->tally.count <= place)
    if (!pf_push(f->allocator, &f->tally, 0)) {
      f->to->failed = true;
      return NULL;
    }
  return f->tally.at + place;
}

/* The factor that most of the terms from `first` on have; false when none has two. The counters are zero again
 * afterwards. Cost: twice the number of factors of these terms. */
static bool most_common(Factoring *f, size_t first, PfPart *factor)
{
  uint32_t most = 1;
  for (size_t t = first; t < f->terms.count; t++) {
    const Term *term = f->terms.at + t;
    f->work += term->count;
    for (uint32_t k = 0; k < term->count; k++) {
      uint32_t *tally = tally_of(f, f->pool.at[term->first + k]);
      if (!tally) return false;
      if (++*tally <= most) continue;
      most = *tally;
      *factor = f->pool.at[term->first + k];
    }
  }
  for (size_t t = first; t < f->terms.count; t++) {
    const Term *term = f->terms.at + t;
    for (uint32_t k = 0; k < term->count; k++) *tally_of(f, f->pool.at[term->first + k]) = 0;
  }
  return most > 1;
}

/* The exponent of the item in the term, if it has the sign; 0 otherwise. */
static double exponent_in(const Factoring *f, const Term *term, PfPart factor)
{
  for (uint32_t k = 0; k < term->count; k++) {
    PfPart part = f->pool.at[term->first + k];
    if (part.item != factor.item) continue;
    return (part.coefficient < 0) == (factor.coefficient < 0) ? part.coefficient : 0;
  }
  return 0;
}

/* ---------------------------------------------------------------- taking out */

/* Moves the terms with the factor to the end of the list; gives the place of the first. */
static size_t gather(Factoring *f, size_t first, PfPart factor)
{
  size_t kept = first, chosen = f->terms.count;
  for (size_t t = first; t < chosen; t++) {
    Term term = f->terms.at[t];
    if (exponent_in(f, &term, factor) != 0) {
      if (!pf_push(f->allocator, &f->terms, term)) f->to->failed = true;
    } else {
      f->terms.at[kept++] = term;
    }
  }
  size_t count = f->terms.count - chosen;
  for (size_t i = 0; i < count; i++) f->terms.at[kept + i] = f->terms.at[chosen + i];
  f->terms.count = kept + count;
  return kept;
}

/* The same coefficient +-c everywhere goes outside, so that equal brackets are found equal. */
static double take_coefficient(Factoring *f, size_t first)
{
  double c = f->terms.at[first].coefficient;
  for (size_t t = first; t < f->terms.count; t++)
    if (fabs(f->terms.at[t].coefficient) != fabs(c)) return 1;
  for (size_t t = first; t < f->terms.count; t++) f->terms.at[t].coefficient /= c;
  return c;
}

static PfPart make_sum(Factoring *f, size_t first, int depth);

/* Replaces the terms from `first` on, which have a factor in common, by one term. */
static void take_out(Factoring *f, size_t first, int depth)
{
  const size_t common = f->pool.count;
  /* Pushes to the pool what the terms from `first` on have in common. */
  const Term model = f->terms.at[first];
  for (uint32_t k = 0; k < model.count; k++) {
    PfPart part = f->pool.at[model.first + k];
    for (size_t t = first + 1; t < f->terms.count && part.coefficient != 0; t++) {
      double exponent = exponent_in(f, f->terms.at + t, part);
      if (fabs(exponent) < fabs(part.coefficient)) part.coefficient = exponent;
    }
    if (part.coefficient != 0) push_factor(f, part.item, part.coefficient);
  }
  const size_t count = f->pool.count - common;
  for (size_t t = first; t < f->terms.count; t++) {
    /* Divides the term by the factors in the pool: its own part of the pool is changed in place. */
    Term *term = f->terms.at + t;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < term->count; k++) {
      PfPart part = f->pool.at[term->first + k];
      for (size_t i = common; i < common + count; i++)
        if (f->pool.at[i].item == part.item) part.coefficient -= f->pool.at[i].coefficient;
      if (part.coefficient != 0) f->pool.at[term->first + kept++] = part;
    }
    term->count = kept;
  }
  double coefficient = take_coefficient(f, first);
  PfPart rest = make_sum(f, first, depth + 1);
  f->pool.count = common + count;
  push_apart(f, rest.item, 1);
  f->pool.count = common + pf_parts_settle(f->pool.at + common, (uint32_t)(f->pool.count - common));
  push_term(f, coefficient*rest.coefficient, common);
}

/* ---------------------------------------------------------------- sums */

/* The sum of the terms from `first` on, which are taken off the list. Calls take_out, which calls this one for the
 * bracket: at most DEEPEST brackets inside each other. */
static PfPart make_sum(Factoring *f, size_t first, int depth)
{
  PfPart factor;
  while (depth < DEEPEST && f->work < MOST_WORK && pf_items_go_on(f->to) && most_common(f, first, &factor))
    take_out(f, gather(f, first, factor), depth);
  size_t pool = f->pool.count;
  for (size_t t = first; t < f->terms.count; t++) {
    const Term term = f->terms.at[t];
    const size_t end = f->pool.count; /* the factors are copied there, as their product sorts them */
    for (uint32_t k = 0; k < term.count; k++) {
      PfPart part = f->pool.at[term.first + k];
      push_factor(f, part.item, part.coefficient);
    }
    if (f->to->failed) break;
    uint32_t item = pf_item_list(f->to, PF_ITEM_PRODUCT, f->pool.at + end, term.count);
    f->pool.count = end;
    push_factor(f, item, term.coefficient);
  }
  if (f->to->failed) return (PfPart){PF_ITEM_ONE, 0};
  uint32_t sum = pf_item_list(f->to, PF_ITEM_SUM, f->pool.at + pool, (uint32_t)(f->pool.count - pool));
  f->pool.count = pool;
  f->terms.count = first;
  /* An item as coefficient * item, where a sum of one term stands alone. */
  const PfItem *item = f->to->items.at + sum;
  if (item->kind != PF_ITEM_SUM || item->count != 1) return (PfPart){sum, 1};
  return f->to->parts.at[item->first];
}

/* The terms of a sum with the new forms of their items, as factors in the pool; then common factors are taken out. */
static PfPart factor_sum(Factoring *f, const PfItem *item)
{
  f->pool.count = f->terms.count = 0;
  for (uint32_t k = 0; k < item->count && !f->to->failed; k++) {
    PfPart part = f->from->parts.at[item->first + k], image = f->image[part.item];
    size_t first = f->pool.count;
    push_apart(f, image.item, 1);
    push_term(f, part.coefficient*image.coefficient, first);
  }
  return make_sum(f, 0, 0);
}

/* ---------------------------------------------------------------- other items */

/* The product of the new forms; numbers in them become the coefficient. */
static PfPart factor_product(Factoring *f, const PfItem *item)
{
  double coefficient = 1;
  f->pool.count = 0;
  for (uint32_t k = 0; k < item->count; k++) {
    PfPart part = f->from->parts.at[item->first + k], image = f->image[part.item];
    push_apart(f, image.item, part.coefficient);
    if (image.coefficient != 1) coefficient *= pow(image.coefficient, part.coefficient);
  }
  if (f->to->failed) return (PfPart){PF_ITEM_ONE, 1};
  return (PfPart){pf_item_list(f->to, PF_ITEM_PRODUCT, f->pool.at, (uint32_t)f->pool.count), coefficient};
}

/* coefficient * item as one item. */
static uint32_t whole(Factoring *f, PfPart part)
{
  if (part.coefficient == 1) return part.item;
  return pf_item_list(f->to, PF_ITEM_SUM, &part, 1);
}

/* An old item as coefficient * new item. */
static PfPart factor_item(Factoring *f, const PfItem *item)
{
  const PfPart *parts = f->from->parts.at + item->first;
  PfPart args[3];
  switch ((PfItemKind)item->kind) {
  case PF_ITEM_SUM: return factor_sum(f, item);
  case PF_ITEM_PRODUCT: return factor_product(f, item);
  case PF_ITEM_CALL:
    for (uint32_t k = 0; k < item->count; k++) args[k] = (PfPart){whole(f, f->image[parts[k].item]), 1};
    return (PfPart){pf_item(f->to, PF_ITEM_CALL, item->op, args, item->count), 1};
  default: return (PfPart){pf_item(f->to, (PfItemKind)item->kind, 0, parts, 1), 1};
  }
}

/* False where the work or the growth exceeds its limit: the caller then keeps the items as they were. `to` has the
 * items that were made until then in any case. */
bool pf_items_factor(const PfItems *from, PfItems *to, PfArena *scratch)
{
  PfMark mark = pf_arena_mark(scratch);
  Factoring f = {.from = from, .to = to, .allocator = to->allocator};
  f.image = pf_arena_array(scratch, PfPart, from->items.count);
  const size_t most = MOST_GROWTH*from->parts.count + 1000;
  bool done = f.image;
  for (size_t i = 0; i < from->items.count && done && pf_items_go_on(to); i++) {
    f.image[i] = factor_item(&f, from->items.at + i);
    done = to->parts.count <= most && f.work < MOST_WORK;
  }
  for (size_t i = 0; i < from->roots.count && done && !to->failed; i++)
    if (!pf_push(to->allocator, &to->roots, whole(&f, f.image[from->roots.at[i]]))) to->failed = true;
  done = done && !to->failed;
  pf_array_free(f.allocator, &f.pool);
  pf_array_free(f.allocator, &f.terms);
  pf_array_free(f.allocator, &f.tally);
  pf_arena_release(scratch, mark);
  return done;
}
