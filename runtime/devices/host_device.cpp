// The `host` device: emitted C++, compiled in process by Clang and run on all CPUs.
//
// It is an Accelerator (accelerator.h) with its own aligned memory. Fields are copied at the start
// and the end of a session, not in between, unless the session is attached to user arrays. A launch
// is one parallel loop over blocks and has finished when it returns; nothing is queued.
//
// Shared memory of a block and registers of its threads are arrays on the stack of the CPU thread
// that executes the block, where they stay in its caches. Their size is known, so one check at load
// time suffices.
#include "runtime/devices/host_device.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "compiler/emit/emit.h"
#include "compiler/support/threads.h"
#include "compiler/support/try.h"
#include "runtime/devices/kernel_cache.h"
#include "runtime/devices/plan_session.h"

namespace stencil::runtime {

namespace {

class HostAccelerator : public Accelerator {
 public:
  HostAccelerator(const HostLibrary& library, const kernel::Module& module, HostKernels loaded)
      : interface_(library.interface()), module_(module), loaded_(std::move(loaded)) {}

  Status find_kernels();

  Result<Memory> allocate(int64_t bytes) override;
  void release(Memory memory) override { free(memory); }
  Status clear(Memory memory, int64_t bytes) override {
    std::memset(memory, 0, static_cast<size_t>(bytes));
    return Done{};
  }
  Status upload(Memory to, const std::byte* from, const Rows& rows) override;
  Status download(std::byte* to, Memory from, const Rows& rows) override;
  Status launch(const Call& call) override;
  Status copy(Memory to, Memory from, int64_t bytes) override;
  Status copy_rows(Memory to, const Rows& to_rows, Memory from, const Rows& from_rows) override;
  Status wait() override { return Done{}; }
  // Recordings are lists of calls with ready-made arguments.
  bool records() const override { return true; }
  Status begin_recording() override {
    recorded_ = std::make_shared<std::vector<Call>>();
    return Done{};
  }
  Result<Recording> end_recording() override { return Recording(std::move(recorded_)); }
  Status replay(const Recording& recording) override {
    for (const Call& call : *static_cast<const std::vector<Call>*>(recording.get())) {
      TRY(launch(call));
    }
    return Done{};
  }
  Status ask(Memory flag) override {
    std::memcpy(&flag_, flag, sizeof flag_);
    return Done{};
  }
  Result<int32_t> answer() override { return flag_; }
  std::byte* host_pointer(Memory memory) override { return static_cast<std::byte*>(memory); }

