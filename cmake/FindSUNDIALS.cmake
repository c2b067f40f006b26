# SPDX-License-Identifier: Apache-2.0
# CVODE and IDA of SUNDIALS 6 or later: defines SUNDIALS_FOUND, SUNDIALS_VERSION, SUNDIALS_LIBRARIES and the target
# SUNDIALS::SUNDIALS; ARKODE, which only the benchmarks use, as SUNDIALS_ARKODE_LIBRARY. SUNDIALS' own package drags in
# everything it was built with (MPI, PETSc), so it is not asked.
include(FindPackageHandleStandardArgs)
find_path(SUNDIALS_INCLUDE_DIR cvode/cvode.h)
find_library(SUNDIALS_CVODE_LIBRARY sundials_cvode)
find_library(SUNDIALS_IDA_LIBRARY sundials_ida)
find_library(SUNDIALS_ARKODE_LIBRARY sundials_arkode)
find_library(SUNDIALS_CORE_LIBRARY sundials_core) # since version 7

if(SUNDIALS_INCLUDE_DIR AND EXISTS "${SUNDIALS_INCLUDE_DIR}/sundials/sundials_config.h")
  file(STRINGS "${SUNDIALS_INCLUDE_DIR}/sundials/sundials_config.h" version_line REGEX "define SUNDIALS_VERSION \"")
  string(REGEX REPLACE ".*\"([0-9.]+).*\".*" "\\1" SUNDIALS_VERSION "${version_line}")
endif()
if(SUNDIALS_VERSION AND SUNDIALS_VERSION VERSION_LESS 6)
  set(SUNDIALS_CVODE_LIBRARY "") # older ones have no context and are called differently
endif()
find_package_handle_standard_args(SUNDIALS
  REQUIRED_VARS SUNDIALS_CVODE_LIBRARY SUNDIALS_IDA_LIBRARY SUNDIALS_INCLUDE_DIR
  VERSION_VAR SUNDIALS_VERSION)
mark_as_advanced(SUNDIALS_INCLUDE_DIR SUNDIALS_CVODE_LIBRARY SUNDIALS_IDA_LIBRARY SUNDIALS_ARKODE_LIBRARY
  SUNDIALS_CORE_LIBRARY)

if(SUNDIALS_FOUND)
  set(SUNDIALS_LIBRARIES "${SUNDIALS_CVODE_LIBRARY}" "${SUNDIALS_IDA_LIBRARY}")
  # the modules for vectors and dense matrices are libraries of their own from version 7 on, and inside CVODE before
  if(SUNDIALS_CORE_LIBRARY)
    foreach(part nvecserial sunmatrixdense sunlinsoldense sunnonlinsolfixedpoint)
      find_library(SUNDIALS_${part}_LIBRARY sundials_${part})
      mark_as_advanced(SUNDIALS_${part}_LIBRARY)
      if(SUNDIALS_${part}_LIBRARY)
        list(APPEND SUNDIALS_LIBRARIES "${SUNDIALS_${part}_LIBRARY}")
      endif()
    endforeach()
    list(APPEND SUNDIALS_LIBRARIES "${SUNDIALS_CORE_LIBRARY}")
  endif()
  if(NOT TARGET SUNDIALS::SUNDIALS)
    add_library(SUNDIALS::SUNDIALS INTERFACE IMPORTED)
    set_target_properties(SUNDIALS::SUNDIALS PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${SUNDIALS_INCLUDE_DIR}"
      INTERFACE_LINK_LIBRARIES "${SUNDIALS_LIBRARIES}")
  endif()
endif()
