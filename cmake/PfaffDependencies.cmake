# Libraries. Only LAPACK is a must; whatever else is absent is reported with what goes missing with it.
find_package(LAPACK QUIET)
if(NOT LAPACK_FOUND)
  message(FATAL_ERROR "LAPACK was not found, and Pfaff cannot do without it.\n"
    "On Debian and Ubuntu: apt-get install libopenblas-dev liblapack-dev liblapacke-dev, or run scripts/setup.sh")
endif()
find_package(LAPACKE QUIET)

# LAPACKE is a must as soon as a source asks for it.
if(NOT LAPACKE_FOUND)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.c" "${PROJECT_SOURCE_DIR}/src/*.h")
  foreach(source IN LISTS sources)
    file(STRINGS "${source}" found REGEX "#[ ]*include[ ]*<lapacke.h>")
    if(found)
      message(FATAL_ERROR "lapacke.h or its library was not found; ${source} needs it.\n"
        "On Debian and Ubuntu: apt-get install liblapacke-dev, or run scripts/setup.sh")
    endif()
  endforeach()
endif()

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

pfaff_optional(FLINT libflint-dev "exact normal form, so that equations are printed as built, not in their shortest form, and \
proofs of equality are by random evaluation only")
pfaff_optional(SUNDIALS libsundials-dev "the methods cvode_adams, cvode_bdf, ida and ida2")
pfaff_optional(EXPAT libexpat1-dev "the import of URDF")
pfaff_optional(RSVG librsvg2-dev "pictures as PNG and PDF; SVG stays")

if(PFAFF_TESTS)
  find_path(CMOCKA_INCLUDE_DIR cmocka.h)
  find_library(CMOCKA_LIBRARY cmocka)
  mark_as_advanced(CMOCKA_INCLUDE_DIR CMOCKA_LIBRARY)
  if(NOT CMOCKA_INCLUDE_DIR OR NOT CMOCKA_LIBRARY)
    set(PFAFF_TESTS OFF)
    list(APPEND pfaff_absent "tests (cmocka was not found; libcmocka-dev on Debian)")
  endif()
endif()
