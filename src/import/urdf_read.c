/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the XML of a robot by expat. This is the only file that knows expat. Its calls for start and end tags are
 * sorted by the depth of the element and by the elements around it. */
#include "import/urdf.h"

#ifdef PF_HAVE_EXPAT

#include "base/library.h"

#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef enum Section {
  SECTION_OTHER,
  SECTION_LINK,
  SECTION_JOINT,
  SECTION_TRANSMISSION,
  SECTION_LOOP /* <constraint> */
} Section;

/* One of the elements below a link. */
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
  size_t count, begin; /* bytes; where the document begins after blanks */
  int first_line, first_column; /* of the document, from 0 */
  XML_Parser parser;
  PfStatus status;
  int depth;
  Section section;    /* the element of depth 2 we are in */
  Piece piece;        /* the element of depth 3 */
  unsigned seen[2];   /* the elements of `singles` that the element of depth 2 and the one of depth 3 have had */
  UrdfPose shape;     /* of this visual or collision */
  double radius;
  const char *name;
  PF_ARRAY(const char *) transmissions;
  PF_ARRAY(UrdfLink) links;
  PF_ARRAY(UrdfJoint) joints;
  PF_ARRAY(UrdfLoop) loops;
  int mesh_count;
  PfPlace first_mesh;
} Reader;

/* ---------------------------------------------------------------- places and failures */

/* The place of the present tag; with the line itself only when it is not long: files of programs are often one line of
 * megabytes. */
static PfPlace place_here(Reader *r)
{
  enum { LONGEST_SHOWN = 1000 };
  XML_Index index = r->expat->XML_GetCurrentByteIndex(r->parser);
  size_t at = r->begin + (index > 0 ? (size_t)index : 0), begin, end;
  if (at > r->count) at = r->count;
  for (begin = at; begin > 0 && r->bytes[begin - 1] != '\n' && at - begin <= LONGEST_SHOWN; begin--) continue;
  for (end = at; end < r->count && r->bytes[end] != '\n' && end - begin <= LONGEST_SHOWN; end++) continue;
  if (end > begin && r->bytes[end - 1] == '\r') end--;
  const char *line = end - begin > LONGEST_SHOWN ? NULL : pf_arena_text(r->arena, r->bytes + begin, end - begin);
  int row = (int)r->expat->XML_GetCurrentLineNumber(r->parser);
  int column = (int)r->expat->XML_GetCurrentColumnNumber(r->parser) + 1;
  return (PfPlace){.file = r->file, .text = line, .line = r->first_line + row,
                   .column = column + (row == 1 ? r->first_column : 0), .length = 1};
}

/* Notes the first failure, and ends the reading. */
static void stop(Reader *r, PfStatus status)
{
  if (r->status == PF_OK) r->status = status;
  r->expat->XML_StopParser(r->parser, XML_FALSE);
}

static void no_room(Reader *r)
{
  stop(r, pf_no_room(r->ctx, "the robot"));
}

/* Stops with a failure at the present tag, by a format of printf. */
static void PF_PRINTF(3, 4) refuse(Reader *r, PfStatus status, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  stop(r, pf_fail_list(r->ctx, status, place_here(r), format, list));
  va_end(list);
}

static void hint_xacro(Reader *r)
{
  pf_hint(r->ctx, "expand the file first: xacro FILE > robot.urdf");
}

/* Elements of which the first counts, as for the parsers of ROS; true, with a warning, for another one. `level` is 0
 * below a link, joint or loop, 1 below <inertial>. */
