# A toolchain for CMake in which everything is counted: cmake --toolchain PREFIX/lib/cmake/Pathcc/toolchain.cmake …
get_filename_component(_pathcc_bin "${CMAKE_CURRENT_LIST_DIR}/../../../bin" ABSOLUTE)
set(CMAKE_C_COMPILER "${_pathcc_bin}/pathcc")
set(CMAKE_CXX_COMPILER "${_pathcc_bin}/pathc++")
# CMake finds these tools by the suffix of the compiler's name. Tools of another LLVM cannot read this one's bitcode.
foreach(_pathcc_tool ar ranlib nm objcopy objdump readelf strip)
  execute_process(COMMAND "${CMAKE_C_COMPILER}" -print-prog-name=llvm-${_pathcc_tool}
    OUTPUT_VARIABLE _pathcc_path OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(TOUPPER "${_pathcc_tool}" _pathcc_tool)
  if(EXISTS "${_pathcc_path}")
    set(CMAKE_${_pathcc_tool} "${_pathcc_path}" CACHE FILEPATH "LLVM's own")
  endif()
endforeach()
