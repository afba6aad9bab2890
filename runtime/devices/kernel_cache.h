// Compiled kernels on disk: what a program needs again it finds there, so that only its first run
// waits for a compiler.
//
// An entry is a file named after its device and the hash of its key. Any number of processes and
// threads may share a directory, and any of them may be killed at any moment.
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
  std::string device;  // a name of the table of devices; `stencilc cache` lists entries by it
  // All that decides the bytes of the entry: its kind, the source text, flags, the architecture,
  // the versions of compiler and driver.
  std::vector<std::string> parts;
};

using CacheBuild = std::function<Result<std::string>()>;
using CacheCheck = std::function<bool(const std::string& bytes)>;

// The bytes of `key`: those that `build` made, in this process or an earlier one. Processes that
// miss the same entry wait for the process that builds it. An entry that is damaged, that another
// user may write, or that `holds` does not accept, is built anew. The cache itself never fails:
// where it cannot read or write, `build` is called and its result returned. A failure of `build` is
// returned and not kept.
Result<std::string> cached(const CacheKey& key, const CacheBuild& build,
                           const CacheCheck& holds = {});

// The bytes of `key` if they have been kept, and nothing is waited for.
std::optional<std::string> kept(const CacheKey& key, const CacheCheck& holds = {});

// A warning, R079: why the first kernel that this process compiled and could not keep was not kept;
// nothing if there was none.
std::optional<Failure> cache_failure();

struct CacheSettings {
  std::string directory;                   // empty: no cache
  int64_t limit_bytes = int64_t{1} << 30;  // of all entries together
  double patience = 120;                   // seconds to wait for another builder of the same entry
  std::string note;                        // why there is no cache
};

// $STENCIL_CACHE (a directory, or "off"), else $XDG_CACHE_HOME/stencilc, else ~/.cache/stencilc;
// $STENCIL_CACHE_SIZE (bytes; 100K, 100M, 1G count in 1024s). What they may not be is reported
// before anything asks (environment.h).
CacheSettings cache_settings();

// Why nothing can be kept in that directory: it is none, its permissions do not allow it, or they
// allow it to others as well (cache_directory.h). "" if it can be.
std::string why_unusable(const std::string& directory);

// "100M" in bytes; -1 for a text that is no size.
int64_t parse_size(std::string_view text);
// "off", in capitals or not.
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

  // Removes the entries used least recently until the rest has at most `limit_bytes`, and what
  // killed processes have left. R011 if an entry cannot be removed.
  Status trim(int64_t limit_bytes) const;

 private:
  CacheSettings settings_;
};

}  // namespace stencil::runtime
