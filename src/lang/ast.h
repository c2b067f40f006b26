/* SPDX-License-Identifier: Apache-2.0 */
/* The syntax tree: what the parser hands to the checker. A node has a first child and a next sibling; the
 * kind says what the children are. Nothing here knows mechanics. */
#ifndef PF_LANG_AST_H
#define PF_LANG_AST_H

#include "base/base.h"

/* Kind and its children, in order. [x] = optional, x* = any number. */
typedef enum PfNodeKind {
  /* ---- expressions ---- */
  PF_N_NUMBER,    /* text = as written, e.g. 0.016 or 1e-3; no sign */
  PF_N_STRING,    /* text = without the quotes, escapes \" and \\ resolved */
  PF_N_NAME,      /* text */
  PF_N_INDEX,     /* text = name; child: index expression             psi[i]           */
  PF_N_CALL,      /* text = function name; children: arguments         sin(x), if(c,a,b), diag(1,2,3) */
  PF_N_SUMOVER,   /* text = variable; children: RANGE, expression      sum(i in 1..3, expr) */
  PF_N_RANGE,     /* children: first, last                             1..3             */
  PF_N_PRIME,     /* child: expression; flag = number of primes        x'  (a + b)''    */
  PF_N_MEMBER,    /* text = member name; children: expression, [index]  board.x, leg.q[2] */
  PF_N_UNIT,      /* text = unit between the brackets; child: expression (a number)    6 [kg m^2] */
  PF_N_NEGATE,    /* child */
  PF_N_SUM,       /* children: terms; flag of a TERM child = 1 when subtracted: children are PF_N_TERM */
  PF_N_TERM,      /* child: expression; flag = 1: subtracted (in SUM) or divided by (in PRODUCT) */
  PF_N_PRODUCT,   /* children: PF_N_TERM */
  PF_N_POWER,     /* children: base, exponent (right associative; -x^2 is -(x^2)) */
  PF_N_COMPARE,   /* text = one of < <= > >= == ; children: left, right */
  PF_N_AND,       /* children: left, right */
  PF_N_OR,        /* children: left, right */
  PF_N_NOT,       /* child */
  PF_N_VECTOR,    /* children: three expressions                       (a, b, c)        */

  /* ---- pieces of statements ---- */
  PF_N_ITEM,      /* a declared name: text; children: [SIZE], [PARAMETERS], [STRING], [VALUE], [UNITS] */
  PF_N_SIZE,      /* child: expression                                 psi[3]           */
  PF_N_PARAMETERS,/* children: NAMEs                                   let h(x, y) = …  */
  PF_N_VALUE,     /* child: expression */
  PF_N_UNITS,     /* text = unit between the brackets of a declaration; in coord x, y [m] both items have it */
  PF_N_LABEL,     /* a name that is being given: text; [child: index expression]        roll[i]: */
  PF_N_ASSIGN,    /* children: target, value; flag = 1 with a trailing '!' (start x = 1 !) */
  PF_N_FROM,      /* child: body                                       detach a from b  */
  PF_N_AT,        /* child: vector expression                          at (x, y, 0)     */
  PF_N_TURN,      /* children: angle, axis                             turn a about z   */
  PF_N_SHIFT,     /* children: length, axis                            shift s along x  */
  PF_N_JOINT,     /* text = free | ball; of attach: weld | ball | hinge, [child: axis] */
  PF_N_PROPERTY,  /* text = key; child: expression                     mass m           */
  PF_N_BLOCK,     /* children: statements, or PROPERTYs */

  /* ---- statements: text = keyword ---- */
  PF_N_MODEL,     /* children: LABEL, [STRING] */
  PF_N_DECLARE,   /* text = param | coord | input | speed | let; children: ITEMs */
  PF_N_ENERGY,    /* text = kinetic | potential | dissipation | gravity; child: expression */
  PF_N_ASSIGNS,   /* text = force | start | rate | nonideal; children: ASSIGNs */
  PF_N_FRAME,     /* text = body | frame; children: LABEL, parent, (AT | TURN | SHIFT | JOINT)*, [BLOCK of PROPERTYs] */
  PF_N_POINT,     /* children: LABEL, parent expression, AT            point tip in arm at (l, 0, 0) */
  PF_N_FORCE,     /* text = force | torque; flag = 1 after 'nonideal'; children: vector, point or frame, [from] */
  PF_N_SPRING,    /* text = spring | damper; children: first, [PF_N_VALUE holding the 'to' point], BLOCK */
  PF_N_CONSTRAINT,/* text = constraint | prescribe; children: [LABEL], left, right */
  PF_N_ROLL,      /* text = disc | ball; children: [LABEL], body, BLOCK, PF_N_SUPPORT */
  PF_N_SUPPORT,   /* text = plane | surface | inside | outside; plane: child frame;
                     surface: children NAME of the function, [frame]; inside/outside sphere: child BLOCK */
  PF_N_SKATE,     /* text = skate | omni | mecanum; children: [LABEL], frame, [BLOCK], [SUPPORT plane] */
  PF_N_PART,      /* children: LABEL, PARAMETERS, BLOCK */
  PF_N_USE,       /* text = part name; children: arguments (a PF_N_CALL of the same text), [LABEL after 'as'] */
  PF_N_FOR,       /* text = variable; children: RANGE, BLOCK */
  PF_N_RUN,       /* children: horizon, [PF_N_NAME after 'by'], [PF_N_VALUE holding the 'until' condition], [BLOCK] */
  PF_N_PLOT,      /* children: expressions, [PF_N_VALUE holding 'against'] */
  PF_N_DRAW,      /* children: frame or point, CALL (shape), [BLOCK] */
  PF_N_WHEN,      /* children: VALUE (condition, or t), [VALUE: the instant, after '='], BLOCK of ACTIONs */
  PF_N_ACTION,    /* text = lock | unlock: children: joints; detach: child: body, [PROPERTY impulse], [PROPERTY torque],
                     or body, FROM;
                     attach: children: body, body, [AT], [JOINT weld | ball | hinge, whose child is the axis] */
} PfNodeKind;

