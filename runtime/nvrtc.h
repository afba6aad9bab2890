// NVRTC, the CUDA compiler as a library, opened at run time: CUDA C++ to machine code.
#pragma once

#include <string>
#include <vector>

#include "runtime/result.h"

namespace stencil::runtime {

class Nvrtc {
 public:
  // The newest NVRTC of this machine whose machine code a driver for CUDA `driver_version` (1000 *
  // major + 10 * minor; 0: any) can load. It is looked for where the dynamic linker looks, then in
  // $CUDA_HOME/lib64, $CUDA_PATH/lib64 and /usr/local/cuda/lib64. R041.
  static Result<Nvrtc> open(int driver_version);

  // Machine code (cubin) of `source` for an architecture (90 for sm_90), with the flags, separated
  // by spaces, besides those for architecture and language. Threads may compile side by side. R042
  // with the compiler's log and the numbered source.
  Result<std::string> compile(const std::string& source, int architecture,
                              const std::string& flags) const;

  int version() const { return version_; }  // 1000 * major + 10 * minor
  // Architectures it compiles for, ascending.
  const std::vector<int>& architectures() const { return architectures_; }

 private:
  using Program = struct ProgramTag*;
  using Code = int;  // nvrtcResult: 0 is success

  // What the opened library lacks; empty: nothing.
  std::string look_up(void* library);
  std::string log_of(Program program) const;

  Code (*nvrtcVersion_)(int* major, int* minor) = nullptr;
  Code (*nvrtcGetNumSupportedArchs_)(int* count) = nullptr;
  Code (*nvrtcGetSupportedArchs_)(int* architectures) = nullptr;
  const char* (*nvrtcGetErrorString_)(Code code) = nullptr;
  Code (*nvrtcCreateProgram_)(Program* program, const char* source, const char* name, int headers,
                              const char* const* header_texts,
                              const char* const* header_names) = nullptr;
  Code (*nvrtcDestroyProgram_)(Program* program) = nullptr;
  Code (*nvrtcCompileProgram_)(Program program, int count, const char* const* options) = nullptr;
  Code (*nvrtcGetProgramLogSize_)(Program program, size_t* size) = nullptr;
  Code (*nvrtcGetProgramLog_)(Program program, char* log) = nullptr;
  Code (*nvrtcGetCUBINSize_)(Program program, size_t* size) = nullptr;
  Code (*nvrtcGetCUBIN_)(Program program, char* image) = nullptr;

  int version_ = 0;
  std::vector<int> architectures_;
};

}  // namespace stencil::runtime
