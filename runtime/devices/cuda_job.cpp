#include "runtime/devices/cuda_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "runtime/devices/cuda_driver.h"

namespace stencil::runtime {

emit::Options cuda_options() {
  emit::Options options;
  options.target = emit::Target::Cuda;
  options.kernels_only = true;
  return options;
}

NvrtcJob cuda_job(const kernel::Module& module, int architecture, NvrtcOutput output) {
  return {emit::emit(module, cuda_options()), architecture,
          emit::required_flags(emit::Target::Cuda, module.fp), output};
}

Status check_architecture(const NvrtcInfo& nvrtc, int architecture, const std::string& gpu) {
  const std::vector<int>& known = nvrtc.architectures;
  if (std::binary_search(known.begin(), known.end(), architecture)) return Done{};
  const std::string what = gpu.empty() ? fmt::format("sm_{}", architecture)
                                       : fmt::format("{} (sm_{})", gpu, architecture);
  return Failure{"R041",
                 fmt::format("NVRTC {} does not support {}, only sm_{}",
                             cuda::version_text(nvrtc.version), what, fmt::join(known, ", sm_")),
                 "install a CUDA toolkit made for this GPU"};
}

}  // namespace stencil::runtime
