/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the XML of a robot by expat. This is the only file that knows expat. */
#include "import/urdf.h"

#ifdef PF_HAVE_EXPAT

#include "base/library.h"

#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum Section { SECTION_OTHER, SECTION_LINK, SECTION_JOINT, SECTION_TRANSMISSION } Section;

/* What a link has: one of the elements below it. */
typedef enum Piece { PIECE_OTHER, PIECE_INERTIAL, PIECE_VISUAL, PIECE_COLLISION } Piece;

/* PF_EXPAT_FILE is the library to load when a robot is read; without it, it is linked. */
#define FUNCTIONS(USE) \
  USE(XML_GetCurrentByteIndex) USE(XML_GetCurrentLineNumber) USE(XML_GetCurrentColumnNumber) USE(XML_StopParser) \
  USE(XML_SetUserData) USE(XML_SetElementHandler) USE(XML_SetStartDoctypeDeclHandler) USE(XML_Parse) \
  USE(XML_ErrorString) USE(XML_GetErrorCode) USE(XML_ParserCreate) USE(XML_ParserFree)

typedef struct Expat {
  FUNCTIONS(PF_LIBRARY_MEMBER)
} Expat;

typedef struct Reader {
  PfContext *ctx;
  const Expat *expat;
  PfArena *arena;
  const char *file, *bytes;
  size_t count;
  XML_Parser parser;
  PfStatus status;
  int depth;
  Section section;    /* the element of depth 2 we are in */
  Piece piece;        /* the element of depth 3 */
  UrdfPose shape;     /* of this visual or collision */
  double radius;
  const char *name;
  PF_ARRAY(const char *) transmissions;
  PF_ARRAY(UrdfLink) links;
  PF_ARRAY(UrdfJoint) joints;
} Reader;

/* ---------------------------------------------------------------- where, and what is wrong */

/* The line itself only when it is not long: files of programs are often one line of megabytes. */
static PfPlace place_here(Reader *r)
{
  enum { LONGEST_SHOWN = 1000 };
  XML_Index index = r->expat->XML_GetCurrentByteIndex(r->parser);
  size_t at = index > 0 ? (size_t)index : 0, begin, end;
  if (at > r->count) at = r->count;
  for (begin = at; begin > 0 && r->bytes[begin - 1] != '\n' && at - begin <= LONGEST_SHOWN; begin--) continue;
  for (end = at; end < r->count && r->bytes[end] != '\n' && end - begin <= LONGEST_SHOWN; end++) continue;
  const char *line = end - begin > LONGEST_SHOWN ? NULL : pf_arena_text(r->arena, r->bytes + begin, end - begin);
  return (PfPlace){r->file, line, (int)r->expat->XML_GetCurrentLineNumber(r->parser),
                   (int)r->expat->XML_GetCurrentColumnNumber(r->parser) + 1, 1};
}

static void stop(Reader *r, PfStatus status)
{
  if (r->status == PF_OK) r->status = status;
  r->expat->XML_StopParser(r->parser, XML_FALSE);
}

static void no_room(Reader *r)
{
  stop(r, pf_no_room(r->ctx, "the robot"));
}

/* ---------------------------------------------------------------- attributes */

static const char *attribute(const char **attributes, const char *name)
{
  for (; attributes[0]; attributes += 2)
    if (!strcmp(attributes[0], name)) return attributes[1];
  return NULL;
}

static const char *copy(Reader *r, const char *text)
{
  const char *kept = pf_arena_text(r->arena, text, strlen(text));
  if (!kept) no_room(r);
  return kept;
}

static const char *needed(Reader *r, const char *element, const char **attributes, const char *name)
{
  const char *value = attribute(attributes, name);
  if (value && *value) return copy(r, value);
  stop(r, pf_fail_at(r->ctx, PF_ERR_SYNTAX, place_here(r), "<%s> has no attribute '%s'", element, name));
  return "";
}

/* `count` numbers between blanks; the values stay as they are when the attribute is absent. */
static void numbers(Reader *r, const char *element, const char **attributes, const char *name, int count, double *out)
{
  const char *text = attribute(attributes, name);
  if (!text) return;
  const char *at = text;
  double value[3];
  int read = 0;
  for (; read < count; read++) {
    char *end;
    value[read] = pf_read_double(at, &end);
    if (end == at || !isfinite(value[read])) break;
    at = end;
  }
  at += strspn(at, " \t\r\n");
  if (read < count || *at) {
    stop(r, pf_fail_at(r->ctx, PF_ERR_SYNTAX, place_here(r), "%s=\"%.60s\" of <%s> should be %d number%s", name, text,
                       element, count, count > 1 ? "s" : ""));
    return;
  }
  memcpy(out, value, (size_t)count*sizeof *out);
}