 private:
  const StencilHostInterface& interface_;
  const kernel::Module& module_;
  HostKernels loaded_;
  std::vector<StencilHostKernel> kernels_;       // by number in the module
  int32_t flag_ = 0;                             // its value at `ask`
  std::shared_ptr<std::vector<Call>> recorded_;  // null: calls are executed
};

emit::Options emit_options() {
  emit::Options options;
  options.target = emit::Target::Cpp;
  options.kernels_only = true;
  return options;
}

Status HostAccelerator::find_kernels() {
  const int64_t most = schedule::cpu().block_bytes;
  std::optional<kernel::Module> legal;
  for (size_t i = 0; i < module_.kernels.size(); ++i) {
    const kernel::Kernel& kernel = module_.kernels[i];
    int64_t bytes = kernel::block_bytes(kernel, module_.constants);
    // Legalisation is slow, but it moves per-thread buffers into loops, where they need no place
    // per thread.
    if (bytes > most) {
      if (!legal) legal = emit::legalise(module_, emit_options());
      bytes = kernel::block_bytes(legal->kernels[i], legal->constants);
    }
    if (bytes > most) {
      return Failure{"R043",
                     fmt::format("kernel {} needs {} bytes of stack per thread for the arrays of a "
                                 "block; the limit is {}",
                                 kernel.name, bytes, most),
                     "use a schedule with smaller tiles"};
    }
    const std::string symbol = emit::symbol(module_, kernel.name, emit_options());
    kernels_.push_back(interface_.find(loaded_.get(), symbol.c_str()));
    if (kernels_.back() == nullptr) {
      return Failure{"R042", fmt::format("the compiled kernels lack {}", kernel.name), ""};
    }
  }
  return Done{};
}

Result<Accelerator::Memory> HostAccelerator::allocate(int64_t bytes) {
  constexpr size_t kLine = 64, kHugePage = 2 << 20;
  const auto size = static_cast<size_t>(bytes);
  const size_t alignment = size >= kHugePage ? kHugePage : kLine;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, size) != 0) {
    return Failure{"R043", fmt::format("cannot allocate {} bytes", bytes), ""};
  }
  // Many rows are read at once, which would need more small pages than the TLB holds.
  if (alignment == kHugePage) madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

Status HostAccelerator::upload(Memory to, const std::byte* from, const Rows& rows) {
  std::byte* row = static_cast<std::byte*>(to) + rows.start;
  for (int64_t r = 0; r < rows.count; ++r) {
    std::memcpy(row + r * rows.pitch, from + r * rows.bytes, static_cast<size_t>(rows.bytes));
  }
  return Done{};
}

Status HostAccelerator::download(std::byte* to, Memory from, const Rows& rows) {
  const std::byte* row = static_cast<const std::byte*>(from) + rows.start;
  for (int64_t r = 0; r < rows.count; ++r) {
    std::memcpy(to + r * rows.bytes, row + r * rows.pitch, static_cast<size_t>(rows.bytes));
  }
  return Done{};
}

// A copy is a parallel loop too: one CPU cannot saturate the memory.
constexpr int64_t kCopyBlock = int64_t{1} << 20;  // bytes

// Arguments: to, from, address of the number of bytes.
void copy_blocks(void* const* arguments, int64_t begin, int64_t end) {
  const int64_t bytes = *static_cast<const int64_t*>(arguments[2]);
  const int64_t first = begin * kCopyBlock, last = std::min(end * kCopyBlock, bytes);
  std::memcpy(static_cast<std::byte*>(arguments[0]) + first,
              static_cast<const std::byte*>(arguments[1]) + first,
              static_cast<size_t>(last - first));
}

Status HostAccelerator::copy(Memory to, Memory from, int64_t bytes) {
  void* const arguments[] = {to, from, &bytes};
  const int64_t blocks = (bytes + kCopyBlock - 1) / kCopyBlock;
  if (interface_.run(copy_blocks, arguments, blocks) == 0) return Done{};
  return Failure{"R043", "cannot create threads to copy memory",
                 "set STENCIL_THREADS=1, which creates no threads"};
}

Status HostAccelerator::copy_rows(Memory to, const Rows& to_rows, Memory from,
                                  const Rows& from_rows) {
  const auto work = [&](int, int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      std::memcpy(static_cast<std::byte*>(to) + to_rows.start + r * to_rows.pitch,
                  static_cast<const std::byte*>(from) + from_rows.start + r * from_rows.pitch,
                  static_cast<size_t>(to_rows.bytes));
    }
  };
  const int64_t least = kCopyBlock / std::max<int64_t>(to_rows.bytes, 1) + 1;
  in_parts(parts_of(to_rows.count, least), to_rows.count, work);
  return Done{};
}

Status HostAccelerator::launch(const Call& call) {
  if (recorded_) {
    recorded_->push_back(call);
    return Done{};
  }
  std::vector<void*> arguments = call.arrays;
  for (const ScalarBytes& scalar : call.scalars) {
    arguments.push_back(const_cast<std::byte*>(scalar.bytes));
  }
  const auto index = static_cast<size_t>(call.kernel);
  if (interface_.run(kernels_[index], arguments.data(), call.blocks) == 0) return Done{};
  return Failure{"R043", fmt::format("cannot create threads for {}", module_.kernels[index].name),
                 "set STENCIL_THREADS=1, which creates no threads"};
}

