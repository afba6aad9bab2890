// `stencilc cache`: what the kernel cache holds, and making it smaller.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "runtime/kernel_cache.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

namespace {

// The nearest directory above that exists says whether the cache can be written.
bool is_writable(const std::string& directory) {
  std::filesystem::path path = directory;
  std::error_code ignored;
  while (!std::filesystem::exists(path, ignored) && path.has_parent_path() &&
         path != path.parent_path()) {
    path = path.parent_path();
  }
  return std::filesystem::is_directory(path, ignored) && ::access(path.c_str(), W_OK | X_OK) == 0;
}

std::string describe(const runtime::CacheSettings& settings) {
  const std::string& directory = settings.directory;
  std::string text = fmt::format("directory   {}\n", directory.empty() ? "none" : directory);
  std::string note = settings.note;
  if (note.empty() && !is_writable(directory)) note = "it cannot be written; nothing is kept";
  if (!note.empty()) text += fmt::format("note        {}\n", note);
  text += fmt::format("limit       {} bytes\n", settings.limit_bytes);
  text += fmt::format("\n{:<10}  {:>7}  {:>12}\n", "device", "entries", "bytes");
  runtime::KernelCache::Contents total;
  for (const auto& [device, contents] : runtime::KernelCache(settings).contents()) {
    text += fmt::format("{:<10}  {:>7}  {:>12}\n", device, contents.entries, contents.bytes);
    total.entries += contents.entries;
    total.bytes += contents.bytes;
  }
  return text + fmt::format("{:<10}  {:>7}  {:>12}\n", "all", total.entries, total.bytes);
}

}  // namespace

int cache_command(const Arguments& arguments) {
  const runtime::CacheSettings settings = runtime::cache_settings();
  if (arguments.cache_limit) {
    const runtime::Status trimmed = runtime::KernelCache(settings).trim(*arguments.cache_limit);
    if (!trimmed.ok()) return report(trimmed.failure());
  }
  return print_out(describe(settings));
}

}  // namespace stencil::tool
