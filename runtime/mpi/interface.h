// The interface of libstencil_mpi.so: what decomposed runs ask of MPI.
//
// Whoever builds it has an MPI, and its mpi.h decides what communicators and constants are.
// Everything that includes it is in that one library, which is opened with dlopen when a run is to
// have parts in several processes (runtime/cluster/mpi_library.h). So the core starts without MPI.
// Its only exported symbol is the function below. Nothing here throws. An MPI that was initialised
// with less than MPI_THREAD_SERIALIZED takes calls of the main thread alone; with more, all threads
// may call.
#pragma once

#include <stdint.h>

// What both sides must agree on; a library of another version is refused.
#define STENCIL_MPI_VERSION 1
#define STENCIL_MPI_SYMBOL "stencil_mpi_interface"

extern "C" {

struct StencilMpiError {
  char text[2048];  // why a call failed, ended by a zero; otherwise untouched
};

// The processes of a run: a communicator of the library's own.
struct StencilMpiGroup;

// Functions that return int32_t and take an error return 0, or nonzero if they failed.
struct StencilMpiInterface {
  int32_t version;  // STENCIL_MPI_VERSION

  // "Open MPI 4.1.4".
  const char* (*description)();

  // Initialises MPI unless that was done, and has it finalised when the process exits, if it was
  // initialised here. Called again it does nothing.
  int32_t (*initialise)(StencilMpiError* error);
  // Finalises MPI now, if it was initialised here. All processes wait for each other.
  void (*finalise)();

  // Nonzero if buffers may be in a GPU's memory, as CUDA addresses them.
  int32_t (*takes_device_memory)();

  // A duplicate of a communicator (MPI_Comm*; null: MPI_COMM_WORLD), whose processes call this
  // together; null if it failed.
  StencilMpiGroup* (*open)(void* communicator, StencilMpiError* error);
  void (*close)(StencilMpiGroup* group);
  int32_t (*size)(const StencilMpiGroup* group);
  int32_t (*rank)(const StencilMpiGroup* group);
  // Among those processes of the group that share memory with this one.
  int32_t (*rank_on_node)(const StencilMpiGroup* group);

  // Begin to send and to receive bytes, at least one; `wait` ends all that was begun. Messages
  // between two processes with one tag arrive in order, and the receiver must know their length.
  int32_t (*send)(StencilMpiGroup* group, const void* data, int64_t bytes, int32_t peer,
                  int32_t tag, StencilMpiError* error);
  int32_t (*receive)(StencilMpiGroup* group, void* data, int64_t bytes, int32_t peer, int32_t tag,
                     StencilMpiError* error);
  int32_t (*wait)(StencilMpiGroup* group, StencilMpiError* error);

  // A number of each process, by rank.
  int32_t (*all_gather_number)(StencilMpiGroup* group, int64_t own, int64_t* all,
                               StencilMpiError* error);
  // bytes[r] bytes of each process r go to all[r].
  int32_t (*all_gather)(StencilMpiGroup* group, const char* own, const int64_t* bytes,
                        char* const* all, StencilMpiError* error);

  // Ends all processes of the group, and usually all that were started with them.
  void (*abort)(StencilMpiGroup* group, int32_t status);

  // Messages longer than this go in pieces; counts of MPI are integers of 32 bits. For tests, which
  // set it before the first message, in all processes alike.
  void (*limit_pieces)(StencilMpiGroup* group, int64_t bytes);
};

__attribute__((visibility("default"))) const StencilMpiInterface* stencil_mpi_interface();

}  // extern "C"
