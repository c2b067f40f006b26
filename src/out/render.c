/* SPDX-License-Identifier: Apache-2.0 */
/* SVG to PNG and PDF: librsvg and cairo live here only. They come with forty more libraries, so they are loaded when a
 * picture is drawn and not when the program starts; what runs without them runs where they are not installed. */
#include "out/chart.h"

#ifndef PF_HAVE_RSVG

PfStatus pf_render_check(PfContext *ctx, const char *library)
{
  (void)library;
  return pf_fail(ctx, PF_ERR_MISSING, "this build writes .svg only: librsvg was not found when it was built");
}

PfStatus pf_render(PfContext *ctx, PfPictureKind kind, const PfText *svg, PfText *bytes)
{
  (void)kind, (void)svg, (void)bytes;
  return pf_render_check(ctx, PF_RENDER_LIBRARY);
}

#else

#include <cairo-pdf.h>
#include <dlfcn.h>
#include <librsvg/rsvg.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* PNG: two pixels for one, for paper and for fine screens. PDF: the page of 720 pixels is 17.2 cm wide, two columns of
 * a paper. */
static const double png_scale = 2, pdf_scale = 17.2/2.54*72/720;

/* What is used of librsvg, and of the cairo and glib that it brings along: result, name, arguments. */
#define FUNCTIONS(USE) \
  USE(RsvgHandle *, rsvg_handle_new_from_data, (const guint8 *, gsize, GError **)) \
  USE(gboolean, rsvg_handle_get_intrinsic_size_in_pixels, (RsvgHandle *, gdouble *, gdouble *)) \
  USE(gboolean, rsvg_handle_render_document, (RsvgHandle *, cairo_t *, const RsvgRectangle *, GError **)) \
  USE(void, g_object_unref, (gpointer)) \
  USE(void, g_error_free, (GError *)) \
  USE(cairo_t *, cairo_create, (cairo_surface_t *)) \
  USE(void, cairo_destroy, (cairo_t *)) \
  USE(cairo_status_t, cairo_status, (cairo_t *)) \
  USE(const char *, cairo_status_to_string, (cairo_status_t)) \
  USE(cairo_surface_t *, cairo_image_surface_create, (cairo_format_t, int, int)) \
  USE(cairo_status_t, cairo_surface_write_to_png_stream, (cairo_surface_t *, cairo_write_func_t, void *)) \
  USE(cairo_surface_t *, cairo_pdf_surface_create_for_stream, (cairo_write_func_t, void *, double, double)) \
  USE(void, cairo_pdf_surface_set_metadata, (cairo_surface_t *, cairo_pdf_metadata_t, const char *)) \
  USE(cairo_status_t, cairo_surface_status, (cairo_surface_t *)) \
  USE(void, cairo_surface_finish, (cairo_surface_t *)) \
  USE(void, cairo_surface_destroy, (cairo_surface_t *))

#define AGREE(result, name, arguments) _Static_assert(_Generic(&name, result(*) arguments : 1, default : 0), #name);
FUNCTIONS(AGREE)

#define MEMBER(result, name, arguments) result(*name) arguments;
typedef struct Renderer {
  PfContext *ctx;
  void *library;
  FUNCTIONS(MEMBER)
} Renderer;

#define ENTRY(result, name, arguments) {#name, offsetof(Renderer, name)},
static const struct {
  const char *name;
  size_t at;
} entries[] = {FUNCTIONS(ENTRY)};

static PfStatus missing(PfContext *ctx)
{
  const char *why = dlerror();
  return pf_fail(ctx, PF_ERR_MISSING, ".png and .pdf need librsvg (Debian: librsvg2-2), which cannot be loaded: %s",
                 why ? why : "no reason given");
}

/* A search in a library goes on in those that it needs: one is opened for all. glib cannot be taken out of memory
 * again, so it stays there when it is closed. */