typedef struct PfNode PfNode;
struct PfNode {
  PfNodeKind kind;
  uint32_t line, column, length; /* place of the node in the text; column in characters */
  int flag;
  const char *text; /* zero-terminated, in the tree's arena; "" when unused */
  PfNode *child, *next;
};

/* The text of one file, kept for diagnostics. */
typedef struct PfSource {
  PfContext *ctx;
  PfArena *arena;
  const char *file;  /* name for diagnostics */
  const char *setting; /* whose value the text is, or NULL */
  const char *bytes; /* zero-terminated */
  size_t count;
  PF_ARRAY(uint32_t) lines; /* offset of the start of each line */
} PfSource;

/* Indexes the lines and checks that the text is UTF-8 without control characters. */
PfStatus pf_source_init(PfSource *source, PfContext *ctx, PfArena *arena, const char *file, const char *bytes,
                        size_t count);
/* The same for the value of a setting; NULL: it is not one. */
PfStatus pf_source_init_value(PfSource *source, PfContext *ctx, PfArena *arena, const char *file, const char *setting,
                              const char *bytes, size_t count);
void pf_source_free(PfSource *source);
PfPlace pf_source_place(const PfSource *source, uint32_t line, uint32_t column, uint32_t length);
PfPlace pf_node_place(const PfSource *source, const PfNode *node);

/* The tree of a whole file: a BLOCK of statements. All syntax errors are recorded in the context (at most
 * 20); then the status is PF_ERR_SYNTAX (or PF_ERR_LIMIT, PF_ERR_MEMORY) and the tree holds what could be read. */
PfStatus pf_parse(PfSource *source, PfNode **tree);

/* The tree of a text that is a single expression, and the UNITS behind it, which hold for all of it, or NULL. */
PfStatus pf_parse_constant(PfSource *source, PfNode **node, PfNode **units);

/* Lists of quantities between ';', as PLOT nodes in a BLOCK. */
PfStatus pf_parse_quantities(PfSource *source, PfNode **tree);

enum { PF_MOST_ERRORS = 20, PF_DEEPEST_NESTING = 200, PF_LONGEST_SOURCE = 16 << 20 /* bytes */ };

/* Is the word a keyword that starts a statement (and so can't be a name)? */
bool pf_is_keyword(const char *word);

#endif
