// Code that reads an environment variable uses a default for invalid values, because kernels and
// caches cannot report errors. This table checks all variables before a device is chosen.
#include "runtime/devices/environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/support/diagnostic.h"
#include "compiler/support/threads.h"
#include "runtime/devices/host_library.h"
#include "runtime/devices/kernel_cache.h"

namespace stencil::runtime {

namespace {

constexpr std::string_view kPrefix = "STENCIL_";

struct Variable {
  const char* name;  // without the prefix
  bool (*takes)(std::string_view value);
  const char* expected;
};

const Variable kVariables[] = {
    {"THREADS", [](std::string_view text) { return parse_threads(text).has_value(); },
     "a number from 1 to 4096"},
    {"CACHE",
     [](std::string_view text) {
       return is_cache_off(text) || text.find('/') != std::string_view::npos;
     },
     "off, or a directory with a '/' in its name"},
    {"CACHE_SIZE", [](std::string_view text) { return parse_size(text) >= 0; },
     "a number of bytes, like 4096, 100K, 100M or 2G"},
    {"TUNED",
     [](std::string_view text) {
       return is_cache_off(text) || text.find('/') != std::string_view::npos;
     },
     "off, or a file with a '/' in its name"},
    {"OPENCL_CPU", [](std::string_view text) { return text == "loops" || text == "work-items"; },
     "loops or work-items"},
    {"HOST_OPTIMISATION",
     [](std::string_view text) { return HostLibrary::parse_optimisation(text).has_value(); },
     "a level from 0 to 3"},
    {"HOST_LIBRARY", [](std::string_view) { return true; }, "a file"},
    {"MPI_LIBRARY", [](std::string_view) { return true; }, "a file"},
    {"NVRTC_PATH", [](std::string_view) { return true; }, "directories, separated by ':'"},
    {"NCCL", [](std::string_view text) { return text == "0" || text == "1"; }, "0 or 1"},
    // For the tests, which run stencilc.
    {"LONG", [](std::string_view) { return true; }, "1"},
    {"REBASE", [](std::string_view) { return true; }, "1"},
    {"LIFT_INPUTS", [](std::string_view) { return true; }, "a directory"},
};

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const Variable& variable : kVariables) names.emplace_back(variable.name);
  return names;
}

// Calls visit(name without the prefix, value) for each variable of the project.
template <class Visit>
void for_each_variable(const Visit& visit) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view text = *entry;
    if (!text.starts_with(kPrefix)) continue;
    text.remove_prefix(kPrefix.size());
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos) visit(text.substr(0, equals), text.substr(equals + 1));
  }
}

Status check(std::string_view name, std::string_view value) {
  for (const Variable& variable : kVariables) {
    if (name != variable.name) continue;
    if (value.empty() || variable.takes(value)) return Done{};
    return Failure{"R077",
                   fmt::format("the environment variable {}{} takes {}, found '{}'", kPrefix, name,
                               variable.expected, value),
                   ""};
  }
  const std::string near = nearest_name(std::string(name), known_names());
  if (near.empty()) return Done{};  // reported by unknown_variables()
  return Failure{"R077", fmt::format("unknown environment variable {}{}", kPrefix, name),
                 fmt::format("did you mean {}{}?", kPrefix, near)};
}

}  // namespace

Status check_environment() {
  Status understood = Done{};
  for_each_variable([&](std::string_view name, std::string_view value) {
    if (understood.ok()) understood = check(name, value);
  });
  return understood;
}

std::optional<Failure> unknown_variables() {
  std::vector<std::string> unknown, meant;
  for_each_variable([&](std::string_view name, std::string_view) {
    const std::vector<std::string> names = known_names();
    if (std::count(names.begin(), names.end(), name) > 0) return;
    unknown.push_back(fmt::format("{}{}", kPrefix, name));
    // Similar names: NUM_THREADS, CACHE_DIR, HOST_LIB, where one name contains the other.
    for (const std::string& known : names) {
      const bool alike = name.find(known) != name.npos || known.starts_with(name);
      const std::string full = std::string(kPrefix) + known;
      if (alike && std::count(meant.begin(), meant.end(), full) == 0) meant.push_back(full);
    }
  });
  if (unknown.empty()) return std::nullopt;
  return Failure{"R078",
                 fmt::format("unknown environment variable{} {}", unknown.size() > 1 ? "s" : "",
                             fmt::join(unknown, ", ")),
                 meant.empty() ? "" : fmt::format("did you mean {}?", fmt::join(meant, " or "))};
}

}  // namespace stencil::runtime
