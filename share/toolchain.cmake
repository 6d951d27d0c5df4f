# A toolchain for CMake in which everything is counted: cmake --toolchain PREFIX/lib/cmake/Pathcc/toolchain.cmake …
get_filename_component(_pathcc_bin "${CMAKE_CURRENT_LIST_DIR}/../../../bin" ABSOLUTE)
set(CMAKE_C_COMPILER "${_pathcc_bin}/pathcc")
set(CMAKE_CXX_COMPILER "${_pathcc_bin}/pathc++")
