/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are loaded when something needs them, and not when the program starts: a command then waits only for
 * what it uses, and whoever lacks a library has everything else. The one place that calls dlopen. */
#ifndef PF_BASE_LIBRARY_H
#define PF_BASE_LIBRARY_H

#include "base/base.h"

/* What is used of a library. A file that knows one lists its functions once, as #define FUNCTIONS(USE) USE(first)
 * USE(second), and has of that list the struct of pointers, the names here and, where the library is linked, a
 * constant struct that takes the place of the loaded one. */
typedef struct PfLibrary {
  const char *file;         /* as the dynamic linker knows it: libflint.so.17 */
  const char *const *names; /* of functions; both are constants of the program */
  size_t count, needed;     /* the first `needed` must be there, the others may be absent */
  void (*begin)(const void *functions); /* unless NULL: called when nobody in the process had loaded it before */
} PfLibrary;

#define PF_LIBRARY_MEMBER(name) __typeof__(name) *name;
#define PF_LIBRARY_NAME(name) #name,
#define PF_LIBRARY_LINKED(name) .name = name,

/* The addresses of the functions in the order of their names, NULL for what is absent: a struct that holds nothing
 * but pointers to functions. The context keeps them. A failure, PF_ERR_MISSING or PF_ERR_MEMORY, leaves no
 * words: this is for those who can do without the library. */
PfStatus pf_library_open(PfContext *ctx, const PfLibrary *library, const void **functions);
/* For those who cannot. `need` says what needs which library: "URDF is read by expat". */
PfStatus pf_library_require(PfContext *ctx, const PfLibrary *library, const char *need, const void **functions);

/* A file of our own making, by its path: for code that was compiled while the program runs. NULL: it cannot be
 * loaded. */
void *pf_code_open(const char *path);
/* The address of a function or of data in it, or NULL. */
const void *pf_code_symbol(void *code, const char *name);
/* Unloads it; its addresses are invalid then. */
void pf_code_close(void *code);

#endif
