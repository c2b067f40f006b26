# SPDX-License-Identifier: Apache-2.0
# The Python package (cmake/PfaffPython.cmake), by pytest: python/tests/test_<name>.py is the test python.<name>. Packages that are not
# there are left out, and so is everything without pytest and NumPy; scripts/test.sh installs them in build/python-env.
execute_process(COMMAND "${Python_EXECUTABLE}" -c "import pytest, numpy, hypothesis" RESULT_VARIABLE missing ERROR_QUIET)
if(missing)
  list(APPEND pfaff_absent "the tests of the Python package (${Python_EXECUTABLE} has no pytest, NumPy or hypothesis)")
  set(pfaff_absent "${pfaff_absent}" PARENT_SCOPE)
  return()
endif()
file(GLOB python_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/tests/test_*.py")
foreach(test IN LISTS python_tests)
  get_filename_component(name "${test}" NAME_WE)
  string(REGEX REPLACE "^test_" "" name "${name}")
  register_test("python.${name}" "${Python_EXECUTABLE}" -m pytest -q -p no:cacheprovider "${test}")
  set_tests_properties("python.${name}" PROPERTIES ENVIRONMENT
    "${test_environment};PYTHONPATH=${PROJECT_BINARY_DIR}/python;PFAFF_PROGRAM=$<TARGET_FILE:pfaff_program>;MPLBACKEND=Agg")
endforeach()
