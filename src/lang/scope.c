/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes and names. What is declared in a loop is known inside by its own name and outside with the value of
 * the loop variable: 'wheel' inside 'for i in 1..3' is wheel[1], wheel[2], wheel[3] outside. */
#include "lang/check_impl.h"

#include <string.h>
#include <strings.h>

/* Formatted text in the arena of the model; an empty one without memory, which is remembered. */
const char *pf_print_text(Checker *ck, const char *format, ...)
{
  va_list words, again;
  va_start(words, format);
  va_copy(again, words);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = length < 0 ? NULL : pf_arena_alloc(ck->model->arena, (size_t)length + 1, 1);
  if (text) vsnprintf(text, (size_t)length + 1, format, words);
  else pf_check_no_memory(ck);
  va_end(words);
  return text ? text : "";
}

/* A scope inside of `parent`. `home` (NULL: itself) is the one whose names are those of a part; names of the model are
 * prefix + name + suffix. NULL without memory. */
Scope *pf_scope_new(Checker *ck, Scope *parent, Scope *home, const char *prefix, const char *suffix)
{
  Scope *scope = pf_arena_array(ck->arena, Scope, 1);
  if (!scope || !pf_push(ck->allocator, &ck->scopes, scope)) {
    pf_check_no_memory(ck);
    return NULL;
  }
  scope->parent = parent;
  scope->home = home ? home : scope;
  scope->prefix = prefix;
  scope->suffix = suffix;
  pf_map_init(&scope->names, ck->allocator);
  return scope;
}

/* A scope for the time of a call or a sum. */
Visit pf_scope_enter(Checker *ck, Scope *parent)
{
  Visit visit = {.mark = pf_arena_mark(ck->arena)};
  visit.scope = pf_scope_new(ck, parent, parent->home, "", parent->suffix);
  return visit;
}

/* Ends the visit and frees everything that was allocated in the checker's arena since it began. */
void pf_scope_leave(Checker *ck, const Visit *visit)
{
  if (!visit->scope) return;
  pf_map_free(&visit->scope->names);
  ck->scopes.count--; /* visits end in the order in which they began */
  pf_arena_release(ck->arena, visit->mark);
}

/* ---------------------------------------------------------------- declaring */

/* What a word means that cannot be declared, or NULL. */
static const char *meaning_of(const char *name)
{
  static const struct {
    const char *word, *meaning;
  } words[] = {{"t", "the time"}, {"pi", "the number 3.14159…"}, {"ground", "the frame that does not move"},
               {"lambda", "the word for multipliers, lambda[c],"}, {"time", "the word for the time t"}};
  for (size_t i = 0; i < sizeof words/sizeof *words; i++)
    if (!strcmp(words[i].word, name)) return words[i].meaning;
  return pf_is_keyword(name) ? "a word of the language" : NULL;
}

static const char *kind_word(EntityKind kind)
{
  static const char *const words[] = {
    [E_PARAM] = "a parameter", [E_COORD] = "a coordinate", [E_INPUT] = "an input", [E_SPEED] = "a speed",
    [E_LET] = "a definition", [E_FUNCTION] = "a function", [E_FRAME] = "a body or frame", [E_POINT] = "a point",
    [E_PART] = "a part", [E_CONSTRAINT] = "a constraint", [E_VALUE] = "an argument or a loop variable",
    [E_ARRAY] = "a list", [E_SPACE] = "a used part",
  };
  return words[kind];
}

static bool add_name(Checker *ck, Scope *scope, const char *key, Entity *entity)
{
  return pf_map_set(&scope->names, key, strlen(key), entity) || pf_check_no_memory(ck);
}

/* Names are not entered in the order of the text: the later one in the text is the one too many. */
static Entity *duplicate(Checker *ck, const Scope *scope, const PfNode *node, const char *name, EntityKind kind,
                         const Entity *known)
{
  const PfNode *first = known->node, *second = node;
  bool swapped = node->line < first->line || (node->line == first->line && node->column < first->column);
  if (swapped) first = node, second = known->node;
  pf_check_fail(ck, PF_ERR_NAME, second, "'%s' is already %s", name, kind_word(swapped ? kind : known->kind));
  if (first == second && *scope->suffix) pf_check_hint(ck, "every turn of the loop declares it again");
  else if (first == second) pf_check_hint(ck, "a part that is used twice needs names: use … as left");
  else pf_check_hint(ck, "it was declared in line %u", first->line);
  return NULL;
}

static bool is_allowed(Checker *ck, const PfNode *node, const char *name)
{
  const char *meaning = meaning_of(name);
  if (!meaning) return true;
  pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is %s and cannot be declared", name, meaning);
  pf_check_hint(ck, "choose another name, for example %s_1", name);
  return false;
}

