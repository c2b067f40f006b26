/* SPDX-License-Identifier: Apache-2.0 */
/* Identifiers, comments and strings made of what a model says.
 *
 * The lists of reserved words hold everything that a compiler, a usual header or a library would take for something
 * else. A reserved word gets an underscore at its end; a name that is taken gets a number. */
#include "export/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- reserved words */

/* Keywords of C and C++ (headers are included from both), and macros without arguments that usual headers define. */
static const char c_words[] =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const consteval "
    "constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double "
    "dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace "
    "new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "restrict return short signed sizeof static static_assert static_cast struct switch template this thread_local "
    "throw true try typedef typedef_static typeid typename typeof typeof_unqual union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq complex imaginary noreturn I NULL EOF NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL "
    "FP_NAN FP_INFINITE FP_ZERO FP_NORMAL FP_SUBNORMAL FP_ILOGB0 FP_ILOGBNAN FP_FAST_FMA FP_FAST_FMAF FP_FAST_FMAL "
    "MATH_ERRNO MATH_ERREXCEPT math_errhandling MAXFLOAT M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI "
    "M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 DOMAIN SING OVERFLOW UNDERFLOW TLOSS PLOSS DBL_MAX DBL_MIN DBL_EPSILON "
    "FLT_MAX FLT_MIN FLT_EPSILON LDBL_MAX FLT_RADIX CHAR_BIT INT_MAX INT_MIN UINT_MAX LONG_MAX SIZE_MAX BUFSIZ "
    "RAND_MAX errno stdin stdout stderr signgam assert offsetof va_arg setjmp linux unix i386 near far small interface "
    "min max PI TWO_PI HALF_PI DEG_TO_RAD RAD_TO_DEG EULER HIGH LOW INPUT OUTPUT TRUE FALSE";

static const char python_words[] =
    "False None True and as assert async await break class continue def del elif else except finally for from global "
    "if import in is lambda nonlocal not or pass raise return try while with yield match case type print exec self "
    "_replace _make _fields _asdict _field_defaults count index mro";

static const char matlab_words[] =
    "break case catch classdef continue else elseif end for function global if otherwise parfor persistent return spmd "
    "switch try while events methods properties enumeration arguments import ans pi eps inf nan Inf NaN i j NA "
    "end_try_catch end_unwind_protect endclassdef endenumeration endevents endfor endfunction endif endmethods "
    "endparfor endproperties endswitch endwhile do until unwind_protect unwind_protect_cleanup __FILE__ __LINE__";

/* Files of these names would stand in front of others. */
static const char file_words[] =
    "alloca assert complex cpio ctype dirent dlfcn endian errno error fcntl features fenv float fmtmsg fnmatch ftw "
    "glob grp iconv inttypes iso646 langinfo libgen limits link locale malloc math memory monetary mqueue netdb "
    "nl_types poll printf pthread pwd regex resolv sched search semaphore setjmp signal spawn stdalign stdarg "
    "stdatomic stdbit stdbool stddef stdint stdio stdlib stdnoreturn string strings stropts syslog tar termios tgmath "
    "threads time ucontext uchar ulimit unistd utime utmpx values wait wchar wctype wordexp config readme makefile "
    "test main abc argparse array ast asyncio base64 bisect builtins calendar casadi cmath code codecs collections "
    "copy copyreg csv ctypes dataclasses datetime decimal dis email encodings enum fractions functools gc gettext glob "
    "hashlib heapq html http importlib inspect io ipaddress itertools json keyword linecache logging marshal mmap "
    "multiprocessing numbers numpy opcode operator os pathlib pickle pkgutil platform posix pprint profile queue "
    "random re reprlib sched scipy select selectors secrets shutil site socket sqlite3 sre statistics stat struct "
    "subprocess symtable sys sysconfig tempfile textwrap threading timeit token tokenize traceback types typing "
    "unicodedata unittest urllib uuid warnings weakref xml zipfile zipimport zlib con prn aux nul com1 com2 com3 com4 "
    "com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 plot clear load save disp zeros ones eye "
    "sin cos tan exp log sqrt abs sign size max min svd diag sum isempty numel double all any isfinite norm pinv "
    "fieldnames bsxfun eig rcond ceil error struct cell accelerate step project derivatives linear self_test matrices "
    "friction violations energies poses contacts outputs surfaces inverse slopes flow jacobian actuate input_slopes "
    "output_slopes";

static bool is_reserved(PfWords words, const char *word)
{
  const char *const lists[] = {[PF_WORDS_C] = c_words, [PF_WORDS_PYTHON] = python_words,
                               [PF_WORDS_MATLAB] = matlab_words};
  return pf_word_is_in(lists[words], word, strlen(word));
}

/* ---------------------------------------------------------------- identifiers */

/* ASCII only, whatever the locale. */
static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

typedef struct Spelling {
  char text[PF_LONGEST_IDENTIFIER + 16]; /* with room for an underscore and a number at the end */
  size_t length;
} Spelling;

static void put(Spelling *s, const char *part)
{
  for (; *part && s->length < PF_LONGEST_IDENTIFIER; part++) s->text[s->length++] = *part;
  s->text[s->length] = 0;
}

/* An identifier of a name: primes become derivatives, and anything else that is not a letter, digit or underscore
 * separates by one underscore. It begins with a letter and without two underscores, which belong to compilers. */
