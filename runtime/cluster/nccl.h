// The subset of NCCL used for exchanges between GPUs, opened at run time.
//
// As for the CUDA driver (devices/cuda_driver.h), types and functions are declared here instead of
// including nccl.h. Source: NCCL 2.7 and later.
#pragma once

#include <cstddef>
#include <string>

namespace stencil::runtime::nccl {

using Code = int;              // ncclResult_t: 0 is success
using Comm = struct CommTag*;  // ncclComm_t
constexpr int kBytes = 0;      // ncclInt8

struct UniqueId {  // ncclUniqueId
  char bytes[128];
};

// Members have the signatures of nccl.h. Streams are CUDA driver streams.
struct Library {
  Code (*ncclGetVersion)(int* version) = nullptr;
  const char* (*ncclGetErrorString)(Code code) = nullptr;
  Code (*ncclGetUniqueId)(UniqueId* id) = nullptr;
  Code (*ncclCommInitRank)(Comm* comm, int ranks, UniqueId id, int rank) = nullptr;
  Code (*ncclCommDestroy)(Comm comm) = nullptr;
  Code (*ncclCommAbort)(Comm comm) = nullptr;
  Code (*ncclCommGetAsyncError)(Comm comm, Code* code) = nullptr;
  Code (*ncclGroupStart)() = nullptr;
  Code (*ncclGroupEnd)() = nullptr;
  Code (*ncclSend)(const void* data, size_t count, int type, int peer, Comm comm,
                   void* stream) = nullptr;
  Code (*ncclRecv)(void* data, size_t count, int type, int peer, Comm comm, void* stream) = nullptr;
  // Null before NCCL 2.13.
  const char* (*ncclGetLastError)(Comm comm) = nullptr;

  std::string version;  // "2.21.5"
  std::string missing;  // why NCCL cannot be used; empty if it can
};

// The library of this machine, opened on the first call and kept.
const Library& library();

// "unhandled system error", as NCCL words it, with its last message.
std::string error_text(Code code);

}  // namespace stencil::runtime::nccl
