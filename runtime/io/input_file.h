// Random access to files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stencil/result.h"

namespace stencil::runtime {

// A file that is read in pieces, so it may be larger than memory. A pipe that open_to_read()
// accepts is read completely on opening. The file is not memory-mapped: truncating a mapped file
// would end the process (SIGBUS); here it is a failure. If the file is replaced by a rename, as
// FileWriter does, the old bytes remain readable here.
class InputFile {
 public:
  // R010, as open_to_read().
  static Result<InputFile> open(const std::string& path);
  // A file in memory; `name` is for messages.
  static InputFile of(std::string bytes, std::string name);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  const std::string& path() const { return path_; }
  // Size in bytes when it was opened.
  int64_t size() const { return size_; }
  // Whether other processes can open it, too.
  bool lies_on_disk() const { return descriptor_ >= 0; }
  // Reads `count` bytes from offset `at`; the range must lie within size(). R010 if it cannot be
  // read or the file was truncated.
  Status read(int64_t at, int64_t count, void* to) const;

 private:
  InputFile(std::string path, std::string bytes, int descriptor, int64_t size)
      : path_(std::move(path)), bytes_(std::move(bytes)), descriptor_(descriptor), size_(size) {}

  std::string path_;
  std::string bytes_;  // all bytes, if there is no descriptor
  int descriptor_;     // -1: none
  int64_t size_;
};

}  // namespace stencil::runtime
