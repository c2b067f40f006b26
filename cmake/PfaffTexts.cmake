# SPDX-License-Identifier: Apache-2.0
# Texts that are part of a program: a file as the initialiser of an array of lines, ended by 0. Compilers promise to take
# strings of 4095 characters only.
function(pfaff_text_lines path result)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
  file(READ "${path}" text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\",\n  \"" text "${text}")
  set(${result} "{\n  \"${text}\", 0}" PARENT_SCOPE)
endfunction()
