#include "runtime/host/c/regular_files.h"

#include <cerrno>

#include <fcntl.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <sys/stat.h>
#include <unistd.h>

namespace stencil::host {

namespace {

constexpr off_t kLargestFile = off_t{64} << 20;

class OpenFile : public llvm::vfs::File {
 public:
  OpenFile(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  ~OpenFile() override { OpenFile::close(); }

  llvm::ErrorOr<llvm::vfs::Status> status() override {
    llvm::sys::fs::file_status status;
    if (const auto error = llvm::sys::fs::status(descriptor_, status)) return error;
    return llvm::vfs::Status::copyWithNewName(status, name_);
  }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name,
                                                               int64_t size, bool terminated,
                                                               bool is_volatile) override {
    return llvm::MemoryBuffer::getOpenFile(llvm::sys::fs::convertFDToNativeFile(descriptor_), name,
                                           static_cast<uint64_t>(size), terminated, is_volatile);
  }
  std::error_code close() override {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    return {};
  }

 protected:
  void setPath(const llvm::Twine& path) override { name_ = path.str(); }

 private:
  int descriptor_;
  std::string name_;
};

// The reason why a file must not be read, or "".
std::string why_not(const struct stat& status) {
  if (S_ISFIFO(status.st_mode)) return "it is a pipe";
  if (S_ISSOCK(status.st_mode)) return "it is a socket";
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) return "it is a device";
  if (status.st_size > kLargestFile)
    return "it has more than " + std::to_string(kLargestFile) + " bytes";
  return "";
}

}  // namespace

llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> RegularFiles::openFileForRead(
    const llvm::Twine& path) {
  llvm::SmallString<256> absolute;
  path.toVector(absolute);
  if (const auto error = makeAbsolute(absolute)) return error;
  const char* name = absolute.c_str();
  const auto failed = [] { return std::error_code(errno, std::generic_category()); };
  const auto refuse = [&](const std::string& why) {
    if (refused_.empty()) refused_ = "'" + path.str() + "' cannot be read: " + why;
    return std::make_error_code(std::errc::operation_not_permitted);
  };
  // Check the file by name first, because opening a device may have side effects.
  struct stat status {};
  if (::stat(name, &status) != 0) return failed();
  if (const std::string why = why_not(status); !why.empty()) return refuse(why);
  // O_NONBLOCK prevents waiting if a pipe has replaced the file.
  const int descriptor = ::open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return failed();
  auto file = std::make_unique<OpenFile>(descriptor, path.str());
  if (::fstat(descriptor, &status) != 0) return failed();
  if (const std::string why = why_not(status); !why.empty()) return refuse(why);
  return std::unique_ptr<llvm::vfs::File>(std::move(file));
}

}  // namespace stencil::host
