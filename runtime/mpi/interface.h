// The interface of libstencil_mpi.so: what decomposed runs need from MPI.
//
// The library is built with an MPI, whose mpi.h defines communicators and constants. Everything
// that includes mpi.h is in this one library, which is opened with dlopen when a run has several
// processes (runtime/cluster/mpi_library.h); so the core starts without MPI. Its only exported
// symbol is the function below. Nothing here throws. All threads may call, unless MPI was
// initialised with less than MPI_THREAD_SERIALIZED; then only the main thread may.
#pragma once

#include <stdint.h>

// Version of the interface; a library with another version is rejected.
#define STENCIL_MPI_VERSION 1
#define STENCIL_MPI_SYMBOL "stencil_mpi_interface"

extern "C" {

struct StencilMpiError {
  char text[2048];  // reason of a failure, zero-terminated; unchanged on success
};

// The processes of a run: a communicator owned by the library.
struct StencilMpiGroup;

// Functions with return type int32_t and an error argument return 0 on success.
struct StencilMpiInterface {
  int32_t version;  // STENCIL_MPI_VERSION

  // "Open MPI 4.1.4".
  const char* (*description)();

  // Initialises MPI if necessary. If this call initialises MPI, the library also finalises it, at
  // the latest at process exit. Further calls do nothing.
  int32_t (*initialise)(StencilMpiError* error);
  // Finalises MPI now, if it was initialised here. Collective.
  void (*finalise)();

  // Nonzero if buffers may be CUDA device memory.
  int32_t (*takes_device_memory)();

  // A duplicate of a communicator (MPI_Comm*; null: MPI_COMM_WORLD). Collective. Null on failure.
  StencilMpiGroup* (*open)(void* communicator, StencilMpiError* error);
  void (*close)(StencilMpiGroup* group);
  int32_t (*size)(const StencilMpiGroup* group);
  int32_t (*rank)(const StencilMpiGroup* group);
  // The rank among the processes of the group that share memory with this one.
  int32_t (*rank_on_node)(const StencilMpiGroup* group);

  // Start to send and to receive at least one byte; `wait` completes everything that was started.
  // Messages between two processes with equal tags arrive in order. The receiver must know their
  // length.
  int32_t (*send)(StencilMpiGroup* group, const void* data, int64_t bytes, int32_t peer,
                  int32_t tag, StencilMpiError* error);
  int32_t (*receive)(StencilMpiGroup* group, void* data, int64_t bytes, int32_t peer, int32_t tag,
                     StencilMpiError* error);
  int32_t (*wait)(StencilMpiGroup* group, StencilMpiError* error);

  // Gathers a number per process, by rank. Collective.
  int32_t (*all_gather_number)(StencilMpiGroup* group, int64_t own, int64_t* all,
                               StencilMpiError* error);
  // Gathers bytes[r] bytes of each process r in all[r]. Collective.
  int32_t (*all_gather)(StencilMpiGroup* group, const char* own, const int64_t* bytes,
                        char* const* all, StencilMpiError* error);

  // Ends all processes of the group, and usually all processes of the job.
  void (*abort)(StencilMpiGroup* group, int32_t status);

  // Splits messages into pieces of at most `bytes`, because MPI counts are 32-bit. For tests; must
  // be set to the same value in all processes before the first message.
  void (*limit_pieces)(StencilMpiGroup* group, int64_t bytes);
};

__attribute__((visibility("default"))) const StencilMpiInterface* stencil_mpi_interface();

}  // extern "C"
