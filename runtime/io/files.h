// Reading and writing whole files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "stencil/result.h"

namespace stencil::runtime {

// A file descriptor open for reading, closed by the destructor.
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

// Opens a regular file without blocking. Other kinds are refused (R010), because a pipe may wait
// for a writer and a device may have no end. Exceptions: /dev/null, which is empty, and descriptors
// that this process was started with: a pipe or terminal as /dev/stdin, a pipe as /dev/fd/N.
Result<InputDescriptor> open_to_read(const std::string& path);

// The bytes of a file that open_to_read() accepts. R010 if it cannot be read or has more than
// `limit` bytes.
Result<std::string> read_file(const std::string& path, int64_t limit = int64_t{1} << 40);

// The path at which a file of this name is written: the end of its symbolic links, whether or not
// it exists. Returns `path` if it is not a link, or if the links form a cycle.
std::string end_of_links(const std::string& path);

// Whether both names lead to the same file, existing or not.
bool same_file(const std::string& a, const std::string& b);

// Writes a whole file like a FileWriter (file_writer.h): it appears complete or not at all. R011.
Status write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace stencil::runtime
