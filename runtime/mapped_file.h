// A file's bytes without a copy of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/result.h"

namespace stencil::runtime {

// A whole file, mapped into memory: pages come from the disk as they are read, so a file larger
// than memory can be read from front to back. What is no regular file (a pipe) is read instead. The
// file must not be truncated while it is mapped; one that is replaced by a rename, as FileWriter
// does it, keeps its old bytes here.
class MappedFile {
 public:
  // R010 if it cannot be read.
  static Result<MappedFile> open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  // At the same address until the destruction of what this has been moved to.
  std::string_view bytes() const { return {data_, size_}; }

 private:
  MappedFile(const char* data, size_t size, bool mapped)
      : data_(data), size_(size), mapped_(mapped) {}

  const char* data_;
  size_t size_;
  bool mapped_;  // otherwise `data_` is an array of its own, or null
};

}  // namespace stencil::runtime
