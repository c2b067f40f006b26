# SPDX-License-Identifier: Apache-2.0
# Libraries. None is a must; whatever is absent is reported with what goes missing with it.
# PFAFF_<NAME> says whether the library is wanted: AUTO, ON or OFF; PFAFF_HAVE_<NAME> is the answer.
macro(pfaff_optional name debian lost)
  set(PFAFF_HAVE_${name} OFF)
  set(reason "PFAFF_${name} is OFF")
  if(PFAFF_${name} STREQUAL "AUTO" OR PFAFF_${name})
    find_package(${name} QUIET MODULE)
    set(PFAFF_HAVE_${name} ${${name}_FOUND})
    set(reason "${name} was not found; ${debian} on Debian")
  endif()
  if(NOT PFAFF_HAVE_${name})
    if(PFAFF_${name} AND NOT PFAFF_${name} STREQUAL "AUTO")
      message(FATAL_ERROR "PFAFF_${name} is ON: ${reason}")
    endif()
    list(APPEND pfaff_absent "${lost} (${reason})")
  endif()
endmacro()

pfaff_optional(LAPACK liblapack-dev "LAPACK, in whose place our own routines find eigenvalues and singular values")
pfaff_optional(FLINT libflint-dev "exact normal form, so that equations are printed as built, not in their shortest form, and \
proofs of equality are by random evaluation only")
pfaff_optional(SUNDIALS libsundials-dev "the methods cvode_adams, cvode_bdf, ida and ida2")
pfaff_optional(EXPAT libexpat1-dev "the import of URDF")
pfaff_optional(RSVG librsvg2-dev "pictures as PNG and PDF (as SVG they stay)")

# Libraries are loaded by src/base/library.c when something needs them and not when a program starts, by the name that stays
# the same as long as their functions do: PFAFF_<NAME>_FILE. One without such a name, as an archive, is linked:
# PFAFF_LINKS_<NAME>.
function(pfaff_soname result library)
  set(${result} "" PARENT_SCOPE)
  if(CMAKE_READELF AND library MATCHES "[.]so$")
    execute_process(COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C "${CMAKE_READELF}" -d "${library}"
      OUTPUT_VARIABLE lines ERROR_QUIET)
    if(lines MATCHES "\\(SONAME\\)[^[]*\\[([^]]+)\\]")
      set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    endif()
  endif()
endfunction()

set(lapack_libraries ${LAPACK_LIBRARIES})
list(POP_FRONT lapack_libraries lapack) # the others are those that it needs
pfaff_soname(PFAFF_LAPACK_FILE "${lapack}")
pfaff_soname(PFAFF_FLINT_FILE "${FLINT_LIBRARY}")
pfaff_soname(PFAFF_EXPAT_FILE "${EXPAT_LIBRARY}")
pfaff_soname(PFAFF_SUNDIALS_FILE "${SUNDIALS_CVODE_LIBRARY}")
pfaff_soname(PFAFF_SUNDIALS_IDA_FILE "${SUNDIALS_IDA_LIBRARY}")
if(NOT PFAFF_SUNDIALS_IDA_FILE OR SUNDIALS_CORE_LIBRARY) # from version 7 on it is many libraries
  set(PFAFF_SUNDIALS_FILE "")
endif()
foreach(name LAPACK FLINT SUNDIALS EXPAT)
  set(PFAFF_LINKS_${name} OFF)
  if(PFAFF_HAVE_${name} AND NOT PFAFF_${name}_FILE)
    set(PFAFF_LINKS_${name} ON)
  endif()
endforeach()

if(PFAFF_TESTS)
  find_path(CMOCKA_INCLUDE_DIR cmocka.h)
  find_library(CMOCKA_LIBRARY cmocka)
  find_path(JANSSON_INCLUDE_DIR jansson.h)
  find_library(JANSSON_LIBRARY jansson)
  mark_as_advanced(CMOCKA_INCLUDE_DIR CMOCKA_LIBRARY JANSSON_INCLUDE_DIR JANSSON_LIBRARY)
  if(NOT CMOCKA_INCLUDE_DIR OR NOT CMOCKA_LIBRARY)
    set(PFAFF_TESTS OFF)
    list(APPEND pfaff_absent "tests (cmocka was not found; libcmocka-dev on Debian)")
  endif()
  if(PFAFF_TESTS AND (NOT JANSSON_INCLUDE_DIR OR NOT JANSSON_LIBRARY))
    list(APPEND pfaff_absent "the test tree.spatial_cases (Jansson was not found; libjansson-dev on Debian)")
  endif()
endif()
