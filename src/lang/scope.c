/* Scopes and names. What is declared in a loop is known inside by its own name and outside with the value of
 * the loop variable: 'wheel' inside 'for i in 1..3' is wheel[1], wheel[2], wheel[3] outside. */
#include "lang/check_impl.h"

#include <string.h>

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

/* ---------------------------------------------------------------- declaring */

static bool is_reserved(const char *name)
{
  static const char *const words[] = {"t", "pi", "ground", "lambda", "time"};
  for (size_t i = 0; i < sizeof words/sizeof *words; i++)
    if (!strcmp(words[i], name)) return true;
  return pf_is_keyword(name);
}

static const char *kind_word(EntityKind kind)
{
  static const char *const words[] = {"parameter", "coordinate", "input", "speed", "definition",
                                      "function", "frame", "point", "part", "constraint",
                                      "name", "list", "part"};
  return words[kind];
}

static bool add_name(Checker *ck, Scope *scope, const char *key, Entity *entity)
{
  return pf_map_set(&scope->names, key, strlen(key), entity) || pf_check_no_memory(ck);
}

Entity *pf_scope_declare(Checker *ck, Scope *scope, const PfNode *node, const char *name, EntityKind kind)
{
  if (is_reserved(name)) {
    pf_check_fail(ck, PF_ERR_NAME, node, "'%s' has a meaning of its own and cannot be declared", name);
    return NULL;
  }
  bool local = kind == E_LET || kind == E_FUNCTION || kind == E_VALUE || kind == E_PART;
  bool indexed = strchr(name, '[') != NULL;
  const char *outer = indexed ? name : pf_print_text(ck, "%s%s", name, scope->suffix);
  Entity *known = pf_map_get(&scope->names, name, strlen(name));
  if (!known && !local) known = pf_map_get(&scope->home->names, outer, strlen(outer));
  if (known) {
    pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is already a %s", name, kind_word(known->kind));
    if (known->node) pf_check_hint(ck, "it was declared in line %u", known->node->line);
    return NULL;
  }
  Entity *entity = pf_arena_array(ck->arena, Entity, 1);
  if (!entity) {
    pf_check_no_memory(ck);
    return NULL;
  }
  entity->kind = kind;
  entity->name = pf_print_text(ck, "%s%s", scope->home->prefix, outer);
  entity->node = node;
  entity->scope = scope;
  entity->unit_text = "";
  if (!add_name(ck, scope, pf_print_text(ck, "%s", name), entity)) return NULL;
  if (!local && scope != scope->home && !add_name(ck, scope->home, outer, entity)) return NULL;
  return entity;
}

/* ---------------------------------------------------------------- finding */

Entity *pf_scope_find(const Scope *scope, const char *name)
{
  size_t length = strlen(name);
  for (; scope; scope = scope->parent) {
    Entity *entity = pf_map_get(&scope->names, name, length);
    if (entity) return entity;
  }
  return NULL;
}

/* The declared name that looks most like it, or NULL. */
static const char *nearest(const Scope *scope, const char *name)
{
  int best = strlen(name) <= 3 ? 1 : 2;
  const char *found = NULL;
  for (; scope; scope = scope->parent)
    for (size_t i = 0; i < scope->names.entries.count; i++) {
      const char *key = scope->names.entries.at[i].key;
      int distance = pf_name_distance(name, key, best);
      if (distance > best || (found && distance == best)) continue;
      found = key;
      best = distance;
    }
  return found;
}

static Entity *unknown(Checker *ck, Scope *scope, const PfNode *node, const char *name)
{
  const char *bracket = strchr(name, '[');
  Entity *list = NULL;
  if (bracket) list = pf_scope_find(scope, pf_print_text(ck, "%.*s", (int)(bracket - name), name));
  if (list && list->kind == E_ARRAY) {
    pf_check_fail(ck, PF_ERR_NAME, node, "'%s' does not exist: '%s' has the elements 1 to %d", name,
                  list->name, list->size);
    return NULL;
  }
  const char *similar = nearest(scope, name);
  if (similar) pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is not defined (did you mean '%s'?)", name, similar);
  else pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is not defined", name);
  return NULL;
}

static const char *spell_index(Checker *ck, Scope *scope, const char *name, const PfNode *index)
{
  int64_t value;
  if (!pf_integer_of(ck, scope, index, "an index", 0, 1000000000, &value)) return NULL;
  return pf_print_text(ck, "%s[%lld]", name, (long long)value);
}

const char *pf_spell_name(Checker *ck, Scope *scope, const PfNode *node)
{
  if (node->kind == PF_N_NAME) return node->text;
  if (node->kind == PF_N_INDEX) return spell_index(ck, scope, node->text, node->child);
  if (node->kind == PF_N_MEMBER && node->child->kind != PF_N_MEMBER) {
    const char *outer = pf_spell_name(ck, scope, node->child);
    return outer ? pf_print_text(ck, "%s.%s", outer, node->text) : NULL;
  }
  pf_check_fail(ck, PF_ERR_SYNTAX, node, "a name is expected here");
  return NULL;
}

/* w.psi: psi inside the part that was used as w; w.psi[2] comes as INDEX of a MEMBER's name. */
static Entity *lookup_member(Checker *ck, Scope *scope, const PfNode *node)
{
  Entity *outer = pf_scope_lookup(ck, scope, node->child);
  if (!outer) return NULL;
  if (outer->kind != E_SPACE) return outer;
  Entity *inner = pf_map_get(&outer->inside->names, node->text, strlen(node->text));
  return inner ? inner : unknown(ck, outer->inside, node, node->text);
}

Entity *pf_scope_lookup(Checker *ck, Scope *scope, const PfNode *node)
{
  if (node->kind == PF_N_MEMBER) return lookup_member(ck, scope, node);
  const char *name = pf_spell_name(ck, scope, node);
  if (!name) return NULL;
  Entity *entity = pf_scope_find(scope, name);
  return entity ? entity : unknown(ck, scope, node, name);
}

const char *pf_label_name(Checker *ck, Scope *scope, const PfNode *label)
{
  return label->child ? spell_index(ck, scope, label->text, label->child) : label->text;
}
