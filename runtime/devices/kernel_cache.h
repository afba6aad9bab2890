// Compiled kernels on disk, so that only the first run of a program waits for a compiler.
//
// An entry is a file named after its device and the hash of its key. Any number of processes and
// threads may share a directory, and any of them may be killed at any time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stencil/result.h"

namespace stencil::runtime {

struct CacheKey {
  std::string device;  // a device name; `stencilc cache` groups entries by it
  // Everything that determines the entry's bytes: kind, source text, flags, architecture, compiler
  // and driver versions.
  std::vector<std::string> parts;
};

using CacheBuild = std::function<Result<std::string>()>;
using CacheCheck = std::function<bool(const std::string& bytes)>;

// Returns the bytes of `key`, built by `build` in this process or an earlier one. Processes that
// miss the same entry wait while one of them builds it. An entry is rebuilt if it is damaged, if
// another user may write it, or if `holds` rejects it. The cache itself never fails: if it cannot
// read or write, the result of `build` is returned. Failures of `build` are returned and not
// cached.
Result<std::string> cached(const CacheKey& key, const CacheBuild& build,
                           const CacheCheck& holds = {});

// The cached bytes of `key`, if any; never waits.
std::optional<std::string> kept(const CacheKey& key, const CacheCheck& holds = {});

// The warning R079 with the reason why a compiled kernel could not be stored, for the first such
// kernel of this process; nullopt if there was none.
std::optional<Failure> cache_failure();

struct CacheSettings {
  std::string directory;                   // empty: no cache
  int64_t limit_bytes = int64_t{1} << 30;  // of all entries together
  double patience = 120;                   // seconds to wait for another builder of an entry
  std::string note;                        // why there is no cache
};

// Reads $STENCIL_CACHE (a directory, or "off"), else $XDG_CACHE_HOME/stencilc, else
// ~/.cache/stencilc; and $STENCIL_CACHE_SIZE in bytes (100K, 100M, 1G use factors of 1024). Invalid
// values are reported earlier, by check_environment().
CacheSettings cache_settings();

// Why the directory cannot be used: it is not a directory, or its permissions forbid it or admit
// other users (cache_directory.h). "" if it can be used.
std::string why_unusable(const std::string& directory);

// "100M" in bytes; -1 if the text is not a size.
int64_t parse_size(std::string_view text);
// Whether the text is "off", in any case.
bool is_cache_off(std::string_view text);

class KernelCache {
 public:
  explicit KernelCache(CacheSettings settings) : settings_(std::move(settings)) {}

  // As cached(), in the directory of the settings.
  Result<std::string> get(const CacheKey& key, const CacheBuild& build,
                          const CacheCheck& holds = {}) const;

  // As kept().
  std::optional<std::string> find(const CacheKey& key, const CacheCheck& holds = {}) const;

  struct Contents {
    int64_t entries = 0, bytes = 0;
  };
  std::map<std::string, Contents> contents() const;  // by device

  // Removes the least recently used entries until at most `limit_bytes` remain, and the leftovers
  // of killed processes. R011 if an entry cannot be removed.
  Status trim(int64_t limit_bytes) const;

 private:
  CacheSettings settings_;
};

}  // namespace stencil::runtime
