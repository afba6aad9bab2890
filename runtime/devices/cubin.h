// CUDA machine code (a cubin: ELF, 64 bits) as NVRTC gives it: what its kernels take of a GPU, and
// what they do. For GPUs that are not there; a driver is asked for the same by
// LoadedProgram::resources().
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
  std::string name;          // in the emitted text (emit::symbol)
  int registers = 0;         // of a thread, of 32 bits
  int64_t local_bytes = 0;   // on the stack of a thread: registers spilled, arrays not in registers
  int64_t shared_bytes = 0;  // of a block, static: without what a launch asks for
  int64_t code_bytes = 0;    // with the padding at its end
  int64_t instructions = 0;  // with the NOPs there
  std::optional<MachineWork> work = {};  // nothing where the instructions are not known (sass.h)
};

struct Cubin {
  int architecture = 0;  // 90 for sm_90
  std::vector<CubinKernel> kernels;
};

// Reads any bytes. R042 if they are no machine code for sm_70 or later, are cut short, or
// contradict themselves.
Result<Cubin> read_cubin(std::string_view bytes);

}  // namespace stencil::runtime
