// Whole files in and out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/result.h"

namespace stencil::runtime {

// The bytes of a file. R010 if it cannot be read or has more than `limit` bytes.
Result<std::string> read_file(const std::string& path, int64_t limit = int64_t{1} << 40);

// Writes beside `path` and renames, so that a reader sees the old file or the new one and never a
// part; on failure (R011) the old file is left as it was and nothing else stays behind. A symbolic
// link keeps pointing where it did. A path that is no regular file (/dev/stdout, a pipe) is written
// to directly.
Status write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace stencil::runtime