static PfStatus load(Renderer *r, PfContext *ctx, const char *library)
{
  *r = (Renderer){.ctx = ctx, .library = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
  if (!r->library) return missing(ctx);
  for (size_t i = 0; i < sizeof entries/sizeof *entries; i++) {
    void *address = dlsym(r->library, entries[i].name);
    if (!address) {
      PfStatus status = missing(ctx);
      dlclose(r->library);
      return status;
    }
    memcpy((char *)r + entries[i].at, &address, sizeof address);
  }
  return PF_OK;
}

PfStatus pf_render_check(PfContext *ctx, const char *library)
{
  Renderer r;
  PF_TRY(load(&r, ctx, library));
  dlclose(r.library);
  return PF_OK;
}

static cairo_status_t take_bytes(void *user, const unsigned char *bytes, unsigned int count)
{
  PfText *text = user;
  pf_text_put(text, (const char *)bytes, count);
  return text->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static PfStatus check(const Renderer *r, cairo_status_t status)
{
  if (status == CAIRO_STATUS_SUCCESS) return PF_OK;
  return pf_fail(r->ctx, status == CAIRO_STATUS_NO_MEMORY ? PF_ERR_MEMORY : PF_ERR_FILE,
                 "the picture cannot be drawn: %s", r->cairo_status_to_string(status));
}

static PfStatus failed(const Renderer *r, GError *error)
{
  pf_fail(r->ctx, PF_ERR_FILE, "the picture cannot be drawn: %s", error ? error->message : "librsvg gave no reason");
  if (error) r->g_error_free(error);
  return PF_ERR_FILE;
}

static PfStatus draw(const Renderer *r, RsvgHandle *handle, cairo_surface_t *surface, double width, double height)
{
  GError *error = NULL;
  RsvgRectangle page = {0, 0, width, height};
  PF_TRY(check(r, r->cairo_surface_status(surface)));
  cairo_t *cairo = r->cairo_create(surface);
  gboolean good = r->rsvg_handle_render_document(handle, cairo, &page, &error);
  cairo_status_t status = r->cairo_status(cairo);
  r->cairo_destroy(cairo);
  return good ? check(r, status) : failed(r, error);
}

static PfStatus to_png(const Renderer *r, RsvgHandle *handle, double width, double height, PfText *bytes)
{
  double w = ceil(width*png_scale), h = ceil(height*png_scale);
  cairo_surface_t *surface = r->cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)w, (int)h);
  PfStatus status = draw(r, handle, surface, w, h);
  if (status == PF_OK) status = check(r, r->cairo_surface_write_to_png_stream(surface, take_bytes, bytes));
  r->cairo_surface_destroy(surface);
  return status;
}

/* The same picture gives the same bytes: there is no date in it but that of the epoch. */
static PfStatus to_pdf(const Renderer *r, RsvgHandle *handle, double width, double height, PfText *bytes)
{
  double w = width*pdf_scale, h = height*pdf_scale;
  cairo_surface_t *surface = r->cairo_pdf_surface_create_for_stream(take_bytes, bytes, w, h);
  r->cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
  r->cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "pfaff");
  PfStatus status = draw(r, handle, surface, w, h);
  r->cairo_surface_finish(surface);
  if (status == PF_OK) status = check(r, r->cairo_surface_status(surface));
  r->cairo_surface_destroy(surface);
  return status;
}

static PfStatus render(const Renderer *r, PfPictureKind kind, const PfText *svg, PfText *bytes)
{
  GError *error = NULL;
  gdouble width = 0, height = 0;
  RsvgHandle *handle = r->rsvg_handle_new_from_data((const guint8 *)pf_text_get(svg), svg->count, &error);
  if (!handle) return failed(r, error);
  PfStatus status = PF_OK;
  if (!r->rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height)) status = failed(r, NULL);
  else if (kind == PF_PICTURE_PNG) status = to_png(r, handle, width, height, bytes);
  else status = to_pdf(r, handle, width, height, bytes);
  r->g_object_unref(handle);
  return status;
}

PfStatus pf_render(PfContext *ctx, PfPictureKind kind, const PfText *svg, PfText *bytes)
{
  Renderer r;
  if (svg->failed) return pf_no_room(ctx, "the picture");
  PF_TRY(load(&r, ctx, PF_RENDER_LIBRARY));
  PfStatus status = render(&r, kind, svg, bytes);
  dlclose(r.library);
  return status;
}

#endif
