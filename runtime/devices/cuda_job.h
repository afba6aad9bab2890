// Compilation of a module by NVRTC, for the `cuda` device and for GPUs that are not present.
#pragma once

#include "compiler/emit/emit.h"
#include "compiler/kernel/plan.h"
#include "runtime/devices/nvrtc.h"

namespace stencil::runtime {

// The options for emitting the module's text.
emit::Options cuda_options();

// The job for sm_<architecture>: CUDA C++, and flags that guarantee the promised rounding.
NvrtcJob cuda_job(const kernel::Module& module, int architecture,
                  NvrtcOutput output = NvrtcOutput::MachineCode);

// R041 unless `nvrtc` compiles for sm_<architecture>. `gpu` is its name in the message; may be "".
Status check_architecture(const NvrtcInfo& nvrtc, int architecture, const std::string& gpu);

}  // namespace stencil::runtime