static bool is_repeated(Reader *r, int level, const char *element)
{
  static const char *const singles[] = {"inertial", "origin", "mass", "inertia", "parent", "child", "axis", "mimic",
                                        "dynamics", "limit"};
  for (unsigned i = 0; i < sizeof singles/sizeof *singles; i++) {
    if (strcmp(element, singles[i]) != 0) continue;
    bool before = r->seen[level] >> i & 1;
    r->seen[level] |= 1U << i;
    if (before) pf_warn_at(r->ctx, place_here(r), "a second <%s> is ignored: the first one counts", element);
    return before;
  }
  return false;
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

/* A copy of an attribute that must be there and not empty. */
static const char *needed(Reader *r, const char *element, const char **attributes, const char *name)
{
  const char *value = attribute(attributes, name);
  if (value && *value) return copy(r, value);
  refuse(r, PF_ERR_SYNTAX, "<%s> has no attribute '%s'", element, name);
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
    refuse(r, PF_ERR_SYNTAX, "%s=\"%.60s\" of <%s> should be %d number%s", name, text, element, count,
           count > 1 ? "s" : "");
    if (strstr(text, "${") || strstr(text, "$(")) hint_xacro(r);
    return;
  }
  memcpy(out, value, (size_t)count*sizeof *out);
}

/* One number of <limit>, which may be infinite: then there is none. */
static void limit(Reader *r, const char **attributes, const char *name, double *out)
{
  const char *text = attribute(attributes, name);
  char *end;
  if (!text) return;
  double value = pf_read_double(text, &end);
  if (end != text && isinf(value) && !end[strspn(end, " \t\r\n")]) *out = value;
  else numbers(r, "limit", attributes, name, 1, out);
}

static void number(Reader *r, const char *element, const char **attributes, const char *name, double *out)
{
  numbers(r, element, attributes, name, 1, out);
}

static void read_pose(Reader *r, const char *element, const char **attributes, UrdfPose *pose)
{
  numbers(r, element, attributes, "xyz", 3, pose->at);
  numbers(r, element, attributes, "rpy", 3, pose->rpy);
}

/* A direction, of any length but zero. `whose` is for the message. */
static void read_axis(Reader *r, const char *element, const char **attributes, const char *whose, const char *name,
                      double axis[3])
{
  numbers(r, element, attributes, "xyz", 3, axis);
  if (axis[0] != 0 || axis[1] != 0 || axis[2] != 0 || r->status != PF_OK) return;
  refuse(r, PF_ERR_MODEL, "the axis of the %s '%s' has no direction", whose, name);
}

/* ---------------------------------------------------------------- links */

/* An element inside <inertial>. */
static void read_inertial(Reader *r, const char *element, const char **attributes)
{
  static const char *const entries[6] = {"ixx", "iyy", "izz", "ixy", "iyz", "ixz"};
  UrdfLink *link = r->links.at + r->links.count - 1;
  if (is_repeated(r, 1, element)) return;
  if (!strcmp(element, "origin")) read_pose(r, element, attributes, &link->center);
  if (!strcmp(element, "mass")) number(r, element, attributes, "value", &link->mass);
  if (!strcmp(element, "inertia"))
    for (int i = 0; i < 6; i++) number(r, element, attributes, entries[i], link->inertia + i);
  if (link->mass < 0) refuse(r, PF_ERR_MODEL, "the mass of the link '%s' is negative", link->name);
}

/* After an element of a link. The radius of a shape is that of a wheel, should the link be one; the first shape that
 * has one counts, <collision> before <visual>. Moments of a mass within 1e-8 m, or of none, are zeros that the program
 * that wrote the file has rounded: as numbers they would make principal moments of either sign. */
static void end_piece(Reader *r)
{
  UrdfLink *link = r->links.at + r->links.count - 1;
  const double least = 1e-16*link->mass + 1e-30;
  for (int i = 0; i < 6 && r->piece == PIECE_INERTIAL; i++)
    if (fabs(link->inertia[i]) < least) link->inertia[i] = 0;
  bool counts = r->radius > 0 && (link->radius == 0 || (r->piece == PIECE_COLLISION && link->shape_is_visual));
  if (!counts) return;
  link->radius = r->radius;
  link->shape = r->shape;
  link->shape_is_visual = r->piece == PIECE_VISUAL;
}

