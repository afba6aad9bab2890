// MPI in this process: who initialised it, who may call it, what its errors say.
#pragma once

#include <mpi.h>

#include <mutex>

#include "runtime/mpi/interface.h"

namespace stencil::mpi {

// "Open MPI 4.1.4".
const char* description();

// As the interface has them.
bool initialise(StencilMpiError* error);
void finalise();
bool takes_device_memory();

// Whether calls can still be made.
bool is_running();

void say(StencilMpiError* error, const char* what);
// True if `code` is success; else says "MPI_Isend: ...".
bool succeeded(int code, const char* function, StencilMpiError* error);

// While it lives, this thread may call MPI. Threads take turns where MPI does not take them all at
// once.
class Turn {
 public:
  Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn();

  // Whether others may call, too; if not, nobody may wait for another process meanwhile.
  bool shared() const { return !lock_.owns_lock(); }

  // Whether MPI takes calls of this thread at all; if not, says why.
  bool granted(StencilMpiError* error) const;

 private:
  std::unique_lock<std::mutex> lock_;
};

// As a Turn without end, for which no other is waited for.
void enter_for_good();

}  // namespace stencil::mpi
