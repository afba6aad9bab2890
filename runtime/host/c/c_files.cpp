#include "runtime/host/c_files.h"

#include "runtime/host/c/bounded.h"
#include "runtime/host/c/c_reader.h"

namespace stencil::host {

Compiled read_c_file(const StencilHostCFile& file) {
  return in_bounded_child([&] { return read_c(file); }, file.seconds);
}

Compiled compile_c_file(const StencilHostCFile& file, const std::string& added) {
  return in_bounded_child([&] { return compile_c(file, added); }, file.seconds);
}

}  // namespace stencil::host
