// Whole files in and out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "stencil/result.h"

namespace stencil::runtime {

// A file that is open for reading, and closed at the end.
class InputDescriptor {
 public:
  explicit InputDescriptor(int number) : number_(number) {}
  InputDescriptor(InputDescriptor&& other) noexcept
      : number_(other.release()), size_(other.size_), is_regular_(other.is_regular_) {}
  InputDescriptor& operator=(InputDescriptor&&) = delete;
  ~InputDescriptor();

  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  bool is_regular() const { return is_regular_; }
  int64_t size() const { return size_; }  // bytes; 0 if it is not regular
  void set_regular(bool is_regular, int64_t size) {
    is_regular_ = is_regular;
    size_ = is_regular ? size : 0;
  }

 private:
  int number_;
  int64_t size_ = 0;
  bool is_regular_ = false;
};

// Opens a regular file, and never waits. Other files are refused (R010), because a pipe may wait
// for a writer and a device may have no end; but for /dev/null, which is empty, and for what this
// process was started with: a pipe or a terminal as /dev/stdin, a pipe as /dev/fd/N.
Result<InputDescriptor> open_to_read(const std::string& path);

// The bytes of such a file. R010 if it cannot be read or has more than `limit` bytes.
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
