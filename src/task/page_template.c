/* SPDX-License-Identifier: Apache-2.0 */
/* Where the empty page is: named by the user, installed next to the program, or made in its source directory. */
#include "task/page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PF_SHARE_DIR
#define PF_SHARE_DIR "/usr/local/share/pfaff"
#endif

enum { LARGEST_PAGE = 64 << 20, LONGEST_PATH = 4096 };

/* The first that is there; false, with all of them in `tried`, when none is. */
static bool find_template(Page *p, char path[LONGEST_PATH], PfText *tried)
{
  char folder[LONGEST_PATH];
  pf_task_program_folder(folder, sizeof folder);
  const char *const places[][2] = {
    {folder, "/../share/pfaff/page.html"}, {folder, "/../page/dist/page.html"}, {PF_SHARE_DIR, "/page.html"}};
  for (size_t i = 0; i < sizeof places/sizeof *places; i++) {
    int length = places[i][0][0] ? snprintf(path, LONGEST_PATH, "%s%s", places[i][0], places[i][1]) : LONGEST_PATH;
    if (length >= LONGEST_PATH) continue;
    if (access(path, R_OK) == 0) {
      p->empty_name = pf_arena_text(p->s.arena, path, strlen(path));
      return p->empty_name != NULL;
    }
    pf_text_print(tried, "%s%s", tried->count ? ", " : "", path);
  }
  return false;
}

/* $PFAFF_SHARE is the folder of an installation that was moved. */
static PfStatus choose(Page *p)
{
  const char *share = getenv("PFAFF_SHARE");
  p->empty_name = p->options.page;
  if (p->empty_name) return PF_OK;
  if (!share || !*share) {
    /* In folders near the program and in those of installations. */
    char path[LONGEST_PATH];
    PfText tried;
    pf_text_init(&tried, pf_context_allocator(p->s.ctx));
    bool found = find_template(p, path, &tried);
    if (!found) {
      pf_fail(p->s.ctx, PF_ERR_MISSING, "this build cannot make pages: page.html is missing, there is none at %s",
              pf_text_get(&tried));
      pf_hint(p->s.ctx, "'make page' in the source directory makes it, 'make install' installs it, @template names "
              "another");
    }
    pf_text_free(&tried);
    return found ? PF_OK : PF_ERR_MISSING;
  }
  size_t room = strlen(share) + sizeof "/page.html";
  char *path = pf_arena_alloc(p->s.arena, room, 1);
  if (!path) return pf_no_room(p->s.ctx, "the page");
  snprintf(path, room, "%s/page.html", share);
  p->empty_name = path;
  return PF_OK;
}

PfStatus pf_page_find(Page *p)
{
  PF_TRY(choose(p));
  PfRequest read = p->options;
  read.page = p->empty_name;
  PF_TRY(pf_task_spare_files(p->s.ctx, &read, "out", p->options.out));
  return pf_file_read(p->s.ctx, p->s.arena, p->empty_name, LARGEST_PAGE, &p->empty, &p->empty_size);
}

void pf_task_program_folder(char *folder, size_t size)
{
  const ssize_t length = readlink("/proc/self/exe", folder, size - 1);
  folder[length > 0 ? length : 0] = 0;
  char *slash = strrchr(folder, '/');
  if (slash) *slash = 0;
}
