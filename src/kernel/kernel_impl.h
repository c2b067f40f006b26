/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the kernel module. A tape is made step by step:
 *
 *   lower.c   expressions to items: sums and products as lists, as the expressions have them
 *   factor.c  sums: common factors are taken out        x*y + x*z  ->  x*(y + z)
 *   invert.c  several divisions by one number: one division and products
 *   common_pairs.c   pairs that occur in several lists become items of their own
 *   build.c   items to a graph (graph.c) of operations with two operands, equal ones once
 *   emit.c    graph to instructions: fused, ordered, with slots used again
 *
 *   tape_builder.c   further operations on the values of expressions, for modules that write their own
 *
 * and run by run.c at one state, by lanes.c at several; program.c shows it to other modules. All lists are in order of
 * creation, so that the same input gives the same tape. */
#ifndef PF_KERNEL_IMPL_H
#define PF_KERNEL_IMPL_H

#include "base/base.h"
#include "kernel/native.h"
#include "kernel/program.h"
#include "runtime/pf_sincos.h"
#include "pfaff/kernel.h"

#include <string.h>

/* ---------------------------------------------------------------- tape */

/* slot[dst] = op(slot[a], slot[b], slot[c]). Two slots share a word, dst and b in the low half: the interpreter is
 * bound by the number of its loads. */
typedef struct PfInstruction {
  uint64_t dst_a, b_c;
} PfInstruction;

/* Packs two slots into a word, and the slots of a word. */
static inline uint64_t pf_slots(uint32_t low, uint32_t high)
{
  return low | (uint64_t)high << 32;
}
static inline uint32_t pf_low_slot(uint64_t slots)
{
  return (uint32_t)slots;
}
static inline uint32_t pf_high_slot(uint64_t slots)
{
  return (uint32_t)(slots >> 32);
}

/* A run is up to so many instructions with the same operation, one after the other: 8*op + count - 1. Only arithmetic
 * is worth it; of everything else each instruction is a run. */
enum { PF_RUN_MOST = 8 };
#define PF_RUN(op, count) (PF_RUN_MOST*(op) + (count)-1)

/* Slots: first the constants, then the inputs, then what is computed. */
struct PfTape {
  PfArena *arena;
  int input_count, output_count, instruction_count;
  uint32_t constant_count, slot_count;
  double *constants;
  PfInstruction *instructions;
  uint16_t *runs;              /* and an END */
  uint32_t *outputs;           /* slots */
  PfNativeService *service;    /* NULL: none */
  PfTapeState *state;          /* two for the service: of single states and of groups; NULL without */
};

/* Native code, if there is some; the runs are counted otherwise. */
PfNativeCode *pf_tape_native(const PfTape *tape, PfTapeState *state, int runs);
extern const PfNativeFunctions pf_native_functions;

/* ---------------------------------------------------------------- lanes */

/* pf_tape_run_many by vectors of this kind of processor; true when all outputs are finite. */
bool pf_tape_run_lanes(PfLanes lanes, const PfTape *tape, int count, const double *inputs, double *outputs,
                       double *work);

