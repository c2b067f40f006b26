/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the case files (*.json) of a folder, schema spatial-recursion/1, against the tree module: everything a file
 * contains is checked. One line per case with the worst relative error, max|x - ref|/max|ref| of a quantity; exit code
 * 1 when one is above its limit.
 *
 *   spatial_cases <folder> [-v]      -v lists every quantity */
#include "cases.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int is_case(const struct dirent *entry)
{
  const size_t length = strlen(entry->d_name);
  return length > 5 && !strcmp(entry->d_name + length - 5, ".json");
}

/* The names of the files, in the arena, sorted. */
static int list_cases(PfArena *arena, const char *folder, char ***names)
{
  enum { MOST = 10000 };
  DIR *dir = opendir(folder);
  if (!dir) return -1;
  *names = pf_arena_array(arena, char *, MOST);
  int count = 0;
  for (const struct dirent *entry; *names && (entry = readdir(dir)) && count < MOST;)
    if (is_case(entry)) (*names)[count++] = pf_arena_text(arena, entry->d_name, strlen(entry->d_name));
  closedir(dir);
  if (*names) qsort(*names, (size_t)count, sizeof **names, by_name);
  return count;
}

int main(int argc, char **argv)
{
  if (argc < 2) {
    fprintf(stderr, "usage: spatial_cases <folder of case files> [-v]\n");
    return 2;
  }
  PfArena *arena = pf_arena_new(NULL);
  char **names = NULL;
  const int count = list_cases(arena, argv[1], &names);
  if (count <= 0) {
    fprintf(stderr, "spatial_cases: no case files in %s\n", argv[1]);
    pf_arena_free(arena);
    return 2;
  }
  int bad = 0;
  for (int i = 0; i < count; i++) bad += run_case(argv[1], names[i], argc > 2 && !strcmp(argv[2], "-v"));
  printf("%d of %d cases pass\n", count - bad, count);
  pf_arena_free(arena);
  return bad ? 1 : 0;
}
