# SPDX-License-Identifier: Apache-2.0
# Installation: program, libraries, headers, pfaff.pc, and a package for find_package(pfaff).
#   find_package(pfaff)                      gives pfaff::pfaff, the shared library
#   find_package(pfaff COMPONENTS static)    gives pfaff::static as well, and finds what that one needs
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/pfaff")

install(DIRECTORY include/pfaff DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(TARGETS pfaff_static EXPORT pfaff-static)
install(EXPORT pfaff-static NAMESPACE pfaff:: DESTINATION "${package_dir}")
if(PFAFF_SHARED)
  install(TARGETS pfaff_shared EXPORT pfaff-shared)
  install(EXPORT pfaff-shared NAMESPACE pfaff:: DESTINATION "${package_dir}")
  # where the dynamic linker looks, it has to be told; for a package (DESTDIR) its installer does so
  install(CODE [[
    if(CMAKE_INSTALL_PREFIX MATCHES "^/usr(/local)?$" AND "$ENV{DESTDIR}" STREQUAL "")
      execute_process(COMMAND /sbin/ldconfig OUTPUT_QUIET ERROR_QUIET)
    endif()
  ]])
endif()
if(TARGET pfaff_program)
  install(TARGETS pfaff_program)
endif()
# manual pages and completions for shells: the program writes them
if(TARGET pfaff_program AND NOT CMAKE_CROSSCOMPILING)
  set(manual "${PROJECT_BINARY_DIR}/manual")
  add_custom_command(OUTPUT "${manual}/man1/pfaff.1"
    COMMAND sh "${PROJECT_SOURCE_DIR}/scripts/manual.sh" $<TARGET_FILE:pfaff_program> "${manual}"
    DEPENDS pfaff_program "${PROJECT_SOURCE_DIR}/scripts/manual.sh" COMMENT "" VERBATIM)
  add_custom_target(pfaff_manual ALL DEPENDS "${manual}/man1/pfaff.1")
  install(DIRECTORY "${manual}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}")
  install(FILES "${manual}/completion/pfaff" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${manual}/completion/_pfaff" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
  install(FILES "${manual}/completion/pfaff.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
install(DIRECTORY examples DESTINATION "${CMAKE_INSTALL_DATADIR}/pfaff")
# made by 'make page'
install(FILES page/dist/page.html page/dist/playground.html DESTINATION "${CMAKE_INSTALL_DATADIR}/pfaff" OPTIONAL)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

configure_package_config_file(cmake/pfaff-config.cmake.in "${PROJECT_BINARY_DIR}/pfaff-config.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/pfaff-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/pfaff-config.cmake" "${PROJECT_BINARY_DIR}/pfaff-config-version.cmake"
  cmake/FindFLINT.cmake cmake/FindSUNDIALS.cmake
  DESTINATION "${package_dir}")

# /some/where/libfoo.so -> -lfoo, so that pfaff.pc does not depend on the machine it was made on.
function(link_flags result)
  set(flags "")
  foreach(library IN LISTS ARGN)
    if(IS_ABSOLUTE "${library}")
      get_filename_component(name "${library}" NAME_WE)
      string(REGEX REPLACE "^lib" "-l" library "${name}")
    elseif(NOT library MATCHES "^-")
      set(library "-l${library}")
    endif()
    list(APPEND flags "${library}")
  endforeach()
  list(REMOVE_DUPLICATES flags)
  list(JOIN flags " " flags)
  set(${result} "${flags}" PARENT_SCOPE)
endfunction()

set(private_libraries -lm ${CMAKE_DL_LIBS} ${CMAKE_THREAD_LIBS_INIT})
set(link_files_LAPACK ${LAPACK_LIBRARIES})
set(link_files_FLINT "${FLINT_LIBRARY}" "${GMP_LIBRARY}")
set(link_files_SUNDIALS ${SUNDIALS_LIBRARIES})
set(link_files_EXPAT ${EXPAT_LIBRARIES})
foreach(name LAPACK FLINT SUNDIALS EXPAT)
  if(PFAFF_LINKS_${name})
    list(PREPEND private_libraries ${link_files_${name}})
  endif()
endforeach()
link_flags(PFAFF_PRIVATE_LIBRARIES ${private_libraries})
file(RELATIVE_PATH PFAFF_PREFIX_FROM_PC
  "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
configure_file(cmake/pfaff.pc.in "${PROJECT_BINARY_DIR}/pfaff.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/pfaff.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
