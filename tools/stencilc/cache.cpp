// `stencilc cache`: lists and shrinks the kernel cache.
#include <fmt/format.h>

#include "runtime/devices/kernel_cache.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

namespace {

std::string summary_of(const runtime::CacheSettings& settings) {
  const std::string& directory = settings.directory;
  std::string text = fmt::format("directory   {}\n", directory.empty() ? "none" : directory);
  std::string note = settings.note;
  const std::string why = note.empty() ? runtime::why_unusable(directory) : "";
  if (!why.empty()) note = fmt::format("it cannot be written ({}), so nothing is cached", why);
  if (!note.empty()) text += wrapped(note, "note        ");
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
    const Status trimmed = runtime::KernelCache(settings).trim(*arguments.cache_limit);
    if (!trimmed.ok()) return report(trimmed.failure());
  }
  return print_out(summary_of(settings));
}

}  // namespace stencil::tool
