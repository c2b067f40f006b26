# SPDX-License-Identifier: Apache-2.0
# librsvg 2.52 or later with cairo: defines RSVG_FOUND, RSVG_VERSION and RSVG_INCLUDE_DIRS. Its many headers are found by
# pkg-config only. Nothing is linked: src/out/render.c loads the library when a picture is drawn.
include(FindPackageHandleStandardArgs)
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(PC_RSVG QUIET librsvg-2.0>=2.52 cairo-pdf>=1.16 cairo-png)
endif()
if(PC_RSVG_FOUND)
  set(RSVG_VERSION "${PC_RSVG_librsvg-2.0_VERSION}")
  set(RSVG_INCLUDE_DIRS ${PC_RSVG_INCLUDE_DIRS})
endif()
find_package_handle_standard_args(RSVG REQUIRED_VARS RSVG_INCLUDE_DIRS VERSION_VAR RSVG_VERSION)
