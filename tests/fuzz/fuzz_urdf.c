/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reading of robots: what is imported is a text of the language in its own layout, with all names
 * different. */
#include "pfaff/import.h"
#include "pfaff/pfaff.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int truth, const char *what, const char *words)
{
  if (truth) return;
  fprintf(stderr, "does not hold: %s: %s\n", what, words);
  abort();
}

/* A robot may have no mass, or numbers that make no sense: that is said of a model. Names and syntax are ours. */
static void check_model(const char *text)
{
  PfContext *ctx = pf_context_new(NULL);
  PfModel *model = NULL;
  PfStatus status = pf_model_read(ctx, "robot.pf", text, strlen(text), &model);
  expect(status != PF_ERR_SYNTAX && status != PF_ERR_NAME && status != PF_ERR_UNIT, "the model can be read",
         pf_context_message(ctx));
  pf_model_free(model);
  pf_context_free(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  PfContext *ctx = pf_context_new(NULL);
  PfArena *arena = pf_arena_new(NULL);
  const char *text = NULL, *formatted = NULL;
  const char *wheels[] = {"wheel", "a:0.1"};
  const PfUrdf all[] = {{0}, {.base = PF_BASE_FREE, .actuators = "all"}, {.base = PF_BASE_PLANAR, .actuators = "all"},
                        {.base = PF_BASE_FREE, .wheels = wheels, .wheel_count = 2},
                        {.weld = "massless", .no_friction = true}};
  const PfUrdf options = all[size%(sizeof all/sizeof *all)];
  PfTree *tree = NULL;
  (void)pf_tree_from_urdf_text(ctx, arena, "fuzz.urdf", (const char *)data, size, &options, &tree, NULL);
  pf_tree_free(tree);
  pf_diagnostics_clear(ctx);
  PfStatus status = pf_import_urdf(ctx, arena, "fuzz.urdf", (const char *)data, size, &options, &text);
  expect(status == PF_OK || pf_error_count(ctx) > 0, "a failure is said", "");
  if (status == PF_OK) {
    status = pf_model_format(ctx, arena, "the model", text, strlen(text), &formatted);
    expect(status == PF_OK, "the text has a layout", pf_context_message(ctx));
    check_model(formatted);
  }
  pf_arena_free(arena);
  pf_context_free(ctx);
  return 0;
}
