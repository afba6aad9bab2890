// NVRTC, the CUDA compiler as a library, opened at run time: CUDA C++ to machine code or PTX.
//
// Opening it costs more than starting a program otherwise does (the file has 100 MB), so what has
// to be known of it before anything is compiled is remembered in the kernel cache, and so is what
// it has compiled.
#pragma once

#include <string>
#include <vector>

#include "stencil/result.h"

namespace stencil::runtime {

// An NVRTC that need not be open.
struct NvrtcInfo {
  std::string file;                // its path
  std::string identity;            // of the file's contents: changes when it is replaced
  int version = 0;                 // 1000 * major + 10 * minor
  std::vector<int> architectures;  // that it compiles for, ascending
};

// What Nvrtc::open(driver_version) would open. R041.
Result<NvrtcInfo> find_nvrtc(int driver_version);

enum class NvrtcOutput { MachineCode, Ptx };

struct NvrtcJob {
  std::string source;
  int architecture;   // 90 for sm_90
  std::string flags;  // separated by spaces, besides those for architecture and language
  NvrtcOutput output = NvrtcOutput::MachineCode;
};

// What `nvrtc` makes of the job, from the kernel cache or by opening it. `driver_version` as for
// Nvrtc::open. R041, R042.
Result<std::string> compile_cached(const NvrtcInfo& nvrtc, int driver_version, const NvrtcJob& job);

class Nvrtc {
 public:
  // The newest NVRTC of this machine whose machine code a driver for CUDA `driver_version` (1000 *
  // major + 10 * minor; 0: any) can load. It is looked for where the dynamic linker looks, then in
  // $CUDA_HOME/lib64, $CUDA_PATH/lib64 and /usr/local/cuda/lib64. R041.
  static Result<Nvrtc> open(int driver_version);

  // The one in this file, for any driver. R041.
  static Result<Nvrtc> open_file(const std::string& file);

  // Machine code (cubin), or PTX. Threads may compile side by side. R042 with the compiler's log
  // and the numbered source.
  Result<std::string> compile(const NvrtcJob& job) const;

  const NvrtcInfo& info() const { return info_; }

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
  Code (*nvrtcGetPTXSize_)(Program program, size_t* size) = nullptr;
  Code (*nvrtcGetPTX_)(Program program, char* text) = nullptr;

  NvrtcInfo info_;
};

}  // namespace stencil::runtime
