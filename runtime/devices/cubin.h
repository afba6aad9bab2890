// Reads CUDA machine code (a cubin: 64-bit ELF) as NVRTC produces it: resources of the kernels, and
// what they execute. Used for GPUs that are not present. If the GPU is present,
// LoadedProgram::resources() asks the driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/devices/sass.h"
#include "stencil/result.h"

namespace stencil::runtime {

struct CubinKernel {
  std::string name;                      // in the emitted text (emit::symbol)
  int registers = 0;                     // per thread, 32 bits each
  int64_t local_bytes = 0;               // per thread on the stack: spills, arrays not in registers
  int64_t shared_bytes = 0;              // per block, without dynamic shared memory
  int64_t code_bytes = 0;                // including final padding
  int64_t instructions = 0;              // including the NOPs of the padding
  std::optional<MachineWork> work = {};  // nullopt if the instructions are not understood (sass.h)
};

struct Cubin {
  int architecture = 0;  // 90 for sm_90
  std::vector<CubinKernel> kernels;
};

// Accepts any bytes. R042 if they are not machine code for sm_70 or later, truncated or
// inconsistent.
Result<Cubin> read_cubin(std::string_view bytes);

}  // namespace stencil::runtime
