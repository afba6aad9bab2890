// Reading a file in parts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stencil/result.h"

namespace stencil::runtime {

// A file that is read where its reader wants it, so that one larger than memory can be. A pipe that
// open_to_read() takes is read as a whole when it is opened. It is not mapped into memory: a
// mapped file that somebody truncates ends the process (SIGBUS), here it is a failure. One that is
// replaced by a rename, as FileWriter does it, keeps its old bytes here.
class InputFile {
 public:
  // R010 as open_to_read().
  static Result<InputFile> open(const std::string& path);
  // `bytes` as a file; `name` is for messages.
  static InputFile of(std::string bytes, std::string name);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  const std::string& path() const { return path_; }
  // Bytes, as of when it was opened.
  int64_t size() const { return size_; }
  // Whether it lies where other processes find it, too.
  bool lies_on_disk() const { return descriptor_ >= 0; }
  // Bytes `at` to `at + count - 1`, which it had then. R010 if it cannot be read, or has become
  // shorter.
  Status read(int64_t at, int64_t count, void* to) const;

 private:
  InputFile(std::string path, std::string bytes, int descriptor, int64_t size)
      : path_(std::move(path)), bytes_(std::move(bytes)), descriptor_(descriptor), size_(size) {}

  std::string path_;
  std::string bytes_;  // all, where there is no descriptor
  int descriptor_;     // -1: none
  int64_t size_;
};

}  // namespace stencil::runtime
