// Shared memory is taken from the module if launches request it, otherwise from the machine code,
// as a driver reports for a loaded kernel. Shorter time tiles may have their own kernels, which
// compute less; instruction counts are those of the kernel that computes most.
#include "runtime/tune/compiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <new>

#include "compiler/kernel/walk.h"
#include "compiler/support/numbers.h"
#include "compiler/support/try.h"
#include "compiler/support/workers.h"
#include "runtime/devices/cubin.h"
#include "runtime/devices/cuda_driver.h"
#include "runtime/devices/cuda_job.h"
#include "runtime/run/run.h"
#include "runtime/tune/candidate_timer.h"

namespace stencil::tune {

namespace {

constexpr auto kCompiledPoll = std::chrono::milliseconds(50);

using CompiledClock = std::chrono::steady_clock;

// The compiler and its target.
struct Toolchain {
  runtime::NvrtcInfo nvrtc;
  int architecture;
};

Result<Toolchain> toolchain_of(const schedule::Machine& machine) {
  constexpr std::string_view kPrefix = "sm_";
  const auto architecture = machine.name.starts_with(kPrefix)
                                ? parse_integer(machine.name.substr(kPrefix.size()), 1, 9999)
                                : std::nullopt;
  if (!architecture) {
    return Failure{
        "R041",
        fmt::format("{} is not an NVIDIA GPU, so NVRTC cannot compile for it", machine.name),
        "choose one, for example --machine sm_90"};
  }
  // NVRTC for the driver, if present: then runs share the entries of the kernel cache.
  auto nvrtc = TRY(runtime::find_nvrtc(runtime::cuda::driver().version));
  const int number = static_cast<int>(*architecture);
  TRY(runtime::check_architecture(nvrtc, number, ""));
  return Toolchain{std::move(nvrtc), number};
}

// Whether `a` computes more, or the same with more instructions.
bool exceeds(const runtime::InstructionMix& a, const std::optional<runtime::InstructionMix>& b) {
  return !b || std::pair(a.arithmetic(), a.all) > std::pair(b->arithmetic(), b->all);
}

// The kernels that a full time tile launches, in order, without those of the start.
std::vector<int> kernels_of_tile(const kernel::Loop& steps) {
  std::vector<int> out;
  kernel::for_each_action(steps, [&](const kernel::Action& action, const kernel::Loop& loop) {
    const auto* launch = std::get_if<kernel::Launch>(&action);
    if (launch && kernel::is_for_tile(*launch, loop.time_tile)) out.push_back(launch->kernel);
  });
  return out;
}

MainLoop main_loop(const kernel::Kernel& kernel, const kernel::Module& module,
                   const runtime::CubinKernel& code) {
  if (!code.work) return {.unmatched = "the instructions are not known"};
  return main_loop_of(kernel, module.constants, *code.work);
}

// Combines the numbers of each kernel from the legalised module and from its machine code.
std::string take_numbers(const kernel::Module& module, const runtime::Cubin& cubin, Compiled& out) {
  std::vector<CompiledKernel> kernels;
  for (const kernel::Kernel& kernel : module.kernels) {
    const std::string symbol = emit::symbol(module, kernel.name, runtime::cuda_options());
    const auto found =
        std::find_if(cubin.kernels.begin(), cubin.kernels.end(),
                     [&](const runtime::CubinKernel& each) { return each.name == symbol; });
    if (found == cubin.kernels.end()) return "R042 the machine code lacks kernel " + symbol;
    const int64_t shared = found->shared_bytes + emit::dynamic_shared_bytes(kernel, module);
    const int64_t spilled =
        std::max<int64_t>(found->local_bytes - kernel::indexed_bytes(kernel), 0);
    kernels.push_back(
        {kernel.name, found->registers, spilled, shared, main_loop(kernel, module, *found)});
    out.registers = std::max(out.registers, found->registers);
    out.local_bytes = std::max(out.local_bytes, spilled);
    out.shared_bytes = std::max(out.shared_bytes, shared);
    out.code_bytes = std::max(out.code_bytes, found->code_bytes);
    if (!found->work || !exceeds(found->work->mix, out.kernel)) continue;
    out.kernel = found->work->mix;
    out.loop.reset();
    if (const auto* loop = runtime::hottest_loop(*found->work)) out.loop = loop->mix;
  }
  for (const int kernel : kernels_of_tile(module.plan)) {
    out.kernels.push_back(kernels[kernel]);
  }
  return "";
}

void compile_into(Compiled& out, const ir::Program& program, const schedule::Schedule& schedule,
                  const schedule::Machine& machine, const Toolchain& toolchain) {
  Diagnostics diagnostics;
  const auto module =
      runtime::lower(program, schedule, machine, diagnostics, schedule::Advice::None);
  if (!module) {
    out.refused = first_error(diagnostics);
    return;
  }
  const auto image = runtime::compile_cached(toolchain.nvrtc, runtime::cuda::driver().version,
                                             runtime::cuda_job(*module, toolchain.architecture));
  if (!image.ok()) {
    out.error = words_of(image.failure());
    return;
  }
  const auto cubin = runtime::read_cubin(image.value());
  out.error = cubin.ok() ? take_numbers(emit::legalise(*module, runtime::cuda_options()),
                                        cubin.value(), out)
                         : words_of(cubin.failure());
}

Compiled compile_one(const ir::Program& program, const schedule::Schedule& schedule,
                     const schedule::Machine& machine, const Toolchain& toolchain) {
  const auto begin = CompiledClock::now();
  Compiled out;
  try {
    compile_into(out, program, schedule, machine, toolchain);
  } catch (const std::bad_alloc&) {
    out.error = "R046 not enough memory";
  }
  if (!out.error.empty()) out = {.error = std::move(out.error)};
  out.seconds = std::chrono::duration<double>(CompiledClock::now() - begin).count();
  return out;
}

// Fills `out` until `progress` returns false; returns when all started compilations have ended.
void compile_all(std::vector<Compiled>& out, const ir::Program& program,
                 const std::vector<schedule::Schedule>& schedules, const schedule::Machine& machine,
                 const Toolchain& toolchain, int threads,
                 const std::function<bool(const CompiledProgress&)>& progress) {
  std::atomic<size_t> compiled = 0;
  bool goes_on = true;
  const auto proceed = [&] {
    if (goes_on && progress) goes_on = progress({compiled.load(), schedules.size()});
    return goes_on;
  };
  Workers workers(std::max(1, threads));
  std::vector<std::future<void>> pending;
  for (size_t s = 0; s < schedules.size(); ++s) {
    pending.push_back(workers.start([&, s] {
      out[s] = compile_one(program, schedules[s], machine, toolchain);
      ++compiled;
    }));
  }
  for (const std::future<void>& one : pending) {
    while (proceed() && one.wait_for(kCompiledPoll) != std::future_status::ready) continue;
  }
  proceed();
}

}  // namespace

Result<std::vector<Compiled>> compile_candidates(
    const ir::Program& program, const std::vector<schedule::Schedule>& schedules,
    const schedule::Machine& machine, int threads,
    const std::function<bool(const CompiledProgress&)>& progress) {
  const auto toolchain = TRY(toolchain_of(machine));
  std::vector<Compiled> out(schedules.size());
  compile_all(out, program, schedules, machine, toolchain, threads, progress);
  return out;
}

std::vector<schedule::CompiledKernel> for_model(const Compiled& compiled) {
  std::vector<schedule::CompiledKernel> out;
  for (const CompiledKernel& kernel : compiled.kernels) {
    out.push_back({kernel.registers, kernel.local_bytes, kernel.shared_bytes});
    if (!kernel.main_loop.unmatched.empty()) continue;
    out.back().issued = kernel.main_loop.inside;
    out.back().edge_issued = kernel.main_loop.at_edge;
  }
  return out;
}

}  // namespace stencil::tune
