/* SPDX-License-Identifier: Apache-2.0 */
/* --out: the kind of file that a name asks for, and whether the place can be written. */
#include "cli/cli.h"
#include "out/file.h"

#include <string.h>

const char *pf_cli_base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

static const char *ending(const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  return dot && dot != name ? dot + 1 : NULL;
}

static const char *kind_of(const Options *options, const char *path)
{
  const char *const *kind = options->command->writes;
  const char *end = ending(path), *first = *kind;
  for (; end && *kind; kind++) {
    const char *own = *kind;
    if (!strcmp(own, end)) return own;
  }
  return !end && !pf_out_is_regular(path) ? first : NULL;
}

const char *pf_cli_out_kind(const Options *options)
{
  return kind_of(options, options->out);
}

bool pf_cli_out_is(const Options *options, const char *kind)
{
  const char *own = pf_cli_out_kind(options);
  return own && !strcmp(own, kind);
}

static bool is_standard(const char *path)
{
  return !strcmp(path, "-") || !strcmp(path, "/dev/stdout");
}

bool pf_cli_out_is_standard(const Options *options)
{
  return options->out && is_standard(options->out);
}

void pf_cli_list_endings(const Command *command, const char *last, char list[LONGEST_LIST])
{
  list[0] = 0;
  for (int i = 0; command->writes[i]; i++) {
    size_t used = strlen(list);
    snprintf(list + used, LONGEST_LIST - used, "%s.%s", !i ? "" : command->writes[i + 1] ? ", " : last,
             command->writes[i]);
  }
}

static PfStatus refuse(PfContext *ctx, const Options *options, const char *option, const char *path)
{
  char list[LONGEST_LIST];
  pf_cli_list_endings(options->command, " or ", list);
  return pf_fail(ctx, PF_ERR_ARGUMENT, "--%s %s: the name must end in %s", option, path, list);
}

/* --poses goes beside what --out writes, never to the same place. */
static PfStatus check_poses(PfContext *ctx, const Options *options)
{
  const char *path = options->poses;
  if (is_standard(path))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "--poses %s: standard output is taken by the summary", path);
  if (!kind_of(options, path)) return refuse(ctx, options, "poses", path);
  if (options->out && !strcmp(options->out, path))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "--poses and --out: both would write '%s'", path);
  return pf_out_check(ctx, path);
}

PfStatus pf_cli_check_out(PfContext *ctx, const Options *options)
{
  if (options->write && !strcmp(options->file, "-"))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "-w: what comes from standard input has no file that could be written");
  if (options->poses) PF_TRY(check_poses(ctx, options));
  if (!options->out) return PF_OK;
  if (!pf_cli_out_kind(options)) return refuse(ctx, options, "out", options->out);
  if (options->json && pf_cli_out_is_standard(options))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "--json and --out %s: standard output takes one of them", options->out);
  PF_TRY(pf_picture_check(ctx, options->out, pf_picture_kind(pf_cli_out_kind(options)), PF_RENDER_LIBRARY));
  return pf_out_check(ctx, options->out);
}

PfStatus pf_cli_put(PfContext *ctx, const Options *options, const PfText *text)
{
  FILE *out = options->console->out;
  if (!pf_cli_out_is_standard(options) || out == stdout) return pf_out_text(ctx, options->out, text);
  bool good = fwrite(pf_text_get(text), 1, text->count, out) == text->count;
  return good ? PF_OK : pf_no_room(ctx, "the result");
}

PfStatus pf_cli_write(PfContext *ctx, const Options *options, const PfText *text)
{
  PfPictureKind kind = pf_picture_kind(pf_cli_out_kind(options));
  if (kind == PF_PICTURE_NONE || kind == PF_PICTURE_SVG) return pf_cli_put(ctx, options, text);
  PfText bytes;
  pf_text_init(&bytes, pf_context_allocator(ctx));
  PfStatus status = pf_render(ctx, kind, text, &bytes);
  if (status == PF_OK) status = pf_cli_put(ctx, options, &bytes);
  pf_text_free(&bytes);
  return status;
}

int pf_cli_put_aside(PfContext *ctx, const Options *options, const char *summary)
{
  PfText shown;
  pf_text_init(&shown, pf_context_allocator(ctx));
  pf_text_add_escaped(&shown, summary, strlen(summary), "\n\t");
  fputs(pf_text_get(&shown), options->console->err);
  pf_text_free(&shown);
  return PF_EXIT_OK;
}
