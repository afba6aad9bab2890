// Uses POSIX calls instead of streams, so that every failure has an errno.
#include "runtime/io/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "compiler/support/try.h"
#include "runtime/io/file_writer.h"

namespace stencil::runtime {
namespace {

Failure cannot_read(const std::string& path, const std::string& why) {
  return {"R010", "cannot read '" + path + "': " + why, ""};
}
std::string reason(int error) {
  return std::strerror(error);
}

// Whether the name stands for a descriptor that this process already has. The parent process chose
// the file behind it, and opening it does not block.
bool names_descriptor(const std::string& path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

// Why this kind of file is not read; "" if it is.
std::string why_not_readable(const std::string& path, const struct stat& status) {
  const bool is_null = S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
  if (S_ISREG(status.st_mode) || is_null) return "";
  if (S_ISDIR(status.st_mode)) return "it is a directory";
  const bool streams = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
  if (streams && names_descriptor(path)) return "";
  return S_ISFIFO(status.st_mode)   ? "it is a pipe, not a regular file"
         : S_ISSOCK(status.st_mode) ? "it is a socket, not a regular file"
                                    : "it is a device, not a regular file";
}

}  // namespace

Result<InputDescriptor> open_to_read(const std::string& path) {
  // Check by name first: opening and closing a pipe would disturb its writer. A terminal on
  // /dev/stdin is accepted as a stream.
  struct stat status {};
  const bool is_terminal = names_descriptor(path) && path == "/dev/stdin" && ::isatty(0) != 0;
  if (::stat(path.c_str(), &status) != 0) return cannot_read(path, reason(errno));
  std::string why = is_terminal ? "" : why_not_readable(path, status);
  if (!why.empty()) return cannot_read(path, why);
  // O_NONBLOCK: a pipe may have taken the name since the check.
  InputDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) return cannot_read(path, reason(errno));
  if (::fstat(file.number(), &status) != 0) return cannot_read(path, reason(errno));
  why = is_terminal ? "" : why_not_readable(path, status);
  if (!why.empty()) return cannot_read(path, why);
  file.set_regular(S_ISREG(status.st_mode), status.st_size);
  if (!file.is_regular()) {  // reads must wait for data
    const int flags = ::fcntl(file.number(), F_GETFL);
    if (flags >= 0) ::fcntl(file.number(), F_SETFL, flags & ~O_NONBLOCK);
  }
  return file;
}

Result<std::string> read_file(const std::string& path, int64_t limit) {
  const auto opened = TRY(open_to_read(path));
  const InputDescriptor& file = opened;
  const std::string too_large = "it has more than " + std::to_string(limit) + " bytes";
  if (file.size() > limit) return cannot_read(path, too_large);

  constexpr size_t kChunk = size_t{1} << 20;
  std::string bytes;
  bytes.reserve(static_cast<size_t>(file.size()) + 1);
  while (true) {
    // One byte more than the known size, so that end of file is detected without growing the
    // buffer.
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

InputDescriptor::~InputDescriptor() {
  if (number_ >= 0) ::close(number_);
}

std::string end_of_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // limit of Linux
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
  auto writer = TRY(FileWriter::create(path, static_cast<int64_t>(bytes.size())));
  const Status written = writer.write(bytes);
  return written.ok() ? writer.commit() : written;
}

}  // namespace stencil::runtime
