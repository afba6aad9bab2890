// The directory of the kernel cache. Its files are run as code, so no other user may be able to
// write them, or to put another directory in its place.
#pragma once

#include <string>
#include <utility>

#include "stencil/result.h"

namespace stencil::runtime {

// A descriptor, closed at the end. -1: none.
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

// Opens the directory by walking down from the root, and checks each directory through the
// descriptor that the next step uses, so that none can be exchanged in between. Directories that
// are missing are made for this user alone. Fails where the directory is none, where it or one
// above it belongs to another user than root and this one, or where others may write: to the
// directory itself, or to one above it that is not sticky. The message is the reason; there is no
// code. Missing::Report makes nothing, and succeeds without a descriptor where the rest could be
// made.
Result<OpenFile> open_trusted_directory(const std::string& path, Missing missing);

// Why others could have written this open file; "" if they could not.
std::string why_not_trusted(int file);

}  // namespace stencil::runtime
