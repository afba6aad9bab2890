// Uses POSIX calls instead of streams: every failure has an errno, short writes are detected, and
// the data are on disk (fsync) before the rename makes them visible. So even a crash of the machine
// leaves no partial file under the final name.
//
// The temporary file is in the directory of its target, because a rename is atomic only within one
// file system. Its name contains the process id and a counter, so concurrent writers never share
// one; the last rename wins.
//
// A process that a signal ends runs no destructors, so the names of temporary files are in a table
// that a signal handler can read. Writer and handler remove an entry with the same atomic exchange:
// whoever gets the string owns it, and a handler never frees.
#include "runtime/io/file_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "compiler/support/try.h"
#include "runtime/io/files.h"

namespace stencil::runtime {

namespace {

constexpr int kMostRegistered = 64;  // only their writers remove further temporary files
std::array<std::atomic<char*>, kMostRegistered> temporary_files;
static_assert(std::atomic<char*>::is_always_lock_free);

int enter(const std::string& name) {
  char* copy = strdup(name.c_str());
  for (int i = 0; i < kMostRegistered && copy != nullptr; ++i) {
    char* none = nullptr;
    if (temporary_files[i].compare_exchange_strong(none, copy)) return i;
  }
  free(copy);
  return -1;
}

void leave(int& place) {
  if (place >= 0) free(temporary_files[place].exchange(nullptr));
  place = -1;
}

std::string temporary_name(const std::string& path) {
  static std::atomic<uint64_t> counter{0};
  return fmt::format("{}.tmp-{}-{}", path, ::getpid(), counter++);
}

bool lacks_space(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// Reserves space for the file. Succeeds on file systems that cannot reserve space.
int reserve(int descriptor, int64_t bytes) {
  if (bytes <= 0 || ::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, bytes) == 0) return 0;
  return lacks_space(errno) ? errno : 0;
}

Failure cannot_write(const std::string& path, int error, int64_t bytes) {
  std::string why = std::strerror(error);
  if (lacks_space(error) && bytes > 0) why += fmt::format(" ({} bytes needed)", bytes);
  const std::string end = end_of_links(path);
  if (end != path) why += fmt::format(" (it is a link to '{}')", end);
  return {"R011", fmt::format("cannot write '{}': {}", path, why), ""};
}

}  // namespace

TemporaryFile::TemporaryFile(std::string name)
    : name_(std::move(name)), registered_(enter(name_)) {}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : name_(std::exchange(other.name_, "")), registered_(std::exchange(other.registered_, -1)) {}

TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(registered_, other.registered_);
  return *this;
}

TemporaryFile::~TemporaryFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
  leave(registered_);
}

void TemporaryFile::release() {
  name_.clear();
  leave(registered_);
}

Failure FileWriter::failure(int error) const {
  return cannot_write(path_, error, bytes_);
}

Result<int> open_stream(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (descriptor < 0) {
    const int error = errno;
    const bool is_pipe = ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
    if (error != ENXIO || !is_pipe) return cannot_write(path, error, 0);
    return Failure{"R011", fmt::format("cannot write '{}': it is a pipe without a reader", path),
                   "start the reader first"};
  }
  if (::fstat(descriptor, &status) == 0 && S_ISBLK(status.st_mode)) {
    ::close(descriptor);
    return Failure{"R011", fmt::format("cannot write '{}': it is a disk", path), ""};
  }
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags >= 0) ::fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);  // writes wait for the reader
  return descriptor;
}

Status FileWriter::open_directly() {
  if (path_ == kStandardOutput) {
    std::fflush(stdout);  // keeps the order of the process's output
    descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) return failure(errno);
    return Done{};
  }
  const auto opened = TRY(open_stream(path_));
  descriptor_ = opened;
  return Done{};
}

namespace {

// Calls `create` with new names beside `target` until one of them is not taken, and returns that
// one; no name if `create` fails for another reason. A killed process with the same id may have
// left such a name.
template <class Create>
TemporaryFile created_beside(const std::string& target, const Create& create) {
  while (true) {
    TemporaryFile file(temporary_name(target));
    if (create(file.name().c_str())) return file;
    const int error = errno;
    file.release();  // it belongs to another process, or does not exist
    errno = error;
    if (error != EEXIST) return {};
  }
}

}  // namespace