static void number(Reader *r, const char *element, const char **attributes, const char *name, double *out)
{
  numbers(r, element, attributes, name, 1, out);
}

static void read_pose(Reader *r, const char **attributes, UrdfPose *pose)
{
  numbers(r, "origin", attributes, "xyz", 3, pose->at);
  numbers(r, "origin", attributes, "rpy", 3, pose->rpy);
}

/* ---------------------------------------------------------------- links */

static void begin_link(Reader *r, const char **attributes)
{
  UrdfLink link = {.name = needed(r, "link", attributes, "name"), .place = place_here(r), .joint = -1};
  if (!pf_push(pf_context_allocator(r->ctx), &r->links, link)) no_room(r);
}

static void read_inertial(Reader *r, const char *element, const char **attributes)
{
  static const char *const entries[6] = {"ixx", "iyy", "izz", "ixy", "iyz", "ixz"};
  UrdfLink *link = r->links.at + r->links.count - 1;
  if (!strcmp(element, "origin")) read_pose(r, attributes, &link->center);
  if (!strcmp(element, "mass")) number(r, element, attributes, "value", &link->mass);
  if (!strcmp(element, "inertia"))
    for (int i = 0; i < 6; i++) number(r, element, attributes, entries[i], link->inertia + i);
  if (link->mass < 0)
    stop(r, pf_fail_at(r->ctx, PF_ERR_MODEL, place_here(r), "the mass of the link '%s' is negative", link->name));
}

static Piece piece_of(const char *element)
{
  if (!strcmp(element, "inertial")) return PIECE_INERTIAL;
  if (!strcmp(element, "visual")) return PIECE_VISUAL;
  return !strcmp(element, "collision") ? PIECE_COLLISION : PIECE_OTHER;
}

static void begin_piece(Reader *r, const char *element)
{
  r->piece = piece_of(element);
  r->shape = (UrdfPose){0};
  r->radius = 0;
}

/* The radius is that of a wheel, should the link be one. The first shape that has one counts, for collision before for
 * the eye. */
static void end_piece(Reader *r)
{
  UrdfLink *link = r->links.at + r->links.count - 1;
  bool counts = r->radius > 0 && (link->radius == 0 || (r->piece == PIECE_COLLISION && link->shape_is_visual));
  if (!counts) return;
  link->radius = r->radius;
  link->shape = r->shape;
  link->shape_is_visual = r->piece == PIECE_VISUAL;
}

static void read_shape(Reader *r, const char *element, const char **attributes)
{
  if (r->depth == 4 && !strcmp(element, "origin")) read_pose(r, attributes, &r->shape);
  if (r->depth == 5 && (!strcmp(element, "cylinder") || !strcmp(element, "sphere")))
    number(r, element, attributes, "radius", &r->radius);
}

/* ---------------------------------------------------------------- joints */

static const struct {
  const char *name;
  UrdfKind kind;
} kinds[] = {{"fixed", URDF_FIXED},         {"revolute", URDF_REVOLUTE}, {"continuous", URDF_REVOLUTE},
             {"prismatic", URDF_PRISMATIC}, {"planar", URDF_PLANAR},     {"floating", URDF_FLOATING}};

static void begin_joint(Reader *r, const char **attributes)
{
  UrdfJoint joint = {.name = needed(r, "joint", attributes, "name"), .parent_name = "", .child_name = "",
                     .place = place_here(r),
                     .axis = {1, 0, 0}, .lower = -INFINITY, .upper = INFINITY, .multiplier = 1, .parent = -1,
                     .child = -1, .mimics = -1};
  const char *type = needed(r, "joint", attributes, "type");
  size_t i = 0;
  while (i < sizeof kinds/sizeof *kinds && strcmp(type, kinds[i].name) != 0) i++;
  if (i < sizeof kinds/sizeof *kinds) {
    joint.kind = kinds[i].kind;
  } else if (r->status == PF_OK) {
    stop(r, pf_fail_at(r->ctx, PF_ERR_MODEL, joint.place, "the joint '%s' is of the unknown type '%.40s'", joint.name,
                       type));
    pf_hint(r->ctx, "URDF has fixed, revolute, continuous, prismatic, planar and floating");
  }
  if (!pf_push(pf_context_allocator(r->ctx), &r->joints, joint)) no_room(r);
}

