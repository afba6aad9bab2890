// The cache on disk.
//
// An entry is a header (magic with the version of the format, XXH3-128 of all that follows, lengths
// of key and bytes), the whole key and the bytes. Since the key is there, two keys with one hash
// share a file without harm: each finds the other's entry and builds its own. The file appears by a
// rename, so a reader sees a whole one or none; the checksum is for what happens to it afterwards.
// XXH3 detects accidents, not attackers. Against those there is ownership: the directory is made
// for this user alone, and files of other users are not read, because their bytes would be run.
//
// Processes that miss the same entry agree through flock on a file beside it. The kernel releases
// the lock of a process that is killed, so nobody waits for the dead; a holder that is merely slow
// is waited for until patience ends, and then two build the same. Who holds the lock unlinks its
// file before releasing it; so who obtains a lock asks whether the file is still the one of that
// name.
//
// The time of last modification is the time of last use: reading an entry sets it. Access times
// would not do, since most file systems are mounted without keeping them exactly.
#include "runtime/devices/kernel_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "compiler/support/numbers.h"
#include "runtime/io/files.h"

namespace stencil::runtime {

namespace {

namespace fs = std::filesystem;

// --- Entries
// ------------------------------------------------------------------------------------------

constexpr std::string_view kCacheMagic = "stencilc cache 1";
constexpr size_t kHashBytes = sizeof(XXH128_canonical_t);
constexpr size_t kHeaderBytes = kCacheMagic.size() + kHashBytes + 2 * sizeof(uint64_t);
constexpr const char* kEntrySuffix = ".kernel";
constexpr const char* kLockSuffix = ".lock";
constexpr const char* kTemporaryMark = ".kernel.tmp-";  // as write_file_atomically names them
constexpr auto kTemporaryLife = std::chrono::minutes(10);

std::string hash_of(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  return {reinterpret_cast<const char*>(canonical.digest), kHashBytes};
}

std::string hexadecimal(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return out;
}

void append_number(std::string& out, uint64_t value) {
  for (int byte = 0; byte < 8; ++byte) out += static_cast<char>(value >> (8 * byte) & 0xff);
}

// Parts cannot be confused: each is preceded by its length.
std::string text_of(const CacheKey& key) {
  std::string out = key.device;
  for (const std::string& part : key.parts) out += fmt::format("\n{} ", part.size()) + part;
  return out;
}

struct CacheEntry {
  CacheEntry(const std::string& directory, const CacheKey& of)
      : key(text_of(of)),
        stem(directory + "/" + of.device + "-" + hexadecimal(hash_of(key))),
        path(stem + kEntrySuffix) {}
  std::string key, stem, path;
};

std::string file_of(const CacheEntry& entry, const std::string& bytes) {
  std::string body;
  append_number(body, entry.key.size());
  append_number(body, bytes.size());
  body += entry.key;
  body += bytes;
  return std::string(kCacheMagic) + hash_of(body) + body;
}

// The bytes of an entry's file, if it is whole and of this key. One comparison says it all: the
// header that these bytes would get is the header that is there.
std::optional<std::string> bytes_of(const CacheEntry& entry, const std::string& file) {
  const size_t start = kHeaderBytes + entry.key.size();
  if (file.size() < start || std::string_view(file).substr(0, kCacheMagic.size()) != kCacheMagic) {
    return std::nullopt;
  }
  const std::string_view hash = std::string_view(file).substr(kCacheMagic.size(), kHashBytes);
  const std::string_view body = std::string_view(file).substr(kCacheMagic.size() + kHashBytes);
  std::string lengths;
  append_number(lengths, entry.key.size());
  append_number(lengths, file.size() - start);
  if (body.substr(0, lengths.size()) != lengths ||
      body.substr(lengths.size(), entry.key.size()) != entry.key || hash_of(body) != hash) {
    return std::nullopt;
  }
  return file.substr(start);
}

// A file that is open; -1 if it is not.
class File {
 public:
  File(const std::string& path, int flags) : number_(::open(path.c_str(), flags, 0600)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }
  int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

std::optional<std::string> read_all(int file, int64_t size) {
  std::string out(static_cast<size_t>(size), '\0');
  size_t filled = 0;
  while (filled < out.size()) {
    const ssize_t got = ::read(file, out.data() + filled, out.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    filled += static_cast<size_t>(got);
  }
  return out;
}

// The entry's bytes, if there are any that can be trusted; marks it as used.
std::optional<std::string> load_entry(const CacheEntry& entry, const CacheCheck& holds) {
  // Without O_NONBLOCK, opening a pipe of that name would wait for a writer.
  const File file(entry.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) ||
      (status.st_uid != ::geteuid() && status.st_uid != 0)) {
    return std::nullopt;
  }
  const auto whole = read_all(file.number(), status.st_size);
  if (!whole) return std::nullopt;
  auto bytes = bytes_of(entry, *whole);
  if (!bytes || (holds && !holds(*bytes))) return std::nullopt;
  ::futimens(file.number(), nullptr);  // fails where the cache may only be read, and may
  return bytes;
}

// Where this fails, the next process builds again.
Status store(const CacheEntry& entry, const std::string& file) {
  // What is no file would be written to, not replaced.
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(entry.path, ignored))) ::unlink(entry.path.c_str());
  return write_file_atomically(entry.path, file);
}

// --- Locks
// --------------------------------------------------------------------------------------------

// The right to build an entry.
class Lock {
 public:
  explicit Lock(const std::string& path)
      : path_(path), file_(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW) {
    if (file_.number() < 0) return;
    if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0) {
      busy_ = errno == EWOULDBLOCK || errno == EINTR;
      return;
    }
    struct stat held {
    }, named{};
    taken_ = ::fstat(file_.number(), &held) == 0 && ::stat(path_.c_str(), &named) == 0 &&
             held.st_ino == named.st_ino && held.st_dev == named.st_dev;
    busy_ = !taken_;
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (taken_) ::unlink(path_.c_str());
  }
  // Another one has it. Neither taken nor busy: this file system has no locks.
  bool busy() const { return busy_; }

