#include "runtime/host/c_files.h"

namespace stencil::host {

namespace {

Compiled refused() {
  return {false, "libstencil_host.so was built without the lifter (STENCIL_LIFT=OFF)"};
}

}  // namespace

Compiled read_c_file(const StencilHostCFile&) {
  return refused();
}

Compiled compile_c_file(const StencilHostCFile&, const std::string&) {
  return refused();
}

}  // namespace stencil::host