static void read_axis(Reader *r, const char **attributes, UrdfJoint *joint)
{
  double *a = joint->axis;
  numbers(r, "axis", attributes, "xyz", 3, a);
  double length = hypot(hypot(a[0], a[1]), a[2]);
  if (length > 0) return;
  stop(r, pf_fail_at(r->ctx, PF_ERR_MODEL, place_here(r), "the axis of the joint '%s' has no direction", joint->name));
}

static void read_joint_piece(Reader *r, const char *element, const char **attributes)
{
  UrdfJoint *joint = r->joints.at + r->joints.count - 1;
  if (!strcmp(element, "origin")) read_pose(r, attributes, &joint->origin);
  if (!strcmp(element, "parent")) joint->parent_name = needed(r, element, attributes, "link");
  if (!strcmp(element, "child")) joint->child_name = needed(r, element, attributes, "link");
  if (!strcmp(element, "axis")) read_axis(r, attributes, joint);
  if (!strcmp(element, "mimic")) {
    joint->mimic_name = needed(r, element, attributes, "joint");
    number(r, element, attributes, "multiplier", &joint->multiplier);
    number(r, element, attributes, "offset", &joint->offset);
  }
  if (!strcmp(element, "dynamics")) {
    number(r, element, attributes, "damping", &joint->damping);
    number(r, element, attributes, "friction", &joint->friction);
  }
  if (!strcmp(element, "limit")) {
    joint->has_limits = attribute(attributes, "lower") || attribute(attributes, "upper");
    joint->lower = joint->upper = 0; /* what URDF means when one is absent */
    number(r, element, attributes, "lower", &joint->lower);
    number(r, element, attributes, "upper", &joint->upper);
  }
}

static void read_transmission(Reader *r, const char **attributes)
{
  const char *name = needed(r, "joint", attributes, "name");
  if (!pf_push(pf_context_allocator(r->ctx), &r->transmissions, name)) no_room(r);
}

/* ---------------------------------------------------------------- elements */

static void begin_document(Reader *r, const char *element, const char **attributes)
{
  if (!strcmp(element, "robot")) {
    const char *name = attribute(attributes, "name");
    r->name = name ? copy(r, name) : "robot";
    return;
  }
  stop(r, pf_fail_at(r->ctx, PF_ERR_SYNTAX, place_here(r), "this is no URDF: its element is <%.40s>, not <robot>",
                     element));
  if (!strcmp(element, "sdf")) pf_hint(r->ctx, "SDF is another format; most tools can save URDF as well");
}

static void begin_section(Reader *r, const char *element, const char **attributes)
{
  r->section = SECTION_OTHER;
  if (!strcmp(element, "link")) {
    r->section = SECTION_LINK;
    begin_link(r, attributes);
  } else if (!strcmp(element, "joint")) {
    r->section = SECTION_JOINT;
    begin_joint(r, attributes);
  } else if (!strcmp(element, "transmission")) {
    r->section = SECTION_TRANSMISSION;
  } else if (!strncmp(element, "xacro:", 6)) {
    stop(r, pf_fail_at(r->ctx, PF_ERR_SYNTAX, place_here(r), "<%.40s> is a macro, which URDF does not have", element));
    pf_hint(r->ctx, "expand the file first: xacro FILE > robot.urdf");
  }
}

static void XMLCALL on_start(void *user, const char *element, const char **attributes)
{
  Reader *r = user;
  r->depth++;
  if (r->status != PF_OK) return;
  if (r->depth == 1) begin_document(r, element, attributes);
  if (r->depth == 2) begin_section(r, element, attributes);
  if (r->depth == 3 && r->section == SECTION_LINK) begin_piece(r, element);
  if (r->depth == 3 && r->section == SECTION_JOINT) read_joint_piece(r, element, attributes);
  if (r->depth == 3 && r->section == SECTION_TRANSMISSION && !strcmp(element, "joint"))
    read_transmission(r, attributes);
  if (r->depth == 4 && r->section == SECTION_LINK && r->piece == PIECE_INERTIAL) read_inertial(r, element, attributes);
  if (r->section == SECTION_LINK && r->piece > PIECE_INERTIAL) read_shape(r, element, attributes);
}

static void XMLCALL on_end(void *user, const char *element)
{
  (void)element;
  Reader *r = user;
  if (r->depth == 3 && r->section == SECTION_LINK && r->status == PF_OK) end_piece(r);
  r->depth--;
}

