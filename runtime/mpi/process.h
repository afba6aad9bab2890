// MPI in this process: initialisation, permission to call it, error texts.
#pragma once

#include <mpi.h>

#include <mutex>

#include "runtime/mpi/interface.h"

namespace stencil::mpi {

// "Open MPI 4.1.4".
const char* description();

// See StencilMpiInterface.
bool initialise(StencilMpiError* error);
void finalise();
bool takes_device_memory();

// Whether MPI can still be called.
bool is_running();

void say(StencilMpiError* error, const char* what);
// True if `code` is success; otherwise sets `error` to "MPI_Isend: ...".
bool succeeded(int code, const char* function, StencilMpiError* error);

// While this object lives, its thread may call MPI. If MPI does not support concurrent calls, the
// object holds a lock.
class MpiAccess {
 public:
  MpiAccess();
  MpiAccess(const MpiAccess&) = delete;
  MpiAccess& operator=(const MpiAccess&) = delete;
  ~MpiAccess();

  // Whether other threads may call MPI at the same time. If not, no call may wait for another
  // process.
  bool shared() const { return !lock_.owns_lock(); }

  // Whether MPI accepts calls of this thread; if not, sets `error`.
  bool granted(StencilMpiError* error) const;

 private:
  std::unique_lock<std::mutex> lock_;
};

// Counts this thread as a caller of MPI until the process ends, without taking the lock.
void enter_for_good();

}  // namespace stencil::mpi
