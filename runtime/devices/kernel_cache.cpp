// The cache on disk.
//
// An entry consists of a header (magic with format version, XXH3-128 of everything after it,
// lengths of key and bytes), the whole key, and the bytes. Because the key is stored, two keys with
// the same hash can share a file name: each finds the other's entry and builds its own. The file
// appears by a rename, so readers see a complete file or none; the checksum detects later damage.
// XXH3 detects accidents, not attackers. Because the bytes are executed, a directory or entry that
// another user may write is not used (cache_directory.h). All files are opened relative to the
// descriptor of the checked directory.
//
// Processes that miss the same entry coordinate through flock on a file beside it. The operating
// system releases the lock of a killed process. If the holder is slow, other processes wait until
// `patience` ends and then build the entry too. The holder unlinks the lock file before releasing
// the lock. So a process that obtains a lock checks that the file still has that name.
//
// The modification time is the time of last use: reading an entry sets it. Access times are
// unsuitable, because most file systems do not maintain them exactly.
#include "runtime/devices/kernel_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "compiler/support/numbers.h"
#include "runtime/devices/cache_directory.h"

namespace stencil::runtime {

namespace {

// --- Entries

constexpr std::string_view kCacheMagic = "stencilc cache 1";
constexpr size_t kHashBytes = sizeof(XXH128_canonical_t);
constexpr size_t kEntryHeaderBytes = kCacheMagic.size() + kHashBytes + 2 * sizeof(uint64_t);
constexpr const char* kEntrySuffix = ".kernel";
constexpr const char* kLockSuffix = ".lock";
constexpr const char* kTemporaryMark = ".kernel.tmp-";  // as named by store()
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

// Each part is preceded by its length, so keys are unambiguous.
std::string text_of(const CacheKey& key) {
  std::string out = key.device;
  for (const std::string& part : key.parts) out += fmt::format("\n{} ", part.size()) + part;
  return out;
}

struct CacheEntry {
  explicit CacheEntry(const CacheKey& of)
      : key(text_of(of)),
        stem(of.device + "-" + hexadecimal(hash_of(key))),
        name(stem + kEntrySuffix) {}
  std::string key, stem, name;  // the last two are file names in the directory
};

std::string file_of(const CacheEntry& entry, const std::string& bytes) {
  std::string body;
  append_number(body, entry.key.size());
  append_number(body, bytes.size());
  body += entry.key;
  body += bytes;
  return std::string(kCacheMagic) + hash_of(body) + body;
}

// The bytes in an entry's file, if it is complete and has this key. One comparison suffices: the
// header computed from key and bytes must equal the stored one.
std::optional<std::string> contents_of(const CacheEntry& entry, const std::string& file) {
  const size_t start = kEntryHeaderBytes + entry.key.size();
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

// The entry's bytes if they can be trusted; updates the time of last use. `refused`: why they
// cannot.
std::optional<std::string> load_entry(const OpenFile& directory, const CacheEntry& entry,
                                      const CacheCheck& holds, std::string& refused) {
  // Without O_NONBLOCK, opening a pipe of that name would wait for a writer.
  const OpenFile file(::openat(directory.number(), entry.name.c_str(),
                               O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  const std::string why = why_not_trusted(file.number());
  if (!why.empty()) {
    refused = fmt::format("'{}' {}", entry.name, why);
    return std::nullopt;
  }
  const auto whole = read_all(file.number(), status.st_size);
  if (!whole) return std::nullopt;
  auto bytes = contents_of(entry, *whole);
  if (!bytes || (holds && !holds(*bytes))) return std::nullopt;
  ::futimens(file.number(), nullptr);  // may fail, if the cache is read-only
  return bytes;
}

// "" on success. On failure the next process builds the entry again.
std::string store(const OpenFile& directory, const CacheEntry& entry, std::string_view bytes) {
  static std::atomic<uint64_t> counter{0};
  const std::string temporary = fmt::format("{}.tmp-{}-{}", entry.name, ::getpid(), counter++);
  const OpenFile file(::openat(directory.number(), temporary.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  bool done = static_cast<bool>(file);
  for (std::string_view rest = bytes; done && !rest.empty();) {
    const ssize_t written = ::write(file.number(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    done = written >= 0;
    if (done) rest.remove_prefix(static_cast<size_t>(written));
  }
  done = done && ::fsync(file.number()) == 0 &&
         ::renameat(directory.number(), temporary.c_str(), directory.number(),
                    entry.name.c_str()) == 0;
  if (done) return "";
  const int error = errno;
  if (file) ::unlinkat(directory.number(), temporary.c_str(), 0);
  return fmt::format("cannot write '{}': {}", entry.name, std::strerror(error));
}

// --- Locks

// The right to build an entry.
class Lock {
 public:
  Lock(const OpenFile& directory, const std::string& name)
      : directory_(directory.number()),
        name_(name),
        file_(::openat(directory_, name.c_str(),
                       O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)) {
    if (!file_) return;
    if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0) {
      busy_ = errno == EWOULDBLOCK || errno == EINTR;
      return;
    }
    struct stat held {
    }, named{};
    taken_ = ::fstat(file_.number(), &held) == 0 &&
             ::fstatat(directory_, name_.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
             held.st_ino == named.st_ino && held.st_dev == named.st_dev;
    busy_ = !taken_;
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (taken_) ::unlinkat(directory_, name_.c_str(), 0);
  }
  // Another process holds the lock. Neither taken nor busy: the file system has no locks.
  bool busy() const { return busy_; }

 private:
  const int directory_;
  const std::string name_;
  const OpenFile file_;
  bool taken_ = false, busy_ = false;
};

// --- The directory

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
  std::string name, device;
  int64_t bytes;
  int64_t used;  // nanoseconds since 1970
};

struct Listing {
  std::vector<FoundFile> entries;
  std::vector<std::string> temporaries;  // too old to be still in use
  std::vector<std::string> locks;
};

// For listing and removing, which untrusted directories also permit.
OpenFile open_to_list(const std::string& directory) {
  return OpenFile(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

Listing list(const OpenFile& directory) {
  Listing out;
  const int copy =
      directory ? ::openat(directory.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  const std::unique_ptr<DIR, int (*)(DIR*)> files(copy >= 0 ? ::fdopendir(copy) : nullptr,
                                                  ::closedir);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  while (const dirent* const file = files ? ::readdir(files.get()) : nullptr) {
    const std::string name = file->d_name;
    struct stat status {};
    if (!is_cache_file(name) ||
        ::fstatat(directory.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    const int64_t used = status.st_mtim.tv_sec * int64_t{1000000000} + status.st_mtim.tv_nsec;
    if (name.ends_with(kLockSuffix)) {
      out.locks.push_back(name);
    } else if (name.find(kTemporaryMark) != std::string::npos) {
      if (now - std::chrono::nanoseconds(used) > kTemporaryLife) out.temporaries.push_back(name);
    } else if (name.ends_with(kEntrySuffix)) {
      out.entries.push_back({name, name.substr(0, name.find('-')), status.st_size, used});
    }
  }
  return out;
}

std::mutex failure_mutex;
std::optional<Failure> first_failure;

void note_failure(const std::string& directory, const std::string& why) {
  const std::lock_guard<std::mutex> held(failure_mutex);
  if (first_failure) return;
  first_failure =
      Failure{"R079", fmt::format("compiled kernels cannot be stored in '{}': {}", directory, why),
              "set STENCIL_CACHE to another directory, or to off"};
}

}  // namespace

std::optional<Failure> cache_failure() {
  const std::lock_guard<std::mutex> held(failure_mutex);
  return first_failure;
}

std::string why_unusable(const std::string& directory) {
  const auto opened = open_trusted_directory(directory, Missing::Report);
  if (!opened.ok()) return opened.failure().message;
  if (!opened.value()) return "";  // it can be created
  const bool can = ::faccessat(opened.value().number(), ".", W_OK | X_OK, AT_EACCESS) == 0;
  return can ? "" : std::strerror(errno);
}

// --- Settings

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
  } else if (base.starts_with('/')) {  // relative paths are ignored, as XDG requires
    out.directory = base + "/stencilc";
  } else if (home.starts_with('/')) {
    out.directory = home + "/.cache/stencilc";
  } else {
    out.note = "there is no home directory; set STENCIL_CACHE";
  }
  return out;
}

// --- Access

Result<std::string> KernelCache::get(const CacheKey& key, const CacheBuild& build,
                                     const CacheCheck& holds) const {
  using Clock = std::chrono::steady_clock;
  if (settings_.directory.empty()) return build();
  const auto give_up = [&](const std::string& why) {
    note_failure(settings_.directory, why);
    return build();
  };
  const auto opened = open_trusted_directory(settings_.directory, Missing::Make);
  if (!opened.ok()) return give_up(opened.failure().message);
  const OpenFile& directory = opened.value();
  const CacheEntry entry(key);
  std::string refused;
  auto found = load_entry(directory, entry, holds, refused);
  if (found) return *std::move(found);
  if (!refused.empty()) note_failure(settings_.directory, refused);
  if (::faccessat(directory.number(), ".", W_OK | X_OK, AT_EACCESS) != 0) {
    return give_up(std::strerror(errno));
  }

  const auto until = Clock::now() + std::chrono::duration<double>(settings_.patience);
  auto pause = std::chrono::milliseconds(1);
  std::optional<Lock> lock;
  while (lock.emplace(directory, entry.stem + kLockSuffix).busy() && Clock::now() < until) {
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(20));
    found = load_entry(directory, entry, holds, refused);
    if (found) return *std::move(found);
  }
  // The previous holder of the lock may have built it.
  found = load_entry(directory, entry, holds, refused);
  if (found) return *std::move(found);
  auto built = build();
  if (!built.ok()) return built;
  const std::string file = file_of(entry, built.value());
  if (static_cast<int64_t>(file.size()) > settings_.limit_bytes) return built;
  const std::string failed = store(directory, entry, file);
  if (!failed.empty()) note_failure(settings_.directory, failed);
  (void)trim(settings_.limit_bytes);  // entries that cannot be removed now stay
  return built;
}

std::optional<std::string> KernelCache::find(const CacheKey& key, const CacheCheck& holds) const {
  if (settings_.directory.empty()) return std::nullopt;
  const auto opened = open_trusted_directory(settings_.directory, Missing::Report);
  if (!opened.ok() || !opened.value()) return std::nullopt;  // get() reports why
  std::string refused;
  return load_entry(opened.value(), CacheEntry(key), holds, refused);
}

std::map<std::string, KernelCache::Contents> KernelCache::contents() const {
  std::map<std::string, Contents> out;
  for (const FoundFile& entry : list(open_to_list(settings_.directory)).entries) {
    ++out[entry.device].entries;
    out[entry.device].bytes += entry.bytes;
  }
  return out;
}

Status KernelCache::trim(int64_t limit_bytes) const {
  const OpenFile directory = open_to_list(settings_.directory);
  Listing listing = list(directory);
  for (const std::string& name : listing.temporaries) {
    ::unlinkat(directory.number(), name.c_str(), 0);
  }
  for (const std::string& name : listing.locks) const Lock removed_if_free(directory, name);
  std::sort(listing.entries.begin(), listing.entries.end(),
            [](const FoundFile& a, const FoundFile& b) {
              return std::tie(a.used, a.name) < std::tie(b.used, b.name);
            });
  int64_t bytes = 0;
  for (const FoundFile& entry : listing.entries) bytes += entry.bytes;
  std::string why;
  for (const FoundFile& entry : listing.entries) {
    if (bytes <= limit_bytes) break;
    if (::unlinkat(directory.number(), entry.name.c_str(), 0) != 0 && errno != ENOENT) {
      why = fmt::format("cannot remove '{}/{}': {}", settings_.directory, entry.name,
                        std::strerror(errno));
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
