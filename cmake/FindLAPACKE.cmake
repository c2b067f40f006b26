# The C interface of LAPACK: defines LAPACKE_FOUND and the target LAPACKE::LAPACKE. Some LAPACK libraries
# (OpenBLAS built with it) hold the interface themselves; elsewhere it is a library of its own.
include(FindPackageHandleStandardArgs)
find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES lapacke openblas)
find_library(LAPACKE_LIBRARY NAMES lapacke openblas)
find_package_handle_standard_args(LAPACKE REQUIRED_VARS LAPACKE_LIBRARY LAPACKE_INCLUDE_DIR)
mark_as_advanced(LAPACKE_INCLUDE_DIR LAPACKE_LIBRARY)

if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
  add_library(LAPACKE::LAPACKE UNKNOWN IMPORTED)
  set_target_properties(LAPACKE::LAPACKE PROPERTIES
    IMPORTED_LOCATION "${LAPACKE_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LAPACKE_INCLUDE_DIR}")
  target_link_libraries(LAPACKE::LAPACKE INTERFACE LAPACK::LAPACK)
endif()
