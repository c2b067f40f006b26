# SPDX-License-Identifier: Apache-2.0
# HDF5, the C library for one process: defines HDF5_FOUND, HDF5_LIBRARY and the target HDF5::HDF5.
include(FindPackageHandleStandardArgs)
find_path(HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
mark_as_advanced(HDF5_INCLUDE_DIR HDF5_LIBRARY)
find_package_handle_standard_args(HDF5 REQUIRED_VARS HDF5_LIBRARY HDF5_INCLUDE_DIR)
if(HDF5_FOUND AND NOT TARGET HDF5::HDF5)
  add_library(HDF5::HDF5 UNKNOWN IMPORTED)
  set_target_properties(HDF5::HDF5 PROPERTIES IMPORTED_LOCATION "${HDF5_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${HDF5_INCLUDE_DIR}")
endif()
