// What NVRTC compiles of a module, for the `cuda` device and for GPUs that are not there.
#pragma once

#include "compiler/emit/emit.h"
#include "compiler/kernel/plan.h"
#include "runtime/devices/nvrtc.h"

namespace stencil::runtime {

// How its text is emitted.
emit::Options cuda_options();

// The job for sm_<architecture>: CUDA C++ with the flags that keep the promised bits.
NvrtcJob cuda_job(const kernel::Module& module, int architecture,
                  NvrtcOutput output = NvrtcOutput::MachineCode);

// R041 unless `nvrtc` compiles for sm_<architecture>; `gpu`, as the message names it, may be "".
Status check_architecture(const NvrtcInfo& nvrtc, int architecture, const std::string& gpu);

}  // namespace stencil::runtime
