// Uses pread() on regular files. A pipe given at process start is read by read_file().
#include "runtime/io/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "compiler/support/try.h"
#include "runtime/io/files.h"

namespace stencil::runtime {

Result<InputFile> InputFile::open(const std::string& path) {
  auto opened = TRY(open_to_read(path));
  if (opened.is_regular()) {
    const int64_t size = opened.size();
    InputFile file(path, "", opened.release(), size);
    ::posix_fadvise(file.descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
    return file;
  }
  auto read = TRY(read_file(path));
  return of(std::move(read), path);
}

InputFile InputFile::of(std::string bytes, std::string name) {
  const auto size = static_cast<int64_t>(bytes.size());
  return InputFile(std::move(name), std::move(bytes), -1, size);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(std::move(other.bytes_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(std::exchange(other.size_, 0)) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status InputFile::read(int64_t at, int64_t count, void* to) const {
  const auto fail = [&](const std::string& why) {
    return Failure{"R010", fmt::format("cannot read '{}': {}", path_, why), ""};
  };
  if (at < 0 || count < 0 || at > size_ || count > size_ - at)
    return fail("it ends before the data that it should hold");
  if (descriptor_ < 0) {
    if (count > 0) std::memcpy(to, bytes_.data() + at, static_cast<size_t>(count));
    return Done{};
  }
  constexpr int64_t kMostAtOnce = int64_t{1} << 30;  // Linux reads less than 2 GiB per call
  auto* next = static_cast<char*>(to);
  while (count > 0) {
    const auto wanted = static_cast<size_t>(std::min(count, kMostAtOnce));
    const ssize_t got = ::pread(descriptor_, next, wanted, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(std::strerror(errno));
    if (got == 0) {
      return fail(
          fmt::format("it was truncated while it was read, from {} bytes to {}", size_, at));
    }
    next += got;
    at += got;
    count -= got;
  }
  return Done{};
}

}  // namespace stencil::runtime