static Entity *new_entity(Checker *ck, Scope *scope, const PfNode *node, const char *name, EntityKind kind)
{
  Entity *entity = pf_arena_array(ck->arena, Entity, 1);
  if (!entity) {
    pf_check_no_memory(ck);
    return NULL;
  }
  *entity = (Entity){.kind = kind, .name = name, .node = node, .scope = scope, .unit_text = ""};
  return entity;
}

/* Declares the name, which is `outer` outside of the loop; NULL after an error. */
Entity *pf_scope_declare_as(Checker *ck, Scope *scope, const PfNode *node, const char *name, const char *outer,
                            EntityKind kind)
{
  if (!is_allowed(ck, node, name)) return NULL;
  bool local = kind == E_LET || kind == E_FUNCTION || kind == E_PART;
  Entity *known = pf_map_get(&scope->names, name, strlen(name));
  if (!known && !local) known = pf_map_get(&scope->home->names, outer, strlen(outer));
  if (known) return duplicate(ck, scope, node, name, kind, known);
  const char *full = pf_print_text(ck, "%s%s", scope->home->prefix, outer);
  Entity *entity = new_entity(ck, scope, node, full, kind);
  if (!entity || !add_name(ck, scope, pf_print_text(ck, "%s", name), entity)) return NULL;
  if (!local && scope != scope->home && !add_name(ck, scope->home, outer, entity)) return NULL;
  return entity;
}

/* wheel inside a loop is wheel[2] outside; wheel[i] has its index already. */
Entity *pf_scope_declare(Checker *ck, Scope *scope, const PfNode *node, const char *name, EntityKind kind)
{
  bool indexed = strchr(name, '[') != NULL;
  const char *outer = indexed ? name : pf_print_text(ck, "%s%s", name, scope->suffix);
  return pf_scope_declare_as(ck, scope, node, name, outer, kind);
}

Entity *pf_scope_bind(Checker *ck, Scope *scope, const PfNode *node, const char *name, Value value)
{
  if (!is_allowed(ck, node, name)) return NULL;
  Entity *known = pf_map_get(&scope->names, name, strlen(name));
  if (known) return duplicate(ck, scope, node, name, E_VALUE, known);
  Entity *entity = new_entity(ck, scope, node, name, E_VALUE);
  if (!entity || !add_name(ck, scope, name, entity)) return NULL;
  entity->state = RESOLVED;
  entity->result = value;
  return entity;
}

/* ---------------------------------------------------------------- finding */

/* The entity of the name in this scope or one around it; NULL without. */
Entity *pf_scope_find(const Scope *scope, const char *name)
{
  size_t length = strlen(name);
  for (; scope; scope = scope->parent) {
    Entity *entity = pf_map_get(&scope->names, name, length);
    if (entity) return entity;
  }
  return NULL;
}

/* Between names of one letter nothing is a misprint but the case. */
int pf_allowed_edits(const char *name)
{
  size_t length = strlen(name);
  return length < 2 ? 0 : length < 5 ? 1 : 2;
}

/* Is the candidate closer to the name than *best edits? Then *best becomes its distance. */
bool pf_is_nearer(const char *name, const char *candidate, int *best)
{
  int distance = strcasecmp(name, candidate) ? pf_name_distance(name, candidate, *best) : 0;
  if (distance >= *best) return false;
  *best = distance;
  return true;
}

/* Reports an unknown name, with the most similar one or another hint. Always NULL. */
static Entity *unknown(Checker *ck, Scope *scope, const PfNode *node, const char *name)
{
  if (pf_check_stopped(ck) || pf_check_is_known(ck, PF_ERR_NAME, node)) return NULL; /* the search is long */
  const char *bracket = strchr(name, '[');
  Entity *list = NULL;
  if (bracket) list = pf_scope_find(scope, pf_print_text(ck, "%.*s", (int)(bracket - name), name));
  if (list && list->kind == E_ARRAY) {
    pf_check_fail(ck, PF_ERR_NAME, node, "'%s' does not exist: '%s' has the elements 1 to %d", name,
                  list->name, list->size);
    return NULL;
  }
  char other[128];
  int order;
  for (int k = 0; pf_rate_spelling(name, k, other, sizeof other, &order); k++) { /* x_dot, xdot … */
    const Entity *entity = pf_scope_find(scope, other);
    if (!entity || (entity->kind != E_COORD && (entity->kind != E_LET || order != 1))) continue;
    pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is not defined", name);
    pf_check_hint(ck, "a derivative is written with an apostrophe: %s%s", other, order == 1 ? "'" : "''");
    return NULL;
  }
  /* The declared name that looks most like it. The same name may exist outside of a part that does not have it. */
  int best = pf_allowed_edits(name) + 1;
  const char *similar = NULL;
  for (const Scope *s = scope; s; s = s->parent)
    for (size_t i = 0; i < s->names.entries.count; i++) {
      const char *key = s->names.entries.at[i].key;
      if (strcmp(key, name) != 0 && pf_is_nearer(name, key, &best)) similar = key;
    }
  if (strcmp(name, "ground") != 0 && pf_is_nearer(name, "ground", &best)) similar = "ground";
  if (similar) pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is not defined (did you mean '%s'?)", name, similar);
  else pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is not defined", name);
  if (ck->asked) {
    pf_check_hint(ck, "names are those of the model and of the velocities that 'derive' chooses; what other names of "
                  "'derive' stand for is written out");
  } else if (!strcmp(name, "time")) {
    pf_check_hint(ck, "the time is written t");
  } else if (meaning_of(name)) {
    pf_check_hint(ck, "it is %s here; choose another name, for example %s_1", meaning_of(name), name);
  } else if (!similar) {
    pf_check_hint(ck, "write: param %s = … for a number, input %s from outside, let %s = … for a formula",
                  name, name, name);
  }
  return NULL;
}