 private:
  std::string path_;
  File file_;
  bool taken_ = false, busy_ = false;
};

// --- The directory
// ------------------------------------------------------------------------------------

bool is_cache_file(const std::string& name) {
  const auto is_hexadecimal = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  };
  const size_t dash = name.find('-');
  if (dash == std::string::npos || dash == 0 || name.size() < dash + 1 + 2 * kHashBytes) {
    return false;
  }
  const auto begin = name.begin() + static_cast<int64_t>(dash) + 1;
  return std::all_of(begin, begin + 2 * kHashBytes, is_hexadecimal);
}

struct FoundFile {
  std::string path, device;
  int64_t bytes;
  fs::file_time_type used;
};

struct Listing {
  std::vector<FoundFile> entries;
  std::vector<std::string> temporaries;  // too old to be in the making
  std::vector<std::string> locks;
};

Listing list(const std::string& directory) {
  Listing out;
  std::error_code error;
  fs::directory_iterator files(directory, error);
  for (; !error && files != fs::directory_iterator(); files.increment(error)) {
    const std::string name = files->path().filename().string();
    std::error_code gone;
    const auto used = files->last_write_time(gone);
    if (gone || !is_cache_file(name)) continue;
    if (name.ends_with(kLockSuffix)) {
      out.locks.push_back(files->path().string());
    } else if (name.find(kTemporaryMark) != std::string::npos) {
      if (fs::file_time_type::clock::now() - used > kTemporaryLife) {
        out.temporaries.push_back(files->path().string());
      }
    } else if (name.ends_with(kEntrySuffix)) {
      const auto bytes = static_cast<int64_t>(files->file_size(gone));
      if (gone) continue;
      out.entries.push_back({files->path().string(), name.substr(0, name.find('-')), bytes, used});
    }
  }
  return out;
}

void make_directory(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return;
  fs::create_directories(fs::path(path).parent_path(), ignored);
  ::mkdir(path.c_str(), 0700);  // why_unusable() finds out
}

std::mutex failure_mutex;
std::optional<Failure> first_failure;

void note_failure(const std::string& directory, const std::string& why) {
  const std::lock_guard<std::mutex> held(failure_mutex);
  if (first_failure) return;
  first_failure =
      Failure{"R079", fmt::format("compiled kernels cannot be kept in '{}': {}", directory, why),
              "STENCIL_CACHE names another directory; off keeps none"};
}

}  // namespace

std::optional<Failure> cache_failure() {
  const std::lock_guard<std::mutex> held(failure_mutex);
  return first_failure;
}

// Of a directory that is still to be made, the nearest one above that exists decides.
std::string why_unusable(const std::string& directory) {
  fs::path path = directory;
  std::error_code ignored;
  while (!fs::exists(fs::symlink_status(path, ignored)) && path.has_parent_path() &&
         path != path.parent_path()) {
    path = path.parent_path();
  }
  if (!fs::exists(path, ignored)) return fmt::format("no '{}'", path.string());
  const std::string what = path == fs::path(directory) ? "it" : fmt::format("'{}'", path.string());
  if (!fs::is_directory(path, ignored)) return what + " is not a directory";
  if (::access(path.c_str(), W_OK | X_OK) == 0) return "";
  return (what == "it" ? "" : what + ": ") + std::strerror(errno);
}

// --- Settings
// -----------------------------------------------------------------------------------------

