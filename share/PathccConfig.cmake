# find_package(Pathcc) for CMake: some targets of a project are counted, and the compiler stays clang 22.
#
#   find_package(Pathcc REQUIRED)
#   pathcc_instrument(app library [OPTIONS -fpath-mode=blocks -fpath-stage=early ...])
#
#   pathcc_label_tests()
#
# The second gives each test of this folder that was added before a label, its name.
#
# What a static library counts is counted in the programs that it is linked into.

get_filename_component(Pathcc_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(Pathcc_COMPILER "${Pathcc_ROOT}/bin/pathcc")

function(pathcc_instrument)
  cmake_parse_arguments(PARSE_ARGV 0 PATHCC "" "" "OPTIONS")
  foreach(language C CXX)
    if(CMAKE_${language}_COMPILER MATCHES "pathc(c|\\+\\+)$")
      # It counts everything anyway.
      return()
    endif()
    if(CMAKE_${language}_COMPILER AND NOT (CMAKE_${language}_COMPILER_ID STREQUAL "Clang"
                                           AND CMAKE_${language}_COMPILER_VERSION MATCHES "^22\\."))
      message(FATAL_ERROR "pathcc_instrument: the ${language} compiler is ${CMAKE_${language}_COMPILER}, and pathcc counts "
                          "what clang 22 compiles; set CMAKE_${language}_COMPILER to clang 22")
    endif()
  endforeach()
  foreach(kind cflags ldflags)
    execute_process(COMMAND "${Pathcc_COMPILER}" --${kind} ${PATHCC_OPTIONS}
                    OUTPUT_VARIABLE ${kind} OUTPUT_STRIP_TRAILING_WHITESPACE
                    ERROR_VARIABLE problem RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "pathcc_instrument: ${problem}")
    endif()
  endforeach()
  foreach(target IN LISTS PATHCC_UNPARSED_ARGUMENTS)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:SHELL:${cflags}>")
    get_target_property(kind ${target} TYPE)
    if(kind MATCHES "^(STATIC|OBJECT)_LIBRARY$")
      target_link_options(${target} INTERFACE "SHELL:${ldflags}")
    else()
      target_link_options(${target} PRIVATE "SHELL:${ldflags}")
    endif()
  endforeach()
endfunction()

function(pathcc_label_tests)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    set_property(TEST "${test}" APPEND PROPERTY ENVIRONMENT "PATHCC_LABEL=${test}")
  endforeach()
endfunction()
