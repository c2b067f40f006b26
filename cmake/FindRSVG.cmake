# librsvg 2.52 or later with cairo: defines RSVG_FOUND, RSVG_VERSION, RSVG_LIBRARIES and the target RSVG::RSVG. Its many headers
# are found by pkg-config only.
include(FindPackageHandleStandardArgs)
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(PC_RSVG QUIET librsvg-2.0>=2.52 cairo-pdf>=1.16 cairo-png)
endif()
if(PC_RSVG_FOUND)
  set(RSVG_VERSION "${PC_RSVG_librsvg-2.0_VERSION}")
  set(RSVG_LIBRARIES ${PC_RSVG_LINK_LIBRARIES})
endif()
find_package_handle_standard_args(RSVG REQUIRED_VARS RSVG_LIBRARIES VERSION_VAR RSVG_VERSION)

if(RSVG_FOUND AND NOT TARGET RSVG::RSVG)
  add_library(RSVG::RSVG INTERFACE IMPORTED)
  set_target_properties(RSVG::RSVG PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${PC_RSVG_INCLUDE_DIRS}"
    INTERFACE_LINK_LIBRARIES "${RSVG_LIBRARIES}")
endif()