/* In the checker's arena: loops spell the same names again and again. */
static const char *spell_index(Checker *ck, Scope *scope, const char *name, const PfNode *index)
{
  int64_t value;
  if (!pf_integer_of(ck, scope, index, "an index", -1000000000, 1000000000, &value)) return NULL;
  size_t room = strlen(name) + 16;
  char *text = pf_arena_alloc(ck->arena, room, 1);
  if (text) snprintf(text, room, "%s[%lld]", name, (long long)value);
  else pf_check_no_memory(ck);
  return text;
}

const char *pf_spell_name(Checker *ck, Scope *scope, const PfNode *node)
{
  if (node->kind == PF_N_NAME) return node->text;
  if (node->kind == PF_N_INDEX) return spell_index(ck, scope, node->text, node->child);
  pf_check_fail(ck, PF_ERR_SYNTAX, node, "a name is expected here");
  return NULL;
}

const char *pf_spell_member(Checker *ck, Scope *scope, const PfNode *node)
{
  const PfNode *index = node->child->next;
  return index ? spell_index(ck, scope, node->text, index) : node->text;
}

/* The entity that a NAME, INDEX or MEMBER node means, the latter in a used part; NULL, quietly, without one. */
static Entity *find_quietly(Checker *ck, Scope *scope, const PfNode *node)
{
  const char *name = NULL;
  if (node->kind == PF_N_NAME || node->kind == PF_N_INDEX) {
    name = pf_spell_name(ck, scope, node);
    return name ? pf_scope_find(scope, name) : NULL;
  }
  const Entity *outer = node->kind == PF_N_MEMBER ? pf_scope_find_used(ck, scope, node->child) : NULL;
  if (outer) name = pf_spell_member(ck, scope, node);
  return name ? pf_map_get(&outer->inside->names, name, strlen(name)) : NULL;
}

Entity *pf_scope_find_used(Checker *ck, Scope *scope, const PfNode *node)
{
  Entity *entity = find_quietly(ck, scope, node);
  return entity && entity->kind == E_SPACE ? entity : NULL;
}

Entity *pf_find_joint(Checker *ck, Scope *scope, const PfNode *node)
{
  Entity *entity = find_quietly(ck, scope, node);
  return entity && entity->kind == E_FRAME && entity->ball ? entity : NULL;
}

Entity *pf_scope_lookup(Checker *ck, Scope *scope, const PfNode *node)
{
  if (node->kind == PF_N_MEMBER) { /* w.psi: psi inside the part that was used as w */
    Entity *outer = pf_scope_lookup(ck, scope, node->child);
    const char *name = outer ? pf_spell_member(ck, scope, node) : NULL;
    if (!name) return NULL;
    if (!outer->inside) {
      pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is %s and has no part '%s'", outer->name, kind_word(outer->kind),
                    name);
      return NULL;
    }
    Entity *inner = pf_map_get(&outer->inside->names, name, strlen(name));
    return inner ? inner : unknown(ck, outer->inside, node, name);
  }
  const char *name = pf_spell_name(ck, scope, node);
  if (!name) return NULL;
  Entity *entity = pf_scope_find(scope, name);
  return entity ? entity : unknown(ck, scope, node, name);
}

const char *pf_label_name(Checker *ck, Scope *scope, const PfNode *label)
{
  if (!label->child) return label->text;
  const char *name = spell_index(ck, scope, label->text, label->child);
  return name ? pf_print_text(ck, "%s", name) : NULL;
}