/* A document type can define entities that grow without end; URDF has no use for one. */
static void XMLCALL on_doctype(void *user, const char *name, const char *system, const char *public, int internal)
{
  (void)name, (void)system, (void)public, (void)internal;
  Reader *r = user;
  stop(r, pf_fail_at(r->ctx, PF_ERR_SYNTAX, place_here(r), "a document type is not read"));
  pf_hint(r->ctx, "remove the line <!DOCTYPE …>");
}

static PfStatus parse(Reader *r)
{
  enum { PIECE = 1 << 20 };
  r->expat->XML_SetUserData(r->parser, r);
  r->expat->XML_SetElementHandler(r->parser, on_start, on_end);
  r->expat->XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
  for (size_t at = 0; r->status == PF_OK;) {
    if (pf_check_cancelled(r->ctx) != PF_OK) return PF_ERR_CANCELLED;
    size_t size = r->count - at < PIECE ? r->count - at : PIECE;
    bool last = at + size == r->count;
    if (r->expat->XML_Parse(r->parser, r->bytes + at, (int)size, last) == XML_STATUS_ERROR && r->status == PF_OK)
      r->status = pf_fail_at(r->ctx, PF_ERR_SYNTAX, place_here(r), "not well-formed XML: %s",
                             r->expat->XML_ErrorString(r->expat->XML_GetErrorCode(r->parser)));
    if (last) break;
    at += size;
  }
  return r->status;
}

static PfStatus keep(Reader *r, UrdfRobot *robot)
{
  robot->name = r->name;
  robot->link_count = (int)r->links.count;
  robot->joint_count = (int)r->joints.count;
  robot->links = pf_arena_array(r->arena, UrdfLink, r->links.count);
  robot->joints = pf_arena_array(r->arena, UrdfJoint, r->joints.count);
  robot->transmission_count = (int)r->transmissions.count;
  robot->transmissions = pf_arena_array(r->arena, const char *, r->transmissions.count);
  if (!robot->links || !robot->joints || !robot->transmissions) return pf_no_room(r->ctx, "the robot");
  if (r->links.count) memcpy(robot->links, r->links.at, r->links.count*sizeof *r->links.at);
  if (r->joints.count) memcpy(robot->joints, r->joints.at, r->joints.count*sizeof *r->joints.at);
  for (size_t i = 0; i < r->transmissions.count; i++) robot->transmissions[i] = r->transmissions.at[i];
  return PF_OK;
}

#ifdef PF_EXPAT_FILE

static PfStatus open_expat(PfContext *ctx, const Expat **expat)
{
  static const char *const names[] = {FUNCTIONS(PF_LIBRARY_NAME)};
  enum { COUNT = sizeof names/sizeof *names };
  static const PfLibrary library = {PF_EXPAT_FILE, names, COUNT, COUNT, NULL};
  const void *functions;
  PfStatus status = pf_library_require(ctx, &library, "URDF is read by expat (Debian: libexpat1)", &functions);
  *expat = functions;
  return status;
}

#else

static PfStatus open_expat(PfContext *ctx, const Expat **expat)
{
  static const Expat linked = {FUNCTIONS(PF_LIBRARY_LINKED)};
  (void)ctx;
  *expat = &linked;
  return PF_OK;
}

#endif

PfStatus pf_urdf_read(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                      UrdfRobot *robot)
{
  const Expat *expat;
  PF_TRY(open_expat(ctx, &expat));
  Reader r = {.ctx = ctx, .expat = expat, .arena = arena, .file = file, .bytes = bytes, .count = count,
              .parser = expat->XML_ParserCreate(NULL)};
  if (!r.parser) return pf_no_room(ctx, "the XML reader");
  PfStatus status = parse(&r);
  if (status == PF_OK) status = keep(&r, robot);
  pf_array_free(pf_context_allocator(ctx), &r.links);
  pf_array_free(pf_context_allocator(ctx), &r.joints);
  pf_array_free(pf_context_allocator(ctx), &r.transmissions);
  expat->XML_ParserFree(r.parser);
  return status;
}

#else

PfStatus pf_urdf_read(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                      UrdfRobot *robot)
{
  (void)arena, (void)file, (void)bytes, (void)count, (void)robot;
  pf_fail(ctx, PF_ERR_MISSING, "this build cannot read XML, so it cannot read URDF");
  pf_hint(ctx, "build it where expat is installed (libexpat1-dev on Debian)");
  return PF_ERR_MISSING;
}

#endif
