// mmap() of regular files; whatever else a name may lead to goes through read_file().
#include "runtime/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "runtime/files.h"

namespace stencil::runtime {

Result<MappedFile> MappedFile::open(const std::string& path) {
  // Asked by name: to open a pipe and close it again would take it from its writer.
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    void* address = MAP_FAILED;
    size_t size = 0;
    if (descriptor >= 0 && ::fstat(descriptor, &status) == 0) {
      size = static_cast<size_t>(status.st_size);
      if (size > 0) address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    if (descriptor >= 0) ::close(descriptor);
    if (address != MAP_FAILED) {
      ::madvise(address, size, MADV_SEQUENTIAL);
      return MappedFile(static_cast<const char*>(address), size, true);
    }
  }
  const Result<std::string> read = read_file(path);  // says what is wrong, too
  if (!read.ok()) return read.failure();
  char* copy = new char[read.value().size()];
  std::memcpy(copy, read.value().data(), read.value().size());
  return MappedFile(copy, read.value().size(), false);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_(std::exchange(other.mapped_, false)) {}

MappedFile::~MappedFile() {
  if (mapped_) {
    ::munmap(const_cast<char*>(data_), size_);
  } else {
    delete[] data_;
  }
}

}  // namespace stencil::runtime
