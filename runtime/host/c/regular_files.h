// Restricts the files that Clang may open to regular files of moderate size.
#pragma once

#include <string>

#include <llvm/Support/VirtualFileSystem.h>

namespace stencil::host {

// A layer over a file system that refuses special files and files above 64 MiB. Opening a pipe
// would wait for its writer, and reading from a device might never end.
class RegularFiles : public llvm::vfs::ProxyFileSystem {
 public:
  using ProxyFileSystem::ProxyFileSystem;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override;

  // The first file that was refused, with the reason: "'pipe' cannot be read: it is a pipe". "" if
  // no file was refused.
  const std::string& refused() const { return refused_; }

 private:
  std::string refused_;
};

}  // namespace stencil::host
