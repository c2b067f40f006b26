# SPDX-License-Identifier: Apache-2.0
# FLINT and the GMP under it: defines FLINT_FOUND, FLINT_VERSION and the target FLINT::FLINT.
include(FindPackageHandleStandardArgs)
find_path(FLINT_INCLUDE_DIR flint/fmpq_mpoly.h)
find_library(FLINT_LIBRARY flint)
find_path(GMP_INCLUDE_DIR gmp.h)
find_library(GMP_LIBRARY gmp)

if(FLINT_INCLUDE_DIR AND EXISTS "${FLINT_INCLUDE_DIR}/flint/flint.h")
  file(STRINGS "${FLINT_INCLUDE_DIR}/flint/flint.h" version_line REGEX "define FLINT_VERSION \"")
  string(REGEX REPLACE ".*\"([0-9.]+).*\".*" "\\1" FLINT_VERSION "${version_line}")
endif()
find_package_handle_standard_args(FLINT
  REQUIRED_VARS FLINT_LIBRARY FLINT_INCLUDE_DIR GMP_LIBRARY GMP_INCLUDE_DIR
  VERSION_VAR FLINT_VERSION)
mark_as_advanced(FLINT_INCLUDE_DIR FLINT_LIBRARY GMP_INCLUDE_DIR GMP_LIBRARY)

if(FLINT_FOUND AND NOT TARGET FLINT::FLINT)
  add_library(FLINT::FLINT UNKNOWN IMPORTED)
  set_target_properties(FLINT::FLINT PROPERTIES
    IMPORTED_LOCATION "${FLINT_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${FLINT_INCLUDE_DIR};${GMP_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${GMP_LIBRARY}")
endif()
