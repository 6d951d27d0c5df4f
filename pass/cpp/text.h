// A text that is handed to Rust. Must match `Text` in src/ffi.rs.
#pragma once

#include <cstddef>

struct PathpassText {
  const char *Bytes;
  size_t Length;
};