/* ---------------------------------------------------------------- joints */

typedef struct Type {
  const char *name;
  int kind;
} Type;

/* The kind by the attribute 'type' of an element, among those of a list; an unknown one stops, with a hint. */
static int read_type(Reader *r, const char *element, const char **attributes, const char *name, const Type *types,
                     size_t count, const char *hint)
{
  const char *type = needed(r, element, attributes, "type");
  for (size_t i = 0; i < count; i++)
    if (!strcmp(type, types[i].name)) return types[i].kind;
  if (r->status == PF_OK) {
    refuse(r, PF_ERR_MODEL, "the %s '%s' is of the unknown type '%.40s'", element, name, type);
    pf_hint(r->ctx, "%s", hint);
  }
  return 0;
}

/* An element inside <joint>: origin, axis, parent, child, limits, dynamics, mimic. */
static void read_joint_piece(Reader *r, const char *element, const char **attributes)
{
  UrdfJoint *joint = r->joints.at + r->joints.count - 1;
  bool has_axis = joint->kind != URDF_FIXED && joint->kind != URDF_FLOATING; /* else the file may say anything */
  if (is_repeated(r, 0, element)) return;
  if (!strcmp(element, "origin")) read_pose(r, element, attributes, &joint->origin);
  if (!strcmp(element, "parent")) joint->parent_name = needed(r, element, attributes, "link");
  if (!strcmp(element, "child")) joint->child_name = needed(r, element, attributes, "link");
  if (!strcmp(element, "axis") && has_axis) read_axis(r, element, attributes, "joint", joint->name, joint->axis);
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
    joint->has_limits = !joint->turns_freely && (attribute(attributes, "lower") || attribute(attributes, "upper"));
    joint->lower = joint->upper = 0; /* the default of URDF */
    limit(r, attributes, "lower", &joint->lower);
    limit(r, attributes, "upper", &joint->upper);
    limit(r, attributes, "effort", &joint->effort);
    if (joint->lower == -INFINITY && joint->upper == INFINITY) joint->has_limits = false;
  }
}

/* ---------------------------------------------------------------- loops */

/* An element inside <constraint>: the link, pose and axis of one of its ends. */
static void read_loop_piece(Reader *r, const char *element, const char **attributes)
{
  static const char *const names[2][3] = {{"parent", "parent_origin", "parent_axis"},
                                          {"child", "child_origin", "child_axis"}};
  UrdfLoop *loop = r->loops.at + r->loops.count - 1;
  for (int i = 0; i < 2; i++) {
    UrdfLoopEnd *end = loop->end + i;
    if (!strcmp(element, names[i][0])) end->link_name = needed(r, element, attributes, "link");
    if (!strcmp(element, names[i][1])) read_pose(r, element, attributes, &end->pose);
    if (!strcmp(element, names[i][2]) && loop->kind != URDF_LOOP_FIXED && loop->kind != URDF_LOOP_BALL)
      read_axis(r, element, attributes, "constraint", loop->name, end->axis);
  }
}

/* ---------------------------------------------------------------- elements */

/* The element of the document, which must be <robot>. */
static void begin_document(Reader *r, const char *element, const char **attributes)
{
  if (!strcmp(element, "robot")) {
    const char *name = attribute(attributes, "name");
    r->name = name ? copy(r, name) : "robot";
    return;
  }
  refuse(r, PF_ERR_SYNTAX, "this is no URDF: its element is <%.40s>, not <robot>", element);
  if (!strcmp(element, "sdf")) pf_hint(r->ctx, "SDF is another format; most tools can save URDF as well");
}