int64_t parse_size(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  const size_t power = text.empty() ? kUnits.npos : kUnits.find(text.back());
  const bool has_unit = power != kUnits.npos;
  const int shift = has_unit ? 10 * (static_cast<int>(power) + 1) : 0;
  if (has_unit) text.remove_suffix(1);
  const auto value = parse_integer(text, 0, INT64_MAX >> shift);
  return value ? *value << shift : -1;
}

bool is_cache_off(std::string_view text) {
  constexpr std::string_view kOff = "off";
  return std::equal(text.begin(), text.end(), kOff.begin(), kOff.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

CacheSettings cache_settings() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  CacheSettings out;
  const std::string size = variable("STENCIL_CACHE_SIZE");
  if (parse_size(size) >= 0) out.limit_bytes = parse_size(size);
  const std::string chosen = variable("STENCIL_CACHE");
  const std::string base = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (is_cache_off(chosen)) {
    out.note = "switched off by STENCIL_CACHE";
  } else if (!chosen.empty()) {
    out.directory = chosen;
  } else if (base.starts_with('/')) {  // relative ones do not count
    out.directory = base + "/stencilc";
  } else if (home.starts_with('/')) {
    out.directory = home + "/.cache/stencilc";
  } else {
    out.note = "there is no home directory; set STENCIL_CACHE";
  }
  return out;
}

// --- Using it
// -----------------------------------------------------------------------------------------

Result<std::string> KernelCache::get(const CacheKey& key, const CacheBuild& build,
                                     const CacheCheck& holds) const {
  using Clock = std::chrono::steady_clock;
  if (settings_.directory.empty()) return build();
  const CacheEntry entry(settings_.directory, key);
  auto found = load_entry(entry, holds);
  if (found) return *std::move(found);
  make_directory(settings_.directory);
  const std::string unusable = why_unusable(settings_.directory);
  if (!unusable.empty()) {
    note_failure(settings_.directory, unusable);
    return build();
  }

  const auto until = Clock::now() + std::chrono::duration<double>(settings_.patience);
  auto pause = std::chrono::milliseconds(1);
  std::optional<Lock> lock;
  while (lock.emplace(entry.stem + kLockSuffix).busy() && Clock::now() < until) {
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(20));
    found = load_entry(entry, holds);
    if (found) return *std::move(found);
  }
  // The one that had the lock may have finished since.
  found = load_entry(entry, holds);
  if (found) return *std::move(found);
  auto built = build();
  if (!built.ok()) return built;
  const std::string file = file_of(entry, built.value());
  if (static_cast<int64_t>(file.size()) > settings_.limit_bytes) return built;
  const Status stored = store(entry, file);
  if (!stored.ok()) note_failure(settings_.directory, stored.failure().message);
  (void)trim(settings_.limit_bytes);  // what cannot be removed now stays
  return built;
}

std::optional<std::string> KernelCache::find(const CacheKey& key, const CacheCheck& holds) const {
  if (settings_.directory.empty()) return std::nullopt;
  return load_entry(CacheEntry(settings_.directory, key), holds);
}

std::map<std::string, KernelCache::Contents> KernelCache::contents() const {
  std::map<std::string, Contents> out;
  for (const FoundFile& entry : list(settings_.directory).entries) {
    ++out[entry.device].entries;
    out[entry.device].bytes += entry.bytes;
  }
  return out;
}

Status KernelCache::trim(int64_t limit_bytes) const {
  Listing listing = list(settings_.directory);
  for (const std::string& path : listing.temporaries) ::unlink(path.c_str());
  for (const std::string& path : listing.locks) const Lock removed_if_free(path);
  std::sort(listing.entries.begin(), listing.entries.end(),
            [](const FoundFile& a, const FoundFile& b) {
              return std::tie(a.used, a.path) < std::tie(b.used, b.path);
            });
  int64_t bytes = 0;
  for (const FoundFile& entry : listing.entries) bytes += entry.bytes;
  std::string why;
  for (const FoundFile& entry : listing.entries) {
    if (bytes <= limit_bytes) break;
    if (::unlink(entry.path.c_str()) != 0 && errno != ENOENT) {
      why = fmt::format("cannot remove '{}': {}", entry.path, std::strerror(errno));
      continue;
    }
    bytes -= entry.bytes;
  }
  if (why.empty()) return Done{};
  return Failure{"R011", why, ""};
}

Result<std::string> cached(const CacheKey& key, const CacheBuild& build, const CacheCheck& holds) {
  return KernelCache(cache_settings()).get(key, build, holds);
}

std::optional<std::string> kept(const CacheKey& key, const CacheCheck& holds) {
  return KernelCache(cache_settings()).find(key, holds);
}

}  // namespace stencil::runtime
