// Files through POSIX calls instead of streams: every failure has its errno, a short write is seen,
// and the data is on disk (fsync) before the rename makes it visible, so that not even a crash of
// the machine leaves half a file under the final name.
//
// The temporary file lies in the directory of its target, since a rename is atomic only within one
// file system. Its name holds the process id and a counter: concurrent writers never share one, and
// the last rename wins.
#include "runtime/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace stencil::runtime {
namespace {

Failure cannot_read(const std::string& path, const std::string& why) {
  return {"R010", "cannot read '" + path + "': " + why, ""};
}
Failure cannot_write(const std::string& path, const std::string& why) {
  return {"R011", "cannot write '" + path + "': " + why, ""};
}
std::string reason(int error) {
  return std::strerror(error);
}

// Closes on every way out. close() can report a failed write, hence the explicit one.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int number() const { return number_; }
  bool close() {
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0;
  }

 private:
  int number_;
};

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

Status write_directly(const std::string& path, std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.number() < 0 || !write_all(file.number(), bytes) || !file.close()) {
    return cannot_write(path, reason(errno));
  }
  return Done{};
}

std::string temporary_name(const std::string& path) {
  static std::atomic<uint64_t> counter{0};
  return path + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

Status write_beside_and_rename(const std::string& path, std::string_view bytes) {
  const std::string temporary = temporary_name(path);
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.number() < 0) return cannot_write(path, reason(errno));
  const bool complete = write_all(file.number(), bytes) && ::fsync(file.number()) == 0 &&
                        file.close() && ::rename(temporary.c_str(), path.c_str()) == 0;
  if (complete) return Done{};
  const int error = errno;
  ::unlink(temporary.c_str());
  return cannot_write(path, reason(error));
}

}  // namespace

Result<std::string> read_file(const std::string& path, int64_t limit) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) return cannot_read(path, reason(errno));
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return cannot_read(path, reason(errno));
  if (S_ISDIR(status.st_mode)) return cannot_read(path, "it is a directory");
  const std::string too_large = "it has more than " + std::to_string(limit) + " bytes";
  if (status.st_size > limit) return cannot_read(path, too_large);

  constexpr size_t kChunk = size_t{1} << 20;
  std::string bytes;
  bytes.reserve(static_cast<size_t>(status.st_size) + 1);
  while (true) {
    // One byte more than the size that is known, so that the end shows without another buffer.
    const size_t filled = bytes.size();
    bytes.resize(std::max(bytes.capacity(), filled + (filled == bytes.capacity() ? kChunk : 0)));
    const ssize_t got = ::read(file.number(), bytes.data() + filled, bytes.size() - filled);
    const int error = errno;
    bytes.resize(filled + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && error == EINTR) continue;
    if (got < 0) return cannot_read(path, reason(error));
    if (got == 0) return bytes;
    if (static_cast<int64_t>(bytes.size()) > limit) return cannot_read(path, too_large);
  }
}

Status write_file_atomically(const std::string& path, std::string_view bytes) {
  if (path.empty()) return cannot_write(path, "the name is empty");
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return cannot_write(path, "it is a directory");
    if (!S_ISREG(status.st_mode)) return write_directly(path, bytes);
    std::error_code ignored;
    const std::filesystem::path real = std::filesystem::canonical(path, ignored);
    if (!real.empty()) return write_beside_and_rename(real.string(), bytes);
  }
  return write_beside_and_rename(path, bytes);
}

}  // namespace stencil::runtime