/* An element inside <robot>. */
static void begin_section(Reader *r, const char *element, const char **attributes)
{
  r->section = SECTION_OTHER;
  r->seen[0] = 0;
  if (!strcmp(element, "link")) {
    r->section = SECTION_LINK;
    UrdfLink link = {.name = needed(r, "link", attributes, "name"), .place = place_here(r), .joint = -1};
    if (!pf_push(pf_context_allocator(r->ctx), &r->links, link)) no_room(r);
  } else if (!strcmp(element, "joint")) {
    r->section = SECTION_JOINT;
    /* A <joint> with its type and defaults. */
    static const Type types[] = {{"fixed", URDF_FIXED},         {"revolute", URDF_REVOLUTE},
                                 {"continuous", URDF_REVOLUTE}, {"prismatic", URDF_PRISMATIC},
                                 {"planar", URDF_PLANAR},       {"floating", URDF_FLOATING}};
    UrdfJoint joint = {.name = needed(r, "joint", attributes, "name"), .parent_name = "", .child_name = "",
                       .place = place_here(r),
                       .axis = {1, 0, 0}, .lower = -INFINITY, .upper = INFINITY, .multiplier = 1, .parent = -1,
                       .child = -1, .mimics = -1};
    joint.kind = (UrdfKind)read_type(r, "joint", attributes, joint.name, types, sizeof types/sizeof *types,
                                     "URDF has fixed, revolute, continuous, prismatic, planar and floating");
    const char *type = attribute(attributes, "type");
    joint.turns_freely = type && !strcmp(type, "continuous");
    if (!pf_push(pf_context_allocator(r->ctx), &r->joints, joint)) no_room(r);
  } else if (!strcmp(element, "transmission")) {
    r->section = SECTION_TRANSMISSION;
  } else if (!strcmp(element, "constraint")) {
    r->section = SECTION_LOOP;
    /* A <constraint> with its type and defaults. */
    static const Type types[] = {{"fixed", URDF_LOOP_FIXED},         {"revolute", URDF_LOOP_REVOLUTE},
                                 {"continuous", URDF_LOOP_REVOLUTE}, {"prismatic", URDF_LOOP_PRISMATIC},
                                 {"planar", URDF_LOOP_PLANAR},       {"universal", URDF_LOOP_UNIVERSAL},
                                 {"spherical", URDF_LOOP_BALL},      {"ball", URDF_LOOP_BALL}};
    UrdfLoop loop = {.name = needed(r, "constraint", attributes, "name"), .place = place_here(r),
                     .end = {{.link_name = "", .axis = {1, 0, 0}}, {.link_name = "", .axis = {1, 0, 0}}}};
    loop.kind = (UrdfLoopKind)read_type(r, "constraint", attributes, loop.name, types, sizeof types/sizeof *types,
                                        "there are fixed, revolute, continuous, prismatic, planar, universal and "
                                        "spherical");
    if (!pf_push(pf_context_allocator(r->ctx), &r->loops, loop)) no_room(r);
  }
}

