// Whole files in and out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stencil/result.h"

namespace stencil::runtime {

// The bytes of a file. R010 if it cannot be read or has more than `limit` bytes.
Result<std::string> read_file(const std::string& path, int64_t limit = int64_t{1} << 40);

// Where a file of this name is written: at the end of the symbolic links, whether something is
// there or not. The name itself if it is no link, or links go round in a circle.
std::string end_of_links(const std::string& path);

// True if both names lead to the same file, whether it exists or would be written.
bool same_file(const std::string& a, const std::string& b);

// Writes a whole file at once as a FileWriter (file_writer.h) does: it appears complete or not at
// all. R011.
Status write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace stencil::runtime
