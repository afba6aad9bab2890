// The directory of the kernel cache. Its files are executed, so no other user may be able to write
// them or to replace the directory.
#pragma once

#include <string>
#include <utility>

#include "stencil/result.h"

namespace stencil::runtime {

// A file descriptor, closed by the destructor. -1: none.
class OpenFile {
 public:
  explicit OpenFile(int number = -1) : number_(number) {}
  OpenFile(OpenFile&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~OpenFile();
  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

enum class Missing { Make, Report };

// Opens the directory by walking down from the root. Each directory is checked through the
// descriptor that the next step uses, so none can be exchanged in between. Missing directories are
// created for this user only. Fails if the path is not a directory; if it or a parent belongs to a
// user other than root and this one; or if others may write to it, or to a parent that is not
// sticky. The failure has a message but no code. Missing::Report creates nothing, and returns no
// descriptor if the missing directories could be created.
Result<OpenFile> open_trusted_directory(const std::string& path, Missing missing);

// The reason why other users could have written this open file; "" if they could not.
std::string why_not_trusted(int file);

}  // namespace stencil::runtime