static void spell(Spelling *s, const char *name)
{
  Spelling rest = {0};
  bool gap = false;
  for (; *name; name++) {
    if (*name == '\'') {
      int primes = 1;
      while (name[1] == '\'') name++, primes++;
      put(&rest, primes == 1 ? "_dot" : primes == 2 ? "_ddot" : "_dots");
    } else if (is_letter(*name) || (*name >= '0' && *name <= '9') || *name == '_') {
      if (gap && rest.length && rest.text[rest.length - 1] != '_') put(&rest, "_");
      put(&rest, (char[]){*name, 0});
      gap = false;
    } else {
      gap = true;
    }
  }
  *s = (Spelling){0};
  if (!is_letter(rest.text[0])) put(s, rest.length ? (rest.text[0] == '_' ? "n" : "n_") : "unnamed");
  put(s, rest.text);
}

/* Makes a word that is reserved another one; there is room for it. */
static void add_underscore(Spelling *s)
{
  s->text[s->length++] = '_';
  s->text[s->length] = 0;
}

/* The map uses memory of the context; identifiers go to the arena. */
void pf_names_init(PfNames *names, PfContext *ctx, PfArena *arena, PfWords words)
{
  *names = (PfNames){.ctx = ctx, .arena = arena, .words = words};
  pf_map_init(&names->taken, pf_context_allocator(ctx));
}

/* Identifiers stay valid, since they are in the arena. */
void pf_names_free(PfNames *names)
{
  pf_map_free(&names->taken);
}

/* Fails without memory only. Names differ in case where the language does. */
PfStatus pf_names_take(PfNames *names, const char *name, const char **identifier)
{
  Spelling s;
  spell(&s, name);
  if (is_reserved(names->words, s.text)) add_underscore(&s);
  size_t stem = s.length;
  for (int k = 2; pf_map_get(&names->taken, s.text, s.length); k++)
    s.length = stem + (size_t)snprintf(s.text + stem, sizeof s.text - stem, "_%d", k);
  char *own = pf_arena_text(names->arena, s.text, s.length);
  *identifier = own;
  bool good = own && pf_map_set(&names->taken, own, s.length, own);
  return good ? PF_OK : pf_no_room(names->ctx, "the names");
}

/* Files of the same name in other case are the same on some systems, so file names are compared in lower case. */
PfStatus pf_names_of_model(PfContext *ctx, PfArena *arena, PfWords words, const char *name, const char **identifier)
{
  Spelling s;
  char lower[PF_LONGEST_IDENTIFIER + 1];
  spell(&s, name);
  for (size_t i = 0; i <= s.length; i++) lower[i] = (char)tolower((unsigned char)s.text[i]);
  if (is_reserved(words, s.text) || pf_word_is_in(file_words, lower, s.length)) add_underscore(&s);
  *identifier = pf_arena_text(arena, s.text, s.length);
  return *identifier ? PF_OK : pf_no_room(ctx, "the names");
}

/* ASCII letters only. NULL without memory. */
const char *pf_names_upper(PfArena *arena, const char *identifier)
{
  char *upper = pf_arena_text(arena, identifier, strlen(identifier));
  for (char *c = upper; c && *c; c++) *c = (char)toupper((unsigned char)*c);
  return upper;
}

/* ---------------------------------------------------------------- texts */

/* Blanks keep characters apart that would end or begin a comment or a trigraph; hidden characters are escaped. */
void pf_put_comment(PfText *text, const char *words)
{
  char before = ' ';
  for (size_t left = strlen(words); left;) {
    bool closes = (before == '*' && *words == '/') || (before == '/' && *words == '*');
    bool trigraph = before == '?' && *words == '?';
    if (closes || trigraph) pf_text_add(text, " ");
    before = *words;
    size_t size = pf_text_add_escaped_character(text, words, left, "");
    words += size;
    left -= size;
  }
  if (before == '\\') pf_text_add(text, " "); /* it joins no lines */
}

/* Everything but printable ASCII is written as octal escapes of three digits, which end by themselves. */
void pf_put_c_string(PfText *text, const char *string)
{
  pf_text_add(text, "\"");
  for (; *string; string++) {
    unsigned char c = (unsigned char)*string;
    bool plain = c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '?';
    if (plain) pf_text_put(text, string, 1);
    else pf_text_print(text, "\\%03o", c);
  }
  pf_text_add(text, "\"");
}

/* Quotes are doubled; hidden characters are escaped. */
void pf_put_matlab_string(PfText *text, const char *string)
{
  pf_text_add(text, "'");
  for (size_t left = strlen(string); left;) {
    if (*string == '\'') pf_text_add(text, "'");
    size_t size = pf_text_add_escaped_character(text, string, left, "");
    string += size;
    left -= size;
  }
  pf_text_add(text, "'");
}

/* What Markdown or HTML would take for a mark becomes a character of its own. */
void pf_put_markdown(PfText *text, const char *words)
{
  for (size_t left = strlen(words); left;) {
    if (*words == '<') pf_text_add(text, "&lt;"), words++, left--;
    else if (*words == '&') pf_text_add(text, "&amp;"), words++, left--;
    else {
      if (strchr("\\`*_{}[]()#+!|~$", *words)) pf_text_add(text, "\\");
      size_t size = pf_text_add_escaped_character(text, words, left, "");
      words += size;
      left -= size;
    }
  }
}
