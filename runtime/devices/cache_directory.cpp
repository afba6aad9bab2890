// Symbolic links are resolved first; the result is walked without following links. If a link
// changes meanwhile, the walk fails or reaches a directory that is checked like any other.
#include "runtime/devices/cache_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace stencil::runtime {

namespace {

namespace fs = std::filesystem;

// The owner of the root directory counts as root: a container may show root under another user
// number.
bool is_trusted_user(uid_t user) {
  static const uid_t owner_of_root = [] {
    struct stat status {};
    return ::stat("/", &status) == 0 ? status.st_uid : 0;
  }();
  return user == ::geteuid() || user == 0 || user == owner_of_root;
}

// "" if only the owner and root can write there. If `may_be_sticky`, a sticky directory may also be
// writable by others: they cannot replace this user's files, and a file's owner shows who created
// it.
std::string why_status_not_trusted(const struct stat& status, bool may_be_sticky) {
  if (!is_trusted_user(status.st_uid)) return "belongs to another user";
  const bool others_write = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  const bool sticky = may_be_sticky && (status.st_mode & S_ISVTX) != 0;
  return others_write && !sticky ? "may be written by others (chmod go-w)" : "";
}

}  // namespace

OpenFile::~OpenFile() {
  if (number_ >= 0) ::close(number_);
}

std::string why_not_trusted(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return std::strerror(errno);
  return why_status_not_trusted(status, false);
}

Result<OpenFile> open_trusted_directory(const std::string& path, Missing missing) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) return Failure{"", error.message(), ""};
  if (!real.has_filename()) real = real.parent_path();  // "a/b/"
  fs::path at = real.root_path();
  OpenFile directory(::open(at.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto fail = [&](const std::string& why) {
    const std::string what = at == real ? "it" : fmt::format("'{}'", at.string());
    return Failure{"", fmt::format("{} {}", what, why), ""};
  };
  const auto fail_by = [&](int code) {
    if (code == ENOTDIR || code == ELOOP) return fail("is not a directory");
    return Failure{"",
                   at == real ? std::strerror(code)
                              : fmt::format("'{}': {}", at.string(), std::strerror(code)),
                   ""};
  };
  for (const fs::path& name : real.relative_path()) {
    struct stat status {};
    if (!directory || ::fstat(directory.number(), &status) != 0) return fail_by(errno);
    const std::string why = why_status_not_trusted(status, true);
    if (!why.empty()) return fail(why);
    const fs::path above = at;
    at /= name;
    const int flags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | (at == real ? O_RDONLY : O_PATH);
    const auto open_next = [&] {
      return OpenFile(::openat(directory.number(), name.c_str(), flags));
    };
    OpenFile next = open_next();
    if (!next && errno == ENOENT) {
      const bool can = ::faccessat(directory.number(), ".", W_OK | X_OK, AT_EACCESS) == 0;
      const int denied = errno;
      if (missing == Missing::Report && can) return OpenFile();
      const bool made =
          can && (::mkdirat(directory.number(), name.c_str(), 0700) == 0 || errno == EEXIST);
      const int code = can ? errno : denied;
      if (!made) {
        at = above;
        return fail_by(code);
      }
      next = open_next();
    }
    if (!next) return fail_by(errno);
    directory = std::move(next);
  }
  const std::string why = why_not_trusted(directory.number());
  if (!why.empty()) return fail(why);
  return directory;
}

}  // namespace stencil::runtime
