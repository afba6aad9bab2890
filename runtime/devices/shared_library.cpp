// The dynamic linker reports errors as text without a code. The text begins with the name of the
// file that could not be opened. If a dependency is missing, that is the dependency.
#include "runtime/devices/shared_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace stencil::runtime {

std::string why_not_opened(const std::string& file) {
  const char* const said = dlerror();
  const std::string why = said != nullptr ? said : "no reason is known";
  const bool absent =
      why.starts_with(file + ": cannot open shared object file: No such file or directory");
  return absent ? kNotInstalled : "cannot be loaded: " + why;
}

std::vector<std::string> places_of(const char* file, const char* variable) {
  const char* named = std::getenv(variable);
  if (named != nullptr && *named != '\0') return {named};
  std::error_code ignored;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  // Fedora and Red Hat install libraries into lib64.
  std::vector<std::string> out = {executable.parent_path() / "lib" / file,
                                  executable.parent_path() / "lib64" / file, executable / file};
  // If this code is in a shared library, the executable is that of another program.
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&places_of), &self) != 0 && self.dli_fname != nullptr) {
    out.push_back(std::filesystem::path(self.dli_fname).parent_path() / file);
  }
  out.emplace_back(file);
  return out;
}

}  // namespace stencil::runtime
