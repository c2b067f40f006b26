# SPDX-License-Identifier: Apache-2.0
# The Python package, in <build>/python/pfaff: the module of python/glue, which holds the library and the commands, and the files of
# python/pfaff beside it. The interpreter needs cffi and its C headers; the module serves all versions from 3.10 on.
if(PFAFF_PYTHON_EXECUTABLE)
  set(Python_EXECUTABLE "${PFAFF_PYTHON_EXECUTABLE}")
endif()
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND "${Python_EXECUTABLE}" -c "import cffi" RESULT_VARIABLE no_cffi ERROR_QUIET)
if(no_cffi)
  message(FATAL_ERROR "PFAFF_PYTHON is ON: ${Python_EXECUTABLE} has no cffi (python3-cffi on Debian, or pip install cffi)")
endif()

set(pfaff_python_folder "${PROJECT_BINARY_DIR}/python/pfaff")
set(glue "${PROJECT_SOURCE_DIR}/python/glue")
set(module_source "${PROJECT_BINARY_DIR}/python/_pfaff.c")
add_custom_command(OUTPUT "${module_source}"
  COMMAND "${Python_EXECUTABLE}" "${glue}/build_module.py" "${module_source}"
  DEPENDS "${glue}/build_module.py" "${glue}/api.h")

file(GLOB glue_sources CONFIGURE_DEPENDS "${glue}/*.c")
add_library(pfaff_glue OBJECT ${glue_sources})
target_include_directories(pfaff_glue PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${glue}")

add_library(pfaff_python MODULE "${module_source}" $<TARGET_OBJECTS:pfaff_glue> $<TARGET_OBJECTS:pfaff_commands>
  $<TARGET_OBJECTS:pfaff_objects>)
set_target_properties(pfaff_python PROPERTIES PREFIX "" OUTPUT_NAME "_pfaff" SUFFIX ".abi3.so"
  LIBRARY_OUTPUT_DIRECTORY "${pfaff_python_folder}")
target_include_directories(pfaff_python PRIVATE "${PROJECT_SOURCE_DIR}/include" "${glue}")
target_include_directories(pfaff_python SYSTEM PRIVATE ${Python_INCLUDE_DIRS})
set_source_files_properties("${module_source}" PROPERTIES COMPILE_OPTIONS "-w") # not ours
target_compile_definitions(pfaff_python PRIVATE Py_LIMITED_API=0x030A0000)
target_link_libraries(pfaff_python PRIVATE ${pfaff_libraries})
target_link_options(pfaff_python PRIVATE "LINKER:--exclude-libs,ALL")

# Links, so that what is changed in the sources is changed there.
file(GLOB package_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/python/pfaff" "${PROJECT_SOURCE_DIR}/python/pfaff/*")
file(MAKE_DIRECTORY "${pfaff_python_folder}")
foreach(file IN LISTS package_files)
  if(NOT file MATCHES "^__pycache__|[.]so$")
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/python/pfaff/${file}" "${pfaff_python_folder}/${file}" SYMBOLIC)
  endif()
endforeach()

# The types of results, by the tables of fields in the program.
if(TARGET pfaff_program AND NOT CMAKE_CROSSCOMPILING)
  set(reports "${PROJECT_SOURCE_DIR}/tests/cli/reports.py")
  add_custom_command(OUTPUT "${pfaff_python_folder}/_reports.pyi"
    COMMAND "${Python_EXECUTABLE}" "${reports}" --python $<TARGET_FILE:pfaff_program> "${pfaff_python_folder}/_reports.pyi"
    DEPENDS pfaff_program "${reports}" COMMENT "" VERBATIM)
  add_custom_target(pfaff_python_types DEPENDS "${pfaff_python_folder}/_reports.pyi")
  add_dependencies(pfaff_python pfaff_python_types)
  install(FILES "${pfaff_python_folder}/_reports.pyi" DESTINATION pfaff COMPONENT python EXCLUDE_FROM_ALL)
endif()

install(TARGETS pfaff_python LIBRARY DESTINATION pfaff COMPONENT python EXCLUDE_FROM_ALL)
