// The table of targets. Targets differ only in these rows and in the files of their dialects.
#include <algorithm>
#include <cassert>

#include "compiler/emit/dialect.h"
#include "compiler/emit/text.h"

namespace stencil::emit {

namespace {

const Dialect& cuda(const Options& options) {
  return options.kernels_only ? cuda_jit_dialect() : cuda_dialect();
}
const Dialect& hip(const Options&) {
  return hip_dialect();
}
const Dialect& opencl(const Options& options) {
  return options.threads_are_loops ? opencl_loops_dialect() : opencl_dialect();
}
const Dialect& cpp(const Options& options) {
  return options.kernels_only ? cpp_jit_dialect() : cpp_dialect();
}

}  // namespace

const std::vector<TargetInfo>& targets() {
  static const std::vector<TargetInfo> all = {
      {Target::Cuda, "cuda", ".cu", "_cuda.h", "sm_90", "nvcc -O3 -std=c++17 -arch=$machine",
       "--fmad=false", "--use_fast_math", cuda},
      {Target::Hip, "hip", ".hip", "_hip.h", "gfx90a",
       "hipcc -O3 -std=c++17 --offload-arch=$machine",
       "-ffp-contract=off -fhip-fp32-correctly-rounded-divide-sqrt",
       "-ffp-contract=fast -fno-signed-zeros -freciprocal-math "
       "-fno-hip-fp32-correctly-rounded-divide-sqrt",
       hip},
      {Target::OpenCl, "opencl", ".cl", "", "sm_90", "clBuildProgram with",
       "-cl-fp32-correctly-rounded-divide-sqrt",
       "-cl-mad-enable -cl-no-signed-zeros -cl-denorms-are-zero", opencl},
      {Target::Cpp, "cpp", ".cpp", ".h", "cpu", "g++ -O3 -std=c++17 -fopenmp", "-ffp-contract=off",
       "-fno-math-errno -fno-trapping-math -fno-signed-zeros -freciprocal-math -ffp-contract=fast",
       cpp},
  };
  return all;
}

const TargetInfo& info(Target target) {
  const auto found = std::find_if(targets().begin(), targets().end(),
                                  [&](const TargetInfo& row) { return row.target == target; });
  assert(found != targets().end());
  return *found;
}

const TargetInfo* target_called(std::string_view name) {
  const auto found = std::find_if(targets().begin(), targets().end(),
                                  [&](const TargetInfo& row) { return row.name == name; });
  return found == targets().end() ? nullptr : &*found;
}

std::string compile_line(Target target, FpMode fp, const std::string& file,
                         const std::string& executable, std::string_view machine) {
  const TargetInfo& row = info(target);
  const std::string compiler =
      replaced(std::string(row.compiler), "$machine", machine.empty() ? row.machine : machine);
  const std::string line = compiler + " " + required_flags(target, fp);
  if (row.header_ending.empty()) return line;
  return line + (executable.empty() ? " -c " : " -o " + executable + " ") + file;
}

std::string required_flags(Target target, FpMode fp) {
  return std::string(fp == FpMode::Fast ? info(target).fast_flags : info(target).exact_flags);
}

std::string device_text(std::string text, const Dialect& dialect) {
  text = replaced(std::move(text), "$api", dialect.runtime);
  return replaced(std::move(text), "$ignored", dialect.ignored);
}

}  // namespace stencil::emit
