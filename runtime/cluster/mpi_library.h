// libstencil_mpi.so (runtime/mpi), opened at run time.
#pragma once

#include <string>

#include "runtime/mpi/interface.h"
#include "stencil/result.h"

namespace stencil::runtime {

class MpiLibrary {
 public:
  // Opens the library on the first call and keeps it open; does not initialise MPI. The file is
  // $STENCIL_MPI_LIBRARY, or is found like all libraries of the project (places_of). R092 if it is
  // missing, has another version, or its MPI is missing.
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
