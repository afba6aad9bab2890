// Reads Linux system files. A control group's usage includes file pages that can be reclaimed at
// once, so inactive file pages are subtracted. In containers, the group's path as seen by the
// process may not exist below the mount; then the files of the mount itself belong to the group.
#include "runtime/tune/free_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "compiler/support/numbers.h"

namespace stencil::tune {

namespace {

// The number after `name` in a file with a name and a number per line.
std::optional<int64_t> number_of(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key, number;
    if (words >> key >> number && key == name) return parse_integer(number, 0, INT64_MAX);
  }
  return std::nullopt;
}

// The number at the beginning of a file; nullopt for other contents, such as "max".
std::optional<int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::string number;
  file >> number;
  return parse_integer(number, 0, INT64_MAX);
}

// File names of a control-group version.
struct Hierarchy {
  const char *mount, *limit, *usage, *inactive;
};
constexpr Hierarchy kUnified = {"/sys/fs/cgroup", "/memory.max", "/memory.current",
                                "inactive_file"};
constexpr Hierarchy kLegacy = {"/sys/fs/cgroup/memory", "/memory.limit_in_bytes",
                               "/memory.usage_in_bytes", "total_inactive_file"};

int64_t left_of(const std::string& group, const Hierarchy& files) {
  const auto limit = number_in(group + files.limit), usage = number_in(group + files.usage);
  if (!limit || !usage) return INT64_MAX;
  const int64_t inactive = number_of(group + "/memory.stat", files.inactive).value_or(0);
  return std::max<int64_t>(*limit - std::max<int64_t>(*usage - inactive, 0), 0);
}

// For a group and all its parents.
int64_t left_up_from(const std::string& mount, std::string group, const Hierarchy& files) {
  int64_t least = left_of(mount, files);
  while (group.size() > 1) {
    least = std::min(least, left_of(mount + group, files));
    group.resize(group.rfind('/'));
  }
  return least;
}

int64_t left_of_groups(const std::string& root) {
  int64_t least = INT64_MAX;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:memory:/path", "0::/path"
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos || line.substr(second + 1).substr(0, 1) != "/") continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",memory,") == std::string::npos) continue;
    const Hierarchy& files = unified ? kUnified : kLegacy;
    least = std::min(least, left_up_from(root + files.mount, line.substr(second + 1), files));
  }
  return least;
}

}  // namespace

int64_t free_memory_below(const std::string& root) {
  constexpr int64_t kKibibyte = 1024;
  const auto available = number_of(root + "/proc/meminfo", "MemAvailable:");
  const int64_t system =
      available && *available < INT64_MAX / kKibibyte ? *available * kKibibyte : INT64_MAX;
  return std::min(system, left_of_groups(root));
}

int64_t free_memory() {
  int64_t least = free_memory_below("");
  rlimit addresses{};
  if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY) {
    std::ifstream sizes("/proc/self/statm");
    int64_t pages = 0;
    sizes >> pages;
    const int64_t taken = pages * sysconf(_SC_PAGESIZE);
    least = std::min(least, static_cast<int64_t>(addresses.rlim_cur) - taken);
  }
  return std::max<int64_t>(least, 0);
}

}  // namespace stencil::tune