/* ---------------------------------------------------------------- hashing */

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word)*0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}
static inline uint64_t bits_of(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Members of a list by their hash: numbers of members + 1, 0 for a free slot, in a power of two of slots of which at
 * most half are used. A member is in the first slot from hash & (count - 1) on, in a circle, that is free or its own;
 * the owner of the list looks there and enters it. */
typedef struct PfIndex {
  uint32_t *slots;
  size_t count;
} PfIndex;

/* Makes room for one more than `used` members, whose hashes `hash` gives; false without memory (graph.c). */
bool pf_index_reserve(const PfAllocator *allocator, PfIndex *index, size_t used,
                      uint64_t (*hash)(const void *list, uint32_t member), const void *list);

/* ---------------------------------------------------------------- items */

typedef enum PfItemKind {
  PF_ITEM_CONSTANT, /* its one part has the value as coefficient */
  PF_ITEM_INPUT,    /* its one part has the number of the input as coefficient */
  PF_ITEM_SUM,      /* sum of coefficient*item */
  PF_ITEM_PRODUCT,  /* product of item^coefficient, with whole numbers, also negative ones */
  PF_ITEM_CALL      /* op(items) */
} PfItemKind;

typedef struct PfPart {
  uint32_t item;
  double coefficient;
} PfPart;

typedef struct PfItem {
  uint8_t kind, op; /* PfItemKind; PfTapeOp of a call */
  uint32_t first, count;
} PfItem;

enum { PF_ITEM_ONE = 0 }; /* the constant 1 */

/* Without memory, or when the host requests cancellation, `failed` is set, and everything becomes the item 1: checked
 * once per step. */
typedef struct PfItems {
  PfContext *ctx;
  const PfAllocator *allocator;
  PF_ARRAY(PfItem) items;
  PF_ARRAY(PfPart) parts;
  PF_ARRAY(uint32_t) roots;
  PfIndex index;   /* of items */
  uint32_t turns;  /* after some of them the host is polled for cancellation */
  bool failed;
} PfItems;

/* No items but the constant 1. */
void pf_items_init(PfItems *items, PfContext *ctx);
/* Frees all arrays. */
void pf_items_free(PfItems *items);
/* For loops: false when something has failed, or the host wants to stop. */
bool pf_items_go_on(PfItems *items);

static inline bool is_leaf(const PfItem *item)
{
  return item->kind == PF_ITEM_CONSTANT || item->kind == PF_ITEM_INPUT;
}

/* The item made of these parts (which lie elsewhere); equal ones are the same item. */
uint32_t pf_item(PfItems *items, PfItemKind kind, int op, const PfPart *parts, uint32_t count);
/* A new item in any case, for steps that change items in place. */
uint32_t pf_item_add(PfItems *items, PfItemKind kind, int op, const PfPart *parts, uint32_t count);
/* The item of a number, made once. */
uint32_t pf_item_constant(PfItems *items, double value);
/* Sorts parts, adds coefficients of equal items, and drops parts that vanish; returns the number of parts left. */
uint32_t pf_parts_settle(PfPart *parts, uint32_t count);
/* A product or sum of any number of parts, which are sorted and merged; the item itself if it stands
 * alone. */
uint32_t pf_item_list(PfItems *items, PfItemKind kind, PfPart *parts, uint32_t count);

/* Expressions as items: sums, products and calls, operands first. Fails with PF_ERR_NAME for a symbol that is not an
 * input. */
PfStatus pf_items_lower(PfContext *ctx, PfItems *items, const PfExpr *inputs, int input_count,
                        const PfExpr *roots, int root_count);
/* About how many operations the roots need if nothing more is shared; SIZE_MAX without memory. The items
 * must be in the order of their making: not after pf_items_share. */
size_t pf_items_cost(const PfItems *items, PfArena *scratch);
/* The same in new items, with common factors taken out of sums. False when it does not pay or memory is
 * short. */
bool pf_items_factor(const PfItems *from, PfItems *to, PfArena *scratch);
/* In place; without memory everything stays as it is. */
void pf_items_invert(PfItems *items, PfArena *scratch);
/* In place; without memory less is shared. */
void pf_items_share(PfItems *items, PfItemKind kind, PfArena *scratch);

/* ---------------------------------------------------------------- graph */

/* Operands come before the nodes that use them. A constant or an input has its number in `a`. */
typedef PfProgramValue PfGraphNode;

typedef struct PfGraph {
  PfContext *ctx;
  const PfAllocator *allocator;
  PF_ARRAY(PfGraphNode) nodes;
  PF_ARRAY(double) constants;
  PF_ARRAY(uint32_t) roots;
  PfIndex index; /* of nodes */
  bool failed;
} PfGraph;

/* An empty graph. */
void pf_graph_init(PfGraph *graph, PfContext *ctx);
/* Frees all arrays. */
void pf_graph_free(PfGraph *graph);
/* The number that an operation makes of numbers, as the interpreter computes it. */
double pf_op_value(uint32_t op, double a, double b, double c);
/* The node of a constant, made once. */
uint32_t pf_graph_constant(PfGraph *graph, double value);
/* The node of an operation, made once; operations on constants become constants, and a product with 1 is its other
 * factor. */
uint32_t pf_graph_node(PfGraph *graph, uint32_t op, uint32_t a, uint32_t b, uint32_t c);
/* The node if it exists, UINT32_MAX otherwise. */
uint32_t pf_graph_find(const PfGraph *graph, uint32_t op, uint32_t a, uint32_t b, uint32_t c);

/* The items of the roots as binary and ternary operations. */
PfStatus pf_graph_build(PfContext *ctx, PfGraph *graph, const PfItems *items, PfArena *scratch);

/* ---------------------------------------------------------------- instructions */

/* The operations of expressions, and a tape of the nodes that the roots of a graph need (tape.c). The graph is changed
 * on the way. */
PfStatus pf_graph_of(PfContext *ctx, const PfExpr *inputs, int input_count, const PfExpr *roots, int root_count,
                     PfGraph *graph);
/* A tape of the roots of the graph. */
PfStatus pf_graph_tape(PfContext *ctx, PfGraph *graph, int input_count, PfTape **tape);
/* Orders the operations into runs and gives each value a slot; slots are reused after the last use. */
PfStatus pf_graph_emit(PfContext *ctx, PfGraph *graph, PfArena *scratch, PfTape *tape);

#endif