Status FileWriter::open_beside(const std::string& target) {
  target_ = target;
  temporary_ = created_beside(target, [&](const char* name) {
    descriptor_ = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return descriptor_ >= 0;
  });
  if (descriptor_ < 0) return failure(errno);
  const int error = reserve(descriptor_, bytes_);
  if (error != 0) return failure(error);
  return Done{};
}

Result<FileWriter> FileWriter::create(const std::string& path, int64_t bytes) {
  FileWriter writer(path, bytes);
  if (path.empty()) return Failure{"R011", "cannot write '': the name is empty", ""};
  std::string target = path == kStandardOutput ? "" : end_of_links(path);
  struct stat status {};
  if (!target.empty() && ::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return writer.failure(EISDIR);
    if (!S_ISREG(status.st_mode)) target.clear();
  } else if (!target.empty() && errno == ELOOP) {
    return writer.failure(ELOOP);
  }
  TRY(target.empty() ? writer.open_directly() : writer.open_beside(target));
  return writer;
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      replaced_(std::move(other.replaced_)),
      is_new_(other.is_new_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_(other.bytes_) {}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status FileWriter::write(std::string_view bytes) {
  if (!write_all(descriptor_, bytes)) return failure(errno);
  return Done{};
}

Status FileWriter::resize(int64_t bytes) {
  if (::ftruncate(descriptor_, bytes) != 0) return failure(errno);
  return Done{};
}

Status FileWriter::move_to(int64_t offset) {
  if (::lseek(descriptor_, offset, SEEK_SET) < 0) return failure(errno);
  return Done{};
}

Status FileWriter::close() {
  if (descriptor_ < 0) return Done{};
  if (!target_.empty() && ::fsync(descriptor_) != 0) return failure(errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) return failure(errno);
  return Done{};
}

Status FileWriter::commit() {
  const Status closed = close();
  if (!closed.ok() || target_.empty()) return closed;
  struct stat replaced {};
  const bool is_new = ::stat(target_.c_str(), &replaced) != 0;
  if (!is_new) {  // keep its permissions, if possible
    (void)::chmod(temporary().c_str(), replaced.st_mode & 0777);
  }
  if (::rename(temporary().c_str(), target_.c_str()) != 0) return failure(errno);
  temporary_.release();
  is_new_ = is_new;
  return Done{};
}

void FileWriter::keep_replaced() {
  struct stat replaced {};
  if (target_.empty() || ::stat(target_.c_str(), &replaced) != 0) return;
  replaced_ =
      created_beside(target_, [&](const char* name) { return ::link(target_.c_str(), name) == 0; });
}

void FileWriter::undo() {
  if (is_new_) {
    ::unlink(target_.c_str());
  } else if (!replaced_.name().empty() &&
             ::rename(replaced_.name().c_str(), target_.c_str()) == 0) {
    replaced_.release();
  }
}

void remove_temporary_files() noexcept {
  for (auto& entry : temporary_files) {
    const char* const name = entry.exchange(nullptr);
    if (name != nullptr) ::unlink(name);
  }
}

// --- Several writers of one file --------------------------------------------------------------

Result<SharedFileWriter> SharedFileWriter::open(const std::string& path,
                                                const std::string& temporary, int64_t bytes) {
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return cannot_write(path, errno, bytes);
  return SharedFileWriter(path, bytes, descriptor);
}

SharedFileWriter::SharedFileWriter(SharedFileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(other.bytes_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

SharedFileWriter::~SharedFileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status SharedFileWriter::write_at(int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return cannot_write(path_, errno, bytes_);
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += written;
  }
  return Done{};
}

Status SharedFileWriter::close() {
  if (::fsync(descriptor_) != 0) return cannot_write(path_, errno, bytes_);
  if (::close(std::exchange(descriptor_, -1)) != 0) return cannot_write(path_, errno, bytes_);
  return Done{};
}

}  // namespace stencil::runtime
