// NVRTC, the CUDA compiler as a library, opened at run time: CUDA C++ to machine code or PTX.
//
// Opening the library (100 MB) takes longer than everything else at program start. So its
// properties and its results are stored in the kernel cache.
#pragma once

#include <string>
#include <vector>

#include "stencil/result.h"

namespace stencil::runtime {

// Properties of an NVRTC library, which need not be open.
struct NvrtcInfo {
  std::string file;                // path
  std::string identity;            // of the file contents; changes when the file is replaced
  int version = 0;                 // 1000 * major + 10 * minor
  std::vector<int> architectures;  // supported ones, ascending
};

// The library that Nvrtc::open(driver_version) would open. R041.
Result<NvrtcInfo> find_nvrtc(int driver_version);

enum class NvrtcOutput { MachineCode, Ptx };

struct NvrtcJob {
  std::string source;
  int architecture;   // 90 for sm_90
  std::string flags;  // space-separated; without those for architecture and language
  NvrtcOutput output = NvrtcOutput::MachineCode;
};

// Compiles the job, or takes the result from the kernel cache. `driver_version` as for Nvrtc::open.
// R041, R042.
Result<std::string> compile_cached(const NvrtcInfo& nvrtc, int driver_version, const NvrtcJob& job);

class Nvrtc {
 public:
  // Opens the newest NVRTC of this machine whose machine code a driver for CUDA `driver_version`
  // can load (1000 * major + 10 * minor; 0: any). Searches the path of the dynamic linker, then
  // $CUDA_HOME/lib64, $CUDA_PATH/lib64 and /usr/local/cuda/lib64. R041.
  static Result<Nvrtc> open(int driver_version);

  // Opens this file, for any driver. R041.
  static Result<Nvrtc> open_file(const std::string& file);

  // Compiles to machine code (cubin) or PTX. Thread-safe. R042 with the compiler's log and the
  // numbered source.
  Result<std::string> compile(const NvrtcJob& job) const;

  const NvrtcInfo& info() const { return info_; }

 private:
  using Program = struct ProgramTag*;
  using Code = int;  // nvrtcResult: 0 is success

  // The first symbol that the library lacks; "" if it is complete.
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
