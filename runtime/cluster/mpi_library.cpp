// The library is opened when a run has several processes, and never closed: MPI does not support
// unloading, and the library finalises MPI at process exit. RTLD_LOCAL keeps the library's symbols
// private. The library itself makes the symbols of MPI global if the installed MPI needs that.
#include "runtime/cluster/mpi_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "runtime/devices/shared_library.h"

namespace stencil::runtime {

namespace {

constexpr const char* kMpiLibrary = "libstencil_mpi.so";
constexpr const char* kMpiLibraryHint =
    "build stencilc where an MPI is installed (tools/setup installs Open MPI), which puts the "
    "library "
    "into lib next to bin, or set STENCIL_MPI_LIBRARY=FILE";

}  // namespace

Result<MpiLibrary> MpiLibrary::find() {
  const auto unusable = [](const std::string& why) {
    return Failure{"R092", "MPI cannot be used: " + why, kMpiLibraryHint};
  };
  std::string missing;
  for (const std::string& file : places_of(kMpiLibrary, "STENCIL_MPI_LIBRARY")) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
      const std::string why = why_not_opened(file);
      if (why != kNotInstalled) return unusable(file + " " + why);
      if (missing.empty()) missing = file;
      continue;
    }
    const auto entry =
        reinterpret_cast<decltype(&stencil_mpi_interface)>(dlsym(library, STENCIL_MPI_SYMBOL));
    const StencilMpiInterface* interface = entry != nullptr ? entry() : nullptr;
    if (interface != nullptr && interface->version == STENCIL_MPI_VERSION) {
      return MpiLibrary(interface);
    }
    return unusable(file + " belongs to another version of stencilc");
  }
  return unusable("there is no " + missing);
}

const Result<MpiLibrary>& MpiLibrary::open() {
  static const Result<MpiLibrary> library = find();
  return library;
}

}  // namespace stencil::runtime