class HostProgram : public LoadedProgram {
 public:
  HostProgram(std::unique_ptr<HostAccelerator> accelerator, const kernel::Module& module)
      : accelerator_(std::move(accelerator)), module_(module) {}

  Result<std::string> code(CodeKind kind) const override {
    if (kind != CodeKind::Source) return LoadedProgram::code(kind);
    return host_source(module_);
  }

  Result<double> copy_seconds(int64_t bytes) const override {
    HostAccelerator accelerator(*accelerator_);
    return runtime::copy_seconds(accelerator, bytes);
  }

  // Each session has its own accelerator, which holds one answer to a stop condition.
  Result<std::unique_ptr<Session>> start(reference::State& state) const override {
    return start_plan(std::make_unique<HostAccelerator>(*accelerator_), module_, state);
  }
  Result<std::unique_ptr<Session>> take_over(reference::State& state,
                                             Session& giver) const override {
    return start_plan(std::make_unique<HostAccelerator>(*accelerator_), module_, state,
                      {.giver = &giver});
  }
  Result<std::unique_ptr<Session>> attach(reference::State& state,
                                          const DeviceArrays& arrays) const override {
    return start_plan(std::make_unique<HostAccelerator>(*accelerator_), module_, state,
                      {.arrays = arrays});
  }
  Result<std::unique_ptr<Session>> start_subdomain(reference::State& state,
                                                   Communicator& communicator) const override {
    return start_plan(std::make_unique<HostAccelerator>(*accelerator_), module_, state,
                      {.communicator = &communicator});
  }

 private:
  std::unique_ptr<HostAccelerator> accelerator_;
  const kernel::Module& module_;
};

// The CPU's name according to Linux; its architecture if there is none.
std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname system{};
  return ::uname(&system) == 0 ? std::string(system.machine) : "";
}

DeviceInfo probe(const std::string&) {
  const auto& library = HostLibrary::open();
  if (!library.ok()) {
    const Failure& failure = library.failure();
    return {"host", "", false, failure.message + "; " + failure.hint};
  }
  const int threads = library.value().threads();
  return {"host",
          fmt::format("C++ compiled in process by {}, {} thread{}", library.value().description(),
                      threads, threads == 1 ? "" : "s"),
          true, "", cpu_name()};
}

Result<std::string> compile(const Job& job, const std::string&) {
  const auto& library = HostLibrary::open();
  if (!library.ok()) return library.failure();
  const std::string source = host_source(*job.module);
  const FpMode fp = job.module->fp;
  const int optimisation = HostLibrary::wanted_optimisation();
  return cached({"host",
                 {"object", library.value().target(), std::string(name(fp)),
                  fmt::format("O{}", optimisation), source}},
                [&] { return library.value().compile(source, fp, optimisation); });
}

Result<std::unique_ptr<LoadedProgram>> load(const Job& job, const std::string& selector) {
  const auto& library = HostLibrary::open();
  if (!library.ok()) return library.failure();
  const auto object = TRY(job.machine_code ? *job.machine_code : compile(job, selector));
  auto kernels = TRY(library.value().load(object));
  return load_host_kernels(library.value(), *job.module, std::move(kernels));
}

}  // namespace

std::string host_source(const kernel::Module& module) {
  return emit::emit(module, emit_options());
}

Result<std::unique_ptr<LoadedProgram>> load_host_kernels(const HostLibrary& library,
                                                         const kernel::Module& module,
                                                         HostKernels kernels) {
  auto accelerator = std::make_unique<HostAccelerator>(library, module, std::move(kernels));
  TRY(accelerator->find_kernels());
  return std::unique_ptr<LoadedProgram>(
      std::make_unique<HostProgram>(std::move(accelerator), module));
}

Device host_device() {
  Device device{"host", true, probe, load, schedule::cpu(), true, compile};
  device.machine_of = [](const std::string&) { return schedule::this_cpu(wanted_threads()); };
  return device;
}

}  // namespace stencil::runtime
