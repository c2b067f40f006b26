/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the page or program around the module: they give files to read, receive the report and tables and files
 * that are written, and are polled for requests to stop. */
#ifndef PF_WASM_HOST_H
#define PF_WASM_HOST_H

#include <stddef.h>

#define PF_HOST(name) __attribute__((import_module("pfaff"), import_name(name)))

/* The bytes of a file that is read: how many, or -1 when there is no such file; and a copy of them. */
PF_HOST("size") long pf_host_size(const char *path);
PF_HOST("read") void pf_host_read(const char *path, char *bytes);

/* The report of a task: its values as JSON and its text for people, both to be read at once. */
PF_HOST("report") void pf_host_report(const char *values, const char *text);

/* A table that was written: rows of numbers, one after the other, with names and units of its columns. The numbers stay
 * where they are; the texts are to be read at once. */
PF_HOST("table")
void pf_host_table(const char *path, const double *at, size_t rows, int columns, const char *const *names,
                   const char *const *units);

/* Any other file. The bytes are to be read at once. */
PF_HOST("file") void pf_host_file(const char *path, const char *bytes, size_t count);

/* Not 0: the work is to stop. */
PF_HOST("stop") int pf_host_stop(void);

#endif
