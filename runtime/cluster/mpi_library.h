// libstencil_mpi.so (runtime/mpi), opened at run time.
#pragma once

#include <string>

#include "runtime/mpi/interface.h"
#include "stencil/result.h"

namespace stencil::runtime {

class MpiLibrary {
 public:
  // The library, opened at the first call and kept; MPI is not initialised by it. It is looked for
  // where $STENCIL_MPI_LIBRARY says, else as all libraries of the project (places_of). R092 if
  // there is none, or one of another version, or the MPI that it needs is not there.
  static const Result<MpiLibrary>& open();

  // "Open MPI 4.1.4".
  std::string description() const { return interface_->description(); }
  const StencilMpiInterface& interface() const { return *interface_; }

 private:
  explicit MpiLibrary(const StencilMpiInterface* interface) : interface_(interface) {}
  static Result<MpiLibrary> find();

  const StencilMpiInterface* interface_;
};

}  // namespace stencil::runtime