/* Called by expat for each start tag; the depth and the open section say what it means. */
static void XMLCALL on_start(void *user, const char *element, const char **attributes)
{
  Reader *r = user;
  r->depth++;
  if (r->status != PF_OK) return;
  if (!strncmp(element, "xacro:", 6)) {
    refuse(r, PF_ERR_SYNTAX, "<%.40s> is a macro, which URDF does not have", element);
    hint_xacro(r);
    return;
  }
  if (r->depth == 1) begin_document(r, element, attributes);
  if (r->depth == 2) begin_section(r, element, attributes);
  if (r->depth == 3 && r->section == SECTION_LINK) {
    static const char *const pieces[] = {[PIECE_INERTIAL] = "inertial", [PIECE_VISUAL] = "visual",
                                         [PIECE_COLLISION] = "collision"};
    const bool repeated = is_repeated(r, 0, element);
    r->piece = PIECE_OTHER;
    for (int i = PIECE_INERTIAL; i <= PIECE_COLLISION && !repeated; i++)
      if (!strcmp(element, pieces[i])) r->piece = (Piece)i;
    r->seen[1] = 0;
    r->shape = (UrdfPose){0};
    r->radius = 0;
  }
  if (r->depth == 3 && r->section == SECTION_JOINT) read_joint_piece(r, element, attributes);
  if (r->depth == 3 && r->section == SECTION_LOOP) read_loop_piece(r, element, attributes);
  if (r->depth == 3 && r->section == SECTION_TRANSMISSION && !strcmp(element, "joint")) {
    const char *name = needed(r, "joint", attributes, "name");
    if (!pf_push(pf_context_allocator(r->ctx), &r->transmissions, name)) no_room(r);
  }
  if (r->depth == 4 && r->section == SECTION_LINK && r->piece == PIECE_INERTIAL) read_inertial(r, element, attributes);
  if (r->section == SECTION_LINK && r->piece > PIECE_INERTIAL) {
    if (r->depth == 4 && !strcmp(element, "origin")) read_pose(r, element, attributes, &r->shape);
    if (r->depth == 5 && !strcmp(element, "mesh") && r->piece == PIECE_VISUAL && r->mesh_count++ == 0)
      r->first_mesh = place_here(r);
    if (r->depth == 5 && (!strcmp(element, "cylinder") || !strcmp(element, "sphere")))
      number(r, element, attributes, "radius", &r->radius);
  }
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
  refuse(r, PF_ERR_SYNTAX, "a document type is not read");
  pf_hint(r->ctx, "remove the line <!DOCTYPE …>");
}

/* Feeds the text to expat piece by piece, so that it can be cancelled. */
static PfStatus parse(Reader *r)
{
  enum { PIECE = 1 << 20 };
  r->expat->XML_SetUserData(r->parser, r);
  r->expat->XML_SetElementHandler(r->parser, on_start, on_end);
  r->expat->XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
  /* Programs that write blank lines before <?xml are common, and other readers of URDF do not mind; XML itself does. */
  static const char mark[] = "\xef\xbb\xbf"; /* of the order of bytes */
  if (r->count >= 3 && !memcmp(r->bytes, mark, 3)) r->begin = 3;
  for (; r->begin < r->count && r->bytes[r->begin] && strchr(" \t\r\n", r->bytes[r->begin]); r->begin++) {
    bool ends = r->bytes[r->begin] == '\n';
    r->first_line += ends;
    r->first_column = ends ? 0 : r->first_column + 1;
  }
  for (size_t at = r->begin; r->status == PF_OK;) {
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

/* Copies the lists that were read into the robot, with room for one more link: the world, where it is not declared. */
static PfStatus keep(Reader *r, UrdfRobot *robot)
{
  robot->name = r->name;
  robot->link_count = (int)r->links.count;
  robot->joint_count = (int)r->joints.count;
  robot->links = pf_arena_array(r->arena, UrdfLink, r->links.count + 1);
  robot->joints = pf_arena_array(r->arena, UrdfJoint, r->joints.count);
  robot->loop_count = (int)r->loops.count;
  robot->loops = pf_arena_array(r->arena, UrdfLoop, r->loops.count);
  robot->mesh_count = r->mesh_count;
  robot->first_mesh = r->first_mesh;
  robot->transmission_count = (int)r->transmissions.count;
  robot->transmissions = pf_arena_array(r->arena, const char *, r->transmissions.count);
  if (!robot->links || !robot->joints || !robot->loops || !robot->transmissions) return pf_no_room(r->ctx, "the robot");
  if (r->links.count) memcpy(robot->links, r->links.at, r->links.count*sizeof *r->links.at);
  if (r->joints.count) memcpy(robot->joints, r->joints.at, r->joints.count*sizeof *r->joints.at);
  if (r->loops.count) memcpy(robot->loops, r->loops.at, r->loops.count*sizeof *r->loops.at);
  const size_t size = sizeof *r->transmissions.at;
  if (r->transmissions.count) memcpy(robot->transmissions, r->transmissions.at, r->transmissions.count*size);
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
  pf_array_free(pf_context_allocator(ctx), &r.loops);
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
