// The dynamic linker gives a text and no number. It begins with the file that it could not open,
// which is another one where a library that the file needs is missing.
#include "runtime/devices/shared_library.h"

#include <dlfcn.h>

namespace stencil::runtime {

std::string why_not_opened(const std::string& file) {
  const char* const said = dlerror();
  const std::string why = said != nullptr ? said : "no reason is known";
  const bool absent =
      why.starts_with(file + ": cannot open shared object file: No such file or directory");
  return absent ? kNotInstalled : "cannot be loaded: " + why;
}

}  // namespace stencil::runtime
