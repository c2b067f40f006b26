/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes what 'pfaff plot' makes of tables: whatever stands in them, the picture is XML with finite numbers, and what
 * goes to the terminal cannot steer it. An input: a line of letters (l: --log, m: the last table is subtracted), a line
 * for --show, one for --against, and tables with a line === between them. */
#include "cli/cli.h"
#include "task/plot.h"

#include "expect.h"

#ifdef PF_HAVE_EXPAT
#include <expat.h>
#endif

enum { MOST_TABLES = 4 };

/* ---------------------------------------------------------------- the input */

typedef struct Input {
  PfRequest options;
  bool subtracts;
  int count;
  char *table[MOST_TABLES];
  size_t size[MOST_TABLES];
} Input;

/* In memory of its own, so that no byte beyond is read unseen. */
static void add_table(Input *in, const char *text, size_t size)
{
  char *own = malloc(size + 1);
  expect(own != NULL, "there is memory");
  memcpy(own, text, size);
  own[size] = 0;
  in->size[in->count] = size;
  in->table[in->count++] = own;
}

static const char *find_separator(const char *text, const char *end)
{
  for (; end - text >= 4; text++)
    if (!memcmp(text, "===\n", 4)) return text;
  return NULL;
}

static const char *next_line(PfArena *arena, const char **text, const char *end)
{
  const char *first = *text, *last = first < end ? memchr(first, '\n', (size_t)(end - first)) : NULL;
  *text = last ? last + 1 : end;
  return pf_arena_text(arena, first, (size_t)((last ? last : end) - first));
}

static void read_input(PfArena *arena, const char *text, const char *end, Input *in)
{
  const char *letters = next_line(arena, &text, end), *show = next_line(arena, &text, end),
             *against = next_line(arena, &text, end);
  expect(letters && show && against, "there is memory");
  in->options = (PfRequest){.log = strchr(letters, 'l'), .show = *show ? show : NULL,
                          .against = *against ? against : NULL};
  in->subtracts = strchr(letters, 'm');
  for (const char *next = text; next && in->count < MOST_TABLES; text = next ? next + 4 : NULL) {
    next = find_separator(text, end);
    add_table(in, text, (size_t)((next ? next : end) - text));
  }
}

/* ---------------------------------------------------------------- the picture */

#ifdef PF_HAVE_EXPAT
/* No file says what stands in attributes: they are numbers and words of ours. */
static void check_element(void *user, const XML_Char *name, const XML_Char **attributes)
{
  (void)user, (void)name;
  for (; attributes[0]; attributes += 2)
    expect(!strstr(attributes[1], "nan") && !strstr(attributes[1], "inf"), "numbers of a picture are finite");
}

static void check_xml(const char *text, size_t count)
{
  XML_Parser parser = XML_ParserCreate("UTF-8");
  expect(parser != NULL, "there is memory");
  XML_SetStartElementHandler(parser, check_element);
  bool good = XML_Parse(parser, text, (int)count, 1) == XML_STATUS_OK;
  if (!good) dprintf(2, "%s\n%s\n", XML_ErrorString(XML_GetErrorCode(parser)), text);
  expect(good, "a picture is well-formed XML");
  XML_ParserFree(parser);
}
#else
static void check_xml(const char *text, size_t count)
{
  (void)text, (void)count;
}
#endif

static void check_pictures(const Plot *plot)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(plot->ctx));
  pf_plot_print(plot, &text);
  expect_characters(pf_text_get(&text), text.count, "\n");
  pf_text_free(&text);
  pf_text_init(&text, pf_context_allocator(plot->ctx));
  expect(pf_plot_svg(plot, &text) == PF_OK, "what can be shown in the terminal can be drawn");
  expect_characters(pf_text_get(&text), text.count, "\n");
  check_xml(pf_text_get(&text), text.count);
  pf_text_free(&text);
}

/* ---------------------------------------------------------------- all */

static PfStatus load(Plot *plot, const Input *in)
{
  static const char *const labels[MOST_TABLES] = {"a.csv", "b.csv", "c.csv", "d.csv"};
  int subtracted = in->subtracts && in->count > 1 ? in->count - 1 : in->count;
  for (int i = 0; i < subtracted; i++) {
    plot->source[plot->source_count++].label = labels[i];
    PF_TRY(pf_table_parse(plot->ctx, plot->arena, labels[i], in->table[i], in->size[i], &plot->source[i].table));
  }
  if (subtracted == in->count) return PF_OK;
  Table table = {0};
  plot->minus = labels[subtracted];
  PfStatus status = pf_table_parse(plot->ctx, plot->arena, plot->minus, in->table[subtracted], in->size[subtracted],
                                   &table);
  for (int i = 0; i < subtracted && status == PF_OK; i++) status = pf_plot_subtract(plot, plot->source + i, &table);
  pf_table_free(plot->ctx, &table);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Input in = {.count = 0};
  Plot plot = {.options = &in.options, .ctx = pf_context_new(NULL), .arena = pf_arena_new(NULL)};
  expect(plot.ctx && plot.arena, "there is memory");
  read_input(plot.arena, (const char *)data, (const char *)data + size, &in);
  PfStatus status = load(&plot, &in);
  if (status == PF_OK) status = pf_plot_choose(&plot);
  expect(status == PF_OK || pf_error_count(plot.ctx) > 0, "a failure is said");
  if (status == PF_OK) check_pictures(&plot);
  pf_plot_free(&plot);
  for (int i = 0; i < in.count; i++) free(in.table[i]);
  pf_arena_free(plot.arena);
  pf_context_free(plot.ctx);
  return 0;
}
