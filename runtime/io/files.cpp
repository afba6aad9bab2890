// Reading through POSIX calls instead of streams: every failure has its errno.
#include "runtime/io/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "runtime/io/file_writer.h"

namespace stencil::runtime {
namespace {

Failure cannot_read(const std::string& path, const std::string& why) {
  return {"R010", "cannot read '" + path + "': " + why, ""};
}
std::string reason(int error) {
  return std::strerror(error);
}

// Closes on every way out.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

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

std::string end_of_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  namespace fs = std::filesystem;
  fs::path end = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(end, error)); ++i) {
    const fs::path next = fs::read_symlink(end, error);
    if (error) return path;
    end = end.parent_path() / next;
  }
  return fs::is_symlink(fs::symlink_status(end, error)) ? path : end.string();
}

bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::equivalent(a, b, error) && !error) return true;
  const fs::path first = fs::weakly_canonical(fs::absolute(end_of_links(a), error), error);
  if (error) return false;
  const fs::path second = fs::weakly_canonical(fs::absolute(end_of_links(b), error), error);
  return !error && first == second;
}

Status write_file_atomically(const std::string& path, std::string_view bytes) {
  auto writer = FileWriter::create(path, static_cast<int64_t>(bytes.size()));
  if (!writer.ok()) return writer.failure();
  const Status written = writer.value().write(bytes);
  return written.ok() ? writer.value().commit() : written;
}

}  // namespace stencil::runtime
